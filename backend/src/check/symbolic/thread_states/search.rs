//! The fixed point of thread states over BDDs.
//!
//! Locations are visited in the order of control flow, sweep after sweep, and each only for what
//! is new there: first the states are closed under what others do (frontier against all changes,
//! old states against new changes, each result at once before the next change), then the new
//! states take their own steps. Changes that write nothing that the states of a place depend on
//! are passed over without an image: they lead nowhere.

use std::collections::BTreeSet;

use fixedbitset::FixedBitSet;
use rustc_hash::FxHashMap;
use sapa_bdd::{Bdd, LimitReached};
use sapa_ir::boolean::flat::{FlatStatement, LocalVar, LocationId};

use super::change::{Changes, Shape};
use super::variables::ThreadBdds;
use super::visible::told_at;
use super::{Cause, Company, Event, Kind, Node, Place};
use crate::check::analysis::flow::successors_first;
use crate::check::symbolic::depends::{Depends, smaller};

/// How the search ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Ended {
    /// With the fixed point.
    Closed,
    /// At the first failing thread state, as it was told to: which node, and when it was found.
    Failing {
        /// Index of the node.
        node: usize,
        /// Time of the event that added the state.
        time: u32,
    },
    /// A thread may release the lock of this local without holding it, so that the lock protects
    /// nothing.
    Foreign(LocalVar),
}

/// What is computed and how far it is.
pub(crate) struct Search<'s, 'p> {
    pub(crate) system: &'s mut ThreadBdds<'p>,
    pub(crate) nodes: Vec<Node>,
    by_kind: FxHashMap<(LocationId, Kind), usize>,
    pub(crate) changes: Vec<Changes>,
    by_shape: FxHashMap<Shape, usize>,
    /// All changes, in the order in which they were found.
    found: Vec<(usize, Bdd)>,
    /// What is left to do in this sweep and the next: rank and number of a node.
    dirty: BTreeSet<(u32, usize)>,
    /// By location: its place in the order of control flow.
    rank: Vec<u32>,
    /// Where threads are told of changes, if not everywhere.
    told: Option<FixedBitSet>,
    time: u32,
    pub(crate) failing: Option<(usize, u32)>,
    foreign: Option<LocalVar>,
    pub(crate) images: usize,
}

impl<'s, 'p> Search<'s, 'p> {
    pub(crate) fn new(system: &'s mut ThreadBdds<'p>, reduction: bool) -> Search<'s, 'p> {
        let program = system.program();
        let mut rank = vec![0; program.locations.len()];
        for (place, location) in successors_first(program).iter().rev().enumerate() {
            rank[location.index()] = place as u32;
        }
        Search {
            // What invariants cut off depends on when steps are taken.
            told: (reduction && program.invariants.is_empty()).then(|| told_at(program)),
            system,
            nodes: Vec::new(),
            by_kind: FxHashMap::default(),
            changes: Vec::new(),
            by_shape: FxHashMap::default(),
            found: Vec::new(),
            dirty: BTreeSet::new(),
            rank,
            time: 0,
            failing: None,
            foreign: None,
            images: 0,
        }
    }

    /// Computes the fixed point, or ends sooner: at a lock that protects nothing, and, if
    /// `stops_at_failure`, at a failing state. `visit` is called for each visit of a place, and
    /// may end it.
    pub(crate) fn run<E: From<LimitReached>>(
        &mut self,
        stops_at_failure: bool,
        visit: &mut dyn FnMut(&Self) -> Result<(), E>,
    ) -> Result<Ended, E> {
        let initial = self.system.initial()?;
        let start = Place { inside: false, started: false };
        let entry = self.system.program().entry;
        self.arrive(entry, Kind::Thread(start), &initial, Cause::Initial)?;
        let mut last = None;
        loop {
            let next = match last {
                Some(last) => self.dirty.range(last..).next().copied(),
                None => self.dirty.first().copied(),
            };
            let Some(next) = next else {
                // The sweep is over. What changed since a place was closed is looked at there.
                let all = self.found.len();
                let late = |node: &Node| node.is_disturbed() && node.applied < all;
                for (number, node) in self.nodes.iter().enumerate().filter(|(_, n)| late(n)) {
                    self.dirty.insert((self.rank[node.location.index()], number));
                }
                last = None;
                if self.dirty.is_empty() {
                    return Ok(match self.failing {
                        Some((node, time)) if stops_at_failure => Ended::Failing { node, time },
                        _ => Ended::Closed,
                    });
                }
                continue;
            };
            self.dirty.remove(&next);
            last = Some(next);
            visit(self)?;
            self.visit(next.1)?;
            if let Some(holder) = self.foreign {
                return Ok(Ended::Foreign(holder));
            }
            if let (Some((node, time)), true) = (self.failing, stops_at_failure) {
                return Ok(Ended::Failing { node, time });
            }
        }
    }

