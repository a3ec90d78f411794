//! Which assertions runs come to at all. A proof says nothing of an assertion that no run reaches:
//! after an assumption that never holds, behind a lock that nobody gives away.
//!
//! An assertion counts as reached when a run of the interpreter comes to it, and as unreachable
//! when the loop (`run_within`) proves it: in a copy of the program, an assertion that always
//! fails stands before it. Both within a budget of work, so that some stay unknown.
//!
//! An assertion whose condition is the constant 0 marks a place that is not to be reached; of it
//! the branch counts that decides whether it is.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashMap;
use sapa_ir::goto::interpret::{Position, SampleOptions, Visited, sample};
use sapa_ir::goto::{
    Block, BlockId, Function, FunctionId, Instruction, Location, Module, Op, Operand,
};
use sapa_limits::Phase;
use sapa_passes::PassError;

use super::report::{Options, Silent, Verdict};
use super::run::run_within;
use crate::check::ThreadBound;
pub use crate::check::coverage::Reach;
use crate::check::coverage::{LEAST_WORK, PART};

/// An assertion of the source, however many copies of it inlining and other passes make.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Assertion {
    /// Where it stands.
    pub location: Location,
    /// What it claims.
    pub text: String,
}

/// Which assertions runs come to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Coverage {
    /// The assertions, in the order of their places.
    pub assertions: Vec<(Assertion, Reach)>,
    /// If none is reached: the line that every run would have to pass, and none does.
    pub dead_end: Option<Location>,
}

impl Coverage {
    /// What is known before anything was looked for.
    #[must_use]
    pub fn unknown(assertions: Vec<Assertion>) -> Self {
        let assertions = assertions.into_iter().map(|found| (found, Reach::Unknown)).collect();
        Self { assertions, dead_end: None }
    }
}

/// The assertions of a module, in the order of their places. To be called before the passes, which
/// copy and drop them.
#[must_use]
pub fn assertions(module: &Module) -> Vec<Assertion> {
    let mut found = BTreeSet::new();
    for (_, function) in module.functions() {
        for instruction in function.instructions() {
            if let Op::Assert { property, .. } = &instruction.op {
                found.insert(Assertion { location: instruction.location, text: property.clone() });
            }
        }
    }
    found.into_iter().collect()
}

/// Instructions that the sampled runs execute at most: some hundredths of a second.
const SAMPLED: usize = 1 << 15;

/// Most rounds of a proof.
const ROUNDS: usize = 6;

/// The work of making an automaton, for an instruction.
const BUILDING: u64 = 1 << 9;

/// The work of the passes, for an instruction of what they are given.
const LOWERING: u64 = 1 << 10;

/// Passes that make a module one that the loop understands; an error says that they did not come
/// to their end.
pub type Passes<'p> = &'p dyn Fn(&mut Module) -> Result<(), PassError>;

/// The program that was proved, as far as it is needed.
#[derive(Clone, Copy)]
pub struct Proved<'p> {
    /// What the passes made of it, with the vocabulary of the proof.
    pub module: &'p Module,
    /// What they were given.
    pub original: &'p Module,
    /// The passes.
    pub passes: Passes<'p>,
}

/// Which of the `assertions` runs come to, in a program that was proved safe with these options
/// and so much `work`.
///
/// What the passes leave no code of is looked for in what they were given: it may be an assertion
/// that always holds, or one that no run comes to.
#[must_use]
pub fn coverage(
    program: Proved<'_>,
    assertions: Vec<Assertion>,
    options: Options,
    work: u64,
) -> Coverage {
    let limits = options.limits.clone();
    let _phase = limits.enter(Phase::Coverage);
    let unknown = vec![Reach::Unknown; assertions.len()];
    let left = LEAST_WORK.saturating_add(work / PART);
    let mut search = Search::new(program.module, &assertions, unknown, &options, left);
    search.sample();
    let without_code: Vec<usize> = search.without_code().collect();
    if without_code.is_empty() {
        let dead_end = search.dead_end();
        if dead_end.is_none() {
            search.prove(&|_| true);
        }
        return Coverage {
            assertions: assertions.into_iter().zip(search.known).collect(),
            dead_end,
        };
    }
    // Nothing that was sampled is sampled again.
    let Search { known, left, .. } = search;
    let mut whole = Search::new(program.original, &assertions, known, &options, left);
    whole.lowered_by(program.passes);
    whole.sample();
    let dead_end = whole.dead_end();
    if dead_end.is_some() {
        return Coverage {
            assertions: assertions.into_iter().zip(whole.known).collect(),
            dead_end,
        };
    }
    let Search { known, left, .. } = whole;
    let mut search = Search::new(program.module, &assertions, known, &options, left);
    search.prove(&|_| true);
    let Search { known, left, .. } = search;
    let mut whole = Search::new(program.original, &assertions, known, &options, left);
    whole.lowered_by(program.passes);
    whole.prove(&|index| without_code.contains(&index));
    Coverage { assertions: assertions.into_iter().zip(whole.known).collect(), dead_end: None }
}

