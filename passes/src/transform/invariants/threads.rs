//! The least fixed point over all threads.
//!
//! Each function is analysed alone; what other threads do to shared memory is what any thread leaves
//! there where it may be interrupted ([`Shared`]), and what they leave depends on what they find. So
//! this is repeated until nothing new is left. No order of threads, and no number of them, enters.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use sapa_ir::goto::{
    BlockId, FunctionId, Instruction, Module, Op, Operand, Target, TerminatorKind,
};
use sapa_limits::{Exceeded, Limits};

use super::body::Body;
use super::bounds::Bounds;
use super::cells::{Access, Cell, CellId, Cells};
use super::counting::{Counts, are_few};
use super::ended::Ended;
use super::fields::FieldId;
use super::growing::Growing;
use super::inequalities::Inequalities;
use super::locks::Locks;
use super::range::Range;
use super::simulation::Simulation;
use super::walk::{Others, State, Walk};
use crate::analysis::once::ExecutedOnce;
use crate::linear::{Sum, System};

/// What holds of some cells, whenever others may come to see them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Group {
    /// Between the cells.
    pub(super) system: System<CellId>,
    /// Of each.
    pub(super) ranges: BTreeMap<CellId, Range>,
    /// Of sums that conditions look at.
    pub(super) sums: Bounds<CellId>,
    /// Between those that are compared.
    pub(super) inequalities: Inequalities<CellId>,
}

/// What threads may find in shared memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Shared {
    /// By lock: what holds of the cells that it guards while nobody holds it; and of all others
    /// whenever a thread may be interrupted. Where nobody has left anything, there is none.
    pub(super) groups: BTreeMap<Option<CellId>, Group>,
    /// By cell: what is there whenever a thread may be interrupted, whoever holds what.
    pub(super) ever: Vec<Range>,
}

impl Shared {
    /// Anything, where no cell is guarded.
    pub(super) fn any(cells: &Cells) -> Self {
        let ever: Vec<Range> = cells.all.iter().map(|cell| Range::all(cell.width)).collect();
        let ranges = (0..).zip(ever.iter().copied()).collect();
        let group = Group { ranges, ..Group::default() };
        Self { groups: BTreeMap::from([(None, group)]), ever }
    }
}

/// Rounds over all threads before bounds that still grow are given up, and equations that still
/// change with them.
const MOST_ROUNDS: usize = 24;

/// Visits of a block before bounds that still grow go on to the next threshold, and before they are
/// given up.
const WIDEN: usize = 2;
const MOST_VISITS: usize = 40;

/// How often what was found is found again.
const DESCENTS: usize = 3;

/// How often it is asked what else counts and grows by what was found.
const MOST_COUNTED_AGAIN: usize = 3;

/// The blocks of all functions that are executed at most, in all.
const MOST_WALKS: usize = 5_000;

/// What the execution of a block leaves.
enum Left {
    /// For threads that interrupt it.
    Shared(Shared),
    /// In a field, for all that ever read it.
    Stored(FieldId, Range),
    /// For who finds that the thread has ended, by the number of the end.
    Ended(usize, State),
}

/// The analysis of a program.
pub(super) struct Threads<'m> {
    pub(super) cells: &'m Cells,
    pub(super) locks: Locks,
    pub(super) counts: Counts,
    growing: Growing,
    ended: Ended,
    /// The cells that the initial thread writes.
    first_written: BTreeSet<CellId>,
    pub(super) bodies: Vec<Body<'m>>,
    /// What is known where blocks begin, by function and block; `None` where no run comes.
    pub(super) states: Vec<Vec<Option<State>>>,
    pub(super) shared: Option<Shared>,
    /// What fields hold; `None` where nobody has stored anything that is read.
    fields: Vec<Option<Range>>,
    /// By the number of the end: what threads know of cells when they end; `None` where none does.
    known_at_ends: Vec<Option<State>>,
    /// Rounds so far.
    rounds: usize,
    walks: usize,
    /// While what was found is found again without what had to be guessed: what threads leave now.
    again: Option<Option<Shared>>,
}

/// What was found so far, and by what.
struct Found {
    states: Vec<Vec<Option<State>>>,
    shared: Option<Shared>,
    fields: Vec<Option<Range>>,
    known_at_ends: Vec<Option<State>>,
    counts: Counts,
    growing: Growing,
}

