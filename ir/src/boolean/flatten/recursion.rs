//! Recursive calls: those from one procedure of a cycle of calls to one of the same cycle.
//!
//! All other calls are inlined. There are two ways to go on from there, one for proofs and one for
//! failures, as reachability is undecidable with recursion and two threads (BOPPO section 4.3).
//!
//! # Calls as threads
//! [`Recursion::Threads`] is section 4.3's over-approximation. Each recursive call `y := f(e)`
//! has a synchronisation variable ψ of its own:
//! ```text
//! caller:  start_thread A;                     A:  p := e;  the body of f
//!          ψ, r := 0, 0 constrain ψ;               ψ, r := 1, results constrain no answer is there
//!          y := r;                                 end_thread
//! ```
//! The new thread begins with a copy of the caller's locals, among them those of the frames below,
//! and evaluates the arguments; the caller keeps its own locals meanwhile, so that a procedure may
//! call itself. What a callee returns passes through shared registers `r`, and so does what
//! it leaves in the `thread_local` globals.
//!
//! *Every run of the program is one of the translation.* A thread whose stack has n recursive calls
//! is n threads that wait and one that runs. A call is the start and the first step of the new
//! thread with nothing in between; a return is that the callee answers, and that the thread
//! takes the answer which stands for the caller's frame, with nothing in between: so there is no other
//! answer when one is given, and the constraint excludes no such run. Who waits has the
//! locals that the frame had, as a frame below the top one does not change but for its thread's
//! `thread_local` globals, which the answer overwrites, and for broadcasts of other threads, which meet the
//! threads that wait as well. Without bound on threads all these exist. That an answer may be taken by
//! another thread which waits at the same call is the loss of the translation: a failure means nothing.
//!
//! Refused is where that would not be so: a recursive call, or the end of its callee, inside an atomic
//! section, in which nobody else can move; a constraint on passive threads or an invariant of threads, which
//! those that wait would have to meet too; a thread that is started at a label within such a call, which would
//! have a stack of its own to return to.
//!
//! # Calls up to a depth
//! [`Recursion::Depth`] has frames of their own for the procedures of cycles, as many levels as asked
//! for. A level has one copy of each procedure, whoever calls it; the thread knows in local
//! variables to which call it returns. Runs are those of the program, step by step, up to where one would
//! need a deeper stack. There they are cut off, or fail: so a failure of the first kind is
//! one of the program, and without a failure of the second kind no run of the program fails.

use petgraph::algo::kosaraju_scc;
use petgraph::graph::{DiGraph, NodeIndex};
use rustc_hash::{FxHashMap, FxHashSet};

use super::Slot;
use super::assignment::conjunction;
use super::call::Call;
use super::joined::{mentions_of, owners};
use super::{Flattener, Place};
use crate::boolean::ast::{Expression, Program, Statement, StatementKind};
use crate::boolean::error::Error;
use crate::boolean::flat::{
    Assignment, FlatExpr, FlatInvariant, FlatStatement, FlatVariable, Initial, LocalVar,
    LocationId, SharedVar, VariableRef,
};

/// What becomes of recursive calls; see the module's documentation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Recursion {
    /// They are an error.
    #[default]
    Refused,
    /// Each is a thread that the caller waits for: an over-approximation, if there may be any number
    /// of threads.
    Threads {
        /// How many threads may exist at once besides the initial one, those of calls not counted: the
        /// program counts the others itself then.
        most: Option<u32>,
    },
    /// The runs in which no thread has more of them at once.
    Depth {
        /// How many.
        most: u32,
        /// Whether a run that comes to a deeper one fails there, instead of being cut off.
        fails_deeper: bool,
    },
}

/// Whether a procedure calls itself, directly or through others.
#[must_use]
pub fn is_recursive(program: &Program) -> bool {
    !Cycles::of(program).sites.is_empty()
}

