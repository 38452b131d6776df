//! What becomes of the service, as a text: `0s up, 120s down 503, 240s up`.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

/// The latest moment that a script can name.
const LATEST: Duration = Duration::from_secs(24 * 3600);

/// How the service fares, and since when. Begins at zero, in the order of time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Script(Vec<Phase>);

/// From one moment to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Phase {
    pub(crate) from: Duration,
    pub(crate) service: Service,
    /// Counts up each time that the service comes up: it has newer data then.
    pub(crate) version: u64,
}

/// How the service fares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Service {
    /// It answers.
    Up,
    /// It refuses connections.
    Down,
    /// It answers everything with this status.
    Status(u16),
    /// It takes connections, and never answers.
    Hang,
    /// So many of a hundred requests are answered with 503. Streams that are open stay.
    Brownout(u8),
    /// It orders everybody to FDv1, for so many seconds.
    Directive(u64),
}

impl Script {
    pub(crate) fn phases(&self) -> &[Phase] {
        &self.0
    }

    /// The place of the phase of a moment.
    pub(crate) fn place(&self, at: Duration) -> usize {
        self.0.partition_point(|phase| phase.from <= at).saturating_sub(1)
    }

    /// The phase of a moment.
    pub(crate) fn at(&self, at: Duration) -> Phase {
        let first = Phase { from: Duration::ZERO, service: Service::Up, version: 1 };
        self.0.get(self.place(at)).copied().unwrap_or(first)
    }

    /// When the last phase begins.
    pub(crate) fn last(&self) -> Duration {
        self.0.last().map_or(Duration::ZERO, |phase| phase.from)
    }
}

impl FromStr for Script {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let text = match text.trim() {
            "outage" => "0s up, 120s down 503, 240s up",
            "restart" => "0s up, 120s down, 125s up",
            "brownout" => "0s up, 120s brownout 50, 300s up",
            "directive" => "0s up, 120s directive 300, 150s up",
            other => other,
        };
        let mut phases: Vec<Phase> = Vec::new();
        for (index, part) in text.split(',').enumerate() {
            let refuse =
                |why: String| format!("part {} of the script, {:?}: {why}", index + 1, part.trim());
            let (from, service) = parse_part(part).map_err(refuse)?;
            let before = phases.last();
            match before {
                None if !from.is_zero() => {
                    return Err(refuse("the first part must begin at 0s".to_owned()));
                }
                Some(before) if from <= before.from => {
                    return Err(refuse("it must begin after the part before it".to_owned()));
                }
                _ => {}
            }
            let version = before.map_or(0, |phase| phase.version);
            let version = if service == Service::Up { version + 1 } else { version.max(1) };
            phases.push(Phase { from, service, version });
        }
        Ok(Self(phases))
    }
}

fn parse_part(part: &str) -> Result<(Duration, Service), String> {
    let mut words = part.split_whitespace();
    let from = words.next().ok_or("write when and what, such as 60s down")?;
    let from =
        parse_seconds(from).ok_or("it must begin with whole seconds up to 86400, such as 60s")?;
    let what =
        words.next().ok_or("say what the service does: up, down, hang, brownout, directive")?;
    let number = words.next();
    if words.next().is_some() {
        return Err("there are too many words; part phases by commas".to_owned());
    }
    let service = match (what, number) {
        ("up", None) => Service::Up,
        ("hang", None) => Service::Hang,
        ("down", None) => Service::Down,
        ("down", Some(status)) => match status.parse() {
            Ok(status @ 400..=599) => Service::Status(status),
            _ => return Err("the status must be from 400 to 599".to_owned()),
        },
        ("brownout", Some(share)) => match share.trim_end_matches('%').parse() {
            Ok(share @ 1..=100) => Service::Brownout(share),
            _ => return Err("the share of failing requests must be from 1 to 100".to_owned()),
        },
        ("directive", Some(seconds)) => match seconds.trim_end_matches('s').parse() {
            Ok(seconds @ 1..=3_600) => Service::Directive(seconds),
            _ => return Err("the time of a directive must be from 1 to 3600 seconds".to_owned()),
        },
        ("brownout" | "directive", None) => return Err(format!("{what} needs a number behind it")),
        ("up" | "hang", Some(_)) => return Err(format!("nothing may stand behind {what}")),
        _ => {
            return Err(format!(
                "nobody knows {what:?}; there are up, down, down STATUS, hang, brownout PERCENT and \
                 directive SECONDS"
            ));
        }
    };
    Ok((from, service))
}

fn parse_seconds(text: &str) -> Option<Duration> {
    let seconds = Duration::from_secs(text.strip_suffix('s')?.parse().ok()?);
    (seconds <= LATEST).then_some(seconds)
}

impl fmt::Display for Service {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Up => f.write_str("up"),
            Self::Down => f.write_str("down"),
            Self::Status(status) => write!(f, "down {status}"),
            Self::Hang => f.write_str("hang"),
            Self::Brownout(share) => write!(f, "brownout {share}%"),
            Self::Directive(seconds) => write!(f, "directive {seconds}s"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_names_times_and_how_the_service_fares() {
        let script: Script = "0s up, 60s down 503,90s hang , 120s up".parse().unwrap();
        let secs = Duration::from_secs;
        let seen = [0, 59, 60, 119, 120, 999].map(|at| script.at(secs(at)));
        let services = seen.map(|phase| phase.service);
        let status = Service::Status(503);
        assert_eq!(
            services,
            [Service::Up, Service::Up, status, Service::Hang, Service::Up, Service::Up]
        );
        assert_eq!(seen.map(|phase| phase.version), [1, 1, 1, 1, 2, 2]);
        assert_eq!(script.last(), secs(120));
    }

    #[test]
    fn every_preset_is_a_script() {
        for preset in ["outage", "restart", "brownout", "directive"] {
            assert!(preset.parse::<Script>().unwrap().phases().len() > 2);
        }
    }

    #[test]
    fn what_is_wrong_with_a_script_is_said_with_its_place() {
        for (text, why) in [
            ("", "part 1"),
            ("5s up", "must begin at 0s"),
            ("0s up, 60s", "part 2 of the script, \"60s\": say what"),
            ("0s up, 60s down, 60s up", "part 3"),
            ("0s up, 1m down", "whole seconds"),
            ("0s up, 60s dance", "nobody knows \"dance\""),
            ("0s up, 60s down 200", "from 400 to 599"),
            ("0s up, 60s down 60s up", "too many words"),
            ("0s up, 99999s down", "86400"),
            ("0s brownout", "needs a number"),
            ("0s up 5", "nothing may stand behind"),
        ] {
            let error = text.parse::<Script>().unwrap_err();
            assert!(error.contains(why), "{text:?}: {error}");
        }
    }
}
