//! Who depends on whom (B 7.1).

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
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Edge {
    on: ItemId,
    dependant: ItemId,
}

impl Dependencies {
    /// Records that `new` stands in the place of `old`.
    pub(super) fn replace<T: Model>(&mut self, old: Option<&Item<T>>, new: Option<&Item<T>>) {
        let (before, after) = (references(old), references(new));
        if before == after {
            return;
        }
        let Some(key) = old.or(new).map(Item::key) else {
            return;
        };
        for on in before.difference(&after) {
            self.0.remove(&edge::<T>(on, key));
        }
        for on in after.difference(&before) {
            self.0.insert(edge::<T>(on, key));
        }
    }

    /// Adds to `items` all that depends on one of them, at any depth.
    pub(super) fn close_over(&self, items: &mut BTreeSet<ItemId>) {
        let mut open: Vec<ItemId> = items.iter().cloned().collect();
        while let Some(on) = open.pop() {
            for dependant in self.dependants(on) {
                if items.insert(dependant.clone()) {
                    open.push(dependant.clone());
                }
            }
        }
    }

    /// What names `on`, in order.
    fn dependants(&self, on: ItemId) -> impl Iterator<Item = &ItemId> {
        let first = Edge { on: on.clone(), dependant: (Kind::Flag, Arc::default()) };
        self.0.range(first..).take_while(move |edge| edge.on == on).map(|edge| &edge.dependant)
    }
}

fn references<T: Model>(item: Option<&Item<T>>) -> BTreeSet<ItemId> {
    let mut references = BTreeSet::new();
    if let Some(item) = item {
        item.model().references(&mut |kind, key| {
            references.insert((kind, key.into()));
        });
    }
    references
}

fn edge<T: Model>(on: &ItemId, dependant: &Arc<str>) -> Edge {
    Edge { on: on.clone(), dependant: (T::KIND, dependant.clone()) }
}

impl fmt::Debug for Dependencies {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let edges = self.0.iter().map(|edge| (&edge.on, &edge.dependant));
        f.debug_list().entries(edges).finish()
    }
}
