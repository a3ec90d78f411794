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
use sapa_ir::goto::cfg::Cfg;
use sapa_ir::goto::interpret::{Position, SampleOptions, Visited, sample};
use sapa_ir::goto::{
    Block, BlockId, Function, FunctionId, Instruction, Location, MemoryModel, Module, Op, Operand,
    SignedOverflow,
};
use sapa_limits::Phase;
use sapa_passes::PassError;
use sapa_passes::transform::checks::is_of_ghosts;
use sapa_passes::transform::recursion::has_calls_as_threads;
use sapa_passes::transform::store_buffers::has_forgotten;

use super::report::{Options, Silent, Verdict};
use super::run::run_within;
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
/// copy and drop them. Those in models of the library are none of the source.
#[must_use]
pub fn assertions(module: &Module) -> Vec<Assertion> {
    let mut found = BTreeSet::new();
    for (_, function) in module.functions().filter(|(_, function)| !function.is_model()) {
        for instruction in function.instructions() {
            // Those about ghosts are many at one place, and at best never come to.
            if let Op::Assert { property, .. } = &instruction.op
                && !is_of_ghosts(module, instruction.location)
            {
                found.insert(Assertion { location: instruction.location, text: property.clone() });
            }
        }
    }
    found.into_iter().collect()
}

/// Instructions that the sampled runs execute at most: some hundredths of a second.
const SAMPLED: usize = 1 << 18;

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

/// Which of the `assertions` runs come to, in a program that was proved safe with these options.
/// `work` is what the proof took; finding out may take a part of that.
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
    let known = vec![Reach::Unknown; assertions.len()];
    let left = LEAST_WORK.saturating_add(work / PART);
    let mut search = Search { options: &options, known, left };
    if has_calls_as_threads(program.module) {
        // Its runs need not be runs of the program.
        search.sample(&mut Places::new(program.original, None, &assertions));
        let assertions = assertions.into_iter().zip(search.known).collect();
        return Coverage { assertions, dead_end: None };
    }
    let mut lowered = Places::new(program.module, None, &assertions);
    search.sample(&mut lowered);
    let has_code = |index: usize| !lowered.goals[index].is_empty();
    // Nothing that was sampled is sampled again.
    let is_left_out = !(0..assertions.len()).all(has_code);
    let mut original = (is_left_out || has_forgotten(program.module))
        .then(|| Places::new(program.original, Some(program.passes), &assertions));
    if let Some(original) = &mut original {
        search.sample(original);
    }
    let dead_end = search.dead_end(original.as_ref().filter(|_| is_left_out).unwrap_or(&lowered));
    if dead_end.is_none() {
        search.prove(&lowered, &|_| true);
        if let Some(original) = &original {
            search.prove(original, &|index| !has_code(index));
        }
    }
    Coverage { assertions: assertions.into_iter().zip(search.known).collect(), dead_end }
}

/// A module, and the places that stand for the assertions in it.
struct Places<'m> {
    module: &'m Module,
    /// What makes the module one that the loop understands, where it is none yet.
    passes: Option<Passes<'m>>,
    /// The places of each assertion, by its index.
    goals: Vec<BTreeSet<Position>>,
    /// Where runs at random came to.
    visited: Visited,
    /// The work of one question before the loop begins.
    preparation: u64,
}

/// What is known, and what may still be done to know more.
struct Search<'o> {
    options: &'o Options,
    /// By the indices of the assertions.
    known: Vec<Reach>,
    /// What is left of the work.
    left: u64,
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

impl<'m> Places<'m> {
    fn new(module: &'m Module, passes: Option<Passes<'m>>, assertions: &[Assertion]) -> Self {
        let mut goals = vec![BTreeSet::new(); assertions.len()];
        let index: FxHashMap<(Location, &str), usize> = assertions
            .iter()
            .enumerate()
            .map(|(index, assertion)| ((assertion.location, assertion.text.as_str()), index))
            .collect();
        for (id, function) in module.functions() {
            let cfg = Cfg::new(function);
            for (block, code) in function.blocks() {
                for (at, instruction) in code.instructions.iter().enumerate() {
                    let Op::Assert { condition, property } = &instruction.op else { continue };
                    let key = (instruction.location, property.as_str());
                    let Some(&index) = index.get(&key) else { continue };
                    if *condition == Operand::bool(false) {
                        let overflow = module.signed_overflow;
                        let deciding = deciding(function, overflow, &cfg, block, at).into_iter();
                        goals[index].extend(deciding.map(|(block, index)| (id, block, index)));
                    } else {
                        goals[index].insert((id, block, at));
                    }
                }
            }
        }
        let of_an_instruction = BUILDING + passes.map_or(0, |_| LOWERING);
        let preparation = size(module).saturating_mul(of_an_instruction);
        Self { module, passes, goals, visited: Visited::default(), preparation }
    }

