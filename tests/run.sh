#!/bin/sh
# Every check of this repository, cheapest first. Needs a Rust toolchain with rustfmt and clippy;
# installs a C compiler (for TLS and SQLite) and a Redis server (for the tests of stores, which start
# it themselves) where there is none and apt-get can bring one. With FDV2_LONG=1 it runs the tests,
# too, that wait for up to six minutes.
set -eu
cd "$(dirname "$0")/.."

# The tests talk to servers on this machine: a proxy of the environment is for downloads alone.
export NO_PROXY="localhost,127.0.0.1,invalid${NO_PROXY:+,$NO_PROXY}"

log=$(mktemp)
# Each thread of the tests adds a line of what it ran: cases, steps, seconds, executions, states,
# depth.
export FDV2_RAN="$log.ran"
: >"$FDV2_RAN"
trap 'rm -f "$log" "$log.status" "$FDV2_RAN"' EXIT

step() {
    printf '\n== %s\n' "$1"
}

fail() {
    printf 'FAILED: %s\n' "$1" >&2
    exit 1
}

# Runs a test command and keeps what it prints for the summary.
tests() {
    { "$@" && echo 0 >"$log.status" || echo 1 >"$log.status"; } 2>&1 | tee -a "$log"
    [ "$(cat "$log.status")" = 0 ] || fail "$*"
}

# Fails if the package in $1 is built on a crate, written "name version [features]", that the
# pattern in $2 matches.
built_without() {
    crates=$(cargo tree --locked -p "$1" -e normal --prefix none -f '{p} [{f}]') || fail 'cargo tree'
    if printf '%s\n' "$crates" | grep -E "^($2) v"; then
        fail "$1 must not be built on what is named above"
    fi
    printf '%s is built on none of %s\n' "$1" "$2"
}

step 'Tools'
cargo --version
cargo fmt --version || fail 'rustfmt is missing: rustup component add rustfmt'
cargo clippy --version || fail 'clippy is missing: rustup component add clippy'
if ! command -v cc >/dev/null; then
    command -v apt-get >/dev/null || fail 'a C compiler is missing: install one as cc'
    apt-get update && apt-get install -y --no-install-recommends gcc libc6-dev
fi
if ! command -v redis-server >/dev/null; then
    command -v apt-get >/dev/null || fail 'redis-server is missing: install Redis'
    apt-get update && apt-get install -y --no-install-recommends redis-server
fi

step 'Format'
cargo fmt --all --check

step 'Purity: no runtime and no HTTP client where there must be none'
built_without fdv2-core 'tokio|smol|async-std|async-io|async-executor|mio|reqwest|surf|hyper|rustls|futures|futures-executor|rand|log|tracing'
built_without fdv2-client 'tokio|smol|async-std|async-io|mio|reqwest|surf|hyper'
built_without fdv2-tokio 'smol|async-std|async-io|surf|http-client|cookie'
built_without fdv2-redis 'tokio|smol|async-std|async-io|mio'
built_without fdv2-files 'tokio|smol|async-std|async-io|mio|reqwest|surf|hyper'
built_without fdv2-sqlite 'tokio|smol|async-std|async-io|mio'
built_without fdv2-smol 'mio|reqwest|tokio-util|tokio-rustls'
# hyper needs one crate of tokio's for its channels: nothing of it that runs.
if printf '%s\n' "$crates" | grep -E '^tokio v.*[[,](rt|rt-multi-thread|net|time|fs|process|signal)[],]'; then
    fail 'fdv2-smol must not bring parts of the tokio runtime'
fi

step 'Features: none of serde_json that a user of ours did not ask for (case H11)'
# Fails if the package in $1, built with the flags in $2, switches on a feature of serde_json that
# the pattern in $3 matches.
leaves_serde_json() {
    crates=$(cargo tree --locked -p "$1" $2 -e normal --prefix none -f '{p} [{f}]') || fail 'cargo tree'
    json=$(printf '%s\n' "$crates" | sed -n 's/^\(serde_json v[^]]*\]\).*/\1/p' | sort -u)
    [ -n "$json" ] || fail "$1 has no serde_json"
    if printf '%s\n' "$json" | grep -E "[[,]($3)[],]"; then
        fail "$1 must not switch on what is named above ($3)"
    fi
    printf '%s %s: %s\n' "$1" "$2" "$json"
}
libraries='fdv2-core fdv2-client fdv2-tokio fdv2-smol fdv2-redis fdv2-sqlite'
for library in $libraries; do
    leaves_serde_json "$library" '' 'arbitrary_precision|preserve_order|unbounded_depth'
    leaves_serde_json "$library" --no-default-features \
        'float_roundtrip|arbitrary_precision|preserve_order|unbounded_depth'
done

step 'Lints'
cargo clippy --locked --workspace --all-targets -- -D warnings
# The tests want all features of it, so that the workspace never builds it without.
cargo clippy --locked -p fdv2-client --all-targets -- -D warnings

step 'Without default features (case H11)'
cargo check --locked $(printf -- '-p %s ' $libraries) --no-default-features

step 'The core alone'
tests cargo test --locked -p fdv2-core

step 'All the other tests'
tests cargo test --locked --workspace --exclude fdv2-core --no-fail-fast

if [ -n "${FDV2_LONG:-}" ]; then
    step 'The conformance tests that wait for minutes, side by side'
    tests cargo test --locked -p fdv2-tests --test conformance -- \
        --ignored --test-threads 32 --nocapture
fi

step 'Fuzz targets (that they compile; the tests above have fed them)'
CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-$PWD/target}" \
    cargo check --locked --manifest-path fuzz/Cargo.toml --no-default-features

step 'Documentation'
RUSTDOCFLAGS='-D warnings' cargo doc --locked --workspace --no-deps

step 'Summary'
awk '/^test result: / { passed += $4; failed += $6 } END { printf "%d passed, %d failed\n", passed, failed }' "$log"
awk '{ cases += $1; steps += $2; seconds += $3; executions += $4; states += $5
        if ($6 > depth) depth = $6 }
    END {
        printf "%d property cases, %d simulated steps in %d simulated hours, ", cases, steps, seconds / 3600
        printf "%d states explored %d steps deep, %d fuzz executions\n", states, depth, executions
    }' "$FDV2_RAN"