/// The functions that threads run, the entry first; `None` if some may be others, or call any.
pub(super) fn roots(module: &Module) -> Option<Vec<FunctionId>> {
    let mut roots = vec![module.entry?];
    let mut next = 0;
    while let Some(&root) = roots.get(next) {
        next += 1;
        for instruction in module.function(root).instructions() {
            match &instruction.op {
                Op::Call { .. } | Op::Sync { .. } => return None,
                Op::Spawn { function: Operand::Function(started), .. } => {
                    if !module.function(*started).is_defined() {
                        return None;
                    }
                    if !roots.contains(started) {
                        roots.push(*started);
                    }
                }
                Op::Spawn { .. } => return None,
                _ => {}
            }
        }
    }
    Some(roots)
}

/// The thread functions, each with what is known of it before it is analysed.
pub(super) fn bodies<'m>(
    module: &'m Module,
    roots: &[FunctionId],
    once: &ExecutedOnce,
    cells: &Cells,
    limits: &Limits,
) -> Result<Vec<Body<'m>>, Exceeded> {
    let mut bodies = Vec::new();
    for (at, &root) in roots.iter().enumerate() {
        limits.check()?;
        let starts_alone = at == 0 && once.contains(root);
        bodies.push(Body::new(module, root, starts_alone));
    }
    let written: Vec<BTreeSet<CellId>> =
        bodies.iter().map(|body| cells.written_beside_others(body)).collect();
    for (at, body) in bodies.iter_mut().enumerate() {
        let others = written.iter().enumerate();
        let others = others.filter(|(other, _)| *other != at || !once.contains(body.id));
        let foreign: BTreeSet<CellId> = others.flat_map(|(_, cells)| cells.clone()).collect();
        body.foreign = foreign.into_iter().collect();
    }
    Ok(bodies)
}

impl<'m> Threads<'m> {
    /// Analyses the program of these thread functions, which starts `started` threads at most; `None` if
    /// that takes too much work.
    pub(super) fn new(
        module: &'m Module,
        roots: &[FunctionId],
        once: &ExecutedOnce,
        cells: &'m Cells,
        started: Option<u64>,
        limits: &Limits,
    ) -> Result<Option<Self>, Exceeded> {
        let bodies = bodies(module, roots, once, cells, limits)?;
        let states = bodies.iter().map(|body| vec![None; body.function.blocks.len()]).collect();
        let locks = Locks::new(&bodies, cells, limits)?;
        let ended = Ended::new(&bodies, once, cells, &locks);
        let known_at_ends = vec![None; ended.all.len()];
        let first_written = bodies.first().map(|first| cells.written(first.id)).unwrap_or_default();
        let (counts, growing) = (Counts::default(), Growing::default());
        let (rounds, walks) = (0, 0);
        let fields = cells.fields.all.iter().map(|field| field.initial).collect();
        let (shared, again) = (None, None);
        let mut threads = Self {
            cells,
            locks,
            counts,
            growing,
            ended,
            first_written,
            bodies,
            states,
            shared,
            fields,
            known_at_ends,
            rounds,
            walks,
            again,
        };
        if !threads.run(once, limits)? {
            return Ok(None);
        }
        let [counts, supposed] = Counts::new(&threads, once, started, limits)?.parted();
        let growing = Growing::new(&threads, limits)?;
        threads.run_with(counts, growing, once, limits)?;
        threads.suppose(supposed, once, started, limits)?;
        // What is counted does not wrap, so that more may be counted, and grow.
        for _ in 0..MOST_COUNTED_AGAIN {
            if threads.counts.is_empty() {
                break;
            }
            let mut counts = threads.counts.clone();
            if !are_few(started) {
                let [more, _] = Counts::new(&threads, once, started, limits)?.parted();
                counts = counts.with_new(more);
            }
            let growing = Growing::new(&threads, limits)?;
            if growing == threads.growing && counts.len() == threads.counts.len() {
                break;
            }
            threads.run_with(counts, growing, once, limits)?;
        }
        Ok(Some(threads))
    }

    /// Analyses the program once more with what counts and grows, if that is anything new. If it takes too much work, what
    /// was found before is true, too.
    fn run_with(
        &mut self,
        counts: Counts,
        growing: Growing,
        once: &ExecutedOnce,
        limits: &Limits,
    ) -> Result<(), Exceeded> {
        if counts.is_empty() && growing.is_empty() {
            return Ok(());
        }
        let before = self.found();
        (self.counts, self.growing) = (counts, growing);
        if !self.run(once, limits)? {
            self.restore(before);
        }
        Ok(())
    }

