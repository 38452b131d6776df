//! What decoded flags and segments take.

use std::sync::Arc;

use fdv2_core::model::{Flag, Item, Model, Segment};
use fdv2_tests::{samples, typical};

/// Bytes that stay allocated for one decoded item, its text included, for each byte of its text.
fn bytes_per_byte<T: Model>(key: &str, text: &str) -> f64 {
    let mut kept = None;
    let info = allocation_counter::measure(|| {
        kept = Some(Item::<T>::decode(Arc::from(key), 1, text).unwrap());
    });
    assert!(kept.is_some());
    (info.bytes_current as f64 + size_of::<Item<T>>() as f64) / text.len() as f64
}

#[test]
fn a_typical_flag_takes_at_most_four_times_its_text() {
    let flag = samples::typical().to_string();
    let ratio = bytes_per_byte::<Flag>("checkout-page-layout", &flag);
    assert!(ratio <= 4.0, "{ratio}");
    let ratio = bytes_per_byte::<Flag>("flag-1", &typical::flag(1, 1));
    assert!(ratio <= 4.0, "{ratio}");
}

#[test]
fn a_large_segment_takes_at_most_three_times_its_text() {
    let ratio = bytes_per_byte::<Segment>("large", &samples::segment("large", 10_000).to_string());
    assert!(ratio <= 3.0, "{ratio}");
}
