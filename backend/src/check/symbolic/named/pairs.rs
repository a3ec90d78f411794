//! View abstraction with views of two threads over BDDs, for any number of threads (Abdulla, Haziza,
//! Holík: All for the price of few): a configuration is taken to be possible if all its pairs are.
//!
//! It is what `coverability/pairs.rs` lists, and right for the same reason: after a step, a thread
//! or a pair outside atomic sections comes from at most two threads that did not move, from one
//! and one that is added, or from two that are added; the ones that did not move were a pair with
//! each other and, if the one that moved was outside, each with it. The thread inside its atomic
//! section counts as part of what is shared.
//!
//! A pair that a third thread changes is the costly case: three copies of the locals in one
//! product. It is left out where the third thread writes nothing that others notice, and where
//! the states of the pair do not depend on what it writes.
//!
//! What invariants do not allow together is no view of a configuration, and is left out.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashMap;
use sapa_bdd::{Bdd, LimitReached};
use sapa_ir::boolean::flat::LocationId;

use super::slots::{FIRST, Slots, Way};
use crate::check::symbolic::depends::{Depends, smaller};

/// Who is named.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) struct View {
    /// Where the thread stands that is inside its atomic section, in slot 0.
    pub(crate) inside: Option<LocationId>,
    /// Where threads outside stand, the first in slot 1, the second in slot 2; in rising order.
    pub(crate) outside: [Option<LocationId>; 2],
}

impl View {
    pub(crate) fn inside(location: LocationId) -> View {
        View { inside: Some(location), outside: [None, None] }
    }

    pub(crate) fn one(inside: Option<LocationId>, location: LocationId) -> View {
        View { inside, outside: [Some(location), None] }
    }

    /// Two threads, and whether they have to change slots for it.
    pub(crate) fn two(inside: Option<LocationId>, a: LocationId, b: LocationId) -> (View, bool) {
        let swap = b < a;
        let (low, high) = if swap { (b, a) } else { (a, b) };
        (View { inside, outside: [Some(low), Some(high)] }, swap)
    }
}

#[derive(Debug)]
struct Seen {
    states: Bdd,
    /// Those whose steps were looked at.
    stepped: Bdd,
}

/// The fixed point, and how far it is.
pub(crate) struct PairViews<'s, 'p> {
    pub(crate) slots: &'s mut Slots<'p>,
    seen: BTreeMap<View, Seen>,
    /// With whom a thread at a location was seen, by who is inside.
    partners: FxHashMap<(Option<LocationId>, LocationId), BTreeSet<LocationId>>,
    pending: BTreeSet<(u32, View)>,
    /// By location: its place in the order of control flow.
    rank: Vec<u32>,
    /// A view of one thread, or of one inside, that fails.
    pub(crate) failing: Option<View>,
    pub(crate) images: usize,
}

impl<'s, 'p> PairViews<'s, 'p> {
    pub(crate) fn new(slots: &'s mut Slots<'p>) -> PairViews<'s, 'p> {
        let program = slots.program;
        let mut rank = vec![0; program.locations.len()];
        let order = crate::check::analysis::flow::successors_first(program);
        for (place, location) in order.iter().rev().enumerate() {
            rank[location.index()] = place as u32;
        }
        PairViews {
            slots,
            seen: BTreeMap::new(),
            partners: FxHashMap::default(),
            pending: BTreeSet::new(),
            rank,
            failing: None,
            images: 0,
        }
    }

    /// Computes the fixed point. `visit` is called for each view that is looked at, and may end it.
    pub(crate) fn run<E: From<LimitReached>>(
        &mut self,
        visit: &mut dyn FnMut(&Self) -> Result<(), E>,
    ) -> Result<(), E> {
        for (location, states) in self.slots.initial(1)? {
            self.add(View::one(None, location), &states)?;
        }
        while let Some((_, view)) = self.pending.pop_first() {
            visit(self)?;
            self.visit(view)?;
        }
        Ok(())
    }

    /// The states of a view; `None` if nobody is seen so.
    pub(crate) fn states(&self, view: &View) -> Option<&Bdd> {
        self.seen.get(view).map(|seen| &seen.states)
    }

    /// All views with their states.
    pub(crate) fn all(&self) -> impl Iterator<Item = (View, &Bdd)> {
        self.seen.iter().map(|(view, seen)| (*view, &seen.states))
    }

    /// How many views there are.
    pub(crate) fn len(&self) -> usize {
        self.seen.len()
    }