struct Search<'m> {
    module: &'m Module,
    /// What makes the module one that the loop understands, where it is none yet.
    passes: Option<Passes<'m>>,
    known: Vec<Reach>,
    /// The places that stand for each assertion, by its index.
    goals: Vec<BTreeSet<Position>>,
    visited: Visited,
    options: &'m Options,
    /// What is left of the work.
    left: u64,
    /// The work of one question before the loop begins.
    preparation: u64,
}

/// What the loop says of places.
enum Answer {
    /// No run comes to any of them.
    Unreachable,
    /// A run comes to this one.
    Reached(Position),
    /// No run was found that comes to it, and no proof that there is none.
    Unknown,
}

impl<'m> Search<'m> {
    fn new(
        module: &'m Module,
        assertions: &[Assertion],
        known: Vec<Reach>,
        options: &'m Options,
        left: u64,
    ) -> Self {
        let mut goals = vec![BTreeSet::new(); assertions.len()];
        let index: FxHashMap<(Location, &str), usize> = assertions
            .iter()
            .enumerate()
            .map(|(index, assertion)| ((assertion.location, assertion.text.as_str()), index))
            .collect();
        for (id, function) in module.functions() {
            let predecessors = predecessors(function);
            for (block, code) in blocks(function) {
                for (at, instruction) in code.instructions.iter().enumerate() {
                    let Op::Assert { condition, property } = &instruction.op else { continue };
                    let key = (instruction.location, property.as_str());
                    let Some(goals) = index.get(&key).and_then(|&index| goals.get_mut(index))
                    else {
                        continue;
                    };
                    if *condition == Operand::bool(false) {
                        goals.extend(
                            deciding(function, &predecessors, block, at)
                                .into_iter()
                                .map(|(block, index)| (id, block, index)),
                        );
                    } else {
                        goals.insert((id, block, at));
                    }
                }
            }
        }
        let preparation = size(module).saturating_mul(BUILDING);
        let visited = Visited::default();
        Self { module, passes: None, known, goals, visited, options, left, preparation }
    }

    /// Says that the loop understands the module only after the passes.
    fn lowered_by(&mut self, passes: Passes<'m>) {
        self.passes = Some(passes);
        self.preparation = size(self.module).saturating_mul(BUILDING + LOWERING);
    }

    /// The assertions that no code is left of and that are not known.
    fn without_code(&self) -> impl Iterator<Item = usize> {
        let open =
            |index: &usize| self.goals[*index].is_empty() && self.known[*index] == Reach::Unknown;
        (0..self.known.len()).filter(open)
    }

    /// Marks what runs at random come to.
    fn sample(&mut self) {
        let threads = match self.options.threads {
            ThreadBound::Bounded(threads) => Some(threads),
            ThreadBound::Unbounded => None,
        };
        let options = SampleOptions { threads, steps: SAMPLED };
        let open = self.pending(&|_| true);
        let goals: Vec<_> = open.into_iter().map(|index| self.goals[index].clone()).collect();
        self.visited = sample(self.module, options, &mut |visited| {
            goals.iter().all(|goals| goals.iter().any(|goal| visited.stood.contains(goal)))
        });
        for (known, goals) in self.known.iter_mut().zip(&self.goals) {
            if goals.iter().any(|goal| self.visited.stood.contains(goal)) {
                *known = Reach::Reached;
            }
        }
    }

