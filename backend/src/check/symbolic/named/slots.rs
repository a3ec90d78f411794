//! Copies of the locals for several threads, and steps of one of them.

use std::rc::Rc;

use rustc_hash::FxHashMap;
use sapa_bdd::{Bdd, BddManager, LimitReached, Substitution, Var};
use sapa_ir::boolean::flat::{FlatProgram, FlatStatement, LocalVar, LocationId};

use crate::check::CheckOptions;
use crate::check::analysis::liveness::Liveness;
use crate::check::analysis::stops::stops;
use crate::check::symbolic::budget::Stop;
use crate::check::symbolic::encode::Encoder;
use crate::check::symbolic::held::Held;
use crate::check::symbolic::layout::{Layout, Relation, SlotOrder};
use crate::check::symbolic::order::VariableOrder;

/// The slot of the thread that is inside its atomic section, or moves.
pub(crate) const FIRST: usize = 0;

/// Where a step leads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Way {
    /// Where the thread stands then, past skips and jumps, and whether it is inside an atomic
    /// section; `None` if it ended.
    pub(crate) after: Option<(LocationId, bool)>,
    /// Where the thread stands that it started.
    pub(crate) started: Option<LocationId>,
}

/// The slots, with what was asked of them.
pub(crate) struct Slots<'p> {
    /// The program, with locals for the locks that a thread holds: who took a lock and who did not
    /// are told apart, though they stand at one place.
    pub(crate) program: &'p FlatProgram,
    pub(crate) held: &'p Held,
    encoder: Encoder<'p>,
    count: usize,
    liveness: Liveness,
    stops: Vec<Vec<LocationId>>,
    dead: FxHashMap<(usize, usize), Bdd>,
    locals: Vec<Bdd>,
    relations: FxHashMap<(LocationId, usize, Vec<usize>), Rc<Relation>>,
    renamings: FxHashMap<Vec<(usize, usize)>, Rc<Substitution>>,
    /// What invariants allow of the threads in some slots.
    allowed: FxHashMap<Vec<usize>, Bdd>,
}

