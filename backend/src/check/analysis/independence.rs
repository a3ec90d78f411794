//! Partial-order reduction (BOOM section 7.3): steps that no other thread can see or disturb.
//!
//! Resources are the shared variables, the threads' own locals as far as broadcasts reach them,
//! and the number of threads. A thread at a location may be the only one explored there if
//! * what its step writes is neither read nor written in any other thread's future, and what it
//!   reads is not written there (`W`, `R`, `W∞`, `R∞` of the paper; conditions of `assume` and
//!   `constrain` count as written, as they can block);
//! * the step is no broadcast, enters no atomic section, is no start that waits for room, and is
//!   enabled;
//! * the location does not close a cycle. The paper leaves this out, but without it a thread that
//!   goes round in a loop of its own would keep the others from ever moving. As each cycle of the
//!   control flow has a location where nothing is left out, no thread is put off for ever.
//!
//! With broadcasts a local is not private: it is read or written by the step of another thread.
//! So each thread's accesses to its own locals conflict with the others' accesses to passive ones.

use sapa_ir::boolean::flat::{
    Assignment, FlatExpr, FlatProgram, FlatStatement, LocationId, VariableRef,
};
use sapa_limits::Exceeded;

use crate::check::{CheckOptions, UnknownReason};

/// How many locations are looked at between tests of the time.
const INTERVAL: usize = 1024;

/// A kind of access to resources.
#[derive(Clone, Copy)]
enum Kind {
    /// Of shared variables, or of the number of threads, which comes after them.
    Reads,
    Writes,
    /// Of locals of the thread itself.
    OwnReads,
    OwnWrites,
    /// Of locals of other threads.
    PassiveReads,
    PassiveWrites,
}

/// The kinds of which one in a step, and the other in the future of another thread, make the two
/// depend on each other.
const CONFLICTS: [(Kind, Kind); 6] = [
    (Kind::Writes, Kind::Reads),
    (Kind::Writes, Kind::Writes),
    (Kind::Reads, Kind::Writes),
    (Kind::OwnWrites, Kind::PassiveReads),
    (Kind::OwnWrites, Kind::PassiveWrites),
    (Kind::OwnReads, Kind::PassiveWrites),
];

/// What the step at each location, or the future from there on, reads and writes: a row of bits
/// for each location, in one table, as there can be many locations.
#[derive(Clone, Debug)]
struct Accesses {
    /// Words of a set of shared variables, and of a set of locals.
    shared: usize,
    locals: usize,
    bits: Vec<u64>,
}

impl Accesses {
    /// The words of a row.
    fn width(shared: usize, locals: usize) -> usize {
        2 * shared + 4 * locals
    }

    /// The accesses of each step.
    fn of_steps(program: &FlatProgram) -> Accesses {
        let (shared, locals) = words(program);
        let width = Accesses::width(shared, locals);
        let bits = vec![0; width * program.locations.len()];
        let mut this = Accesses { shared, locals, bits };
        for (at, _) in program.iter() {
            Row { accesses: &mut this, at: at.index() }.step(program, at);
        }
        this
    }

    fn row(&self, at: usize) -> std::ops::Range<usize> {
        let width = Accesses::width(self.shared, self.locals);
        at * width..(at + 1) * width
    }

    fn start(&self, at: usize, kind: Kind) -> usize {
        let within = match kind {
            Kind::Reads => 0,
            Kind::Writes => self.shared,
            Kind::OwnReads => 2 * self.shared,
            Kind::OwnWrites => 2 * self.shared + self.locals,
            Kind::PassiveReads => 2 * self.shared + 2 * self.locals,
            Kind::PassiveWrites => 2 * self.shared + 3 * self.locals,
        };
        self.row(at).start + within
    }

    fn set(&self, at: usize, kind: Kind) -> &[u64] {
        let start = self.start(at, kind);
        let words = match kind {
            Kind::Reads | Kind::Writes => self.shared,
            _ => self.locals,
        };
        &self.bits[start..start + words]
    }

    /// Adds the row of one location to that of another; whether anything is new.
    fn extend(&mut self, at: usize, from: usize) -> bool {
        let mut grown = false;
        for (into, from) in self.row(at).zip(self.row(from)) {
            let word = self.bits[from];
            grown |= word & !self.bits[into] != 0;
            self.bits[into] |= word;
        }
        grown
    }
}

