//! What SQLite's errors mean to a reader.

use fdv2_client::store::StoreError;
use rusqlite::{Error, ErrorCode};

/// Says what was attempted, and why it failed. The messages of SQLite hold no values.
pub(crate) fn fault(attempt: &str, error: &Error) -> StoreError {
    let reason = match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
            "another process holds its lock for too long".to_owned()
        }
        Some(ErrorCode::NotADatabase) => "it is not a SQLite file".to_owned(),
        _ => error.to_string(),
    };
    StoreError::new(format!("cannot {attempt} the SQLite file: {reason}"))
}

/// Whether to try again may help.
pub(crate) fn is_busy(error: &Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked))
}