    /// Proves of the assertions that are left and `wanted` that no run comes to them, or finds one
    /// that does.
    fn prove(&mut self, wanted: &dyn Fn(usize) -> bool) {
        // All at once, as long as that tells something of one of them, then each by itself.
        loop {
            let pending = self.pending(wanted);
            let goals = pending.iter().flat_map(|&index| &self.goals[index]).copied().collect();
            match self.ask(&goals) {
                Answer::Unreachable => {
                    pending.iter().for_each(|&index| self.known[index] = Reach::Unreachable);
                    return;
                }
                Answer::Reached(goal) => {
                    for index in pending {
                        if self.goals[index].contains(&goal) {
                            self.known[index] = Reach::Reached;
                        }
                    }
                }
                Answer::Unknown => break,
            }
        }
        for index in self.pending(wanted) {
            let goals = self.goals[index].clone();
            match self.ask(&goals) {
                Answer::Unreachable => self.known[index] = Reach::Unreachable,
                Answer::Reached(_) => self.known[index] = Reach::Reached,
                Answer::Unknown => {}
            }
        }
    }

    /// The assertions that are left, but for those of which no code is.
    fn pending(&self, wanted: &dyn Fn(usize) -> bool) -> Vec<usize> {
        let open =
            |index: &usize| self.known[*index] == Reach::Unknown && !self.goals[*index].is_empty();
        (0..self.known.len()).filter(open).filter(|index| wanted(*index)).collect()
    }

    /// Whether a run comes to one of these places.
    fn ask(&mut self, goals: &BTreeSet<Position>) -> Answer {
        if goals.is_empty() {
            return Answer::Unreachable;
        }
        if self.left < self.preparation || self.options.limits.is_exceeded() {
            return Answer::Unknown;
        }
        self.left -= self.preparation;
        let mut module = guarded(self.module, goals);
        if let Some(passes) = self.passes
            && passes(&mut module).is_err()
        {
            return Answer::Unknown;
        }
        let options = Options { iterations: ROUNDS, ..self.options.clone() };
        let Ok(report) = run_within(&mut module, options, Some(self.left), &mut Silent) else {
            return Answer::Unknown;
        };
        self.left = self.left.saturating_sub(report.work.max(1));
        match report.verdict {
            Verdict::Successful(_) => Answer::Unreachable,
            Verdict::Failed(found) => {
                let number = found.counterexample.property.parse().ok();
                let goal = number.and_then(|number: usize| goals.iter().nth(number));
                goal.map_or(Answer::Unknown, |&goal| Answer::Reached(goal))
            }
            Verdict::Inconclusive(_) => Answer::Unknown,
        }
    }

    /// The line at which all runs end that are on the way to an assertion, if that is proved; then
    /// no assertion can be reached.
    fn dead_end(&mut self) -> Option<Location> {
        // Assertions without code may stand before the line.
        if self.known.contains(&Reach::Reached) || self.goals.iter().any(BTreeSet::is_empty) {
            return None;
        }
        // Where each thread function has one such line, the first of these is named.
        let mut found: Option<Location> = None;
        let mut goals = BTreeSet::new();
        for (id, function) in self.module.functions() {
            let mut ends: BTreeMap<_, Location> = BTreeMap::new();
            if !self.visited.stood.contains(&(id, Function::ENTRY, 0)) {
                continue;
            }
            let ahead = self.ahead(id, function);
            for (block, code) in blocks(function) {
                for index in 0..=code.instructions.len() {
                    let here = (id, block, index);
                    if !self.visited.stood.contains(&here) {
                        continue;
                    }
                    for next in successors(id, block, code, index) {
                        let is_passed = self.visited.stood.contains(&next);
                        if !is_passed && ahead.contains(&(next.1, next.2)) {
                            let end = line(code, index);
                            ends.entry((end.file, end.line)).or_insert(end);
                            goals.insert(next);
                        }
                    }
                }
            }
            let mut ends = ends.into_values();
            if let (Some(end), None) = (ends.next(), ends.next())
                && end.line != 0
                && !self.is_passed(end)
            {
                found = Some(found.map_or(end, |found| found.min(end)));
            }
        }
        let end = found?;
        if !matches!(self.ask(&goals), Answer::Unreachable) {
            return None;
        }
        self.known.fill(Reach::Unreachable);
        Some(end)
    }

