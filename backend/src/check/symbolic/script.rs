//! Who takes which step when, and whether the program has such a run: searches that know only
//! sets of states, or states of single threads, say what happens, and here values are found for
//! it.
//!
//! The states along a script are sets over the shared variables and a copy of the locals for each
//! thread; where threads stand is known. Forwards, each step's image is taken; then, from a state
//! that fails, predecessors are picked one by one.

use rustc_hash::{FxHashMap, FxHashSet};
use sapa_bdd::{Bdd, BddManager, LimitReached, Var};
use sapa_ir::boolean::flat::{FlatExpr, FlatProgram, FlatStatement, LocalVar, LocationId};

use super::encode::Encoder;
use super::layout::{Layout, Relation, SlotOrder};
use super::order::VariableOrder;
use crate::check::analysis::liveness::Liveness;
use crate::check::analysis::stops::chain;
use crate::check::semantics::counted::{CountedState, CountedThread};
use crate::check::{SuspectStep, ThreadBound};

/// One step.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Move {
    /// Who: 0 is the initial thread, others in the order in which they are started.
    pub(crate) thread: usize,
    /// Where it stands, hence which statement it executes.
    pub(crate) location: LocationId,
    /// Where it stands then, past skips and jumps; `None` if it ends.
    pub(crate) successor: Option<LocationId>,
    /// Where the thread stands that it starts; that one has the next number.
    pub(crate) started: Option<LocationId>,
}

/// Steps up to a failure.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Script {
    /// Where the initial thread stands first, past skips and jumps.
    pub(crate) initial: LocationId,
    /// The steps.
    pub(crate) moves: Vec<Move>,
    /// Whose assertion fails after them.
    pub(crate) failing: usize,
}

impl Script {
    /// How many threads there are, the initial one included.
    pub(crate) fn threads(&self) -> usize {
        self.child(self.moves.len())
    }

    /// The program with no statements but those of the script: all others wait for ever.
    pub(crate) fn only_its_steps(&self, program: &FlatProgram) -> FlatProgram {
        let mut kept: FxHashSet<LocationId> = self.moves.iter().map(|step| step.location).collect();
        let arrivals = self.moves.iter().flat_map(|step| [step.successor, step.started]);
        kept.extend(
            arrivals
                .flatten()
                .filter(|stop| matches!(program.statement(*stop), FlatStatement::Assert { .. })),
        );
        let mut program = program.clone();
        for (at, location) in program.locations.iter_mut().enumerate() {
            let here = LocationId(at as u32);
            let moves = matches!(
                location.statement,
                FlatStatement::Skip { .. } | FlatStatement::Goto { .. }
            );
            if !moves && !kept.contains(&here) {
                let condition = FlatExpr::Constant(false);
                location.statement = FlatStatement::Assume { condition, next: here };
            }
        }
        program
    }

    /// The steps with those from skips and jumps; `None` if they do not follow each other.
    pub(crate) fn steps(&self, program: &FlatProgram) -> Option<Vec<SuspectStep>> {
        let mut places = vec![Some(program.entry)];
        let mut steps = Vec::new();
        for (number, step) in self.moves.iter().enumerate() {
            walk(program, &mut places, step.thread, step.location, &mut steps)?;
            let thread = step.thread as u32;
            let next = step.successor.and_then(|stop| {
                let all = program.statement(step.location).successors().iter().copied();
                all.filter_map(|next| Some((chain(program, next, stop)?.len(), next))).min()
            });
            let next = next.map(|(_, next)| next);
            if next.is_some() != step.successor.is_some() {
                return None;
            }
            *places.get_mut(step.thread)? = next;
            let mut started = None;
            if let (FlatStatement::StartThread { entry, .. }, Some(_)) =
                (program.statement(step.location), step.started)
            {
                started = Some(self.child(number) as u32);
                places.push(Some(*entry));
            }
            let location = step.location;
            steps.push(SuspectStep { thread, location, successor: next, started });
        }
        let failing = match self.moves.iter().rfind(|step| step.thread == self.failing) {
            Some(last) => last.successor,
            None => self.start_of(self.failing),
        };
        walk(program, &mut places, self.failing, failing?, &mut steps)?;
        Some(steps)
    }

    /// Where a thread stands first.
    fn start_of(&self, thread: usize) -> Option<LocationId> {
        match thread.checked_sub(1) {
            None => Some(self.initial),
            Some(number) => self.moves.iter().filter_map(|step| step.started).nth(number),
        }
    }

    /// The number of the thread that the step with this number starts, if it starts one.
    fn child(&self, step: usize) -> usize {
        1 + self.moves.iter().take(step).filter(|step| step.started.is_some()).count()
    }
}

