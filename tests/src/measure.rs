//! How long things take, measured so that the figures can be believed on a busy machine: processor
//! time of the thread, both sides of a comparison in turns, medians.

#![allow(clippy::print_stdout, reason = "a bench prints its table")]

use std::process::ExitCode;

use rustix::time::{ClockId, clock_gettime};

/// How often each side is measured.
const ROUNDS: usize = 41;

/// How long one measurement takes, in nanoseconds.
const SAMPLE: f64 = 2e6;

/// A table of measurements, some with a target.
#[derive(Debug)]
pub struct Table {
    rows: Vec<Row>,
}

#[derive(Debug)]
struct Row {
    name: String,
    ours: f64,
    theirs: Option<f64>,
    ratio: Option<f64>,
    target: Target,
}

/// What a row has to reach.
#[derive(Clone, Copy, Debug)]
enum Target {
    /// Faster than the other side by this factor.
    Factor(f64),
    /// At most so many nanoseconds.
    Nanos(f64),
    /// It is only told.
    None,
}

impl Table {
    /// Without rows.
    pub fn new(title: &str) -> Self {
        println!("\n{title}");
        println!("{:<44}{:>12}{:>14}{:>11}  target", "", "ours", "theirs", "ratio");
        Self { rows: Vec::new() }
    }

    /// Compares one call of `ours` with one call of `theirs`, which has to take at least `factor`
    /// times as long.
    pub fn compare(
        &mut self,
        name: &str,
        factor: f64,
        mut ours: impl FnMut(),
        mut theirs: impl FnMut(),
    ) {
        let our_count = calls_per_sample(&mut ours);
        let their_count = calls_per_sample(&mut theirs);
        let pairs: Vec<_> = (0..ROUNDS)
            .map(|_| {
                (nanos_per_call(&mut ours, our_count), nanos_per_call(&mut theirs, their_count))
            })
            .collect();
        self.add(Row {
            name: name.to_owned(),
            ours: median(pairs.iter().map(|(ours, _)| *ours)),
            theirs: Some(median(pairs.iter().map(|(_, theirs)| *theirs))),
            ratio: Some(median(pairs.iter().map(|(ours, theirs)| theirs / ours))),
            target: Target::Factor(factor),
        });
    }

    /// Measures one call of `ours`, which has to take at most `nanos`.
    pub fn limit(&mut self, name: &str, nanos: f64, ours: impl FnMut()) {
        self.measure(name, Target::Nanos(nanos), ours);
    }

    /// Measures one call of `ours`, only to tell it.
    pub fn tell(&mut self, name: &str, ours: impl FnMut()) {
        self.measure(name, Target::None, ours);
    }

    fn measure(&mut self, name: &str, target: Target, mut ours: impl FnMut()) {
        let count = calls_per_sample(&mut ours);
        let ours = median((0..ROUNDS).map(|_| nanos_per_call(&mut ours, count)));
        self.add(Row { name: name.to_owned(), ours, theirs: None, ratio: None, target });
    }

    fn add(&mut self, row: Row) {
        let theirs = row.theirs.map(time).unwrap_or_default();
        let ratio = row.ratio.map(|ratio| format!("{ratio:.1} x")).unwrap_or_default();
        let target = match row.target {
            Target::Factor(factor) => format!(">= {factor} x"),
            Target::Nanos(nanos) => format!("<= {}", time(nanos)),
            Target::None => String::new(),
        };
        let verdict = if row.is_missed() { "  MISSED" } else { "" };
        println!(
            "{:<44}{:>12}{theirs:>14}{ratio:>11}  {target}{verdict}",
            row.name,
            time(row.ours)
        );
        self.rows.push(row);
    }

    /// Success if every target was reached.
    pub fn finish(self) -> ExitCode {
        let missed = self.rows.iter().filter(|row| row.is_missed()).count();
        if missed == 0 {
            return ExitCode::SUCCESS;
        }
        println!("{missed} of {} targets missed", self.rows.len());
        ExitCode::FAILURE
    }
}

impl Row {
    fn is_missed(&self) -> bool {
        match self.target {
            Target::Factor(factor) => self.ratio.is_none_or(|ratio| ratio < factor),
            Target::Nanos(nanos) => self.ours > nanos,
            Target::None => false,
        }
    }
}

/// Processor time that this thread has had, in nanoseconds.
pub fn thread_nanos() -> f64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as f64 * 1e9 + time.tv_nsec as f64
}

fn nanos_per_call(call: &mut impl FnMut(), count: usize) -> f64 {
    let start = thread_nanos();
    for _ in 0..count {
        call();
    }
    (thread_nanos() - start) / count as f64
}

/// How many calls fill a sample. Warms up on the way.
fn calls_per_sample(call: &mut impl FnMut()) -> usize {
    let mut count = 1;
    loop {
        let nanos = nanos_per_call(call, count) * count as f64;
        if nanos >= SAMPLE {
            return count;
        }
        count = if nanos < SAMPLE / 100.0 { count * 10 } else { count * 2 };
    }
}

fn median(numbers: impl Iterator<Item = f64>) -> f64 {
    let mut numbers: Vec<_> = numbers.collect();
    numbers.sort_unstable_by(f64::total_cmp);
    numbers.get(numbers.len() / 2).copied().unwrap_or(f64::NAN)
}

fn time(nanos: f64) -> String {
    match nanos {
        nanos if nanos < 1e3 => format!("{nanos:.1} ns"),
        nanos if nanos < 1e6 => format!("{:.2} us", nanos / 1e3),
        nanos => format!("{:.2} ms", nanos / 1e6),
    }
}
