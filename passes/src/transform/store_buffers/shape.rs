//! Which stores wait in a thread's buffer.

use sapa_ir::goto::MemoryModel;

use super::access::Overlap;
use super::effect::{ClassId, Classes};

/// What stands in a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Item {
    /// A store of a class.
    Store(ClassId),
    /// One that reaches memory after all that are before it; those behind it need not wait for it.
    Release(ClassId),
    /// What is behind it reaches memory after what is before it (PSO).
    Barrier,
    /// A store of a class, perhaps of release, and perhaps others of the class behind it, of which it is not
    /// known what they store.
    Forgotten { class: ClassId, release: bool },
    /// Perhaps stores of a class of which that is not known, up to the oldest of which it is. Nothing waits
    /// for them.
    Earlier(ClassId),
}

/// The stores that wait, the oldest first: which they are, not what they store.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Shape(Vec<Item>);

/// A waiting store: its class, and the how many-th of it, from 1, it is; 0 for one that was forgotten.
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
    /// The class of a store of which it is known what it stores.
    fn known(self) -> Option<ClassId> {
        match self {
            Self::Store(class) | Self::Release(class) => Some(class),
            Self::Forgotten { .. } | Self::Barrier | Self::Earlier(_) => None,
        }
    }

    /// The class of a store that is there for certain.
    fn store(self) -> Option<ClassId> {
        match self {
            Self::Store(class) | Self::Release(class) | Self::Forgotten { class, .. } => {
                Some(class)
            }
            Self::Barrier | Self::Earlier(_) => None,
        }
    }

    /// Whether it reaches memory after all stores that are before it.
    fn is_release(self) -> bool {
        matches!(self, Self::Release(_) | Self::Forgotten { release: true, .. })
    }
}

impl Shape {
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// How many stores wait of which it is known what they store.
    pub fn len(&self) -> usize {
        self.entries().count()
    }

    /// How many such stores of a class wait.
    pub fn count(&self, class: ClassId) -> usize {
        self.0.iter().filter(|item| item.known() == Some(class)).count()
    }

    /// The stores of which it is known what they store, with their indices, the oldest first.
    pub fn entries(&self) -> impl DoubleEndedIterator<Item = (usize, Entry)> {
        let stores = self.0.iter().enumerate();
        let stores = stores.filter_map(|(index, item)| Some((index, item.known()?)));
        stores.map(|(index, class)| (index, self.entry(index, class)))
    }

    /// The stores that are there for certain, with their indices, the oldest first.
    pub fn stores(&self) -> impl Iterator<Item = (usize, Entry)> {
        let stores = self.0.iter().enumerate();
        let stores = stores.filter_map(|(index, item)| Some((index, item.store()?)));
        stores.map(|(index, class)| (index, self.entry(index, class)))
    }