/// Lets a thread walk over skips and jumps to where it is said to stand.
fn walk(
    program: &FlatProgram,
    places: &mut [Option<LocationId>],
    thread: usize,
    goal: LocationId,
    steps: &mut Vec<SuspectStep>,
) -> Option<()> {
    let place = places.get_mut(thread)?;
    let mut location = (*place)?;
    for next in chain(program, location, goal)? {
        let successor = Some(next);
        steps.push(SuspectStep { thread: thread as u32, location, successor, started: None });
        location = next;
    }
    *place = Some(goal);
    Some(())
}

/// A place in which a thread is, or that is empty.
type Places = Vec<Option<LocationId>>;

/// The sets along a script.
struct Walk<'p> {
    program: &'p FlatProgram,
    encoder: Encoder<'p>,
    liveness: &'p Liveness,
    /// Before each step and after the last: where threads stand, who is inside an atomic section,
    /// and the states.
    sets: Vec<(Places, Option<usize>, Bdd)>,
    /// The relations of steps that have one.
    relations: Vec<Option<Relation>>,
}

/// The states of a run that follows the script, with no more threads than the bound at once;
/// `None` if there is none.
///
/// # Errors
/// If a limit of the manager is reached.
pub(crate) fn follow(
    program: &FlatProgram,
    liveness: &Liveness,
    script: &Script,
    bound: ThreadBound,
    manager: &BddManager,
) -> Result<Option<Vec<CountedState>>, LimitReached> {
    let order = VariableOrder::new(program);
    let threads = script.threads();
    let layout = Layout::new(manager.clone(), &order, 0, threads, SlotOrder::Interleaved);
    let encoder = Encoder::with_layout(program, layout);
    let (shared, locals) = encoder.initial_products()?;
    let mut places = vec![None; threads];
    places[0] = Some(script.initial);
    let mut walk = Walk { program, encoder, liveness, sets: Vec::new(), relations: Vec::new() };
    let initial = walk.kept(&places, &shared.and(&locals)?)?;
    walk.sets.push((places, None, initial));
    for number in 0..script.moves.len() {
        if !walk.forward(script, number, bound)? {
            return Ok(None);
        }
    }
    walk.backward(script)
}

/// How many variables there are for following a script.
pub(crate) fn variables(program: &FlatProgram, script: &Script) -> usize {
    let slots = script.threads();
    2 * (program.shared.len() + program.locals.len().saturating_mul(slots)) + 128
}

