//! Backward coverability over BDDs: from the failing configurations to all that can lead there, as
//! their minimal elements, within what pairs of threads can be seen doing.
//!
//! It is the search of `coverability/backward.rs`, with a set of valuations for each multiset of
//! locations instead of one, and right for the same reasons: a minimal element stands for all
//! configurations with more threads outside atomic sections, which never disable a step as long as
//! no broadcast blocks; where one does, "safe" still holds. All threads and all pairs of a
//! reachable configuration are among the views, so that what is not can be cut off.
//!
//! The states of a new element that are above known ones are taken away from it, for each way in
//! which the threads of the known one can be among its own. Known ones are kept with threads at one
//! place exchanged in all ways, so that it is enough to choose who is meant, in one order: of eight
//! threads seven in 8 ways, not in 40,320.

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};

use rustc_hash::FxHashMap;
use sapa_bdd::{Bdd, LimitReached};
use sapa_ir::boolean::flat::{FlatStatement, LocationId};

use super::pairs::{PairViews, View};
use super::slots::{FIRST, Way};
use crate::check::symbolic::depends::Depends;
use crate::check::symbolic::script::{Move, Script};

/// Which threads an element names.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) struct Named {
    /// Where the thread stands that is inside its atomic section, in slot 0.
    pub(crate) inside: Option<LocationId>,
    /// Where the others stand, in slots from 1 on; in rising order.
    pub(crate) outside: Vec<LocationId>,
}

impl Named {
    fn threads(&self) -> usize {
        self.outside.len() + usize::from(self.inside.is_some())
    }
}

/// The step from an element to one that was known before.
#[derive(Clone, Debug)]
struct Taken {
    /// Number of the element after it.
    after: usize,
    /// Where the thread stands that moves, and in which slot.
    location: LocationId,
    slot: usize,
    way: Way,
    /// The slots after the step, each with whom it has: a slot before, or the thread started.
    from: Vec<(usize, Whence)>,
}

/// Where a thread was before a step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Whence {
    Slot(usize),
    Started,
}

/// A minimal element: or many, one for each state.
#[derive(Clone, Debug)]
pub(crate) struct Element {
    /// The threads.
    pub(crate) named: Named,
    /// The states, over the shared variables and the slots of these threads.
    pub(crate) states: Bdd,
    /// How a failure is reached; `None` if it is one.
    taken: Option<Taken>,
}

/// How the search ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Backward {
    /// No failing configuration is reachable, for any number of threads.
    Safe,
    /// With steps into one, if no broadcast blocks.
    Unsafe(Script),
    /// An element names more threads than there are slots.
    MoreSlots,
}

/// The search.
pub(crate) struct Search<'v, 's, 'p> {
    pub(crate) views: &'v mut PairViews<'s, 'p>,
    /// What was found.
    pub(crate) elements: Vec<Element>,
    /// By who is named, all states of such elements, with threads at one place exchanged in all ways.
    known: FxHashMap<Named, Bdd>,
    /// Fewest threads first, then oldest.
    queue: BinaryHeap<Reverse<(usize, usize)>>,
    out_of_slots: bool,
    pub(crate) images: usize,
}

/// A configuration that is being made: who stands where, in which slots.
struct Draft {
    inside: bool,
    /// Slot and location of each thread; the one inside, if there is one, is in slot 0.
    threads: Vec<(usize, LocationId)>,
    states: Bdd,
    taken: Option<Taken>,
}

