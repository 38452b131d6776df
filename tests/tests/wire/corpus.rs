//! The fuzz targets on every run: the corpus, and a bounded number of mutations of it.

use std::path::{Path, PathBuf};
use std::{fs, io};

use fdv2_tests::fuzz::{TARGETS, Target, smoke};

/// How many mutations each target is given.
const EXECUTIONS: usize = 10_000;

fn corpus_of(target: Target) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(target.name);
    let mut paths: Vec<PathBuf> = fs::read_dir(&folder)
        .and_then(|entries| entries.map(|entry| Ok(entry?.path())).collect::<io::Result<_>>())
        .unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    paths.sort();
    paths.iter().map(|path| fs::read(path).expect("a file of the corpus")).collect()
}

#[test]
fn every_target_holds_on_its_corpus() {
    for target in TARGETS {
        let corpus = corpus_of(target);
        assert!(!corpus.is_empty(), "{} has a corpus", target.name);
        corpus.iter().for_each(|input| (target.run)(input));
    }
}

#[test]
fn every_target_holds_on_mutations_of_its_corpus() {
    for target in TARGETS {
        smoke::run(target.run, &corpus_of(target), EXECUTIONS, 1);
    }
}
