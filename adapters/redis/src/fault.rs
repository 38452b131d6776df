//! What Redis's errors mean to a reader, without a word that could be a secret (B 11.1).

use std::error::Error;

use fdv2_client::store::StoreError;
use redis::{ErrorKind, RedisError};

/// A connection could not be made. A server may repeat what it was sent, which is the password: of
/// its answer only the code is told.
pub(crate) fn of_connect(name: &str, error: &RedisError) -> StoreError {
    let reason = match (error.is_timeout(), error.kind(), error.code()) {
        (true, ..) => "no answer in time".to_owned(),
        (_, ErrorKind::Io, _) => reason_of_io(error),
        (_, _, Some(code)) => format!("{} ({code})", error.category()),
        (_, _, None) => error.category().to_owned(),
    };
    StoreError::new(format!("cannot connect to Redis at {name}: {reason}"))
}

/// A command failed.
pub(crate) fn of_command(name: &str, error: &RedisError) -> StoreError {
    let reason = match (error.is_timeout(), error.kind()) {
        (true, _) => "no answer in time".to_owned(),
        (_, ErrorKind::Io) => reason_of_io(error),
        // The error would repeat the answer, however long that is.
        (_, ErrorKind::Parse | ErrorKind::UnexpectedReturnType) => {
            "Redis does not give such an answer; what listens there may be something else"
                .to_owned()
        }
        _ => error.to_string(),
    };
    StoreError::new(format!("Redis at {name} failed: {reason}"))
}

fn reason_of_io(error: &RedisError) -> String {
    error.source().map_or_else(|| error.category().to_owned(), ToString::to_string)
}