/// The calls within cycles of calls.
#[derive(Default)]
pub(super) struct Cycles {
    sites: Vec<Site>,
    /// By the statements' addresses.
    by_statement: FxHashMap<*const StatementKind, usize>,
    /// How many of them call each procedure.
    callers: FxHashMap<usize, u32>,
}

/// A call within a cycle of calls.
#[derive(Clone, Copy)]
struct Site {
    callee: usize,
    /// Its number among those of the same callee.
    number: u32,
}

impl Cycles {
    pub(super) fn of(program: &Program) -> Cycles {
        let mut cycles = Cycles::default();
        let calls = Calls::of(program);
        let mut component = vec![0; program.procedures.len()];
        for (number, members) in kosaraju_scc(&calls.graph()).iter().enumerate() {
            members.iter().for_each(|member| component[member.index()] = number);
        }
        for (caller, statements) in calls.0.iter().enumerate() {
            for &(callee, statement) in statements {
                if component[caller] != component[callee] {
                    continue;
                }
                let callers = cycles.callers.entry(callee).or_default();
                cycles.by_statement.insert(statement, cycles.sites.len());
                cycles.sites.push(Site { callee, number: *callers });
                *callers += 1;
            }
        }
        cycles
    }

    /// Which of the calls a statement is.
    pub(super) fn site(&self, statement: &StatementKind) -> Option<usize> {
        self.by_statement.get(&std::ptr::from_ref(statement)).copied()
    }
}

/// For each procedure, whom it calls and by which statement. A call that a new thread begins with is
/// none: nobody waits for it.
struct Calls<'a>(Vec<Vec<(usize, &'a StatementKind)>>);

impl<'a> Calls<'a> {
    fn of(program: &'a Program) -> Self {
        let indices = program.procedures.iter().enumerate();
        let indices: FxHashMap<&str, usize> = indices.map(|(i, p)| (p.name.as_str(), i)).collect();
        let of_procedure = |body| {
            let mut found = Vec::new();
            calls_in(body, false, &mut found);
            let known = |(name, kind)| Some((*indices.get(name)?, kind));
            found.into_iter().filter_map(known).collect()
        };
        Calls(program.procedures.iter().map(|procedure| of_procedure(&procedure.body)).collect())
    }

    fn graph(&self) -> DiGraph<(), ()> {
        let mut graph = DiGraph::new();
        for _ in &self.0 {
            graph.add_node(());
        }
        for (caller, callees) in self.0.iter().enumerate() {
            for (callee, _) in callees {
                graph.add_edge(NodeIndex::new(caller), NodeIndex::new(*callee), ());
            }
        }
        graph
    }

    /// The procedures that one calls, directly or through others: itself only if it is in a cycle.
    fn reached_from(&self, procedure: usize) -> FxHashSet<usize> {
        let mut found = FxHashSet::default();
        let mut stack = vec![procedure];
        while let Some(procedure) = stack.pop() {
            let callees = self.0[procedure].iter().map(|(callee, _)| *callee);
            stack.extend(callees.filter(|callee| found.insert(*callee)));
        }
        found
    }
}

fn calls_in<'a>(
    block: &'a [Statement],
    begins: bool,
    found: &mut Vec<(&'a str, &'a StatementKind)>,
) {
    for statement in block {
        let begins = begins || statement.labels.iter().any(|label| label.starts_with("ASYNC_"));
        match &statement.kind {
            StatementKind::Call { targets, .. } if begins && targets.is_empty() => {}
            StatementKind::Call { callee, .. } => found.push((callee, &statement.kind)),
            StatementKind::If { branches, otherwise } => {
                branches.iter().for_each(|(_, body)| calls_in(body, false, found));
                otherwise.iter().for_each(|body| calls_in(body, false, found));
            }
            StatementKind::While { body, .. } => calls_in(body, false, found),
            StatementKind::StartThread { thread, .. } => {
                calls_in(std::slice::from_ref(&**thread), true, found);
            }
            _ => {}
        }
    }
}

