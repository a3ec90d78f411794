//! Flat Boolean programs as BDDs: expressions, initial states, steps and failing states.

use sapa_bdd::{Bdd, BddManager, LimitReached};
use sapa_ir::boolean::flat::{
    Assignment, FlatExpr, FlatProgram, FlatStatement, FlatVariable, Initial, LocalVar, LocationId,
    SharedVar, VariableRef,
};
use sapa_limits::Limits;

use super::layout::{Bit, Layout, Part, Relation, Side, SlotOrder, variables};
use super::order::VariableOrder;
use crate::check::analysis::independence::Independence;
use crate::possible::{Evaluator, Possible, Sets};

/// Sets of states as BDDs.
struct Bdds<'m>(&'m BddManager);

impl Sets for Bdds<'_> {
    type Set = Bdd;
    type Error = LimitReached;

    fn constant(&self, value: bool) -> Bdd {
        self.0.constant(value)
    }

    fn not(&self, set: &Bdd) -> Bdd {
        set.not()
    }

    fn and(&self, a: &Bdd, b: &Bdd) -> Result<Bdd, LimitReached> {
        a.and(b)
    }

    fn or(&self, a: &Bdd, b: &Bdd) -> Result<Bdd, LimitReached> {
        a.or(b)
    }
}

impl Possible<Bdd> {
    /// That the bit can take this value.
    fn assigned_to(&self, next: &Bdd) -> Result<Bdd, LimitReached> {
        next.and(&self.one)?.or(&self.zero.minus(next)?)
    }
}

/// Encodes one program for a number of thread slots; slot 0 is the initial thread's.
#[derive(Debug)]
pub(crate) struct Encoder<'a> {
    program: &'a FlatProgram,
    pub(crate) layout: Layout,
}

/// Which slots an expression's variables mean, and which variables the step writes: what it does
/// not write has the same next value, without a next variable being involved.
struct Scope<'a> {
    active: usize,
    passive: Option<usize>,
    assignment: Option<&'a Assignment>,
}

impl Scope<'_> {
    fn writes_shared(&self, variable: SharedVar) -> bool {
        self.assignment.is_some_and(|a| a.shared.iter().any(|(target, _)| *target == variable))
    }

    fn writes_local(&self, variable: LocalVar) -> bool {
        self.assignment.is_some_and(|a| a.local.iter().any(|(target, _)| *target == variable))
    }

    fn writes_passive(&self, variable: LocalVar) -> bool {
        self.assignment.is_some_and(|a| a.broadcast.iter().any(|(target, _)| *target == variable))
    }
}

