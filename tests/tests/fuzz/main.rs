//! The functions that fuzzing feeds, fed with damaged samples.

use fdv2_tests::fuzz::TARGETS;
use proptest::prelude::*;
use proptest::sample::Index;

/// One change of an input.
#[derive(Clone, Debug)]
enum Damage {
    Set(Index, u8),
    Insert(Index, Vec<u8>),
    Remove(Index, usize),
    Repeat(Index, usize),
}

fn damage() -> impl Strategy<Value = Damage> {
    let token = prop_oneof![
        proptest::collection::vec(any::<u8>(), 1..4),
        "[\\[\\]{}\",:\\\\0-9e.\\-\r\n]{1,6}".prop_map(String::into_bytes),
    ];
    prop_oneof![
        (any::<Index>(), any::<u8>()).prop_map(|(at, byte)| Damage::Set(at, byte)),
        (any::<Index>(), token).prop_map(|(at, bytes)| Damage::Insert(at, bytes)),
        (any::<Index>(), 1..40_usize).prop_map(|(at, count)| Damage::Remove(at, count)),
        (any::<Index>(), 1..200_usize).prop_map(|(at, count)| Damage::Repeat(at, count)),
    ]
}

fn apply(input: &mut Vec<u8>, damage: Damage) {
    let place = |at: Index| at.index(input.len() + 1);
    let span = |at: Index, count: usize| place(at)..(place(at) + count).min(input.len());
    match damage {
        Damage::Set(at, byte) => {
            let at = place(at);
            input.get_mut(at).into_iter().for_each(|old| *old = byte);
        }
        Damage::Insert(at, bytes) => {
            let at = place(at);
            input.splice(at..at, bytes);
        }
        Damage::Remove(at, count) => {
            let span = span(at, count);
            input.drain(span);
        }
        Damage::Repeat(at, count) => {
            let span = span(at, count);
            let piece = input.get(span.clone()).unwrap_or_default().to_vec();
            input.splice(span.start..span.start, piece);
        }
    }
}

#[test]
fn good_samples_hold() {
    TARGETS.iter().for_each(|(target, sample)| target(sample));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3_000))]

    #[test]
    fn damaged_samples_hold(
        which in 0..TARGETS.len(),
        damages in proptest::collection::vec(damage(), 0..6),
    ) {
        let (target, sample) = TARGETS.get(which).expect("one of them");
        let mut input = sample.to_vec();
        damages.into_iter().for_each(|damage| apply(&mut input, damage));
        target(&input);
    }
}
