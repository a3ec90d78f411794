//! The search (BOOM Algorithm 2), breadth first, with both rules of state merging (section 7.1).

use std::collections::VecDeque;

use rustc_hash::FxHashMap;
use sapa_bdd::LimitReached;
use sapa_ir::boolean::flat::LocationId;

use super::cut::Cut;
use super::image::{Atomic, Blocked, Images, Move};
use super::set::SetId;
use super::state::{Class, Classes, Place, add, movers, started, without};
use crate::check::CheckOptions;
use crate::check::analysis::independence::Independence;
use crate::check::interner::Interner;

/// How many states are added between tests of the limits: a single step can have very many results.
const INTERVAL: usize = 1024;

/// Classes by number.
pub(super) type ClassesId = u32;

/// How a state was found. The states of an item are those of its records together.
#[derive(Clone, Copy, Debug)]
pub(super) struct Record {
    pub(super) classes: ClassesId,
    pub(super) shared: SetId,
    /// The item it was found from, and how; `None` for initial states.
    pub(super) from: Option<Origin>,
}

/// The item and class that moved.
#[derive(Clone, Copy, Debug)]
pub(super) struct Origin {
    pub(super) item: u32,
    /// The index of the class that moved, in the item's classes.
    pub(super) mover: u32,
    /// A class of the item whose threads all have these locals, when it was left out of the others.
    pub(super) narrowed: Option<(u32, SetId)>,
}

/// States to explore: a set of shared valuations and classes.
#[derive(Clone, Debug)]
pub(super) struct Item {
    pub(super) classes: ClassesId,
    pub(super) shared: SetId,
    pub(super) records: Vec<u32>,
}

/// Where the search stands.
#[derive(Debug)]
pub(super) struct Search<'a> {
    pub(super) images: Images<'a>,
    pub(super) classes: Interner<Classes>,
    pub(super) items: Vec<Item>,
    pub(super) records: Vec<Record>,
    independence: Option<Independence>,
    cut: Option<Cut>,
    options: &'a CheckOptions,
    /// The bound on threads besides the initial one.
    bound: u32,
    /// The bytes of all classes that have numbers.
    class_bytes: usize,
    /// By classes: the shared valuations found.
    reached: FxHashMap<ClassesId, SetId>,
    /// By everything but the locals of a single thread: the locals found for it.
    covered: FxHashMap<(ClassesId, Place, SetId), SetId>,
    queue: VecDeque<u32>,
    /// Items of the next level: by classes, and, for the second rule, by everything but the
    /// locals of a single thread.
    by_classes: FxHashMap<ClassesId, u32>,
    by_rest: FxHashMap<(ClassesId, Place, SetId), u32>,
    /// Where the next level begins.
    level: u32,
    pub(super) depth: usize,
    pub(super) merges: usize,
    pub(super) transitions: usize,
}

/// What the search came to.
pub(super) enum Step {
    /// All states were explored.
    Done,
    /// A failing assertion is reached in this item, by a thread of this class.
    Fails { item: u32, class: usize },
    /// One more item was explored.
    More,
}

