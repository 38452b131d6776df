//! What one evaluation sees.

use fdv2_core::Snapshot;
use fdv2_core::context::Context;
use fdv2_core::eval::{
    BigSegment, Detail, ErrorKind, FlagDetail, FlagDetailConfig, Found, Lookup, Membership,
    evaluate,
};
use fdv2_core::model::{Flag, Item, Segment};
use serde_json::Value;

use super::{CacheView, Lack};
use crate::big_segments::Known;

/// What one evaluation sees: flags and segments, in memory or of the persistent store, and what is
/// known of memberships.
pub(crate) struct View<'a> {
    items: Items<'a>,
    memberships: &'a Known<'a>,
}

enum Items<'a> {
    Memory(&'a Snapshot),
    Store(&'a CacheView<'a>),
}

impl<'a> View<'a> {
    pub(crate) fn of_memory(data: &'a Snapshot, memberships: &'a Known<'a>) -> Self {
        Self { items: Items::Memory(data), memberships }
    }

    pub(crate) fn of_store(cache: &'a CacheView<'a>, memberships: &'a Known<'a>) -> Self {
        Self { items: Items::Store(cache), memberships }
    }

    /// There is no data yet, so nothing counts (B 6.7).
    fn is_before_data(&self) -> bool {
        matches!(self.items, Items::Memory(data) if !data.is_held())
    }

    pub(crate) fn variation_detail(
        &self,
        context: &Context,
        key: &str,
    ) -> Result<Detail<'_, Option<&Value>>, Lack> {
        if self.is_before_data() {
            return Ok(Detail::default_because(ErrorKind::ClientNotReady, None));
        }
        match self.flag(key) {
            Found::Present(flag) => Ok(evaluate(self, flag, context)?),
            Found::Absent => Ok(Detail::default_because(ErrorKind::FlagNotFound, None)),
            Found::NotLoaded => Err(Lack::flag(key)),
        }
    }

    pub(crate) fn all_flags_detail(
        &self,
        context: &Context,
        config: FlagDetailConfig,
        now: u64,
    ) -> Result<FlagDetail, Lack> {
        if self.is_before_data() {
            return Ok(FlagDetail::default());
        }
        Ok(match self.items {
            Items::Memory(data) => FlagDetail::evaluate(self, data.flags(), context, config, now)?,
            Items::Store(cache) => {
                let flags = cache.all_flags().ok_or(Lack::Everything)?;
                FlagDetail::evaluate(self, flags, context, config, now)?
            }
        })
    }
}

impl Lookup for View<'_> {
    fn flag(&self, key: &str) -> Found<&Item<Flag>> {
        match self.items {
            Items::Memory(data) => Lookup::flag(data, key),
            Items::Store(cache) => cache.flag(key),
        }
    }

    fn segment(&self, key: &str) -> Found<&Item<Segment>> {
        match self.items {
            Items::Memory(data) => Lookup::segment(data, key),
            Items::Store(cache) => cache.segment(key),
        }
    }

    fn membership(&self, segment: BigSegment<'_>, context_key: &str) -> Membership {
        self.memberships.membership(segment, context_key)
    }
}
