//! Which stores wait in a thread's buffer.

use sapa_ir::goto::MemoryModel;

use super::access::Overlap;
use super::effect::{ClassId, Classes};

/// What stands in a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Item {
    /// A store of a class.
    Store(ClassId),
    /// What is behind it reaches memory after what is before it (PSO).
    Barrier,
}

/// The stores that wait, the oldest first: which they are, not what they store.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Shape(Vec<Item>);

/// A waiting store: its class, and the how many-th of it, from 1, it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Entry {
    pub class: ClassId,
    pub number: usize,
}

/// A store that may reach memory next.
#[derive(Clone, Debug)]
pub(super) struct Next {
    /// Its index in the shape.
    pub index: usize,
    /// Stores before it that must not be to the same place.
    pub unless: Vec<Entry>,
}

impl Shape {
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// How many stores wait.
    pub fn len(&self) -> usize {
        self.entries().count()
    }

    /// How many stores of a class wait.
    pub fn count(&self, class: ClassId) -> usize {
        self.0.iter().filter(|item| **item == Item::Store(class)).count()
    }

    /// The stores with their indices, the oldest first.
    pub fn entries(&self) -> impl DoubleEndedIterator<Item = (usize, Entry)> {
        let stores = self.0.iter().enumerate().filter_map(|(index, item)| match item {
            Item::Store(class) => Some((index, *class)),
            Item::Barrier => None,
        });
        stores.map(|(index, class)| (index, self.entry(index, class)))
    }

    fn entry(&self, index: usize, class: ClassId) -> Entry {
        let until = self.0.iter().take(index + 1);
        Entry { class, number: until.filter(|item| **item == Item::Store(class)).count() }
    }

    /// With one more store. Under PSO, the order of stores of which none waits for the other says
    /// nothing: one order stands for all.
    pub fn with_store(&self, class: ClassId, model: MemoryModel, classes: &Classes) -> Self {
        let mut items = self.0.clone();
        let mut at = items.len();
        if model == MemoryModel::Pso {
            while let Some(Item::Store(before)) = at.checked_sub(1).and_then(|i| items.get(i))
                && *before > class
                && classes.overlap(*before, class) == Overlap::None
            {
                at -= 1;
            }
        }
        items.insert(at, Item::Store(class));
        Self(items)
    }

    /// With a barrier behind what waits.
    pub fn with_barrier(&self) -> Self {
        let mut items = self.0.clone();
        if matches!(items.last(), Some(Item::Store(_))) {
            items.push(Item::Barrier);
        }
        Self(items)
    }

    /// Without a store that has reached memory.
    pub fn without(&self, index: usize) -> Self {
        let mut items = self.0.clone();
        if index < items.len() {
            items.remove(index);
        }
        items.dedup_by(|a, b| *a == Item::Barrier && *b == Item::Barrier);
        if items.first() == Some(&Item::Barrier) {
            items.remove(0);
        }
        if items.iter().all(|item| *item == Item::Barrier) {
            items.clear();
        }
        Self(items)
    }

    /// The stores that may reach memory next.
    pub fn next(&self, model: MemoryModel, classes: &Classes) -> Vec<Next> {
        let mut found: Vec<Next> = Vec::new();
        for (index, item) in self.0.iter().enumerate() {
            let Item::Store(class) = item else { break };
            let mut unless = Vec::new();
            let is_free =
                self.entries().take_while(|(before, _)| *before < index).all(|(_, before)| {
                    match classes.overlap(before.class, *class) {
                        Overlap::None => true,
                        Overlap::Same | Overlap::Part => false,
                        Overlap::May { .. } => {
                            unless.push(before);
                            true
                        }
                    }
                });
            if is_free {
                found.push(Next { index, unless });
            }
            if model != MemoryModel::Pso {
                break;
            }
        }
        found
    }

    /// The store at an index.
    pub fn at(&self, index: usize) -> Option<Entry> {
        match self.0.get(index) {
            Some(Item::Store(class)) => Some(self.entry(index, *class)),
            _ => None,
        }
    }

    /// The oldest store.
    pub fn oldest(&self) -> Option<(usize, Entry)> {
        self.entries().next()
    }
}