/// A copy of a procedure that is still to be made.
pub(super) enum Unmade {
    /// For the threads that run it.
    Spawned(usize),
    /// For a recursive call as a thread.
    Answering(usize),
    /// For recursive calls of a depth.
    Level(Level),
}

/// A level of a tower of recursive calls, in which the thread has a certain frame.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Level {
    /// Which copy of a procedure was called from outside its cycle.
    tower: usize,
    frame: usize,
}

/// Where a copy of a procedure is entered and left.
#[derive(Clone, Copy)]
struct Ends {
    entry: LocationId,
    exit: LocationId,
}

/// What there is of recursive calls as threads.
#[derive(Default)]
pub(super) struct WithThreads {
    /// By call: the variable that says that the callee has answered, and where it begins.
    answered: FxHashMap<usize, (SharedVar, LocationId)>,
    /// What answers consist of.
    registers: Vec<SharedVar>,
    /// Where threads are started for calls.
    starts: FxHashSet<LocationId>,
    /// Where they answer.
    answers: FxHashSet<LocationId>,
    /// Where they end when they have answered.
    ends: FxHashSet<LocationId>,
}

/// What there is of recursive calls up to a depth.
#[derive(Default)]
pub(super) struct Levels {
    /// The frames that are not the procedures' first ones.
    frames: FxHashMap<(usize, u32), usize>,
    /// How many recursive calls are below each of them, and in which variables it keeps whom it
    /// returns to.
    of_frame: FxHashMap<usize, (u32, Vec<LocalVar>)>,
    /// How many towers there are.
    towers: usize,
    /// The tower of the copy that is being made.
    tower: usize,
    copies: FxHashMap<Level, Ends>,
}

impl<'a> Flattener<'a> {
    /// A broadcast means the one variable of its name that a passive thread has.
    pub(super) fn refuse_two_of_one_name(&self) -> Result<(), Error> {
        if self.cycles.sites.is_empty() {
            return Ok(());
        }
        let program = self.program;
        let (calls, owners) = (Calls::of(program), owners(program));
        let mut known = FxHashSet::default();
        for (name, position) in program.procedures.iter().flat_map(mentions_of) {
            if !known.insert(name) {
                continue;
            }
            let owners = owners.get(name).into_iter().flatten();
            let owners: Vec<usize> = owners
                .filter_map(|owner| self.procedures.get(owner.name.as_str()))
                .copied()
                .collect();
            for &owner in &owners {
                let reached = calls.reached_from(owner);
                if let Some(&other) = owners.iter().find(|other| reached.contains(other)) {
                    let [owner, other] =
                        [owner, other].map(|index| program.procedures[index].name.as_str());
                    let message = format!(
                        "`{owner}` calls `{other}`, directly or through others, and both declare \
                         `{name}`: `[{name}]` would mean two variables of one thread"
                    );
                    return Err(Error::new(position, message));
                }
            }
        }
        Ok(())
    }

    /// The frame that a call enters; `None` if it is deeper than is asked for.
    pub(super) fn frame_of(
        &mut self,
        here: Place,
        call: &Call<'_>,
    ) -> Result<Option<usize>, Error> {
        let (Some(_), Recursion::Depth { most, .. }) = (call.site, self.options.recursion) else {
            return Ok(Some(call.index));
        };
        let level = self.levels.of_frame.get(&here.frame).map_or(0, |(level, _)| *level) + 1;
        if level > most {
            return Ok(None);
        }
        if let Some(&frame) = self.levels.frames.get(&(call.index, level)) {
            return Ok(Some(frame));
        }
        let frame = self.declare_locals(call.index, level)?;
        let callers = self.cycles.callers.get(&call.index).copied().unwrap_or(0);
        let bits = u32::BITS - callers.saturating_sub(1).leading_zeros();
        let procedure = self.procedure_of_frame(frame);
        let bits: Vec<_> =
            (0..bits).map(|bit| self.local(procedure, level, &format!("from#{bit}"))).collect();
        bits.iter().for_each(|bit| self.locals[bit.index()].initial = Initial::Zero);
        self.levels.frames.insert((call.index, level), frame);
        self.levels.of_frame.insert(frame, (level, bits));
        Ok(Some(frame))
    }

