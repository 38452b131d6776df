//! The command `fdv2`.
fn main() {}
