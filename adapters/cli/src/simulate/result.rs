//! What a simulation came to.

use super::fleet::Seen;
use super::script::{Phase, Script, Service};

/// Second by second, and what follows from that.
pub(crate) struct Results {
    pub(crate) title: String,
    pub(crate) script: Script,
    pub(crate) clients: u64,
    pub(crate) requests: Vec<u64>,
    /// How many clients have the newest data at the end of each second.
    pub(crate) fresh: Vec<u64>,
    pub(crate) returns: Vec<Return>,
}

/// What follows on each time that the service comes up.
#[derive(Debug, PartialEq)]
pub(crate) struct Return {
    /// In which second.
    pub(crate) at: usize,
    /// Seconds until half, 99 of a hundred and all have the newest data; `None` if not in time.
    pub(crate) half: Option<usize>,
    pub(crate) nearly_all: Option<usize>,
    pub(crate) all: Option<usize>,
    /// In which second the phase before began. From then on requests count, until all are fresh.
    pub(crate) since: usize,
    /// The most requests in a second.
    pub(crate) peak: u64,
    /// How many there are in a second on the average.
    pub(crate) mean: f64,
}

impl Results {
    pub(crate) fn new(title: String, script: Script, clients: u32, seen: Seen) -> Self {
        let clients = u64::from(clients);
        let mut fresh = Vec::with_capacity(seen.requests.len());
        let mut counts = vec![0_u64; seen.fresh.len()];
        for second in 0..seen.requests.len() {
            for (count, came) in counts.iter_mut().zip(&seen.fresh) {
                *count += came.get(second).copied().unwrap_or(0);
            }
            let version = script.at(std::time::Duration::from_secs(second as u64)).version;
            let place = usize::try_from(version.saturating_sub(1)).unwrap_or(usize::MAX);
            fresh.push(counts.get(place).copied().unwrap_or(0));
        }
        let mut results =
            Self { title, script, clients, requests: seen.requests, fresh, returns: Vec::new() };
        results.returns = results.returns();
        results
    }

    fn returns(&self) -> Vec<Return> {
        let phases = self.script.phases();
        let is_return =
            |(index, phase): &(usize, &Phase)| *index > 0 && phase.service == Service::Up;
        phases
            .iter()
            .enumerate()
            .filter(is_return)
            .map(|(index, phase)| {
                let second =
                    |phase: &Phase| usize::try_from(phase.from.as_secs()).unwrap_or(usize::MAX);
                let end = phases.get(index + 1).map_or(self.fresh.len(), second);
                self.return_at(phases.get(index - 1).map_or(0, second), second(phase), end)
            })
            .collect()
    }

    fn return_at(&self, trouble: usize, at: usize, end: usize) -> Return {
        let until = |share: f64| {
            let least = (self.clients as f64 * share).ceil() as u64;
            let mut seconds = self.fresh.iter().take(end).skip(at);
            seconds.position(|count| *count >= least).map(|second| second + 1)
        };
        let all = until(1.0);
        let last = all.map_or(end, |seconds| at + seconds);
        let requests =
            self.requests.get(trouble..last.min(self.requests.len())).unwrap_or_default();
        Return {
            at,
            half: until(0.5),
            nearly_all: until(0.99),
            all,
            since: trouble,
            peak: requests.iter().copied().max().unwrap_or(0),
            mean: requests.iter().sum::<u64>() as f64 / requests.len().max(1) as f64,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_return_counts_from_when_the_service_is_up_until_all_have_its_data() {
        let script: Script = "0s up, 2s down, 4s up".parse().unwrap();
        let seen = Seen {
            requests: vec![4, 0, 2, 2, 6, 2, 0, 0],
            fresh: vec![vec![4], vec![0, 0, 0, 0, 2, 1, 1]],
            events: 0,
        };
        let results = Results::new(String::new(), script, 4, seen);
        assert_eq!(results.fresh, [4, 4, 4, 4, 2, 3, 4, 4]);
        let [only] = &results.returns[..] else { panic!("{:?}", results.returns) };
        let seconds = (only.half, only.nearly_all, only.all);
        assert_eq!((only.at, seconds), (4, (Some(1), Some(3), Some(3))));
        assert_eq!((only.since, only.peak, only.mean), (2, 6, 12.0 / 5.0));
    }
}