    /// A call that is deeper than is asked for.
    pub(super) fn cut(&mut self, here: Place) -> Result<LocationId, Error> {
        let next = self.emit(here, FlatStatement::EndThread)?;
        let condition = FlatExpr::Constant(false);
        let fails = matches!(self.options.recursion, Recursion::Depth { fails_deeper: true, .. });
        self.emit(
            here,
            match fails {
                true => FlatStatement::Assert { condition, next },
                false => FlatStatement::Assume { condition, next },
            },
        )
    }

    /// A call within a cycle, which goes on at `after` with the results in their variables.
    pub(super) fn recursive_call(
        &mut self,
        here: Place,
        (site, frame): (usize, usize),
        arguments: &[Expression],
        after: LocationId,
    ) -> Result<LocationId, Error> {
        match self.options.recursion {
            Recursion::Refused => self.instance(frame, after),
            Recursion::Threads { .. } => self.call_as_thread(here, (site, frame), arguments, after),
            Recursion::Depth { .. } => self.call_at_level(here, (site, frame), arguments, after),
        }
    }

    fn call_as_thread(
        &mut self,
        here: Place,
        (site, frame): (usize, usize),
        arguments: &[Expression],
        after: LocationId,
    ) -> Result<LocationId, Error> {
        let (answered, entry) = match self.threads.answered.get(&site) {
            Some(known) => *known,
            None => {
                let name = format!("{}::answered#{site}", self.procedure_of_frame(frame).name);
                let answered = self.shared_zero(name);
                let entry = self.placeholder(frame)?;
                self.threads.answered.insert(site, (answered, entry));
                self.unmade.push(Unmade::Answering(site));
                (answered, entry)
            }
        };
        let mut assignment = Assignment {
            shared: vec![(answered, FlatExpr::Constant(false))],
            constraint: Some(FlatExpr::Variable(VariableRef::Shared(answered))),
            ..Assignment::default()
        };
        for (local, register) in self.answer_of(frame) {
            assignment.local.push((local, FlatExpr::Variable(VariableRef::Shared(register))));
            assignment.shared.push((register, FlatExpr::Constant(false)));
        }
        let next = self.emit(here, FlatStatement::Assign { assignment, next: after })?;
        let entry = self.enter(here, frame, arguments, Vec::new(), entry)?;
        let start = FlatStatement::StartThread { entry, next, waits: false };
        let start = self.emit(here, start)?;
        self.threads.starts.insert(start);
        Ok(start)
    }

    /// What an answer consists of: results and `thread_local` globals, each with its register.
    fn answer_of(&mut self, frame: usize) -> Vec<(LocalVar, SharedVar)> {
        let mut locals: Vec<LocalVar> = self
            .program
            .globals
            .iter()
            .filter_map(|global| match self.globals.get(global.name.as_str()) {
                Some(Slot::Local(variable)) => Some(*variable),
                _ => None,
            })
            .collect();
        locals.extend_from_slice(&self.results[frame]);
        while self.threads.registers.len() < locals.len() {
            let name = format!("answer#{}", self.threads.registers.len());
            let register = self.shared_zero(name);
            self.threads.registers.push(register);
        }
        locals.into_iter().zip(self.threads.registers.iter().copied()).collect()
    }

    fn shared_zero(&mut self, name: String) -> SharedVar {
        self.shared.push(FlatVariable { name, initial: Initial::Zero });
        SharedVar(self.shared.len() as u32 - 1)
    }

    /// A location for which the successors are filled in later.
    fn placeholder(&mut self, frame: usize) -> Result<LocationId, Error> {
        let here = Place::new(frame, self.procedure_of_frame(frame).position);
        self.emit(here, FlatStatement::Goto { targets: Vec::new() })
    }

