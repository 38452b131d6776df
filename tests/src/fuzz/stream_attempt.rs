//! Any bytes on a stream that a whole system listens to.

use std::time::Duration;

use arbitrary::{Arbitrary, Result, Unstructured};
use fdv2_core::{EffectId, Limits};

use crate::invariants;
use crate::model::Say;
use crate::sim::wire::{self, on};
use crate::sim::{Reply, Sim, config, poll, secs, stream};

/// Pieces of lines that get bytes somewhere.
const PIECES: [&str; 14] = [
    "event: put-object\n",
    "event:payload-transferred\r\n",
    "event: server-intent\r",
    "event: x\n",
    "data: ",
    "data: {\"kind\":\"flag\",\"key\":\"f1\",\"version\":1,\"object\":{",
    "data: {\"state\":\"s\"}\n",
    "}}\n",
    "\n",
    "\n\n",
    "\r",
    ": comment\n",
    "retry: 1\n",
    "id: \0\n",
];

/// What the server does next.
enum Part {
    Bytes(Vec<u8>),
    End,
    Break,
    Wait(Duration),
    Directive,
}

/// Whatever comes on a stream, each invariant holds after each chunk, and when the server is good
/// again the system is healthy.
///
/// # Panics
/// If it does not.
pub fn stream_attempt(input: &[u8]) {
    let mut input = Unstructured::new(input);
    let limits = Limits { event_bytes: 600, transfer_objects: 6, ..Limits::default() };
    let configured = config().synchronizer(stream("a")).fdv1(poll("v1")).limits(limits);
    let mut sim = Sim::new(configured).requests_per_minute(150);
    sim.serve_always("v1", Reply::fdv1([on("old")]));
    sim.start();
    let mut headed = None;
    while !input.is_empty() {
        let Ok(part) = Part::arbitrary(&mut input) else { break };
        act(&mut sim, &mut headed, part);
    }
    sim.serve("a", |_| {
        let good = Reply::stream(wire::full("good", [on("good")]));
        good.repeat(secs(100), 50, ":\n")
    });
    if is_listening(&sim) {
        sim.break_off();
    }
    sim.advance(secs(4500));
    invariants::the_first_healthy_source_is_reached(&sim, 1);
}

fn is_listening(sim: &Sim) -> bool {
    sim.live().is_some() && sim.asked().last().is_some_and(|asked| asked.host == "a")
}

fn act(sim: &mut Sim, headed: &mut Option<EffectId>, part: Part) {
    if let Part::Wait(time) = part {
        sim.advance(time);
        return;
    }
    if !is_listening(sim) {
        sim.advance_to_next();
        return;
    }
    if *headed != sim.live() {
        *headed = sim.live();
        let head = Reply::stream([]);
        sim.reply(if matches!(part, Part::Directive) { head.directive_for(60) } else { head });
    }
    if !is_listening(sim) {
        return;
    }
    match part {
        Part::Bytes(bytes) => {
            sim.send_bytes(bytes);
        }
        Part::End => {
            sim.end();
        }
        Part::Break => {
            sim.break_off();
        }
        Part::Directive | Part::Wait(_) => {}
    }
}

impl<'a> Arbitrary<'a> for Part {
    fn arbitrary(input: &mut Unstructured<'a>) -> Result<Self> {
        Ok(match input.int_in_range(0..=15)? {
            0 | 1 => {
                let length = input.int_in_range(1..=40)?;
                Self::Bytes(input.bytes(length.min(input.len()))?.to_vec())
            }
            2..=5 => Self::Bytes(input.choose(&PIECES)?.as_bytes().to_vec()),
            6..=11 => Self::Bytes(wire::sse(&[Say::arbitrary(input)?.wire()]).into_bytes()),
            12 => Self::End,
            13 => Self::Break,
            14 => Self::Directive,
            _ => Self::Wait(*input.choose(&[secs(0), secs(1), secs(9), secs(40), secs(130)])?),
        })
    }
}