    fn entry(&self, index: usize, class: ClassId) -> Entry {
        let is_known = self.0.get(index).is_some_and(|item| item.known().is_some());
        let until = self.0.iter().take(index + 1).filter(|item| item.known() == Some(class));
        Entry { class, number: if is_known { until.count() } else { 0 } }
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
            let passes = |before: &Item| match *before {
                Item::Store(other)
                | Item::Earlier(other)
                | Item::Forgotten { class: other, release: false } => {
                    other > class && classes.overlap(other, class) == Overlap::None
                }
                Item::Release(_) | Item::Forgotten { release: true, .. } | Item::Barrier => false,
            };
            while at > 0 && passes(&items[at - 1]) {
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

    /// Without a store that has reached memory. Of those that were forgotten there may be more.
    pub fn without(&self, index: usize, model: MemoryModel, classes: &Classes) -> Self {
        let mut items = self.0.clone();
        match items.get(index).copied() {
            Some(Item::Forgotten { class, .. }) => {
                items.remove(index);
                if !items.contains(&Item::Earlier(class)) {
                    items.insert(index, Item::Earlier(class));
                }
            }
            Some(Item::Store(class) | Item::Release(class)) => {
                items.remove(index);
                items.retain(|item| *item != Item::Earlier(class));
            }
            Some(Item::Barrier | Item::Earlier(_)) | None => {}
        }
        Self(items).simplified(model, classes)
    }

    /// Where it is not known any more what the oldest store of a class stores.
    pub fn forgetting(&self, class: ClassId, model: MemoryModel, classes: &Classes) -> Self {
        let mut items = self.0.clone();
        if let Some(oldest) = items.iter().position(|item| item.known() == Some(class)) {
            let is_there =
                |item: &Item| matches!(*item, Item::Forgotten { class: of, .. } if of == class);
            if items.iter().any(is_there) {
                items.remove(oldest);
            } else {
                let release = items[oldest].is_release();
                items[oldest] = Item::Forgotten { class, release };
            }
        }
        Self(items).simplified(model, classes)
    }

    /// The same buffer, in one of the ways to write it.
    fn simplified(self, model: MemoryModel, classes: &Classes) -> Self {
        let Self(mut items) = self;
        items.dedup_by(|a, b| *a == Item::Barrier && *b == Item::Barrier);
        // The oldest waits for nothing.
        let is_earlier = |item: &Item| matches!(item, Item::Earlier(_));
        while let Some(at) = items.iter().position(|item| !is_earlier(item)) {
            match items[at] {
                Item::Barrier => drop(items.remove(at)),
                Item::Release(class) => items[at] = Item::Store(class),
                Item::Forgotten { class, release: true } => {
                    items[at] = Item::Forgotten { class, release: false };
                }
                Item::Store(_) | Item::Forgotten { .. } | Item::Earlier(_) => break,
            }
        }
        // What nothing waits for stands where it can be next soonest.
        for index in 0..items.len() {
            let Item::Earlier(class) = items[index] else { continue };
            let passes = |before: &Item| match *before {
                Item::Earlier(other) => other > class,
                Item::Store(other)
                | Item::Release(other)
                | Item::Forgotten { class: other, .. } => {
                    model == MemoryModel::Pso && classes.overlap(other, class) == Overlap::None
                }
                Item::Barrier => false,
            };
            let mut at = index;
            while at > 0 && passes(&items[at - 1]) {
                items.swap(at - 1, at);
                at -= 1;
            }
        }
        Self(items)
    }

    /// The classes of which a store may reach memory next that need not be there.
    pub fn earlier(&self, model: MemoryModel, classes: &Classes) -> Vec<ClassId> {
        let mut found = Vec::new();
        let mut before: Vec<ClassId> = Vec::new();
        for item in &self.0 {
            match *item {
                Item::Earlier(class) => {
                    let waits = |&other: &ClassId| {
                        let overlap = classes.overlap(other, class);
                        model != MemoryModel::Pso
                            || matches!(overlap, Overlap::All { .. } | Overlap::Part)
                    };
                    if !before.iter().any(waits) {
                        found.push(class);
                    }
                }
                Item::Barrier => break,
                item => before.extend(item.store()),
            }
        }
        found
    }

    /// The stores that may reach memory next.
    pub fn next(&self, model: MemoryModel, classes: &Classes) -> Vec<Next> {
        let mut found: Vec<Next> = Vec::new();
        for (index, item) in self.0.iter().enumerate() {
            let class = match *item {
                Item::Store(class) | Item::Release(class) | Item::Forgotten { class, .. } => class,
                Item::Earlier(_) => continue,
                Item::Barrier => break,
            };
            let mut unless = Vec::new();
            let mut before = self.stores().take_while(|(before, _)| *before < index);
            let is_free = before.all(|(_, before)| match classes.overlap(before.class, class) {
                _ if item.is_release() => false,
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
        let class = item.store()?;
        let before = self.0.get(..index).unwrap_or_default();
        let all = item.is_release() || before.contains(&Item::Barrier);
        let mut stores = self.stores().take_while(|(before, _)| *before < index);
        let first =
            stores.find(|(_, entry)| all || classes.overlap(entry.class, class) != Overlap::None);
        first.map(|(index, _)| index)
    }

    /// How many items there are, for indices.
    pub fn size(&self) -> usize {
        self.0.len()
    }

    /// The store at an index.
    pub fn at(&self, index: usize) -> Option<Entry> {
        let class = self.0.get(index)?.store()?;
        Some(self.entry(index, class))
    }

    /// The oldest store.
    pub fn oldest(&self) -> Option<(usize, Entry)> {
        self.stores().next()
    }
}