    fn call_at_level(
        &mut self,
        here: Place,
        (site, frame): (usize, usize),
        arguments: &[Expression],
        after: LocationId,
    ) -> Result<LocationId, Error> {
        let level = Level { tower: self.levels.tower, frame };
        let ends = match self.levels.copies.get(&level) {
            Some(ends) => *ends,
            None => {
                let [entry, exit] = [self.placeholder(frame)?, self.placeholder(frame)?];
                self.levels.copies.insert(level, Ends { entry, exit });
                self.unmade.push(Unmade::Level(level));
                Ends { entry, exit }
            }
        };
        let number = self.cycles.sites[site].number;
        let bits = self.levels.of_frame.get(&frame).map_or(Vec::new(), |(_, bits)| bits.clone());
        let is_one = |bit: usize| number >> bit & 1 == 1;
        let from = bits.iter().enumerate();
        let from = from.map(|(bit, &v)| (v, FlatExpr::Constant(is_one(bit)))).collect();
        let is_back = bits.iter().enumerate().map(|(bit, &variable)| {
            let variable = FlatExpr::Variable(VariableRef::Local(variable));
            if is_one(bit) { variable } else { FlatExpr::Not(Box::new(variable)) }
        });
        let back = match conjunction(is_back.collect()) {
            Some(condition) => self.emit(here, FlatStatement::Assume { condition, next: after })?,
            None => self.emit(here, FlatStatement::Skip { next: after })?,
        };
        self.grow(here, 1)?;
        if let FlatStatement::Goto { targets } = &mut self.locations[ends.exit.index()].statement {
            targets.push(back);
        }
        self.enter(here, frame, arguments, from, ends.entry)
    }

    /// Begins a copy of a procedure. One that is called from outside its cycle is where a tower of
    /// recursive calls stands. The tower to go back to.
    pub(super) fn enter_tower(&mut self, frame: usize) -> usize {
        let before = self.levels.tower;
        if !self.levels.of_frame.contains_key(&frame) {
            self.levels.towers += 1;
            self.levels.tower = self.levels.towers;
        }
        before
    }

    pub(super) fn leave_tower(&mut self, before: usize) {
        self.levels.tower = before;
    }

    /// Makes the copies of procedures that others need.
    pub(super) fn make_the_rest(&mut self) -> Result<(), Error> {
        while let Some(unmade) = self.unmade.pop() {
            let (entry, next) = match unmade {
                Unmade::Spawned(procedure) => {
                    let here = Place::new(procedure, self.procedure_of_frame(procedure).position);
                    let end = self.emit(here, FlatStatement::EndThread)?;
                    (self.spawned.get(&procedure).copied(), self.instance(procedure, end)?)
                }
                Unmade::Answering(site) => {
                    let procedure = self.cycles.sites[site].callee;
                    let known = self.threads.answered.get(&site).copied();
                    let Some((answered, entry)) = known else { continue };
                    let here = Place::new(procedure, self.procedure_of_frame(procedure).position);
                    let end = self.emit(here, FlatStatement::EndThread)?;
                    self.threads.ends.insert(end);
                    let mut assignment = Assignment::default();
                    assignment.shared.push((answered, FlatExpr::Constant(true)));
                    for (local, register) in self.answer_of(procedure) {
                        let value = FlatExpr::Variable(VariableRef::Local(local));
                        assignment.shared.push((register, value));
                    }
                    let answer = FlatStatement::Assign { assignment, next: end };
                    let answer = self.emit(here, answer)?;
                    self.threads.answers.insert(answer);
                    (Some(entry), self.instance(procedure, answer)?)
                }
                Unmade::Level(level) => {
                    let Some(&ends) = self.levels.copies.get(&level) else { continue };
                    self.levels.tower = level.tower;
                    (Some(ends.entry), self.instance(level.frame, ends.exit)?)
                }
            };
            if let Some(entry) = entry {
                self.locations[entry.index()].statement = FlatStatement::Skip { next };
            }
        }
        Ok(())
    }

