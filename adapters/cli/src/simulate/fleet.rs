//! Very many cores in virtual time, on all threads there are.
//!
//! Time goes on in slices. Within one, clients know nothing of each other, so that they can be
//! simulated in any order; between two, the requests of all are counted, which says how busy the
//! service is in the next. So the result does not depend on the number of threads.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Barrier, PoisonError, RwLock};
use std::thread;
use std::time::Duration;

use fdv2_client::Config;
use fdv2_client::core::{
    Command, DataSystem, Effect, EffectId, Event, Instant, Lane, Outcome, Update,
};

use super::chance::Chance;
use super::service::{Model, NEWEST};

/// How much time goes by before requests are counted.
const SLICE: Duration = Duration::from_millis(100);

/// What is simulated.
pub(crate) struct Fleet {
    pub(crate) config: Config,
    pub(crate) clients: u32,
    /// All of them start within this time.
    pub(crate) ramp: Duration,
    pub(crate) until: Duration,
    pub(crate) seed: u64,
    pub(crate) threads: usize,
    /// So many requests a second can be answered.
    pub(crate) capacity: Option<u64>,
}

/// What was seen, second by second.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Seen {
    /// Requests that began.
    pub(crate) requests: Vec<u64>,
    /// By version, less one: clients that came to have it, in which second.
    pub(crate) fresh: Vec<Vec<u64>>,
    /// Events that the cores handled.
    pub(crate) events: u64,
}

impl Fleet {
    pub(crate) fn run(&self, model: &Model) -> Seen {
        let threads = self.threads.max(1);
        let barrier = Barrier::new(threads);
        let slices = [AtomicU64::new(0), AtomicU64::new(0)];
        let all = RwLock::new(Seen::default());
        thread::scope(|scope| {
            for thread in 0..threads {
                let (barrier, slices, all) = (&barrier, &slices, &all);
                scope.spawn(move || {
                    let seen = self.run_share(model, thread, barrier, slices);
                    all.write().unwrap_or_else(PoisonError::into_inner).add(&seen);
                });
            }
        });
        let mut seen = all.into_inner().unwrap_or_else(PoisonError::into_inner);
        let seconds = usize::try_from(self.until.as_secs()).unwrap_or(usize::MAX);
        seen.requests.resize(seen.requests.len().max(seconds), 0);
        seen
    }

    /// One thread's share of the clients.
    fn run_share(
        &self,
        model: &Model,
        thread: usize,
        barrier: &Barrier,
        slices: &[AtomicU64; 2],
    ) -> Seen {
        let mut seen = Seen::default();
        let mut clients: Vec<Client> = (0..self.clients)
            .skip(thread)
            .step_by(self.threads.max(1))
            .map(|number| Client::new(self, number))
            .collect();
        let mut due: BinaryHeap<Reverse<(Instant, usize)>> =
            clients.iter().enumerate().map(|(at, client)| Reverse((client.starts, at))).collect();
        let mut ends = Instant::EPOCH;
        let until = Instant::from_epoch(self.until);
        // How busy the service was in the slice before.
        let mut before = 0;
        for turn in 0_usize.. {
            ends = ends + SLICE;
            let load = Load { overload: self.overload(before) };
            let mut requests = 0;
            while let Some(&Reverse((now, at))) = due.peek() {
                if now >= ends.min(until) {
                    break;
                }
                due.pop();
                let Some(client) = clients.get_mut(at) else { break };
                requests += client.live(now, model, &load, &mut seen);
                if let Some(next) = client.next() {
                    due.push(Reverse((next.max(now), at)));
                }
            }
            let [even, odd] = slices;
            let (now, next) = if turn % 2 == 0 { (even, odd) } else { (odd, even) };
            now.fetch_add(requests, Ordering::Relaxed);
            // All have counted; nobody counts the next slice before all have read this one.
            barrier.wait();
            before = now.load(Ordering::Relaxed);
            next.store(0, Ordering::Relaxed);
            barrier.wait();
            if ends >= until {
                break;
            }
        }
        seen
    }

    /// Which share of the requests is too much, after so many in one slice.
    fn overload(&self, requests: u64) -> f64 {
        let Some(capacity) = self.capacity else { return 0.0 };
        let most = capacity as f64 * SLICE.as_secs_f64();
        if requests as f64 <= most { 0.0 } else { 1.0 - most / requests as f64 }
    }
}

struct Load {
    overload: f64,
}

/// One core with what it will hear.
struct Client {
    system: DataSystem,
    chance: Chance,
    starts: Instant,
    is_started: bool,
    live: Option<EffectId>,
    pending: VecDeque<(Instant, Outcome)>,
    version: u64,
}

impl Client {
    fn new(fleet: &Fleet, number: u32) -> Self {
        let seed = Chance::new(fleet.seed ^ (u64::from(number) << 20)).next();
        let mut chance = Chance::new(seed);
        Self {
            system: DataSystem::new(fleet.config.clone(), seed),
            starts: Instant::EPOCH + chance.between(Duration::ZERO, fleet.ramp),
            chance,
            is_started: false,
            live: None,
            pending: VecDeque::new(),
            version: 0,
        }
    }

