//! The development server over real sockets (C 1).

mod polls;
mod streams;
mod support;