    /// The places of a function from which control leads to an assertion, or to the start of a
    /// thread that nobody has started yet and that comes to one.
    fn ahead(&self, id: FunctionId, function: &Function) -> BTreeSet<(BlockId, usize)> {
        let waiting = self.waiting();
        let mut ahead = BTreeSet::new();
        let mut pending: Vec<(BlockId, usize)> = Vec::new();
        let goals = self.goals.iter().flatten().filter(|goal| goal.0 == id);
        pending.extend(goals.map(|&(_, block, index)| (block, index)));
        for (block, code) in blocks(function) {
            for (index, instruction) in code.instructions.iter().enumerate() {
                if matches!(&instruction.op, Op::Spawn { function, .. }
                    if spawned(function).is_some_and(|id| waiting.contains(&id)))
                {
                    pending.push((block, index));
                }
            }
        }
        let predecessors = predecessors(function);
        while let Some((block, index)) = pending.pop() {
            if !ahead.insert((block, index)) {
                continue;
            }
            match index.checked_sub(1) {
                Some(before) => pending.push((block, before)),
                None => pending.extend(
                    predecessors[block.index()]
                        .iter()
                        .map(|&from| (from, function.block(from).instructions.len())),
                ),
            }
        }
        ahead
    }

    /// Functions that nobody runs yet, and that come to an assertion or start one that does.
    fn waiting(&self) -> BTreeSet<FunctionId> {
        let is_started = |id| self.visited.stood.contains(&(id, Function::ENTRY, 0));
        let mut waiting: BTreeSet<FunctionId> =
            self.goals.iter().flatten().map(|goal| goal.0).filter(|&id| !is_started(id)).collect();
        loop {
            let before = waiting.len();
            for (id, function) in self.module.functions() {
                let starts = function.instructions().any(|instruction| {
                    matches!(&instruction.op, Op::Spawn { function, .. }
                            if spawned(function).is_some_and(|id| waiting.contains(&id)))
                });
                if starts && !is_started(id) {
                    waiting.insert(id);
                }
            }
            if waiting.len() == before {
                return waiting;
            }
        }
    }

    /// Whether a run was seen to leave a line behind, in whichever copy of it: it comes to another
    /// one from which it does not get back to where it was.
    fn is_passed(&self, end: Location) -> bool {
        let same = |other: Location| (other.file, other.line) == (end.file, end.line);
        self.visited.executed.iter().any(|&(id, block, index)| {
            let function = self.module.function(id);
            let code = function.block(block);
            same(line(code, index))
                && successors(id, block, code, index).iter().any(|next| {
                    let there = line(function.block(next.1), next.2);
                    self.visited.stood.contains(next)
                        && there.line != 0
                        && !same(there)
                        && !leads_to(function, (next.1, next.2), (block, index))
                })
        })
    }
}

/// Instructions and terminators of a module.
fn size(module: &Module) -> u64 {
    let blocks = module.functions.iter().flat_map(|function| &function.blocks);
    blocks.map(|block| block.instructions.len() as u64 + 1).sum()
}

/// The module with an assertion before each goal that always fails, named by the goal's number, and
/// without the others, which are known to hold.
fn guarded(module: &Module, goals: &BTreeSet<Position>) -> Module {
    let mut module = module.clone();
    for function in &mut module.functions {
        for instruction in function.blocks.iter_mut().flat_map(|block| &mut block.instructions) {
            if let Op::Assert { condition, .. } = &mut instruction.op {
                *condition = Operand::bool(true);
            }
        }
    }
    let mut inserted: BTreeMap<(FunctionId, BlockId), Vec<(usize, usize)>> = BTreeMap::new();
    for (number, &(function, block, index)) in goals.iter().enumerate() {
        inserted.entry((function, block)).or_default().push((index, number));
    }
    for ((function, block), mut places) in inserted {
        let Some(function) = module.functions.get_mut(function.index()) else { continue };
        let Some(code) = function.blocks.get_mut(block.index()) else { continue };
        // From the last to the first, so that the indices of the others stay right.
        places.sort_unstable();
        for (index, number) in places.into_iter().rev() {
            let location = line(code, index);
            let op = Op::Assert { condition: Operand::bool(false), property: number.to_string() };
            let index = index.min(code.instructions.len());
            code.instructions.insert(index, Instruction { op, result: None, location });
        }
    }
    module
}