/// The words of a set of shared variables with the number of threads, and of a set of locals.
fn words(program: &FlatProgram) -> (usize, usize) {
    ((program.shared.len() + 1).div_ceil(64), program.locals.len().div_ceil(64))
}

/// A row that is being filled.
struct Row<'a> {
    accesses: &'a mut Accesses,
    at: usize,
}

impl Row<'_> {
    fn insert(&mut self, kind: Kind, resource: usize) {
        let start = self.accesses.start(self.at, kind);
        self.accesses.bits[start + resource / 64] |= 1 << (resource % 64);
    }

    fn mention(&mut self, expression: &FlatExpr, [shared, own, passive]: [Kind; 3]) {
        expression.for_each_variable(&mut |variable| match variable {
            VariableRef::Shared(v) | VariableRef::NextShared(v) => self.insert(shared, v.index()),
            VariableRef::Local(v) | VariableRef::NextLocal(v) => self.insert(own, v.index()),
            VariableRef::Passive(v) | VariableRef::NextPassive(v) => {
                self.insert(passive, v.index());
            }
        });
    }

    fn read(&mut self, expression: &FlatExpr) {
        self.mention(expression, [Kind::Reads, Kind::OwnReads, Kind::PassiveReads]);
    }

    /// What can block a step counts as written (section 7.3, Example 1).
    fn restrict(&mut self, expression: &FlatExpr) {
        self.read(expression);
        self.mention(expression, [Kind::Writes, Kind::OwnWrites, Kind::PassiveWrites]);
    }

    fn use_threads(&mut self, program: &FlatProgram) {
        let threads = program.shared.len();
        self.insert(Kind::Reads, threads);
        self.insert(Kind::Writes, threads);
    }

    fn step(&mut self, program: &FlatProgram, location: LocationId) {
        match program.statement(location) {
            FlatStatement::Skip { .. }
            | FlatStatement::Goto { .. }
            | FlatStatement::AtomicBegin { .. }
            | FlatStatement::AtomicEnd { .. } => {}
            FlatStatement::Assert { condition, .. } => self.read(condition),
            FlatStatement::Assume { condition, .. } => self.restrict(condition),
            FlatStatement::StartThread { .. } => {
                self.use_threads(program);
                // The new thread gets copies of all locals.
                (0..program.locals.len()).for_each(|local| self.insert(Kind::OwnReads, local));
            }
            FlatStatement::EndThread => self.use_threads(program),
            FlatStatement::Lock { variable, .. } => {
                self.insert(Kind::Reads, variable.index());
                self.insert(Kind::Writes, variable.index());
            }
            FlatStatement::Unlock { variable, .. } => self.insert(Kind::Writes, variable.index()),
            FlatStatement::Assign { assignment, .. } => self.assign(program, assignment),
        }
    }

    fn assign(&mut self, program: &FlatProgram, assignment: &Assignment) {
        for (target, value) in &assignment.shared {
            self.insert(Kind::Writes, target.index());
            self.read(value);
        }
        for (target, value) in &assignment.local {
            self.insert(Kind::OwnWrites, target.index());
            self.read(value);
        }
        for (target, value) in &assignment.broadcast {
            self.insert(Kind::PassiveWrites, target.index());
            self.read(value);
        }
        let constraints = assignment.constraint.iter().chain(&assignment.passive_constraint);
        constraints.for_each(|constraint| self.restrict(constraint));
        if assignment.involves_passive() {
            // Who there is matters.
            self.use_threads(program);
        }
    }
}

/// Which steps are independent of which futures.
#[derive(Debug)]
pub(crate) struct Independence {
    /// By location: whether its step may be explored alone, other threads permitting.
    candidates: Vec<bool>,
    steps: Accesses,
    futures: Accesses,
}

