//! The fuzz targets on every run: the corpus, and mutations of it for some seconds.

#![allow(clippy::print_stdout, reason = "it says what it did")]

use std::path::{Path, PathBuf};
use std::time::Duration;
use std::{env, fs, io};

use fdv2_tests::fuzz::{TARGETS, Target, smoke};

/// How long each target is given mutations. `FDV2_FUZZ_SECONDS` says otherwise.
const SECONDS: u64 = 10;
/// Of the mutations. `FDV2_SEED` says otherwise.
const SEED: u64 = 1;

fn number(name: &str, otherwise: u64) -> u64 {
    let given = env::var(name).ok();
    given.map_or(otherwise, |given| given.parse().unwrap_or_else(|_| panic!("{name}: a number")))
}

fn corpus_of(target: Target) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(target.name);
    let mut paths: Vec<PathBuf> = fs::read_dir(&folder)
        .and_then(|entries| entries.map(|entry| Ok(entry?.path())).collect::<io::Result<_>>())
        .unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    paths.sort();
    paths.iter().map(|path| fs::read(path).expect("a file of the corpus")).collect()
}

fn mutate(name: &str) {
    let target = TARGETS.into_iter().find(|target| target.name == name).expect("a target");
    let (seconds, seed) = (number("FDV2_FUZZ_SECONDS", SECONDS), number("FDV2_SEED", SEED));
    let corpus = corpus_of(target);
    let executions = smoke::run(target.run, &corpus, Duration::from_secs(seconds), seed);
    println!("{name}: {executions} executions of seed {seed}");
    assert!(executions > 0 || seconds == 0, "it ran");
}

#[test]
fn every_target_holds_on_its_corpus() {
    for target in TARGETS {
        let corpus = corpus_of(target);
        assert!(!corpus.is_empty(), "{} has a corpus", target.name);
        corpus.iter().for_each(|input| (target.run)(input));
    }
}

macro_rules! holds_on_mutations {
    ($($target:ident)*) => {
        mod holds_on_mutations_of_its_corpus {
            $(
                #[test]
                fn $target() {
                    super::mutate(stringify!($target));
                }
            )*
        }

        #[test]
        fn no_target_is_left_out() {
            assert_eq!(TARGETS.map(|target| target.name), [$(stringify!($target)),*]);
        }
    };
}

holds_on_mutations! {
    sse poll_body fdv1_body evaluation protocol_events stream_attempt scenario
}
