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
        Some(ErrorCode::DatabaseCorrupt) => {
            "it is damaged; remove it, and it is made anew".to_owned()
        }
        Some(ErrorCode::ReadOnly) => {
            "this process may not write to it or to its directory, which readers have to, too"
                .to_owned()
        }
        _ => error.to_string(),
    };
    StoreError::new(format!("cannot {attempt} the SQLite file: {reason}"))
}

/// Whether to try again may help.
pub(crate) fn is_busy(error: &Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked))
}

#[cfg(test)]
mod tests {
    use rusqlite::ffi;

    use super::*;

    #[test]
    fn what_is_not_permitted_is_told_in_our_own_words() {
        let readonly = Error::SqliteFailure(ffi::Error::new(ffi::SQLITE_READONLY_DIRECTORY), None);
        let told = fault("read", &readonly);
        assert!(told.message().contains("may not write to it or to its directory"), "{told}");
    }
}
