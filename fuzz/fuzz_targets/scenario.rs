#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| fdv2_tests::fuzz::scenario(input));