    /// What is known so far.
    fn found(&self) -> Found {
        Found {
            states: self.states.clone(),
            shared: self.shared.clone(),
            fields: self.fields.clone(),
            known_at_ends: self.known_at_ends.clone(),
            counts: self.counts.clone(),
            growing: self.growing.clone(),
        }
    }

    fn restore(&mut self, found: Found) {
        let Found { states, shared, fields, known_at_ends, counts, growing } = found;
        self.known_at_ends = known_at_ends;
        (self.states, self.shared, self.fields) = (states, shared, fields);
        (self.counts, self.growing) = (counts, growing);
    }

    /// Finds which ends of counts are respected if they are supposed, and goes on with what is known by them. A run that
    /// goes beyond one has a first step that does so; before it, all that is known with what is supposed is true, so that
    /// the step is among those which were found with it. Those that do not respect what was supposed
    /// are given up, until all that are left do (Flanagan and Leino, "Houdini, an annotation assistant for
    /// ESC/Java", FME 2001).
    fn suppose(
        &mut self,
        mut supposed: Counts,
        once: &ExecutedOnce,
        started: Option<u64>,
        limits: &Limits,
    ) -> Result<(), Exceeded> {
        let before = self.found();
        while !supposed.is_empty() {
            self.counts = before.counts.with(&supposed);
            if !self.run(once, limits)? {
                break;
            }
            let found = Counts::new(self, once, started, limits)?;
            let count = supposed.len();
            supposed.keep_confirmed(&found);
            if supposed.len() == count {
                return Ok(());
            }
        }
        self.restore(before);
        Ok(())
    }

    /// Analyses all functions until nothing changes; `false` if that is too much work.
    fn run(&mut self, once: &ExecutedOnce, limits: &Limits) -> Result<bool, Exceeded> {
        (self.shared, self.rounds) = (self.initial(once), 0);
        self.known_at_ends.fill(None);
        loop {
            let before = (self.shared.clone(), self.fields.clone(), self.known_at_ends.clone());
            for at in 0..self.bodies.len() {
                if !self.function(at, limits)? {
                    return Ok(false);
                }
            }
            self.rounds += 1;
            if (&self.shared, &self.fields, &self.known_at_ends)
                == (&before.0, &before.1, &before.2)
            {
                break;
            }
        }
        if self.rounds > WIDEN {
            self.descend(once, limits)?;
        }
        Ok(true)
    }

    /// Forgets guesses that turned out to be too large: all runs are within what was found, so that they
    /// are also within what one step more makes of that, without what was found before.
    fn descend(&mut self, once: &ExecutedOnce, limits: &Limits) -> Result<(), Exceeded> {
        for _ in 0..DESCENTS {
            let before = (self.shared.clone(), self.states.clone());
            self.again = Some(self.initial(once));
            let mut is_done = true;
            for at in 0..self.bodies.len() {
                is_done = is_done && self.function(at, limits)?;
            }
            let found = self.again.take().flatten();
            if !is_done {
                // States of functions that were not finished hold of some runs only.
                (self.shared, self.states) = before;
                return Ok(());
            }
            if found == self.shared {
                return Ok(());
            }
            self.shared = found;
        }
        Ok(())
    }

    /// What the program starts with, where others may begin at once.
    fn initial(&self, once: &ExecutedOnce) -> Option<Shared> {
        if once.contains(self.bodies[0].id) {
            return None;
        }
        let ever: Vec<Range> = self.cells.all.iter().map(Cell::range).collect();
        let mut groups: BTreeMap<Option<CellId>, Group> =
            BTreeMap::from([(None, Group::default())]);
        for (id, cell) in (0..).zip(&self.cells.all) {
            let group = groups.entry(self.locks.guard_of(id)).or_default();
            group.ranges.insert(id, cell.range());
            if let Some(value) = cell.initial {
                let mut row = Sum::variable(cell.width, id);
                row.add(&Sum::constant(cell.width, value), u128::MAX);
                group.system.add(row);
            }
        }
        for group in groups.values_mut() {
            // One equation a cell: there is a solution.
            let _ = group.system.normalize();
        }
        Some(Shared { groups, ever })
    }

