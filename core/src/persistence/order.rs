//! In which order records are written, so that a store that cannot write them at once never shows
//! an item before those that it needs (B 9.4).

use crate::model::{Item, Model};

/// Puts each item behind those of its kind that it refers to: prerequisites before the flags that
/// need them. A cycle is cut anywhere. Segments are to be written before all flags.
///
/// Of items with equal keys one is kept.
pub fn dependencies_first<'a, T: Model>(
    items: impl IntoIterator<Item = &'a Item<T>>,
) -> Vec<&'a Item<T>> {
    let mut items: Vec<_> = items.into_iter().collect();
    items.sort_by(|one, other| one.key().cmp(other.key()));
    items.dedup_by(|one, other| one.key() == other.key());
    let mut walk = Walk::new(&items);
    for item in 0..items.len() {
        walk.visit(item);
    }
    walk.ordered
}

enum Step {
    /// Everything that the item needs, then the item.
    Enter(usize),
    /// The item alone: what it needs has its place.
    Place(usize),
}

/// A walk in depth, whose stack is on the heap: chains of references have any length.
struct Walk<'a, 'i, T> {
    items: &'i [&'a Item<T>],
    is_entered: Vec<bool>,
    steps: Vec<Step>,
    ordered: Vec<&'a Item<T>>,
}

impl<'a, 'i, T: Model> Walk<'a, 'i, T> {
    fn new(items: &'i [&'a Item<T>]) -> Self {
        let ordered = Vec::with_capacity(items.len());
        Self { items, is_entered: vec![false; items.len()], steps: Vec::new(), ordered }
    }

    fn visit(&mut self, item: usize) {
        self.steps.push(Step::Enter(item));
        while let Some(step) = self.steps.pop() {
            match step {
                Step::Enter(item) => self.enter(item),
                Step::Place(item) => self.ordered.extend(self.items.get(item)),
            }
        }
    }

    fn enter(&mut self, index: usize) {
        let (Some(item), Some(is_entered)) =
            (self.items.get(index), self.is_entered.get_mut(index))
        else {
            return;
        };
        if *is_entered {
            return;
        }
        *is_entered = true;
        self.steps.push(Step::Place(index));
        let (items, steps) = (self.items, &mut self.steps);
        item.model().references(&mut |kind, key| {
            if kind == T::KIND
                && let Ok(needed) = items.binary_search_by(|item| (**item.key()).cmp(key))
            {
                steps.push(Step::Enter(needed));
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::dependencies_first;
    use crate::model::{Decoded, Flag, Item, Segment};

    fn flag(key: &str, prerequisites: &[&str]) -> Item<Flag> {
        let prerequisites: Vec<String> =
            prerequisites.iter().map(|key| format!(r#"{{"key":"{key}","variation":0}}"#)).collect();
        let text = format!(r#"{{"key":"{key}","prerequisites":[{}]}}"#, prerequisites.join(","));
        let Ok(Decoded::Live(flag)) = Item::decode(key.into(), 1, &text) else {
            panic!("{text}");
        };
        flag
    }

    fn ordered(items: &[Item<Flag>]) -> Vec<&str> {
        dependencies_first(items).into_iter().map(|item| &**item.key()).collect()
    }

    /// B 9.4, D06.
    #[test]
    fn prerequisites_go_before_the_flags_that_need_them() {
        let flags = [flag("a", &["b", "c"]), flag("b", &["d"]), flag("c", &["d"]), flag("d", &[])];
        let order = ordered(&flags);
        let place = |key| order.iter().position(|placed| *placed == key);
        assert_eq!(order.len(), 4);
        for (needed, needs) in [("b", "a"), ("c", "a"), ("d", "b"), ("d", "c")] {
            assert!(place(needed) < place(needs), "{order:?}");
        }
    }

    /// B 9.4, D06.
    #[test]
    fn a_cycle_is_cut_and_loses_nothing() {
        let flags = [flag("a", &["b"]), flag("b", &["c"]), flag("c", &["a"]), flag("d", &["d"])];
        let mut order = ordered(&flags);
        order.sort_unstable();
        assert_eq!(order, ["a", "b", "c", "d"]);
    }

    #[test]
    fn what_is_missing_or_comes_twice_does_no_harm() {
        assert_eq!(ordered(&[flag("b", &["gone"]), flag("a", &["b"]), flag("b", &[])]), ["b", "a"]);
    }

    /// B 9.4: segments refer to segments.
    #[test]
    fn nested_segments_go_before_those_around_them() {
        let nested = r#"{"key":"a","rules":[{"clauses":[
            {"op":"segmentMatch","attribute":"","values":["b"]}]}]}"#;
        let segments: Vec<Item<Segment>> = [("a", nested), ("b", r#"{"key":"b"}"#)]
            .into_iter()
            .map(|(key, text)| match Item::decode(key.into(), 1, text) {
                Ok(Decoded::Live(item)) => item,
                other => panic!("{other:?}"),
            })
            .collect();
        let order: Vec<_> =
            dependencies_first(&segments).iter().map(|item| &**item.key()).collect();
        assert_eq!(order, ["b", "a"]);
    }

    /// Without recursion, in time that grows with the references.
    #[test]
    fn a_chain_of_a_hundred_thousand_flags_ends() {
        let name = |at: usize| format!("f{at:06}");
        let flags: Vec<_> =
            (0..100_000).map(|at| flag(&name(at), &[name(at + 1).as_str()])).collect();
        let order = ordered(&flags);
        assert_eq!(order.first().copied(), Some(&*name(99_999)));
        assert_eq!(order.last().copied(), Some(&*name(0)));
    }
}