    /// The places of a function from which control leads to an assertion, or to the start of a
    /// thread that nobody has started yet and that comes to one.
    fn ahead(&self, id: FunctionId, function: &Function) -> BTreeSet<(BlockId, usize)> {
        let waiting = self.waiting();
        let mut ahead = BTreeSet::new();
        let goals = self.goals.iter().flatten().filter(|goal| goal.0 == id);
        let mut pending: Vec<(BlockId, usize)> = goals.map(|goal| (goal.1, goal.2)).collect();
        for (block, code) in function.blocks() {
            let code = code.instructions.iter().enumerate();
            let starts = code.filter(|(_, instruction)| starts(instruction, &waiting));
            pending.extend(starts.map(|(index, _)| (block, index)));
        }
        let cfg = Cfg::new(function);
        while let Some((block, index)) = pending.pop() {
            if !ahead.insert((block, index)) {
                continue;
            }
            match index.checked_sub(1) {
                Some(before) => pending.push((block, before)),
                None => {
                    let end = |&from: &BlockId| (from, function.block(from).instructions.len());
                    pending.extend(cfg.predecessors(block).iter().map(end));
                }
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
                if !is_started(id) && function.instructions().any(|i| starts(i, &waiting)) {
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
        self.visited.executed.iter().any(|&(id, block, index)| {
            let function = self.module.function(id);
            let code = function.block(block);
            line(code, index).is_same_line(end)
                && successors(id, block, code, index).iter().any(|next| {
                    let there = line(function.block(next.1), next.2);
                    self.visited.stood.contains(next)
                        && there.line != 0
                        && !there.is_same_line(end)
                        && !leads_to(function, (next.1, next.2), (block, index))
                })
        })
    }
}

impl Search<'_> {
    /// Marks what runs at random come to, if they are runs of the program.
    fn sample(&mut self, places: &mut Places<'_>) {
        if has_forgotten(places.module) {
            return;
        }
        let (memory, threads) = (MemoryModel::Sc, self.options.threads.limit());
        let options = SampleOptions { memory, threads, steps: SAMPLED };
        let open = self.pending(places, &|_| true);
        let goals: Vec<_> = open.into_iter().map(|index| &places.goals[index]).collect();
        places.visited = sample(places.module, options, &mut |visited| {
            goals.iter().all(|goals| goals.iter().any(|goal| visited.stood.contains(goal)))
        });
        for (known, goals) in self.known.iter_mut().zip(&places.goals) {
            if goals.iter().any(|goal| places.visited.stood.contains(goal)) {
                *known = Reach::Reached;
            }
        }
    }

    /// Proves of the assertions that are left and `wanted` that no run comes to them, or finds one
    /// that does.
    fn prove(&mut self, places: &Places<'_>, wanted: &dyn Fn(usize) -> bool) {
        // All at once, as long as that tells something of one of them, then each by itself.
        loop {
            let pending = self.pending(places, wanted);
            let goals = pending.iter().flat_map(|&index| &places.goals[index]).copied().collect();
            match self.ask(places, &goals) {
                Answer::Unreachable => {
                    pending.iter().for_each(|&index| self.known[index] = Reach::Unreachable);
                    return;
                }
                Answer::Reached(goal) => {
                    for index in pending {
                        if places.goals[index].contains(&goal) {
                            self.known[index] = Reach::Reached;
                        }
                    }
                }
                Answer::Unknown => break,
            }
        }
        for index in self.pending(places, wanted) {
            self.known[index] = match self.ask(places, &places.goals[index]) {
                Answer::Unreachable => Reach::Unreachable,
                Answer::Reached(_) => Reach::Reached,
                Answer::Unknown => Reach::Unknown,
            };
        }
    }

    /// The assertions that are left, but for those of which no code is.
    fn pending(&self, places: &Places<'_>, wanted: &dyn Fn(usize) -> bool) -> Vec<usize> {
        let open = |&index: &usize| {
            self.known[index] == Reach::Unknown && !places.goals[index].is_empty() && wanted(index)
        };
        (0..self.known.len()).filter(open).collect()
    }

    /// Whether a run comes to one of these places.
    fn ask(&mut self, places: &Places<'_>, goals: &BTreeSet<Position>) -> Answer {
        if goals.is_empty() {
            return Answer::Unreachable;
        }
        if self.left < places.preparation || self.options.limits.is_exceeded() {
            return Answer::Unknown;
        }
        self.left -= places.preparation;
        let mut module = guarded(places.module, goals);
        if places.passes.is_some_and(|passes| passes(&mut module).is_err()) {
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
    fn dead_end(&mut self, places: &Places<'_>) -> Option<Location> {
        // Assertions without code may stand before the line.
        if self.known.contains(&Reach::Reached) || places.goals.iter().any(BTreeSet::is_empty) {
            return None;
        }
        let stood = &places.visited.stood;
        // Where each thread function has one such line, the first of these is named.
        let mut found: Option<Location> = None;
        let mut goals = BTreeSet::new();
        for (id, function) in places.module.functions() {
            let mut ends: BTreeMap<_, Location> = BTreeMap::new();
            if !stood.contains(&(id, Function::ENTRY, 0)) {
                continue;
            }
            let ahead = places.ahead(id, function);
            for (block, code) in function.blocks() {
                for index in 0..=code.instructions.len() {
                    if !stood.contains(&(id, block, index)) {
                        continue;
                    }
                    for next in successors(id, block, code, index) {
                        if !stood.contains(&next) && ahead.contains(&(next.1, next.2)) {
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
                && !places.is_passed(end)
            {
                found = Some(found.map_or(end, |found| found.min(end)));
            }
        }
        let end = found?;
        if !matches!(self.ask(places, &goals), Answer::Unreachable) {
            return None;
        }
        self.known.fill(Reach::Unreachable);
        Some(end)
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
    // They are about the code as it was.
    module.invariants.clear();
    for function in &mut module.functions {
        for instruction in function.instructions_mut() {
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

/// Whether a run of a thread may end at an operation.
fn may_end_run(op: &Op, overflow: SignedOverflow) -> bool {
    let may_be_invalid =
        |address: &Operand| !matches!(address, Operand::Global(_) | Operand::Slot(_));
    match op {
        Op::Assume { .. } | Op::Join { .. } | Op::Sync { .. } => true,
        Op::Load { address, .. }
        | Op::Store { address, .. }
        | Op::HavocMemory { address, .. }
        | Op::Free { address } => may_be_invalid(address),
        Op::CopyMemory { destination, source, .. } => {
            may_be_invalid(destination) || may_be_invalid(source)
        }
        op => op.may_be_undefined(overflow),
    }
}

/// The places that decide whether an instruction is executed: on the ways to it, the last branches
/// with a choice, or behind the last operations at which a run may end. The instruction itself if there
/// is a way without.
fn deciding(
    function: &Function,
    overflow: SignedOverflow,
    cfg: &Cfg,
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
        let end = before.iter().rposition(|i| may_end_run(&i.op, overflow));
        if let Some(end) = end {
            found.insert((to, end + 1));
            continue;
        }
        if to == Function::ENTRY {
            found.insert((block, index));
        }
        for &from in cfg.predecessors(to) {
            if cfg.successors(from).len() > 1 {
                found.insert((from, function.block(from).instructions.len()));
            } else if seen.insert(from) {
                pending.push(from);
            }
        }
    }
    found
}

/// Whether an instruction starts a thread, by its name, at one of these functions.
fn starts(instruction: &Instruction, functions: &BTreeSet<FunctionId>) -> bool {
    matches!(&instruction.op, Op::Spawn { function: Operand::Function(id), .. }
        if functions.contains(id))
}

/// Whether control leads from a place of a function to another.
fn leads_to(function: &Function, from: (BlockId, usize), to: (BlockId, usize)) -> bool {
    if from.0 == to.0 && from.1 <= to.1 {
        return true;
    }
    let mut seen = BTreeSet::new();
    let mut pending = vec![from.0];
    while let Some(block) = pending.pop() {
        function.block(block).terminator.kind.for_each_target(|target| {
            if seen.insert(target.block) {
                pending.push(target.block);
            }
        });
    }
    seen.contains(&to.0)
}