    fn visit(&mut self, number: usize) -> Result<(), LimitReached> {
        if self.nodes[number].is_disturbed() {
            self.close(number)?;
        }
        let node = &mut self.nodes[number];
        let new = node.states.minus(&node.stepped)?;
        if new.is_false() {
            return Ok(());
        }
        let from = smaller(new, &node.states);
        node.stepped = node.states.clone();
        match node.kind {
            Kind::Thread(place) => self.step(number, place, &from),
            Kind::Company(company) => self.step_beside(number, company, &from),
        }
    }

    /// Adds states to a node.
    fn add(
        &mut self,
        location: LocationId,
        kind: Kind,
        states: &Bdd,
        cause: Cause,
    ) -> Result<(), LimitReached> {
        if states.is_false() {
            return Ok(());
        }
        let number = match self.by_kind.get(&(location, kind)) {
            Some(&number) => number,
            None => {
                let number = self.nodes.len();
                self.by_kind.insert((location, kind), number);
                self.nodes.push(Node::new(location, kind, self.system.manager()));
                number
            }
        };
        self.grow(number, states, cause)?;
        Ok(())
    }

    /// Adds states to a node; whether any of them was new.
    /// What invariants allow of no single thread is left out; those about two threads are not looked at.
    fn grow(&mut self, number: usize, states: &Bdd, cause: Cause) -> Result<bool, LimitReached> {
        let states = self.system.cut_off(states)?;
        let node = &mut self.nodes[number];
        let all = node.states.or(&states)?;
        if all == node.states {
            return Ok(false);
        }
        node.states = all.clone();
        node.events.push(Event { time: self.time, states: all, cause });
        self.time += 1;
        self.dirty.insert((self.rank[node.location.index()], number));
        Ok(true)
    }

    /// Adds what a thread becomes that arrives at a location, past skips and jumps.
    fn arrive(
        &mut self,
        next: LocationId,
        kind: Kind,
        states: &Bdd,
        cause: Cause,
    ) -> Result<(), LimitReached> {
        for at in 0..self.system.stops[next.index()].len() {
            let stop = self.system.stops[next.index()][at];
            let states = self.system.without_dead(stop, states)?;
            self.add(stop, kind, &states, cause)?;
        }
        Ok(())
    }

    /// Case 1 of Definition 8, the birth of threads, and what becomes known of changes.
    fn step(&mut self, number: usize, place: Place, from: &Bdd) -> Result<(), LimitReached> {
        let location = self.nodes[number].location;
        let cause = Cause::Step { from: number };
        let stays = Kind::Thread(place);
        let program = self.system.program();
        match program.statement(location) {
            FlatStatement::Skip { next } => self.arrive(*next, stays, from, cause),
            FlatStatement::Goto { targets } => {
                targets.iter().try_for_each(|next| self.arrive(*next, stays, from, cause))
            }
            FlatStatement::Assert { next, .. } => {
                if self.failing.is_none()
                    && let Some(fails) = self.system.fails(location)?
                    && !from.and(&fails)?.is_false()
                {
                    self.failing = Some((number, self.time));
                }
                self.arrive(*next, stays, from, cause)
            }
            FlatStatement::AtomicBegin { next } => {
                if !place.inside && place.started {
                    let section = self.system.section(location)?;
                    let company = self.system.begin(&section, from)?;
                    let kind = Kind::Company(Company::Any { section: location });
                    self.arrive(*next, kind, &company, cause)?;
                }
                let kind = Kind::Thread(Place { inside: true, ..place });
                self.arrive(*next, kind, from, cause)
            }
            FlatStatement::AtomicEnd { next } => {
                let kind = Kind::Thread(Place { inside: false, ..place });
                self.arrive(*next, kind, from, cause)
            }
            FlatStatement::EndThread => Ok(()),
            FlatStatement::StartThread { entry, next, .. } => {
                self.start(number, place, (*entry, *next), from)?;
                let kind = Kind::Thread(Place { started: true, ..place });
                self.arrive(*next, kind, from, cause)
            }
            FlatStatement::Assume { next, .. }
            | FlatStatement::Assign { next, .. }
            | FlatStatement::Lock { next, .. }
            | FlatStatement::Unlock { next, .. } => {
                if let Some(holder) = self.system.releases_foreign(location, from)? {
                    self.foreign = Some(holder);
                    return Ok(());
                }
                let own = self.system.own(location)?;
                self.images += 1;
                self.arrive(*next, stays, &own.image(from)?, cause)?;
                if place.started
                    && !place.inside
                    && let Some(outward) = self.system.outward(location)?
                {
                    self.images += 1;
                    let relation = self.system.changes(&outward, from)?;
                    self.change(&outward.shape, &relation, number)?;
                }
                Ok(())
            }
        }
    }

    fn start(
        &mut self,
        number: usize,
        place: Place,
        (entry, next): (LocationId, LocationId),
        from: &Bdd,
    ) -> Result<(), LimitReached> {
        for at in 0..self.system.stops[entry.index()].len() {
            let child = self.system.stops[entry.index()][at];
            if place.inside {
                let company = self.system.with_child(child, from)?;
                let kind = Kind::Company(Company::Child { at: child });
                self.arrive(next, kind, &company, Cause::Step { from: number })?;
            } else {
                let born = self.system.child(child, from)?;
                let kind = Kind::Thread(Place { inside: false, started: true });
                self.add(child, kind, &born, Cause::Born { from: number })?;
            }
        }
        Ok(())
    }