impl Independence {
    /// What the reduction needs, if the options ask for it. `stops` says where threads stop, as
    /// for the engine that asks.
    ///
    /// # Errors
    /// The limit that was reached.
    pub(crate) fn if_wanted(
        program: &FlatProgram,
        stops: &[Vec<LocationId>],
        options: &CheckOptions,
    ) -> Result<Option<Independence>, UnknownReason> {
        // What invariants cut off depends on all threads.
        if !options.partial_order_reduction || !program.invariants.is_empty() {
            return Ok(None);
        }
        let (shared, locals) = words(program);
        let words = Accesses::width(shared, locals).saturating_mul(program.locations.len());
        if options.memory_limit.is_some_and(|limit| words > limit / 16) {
            return Err(UnknownReason::Exceeded(Exceeded::Memory));
        }
        let successors: Vec<Vec<usize>> = program
            .iter()
            .map(|(_, location)| {
                let entry = match &location.statement {
                    FlatStatement::StartThread { entry, .. } => Some(entry),
                    _ => None,
                };
                let next = location.statement.successors().iter().chain(entry);
                next.map(|location| location.index()).collect()
            })
            .collect();
        let steps = Accesses::of_steps(program);
        let futures = futures(&steps, &successors, options)?;
        let closing = closing(program.locations.len(), |at| {
            successors[at].iter().flat_map(|next| stops[*next].iter().map(|stop| stop.index()))
        });
        let candidates = program.iter().map(|(at, location)| {
            let allowed = match &location.statement {
                FlatStatement::AtomicBegin { .. } | FlatStatement::AtomicEnd { .. } => false,
                FlatStatement::Assign { assignment, .. } => !assignment.involves_passive(),
                FlatStatement::StartThread { waits, .. } => !waits,
                _ => true,
            };
            allowed && !closing[at.index()]
        });
        Ok(Some(Independence { candidates: candidates.collect(), steps, futures }))
    }

    /// Whether the step at a location may be explored alone at all.
    pub(crate) fn is_candidate(&self, location: LocationId) -> bool {
        self.candidates[location.index()]
    }

    /// Whether a thread at `other` has nothing in its future that depends on the step at `location`.
    pub(crate) fn independent(&self, location: LocationId, other: LocationId) -> bool {
        CONFLICTS.iter().all(|&(now, then)| {
            let step = self.steps.set(location.index(), now);
            let future = self.futures.set(other.index(), then);
            step.iter().zip(future).all(|(a, b)| a & b == 0)
        })
    }

    /// Approximate size in bytes.
    pub(crate) fn bytes(&self) -> usize {
        8 * (self.steps.bits.len() + self.futures.bits.len()) + self.candidates.len()
    }
}

/// The accesses of a thread at each location from there on, and of the threads it starts.
fn futures(
    steps: &Accesses,
    successors: &[Vec<usize>],
    options: &CheckOptions,
) -> Result<Accesses, UnknownReason> {
    let mut futures = steps.clone();
    let mut predecessors = vec![Vec::new(); successors.len()];
    for (at, next) in successors.iter().enumerate() {
        next.iter().for_each(|next| predecessors[*next].push(at));
    }
    let mut work: Vec<usize> = (0..successors.len()).collect();
    let mut looked = 0;
    while let Some(at) = work.pop() {
        looked += 1;
        if looked % INTERVAL == 0
            && let Some(reason) = options.stop()
        {
            return Err(reason);
        }
        for &before in &predecessors[at] {
            if futures.extend(before, at) {
                work.push(before);
            }
        }
    }
    Ok(futures)
}

/// Nodes such that every cycle has one: the targets of a depth-first search's back edges.
fn closing<I: Iterator<Item = usize>>(count: usize, successors: impl Fn(usize) -> I) -> Vec<bool> {
    let mut closing = vec![false; count];
    // 0: new, 1: on the path, 2: done.
    let mut colour = vec![0u8; count];
    for root in 0..count {
        if colour[root] != 0 {
            continue;
        }
        colour[root] = 1;
        let mut path: Vec<(usize, Vec<usize>)> = vec![(root, successors(root).collect())];
        while let Some((at, rest)) = path.last_mut() {
            match rest.pop() {
                None => {
                    colour[*at] = 2;
                    path.pop();
                }
                Some(next) => match colour[next] {
                    0 => {
                        colour[next] = 1;
                        path.push((next, successors(next).collect()));
                    }
                    1 => closing[next] = true,
                    _ => {}
                },
            }
        }
    }
    closing
}