    /// When something happens to it next.
    fn next(&self) -> Option<Instant> {
        let heard = self.pending.front().map(|(at, _)| *at);
        let deadline = self.system.next_deadline().map(|deadline| deadline.at);
        [heard, deadline].into_iter().flatten().min()
    }

    /// Lets the next thing happen, and returns how many requests it led to.
    fn live(&mut self, now: Instant, model: &Model, load: &Load, seen: &mut Seen) -> u64 {
        let arrived = self.pending.pop_front_if(|(at, _)| *at <= now);
        let event = match (arrived, self.live) {
            _ if !self.is_started => Event::Start,
            (Some((_, outcome)), Some(id)) => Event::Effect { id, outcome },
            _ => Event::Tick,
        };
        self.is_started = true;
        seen.events += 1;
        let commands: Vec<Command> = self.system.handle(now, event).collect();
        let mut requests = 0;
        for command in commands {
            match command {
                Command::Start { id, effect: Effect::Request(request) } => {
                    requests += 1;
                    count(&mut seen.requests, now);
                    let is_overloaded = self.chance.share() < load.overload;
                    self.live = Some(id);
                    self.pending =
                        model.answer(now, &request, &mut self.chance, is_overloaded).into();
                }
                Command::Cancel { id } if id.lane == Lane::Source => {
                    self.live = None;
                    self.pending.clear();
                }
                Command::Emit(Update::Snapshot(snapshot)) => {
                    let version = snapshot.flag(NEWEST).map_or(0, |flag| flag.version());
                    if version > self.version {
                        self.version = version;
                        seen.has(version, now);
                    }
                }
                _ => {}
            }
        }
        requests
    }
}

impl Seen {
    fn has(&mut self, version: u64, now: Instant) {
        let place = usize::try_from(version.saturating_sub(1)).unwrap_or(usize::MAX);
        if self.fresh.len() <= place {
            self.fresh.resize(place + 1, Vec::new());
        }
        if let Some(seconds) = self.fresh.get_mut(place) {
            count(seconds, now);
        }
    }

    fn add(&mut self, other: &Self) {
        self.events += other.events;
        add(&mut self.requests, &other.requests);
        if self.fresh.len() < other.fresh.len() {
            self.fresh.resize(other.fresh.len(), Vec::new());
        }
        for (ours, theirs) in self.fresh.iter_mut().zip(&other.fresh) {
            add(ours, theirs);
        }
    }
}

fn add(ours: &mut Vec<u64>, theirs: &[u64]) {
    ours.resize(ours.len().max(theirs.len()), 0);
    ours.iter_mut().zip(theirs).for_each(|(our, their)| *our += their);
}

/// One more in the second of this moment.
fn count(seconds: &mut Vec<u64>, now: Instant) {
    let second = usize::try_from(now.since_epoch().as_secs()).unwrap_or(usize::MAX);
    if seconds.len() <= second {
        seconds.resize(second + 1, 0);
    }
    if let Some(place) = seconds.get_mut(second) {
        *place += 1;
    }
}

#[cfg(test)]
mod tests {
    use fdv2_client::config::Endpoints;

    use super::*;

    fn run(threads: usize, script: &str, capacity: Option<u64>) -> Seen {
        let until = Duration::from_secs(300);
        let builder = Config::builder("k").endpoints(Endpoints::relay("http://service"));
        let ramp = Duration::from_secs(10);
        let config = builder.build().unwrap();
        let fleet = Fleet { config, clients: 300, ramp, until, seed: 7, threads, capacity };
        fleet.run(&Model::new(script.parse().unwrap(), 2, until))
    }

    #[test]
    fn a_fleet_behaves_the_same_on_any_number_of_threads() {
        let alone = run(1, "restart", Some(10));
        assert_eq!(run(3, "restart", Some(10)), alone);
        assert_ne!(run(1, "restart", None), alone);
    }

    /// B 8.1: those who lose a service at once spread their return.
    #[test]
    fn everybody_has_the_newest_data_after_an_outage_and_nobody_comes_at_once() {
        for script in ["restart", "0s up, 100s down 503, 130s up", "0s up, 100s hang, 130s up"] {
            let seen = run(2, script, None);
            assert_eq!(seen.fresh.len(), 2, "{script}");
            for seconds in &seen.fresh {
                assert_eq!(seconds.iter().sum::<u64>(), 300, "{script}");
            }
            let back = seen.requests.get(100..).unwrap();
            assert!(*back.iter().max().unwrap() < 300, "{script}: {back:?}");
        }
    }

    #[test]
    fn an_edit_reaches_open_streams_and_a_directive_leads_to_fdv1() {
        let edited = run(2, "0s up, 60s up", None);
        assert_eq!(edited.fresh[1][60], 300);
        let directed = run(2, "0s up, 60s directive 60, 90s up", None);
        assert_eq!(directed.fresh[1].iter().sum::<u64>(), 300);
    }
}