impl<'p> Slots<'p> {
    /// # Errors
    /// The limit that was reached.
    pub(crate) fn new(
        program: &FlatProgram,
        held: &'p Held,
        count: usize,
        manager: BddManager,
        options: &CheckOptions,
    ) -> Result<Slots<'p>, Stop> {
        // The locals for locks are live everywhere, but nothing reads them.
        let liveness = Liveness::new(program, options)?;
        let program = &held.program;
        let order = VariableOrder::new(program);
        let layout = Layout::new(manager.clone(), &order, 0, count, SlotOrder::Interleaved);
        let current = |slot: usize| -> Vec<Var> {
            layout.slots[slot].locals.iter().map(|bit| bit.current).collect()
        };
        let locals: Result<Vec<Bdd>, LimitReached> =
            (0..count).map(|slot| manager.cube(&current(slot))).collect();
        Ok(Slots {
            locals: locals?,
            program,
            held,
            encoder: Encoder::with_layout(program, layout),
            count,
            liveness,
            stops: stops(program, true),
            dead: FxHashMap::default(),
            relations: FxHashMap::default(),
            renamings: FxHashMap::default(),
            allowed: FxHashMap::default(),
        })
    }

    /// How many BDD variables there are for a number of slots.
    pub(crate) fn variables(program: &FlatProgram, count: usize) -> usize {
        2 * (program.shared.len() + program.locals.len().saturating_mul(count)) + 128
    }

    /// How many slots there are.
    pub(crate) fn count(&self) -> usize {
        self.count
    }

    pub(crate) fn manager(&self) -> &BddManager {
        &self.encoder.layout.manager
    }

    /// The shared variables now, in order.
    pub(crate) fn shared(&self) -> impl Iterator<Item = Var> + '_ {
        self.encoder.layout.shared.iter().map(|bit| bit.current)
    }

    /// A local of the thread in a slot, now.
    pub(crate) fn local(&self, slot: usize, variable: LocalVar) -> Var {
        self.encoder.layout.slots[slot].locals[variable.index()].current
    }

    /// Whether a local matters at a location.
    pub(crate) fn is_live(&self, location: LocationId, variable: LocalVar) -> bool {
        self.held.holders().contains(&variable.index()) || self.liveness.is_live(location, variable)
    }

    /// Where a thread stops that arrives at a location.
    pub(crate) fn stops(&self, location: LocationId) -> &[LocationId] {
        &self.stops[location.index()]
    }

    /// The initial states of the initial thread in a slot at each place where it can stand.
    pub(crate) fn initial(&mut self, slot: usize) -> Result<Vec<(LocationId, Bdd)>, LimitReached> {
        let (shared, locals) = self.encoder.initial_products()?;
        // The initial values are those of the first slot.
        let locals = self.renamed(&locals, &[(0, slot)])?;
        let all = shared.and(&locals)?;
        let stops = self.stops(self.program.entry).to_vec();
        stops.into_iter().map(|stop| Ok((stop, self.without_dead(slot, stop, &all)?))).collect()
    }

    /// Where the assertion at a location fails for the thread in a slot.
    pub(crate) fn fails(
        &self,
        slot: usize,
        location: LocationId,
    ) -> Result<Option<Bdd>, LimitReached> {
        match self.program.statement(location) {
            FlatStatement::Assert { condition, .. } => {
                self.encoder.where_false(slot, condition).map(Some)
            }
            _ => Ok(None),
        }
    }

    /// What invariants leave of states of the threads in some slots.
    pub(crate) fn cut_off(&mut self, slots: &[usize], set: &Bdd) -> Result<Bdd, LimitReached> {
        if self.program.invariants.is_empty() {
            return Ok(set.clone());
        }
        if let Some(allowed) = self.allowed.get(slots) {
            return set.and(allowed);
        }
        let allowed = self.encoder.allowed_in(slots)?;
        self.allowed.insert(slots.to_vec(), allowed.clone());
        set.and(&allowed)
    }

    /// A set without what it says of the dead locals of the thread in a slot.
    pub(crate) fn without_dead(
        &mut self,
        slot: usize,
        location: LocationId,
        set: &Bdd,
    ) -> Result<Bdd, LimitReached> {
        let key = (slot, self.liveness.set_at(location));
        if !self.dead.contains_key(&key) {
            let locals = self.encoder.layout.slots[slot].locals.iter().enumerate();
            let dead = locals.filter(|(v, _)| !self.is_live(location, LocalVar(*v as u32)));
            let dead: Vec<Var> = dead.map(|(_, bit)| bit.current).collect();
            self.dead.insert(key, self.manager().cube(&dead)?);
        }
        set.exists(&self.dead[&key])
    }

    /// A set without what it says of the thread in a slot.
    pub(crate) fn without(&self, slot: usize, set: &Bdd) -> Result<Bdd, LimitReached> {
        set.exists(&self.locals[slot])
    }

    /// The variables of the thread in a slot, before a step.
    pub(crate) fn own_variables(&self, slot: usize) -> Vec<Var> {
        self.encoder.layout.slots[slot].locals.iter().map(|bit| bit.current).collect()
    }

    /// A set with threads moved from slots to others, all at once. Two may come to one: then what
    /// is left is true if they are equal.
    pub(crate) fn renamed(
        &mut self,
        set: &Bdd,
        moves: &[(usize, usize)],
    ) -> Result<Bdd, LimitReached> {
        let moves: Vec<(usize, usize)> =
            moves.iter().copied().filter(|(from, to)| from != to).collect();
        if moves.is_empty() {
            return Ok(set.clone());
        }
        if !self.renamings.contains_key(&moves) {
            let slots = &self.encoder.layout.slots;
            let pairs = moves.iter().flat_map(|(from, to)| {
                let both = slots[*from].locals.iter().zip(&slots[*to].locals);
                both.map(|(a, b)| (a.current, b.current))
            });
            let renaming = self.manager().renaming(pairs.collect::<Vec<_>>())?;
            self.renamings.insert(moves.clone(), Rc::new(renaming));
        }
        set.substitute(&self.renamings[&moves])
    }

    /// Puts a copy of the thread in one slot into another, which is empty, as a thread that it
    /// starts at `at`. That one holds no lock.
    pub(crate) fn with_copy(
        &self,
        set: &Bdd,
        (from, to): (usize, usize),
        at: LocationId,
    ) -> Result<Bdd, LimitReached> {
        let slots = &self.encoder.layout.slots;
        let mut all = set.and(&self.holds_nothing(to)?)?;
        for v in (0..self.held.own_locals()).rev() {
            if self.liveness.is_live(at, LocalVar(v as u32)) {
                let own = self.manager().var(slots[from].locals[v].current)?;
                let copy = self.manager().var(slots[to].locals[v].current)?;
                all = all.and(&own.iff(&copy)?)?;
            }
        }
        Ok(all)
    }

    /// The states in which the thread in slot `from` can start one so that it and others are in these
    /// states, with that one in slot `to`.
    pub(crate) fn before_copy(
        &mut self,
        set: &Bdd,
        (from, to): (usize, usize),
    ) -> Result<Bdd, LimitReached> {
        let born = set.cofactor(&self.holds_nothing(to)?)?;
        self.renamed(&born, &[(to, from)])
    }

    fn holds_nothing(&self, slot: usize) -> Result<Bdd, LimitReached> {
        let holders = &self.encoder.layout.slots[slot].locals[self.held.holders()];
        self.manager().conjunction(holders.iter().map(|bit| (bit.current, false)).collect())
    }

    /// The step of the thread in slot `active` at a location that writes variables or waits, among
    /// threads in the slots `passive`; `None` if the statement does neither.
    pub(crate) fn relation(
        &mut self,
        location: LocationId,
        active: usize,
        passive: &[usize],
    ) -> Result<Option<Rc<Relation>>, LimitReached> {
        let Some(assignment) = self.program.statement(location).as_assignment() else {
            return Ok(None);
        };
        // Without a broadcast it is the same whoever else is there.
        let passive = if assignment.involves_passive() { passive } else { &[] };
        let key = (location, active, passive.to_vec());
        if let Some(relation) = self.relations.get(&key) {
            return Ok(Some(relation.clone()));
        }
        let parts = self.encoder.step_parts(active, passive, &assignment)?;
        let relation = Relation::new(self.manager(), active, location.index(), parts)?;
        let relation = Rc::new(relation);
        self.relations.insert(key, relation.clone());
        Ok(Some(relation))
    }

    /// What others notice of a step at a location from outside atomic sections: `None` if nothing,
    /// else the shared variables that it writes, and whether more than these change.
    pub(crate) fn noticed(&self, location: LocationId) -> Option<(Vec<Var>, bool)> {
        let statement = self.program.statement(location);
        if let FlatStatement::AtomicBegin { .. } = statement {
            return Some((Vec::new(), true));
        }
        let assignment = statement.as_assignment()?;
        if assignment.shared.is_empty() && !assignment.involves_passive() {
            return None;
        }
        let shared = assignment.shared.iter().map(|(v, _)| self.encoder.layout.shared[v.index()]);
        Some((shared.map(|bit| bit.current).collect(), assignment.involves_passive()))
    }

    /// The ways on of a thread at a location.
    pub(crate) fn ways(&self, location: LocationId, inside: bool) -> Vec<Way> {
        let statement = self.program.statement(location);
        let inside = match statement {
            FlatStatement::AtomicBegin { .. } => true,
            FlatStatement::AtomicEnd { .. } => false,
            _ => inside,
        };
        let started: Vec<Option<LocationId>> = match statement {
            FlatStatement::EndThread => return vec![Way { after: None, started: None }],
            FlatStatement::StartThread { entry, .. } => {
                self.stops(*entry).iter().copied().map(Some).collect()
            }
            _ => vec![None],
        };
        let next = statement.successors().iter().flat_map(|next| self.stops(*next));
        let next = next.flat_map(|stop| started.iter().map(move |started| (*stop, *started)));
        let mut ways: Vec<Way> =
            next.map(|(stop, started)| Way { after: Some((stop, inside)), started }).collect();
        ways.sort_unstable_by_key(|way| (way.after, way.started));
        ways.dedup();
        ways
    }
}