impl<'a> Encoder<'a> {
    pub(crate) fn new(program: &'a FlatProgram, manager: BddManager, slots: usize) -> Encoder<'a> {
        let order = VariableOrder::new(program);
        let locations = program.locations.len();
        let layout = Layout::new(manager, &order, locations, slots, SlotOrder::Interleaved);
        Encoder { program, layout }
    }

    /// How many BDD variables there are for a number of slots.
    pub(crate) fn variables(program: &FlatProgram, slots: usize) -> usize {
        let locations = program.locations.len();
        variables(program.shared.len(), program.locals.len(), locations, slots)
    }

    /// How many BDD variables there are for counting.
    pub(crate) fn variables_for_counting(program: &FlatProgram) -> usize {
        variables(program.shared.len(), program.locals.len(), 0, 2)
    }

    /// For counting: program counters are explicit, and besides the active thread in slot 0 there
    /// is a place for one passive thread.
    pub(crate) fn for_counting(program: &'a FlatProgram, manager: BddManager) -> Encoder<'a> {
        let order = VariableOrder::new(program);
        Encoder { program, layout: Layout::new(manager, &order, 0, 2, SlotOrder::BySlot) }
    }

    /// Over variables that were ordered elsewhere.
    pub(crate) fn with_layout(program: &'a FlatProgram, layout: Layout) -> Encoder<'a> {
        Encoder { program, layout }
    }

    fn manager(&self) -> &BddManager {
        &self.layout.manager
    }

    fn slots(&self) -> std::ops::Range<usize> {
        0..self.layout.slots.len()
    }

    fn variable(&self, variable: VariableRef, scope: &Scope<'_>) -> Result<Bdd, LimitReached> {
        let side = |written: bool| if written { Side::Next } else { Side::Current };
        let shared = |v: SharedVar| self.layout.shared[v.index()];
        let active = |v: LocalVar| self.layout.slots[scope.active].locals[v.index()];
        let (bit, side) = match variable {
            VariableRef::Shared(v) => (shared(v), Side::Current),
            VariableRef::NextShared(v) => (shared(v), side(scope.writes_shared(v))),
            VariableRef::Local(v) => (active(v), Side::Current),
            VariableRef::NextLocal(v) => (active(v), side(scope.writes_local(v))),
            VariableRef::Passive(v) | VariableRef::NextPassive(v) => {
                // Outside broadcasts the flat form has no passive variables.
                let Some(slot) = scope.passive else { return Ok(self.manager().bottom()) };
                let next = matches!(variable, VariableRef::NextPassive(_));
                (self.layout.slots[slot].locals[v.index()], side(next && scope.writes_passive(v)))
            }
        };
        self.manager().var(bit.side(side))
    }

    fn expression(&self, e: &FlatExpr, scope: &Scope<'_>) -> Result<Possible<Bdd>, LimitReached> {
        let variable = |variable| self.variable(variable, scope);
        Evaluator { sets: Bdds(self.manager()), variable: &variable }.possible(e)
    }

    /// The initial states: slot 0 at the entry, all other slots empty.
    pub(crate) fn initial(&self) -> Result<Bdd, LimitReached> {
        let layout = &self.layout;
        let mut set = layout.holds(None, Side::Current)?;
        set = set.and(&self.initial_values(&layout.shared, &self.program.shared)?)?;
        for slot in self.slots() {
            let locals = &layout.slots[slot].locals;
            let contents = if slot == 0 {
                let entry = layout.at(0, self.program.entry.index(), Side::Current)?;
                entry.and(&self.initial_values(locals, &self.program.locals)?)?
            } else {
                layout
                    .is_absent(slot, Side::Current)?
                    .and(&self.all_false(locals, Side::Current)?)?
            };
            set = set.and(&contents)?;
        }
        Ok(set)
    }

    /// What invariants allow of the threads in some slots, wherever they stand.
    pub(crate) fn allowed_in(&self, slots: &[usize]) -> Result<Bdd, LimitReached> {
        let mut allowed = self.manager().top();
        for invariant in &self.program.invariants {
            let condition = &invariant.condition;
            let is_between = condition.mentions_passive();
            for &one in slots {
                for &other in slots.iter().filter(|&&other| (other != one) == is_between) {
                    allowed = allowed.and(&self.holds_between(one, other, condition)?)?;
                }
            }
        }
        Ok(allowed)
    }

    /// The states that invariants allow.
    pub(crate) fn allowed(&self) -> Result<Bdd, LimitReached> {
        let mut allowed = self.manager().top();
        for invariant in &self.program.invariants {
            let condition = &invariant.condition;
            let is_between = condition.mentions_passive();
            for one in self.slots() {
                for other in self.slots().filter(|&other| (other != one) == is_between) {
                    let holds = self.holds_between(one, other, condition)?;
                    let absent = self.layout.is_absent(one, Side::Current)?;
                    let absent = absent.or(&self.layout.is_absent(other, Side::Current)?)?;
                    allowed = allowed.and(&absent.or(&holds)?)?;
                }
            }
        }
        Ok(allowed)
    }

    /// Where an invariant holds of the threads in two slots.
    pub(crate) fn holds_between(
        &self,
        one: usize,
        other: usize,
        condition: &FlatExpr,
    ) -> Result<Bdd, LimitReached> {
        let scope = Scope { active: one, passive: Some(other), assignment: None };
        Ok(self.expression(condition, &scope)?.one)
    }

    fn initial_values(
        &self,
        bits: &[Bit],
        variables: &[FlatVariable],
    ) -> Result<Bdd, LimitReached> {
        let literals = bits.iter().zip(variables).filter_map(|(bit, variable)| {
            let value = match variable.initial {
                Initial::Zero => false,
                Initial::One => true,
                Initial::Nondet => return None,
            };
            Some((bit.current, value))
        });
        self.manager().conjunction(literals.collect())
    }

    fn all_false(&self, bits: &[Bit], side: Side) -> Result<Bdd, LimitReached> {
        let literals = bits.iter().map(|bit| (bit.side(side), false));
        self.manager().conjunction(literals.collect())
    }

    /// The initial shared valuations, and slot 0's initial locals.
    pub(crate) fn initial_products(&self) -> Result<(Bdd, Bdd), LimitReached> {
        let layout = &self.layout;
        let shared = self.initial_values(&layout.shared, &self.program.shared)?;
        Ok((shared, self.initial_values(&layout.slots[0].locals, &self.program.locals)?))
    }

    /// Where a condition of the thread in `slot` can be false.
    pub(crate) fn where_false(
        &self,
        slot: usize,
        condition: &FlatExpr,
    ) -> Result<Bdd, LimitReached> {
        let scope = Scope { active: slot, passive: None, assignment: None };
        Ok(self.expression(condition, &scope)?.zero)
    }

    /// The states where a thread that may move fails an assertion.
    pub(crate) fn bad(&self) -> Result<Bdd, LimitReached> {
        let mut bad = self.manager().bottom();
        for (location, record) in self.program.iter() {
            let FlatStatement::Assert { condition, .. } = &record.statement else { continue };
            for slot in self.slots() {
                let fails = self.where_false(slot, condition)?;
                bad = bad.or(&self.enabled(slot, location)?.and(&fails)?)?;
            }
        }
        Ok(bad)
    }

    /// That the thread in `slot` is at `location` and no other is in an atomic section.
    fn enabled(&self, slot: usize, location: LocationId) -> Result<Bdd, LimitReached> {
        let free = self.layout.holds(None, Side::Current)?;
        let mine = self.layout.holds(Some(slot), Side::Current)?;
        self.layout.at(slot, location.index(), Side::Current)?.and(&free.or(&mine)?)
    }

    /// All steps of all slots, a relation or more for each slot and location.
    pub(crate) fn relations(&self, limits: &Limits) -> Result<Vec<Relation>, LimitReached> {
        let mut relations = Vec::new();
        for (location, _) in self.program.iter() {
            for slot in self.slots() {
                // Many small operations take long too.
                if limits.is_exceeded() {
                    return Err(LimitReached::Time);
                }
                self.steps(slot, location, &mut relations)?;
            }
        }
        Ok(relations)
    }

    /// The states in which each slot's thread is explored under partial-order reduction: where it
    /// is the first that may be explored alone, or where there is none that may.
    pub(crate) fn explored(
        &self,
        independence: &Independence,
        relations: &[Relation],
    ) -> Result<Vec<Bdd>, LimitReached> {
        let layout = &self.layout;
        let mut left = self.manager().top();
        let mut explored = vec![self.manager().bottom(); layout.slots.len()];
        let nobody = layout.holds(None, Side::Current)?;
        for relation in relations {
            let location = LocationId(relation.location as u32);
            if !independence.is_candidate(location) {
                continue;
            }
            // At this location and not blocked, and no other thread's future is concerned.
            let mut alone = relation.preimage(&self.manager().top())?.and(&nobody)?;
            for other in self.slots().filter(|&other| other != relation.slot) {
                let mut free = layout.is_absent(other, Side::Current)?;
                for (there, _) in self.program.iter() {
                    if independence.independent(location, there) {
                        free = free.or(&layout.at(other, there.index(), Side::Current)?)?;
                    }
                }
                alone = alone.and(&free)?;
            }
            let alone = alone.and(&left)?;
            explored[relation.slot] = explored[relation.slot].or(&alone)?;
            left = left.minus(&alone)?;
        }
        explored.iter().map(|alone| alone.or(&left)).collect()
    }

    fn steps(
        &self,
        slot: usize,
        location: LocationId,
        relations: &mut Vec<Relation>,
    ) -> Result<(), LimitReached> {
        let layout = &self.layout;
        let enabled = self.enabled(slot, location)?;
        let own = layout.slots[slot].location.clone();
        let to = |next: &LocationId| layout.at(slot, next.index(), Side::Next);
        let scope = Scope { active: slot, passive: None, assignment: None };
        let mut add = |parts: Vec<Part>| -> Result<(), LimitReached> {
            relations.push(Relation::new(self.manager(), slot, location.index(), parts)?);
            Ok(())
        };
        let single = |relation: Bdd, finished: Vec<Bit>| vec![Part { relation, finished }];
        match self.program.statement(location) {
            FlatStatement::Skip { next } | FlatStatement::Assert { next, .. } => {
                add(single(enabled.and(&to(next)?)?, own))
            }
            FlatStatement::Goto { targets } => {
                let goes = targets
                    .iter()
                    .try_fold(self.manager().bottom(), |any, target| any.or(&to(target)?))?;
                add(single(enabled.and(&goes)?, own))
            }
            FlatStatement::Assume { condition, next } => {
                let holds = self.expression(condition, &scope)?.one;
                add(single(enabled.and(&holds)?.and(&to(next)?)?, own))
            }
            FlatStatement::AtomicBegin { next } => {
                let mine = layout.holds(Some(slot), Side::Next)?;
                let step = enabled.and(&to(next)?)?.and(&mine)?;
                add(single(step, [own, layout.holder.clone()].concat()))
            }
            FlatStatement::AtomicEnd { next } => {
                let step = enabled.and(&to(next)?)?.and(&layout.holds(None, Side::Next)?)?;
                add(single(step, [own, layout.holder.clone()].concat()))
            }
            FlatStatement::EndThread => {
                let locals = &layout.slots[slot].locals;
                let gone = layout
                    .is_absent(slot, Side::Next)?
                    .and(&self.all_false(locals, Side::Next)?)?
                    .and(&layout.holds(None, Side::Next)?)?;
                let finished = [own, layout.holder.clone(), locals.clone()].concat();
                add(single(enabled.and(&gone)?, finished))
            }
            FlatStatement::Lock { variable, next } => {
                let bit = layout.shared[variable.index()];
                let takes =
                    self.manager().var(bit.next)?.minus(&self.manager().var(bit.current)?)?;
                add(single(enabled.and(&to(next)?)?.and(&takes)?, [own, vec![bit]].concat()))
            }
            FlatStatement::Unlock { variable, next } => {
                let bit = layout.shared[variable.index()];
                let gives = self.manager().literal(bit.next, false)?;
                add(single(enabled.and(&to(next)?)?.and(&gives)?, [own, vec![bit]].concat()))
            }
            FlatStatement::StartThread { entry, next, waits } => {
                let step = enabled.and(&to(next)?)?;
                self.starts(slot, (*entry, *waits), &step, &mut add)
            }
            FlatStatement::Assign { assignment, next } => {
                let step = enabled.and(&to(next)?)?;
                add(self.assigns(slot, assignment, step)?)
            }
        }
    }

    /// A start for each slot that may be the first empty one, and the skip if none is empty and the
    /// start does not wait. The initial thread's slot stays its own, as that thread does not count for the bound.
    fn starts(
        &self,
        slot: usize,
        (entry, waits): (LocationId, bool),
        step: &Bdd,
        add: &mut impl FnMut(Vec<Part>) -> Result<(), LimitReached>,
    ) -> Result<(), LimitReached> {
        let layout = &self.layout;
        let own = &layout.slots[slot];
        let mut full = step.clone();
        for child in self.slots().skip(1).filter(|&child| child != slot) {
            let place = &layout.slots[child];
            let empty = layout.is_absent(child, Side::Current)?;
            let mut starts =
                full.and(&empty)?.and(&layout.at(child, entry.index(), Side::Next)?)?;
            for (mine, copy) in own.locals.iter().zip(&place.locals) {
                let same =
                    self.manager().var(mine.current)?.iff(&self.manager().var(copy.next)?)?;
                starts = starts.and(&same)?;
            }
            let finished =
                [own.location.as_slice(), place.location.as_slice(), place.locals.as_slice()];
            add(vec![Part { relation: starts, finished: finished.concat() }])?;
            full = full.minus(&empty)?;
        }
        if waits {
            return Ok(());
        }
        add(vec![Part { relation: full, finished: own.location.clone() }])
    }

    fn assigns(
        &self,
        slot: usize,
        assignment: &Assignment,
        step: Bdd,
    ) -> Result<Vec<Part>, LimitReached> {
        let own = &self.layout.slots[slot];
        let (change, mut finished) = self.own_change(slot, assignment)?;
        finished.extend_from_slice(&own.location);
        let relation = step.and(&change)?;
        if !assignment.involves_passive() {
            return Ok(vec![Part { relation, finished }]);
        }
        // The passive threads' changes read the active thread's bits on both sides, so those are
        // finished last.
        let mut parts = vec![Part { relation, finished: Vec::new() }];
        for passive in self.slots().filter(|&passive| passive != slot) {
            parts.push(self.passive_part(slot, passive, assignment)?);
        }
        parts.push(Part { relation: self.manager().top(), finished });
        Ok(parts)
    }

    /// How an assignment by the thread in `slot` changes the shared variables and its locals, and
    /// the bits it writes.
    pub(crate) fn own_change(
        &self,
        slot: usize,
        assignment: &Assignment,
    ) -> Result<(Bdd, Vec<Bit>), LimitReached> {
        let (conjuncts, written) = self.own_conjuncts(slot, assignment)?;
        let relation =
            conjuncts.iter().try_fold(self.manager().top(), |all, conjunct| all.and(conjunct))?;
        Ok((relation, written))
    }

    /// As [`own_change`](Encoder::own_change), without the conjunction.
    pub(crate) fn own_conjuncts(
        &self,
        slot: usize,
        assignment: &Assignment,
    ) -> Result<(Vec<Bdd>, Vec<Bit>), LimitReached> {
        let own = &self.layout.slots[slot];
        let scope = Scope { active: slot, passive: None, assignment: Some(assignment) };
        let mut written = Vec::new();
        let mut conjuncts = Vec::new();
        let shared =
            assignment.shared.iter().map(|(v, value)| (self.layout.shared[v.index()], value));
        let local = assignment.local.iter().map(|(v, value)| (own.locals[v.index()], value));
        for (bit, value) in shared.chain(local) {
            let next = self.manager().var(bit.next)?;
            conjuncts.push(self.expression(value, &scope)?.assigned_to(&next)?);
            written.push(bit);
        }
        // Choices in different conjuncts are independent, so each conjunct can stand alone.
        for conjunct in assignment.constraint.iter().flat_map(FlatExpr::conjuncts) {
            conjuncts.push(self.expression(conjunct, &scope)?.one);
        }
        Ok((conjuncts, written))
    }

    /// The step of an assignment by the thread in slot `active`, where threads are in all of the
    /// slots `passive`.
    pub(crate) fn step_parts(
        &self,
        active: usize,
        passive: &[usize],
        assignment: &Assignment,
    ) -> Result<Vec<Part>, LimitReached> {
        let (relation, written) = self.own_change(active, assignment)?;
        if !assignment.involves_passive() {
            return Ok(vec![Part { relation, finished: written }]);
        }
        // Passive threads' changes read the active thread's bits on both sides, so those are
        // finished last.
        let mut parts = vec![Part { relation, finished: Vec::new() }];
        for &other in passive {
            let (relation, finished) = self.passive_change(active, other, assignment)?;
            parts.push(Part { relation, finished });
        }
        parts.push(Part { relation: self.manager().top(), finished: written });
        Ok(parts)
    }

    /// How the thread in slot `passive` changes, if there is one.
    fn passive_part(
        &self,
        active: usize,
        passive: usize,
        assignment: &Assignment,
    ) -> Result<Part, LimitReached> {
        let (changes, finished) = self.passive_change(active, passive, assignment)?;
        let absent = self.layout.is_absent(passive, Side::Current)?;
        let relation = absent.ite(&self.layout.unchanged(&finished)?, &changes)?;
        Ok(Part { relation, finished })
    }

    /// How an assignment by the thread in slot `active` changes the thread in slot `passive`, and
    /// the bits it writes there.
    pub(crate) fn passive_change(
        &self,
        active: usize,
        passive: usize,
        assignment: &Assignment,
    ) -> Result<(Bdd, Vec<Bit>), LimitReached> {
        let scope = Scope { active, passive: Some(passive), assignment: Some(assignment) };
        let locals = &self.layout.slots[passive].locals;
        let mut changes = self.manager().top();
        let mut written = Vec::new();
        for (variable, value) in &assignment.broadcast {
            let bit = locals[variable.index()];
            let next = self.manager().var(bit.next)?;
            changes = changes.and(&self.expression(value, &scope)?.assigned_to(&next)?)?;
            written.push(bit);
        }
        if let Some(constraint) = &assignment.passive_constraint {
            changes = changes.and(&self.expression(constraint, &scope)?.one)?;
        }
        Ok((changes, written))
    }
}
