//! Partial-order reduction (BOOM section 7.3): steps that no other thread can see or disturb.
//!
//! Resources are the shared variables, the threads' own locals as far as broadcasts reach them,
//! and the number of threads. A thread at a location may be the only one explored there if
//! * what its step writes is neither read nor written in any other thread's future, and what it
//!   reads is not written there (`W`, `R`, `W∞`, `R∞` of the paper; conditions of `assume` and
//!   `constrain` count as written, as they can block);
//! * the step is no broadcast, enters no atomic section and is enabled;
//! * the location does not close a cycle. The paper leaves this out, but without it a thread that
//!   goes round in a loop of its own would keep the others from ever moving. As each cycle of the
//!   control flow has a location where nothing is left out, no thread is put off for ever.
//!
//! With broadcasts a local is not private: it is read or written by the step of another thread.
//! So each thread's accesses to its own locals conflict with the others' accesses to passive ones.

use sapa_ir::boolean::flat::{FlatExpr, FlatProgram, FlatStatement, LocationId, VariableRef};

/// A set of small numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Bits(Vec<u64>);

impl Bits {
    fn new(size: usize) -> Bits {
        Bits(vec![0; size.div_ceil(64)])
    }
    fn insert(&mut self, at: usize) {
        self.0[at / 64] |= 1 << (at % 64);
    }
    fn contains(&self, at: usize) -> bool {
        self.0[at / 64] >> (at % 64) & 1 == 1
    }
    fn meets(&self, other: &Bits) -> bool {
        self.0.iter().zip(&other.0).any(|(a, b)| a & b != 0)
    }
    /// Whether anything is new.
    fn extend(&mut self, other: &Bits) -> bool {
        let mut grown = false;
        for (a, b) in self.0.iter_mut().zip(&other.0) {
            grown |= *b & !*a != 0;
            *a |= b;
        }
        grown
    }
}

/// What a step, or a future, reads and writes.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Access {
    /// Shared variables, then the number of threads.
    reads: Bits,
    writes: Bits,
    /// Locals of the thread itself.
    own_reads: Bits,
    own_writes: Bits,
    /// Locals of other threads.
    passive_reads: Bits,
    passive_writes: Bits,
}

impl Access {
    fn new(program: &FlatProgram) -> Access {
        let (shared, locals) =
            (Bits::new(program.shared.len() + 1), Bits::new(program.locals.len()));
        Access {
            reads: shared.clone(),
            writes: shared,
            own_reads: locals.clone(),
            own_writes: locals.clone(),
            passive_reads: locals.clone(),
            passive_writes: locals,
        }
    }

    fn extend(&mut self, other: &Access) -> bool {
        let Access { reads, writes, own_reads, own_writes, passive_reads, passive_writes } = self;
        [
            reads.extend(&other.reads),
            writes.extend(&other.writes),
            own_reads.extend(&other.own_reads),
            own_writes.extend(&other.own_writes),
            passive_reads.extend(&other.passive_reads),
            passive_writes.extend(&other.passive_writes),
        ]
        .contains(&true)
    }

    /// Whether this step of one thread and something in the future of another depend on each other.
    fn conflicts(&self, future: &Access) -> bool {
        self.writes.meets(&future.reads)
            || self.writes.meets(&future.writes)
            || self.reads.meets(&future.writes)
            || self.own_writes.meets(&future.passive_reads)
            || self.own_writes.meets(&future.passive_writes)
            || self.own_reads.meets(&future.passive_writes)
    }

    fn read(&mut self, expression: &FlatExpr) {
        expression.for_each_variable(&mut |variable| match variable {
            VariableRef::Shared(v) | VariableRef::NextShared(v) => self.reads.insert(v.index()),
            VariableRef::Local(v) | VariableRef::NextLocal(v) => self.own_reads.insert(v.index()),
            VariableRef::Passive(v) | VariableRef::NextPassive(v) => {
                self.passive_reads.insert(v.index());
            }
        });
    }

    /// What can block a step counts as written (section 7.3, Example 1).
    fn restrict(&mut self, expression: &FlatExpr) {
        expression.for_each_variable(&mut |variable| match variable {
            VariableRef::Shared(v) | VariableRef::NextShared(v) => self.writes.insert(v.index()),
            VariableRef::Local(v) | VariableRef::NextLocal(v) => self.own_writes.insert(v.index()),
            VariableRef::Passive(v) | VariableRef::NextPassive(v) => {
                self.passive_writes.insert(v.index());
            }
        });
    }
}

/// Which steps are independent of which futures.
#[derive(Debug)]
pub(crate) struct Independence {
    /// By location: whether its step may be explored alone, other threads permitting.
    candidates: Bits,
    /// By location: the locations of other threads whose future depends on the step.
    conflicts: Vec<Bits>,
}