    /// Analyses a function with what is known to be left by others; `false` if the work is too much.
    fn function(&mut self, at: usize, limits: &Limits) -> Result<bool, Exceeded> {
        let mut visits = vec![0usize; self.states[at].len()];
        self.states[at].fill(None);
        let Some(start) = self.begins(at) else { return Ok(true) };
        let first = BlockId::new(0);
        self.states[at][first.index()] = Some(start);
        let mut pending = vec![false; visits.len()];
        pending[first.index()] = true;
        let order = self.bodies[at].order.clone();
        while let Some(&block) = order.iter().find(|block| pending[block.index()]) {
            limits.check()?;
            self.walks += 1;
            if self.walks > MOST_WALKS {
                return Ok(false);
            }
            pending[block.index()] = false;
            let (mut left, mut stored, mut next) = (Vec::new(), Vec::new(), Vec::new());
            let mut ended = Vec::new();
            let mut leave = |found: Left| match found {
                Left::Shared(found) => left.push(found),
                Left::Stored(field, range) => stored.push((field, range)),
                Left::Ended(end, state) => ended.push((end, state)),
            };
            self.block(at, block, &mut leave, &mut |to, state| next.push((to, state)));
            left.into_iter().for_each(|found| self.leave(found));
            stored.into_iter().for_each(|(field, range)| self.store(field, range));
            ended.into_iter().for_each(|(end, state)| self.end(at, end, state));
            for (to, state) in next {
                let is_header = self.bodies[at].headers.contains(&to);
                let known = &mut self.states[at][to.index()];
                let joined = match known {
                    None => state,
                    Some(known) => {
                        let visits = if is_header { visits[to.index()] } else { 0 };
                        join(known, &state, visits, &self.bodies[at])
                    }
                };
                if known.as_ref() != Some(&joined) {
                    *known = Some(joined);
                    visits[to.index()] += 1;
                    pending[to.index()] = !self.bodies[at].decisions.contains(&to);
                }
            }
        }
        Ok(true)
    }

    /// What holds where a thread begins.
    fn start(&self, at: usize) -> State {
        let mut state = State::default();
        let body = &self.bodies[at];
        let is_alone = at == 0 && body.alone[0];
        for (id, cell) in (0..).zip(&self.cells.all) {
            // What no other thread writes at all is as it was at the start of the program; of a function that
            // is executed more than once others may be threads of the same.
            if !is_alone && body.foreign.contains(&id) {
                continue;
            }
            // What the initial thread wrote before there were others is as it left that.
            if at != 0 && self.first_written.contains(&id) {
                if let Some(shared) = &self.shared {
                    state.ranges.insert(super::walk::Variable::Cell(id), shared.ever[id as usize]);
                }
                continue;
            }
            if let Some(value) = cell.initial {
                let variable = super::walk::Variable::Cell(id);
                let mut row = Sum::variable(cell.width, variable);
                row.add(&Sum::constant(cell.width, value), u128::MAX);
                state.system.add(row);
                state.ranges.insert(variable, Range::constant(cell.width, value));
            }
        }
        let _ = state.system.normalize();
        state
    }