fn blocks(function: &Function) -> impl Iterator<Item = (BlockId, &Block)> {
    function.blocks.iter().enumerate().map(|(index, block)| (BlockId::new(index), block))
}

/// The location of an instruction or terminator; of the nearest one before it in its block if it has
/// none.
fn line(block: &Block, index: usize) -> Location {
    let own = block.instructions.get(index).map_or(block.terminator.location, |i| i.location);
    let before = block.instructions.iter().take(index).rev().map(|i| i.location);
    std::iter::once(own).chain(before).find(|l| l.line != 0).unwrap_or(own)
}

fn successors(function: FunctionId, block: BlockId, code: &Block, index: usize) -> Vec<Position> {
    if index < code.instructions.len() {
        return vec![(function, block, index + 1)];
    }
    let mut found = Vec::new();
    code.terminator.kind.for_each_target(|target| found.push((function, target.block, 0)));
    found
}

fn predecessors(function: &Function) -> Vec<Vec<BlockId>> {
    let mut found = vec![Vec::new(); function.blocks.len()];
    for (block, code) in blocks(function) {
        code.terminator.kind.for_each_target(|target| {
            if let Some(list) = found.get_mut(target.block.index()) {
                list.push(block);
            }
        });
    }
    found
}

/// The places that decide whether an instruction is executed: on the ways to it, the last branches
/// with a choice, or behind the last assumptions. The instruction itself if there is a way without.
fn deciding(
    function: &Function,
    predecessors: &[Vec<BlockId>],
    block: BlockId,
    index: usize,
) -> BTreeSet<(BlockId, usize)> {
    let mut found = BTreeSet::new();
    let mut seen = BTreeSet::from([block]);
    let mut pending = vec![block];
    while let Some(to) = pending.pop() {
        let code = &function.block(to).instructions;
        // What stands behind the instruction decides nothing; its block is walked through once.
        let before = code.get(..if to == block { index } else { code.len() }).unwrap_or(code);
        let assumption = before.iter().rposition(|i| matches!(i.op, Op::Assume { .. }));
        if let Some(assumption) = assumption {
            found.insert((to, assumption + 1));
            continue;
        }
        if to == Function::ENTRY {
            found.insert((block, index));
        }
        for &from in predecessors.get(to.index()).into_iter().flatten() {
            let code = function.block(from);
            let mut targets = BTreeSet::new();
            code.terminator.kind.for_each_target(|target| {
                targets.insert(target.block);
            });
            if targets.len() > 1 {
                found.insert((from, code.instructions.len()));
            } else if seen.insert(from) {
                pending.push(from);
            }
        }
    }
    found
}

/// The function that a thread starts with, where the code names it.
fn spawned(function: &Operand) -> Option<FunctionId> {
    match function {
        Operand::Function(id) => Some(*id),
        _ => None,
    }
}

/// Whether control leads from a place of a function to another.
fn leads_to(function: &Function, from: (BlockId, usize), to: (BlockId, usize)) -> bool {
    if from.0 == to.0 && from.1 <= to.1 {
        return true;
    }
    let mut seen = BTreeSet::new();
    let mut pending = vec![from.0];
    while let Some(block) = pending.pop() {
        let Some(code) = function.blocks.get(block.index()) else { continue };
        let mut is_found = false;
        code.terminator.kind.for_each_target(|target| {
            is_found |= target.block == to.0;
            if seen.insert(target.block) {
                pending.push(target.block);
            }
        });
        if is_found {
            return true;
        }
    }
    false
}