    /// What can be said of recursive calls as threads only when all locations are there.
    pub(super) fn finish_threads(&mut self, invariants: &[FlatInvariant]) -> Result<(), Error> {
        if self.threads.starts.is_empty() {
            return Ok(());
        }
        let mut pending: Vec<SharedVar> =
            self.threads.answered.values().map(|(answered, _)| *answered).collect();
        pending.sort_unstable();
        let none = pending.into_iter().map(|answered| {
            FlatExpr::Not(Box::new(FlatExpr::Variable(VariableRef::Shared(answered))))
        });
        let none: Vec<FlatExpr> = none.collect();
        let answers: Vec<LocationId> = self.threads.answers.iter().copied().collect();
        for at in answers {
            let location = &mut self.locations[at.index()];
            if let FlatStatement::Assign { assignment, .. } = &mut location.statement {
                assignment.constraint = conjunction(none.clone());
            }
            let here = Place::new(location.procedure.index(), location.position);
            self.grow(here, 2 * none.len())?;
        }
        self.refuse_passive_constraints()?;
        refuse_invariants_of_threads(invariants)?;
        self.refuse_calls_in_atomic_sections()?;
        self.refuse_starts_within_calls()?;
        match self.options.recursion {
            Recursion::Threads { most: Some(most) } => self.count_threads(most.saturating_add(1)),
            _ => Ok(()),
        }
    }

    /// Lets the program count its threads but for those of calls, with `most` of them at once: a start
    /// counts one and is a skip, or waits, where there are so many; an end counts one less, also
    /// one within a call, as nobody takes up the thread's calls then.
    fn count_threads(&mut self, most: u32) -> Result<(), Error> {
        let bits = u32::BITS - most.leading_zeros();
        let counter: Vec<SharedVar> =
            (0..bits).map(|bit| self.shared_zero(format!("threads#{bit}"))).collect();
        // The initial thread is one.
        self.shared[counter[0].index()].initial = Initial::One;
        let bit = |variable: SharedVar| FlatExpr::Variable(VariableRef::Shared(variable));
        let not = |e: FlatExpr| FlatExpr::Not(Box::new(e));
        let is_full = FlatExpr::And(
            (0..)
                .zip(&counter)
                .map(|(n, &v)| if most >> n & 1 == 1 { bit(v) } else { not(bit(v)) })
                .collect(),
        );
        // A bit changes where all lower ones are 1, or 0, before.
        let counted = |up: bool| {
            let lower = |n: usize| {
                counter[..n].iter().map(|&v| if up { bit(v) } else { not(bit(v)) }).collect()
            };
            let changed = counter.iter().enumerate();
            changed
                .map(|(n, &v)| (v, FlatExpr::Xor(vec![bit(v), FlatExpr::And(lower(n))])))
                .collect()
        };
        let counts = |up: bool, constraint: Option<FlatExpr>, next: LocationId| {
            let assignment =
                Assignment { shared: counted(up), constraint, ..Assignment::default() };
            FlatStatement::Assign { assignment, next }
        };
        for index in 0..self.locations.len() {
            let at = LocationId(index as u32);
            let location = &self.locations[index];
            let here = Place::new(location.procedure.index(), location.position);
            let statement = match location.statement.clone() {
                start @ FlatStatement::StartThread { next, waits, .. }
                    if !self.threads.starts.contains(&at) =>
                {
                    let start = self.emit(here, start)?;
                    let counting = counts(true, Some(not(is_full.clone())), start);
                    if waits {
                        counting
                    } else {
                        let condition = is_full.clone();
                        let targets = vec![
                            self.emit(here, counting)?,
                            self.emit(here, FlatStatement::Assume { condition, next })?,
                        ];
                        FlatStatement::Goto { targets }
                    }
                }
                FlatStatement::EndThread if !self.threads.ends.contains(&at) => {
                    let end = self.emit(here, FlatStatement::EndThread)?;
                    counts(false, None, end)
                }
                _ => continue,
            };
            self.grow(here, statement.size())?;
            self.locations[index].statement = statement;
        }
        Ok(())
    }