    /// Executes a block, and tells what it leaves for others, and where it goes on with what.
    fn block(
        &self,
        at: usize,
        block: BlockId,
        left: &mut dyn FnMut(Left),
        next: &mut dyn FnMut(BlockId, State),
    ) {
        let body = &self.bodies[at];
        let Some(mut walk) = self.walk(at, block) else { return };
        let data = body.function.block(block);
        for (index, instruction) in data.instructions.iter().enumerate() {
            let was_alone = walk.is_alone();
            walk.step(block, index, instruction);
            let stored = std::mem::take(&mut walk.stored);
            stored.into_iter().for_each(|(field, range)| left(Left::Stored(field, range)));
            if walk.is_dead() {
                return;
            }
            let access = self.cells.at(body.id, block.index(), index);
            if let Access::Write(cell) = access
                && !walk.is_alone()
                && let Some(end) = self.ended.of_flag(*cell)
            {
                let own = &self.ended.all[end].own;
                let found = walk.cases().into_iter().filter_map(|case| case.of_cells(own));
                found.for_each(|state| left(Left::Ended(end, state)));
            }
            let is_written = match instruction.op {
                Op::Store { .. } | Op::CopyMemory { .. } | Op::HavocMemory { .. } => {
                    !matches!(access, Access::None)
                }
                Op::AtomicEnd => true,
                _ => false,
            };
            let released = self.locks.released((body.id, block, index));
            let released = released.filter(|_| !walk.is_alone());
            let mut locks: Vec<Option<CellId>> = released.map(Some).into_iter().collect();
            match instruction.op {
                // Who was alone knows all; the others had left what they find before.
                Op::Spawn { .. } if was_alone => locks = walk.free(),
                _ if is_written && walk.is_interruptible() => locks.push(None),
                _ => {}
            }
            if !locks.is_empty() {
                for case in walk.cases() {
                    let found = case.left_for_others(&locks).into_iter();
                    found.map(Left::Shared).for_each(&mut *left);
                }
            }
        }
        let mut go = |walk: &Walk<'_>, target: &Target| {
            if let Some(state) = walk.leave(target.block, &target.arguments) {
                // Where ways meet, some of which have started threads, the others have not: also within
                // a section, whose end says nothing of what locks guard.
                if walk.is_alone() && !body.alone[target.block.index()] {
                    let found = walk.left_for_others(&walk.free()).into_iter();
                    found.map(Left::Shared).for_each(&mut *left);
                }
                next(target.block, state);
            }
        };
        go_on(&walk, &data.terminator.kind, &mut go);
    }

    /// A walk at the start of a block; `None` if no run comes there.
    pub(super) fn walk(&self, at: usize, block: BlockId) -> Option<Walk<'_>> {
        let state = self.states[at][block.index()].as_ref()?;
        let body = &self.bodies[at];
        let held = self.locks.held(body.id, block);
        let walk = Walk::new(body, self.cells, &self.locks, self.others(), held, (block, state));
        let walk = walk.counted(&self.counts, block);
        (!walk.is_dead()).then_some(walk)
    }

    /// What is known of other threads.
    fn others(&self) -> Others<'_> {
        Others {
            shared: self.shared.as_ref(),
            fields: Some(self.fields.as_slice()),
            growing: Some(&self.growing),
            ended: Some((&self.ended, self.known_at_ends.as_slice())),
        }
    }

    /// What is known where a thread of a function begins; `None` if none does.
    pub(super) fn begins(&self, at: usize) -> Option<State> {
        (at == 0 || self.shared.is_some()).then(|| self.start(at))
    }

    /// Looks at all writes to cells that are reached, with what is known before each of them; the walk may be told more of
    /// that.
    pub(super) fn for_each_write(
        &self,
        limits: &Limits,
        mut look: impl FnMut(&mut Walk<'_>, (FunctionId, BlockId, usize), &Instruction, &Access),
    ) -> Result<(), Exceeded> {
        for (at, body) in self.bodies.iter().enumerate() {
            for &block in &body.order {
                limits.check()?;
                let Some(mut walk) = self.walk(at, block) else { continue };
                let code = &body.function.block(block).instructions;
                for (index, instruction) in code.iter().enumerate() {
                    if walk.is_dead() {
                        break;
                    }
                    let access = self.cells.at(body.id, block.index(), index);
                    if matches!(access, Access::Write(_) | Access::Clobber(_)) {
                        look(&mut walk, (body.id, block, index), instruction, access);
                    }
                    walk.step(block, index, instruction);
                }
            }
        }
        Ok(())
    }

    /// Executions with a property over what is known, of this many blocks at most.
    pub(super) fn simulation(&self, walks: usize) -> Simulation<'_> {
        let (cells, locks, counts) = (self.cells, &self.locks, &self.counts);
        Simulation { cells, locks, others: self.others(), counts, walks }
    }

    /// Whether anything is known of what fields hold.
    pub(super) fn bounds_fields(&self) -> bool {
        self.fields.iter().any(|known| known.is_none_or(|known| !known.is_all()))
    }

    /// Adds what a thread of a function knows when it ends.
    fn end(&mut self, at: usize, end: usize, found: State) {
        // What was found is true without being found again.
        if self.again.is_some() {
            return;
        }
        let visits = if self.rounds < MOST_ROUNDS { self.rounds } else { MOST_VISITS + 1 };
        let known = &mut self.known_at_ends[end];
        *known = Some(match known {
            None => found,
            Some(known) => join(known, &found, visits, &self.bodies[at]),
        });
    }

    /// Adds what is stored in a field.
    fn store(&mut self, field: FieldId, found: Range) {
        let thresholds = self.thresholds();
        let is_early = self.rounds < WIDEN || self.again.is_some();
        let Some(known) = self.fields.get_mut(field) else { return };
        *known = Some(match known {
            None => found,
            Some(known) if is_early => known.join(&found),
            Some(known) => known.widen(&found, &thresholds),
        });
    }

    /// The constants of all functions at which growing bounds stop now: fewer as the rounds go on.
    fn thresholds(&self) -> Vec<i128> {
        let of = |body: &Body<'_>| match self.rounds {
            rounds if rounds < MOST_ROUNDS / 4 => body.thresholds.clone(),
            rounds if rounds < MOST_ROUNDS / 2 => body.compared.clone(),
            _ => Vec::new(),
        };
        let mut thresholds: Vec<i128> = self.bodies.iter().flat_map(of).collect();
        thresholds.sort_unstable();
        thresholds.dedup();
        thresholds
    }

    /// Adds what a thread leaves for others.
    fn leave(&mut self, found: Shared) {
        let thresholds = self.thresholds();
        let is_again = self.again.is_some();
        let place = self.again.as_mut().unwrap_or(&mut self.shared);
        let Some(known) = place else {
            *place = Some(found);
            return;
        };
        let is_over = self.rounds >= MOST_ROUNDS && !is_again;
        let is_early = self.rounds < WIDEN || is_again;
        let grow = |range: &mut Range, found: &Range| {
            *range = match is_over {
                true => Range::all(range.width()),
                false if is_early => range.join(found),
                false => range.widen(found, &thresholds),
            };
        };
        for (range, found) in known.ever.iter_mut().zip(&found.ever) {
            grow(range, found);
        }
        for (lock, found) in found.groups {
            match known.groups.entry(lock) {
                Entry::Vacant(none) => drop(none.insert(found)),
                Entry::Occupied(mut known) => {
                    let known = known.get_mut();
                    known.system = match is_over {
                        true => System::default(),
                        false => known.system.join(&found.system),
                    };
                    let sums = (&known.sums, &known.ranges);
                    known.sums = match is_over {
                        true => Bounds::default(),
                        false => Bounds::join(
                            sums,
                            (&found.sums, &found.ranges),
                            (!is_early).then_some(&thresholds),
                        ),
                    };
                    known.inequalities = match is_over {
                        true => Inequalities::default(),
                        false => Inequalities::join(
                            (&known.inequalities, &known.ranges),
                            (&found.inequalities, &found.ranges),
                            (!is_early).then_some(&thresholds),
                        ),
                    };
                    // What both imply has the solutions of both.
                    let _ = known.system.normalize();
                    for (cell, range) in &mut known.ranges {
                        grow(range, &found.ranges[cell]);
                    }
                }
            }
        }
    }
}