impl Independence {
    /// `stops` says where threads stop, as for the engine that asks.
    pub(crate) fn new(program: &FlatProgram, stops: &[Vec<LocationId>]) -> Independence {
        let count = program.locations.len();
        let steps: Vec<Access> = program.iter().map(|(at, _)| access(program, at)).collect();
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
        let futures = futures(&steps, &successors);
        let closing = closing(count, |at| {
            successors[at].iter().flat_map(|next| stops[*next].iter().map(|stop| stop.index()))
        });
        let mut candidates = Bits::new(count);
        for (at, location) in program.iter() {
            let allowed = match &location.statement {
                FlatStatement::AtomicBegin { .. } | FlatStatement::AtomicEnd { .. } => false,
                FlatStatement::Assign { assignment, .. } => !assignment.involves_passive(),
                _ => true,
            };
            if allowed && !closing.contains(at.index()) {
                candidates.insert(at.index());
            }
        }
        let conflicts = steps.iter().enumerate().map(|(at, step)| {
            let mut conflicts = Bits::new(count);
            if candidates.contains(at) {
                let clash = (0..count).filter(|other| step.conflicts(&futures[*other]));
                clash.for_each(|other| conflicts.insert(other));
            }
            conflicts
        });
        Independence { conflicts: conflicts.collect(), candidates }
    }

    /// Whether the step at a location may be explored alone at all.
    pub(crate) fn is_candidate(&self, location: LocationId) -> bool {
        self.candidates.contains(location.index())
    }

    /// Whether a thread at `other` has nothing in its future that depends on the step at `location`.
    pub(crate) fn independent(&self, location: LocationId, other: LocationId) -> bool {
        !self.conflicts[location.index()].contains(other.index())
    }
}

fn access(program: &FlatProgram, location: LocationId) -> Access {
    let mut access = Access::new(program);
    let threads = program.shared.len();
    match program.statement(location) {
        FlatStatement::Skip { .. }
        | FlatStatement::Goto { .. }
        | FlatStatement::AtomicBegin { .. }
        | FlatStatement::AtomicEnd { .. } => {}
        FlatStatement::Assert { condition, .. } => access.read(condition),
        FlatStatement::Assume { condition, .. } => {
            access.read(condition);
            access.restrict(condition);
        }
        FlatStatement::StartThread { .. } => {
            access.reads.insert(threads);
            access.writes.insert(threads);
            // The new thread gets copies of all locals.
            (0..program.locals.len()).for_each(|local| access.own_reads.insert(local));
        }
        FlatStatement::EndThread => {
            access.reads.insert(threads);
            access.writes.insert(threads);
        }
        FlatStatement::Lock { variable, .. } => {
            access.reads.insert(variable.index());
            access.writes.insert(variable.index());
        }
        FlatStatement::Unlock { variable, .. } => access.writes.insert(variable.index()),
        FlatStatement::Assign { assignment, .. } => {
            for (target, value) in &assignment.shared {
                access.writes.insert(target.index());
                access.read(value);
            }
            for (target, value) in &assignment.local {
                access.own_writes.insert(target.index());
                access.read(value);
            }
            for (target, value) in &assignment.broadcast {
                access.passive_writes.insert(target.index());
                access.read(value);
            }
            for constraint in assignment.constraint.iter().chain(&assignment.passive_constraint) {
                access.read(constraint);
                access.restrict(constraint);
            }
            if assignment.involves_passive() {
                // Who there is matters.
                access.reads.insert(threads);
                access.writes.insert(threads);
            }
        }
    }
    access
}

/// The accesses of a thread at each location from there on, and of the threads it starts.
fn futures(steps: &[Access], successors: &[Vec<usize>]) -> Vec<Access> {
    let mut futures = steps.to_vec();
    let mut predecessors = vec![Vec::new(); steps.len()];
    for (at, next) in successors.iter().enumerate() {
        next.iter().for_each(|next| predecessors[*next].push(at));
    }
    let mut work: Vec<usize> = (0..steps.len()).collect();
    while let Some(at) = work.pop() {
        let future = futures[at].clone();
        for &before in &predecessors[at] {
            if futures[before].extend(&future) {
                work.push(before);
            }
        }
    }
    futures
}

/// Nodes such that every cycle has one: the targets of a depth-first search's back edges.
fn closing<I: Iterator<Item = usize>>(count: usize, successors: impl Fn(usize) -> I) -> Bits {
    let mut closing = Bits::new(count);
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
                    1 => closing.insert(next),
                    _ => {}
                },
            }
        }
    }
    closing
}