impl<'a> Search<'a> {
    pub(super) fn new(
        mut images: Images<'a>,
        bound: u32,
        independence: Option<Independence>,
        options: &'a CheckOptions,
    ) -> Result<Search<'a>, LimitReached> {
        let (shared, arrivals) = images.initial()?;
        let cut = Cut::new(images.program, &images.encoder)?;
        let mut search = Search {
            images,
            classes: Interner::new(),
            items: Vec::new(),
            records: Vec::new(),
            independence,
            cut,
            options,
            bound,
            class_bytes: 0,
            reached: FxHashMap::default(),
            covered: FxHashMap::default(),
            queue: VecDeque::new(),
            by_classes: FxHashMap::default(),
            by_rest: FxHashMap::default(),
            level: 0,
            depth: 0,
            merges: 0,
            transitions: 0,
        };
        for (location, locals) in arrivals {
            let place = Place { location, initial: true, holder: false };
            search.arrive(vec![Class { place, locals, count: 1 }], shared, None)?;
        }
        search.begin_level();
        Ok(search)
    }

    /// From here on, new items are of the next level; those of this one are about to be explored
    /// and must not be merged with any more.
    fn begin_level(&mut self) {
        self.level = self.items.len() as u32;
        self.by_classes.clear();
        self.by_rest.clear();
    }

    /// Explores the next item.
    pub(super) fn step(&mut self) -> Result<Step, LimitReached> {
        let Some(number) = self.queue.pop_front() else { return Ok(Step::Done) };
        if number >= self.level {
            self.depth += 1;
            self.begin_level();
        }
        let item = self.items[number as usize].clone();
        let classes = self.classes.value(item.classes).clone();
        let movers = movers(&classes);
        for &mover in &movers {
            let Class { place, locals, .. } = classes[mover];
            if self.images.of(item.shared, locals, place.location)?.fails {
                return Ok(Step::Fails { item: number, class: mover });
            }
        }
        let whole = |mover: usize| Origin { item: number, mover: mover as u32, narrowed: None };
        if let Some((alone, blocked)) = self.alone(&item, &classes, &movers)? {
            self.explore(&item, &classes, whole(alone))?;
            if let Some(locals) = blocked {
                // None of the class can move, so its threads are all blocked.
                let mut narrowed = classes.to_vec();
                narrowed[alone].locals = locals;
                for &mover in movers.iter().filter(|&&mover| mover != alone) {
                    let narrow = Some((alone as u32, locals));
                    self.explore(&item, &narrowed, Origin { narrowed: narrow, ..whole(mover) })?;
                }
            }
            return Ok(Step::More);
        }
        for &mover in &movers {
            self.explore(&item, &classes, whole(mover))?;
        }
        Ok(Step::More)
    }

    /// A class of which one thread may move while all others wait, with those of its locals that
    /// are blocked: where all of its threads have such locals, the others must move.
    fn alone(
        &mut self,
        item: &Item,
        classes: &[Class],
        movers: &[usize],
    ) -> Result<Option<(usize, Option<SetId>)>, LimitReached> {
        let Some(independence) = &self.independence else { return Ok(None) };
        if movers.len() != classes.len() {
            return Ok(None);
        }
        for &mover in movers {
            let Class { place, locals, .. } = classes[mover];
            let independent = |(other, class): (usize, &Class)| {
                (other == mover && class.count == 1)
                    || independence.independent(place.location, class.place.location)
            };
            if !independence.is_candidate(place.location)
                || !classes.iter().enumerate().all(independent)
                || (classes.len() == 1 && classes[0].count == 1)
            {
                continue;
            }
            match self.images.of(item.shared, locals, place.location)?.blocked {
                Blocked::Nothing => return Ok(Some((mover, None))),
                Blocked::Locals(blocked) if blocked != locals => {
                    return Ok(Some((mover, Some(blocked))));
                }
                Blocked::Locals(_) | Blocked::Something => {}
            }
        }
        Ok(None)
    }

    /// Inserts the successors of a class's move.
    fn explore(
        &mut self,
        item: &Item,
        classes: &[Class],
        origin: Origin,
    ) -> Result<(), LimitReached> {
        for (classes, shared) in self.successors(item.shared, classes, origin.mover as usize)? {
            self.transitions += 1;
            self.arrive(classes, shared, Some(origin))?;
        }
        Ok(())
    }

    /// Adds what is new of what invariants leave of some states.
    fn arrive(
        &mut self,
        classes: Vec<Class>,
        shared: SetId,
        from: Option<Origin>,
    ) -> Result<(), LimitReached> {
        // It is taken out for the moment, as the limits are those of the whole search.
        let Some(mut cut) = self.cut.take() else { return self.insert(classes, shared, from) };
        let (options, mut asked) = (self.options, 0_usize);
        let mut stop = || {
            asked += 1;
            let is_over = asked.is_multiple_of(INTERVAL) && options.stop().is_some();
            if is_over { Err(LimitReached::Time) } else { Ok(()) }
        };
        let left = cut.apply(&mut self.images.sets, &classes, shared, &mut stop);
        self.cut = Some(cut);
        for (classes, shared) in left? {
            self.insert(classes, shared, from)?;
        }
        Ok(())
    }

    /// Whether states are split by invariants.
    pub(super) fn is_cut(&self) -> bool {
        self.cut.is_some()
    }

    /// The states after one thread of the class at `mover` has moved.
    pub(super) fn successors(
        &mut self,
        shared: SetId,
        classes: &[Class],
        mover: usize,
    ) -> Result<Vec<(Vec<Class>, SetId)>, LimitReached> {
        let Class { place, locals, .. } = classes[mover];
        let steps = self.images.of(shared, locals, place.location)?;
        let rest = without(classes, mover);
        let mut results = Vec::new();
        if steps.broadcast.is_some() {
            let passive = passive(&rest);
            let reactions = self.images.broadcast((shared, locals), place.location, &passive)?;
            for reaction in reactions.iter() {
                let mut others = Vec::with_capacity(rest.len() + 1);
                for (class, locals) in rest.iter().zip(&reaction.passive) {
                    add(&mut others, class.place, *locals, class.count);
                }
                results.extend(reaction.moves.iter().map(|one| after(&others, place, one)));
            }
            return Ok(results);
        }
        let full = started(classes) >= self.bound;
        let moves = steps.moves_when_full.as_ref().filter(|_| full).unwrap_or(&steps.moves);
        results.extend(moves.iter().map(|one| after(&rest, place, one)));
        Ok(results)
    }

    /// Adds what is new of some states.
    fn insert(
        &mut self,
        classes: Vec<Class>,
        shared: SetId,
        from: Option<Origin>,
    ) -> Result<(), LimitReached> {
        if self.is_covered(&classes, shared)? {
            return Ok(());
        }
        let classes = self.number(classes);
        let Some(new) = self.mark(classes, shared)? else { return Ok(()) };
        if self.records.len() % INTERVAL == INTERVAL - 1 {
            self.room()?;
        }
        let record = self.records.len() as u32;
        self.records.push(Record { classes, shared: new, from });
        // Rule (i): the same classes, other shared valuations.
        if let Some(&other) = self.by_classes.get(&classes) {
            self.merges += 1;
            self.forget(other);
            let item = &mut self.items[other as usize];
            let union = self.images.sets.get(item.shared).or(self.images.sets.get(new))?;
            item.shared = self.images.sets.number(union);
            item.records.push(record);
            return self.merge(other);
        }
        let number = self.items.len() as u32;
        self.items.push(Item { classes, shared: new, records: vec![record] });
        self.queue.push_back(number);
        self.merge(number)
    }

    /// Whether some states are among those found with the same shared valuations and the same other
    /// threads; notes that they are found now.
    fn is_covered(&mut self, classes: &[Class], shared: SetId) -> Result<bool, LimitReached> {
        for (index, class) in classes.iter().enumerate().filter(|(_, class)| class.count == 1) {
            let key = (self.rest(classes, index), class.place, shared);
            let Some(&known) = self.covered.get(&key) else {
                self.covered.insert(key, class.locals);
                continue;
            };
            let sets = &mut self.images.sets;
            let all = sets.get(known).or(sets.get(class.locals))?;
            let all = sets.number(all);
            if all == known {
                return Ok(true);
            }
            self.covered.insert(key, all);
        }
        Ok(false)
    }

    /// Notes that the states are reached; the shared valuations that are new.
    fn mark(&mut self, classes: ClassesId, shared: SetId) -> Result<Option<SetId>, LimitReached> {
        let sets = &mut self.images.sets;
        let Some(&known) = self.reached.get(&classes) else {
            self.reached.insert(classes, shared);
            return Ok(Some(shared));
        };
        if known == shared {
            return Ok(None);
        }
        let new = sets.get(shared).minus(sets.get(known))?;
        if new.is_false() {
            return Ok(None);
        }
        let all = sets.get(known).or(&new)?;
        let (new, all) = (sets.number(new), sets.number(all));
        self.reached.insert(classes, all);
        Ok(Some(new))
    }

    /// Rule (ii): states that differ in the locals of exactly one thread. Looks for one that the
    /// item can be merged with, and then for another, and files the result.
    fn merge(&mut self, number: u32) -> Result<(), LimitReached> {
        'again: loop {
            let Item { classes, shared, .. } = self.items[number as usize];
            let list = self.classes.value(classes).clone();
            for (index, class) in list.iter().enumerate().filter(|(_, class)| class.count == 1) {
                let key = (self.rest(&list, index), class.place, shared);
                let Some(&other) = self.by_rest.get(&key).filter(|&&other| other != number) else {
                    continue;
                };
                let others = self.items[other as usize].clone();
                let Some(twin) = self.twin(others.classes, key.0, class.place) else { continue };
                self.merges += 1;
                self.forget(other);
                let sets = &mut self.images.sets;
                let union = sets.get(class.locals).or(sets.get(twin))?;
                let union = sets.number(union);
                let mut merged = self.classes.value(key.0).to_vec();
                add(&mut merged, class.place, union, 1);
                let merged = self.number(merged);
                self.mark(merged, shared)?;
                // The other item, which is still in the queue, has nothing left of its own.
                let records = std::mem::take(&mut self.items[other as usize].records);
                let item = &mut self.items[number as usize];
                item.classes = merged;
                item.records.extend(records);
                continue 'again;
            }
            self.by_classes.insert(classes, number);
            for (index, class) in list.iter().enumerate().filter(|(_, class)| class.count == 1) {
                let key = (self.rest(&list, index), class.place, shared);
                self.by_rest.insert(key, number);
            }
            return Ok(());
        }
    }

    /// The number of the classes without the single thread at `index`.
    fn rest(&mut self, classes: &[Class], index: usize) -> ClassesId {
        self.number(without(classes, index))
    }

    fn number(&mut self, classes: Vec<Class>) -> ClassesId {
        let (known, size) = (self.classes.len(), size_of_val(classes.as_slice()));
        let number = self.classes.number(classes.into());
        if self.classes.len() > known {
            self.class_bytes += size;
        }
        number
    }

    /// The locals of the one thread by which `classes` exceeds `rest`, if that is at `place`.
    fn twin(&self, classes: ClassesId, rest: ClassesId, place: Place) -> Option<SetId> {
        let (classes, rest) = (self.classes.value(classes), self.classes.value(rest));
        let single = |class: &&Class| class.place == place && !rest.contains(class);
        classes.iter().find(single).filter(|class| class.count == 1).map(|class| class.locals)
    }

    /// Takes an item out of the tables that find partners for merging.
    fn forget(&mut self, number: u32) {
        let Item { classes, shared, .. } = self.items[number as usize];
        if self.by_classes.get(&classes) == Some(&number) {
            self.by_classes.remove(&classes);
        }
        let list = self.classes.value(classes).clone();
        for (index, class) in list.iter().enumerate().filter(|(_, class)| class.count == 1) {
            let key = (self.rest(&list, index), class.place, shared);
            if self.by_rest.get(&key) == Some(&number) {
                self.by_rest.remove(&key);
            }
        }
    }

    /// Whether the item was merged into another.
    pub(super) fn is_merged(&self, number: u32) -> bool {
        self.items[number as usize].records.is_empty()
    }

    /// The next item to explore, if there is one.
    pub(super) fn next(&mut self) -> Option<u32> {
        while let Some(&number) = self.queue.front() {
            if !self.is_merged(number) {
                return Some(number);
            }
            self.queue.pop_front();
        }
        None
    }

    /// Whether there are time and memory left.
    fn room(&self) -> Result<(), LimitReached> {
        let bytes = self.bytes() + self.images.encoder.layout.manager.statistics().bytes;
        match self.options.memory_limit {
            Some(limit) if bytes > limit => Err(LimitReached::Bytes(limit)),
            _ if self.options.stop().is_some() => Err(LimitReached::Time),
            _ => Ok(()),
        }
    }

    /// A rough count of the bytes outside the BDD manager, hash tables taken as three quarters full.
    pub(super) fn bytes(&self) -> usize {
        // A list's counters and place in the heap, its value and its key with the number.
        const LIST: usize = 32 + 16 + 32;
        let tables = self.covered.len() * size_of::<((ClassesId, Place, SetId), SetId)>()
            + self.by_rest.len() * size_of::<((ClassesId, Place, SetId), u32)>()
            + (self.reached.len() + self.by_classes.len()) * size_of::<(ClassesId, SetId)>();
        self.images.bytes()
            + self.cut.as_ref().map_or(0, Cut::bytes)
            + self.class_bytes
            + LIST * self.classes.len()
            + tables / 3 * 4
            + (size_of::<Item>() + 32) * self.items.len()
            + size_of::<Record>() * self.records.len()
    }
}

/// What a broadcast needs to know of the other threads.
pub(super) fn passive(rest: &[Class]) -> Vec<(LocationId, SetId)> {
    rest.iter().map(|class| (class.place.location, class.locals)).collect()
}

/// Some other threads and the one that has moved, with the one that it started.
fn after(rest: &[Class], place: Place, step: &Move) -> (Vec<Class>, SetId) {
    let mut classes = rest.to_vec();
    if let Some((location, locals)) = step.local {
        let holder = match step.atomic {
            Atomic::Keep => place.holder,
            Atomic::Enter => true,
            Atomic::Leave => false,
        };
        add(&mut classes, Place { location, holder, ..place }, locals, 1);
    }
    if let Some((location, locals)) = step.started {
        add(&mut classes, Place { location, initial: false, holder: false }, locals, 1);
    }
    (classes, step.shared)
}