/// Tells where a block that was executed goes on, and what is known then; so for the blocks behind
/// it that only decide that.
pub(super) fn go_on(
    walk: &Walk<'_>,
    terminator: &TerminatorKind,
    go: &mut dyn FnMut(&Walk<'_>, &Target),
) {
    let mut jump = |walk: &Walk<'_>, target: &Target| {
        go(walk, target);
        if let Some((then, terminator)) = walk.decision(target) {
            go_on(&then, terminator, go);
        }
    };
    match terminator {
        TerminatorKind::Branch { condition, then, otherwise } => {
            for (target, outcome) in [(then, true), (otherwise, false)] {
                let mut walk = walk.clone();
                walk.hold(*condition, outcome);
                jump(&walk, target);
            }
        }
        kind => kind.for_each_target(|target| jump(walk, target)),
    }
}

/// What holds in both states.
pub(super) fn join(known: &State, found: &State, visits: usize, body: &Body<'_>) -> State {
    let mut system = known.system.join(&found.system);
    let is_tired = visits > MOST_VISITS;
    let thresholds = match visits {
        visits if visits <= MOST_VISITS / 4 => body.thresholds.as_slice(),
        visits if visits <= MOST_VISITS / 2 => body.compared.as_slice(),
        _ => &[],
    };
    if is_tired || system.normalize().is_err() {
        system = System::default();
    }
    let mut ranges = BTreeMap::new();
    for (variable, range) in &known.ranges {
        let Some(other) = found.ranges.get(variable) else { continue };
        let joined = match visits {
            _ if is_tired => continue,
            0..=WIDEN => range.join(other),
            _ => range.widen(other, thresholds),
        };
        if !joined.is_all() {
            ranges.insert(*variable, joined);
        }
    }
    let inequalities = match is_tired {
        true => Inequalities::default(),
        false => Inequalities::join(
            (&known.inequalities, &known.ranges),
            (&found.inequalities, &found.ranges),
            (visits > WIDEN).then_some(thresholds),
        ),
    };
    let sums = match is_tired {
        true => Bounds::default(),
        false => Bounds::join(
            (&known.sums, &known.ranges),
            (&found.sums, &found.ranges),
            (visits > WIDEN).then_some(thresholds),
        ),
    };
    let over = known.over.intersection(&found.over).copied().collect();
    State { system, ranges, sums, inequalities, over }
}