    fn refuse_passive_constraints(&self) -> Result<(), Error> {
        let constrains = |statement: &FlatStatement| {
            matches!(statement, FlatStatement::Assign { assignment, .. }
                if assignment.passive_constraint.is_some())
        };
        match self.locations.iter().find(|location| constrains(&location.statement)) {
            None => Ok(()),
            Some(location) => Err(Error::new(
                location.position,
                "a constraint on passive threads would be one on recursive calls too, where these \
                 are threads",
            )),
        }
    }

    /// Follows every thread from where it begins: it is outside an atomic section there.
    fn refuse_calls_in_atomic_sections(&self) -> Result<(), Error> {
        // Whether a thread may be there outside, and inside a section.
        let mut seen = vec![[false; 2]; self.locations.len()];
        let starts = self.locations.iter().filter_map(|location| match location.statement {
            FlatStatement::StartThread { entry, .. } => Some((entry, false)),
            _ => None,
        });
        // Without what is not reached, nobody is inside: more is followed than runs come to.
        let mut stack: Vec<(LocationId, bool)> = starts.collect();
        stack.extend((0..self.locations.len()).map(|at| (LocationId(at as u32), false)));
        while let Some((at, inside)) = stack.pop() {
            if std::mem::replace(&mut seen[at.index()][usize::from(inside)], true) {
                continue;
            }
            let location = &self.locations[at.index()];
            let is_call = self.threads.starts.contains(&at);
            if inside && (is_call || self.threads.answers.contains(&at)) {
                let name = &self.program.procedures[location.procedure.index()].name;
                let message = match is_call {
                    true => format!(
                        "a recursive call in `{name}` may be inside an atomic section, in which no \
                         thread can take it over"
                    ),
                    false => format!(
                        "a recursive call of `{name}` may end inside an atomic section, in which no \
                         thread can go on after it"
                    ),
                };
                return Err(Error::new(location.position, message));
            }
            let inside = match location.statement {
                FlatStatement::AtomicBegin { .. } => true,
                FlatStatement::AtomicEnd { .. } => false,
                _ => inside,
            };
            stack.extend(location.statement.successors().iter().map(|&next| (next, inside)));
        }
        Ok(())
    }

    /// A thread that begins at a label within a recursive call has a stack of its own below it.
    fn refuse_starts_within_calls(&self) -> Result<(), Error> {
        let mut seen = vec![false; self.locations.len()];
        for (at, location) in self.locations.iter().enumerate() {
            let FlatStatement::StartThread { entry, .. } = location.statement else { continue };
            if self.threads.starts.contains(&LocationId(at as u32)) {
                continue;
            }
            let mut stack = vec![entry];
            while let Some(at) = stack.pop() {
                if std::mem::replace(&mut seen[at.index()], true) {
                    continue;
                }
                if self.threads.answers.contains(&at) {
                    return Err(Error::new(
                        location.position,
                        "a thread that is started at a label within a recursive call would return \
                         from that call too",
                    ));
                }
                stack.extend_from_slice(self.locations[at.index()].statement.successors());
            }
        }
        Ok(())
    }
}

/// A thread that waits has old values of what is its thread's own.
fn refuse_invariants_of_threads(invariants: &[FlatInvariant]) -> Result<(), Error> {
    for invariant in invariants {
        let mut is_of_threads = false;
        invariant.condition.for_each_variable(&mut |variable| {
            is_of_threads |= !matches!(variable, VariableRef::Shared(_));
        });
        if is_of_threads {
            let message = "an invariant of threads would be one of recursive calls too, where these are \
                           threads";
            return Err(Error::new(invariant.position, message));
        }
    }
    Ok(())
}
