//! What the service says of itself (C 3.2, 3.6).

use serde_json::{Value, json};

use crate::runtime::Runtime;

/// What of the contract the service can show.
pub(crate) const CAPABILITIES: [&str; 26] = [
    "server-side",
    "strongly-typed",
    "server-side-polling",
    "fdv1-fallback",
    "persistent-data-store-redis",
    "flag-change-listeners",
    "flag-value-change-listeners",
    "instance-id",
    "tags",
    "wrapper",
    "polling-gzip",
    "http-proxy",
    "tls:verify-peer",
    "tls:skip-verify-peer",
    "tls:custom-ca",
    "all-flags-with-reasons",
    "all-flags-client-side-only",
    "all-flags-details-only-for-tracked-flags",
    "client-prereq-events",
    "context-type",
    "context-comparison",
    "user-type",
    "secure-mode-hash",
    "evaluation-hooks",
    "hook-environment-id",
    "big-segments",
];

pub(crate) fn status(runtime: &Runtime) -> Value {
    json!({
        "name": format!("fdv2-{}", runtime.name()),
        "clientVersion": env!("CARGO_PKG_VERSION"),
        "capabilities": CAPABILITIES,
    })
}