impl Walk<'_> {
    fn manager(&self) -> &BddManager {
        &self.encoder.layout.manager
    }

    /// The variables of a thread's locals now, live at its place or not.
    fn locals(&self, thread: usize, place: LocationId, live: bool) -> Vec<Var> {
        let locals = self.encoder.layout.slots[thread].locals.iter().enumerate();
        let wanted = |v: usize| self.liveness.is_live(place, LocalVar(v as u32)) == live;
        locals.filter(|(v, _)| wanted(*v)).map(|(_, bit)| bit.current).collect()
    }

    /// A set without dead locals, and without what invariants cut off.
    fn kept(&self, places: &Places, set: &Bdd) -> Result<Bdd, LimitReached> {
        let set = self.without_dead(places, set)?;
        if self.program.invariants.is_empty() {
            return Ok(set);
        }
        let slots = places.iter().enumerate().filter_map(|(slot, place)| place.map(|_| slot));
        set.and(&self.encoder.allowed_in(&slots.collect::<Vec<_>>())?)
    }

    fn without_dead(&self, places: &Places, set: &Bdd) -> Result<Bdd, LimitReached> {
        let threads = places.iter().enumerate();
        let dead =
            threads.filter_map(|(thread, place)| Some(self.locals(thread, (*place)?, false)));
        set.exists(&self.manager().cube(&dead.flatten().collect::<Vec<_>>())?)
    }

    /// Takes the image of a step; whether there is one.
    fn forward(
        &mut self,
        script: &Script,
        number: usize,
        bound: ThreadBound,
    ) -> Result<bool, LimitReached> {
        let Some((places, inside, set)) = self.sets.last().cloned() else { return Ok(false) };
        let step = &script.moves[number];
        let thread = step.thread;
        if places.get(thread).copied().flatten() != Some(step.location)
            || inside.is_some_and(|inside| inside != thread)
        {
            return Ok(false);
        }
        let (mut after, mut next_inside) = (places.clone(), inside);
        after[thread] = step.successor;
        let mut relation = None;
        let mut states = set.clone();
        match self.program.statement(step.location) {
            FlatStatement::AtomicBegin { .. } => next_inside = Some(thread),
            FlatStatement::AtomicEnd { .. } => next_inside = None,
            FlatStatement::EndThread => {
                next_inside = None;
                let all: Vec<Var> =
                    self.encoder.layout.slots[thread].locals.iter().map(|b| b.current).collect();
                states = set.exists(&self.manager().cube(&all)?)?;
            }
            FlatStatement::StartThread { .. } => {
                let started = places.iter().skip(1).flatten().count();
                let has_room = bound.limit().is_none_or(|limit| started < limit as usize);
                let child = script.child(number);
                match step.started {
                    Some(at) if has_room => {
                        after[child] = Some(at);
                        states = states.and(&self.copies(thread, child, at)?)?;
                    }
                    _ => return Ok(false),
                }
            }
            statement => {
                if statement.as_assignment().is_some() {
                    let steps = self.relation(step.location, thread, &places)?;
                    states = steps.image(&set)?;
                    relation = Some(steps);
                }
            }
        }
        let states = self.kept(&after, &states)?;
        let is_possible = !states.is_false();
        self.relations.push(relation);
        self.sets.push((after, next_inside, states));
        Ok(is_possible)
    }

    /// That a started thread, which will be at `at`, has the locals of who starts it.
    fn copies(&self, parent: usize, child: usize, at: LocationId) -> Result<Bdd, LimitReached> {
        let slots = &self.encoder.layout.slots;
        let mut same = self.manager().top();
        for (v, (own, copy)) in slots[parent].locals.iter().zip(&slots[child].locals).enumerate() {
            if self.liveness.is_live(at, LocalVar(v as u32)) {
                let own = self.manager().var(own.current)?;
                same = same.and(&own.iff(&self.manager().var(copy.current)?)?)?;
            }
        }
        Ok(same)
    }

    /// The steps of a thread at a location, with what they do to all others that are there.
    fn relation(
        &self,
        location: LocationId,
        thread: usize,
        places: &Places,
    ) -> Result<Relation, LimitReached> {
        let there =
            places.iter().enumerate().filter(|(other, place)| *other != thread && place.is_some());
        let others: Vec<usize> = there.map(|(other, _)| other).collect();
        let parts = match self.program.statement(location).as_assignment() {
            Some(assignment) => self.encoder.step_parts(thread, &others, &assignment)?,
            None => Vec::new(),
        };
        Relation::new(self.manager(), thread, location.index(), parts)
    }

    /// Picks a failing state and its predecessors.
    fn backward(&self, script: &Script) -> Result<Option<Vec<CountedState>>, LimitReached> {
        let Some((places, inside, set)) = self.sets.last() else { return Ok(None) };
        let Some(failing) = places.get(script.failing).copied().flatten() else { return Ok(None) };
        let FlatStatement::Assert { condition, .. } = self.program.statement(failing) else {
            return Ok(None);
        };
        if inside.is_some_and(|inside| inside != script.failing) {
            return Ok(None);
        }
        let mut target = set.and(&self.encoder.where_false(script.failing, condition)?)?;
        let mut path = Vec::new();
        for (number, (places, inside, _)) in self.sets.iter().enumerate().rev() {
            let Some((state, cube)) = self.pick(places, *inside, &target)? else { return Ok(None) };
            path.push(state);
            let Some(before) = number.checked_sub(1) else { break };
            let set = &self.sets[before].2;
            target = match &self.relations[before] {
                Some(relation) => relation.preimage(&cube)?.and(set)?,
                None => {
                    let step = &script.moves[before];
                    let child = script.child(before);
                    let joined = match step.started {
                        Some(at) => set.and(&self.copies(step.thread, child, at)?)?,
                        None => set.clone(),
                    };
                    joined.and(&cube)?
                }
            };
        }
        path.reverse();
        Ok(Some(path))
    }

    /// Some state of a set, and the set of all that differ from it in nothing that matters.
    fn pick(
        &self,
        places: &Places,
        inside: Option<usize>,
        set: &Bdd,
    ) -> Result<Option<(CountedState, Bdd)>, LimitReached> {
        let Some(cube) = set.pick_cube() else { return Ok(None) };
        let known: FxHashMap<Var, bool> = cube.literals().iter().copied().collect();
        let value = |variable: Var| known.get(&variable).copied().unwrap_or(false);
        let mut literals: Vec<(Var, bool)> = Vec::new();
        let shared = self.encoder.layout.shared.iter().map(|bit| bit.current);
        literals.extend(shared.map(|variable| (variable, value(variable))));
        let mut threads = Vec::new();
        for (thread, place) in places.iter().enumerate() {
            let Some(location) = *place else { continue };
            let live = self.locals(thread, location, true);
            literals.extend(live.iter().map(|&variable| (variable, value(variable))));
            let locals = self.encoder.layout.slots[thread].locals.iter();
            threads.push(CountedThread {
                location,
                initial: thread == 0,
                holder: inside == Some(thread),
                locals: locals
                    .map(|bit| live.contains(&bit.current) && value(bit.current))
                    .collect(),
            });
        }
        let shared = self.encoder.layout.shared.iter().map(|bit| value(bit.current)).collect();
        let state = CountedState { shared, threads };
        Ok(Some((state, self.manager().conjunction(literals)?)))
    }
}
