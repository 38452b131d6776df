//! How much memory 100,000 flags of about 2 KB take: what is kept must stay within 4 times their
//! text, and the same full transfer again may add 10 % at most, while it runs as well as after.
//!
//! Counts the bytes that are asked of the allocator.

#![expect(clippy::print_stdout, reason = "a bench tells its figures")]

use std::process::ExitCode;

use allocation_counter::measure;
use bytes::Bytes;
use fdv2_core::Command;
use fdv2_tests::streamed::{self, Streamed};
use fdv2_tests::typical;

const FLAGS: usize = 100_000;
const MOST_PER_TEXT: f64 = 4.0;
const MOST_ADDED: f64 = 0.10;

/// Receives a stream as a driver does that frees what is discarded.
fn receive(system: &mut Streamed, stream: &Bytes) {
    for slice in streamed::slices(stream) {
        system.receive(slice).for_each(|command: Command| drop(command));
    }
}

fn main() -> ExitCode {
    let stream = typical::full_transfer(FLAGS, 1, typical::End::Transferred);
    let mut system = Streamed::open();

    let first = measure(|| receive(&mut system, &stream));
    let text = system.system().snapshot().text_bytes() as f64;
    let kept = first.bytes_current as f64;
    let again = measure(|| receive(&mut system, &stream));
    let (while_running, after) = (again.bytes_max as f64 / kept, again.bytes_current as f64 / kept);

    println!("{FLAGS} flags, {:.0} bytes of text each", text / FLAGS as f64);
    println!("kept: {:.2} times the text (bound {MOST_PER_TEXT})", kept / text);
    println!("peak of the first transfer: {:.2} times the text", first.bytes_max as f64 / text);
    println!(
        "the same again adds {:.1} % while it runs and {:.1} % after (bound {:.0} %)",
        while_running * 100.0,
        after * 100.0,
        MOST_ADDED * 100.0
    );
    let is_met = kept / text <= MOST_PER_TEXT && while_running < MOST_ADDED && after < MOST_ADDED;
    if is_met { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
