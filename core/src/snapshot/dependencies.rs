//! Who depends on whom (B 7.1).

use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use imbl::OrdSet;

use crate::model::{Item, Kind, Model};

/// A flag or segment, by kind and key.
pub type ItemId = (Kind, Arc<str>);

/// The references between items, from what is named to what names it. What is named need not
/// exist. Persistent: a clone costs nothing.
#[derive(Clone, Default)]
pub(super) struct Dependencies(OrdSet<Edge>);

/// Ordered by what is named, so that all that depends on one item is one range.
#[derive(Clone, PartialEq, Eq)]
struct Edge {
    // The keys side by side and the kinds behind them: there are many edges.
    on: Arc<str>,
    dependant: Arc<str>,
    on_kind: Kind,
    dependant_kind: Kind,
}

impl Dependencies {
    /// Records that `new` stands in the place of `old`. `share` gives the key as it is kept
    /// elsewhere, so that it is not kept twice.
    pub(super) fn replace<T: Model>(
        &mut self,
        old: Option<&Item<T>>,
        new: Option<&Item<T>>,
        share: impl Fn(Kind, &str) -> Arc<str>,
    ) {
        let (before, after) = (references(old, &share), references(new, &share));
        if before == after {
            return;
        }
        let Some(key) = old.or(new).map(Item::key) else {
            return;
        };
        for on in before.difference(&after) {
            self.0.remove(&Edge::new(on, (T::KIND, key.clone())));
        }
        for on in after.difference(&before) {
            self.0.insert(Edge::new(on, (T::KIND, key.clone())));
        }
    }

    /// Adds to `items` all that depends on one of them, at any depth.
    pub(super) fn close_over(&self, items: &mut BTreeSet<ItemId>) {
        let mut open: Vec<ItemId> = items.iter().cloned().collect();
        while let Some(on) = open.pop() {
            for dependant in self.dependants(on) {
                if items.insert(dependant.clone()) {
                    open.push(dependant);
                }
            }
        }
    }

    /// What names `on`, in order.
    fn dependants(&self, on: ItemId) -> impl Iterator<Item = ItemId> {
        let first = Edge::new(&on, (Kind::Flag, Arc::default()));
        self.0.range(first..).take_while(move |edge| edge.on() == on).map(Edge::dependant)
    }
}

impl Edge {
    fn new((on_kind, on): &ItemId, (dependant_kind, dependant): ItemId) -> Self {
        Self { on: on.clone(), dependant, on_kind: *on_kind, dependant_kind }
    }

    fn on(&self) -> ItemId {
        (self.on_kind, self.on.clone())
    }

    fn dependant(&self) -> ItemId {
        (self.dependant_kind, self.dependant.clone())
    }

    fn order(&self) -> (Kind, &str, Kind, &str) {
        (self.on_kind, &self.on, self.dependant_kind, &self.dependant)
    }
}

impl Ord for Edge {
    fn cmp(&self, other: &Self) -> Ordering {
        self.order().cmp(&other.order())
    }
}

impl PartialOrd for Edge {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

fn references<T: Model>(
    item: Option<&Item<T>>,
    share: &impl Fn(Kind, &str) -> Arc<str>,
) -> BTreeSet<ItemId> {
    let mut references = BTreeSet::new();
    if let Some(item) = item {
        item.model().references(&mut |kind, key| {
            references.insert((kind, share(kind, key)));
        });
    }
    references
}

impl fmt::Debug for Dependencies {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let edges = self.0.iter().map(|edge| (edge.on(), edge.dependant()));
        f.debug_list().entries(edges).finish()
    }
}
