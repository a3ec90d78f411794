//! Which stores wait in a thread's buffer.

use sapa_ir::goto::MemoryModel;

use super::access::Overlap;
use super::effect::{ClassId, Classes};

/// What stands in a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Item {
    /// A store of a class.
    Store(ClassId),
    /// One that reaches memory after all that are before it; those behind it need not wait for it.
    Release(ClassId),
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

impl Item {
    fn class(self) -> Option<ClassId> {
        match self {
            Self::Store(class) | Self::Release(class) => Some(class),
            Self::Barrier => None,
        }
    }
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
        self.0.iter().filter(|item| item.class() == Some(class)).count()
    }

    /// The stores with their indices, the oldest first.
    pub fn entries(&self) -> impl DoubleEndedIterator<Item = (usize, Entry)> {
        let stores = self.0.iter().enumerate();
        let stores = stores.filter_map(|(index, item)| Some((index, item.class()?)));
        stores.map(|(index, class)| (index, self.entry(index, class)))
    }

    fn entry(&self, index: usize, class: ClassId) -> Entry {
        let until = self.0.iter().take(index + 1);
        Entry { class, number: until.filter(|item| item.class() == Some(class)).count() }
    }

    /// With one more store. Under PSO, the order of stores of which none waits for the other says
    /// nothing: one order stands for all.
    pub fn with_store(
        &self,
        class: ClassId,
        release: bool,
        model: MemoryModel,
        classes: &Classes,
    ) -> Self {
        let mut items = self.0.clone();
        if release && model == MemoryModel::Pso && !items.is_empty() {
            items.push(Item::Release(class));
            return Self(items);
        }
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
        if items.last().is_some_and(|last| *last != Item::Barrier) {
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
        // The oldest waits for nothing.
        if let Some(oldest) = items.first_mut()
            && let Item::Release(class) = *oldest
        {
            *oldest = Item::Store(class);
        }
        Self(items)
    }

    /// The stores that may reach memory next.
    pub fn next(&self, model: MemoryModel, classes: &Classes) -> Vec<Next> {
        let mut found: Vec<Next> = Vec::new();
        for (index, item) in self.0.iter().enumerate() {
            let Some(class) = item.class() else { break };
            let mut unless = Vec::new();
            let mut before = self.entries().take_while(|(before, _)| *before < index);
            let is_free = before.all(|(_, before)| match classes.overlap(before.class, class) {
                _ if matches!(item, Item::Release(_)) => false,
                Overlap::None => true,
                Overlap::All { .. } | Overlap::Part => false,
                Overlap::May { .. } => {
                    unless.push(before);
                    true
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

    /// The oldest store that one has to wait for, or may have to (PSO).
    pub fn waits_for(&self, index: usize, classes: &Classes) -> Option<usize> {
        let item = *self.0.get(index)?;
        let class = item.class()?;
        let before = self.0.get(..index).unwrap_or_default();
        let all = matches!(item, Item::Release(_)) || before.contains(&Item::Barrier);
        let mut entries = self.entries().take_while(|(before, _)| *before < index);
        let first =
            entries.find(|(_, entry)| all || classes.overlap(entry.class, class) != Overlap::None);
        first.map(|(index, _)| index)
    }

    /// How many items there are, for indices.
    pub fn size(&self) -> usize {
        self.0.len()
    }

    /// The store at an index.
    pub fn at(&self, index: usize) -> Option<Entry> {
        let class = self.0.get(index)?.class()?;
        Some(self.entry(index, class))
    }

    /// The oldest store.
    pub fn oldest(&self) -> Option<(usize, Entry)> {
        self.entries().next()
    }
}