    /// Where threads outside are seen.
    pub(crate) fn places(&self, inside: bool) -> impl Iterator<Item = LocationId> + '_ {
        self.seen.keys().filter_map(move |view| match (view.inside, view.outside) {
            (Some(at), [None, None]) if inside => Some(at),
            (None, [Some(at), None]) if !inside => Some(at),
            _ => None,
        })
    }

    /// Adds states to a view, and to those of the single threads in it.
    fn add(&mut self, view: View, states: &Bdd) -> Result<(), LimitReached> {
        let inside = view.inside.map(|_| FIRST).into_iter();
        let outside = (1..).zip(view.outside).filter_map(|(slot, place)| place.map(|_| slot));
        let slots: Vec<usize> = inside.chain(outside).collect();
        let mut states = self.slots.cut_off(&slots, states)?;
        if states.is_false() {
            return Ok(());
        }
        if let [Some(a), Some(b)] = view.outside {
            if a == b {
                states = states.or(&self.slots.renamed(&states, &[(1, 2), (2, 1)])?)?;
            }
            let first = self.slots.without(2, &states)?;
            self.add(View::one(view.inside, a), &first)?;
            let second = self.slots.without(1, &states)?;
            let second = self.slots.renamed(&second, &[(2, 1)])?;
            self.add(View::one(view.inside, b), &second)?;
            self.partners.entry((view.inside, a)).or_default().insert(b);
            self.partners.entry((view.inside, b)).or_default().insert(a);
        }
        let none = || self.slots.manager().bottom();
        let seen =
            self.seen.entry(view).or_insert_with(|| Seen { states: none(), stepped: none() });
        let all = seen.states.or(&states)?;
        if all != seen.states {
            seen.states = all;
            let places = view.inside.into_iter().chain(view.outside.into_iter().flatten());
            let rank = places.map(|place| self.rank[place.index()]).max().unwrap_or(0);
            self.pending.insert((rank, view));
        }
        Ok(())
    }

    /// Adds states of two threads outside, in slots 1 and 2, and perhaps one inside in slot 0.
    fn add_two(
        &mut self,
        inside: Option<LocationId>,
        (a, b): (LocationId, LocationId),
        states: &Bdd,
    ) -> Result<(), LimitReached> {
        let (view, swap) = View::two(inside, a, b);
        match swap {
            true => {
                let states = self.slots.renamed(states, &[(1, 2), (2, 1)])?;
                self.add(view, &states)
            }
            false => self.add(view, states),
        }
    }

    /// The states of two threads outside, at `a` and `b`, in two slots.
    fn two(
        &mut self,
        (a, b): (LocationId, LocationId),
        slots: (usize, usize),
    ) -> Result<Bdd, LimitReached> {
        let (view, swap) = View::two(None, a, b);
        let Some(states) = self.states(&view).cloned() else {
            return Ok(self.slots.manager().bottom());
        };
        let (first, second) = if swap { (slots.1, slots.0) } else { slots };
        self.slots.renamed(&states, &[(1, first), (2, second)])
    }

    fn visit(&mut self, view: View) -> Result<(), LimitReached> {
        let Some(seen) = self.seen.get_mut(&view) else { return Ok(()) };
        let new = seen.states.minus(&seen.stepped)?;
        if new.is_false() {
            return Ok(());
        }
        let new = smaller(new, &seen.states);
        seen.stepped = seen.states.clone();
        match (view.inside, view.outside) {
            (Some(at), others) => {
                let passive: Vec<LocationId> = others.into_iter().flatten().collect();
                self.step(at, true, &passive, &new)
            }
            (None, [Some(at), None]) => {
                let moving = self.slots.renamed(&new, &[(1, FIRST)])?;
                self.step(at, false, &[], &moving)
            }
            (None, [Some(a), Some(b)]) => self.step_pair(a, b, &new),
            (None, [None, _]) => Ok(()),
        }
    }

    /// The steps of either of two threads, of either with a third, and of a third with both.
    fn step_pair(&mut self, a: LocationId, b: LocationId, new: &Bdd) -> Result<(), LimitReached> {
        let mut orders = vec![(a, b, self.slots.renamed(new, &[(1, FIRST), (2, 1)])?)];
        if a != b {
            orders.push((b, a, self.slots.renamed(new, &[(2, FIRST)])?));
        }
        let partners = |of: LocationId| self.partners.get(&(None, of)).cloned().unwrap_or_default();
        let (of_a, of_b) = (partners(a), partners(b));
        let thirds: Vec<LocationId> = of_a.intersection(&of_b).copied().collect();
        for (mover, passive, moving) in orders {
            self.step(mover, false, &[passive], &moving)?;
            if self.slots.noticed(mover).is_none() {
                continue;
            }
            for &third in &thirds {
                let pair = self.two((passive, third), (1, 2))?;
                if !self.changes(mover, &pair) {
                    continue;
                }
                let with = self.two((mover, third), (FIRST, 2))?;
                let all = moving.and(&with)?.and(&pair)?;
                self.step(mover, false, &[passive, third], &all)?;
            }
        }
        for third in thirds {
            if self.changes(third, new) {
                let with_a = self.two((third, a), (FIRST, 1))?;
                let with_b = self.two((third, b), (FIRST, 2))?;
                let all = new.and(&with_a)?.and(&with_b)?;
                self.step(third, false, &[a, b], &all)?;
            }
        }
        Ok(())
    }

    /// Whether a step at a location can lead two others from these states to others.
    fn changes(&self, mover: LocationId, pair: &Bdd) -> bool {
        match self.slots.noticed(mover) {
            None => false,
            Some((_, true)) => !pair.is_false(),
            Some((written, false)) => Depends::on(pair).contain_one_of(&written),
        }
    }

    /// The steps of the thread in slot 0, at a location, among others outside in slots 1 and 2.
    fn step(
        &mut self,
        location: LocationId,
        inside: bool,
        passive: &[LocationId],
        states: &Bdd,
    ) -> Result<(), LimitReached> {
        if states.is_false() {
            return Ok(());
        }
        if passive.is_empty()
            && self.failing.is_none()
            && let Some(fails) = self.slots.fails(FIRST, location)?
            && !states.and(&fails)?.is_false()
        {
            self.failing = Some(match inside {
                true => View::inside(location),
                false => View::one(None, location),
            });
        }
        let others: Vec<usize> = (1..=passive.len()).collect();
        let after = match self.slots.relation(location, FIRST, &others)? {
            Some(relation) => {
                self.images += 1;
                let mut after = relation.image(states)?;
                for (slot, place) in (1..).zip(passive) {
                    after = self.slots.without_dead(slot, *place, &after)?;
                }
                after
            }
            None => states.clone(),
        };
        if after.is_false() {
            return Ok(());
        }
        for way in self.slots.ways(location, inside) {
            self.arrive(way, passive, &after)?;
        }
        Ok(())
    }

    /// Keeps what is seen after a step of the thread in slot 0.
    fn arrive(
        &mut self,
        Way { after, started }: Way,
        passive: &[LocationId],
        states: &Bdd,
    ) -> Result<(), LimitReached> {
        let others = 1..=passive.len();
        let slots: Vec<usize> = after.map(|_| FIRST).into_iter().chain(others).collect();
        let states = &self.slots.cut_off(&slots, states)?;
        let Some((place, is_inside)) = after else {
            let left = self.slots.without(FIRST, states)?;
            return self.keep(None, passive, &left);
        };
        let kept = self.slots.without_dead(FIRST, place, states)?;
        if is_inside {
            self.keep(Some(place), passive, &kept)?;
        } else {
            match *passive {
                [] => {
                    let one = self.slots.renamed(&kept, &[(FIRST, 1)])?;
                    self.keep(None, &[place], &one)?;
                }
                [other] => {
                    let two = self.slots.renamed(&kept, &[(FIRST, 2)])?;
                    self.add_two(None, (other, place), &two)?;
                }
                _ => {
                    let left = self.slots.without(FIRST, states)?;
                    self.keep(None, passive, &left)?;
                }
            }
        }
        // The thread that was started, with each of the others.
        let Some(child) = started.filter(|_| passive.len() < 2) else { return Ok(()) };
        let slot = 1 + passive.len();
        let born = self.slots.with_copy(states, (FIRST, slot), child)?;
        let slots: Vec<usize> = (FIRST..=slot).collect();
        let born = self.slots.cut_off(&slots, &born)?;
        let with_parent = self.slots.without_dead(FIRST, place, &born)?;
        let inside = Some(place).filter(|_| is_inside);
        match (passive, inside) {
            ([], Some(_)) => self.keep(inside, &[child], &with_parent),
            ([], None) => {
                let two = self.slots.renamed(&with_parent, &[(FIRST, 2)])?;
                self.add_two(None, (child, place), &two)
            }
            ([other, ..], Some(_)) => self.add_two(inside, (*other, child), &with_parent),
            ([other, ..], None) => {
                let two = self.slots.without(FIRST, &born)?;
                self.add_two(None, (*other, child), &two)
            }
        }
    }

    /// Adds threads outside from slot 1 on.
    fn keep(
        &mut self,
        inside: Option<LocationId>,
        outside: &[LocationId],
        states: &Bdd,
    ) -> Result<(), LimitReached> {
        match (outside, inside) {
            ([], Some(location)) => self.add(View::inside(location), states),
            ([], None) => Ok(()),
            ([one], _) => self.add(View::one(inside, *one), states),
            ([a, b, ..], _) => self.add_two(inside, (*a, *b), states),
        }
    }
}
