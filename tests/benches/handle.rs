//! How long single calls of `DataSystem::handle` take for a full transfer of 100,000 flags of
//! about 2 KB, in slices of 16 KiB: the first transfer, the same again, all changed, and aborted
//! after the last put.
//!
//! A case runs five times from the same state. A call's time is the least of the five, which takes
//! other processes out of it; what counts is the slowest call, which must stay under 1 ms. What
//! the core discards is freed between the runs, as the driver frees it: elsewhere.

#![expect(clippy::print_stdout, reason = "a bench tells its figures")]

use std::hint::black_box;
use std::process::ExitCode;
use std::time::Duration;

use bytes::Bytes;
use fdv2_tests::measure::thread_nanos;
use fdv2_tests::streamed::{self, SLICE, Streamed};
use fdv2_tests::typical;

const FLAGS: usize = 100_000;
const RUNS: usize = 5;
const BOUND: Duration = Duration::from_millis(1);

/// Receives a stream and gives the processor time that each call took.
fn receive_timed(system: &mut Streamed, stream: &Bytes) -> Vec<Duration> {
    let mut times = Vec::with_capacity(stream.len() / SLICE + 1);
    let mut commands = Vec::new();
    for slice in streamed::slices(stream) {
        let begun = thread_nanos();
        commands.extend(system.receive(slice));
        times.push(Duration::from_nanos((thread_nanos() - begun) as u64));
    }
    times
}

/// Lets the allocator put its free lists in order, which it would do in the next call otherwise:
/// glibc takes 0.1 s for it after 100,000 flags were freed.
fn settle_allocator() {
    for _ in 0..1_000 {
        drop(black_box(Vec::<u8>::with_capacity(100_000)));
        drop(black_box(Vec::<u8>::with_capacity(2_000)));
    }
}

/// Runs a case, and gives what it led to and whether its slowest call was fast enough.
fn run(name: &str, start: &Streamed, stream: &Bytes) -> (Streamed, bool) {
    let mut least: Vec<Duration> = Vec::new();
    let mut end = start.clone();
    for _ in 0..RUNS {
        end = start.clone();
        settle_allocator();
        let times = receive_timed(&mut end, stream);
        if least.is_empty() {
            least = times;
        } else {
            least.iter_mut().zip(times).for_each(|(least, time)| *least = time.min(*least));
        }
    }
    let total: Duration = least.iter().sum();
    least.sort_unstable();
    let slowest = least.last().copied().unwrap_or_default();
    let median = least.get(least.len() / 2).copied().unwrap_or_default();
    println!("{name:<24} {slowest:>10.1?} {median:>10.1?} {total:>10.1?}");
    (end, slowest < BOUND)
}

fn main() -> ExitCode {
    let first = typical::full_transfer(FLAGS, 1, typical::End::Transferred);
    let changed = typical::full_transfer(FLAGS, 2, typical::End::Transferred);
    let aborted = typical::full_transfer(FLAGS, 2, typical::End::Error);
    println!("{FLAGS} flags in slices of {SLICE} bytes, bound {BOUND:?} for the slowest call");
    println!("{:<24} {:>10} {:>10} {:>10}", "case", "slowest", "median", "total");
    let (held, first_is_fast) = run("first transfer", &Streamed::open(), &first);
    let (_, again_is_fast) = run("the same again", &held, &first);
    let (_, changed_is_fast) = run("all changed", &held, &changed);
    let (_, aborted_is_fast) = run("aborted at the last put", &held, &aborted);
    let all_fast = first_is_fast && again_is_fast && changed_is_fast && aborted_is_fast;
    if all_fast { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
