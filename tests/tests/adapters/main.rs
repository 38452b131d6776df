//! One suite for every runtime, over real loopback sockets.
#![allow(clippy::indexing_slicing, clippy::string_slice, clippy::unwrap_used, reason = "tests")]

mod host;
mod wire;

mod bodies;
mod endings;
mod heads;
mod sockets;
mod tls;

mod closing;
mod polls;
mod proxies;
mod requests;
mod starting;
mod streams;
mod waiting;

/// Stamps each test of a module out for every runtime.
macro_rules! on_every_runtime {
    ($($test:ident),+ $(,)?) => {
        mod on_tokio_multi_thread {
            $(#[test] fn $test() { super::$test($crate::host::Host::tokio_multi_thread()); })+
        }
        mod on_tokio_current_thread {
            $(#[test] fn $test() { super::$test($crate::host::Host::tokio_current_thread()); })+
        }
        mod on_smol {
            $(#[test] fn $test() { super::$test($crate::host::Host::smol()); })+
        }
    };
}
pub(crate) use on_every_runtime;
