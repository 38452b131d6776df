//! Listening to flags: what changes, and what it changes for one context (B 7).

use std::io;
use std::sync::Arc;

use fdv2_core::context::Context;
use serde_json::Value;

use super::{FlagChange, FlagChanges, Listener, ValueChange, ValueChanges};
use crate::Client;

/// Listening to flags (B 7). Streams end when the client is closed, and callbacks are called no
/// more.
///
/// Each callback has a thread of its own, so it may block, and a panic in it is contained: the next
/// call comes all the same. One that holds a clone of the client keeps it open until the listener
/// is removed or the client is closed.
impl Client {
    /// The keys of the flags that change from now on, until the client is closed (B 7).
    pub fn flag_changes(&self) -> FlagChanges {
        FlagChanges::new(self.shared().facts().subscribe_changes())
    }

    /// Calls back for each flag that changes from now on, as [`flag_changes`](Self::flag_changes)
    /// tells it, until the listener is removed.
    ///
    /// ```
    /// use fdv2_client::{Client, FlagChange, Listener};
    ///
    /// fn report(client: &Client) -> std::io::Result<Listener> {
    ///     client.on_flag_change(|change| match change {
    ///         FlagChange::Changed(key) => println!("{key} changed"),
    ///         FlagChange::Lagged(_) => println!("too slow: any flag may have changed"),
    ///     })
    /// }
    /// ```
    ///
    /// # Errors
    /// The operating system's, where it gives no thread.
    pub fn on_flag_change(
        &self,
        callback: impl FnMut(FlagChange) + Send + 'static,
    ) -> io::Result<Listener> {
        Listener::start(self.flag_changes(), callback)
    }

    /// The changes of what a flag gives to `context`, from now on, until the client is closed. The
    /// flag is evaluated before this returns, and `default` stands for a flag without a value, as
    /// in [`json_variation`](Self::json_variation).
    ///
    /// Values are compared as JSON: `1` and `1.0` are the same (B 7.2). A slow reader is told of the
    /// newest value, not of those that came and went in the meantime.
    pub fn value_changes(
        &self,
        key: impl Into<Arc<str>>,
        context: Context,
        default: Value,
    ) -> ValueChanges {
        ValueChanges::new(Arc::clone(self.shared()), key.into(), context, default)
    }

    /// Calls back each time that a flag gives another value to `context`, as
    /// [`value_changes`](Self::value_changes) tells it, until the listener is removed.
    ///
    /// ```
    /// use fdv2_client::{Client, Context, Listener};
    ///
    /// fn follow(client: &Client, user: Context) -> std::io::Result<Listener> {
    ///     client.on_value_change("log-level", user, "info".into(), |change| {
    ///         println!("{}: {} has become {}", change.key, change.old, change.new);
    ///     })
    /// }
    /// ```
    ///
    /// # Errors
    /// The operating system's, where it gives no thread.
    pub fn on_value_change(
        &self,
        key: impl Into<Arc<str>>,
        context: Context,
        default: Value,
        callback: impl FnMut(ValueChange) + Send + 'static,
    ) -> io::Result<Listener> {
        Listener::start(self.value_changes(key, context, default), callback)
    }
}