impl<'v, 's, 'p> Search<'v, 's, 'p> {
    pub(crate) fn new(views: &'v mut PairViews<'s, 'p>) -> Search<'v, 's, 'p> {
        Search {
            views,
            elements: Vec::new(),
            known: FxHashMap::default(),
            queue: BinaryHeap::new(),
            out_of_slots: false,
            images: 0,
        }
    }

    /// Runs the search. `visit` is called for each element that is looked at, and may end it.
    pub(crate) fn run<E: From<LimitReached>>(
        &mut self,
        visit: &mut dyn FnMut(&Self) -> Result<(), E>,
    ) -> Result<Backward, E> {
        let initial: FxHashMap<LocationId, Bdd> =
            self.views.slots.initial(1)?.into_iter().collect();
        self.begin()?;
        while let Some(Reverse((_, number))) = self.queue.pop() {
            visit(self)?;
            if self.out_of_slots {
                return Ok(Backward::MoreSlots);
            }
            let Element { named, states, .. } = &self.elements[number];
            if let (None, &[place]) = (named.inside, named.outside.as_slice())
                && let Some(initial) = initial.get(&place)
                && !initial.and(states)?.is_false()
            {
                return Ok(Backward::Unsafe(self.script(number, place)));
            }
            // Smaller elements may have come since.
            let Element { named, states, .. } = self.elements[number].clone();
            let rest = self.uncovered(&named, states, named.threads() - 1)?;
            if !rest.is_false() {
                self.elements[number].states = rest;
                self.predecessors(number)?;
            }
        }
        Ok(if self.out_of_slots { Backward::MoreSlots } else { Backward::Safe })
    }

    /// The failing states that are seen.
    fn begin(&mut self) -> Result<(), LimitReached> {
        for inside in [false, true] {
            let places: Vec<LocationId> = self.views.places(inside).collect();
            for place in places {
                let slot = if inside { FIRST } else { 1 };
                if let Some(states) = self.views.slots.fails(slot, place)? {
                    let threads = vec![(slot, place)];
                    self.add(Draft { inside, threads, states, taken: None })?;
                }
            }
        }
        Ok(())
    }

    /// Keeps what is new of a configuration and is seen.
    fn add(&mut self, draft: Draft) -> Result<(), LimitReached> {
        let Draft { inside, mut threads, states, taken } = draft;
        if states.is_false() {
            return Ok(());
        }
        // Slots in the order of the places.
        threads.sort_by_key(|(slot, place)| (!(inside && *slot == FIRST), *place, *slot));
        let first = usize::from(!inside);
        let moves: Vec<(usize, usize)> =
            threads.iter().enumerate().map(|(at, (slot, _))| (*slot, at + first)).collect();
        let mut states = self.views.slots.renamed(&states, &moves)?;
        let places = threads.iter().map(|(_, place)| *place);
        let named = Named {
            inside: threads.first().filter(|_| inside).map(|(_, place)| *place),
            outside: places.skip(usize::from(inside)).collect(),
        };
        states = self.seen(&named, &states)?;
        // Views cut off what no two have together, also with the one inside.
        states = self.uncovered(&named, states, named.threads())?;
        if states.is_false() {
            return Ok(());
        }
        let taken = taken.map(|taken| {
            let place_of = |slot: usize| {
                moves.iter().find(|(from, _)| *from == slot).map_or(slot, |(_, to)| *to)
            };
            let from = taken.from.iter().map(|(after, from)| match from {
                Whence::Slot(slot) => (*after, Whence::Slot(place_of(*slot))),
                Whence::Started => (*after, Whence::Started),
            });
            Taken { slot: place_of(taken.slot), from: from.collect(), ..taken }
        });
        let mut all = self.exchanged(&named, &states)?;
        if let Some(known) = self.known.get(&named) {
            all = known.or(&all)?;
        }
        self.known.insert(named.clone(), all);
        self.queue.push(Reverse((named.threads(), self.elements.len())));
        self.elements.push(Element { named, states, taken });
        Ok(())
    }

    /// The states all of whose threads and pairs of threads are seen.
    fn seen(&mut self, named: &Named, states: &Bdd) -> Result<Bdd, LimitReached> {
        let nothing = self.views.slots.manager().bottom();
        let outside = &named.outside;
        let mut views = Vec::new();
        match (named.inside, outside.as_slice()) {
            (Some(place), []) => views.push((View::inside(place), Vec::new())),
            (inside, [one]) => views.push((View::one(inside, *one), Vec::new())),
            (inside, _) => {
                for (b, second) in outside.iter().enumerate() {
                    for (a, first) in outside.iter().enumerate().take(b) {
                        let (view, _) = View::two(inside, *first, *second);
                        views.push((view, vec![(1, a + 1), (2, b + 1)]));
                    }
                }
            }
        }
        let mut states = states.clone();
        for (view, moves) in views {
            let Some(seen) = self.views.states(&view).cloned() else { return Ok(nothing) };
            states = states.and(&self.views.slots.renamed(&seen, &moves)?)?;
            if states.is_false() {
                break;
            }
        }
        Ok(states)
    }

    /// The states that are not above a known element of so many threads at most.
    fn uncovered(
        &mut self,
        named: &Named,
        mut states: Bdd,
        most: usize,
    ) -> Result<Bdd, LimitReached> {
        if states.is_false() {
            return Ok(states);
        }
        let is_below = |known: &&Named| {
            known.inside == named.inside
                && known.threads() <= most
                && is_among(&known.outside, &named.outside)
        };
        let mut below: Vec<Named> = self.known.keys().filter(is_below).cloned().collect();
        below.sort_unstable();
        for known in below {
            let all = self.known[&known].clone();
            let depends = Depends::on(&all);
            let is_told_apart =
                |at: usize| depends.contain_one_of(&self.views.slots.own_variables(at + 1));
            for slots in embeddings(&known.outside, &named.outside, &is_told_apart) {
                let moves: Vec<(usize, usize)> =
                    slots.iter().enumerate().map(|(from, to)| (from + 1, to + 1)).collect();
                states = states.minus(&self.views.slots.renamed(&all, &moves)?)?;
                if states.is_false() {
                    return Ok(states);
                }
            }
        }
        Ok(states)
    }

    /// The states with threads at one place exchanged in all ways.
    fn exchanged(&mut self, named: &Named, states: &Bdd) -> Result<Bdd, LimitReached> {
        let mut all = states.clone();
        loop {
            let before = all.clone();
            for (at, places) in named.outside.windows(2).enumerate() {
                if places[0] == places[1] {
                    let (one, next) = (at + 1, at + 2);
                    let other = self.views.slots.renamed(&all, &[(one, next), (next, one)])?;
                    all = all.or(&other)?;
                }
            }
            if all == before {
                return Ok(all);
            }
        }
    }

    /// Adds the configurations from which one step leads above an element.
    fn predecessors(&mut self, number: usize) -> Result<(), LimitReached> {
        for inside in [false, true] {
            let places: BTreeSet<LocationId> = self.views.places(inside).collect();
            for place in places {
                for way in self.views.slots.ways(place, inside) {
                    self.before(number, (place, inside), way)?;
                }
            }
        }
        Ok(())
    }

    /// Adds those in which a thread at a location is about to take one way.
    fn before(
        &mut self,
        number: usize,
        (place, inside): (LocationId, bool),
        way: Way,
    ) -> Result<(), LimitReached> {
        let named = self.elements[number].named.clone();
        let is_inside_after = way.after.filter(|(_, inside)| *inside).map(|(place, _)| place);
        if named.inside != is_inside_after {
            return Ok(());
        }
        let places = || named.outside.iter().enumerate().map(|(at, place)| (at + 1, *place));
        // Which of the named threads moved: none, or one where it has come to.
        let mut movers: Vec<Option<usize>> = Vec::new();
        match way.after {
            Some((_, true)) => movers.push(Some(FIRST)),
            Some((after, false)) => {
                movers.push(None);
                movers.extend(places().filter(|(_, at)| *at == after).map(|(slot, _)| Some(slot)));
            }
            None => movers.push(None),
        }
        let mut started: Vec<Option<usize>> = vec![None];
        if let Some(child) = way.started {
            started.extend(places().filter(|(_, at)| *at == child).map(|(slot, _)| Some(slot)));
        }
        let quiet =
            !inside && is_inside_after.is_none() && self.views.slots.noticed(place).is_none();
        for mover in movers {
            for &child in &started {
                // What a thread that nobody asked for does is no matter unless others notice.
                if mover.is_none() && child.is_none() && quiet || mover.is_some() && mover == child
                {
                    continue;
                }
                self.step_back(number, (place, inside), way, (mover, child))?;
            }
        }
        Ok(())
    }

    fn step_back(
        &mut self,
        number: usize,
        (place, inside): (LocationId, bool),
        way: Way,
        (mover, child): (Option<usize>, Option<usize>),
    ) -> Result<(), LimitReached> {
        let Element { named, states, .. } = self.elements[number].clone();
        let slot = match mover {
            Some(slot) => slot,
            None => {
                // A thread that was not named: inside, in slot 0, which is empty then.
                let free = if inside { FIRST } else { 1 + named.outside.len() };
                if free >= self.views.slots.count() {
                    self.out_of_slots = true;
                    return Ok(());
                }
                free
            }
        };
        // All who are there before and are not moving, by their slots.
        let outside = named.outside.iter().enumerate().map(|(at, place)| (at + 1, *place));
        let others: Vec<(usize, LocationId)> =
            outside.filter(|(at, _)| Some(*at) != mover && Some(*at) != child).collect();
        let mut before = states;
        if let Some(child) = child {
            before = self.views.slots.before_copy(&before, (slot, child))?;
        }
        let passive: Vec<usize> = others.iter().map(|(slot, _)| *slot).collect();
        if let Some(relation) = self.views.slots.relation(place, slot, &passive)? {
            self.images += 1;
            before = relation.preimage(&before)?;
        }
        // The one inside has slot 0, and others have not.
        let home = match (inside, slot) {
            (true, _) => FIRST,
            (false, FIRST) => 1 + named.outside.len(),
            (false, slot) => slot,
        };
        if home >= self.views.slots.count() {
            self.out_of_slots = true;
            return Ok(());
        }
        let before = self.views.slots.renamed(&before, &[(slot, home)])?;
        let mut threads = others.clone();
        threads.push((home, place));
        let mut from: Vec<(usize, Whence)> =
            others.iter().map(|(slot, _)| (*slot, Whence::Slot(*slot))).collect();
        from.extend(mover.map(|after| (after, Whence::Slot(home))));
        from.extend(child.map(|after| (after, Whence::Started)));
        let taken = Some(Taken { after: number, location: place, slot: home, way, from });
        self.add(Draft { inside, threads, states: before, taken })
    }

    /// The steps from an initial element to a failing one.
    fn script(&self, number: usize, initial: LocationId) -> Script {
        let mut moves = Vec::new();
        // Which thread is in which slot.
        let mut threads: FxHashMap<usize, usize> = FxHashMap::from_iter([(1, 0)]);
        let mut next = 1;
        let mut at = number;
        while let Some(taken) = &self.elements[at].taken {
            let thread = threads.get(&taken.slot).copied().unwrap_or(0);
            let is_start = matches!(
                self.views.slots.program.statement(taken.location),
                FlatStatement::StartThread { .. }
            );
            moves.push(Move {
                thread,
                location: taken.location,
                successor: taken.way.after.map(|(place, _)| place),
                started: taken.way.started,
            });
            let who = |from: &Whence| match from {
                Whence::Slot(slot) => threads.get(slot).copied(),
                Whence::Started => Some(next),
            };
            let after = taken.from.iter().filter_map(|(slot, from)| Some((*slot, who(from)?)));
            let after: FxHashMap<usize, usize> = after.collect();
            next += usize::from(is_start);
            threads = after;
            at = taken.after;
        }
        let slot = if self.elements[at].named.inside.is_some() { FIRST } else { 1 };
        Script { initial, moves, failing: threads.get(&slot).copied().unwrap_or(0) }
    }
}

/// Whether the threads of one multiset are among those of another; both are sorted.
fn is_among(few: &[LocationId], many: &[LocationId]) -> bool {
    let mut many = many.iter();
    few.iter().all(|place| many.any(|other| other == place))
}

/// The ways in which the threads of one multiset can be among those of another: for each of the
/// first its index in the second, which grows among those at one place. Of threads at a place
/// that are not told apart the first are taken.
fn embeddings(
    few: &[LocationId],
    many: &[LocationId],
    is_told_apart: &dyn Fn(usize) -> bool,
) -> Vec<Vec<usize>> {
    let mut found: Vec<Vec<usize>> = vec![Vec::new()];
    for (number, place) in few.iter().enumerate() {
        let first = number.checked_sub(1).filter(|before| few[*before] == *place);
        let most = if is_told_apart(number) { usize::MAX } else { 1 };
        let longer = found.iter().flat_map(|chosen| {
            let from = first.map_or(0, |before| chosen[before] + 1);
            let free = many.iter().enumerate().skip(from).filter(|(_, other)| *other == place);
            free.take(most).map(|(at, _)| [chosen.as_slice(), &[at]].concat()).collect::<Vec<_>>()
        });
        found = longer.collect();
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_are_among_others_in_all_ways() {
        let places = |numbers: &[u32]| numbers.iter().map(|n| LocationId(*n)).collect::<Vec<_>>();
        let many = places(&[1, 2, 2, 3]);
        assert!(is_among(&places(&[2, 3]), &many) && !is_among(&places(&[1, 1]), &many));
        let apart = |few: &[u32], many: &[u32]| embeddings(&places(few), &places(many), &|_| true);
        assert_eq!(apart(&[2, 3], &[1, 2, 2, 3]), [vec![1, 3], vec![2, 3]]);
        assert_eq!(apart(&[2, 2], &[1, 2, 2, 3]), [vec![1, 2]]);
        assert_eq!(apart(&[2, 2], &[2, 2, 2]), [vec![0, 1], vec![0, 2], vec![1, 2]]);
        assert_eq!(apart(&[], &[1, 2]), [Vec::<usize>::new()]);
        let alike = embeddings(&places(&[2, 2]), &places(&[2, 2, 2]), &|_| false);
        assert_eq!(alike, [vec![0, 1]]);
    }
}
