//! Each case of the list of known faults is named by a test that shows its class, in a comment or in
//! its name.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// The numbers, by section. H11, what a build switches on, is a step of `tests/run.sh`.
const CASES: [&str; 12] = [
    "S01 S03 S04 S05 S07 S08 S09 S10 S11 S12 S13 S14 S15",
    "P02 P03 P04 P06 P07 P08 P09 P10 P11 P12",
    "E01 E02 E04 E05 E06 E07 E09 E10 E11",
    "F01 F03 F04 F05 F06 F07 F08 F09 F10 F11 F13 F14 F15 F16 F17 F18",
    "V01 V02 V04 V05 V06 V07 V08 V09 V10 V11 V12",
    "D02 D03 D04 D05 D06 D08 D09 D10 D11 D12 D13 D14",
    "C01 C02 C04 C06 C07 C08 C09 C10 C11",
    "M01 M02 M03 M04 M05 M07 M08 M09 M10 M11 M12",
    "L02 L03 L04 L05 L06",
    "H01 H02 H03 H04 H05 H06 H07 H08 H09 H10",
    "R02 R03 R04 R05 R06",
    "I01 I02 I03 I04 I05 I06 I07 I08 I09 I10",
];

/// Adds every word of the source files below that looks like a number of a case.
fn read(folder: &Path, named: &mut BTreeSet<String>) {
    for entry in fs::read_dir(folder).expect("a folder of sources") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            read(&path, named);
        } else if path.extension().is_some_and(|kind| kind == "rs")
            && !path.ends_with("wire/cases.rs")
        {
            let text = fs::read_to_string(&path).expect("a source file").to_uppercase();
            let words = text.split(|letter: char| !letter.is_ascii_alphanumeric());
            named.extend(words.filter(|word| word.len() == 3).map(str::to_owned));
        }
    }
}

#[test]
fn every_case_is_named_by_a_test() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the repository");
    let mut named = BTreeSet::new();
    for folder in ["tests/tests", "tests/src", "tests/benches", "core/src", "adapters"] {
        read(&root.join(folder), &mut named);
    }
    let cases = CASES.iter().flat_map(|section| section.split(' '));
    let missing: Vec<&str> = cases.filter(|case| !named.contains(*case)).collect();
    assert!(missing.is_empty(), "no test names {missing:?}");
}