    /// What a thread inside its atomic section does while another waits for it.
    fn step_beside(
        &mut self,
        number: usize,
        company: Company,
        from: &Bdd,
    ) -> Result<(), LimitReached> {
        let location = self.nodes[number].location;
        let cause = Cause::Step { from: number };
        let stays = Kind::Company(company);
        let program = self.system.program();
        match program.statement(location) {
            FlatStatement::Goto { targets } => {
                targets.iter().try_for_each(|next| self.arrive(*next, stays, from, cause))
            }
            FlatStatement::Skip { next }
            | FlatStatement::Assert { next, .. }
            | FlatStatement::AtomicBegin { next }
            | FlatStatement::StartThread { next, .. } => self.arrive(*next, stays, from, cause),
            FlatStatement::Assume { next, .. }
            | FlatStatement::Assign { next, .. }
            | FlatStatement::Lock { next, .. }
            | FlatStatement::Unlock { next, .. } => {
                let relation = self.system.beside(location)?;
                self.images += 1;
                let after = self.system.apart(&relation.image(from)?)?;
                self.arrive(*next, stays, &after, cause)
            }
            FlatStatement::AtomicEnd { .. } | FlatStatement::EndThread => match company {
                Company::Any { section } => {
                    let section = self.system.section(section)?;
                    let relation = self.system.end(&section, from)?;
                    self.change(&section.shape, &relation, number)
                }
                Company::Child { at } => {
                    let released = self.system.released(at, from)?;
                    let kind = Kind::Thread(Place { inside: false, started: true });
                    self.add(at, kind, &released, Cause::Released { from: number })
                }
            },
        }
    }

    /// Keeps what was found that threads do to others.
    fn change(&mut self, shape: &Shape, relation: &Bdd, source: usize) -> Result<(), LimitReached> {
        if shape.is_empty() || relation.is_false() {
            return Ok(());
        }
        let number = match self.by_shape.get(shape) {
            Some(&number) => number,
            None => {
                let number = self.changes.len();
                let shared = shape.shared.iter().map(|v| self.system.shared(*v));
                let locals = shape.locals.iter().map(|v| self.system.local(*v));
                let bits: Vec<_> = shared.chain(locals).collect();
                self.changes.push(Changes::new(self.system.manager(), shape.clone(), &bits)?);
                self.by_shape.insert(shape.clone(), number);
                number
            }
        };
        let new = self.changes[number].add(relation, source)?;
        if !new.is_false() {
            self.found.push((number, new));
        }
        Ok(())
    }

    /// Closes a place under what others do: case 2 of Definition 8.
    fn close(&mut self, number: usize) -> Result<(), LimitReached> {
        let node = &mut self.nodes[number];
        let applied = std::mem::replace(&mut node.applied, self.found.len());
        if !node.closed.is_false() {
            // Old states against new changes.
            let mut depends = Depends::on(&node.states);
            for at in applied..self.found.len() {
                let (change, relation) = self.found[at].clone();
                if self.matters(number, change, &depends)
                    && self.disturb(number, change, &relation, None)?.is_some()
                {
                    depends = Depends::on(&self.nodes[number].states);
                }
            }
        }
        loop {
            let node = &self.nodes[number];
            let new = node.states.minus(&node.closed)?;
            if new.is_false() {
                return Ok(());
            }
            let mut from = smaller(new, &node.states);
            let before = node.states.clone();
            let depends = Depends::on(&before);
            let changes = if depends.is_empty() { 0 } else { self.changes.len() };
            for change in 0..changes {
                if !self.matters(number, change, &depends) {
                    continue;
                }
                for part in self.changes[change].parts.clone() {
                    if let Some(more) = self.disturb(number, change, &part, Some(&from))? {
                        from = from.or(&more)?;
                    }
                }
                if self.nodes[number].states.is_true() {
                    break;
                }
            }
            self.nodes[number].closed = before;
        }
    }

    /// Whether changes can lead to other states of a place, whose states so far depend on these
    /// variables. If they depend on nothing that is written, then not.
    fn matters(&self, number: usize, change: usize, depends: &Depends) -> bool {
        let changes = &self.changes[change];
        let location = self.nodes[number].location;
        depends.contain_one_of(changes.written())
            && self.told.as_ref().is_none_or(|told| told.contains(location.index()))
    }

    /// Adds what changes make of some states of a place, or of all; what was new of it.
    fn disturb(
        &mut self,
        number: usize,
        change: usize,
        relation: &Bdd,
        from: Option<&Bdd>,
    ) -> Result<Option<Bdd>, LimitReached> {
        let node = &self.nodes[number];
        let changes = &self.changes[change];
        self.images += 1;
        let mut after = changes.image(from.unwrap_or(&node.states), relation)?;
        if !changes.shape.locals.is_empty() {
            after = self.system.without_dead(node.location, &after)?;
        }
        let is_new = self.grow(number, &after, Cause::Disturbed { change })?;
        Ok(is_new.then_some(after))
    }
}
