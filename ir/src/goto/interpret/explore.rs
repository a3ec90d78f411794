//! All runs of a module: every schedule, with choices from a small domain.
//!
//! Breadth-first over hashed states. Threads are interleaved at visible steps
//! only (docs/goto-ir.md): whatever else a thread does next depends on itself
//! alone, so it does it at once. Under TSO and PSO that a store which waits
//! reaches memory is a step of its own, and that it begins to wait is not
//! visible. The search is exact for the given domain of choices, unless a limit
//! is hit or an instruction is not known; then it says so.
//!
//! With [`reduced`](ExploreOptions::reduced) not all orders of steps that commute are gone through (`reduce`).

use std::cell::{RefCell, RefMut};
use std::collections::VecDeque;
use std::collections::hash_map::Entry;
use std::rc::Rc;

use rustc_hash::FxHashMap;
use sapa_limits::{Exceeded, Limits};
use thiserror::Error;

use super::conflicts::Lock;
use super::dead::Dead;
use super::footprint::{Access, Awaits, touch};
use super::machine::{Inputs, Machine, Outcome, Request};
use super::reduce::{NoLock, Reduction};
use super::replay::{Failure, Move};
use super::representative::Representatives;
use super::retrace::retrace;
use super::terms::{self, Data, Path, Term};
use crate::goto::arithmetic::mask;
use crate::goto::entity::BlockId;
use crate::goto::instruction::{Instruction, Op, TerminatorKind};
use crate::goto::module::{MemoryModel, Module};
use crate::goto::source::Location;

/// How to explore.
#[derive(Clone, Debug)]
pub struct ExploreOptions {
    /// The memory model: `Sc` for a module with buffers in its code.
    pub memory: MemoryModel,
    /// No run is followed in which more stores than this wait in one buffer: each thread has one,
    /// under PSO one for each place.
    pub most_waiting: Option<usize>,
    /// Most threads at once besides the initial one; `None` for no bound.
    pub threads: Option<u32>,
    /// No run is followed in which more threads than this are ever started.
    pub most_started: Option<usize>,
    /// Whether the search ends at such a run: it will be no proof.
    pub ends_at_most_started: bool,
    /// The values that choices are drawn from, cut to the width asked for, unless a few stand for all.
    pub domain: Vec<u128>,
    /// Whether orders of steps are left out that lead to nothing else, where no stores wait. What fails is found in either
    /// case, and what cuts runs off; a failing run need not be one with the fewest moves then.
    pub reduced: bool,
    /// Most states that are kept.
    pub max_states: usize,
    /// Most bytes that these take, roughly.
    pub max_bytes: usize,
    /// Most instructions that are executed.
    pub max_steps: usize,
    /// How long to go on.
    pub limits: Limits,
}

impl Default for ExploreOptions {
    fn default() -> Self {
        Self {
            memory: MemoryModel::Sc,
            most_waiting: None,
            threads: None,
            most_started: None,
            ends_at_most_started: false,
            domain: vec![0, 1],
            reduced: false,
            max_states: 1 << 18,
            max_bytes: usize::MAX,
            max_steps: 1 << 26,
            limits: Limits::default(),
        }
    }
}

/// Why a search is not exact.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum Incomplete {
    /// `max_states` was reached.
    #[error("the limit of {0} states was reached")]
    States(usize),
    /// `max_bytes` was reached.
    #[error("the limit of {0} bytes of states was reached")]
    Bytes(usize),
    /// `max_steps` was reached.
    #[error("the limit of {0} steps was reached")]
    Steps(usize),
    /// The run of the tool has to end.
    #[error("{0}")]
    Exceeded(#[from] Exceeded),
    /// Runs with more than `most_started` threads were not followed.
    #[error("runs with more than {0} threads were not followed")]
    Started(usize),
    /// Runs in which more than `most_waiting` stores wait were not followed.
    #[error("runs in which a buffer has more stores that wait than {0} were not followed")]
    Waiting(usize),
    /// The interpreter does not know an instruction.
    #[error("the interpreter does not know {0}")]
    Unsupported(&'static str),
    /// A run fails for which no numbers were found.
    #[error("a run fails, and no choices were found with which it does")]
    NoNumbers,
    /// The module cannot be run.
    #[error("the module has no entry, its objects are too large, or its code has buffers already")]
    NoStart,
}

/// What was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exploration {
    /// A failing run, if there is any; one with the fewest moves, if all orders of steps were gone through.
    pub failure: Option<Failure>,
    /// Why there may be others; `None` if all runs were seen, or a failure was found.
    pub incomplete: Option<Incomplete>,
    /// Whether a run was cut off by an access outside its object.
    pub invalid_access: bool,
    /// Whether a run was cut off by something else that has no meaning.
    pub undefined: bool,
    /// Whether a choice had more values than the domain has: other choices may lead elsewhere.
    pub sampled: bool,
    /// Most threads that were started in one run, besides the initial one.
    pub started: usize,
    /// States kept.
    pub states: usize,
    /// Instructions executed.
    pub steps: usize,
}

/// Explores all runs of a module.
#[must_use]
pub fn explore(module: &Module, options: &ExploreOptions) -> Exploration {
    search(module, options, None)
}

/// Explores all runs of a module under sequential consistency without those orders of steps that lead to nothing else, with
/// choices that are variables: what is computed from them are terms, and a state stands for one state for each of the values
/// that they may have (`terms`). A failing run has numbers.
#[must_use]
pub fn explore_terms(
    module: &Module,
    options: &ExploreOptions,
    data: &RefCell<dyn Data>,
) -> Exploration {
    let options = ExploreOptions { memory: MemoryModel::Sc, reduced: true, ..options.clone() };
    search(module, &options, Some(data).filter(|_| terms::fits(module)))
}

fn search(
    module: &Module,
    options: &ExploreOptions,
    data: Option<&RefCell<dyn Data>>,
) -> Exploration {
    let mut search = Search {
        module,
        options,
        found: Exploration {
            failure: None,
            incomplete: None,
            invalid_access: false,
            undefined: false,
            sampled: false,
            started: 0,
            states: 0,
            steps: 0,
        },
        known: FxHashMap::default(),
        bytes: 0,
        origins: Vec::new(),
        queue: VecDeque::new(),
        reduction: (options.reduced && options.memory == MemoryModel::Sc).then(Reduction::default),
        dead: Dead::new(module),
        representatives: Representatives::new(module),
        data,
    };
    search.run();
    search.found
}

impl Exploration {
    /// Whether all runs were seen to their ends, with every value of each choice, and none fails.
    #[must_use]
    pub fn is_proof(&self) -> bool {
        // What has no meaning ends runs here; who asks may take it to go on.
        let cut_off = self.invalid_access || self.undefined;
        self.failure.is_none() && self.incomplete.is_none() && !self.sampled && !cut_off
    }
}

/// Answers with what is prescribed, then with the first value of the domain,
/// and notes how many there were to choose from.
struct Script<'d> {
    domain: &'d [u128],
    /// Positions in the reduced domain.
    prescribed: Vec<usize>,
    chosen: Vec<(usize, Vec<u128>)>,
    /// Whether the domain had not all values of some choice.
    sampled: bool,
    /// Parameters of the entry that nothing reads.
    unread: &'d [bool],
    /// The values that stand for all of what the code chooses now, if they are few.
    representatives: Option<Vec<u128>>,
    /// What terms are, if choices of more than a few values are some.
    data: Option<&'d RefCell<dyn Data>>,
}

impl Script<'_> {
    /// One of some values, the others of which are taken later.
    fn one_of(&mut self, values: Vec<u128>) -> u128 {
        let position = self.prescribed.get(self.chosen.len()).copied().unwrap_or(0);
        let value = values.get(position).copied().unwrap_or(0);
        self.chosen.push((position, values));
        value
    }

    /// The values that stand for all of a choice, if they are few.
    fn few(&self, request: Request) -> Option<Vec<u128>> {
        match request {
            Request::Parameter(number) => {
                let is_unread = self.unread.get(number as usize).is_some_and(|unread| *unread);
                is_unread.then(|| vec![0])
            }
            Request::Nondet => self.representatives.clone(),
            Request::Memory(_) | Request::Slot { .. } => None,
        }
    }
}

impl Inputs for Script<'_> {
    fn choose_term(
        &mut self,
        thread: u32,
        request: Request,
        bits: u16,
        occurring: &[Term],
    ) -> u128 {
        match (self.few(request), self.data) {
            (None, Some(data)) => {
                let mut data = data.borrow_mut();
                let variable = Machine::unused(&mut *data, (thread, request), bits, occurring);
                let value = data.variable(variable).value();
                self.chosen.push((0, vec![value]));
                value
            }
            _ => self.choose(thread, request, bits),
        }
    }

    fn data(&mut self) -> Option<RefMut<'_, dyn Data + 'static>> {
        let data: &RefCell<dyn Data> = self.data?;
        Some(data.borrow_mut())
    }

    fn value_of(&mut self, path: &Path, term: Term, bits: u16) -> Option<u128> {
        let values = self.data?.borrow_mut().values(path, term, bits)?;
        Some(self.one_of(values))
    }

    fn choose(&mut self, _: u32, request: Request, bits: u16) -> u128 {
        let values = self.few(request).unwrap_or_else(|| {
            let mut values: Vec<u128> = self.domain.iter().map(|v| v & mask(bits)).collect();
            values.sort_unstable();
            values.dedup();
            // A part of a byte that nobody wrote gives the rest of it a value too.
            let is_part = matches!(request, Request::Memory(_) | Request::Slot { .. })
                && !bits.is_multiple_of(8);
            self.sampled |= is_part || (values.len() as u128) <= mask(bits);
            values
        });
        self.one_of(values)
    }
}

impl<'d> Script<'d> {
    fn new(
        domain: &'d [u128],
        data: Option<&'d RefCell<dyn Data>>,
        unread: &'d [bool],
        prescribed: Vec<usize>,
    ) -> Self {
        let (chosen, sampled, representatives) = (Vec::new(), false, None);
        Script { domain, prescribed, chosen, sampled, unread, representatives, data }
    }

    fn values(&self) -> Vec<u128> {
        self.chosen.iter().map(|(at, values)| values.get(*at).copied().unwrap_or(0)).collect()
    }

    /// The next combination in the order of an odometer.
    fn next(&self) -> Option<Vec<usize>> {
        let last = self.chosen.iter().rposition(|(at, values)| at + 1 < values.len())?;
        let mut prescribed: Vec<usize> = self.chosen.iter().take(last).map(|(at, _)| *at).collect();
        prescribed.push(self.chosen.get(last)?.0 + 1);
        Some(prescribed)
    }
}

/// How a state was reached first.
#[derive(Clone, Debug)]
pub(super) enum Origin {
    /// By starting with these parameters.
    Start(Vec<u128>),
    /// From an earlier state.
    Step(usize, Move),
}

/// Instructions that a thread executes without being seen before others are
/// looked at again, so that endless loops are noticed as repeated states.
const UNSEEN: usize = 1000;

/// A state of the search.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(super) struct Node<'m> {
    pub machine: Machine<'m>,
    /// The locks that threads hold, in order; none where all orders of steps are gone through.
    pub holders: Vec<(Lock, u32)>,
}

impl<'m> Node<'m> {
    /// One where no locks are looked for.
    fn new(machine: Machine<'m>) -> Rc<Self> {
        Rc::new(Self { machine, holders: Vec::new() })
    }
}

/// What a thread can do next.
pub(super) struct Moves<'m> {
    /// All that it may do, and what comes of it.
    pub moved: Vec<(Machine<'m>, Move)>,
    /// What it touches in doing so, or before it has to wait.
    pub touched: Vec<Access>,
    /// Whether that is all it touches.
    pub is_known: bool,
    /// The lock that it waits for, whatever it does then.
    pub awaited: Option<Lock>,
}

pub(super) struct Search<'m> {
    pub(super) module: &'m Module,
    pub(super) options: &'m ExploreOptions,
    pub(super) found: Exploration,
    /// By state, its number. Those that are in the queue or looked at again are shared with them.
    pub(super) known: FxHashMap<Rc<Node<'m>>, usize>,
    /// What they take.
    pub(super) bytes: usize,
    pub(super) origins: Vec<Origin>,
    pub(super) queue: VecDeque<(usize, Rc<Node<'m>>)>,
    pub(super) reduction: Option<Reduction<'m>>,
    dead: Dead<'m>,
    representatives: Representatives<'m>,
    /// What terms are, if choices of more than a few values are some.
    pub(super) data: Option<&'m RefCell<dyn Data>>,
}

impl<'m> Search<'m> {
    fn run(&mut self) {
        loop {
            self.start();
            let Err(no_lock) = self.search() else { return };
            if let Some(reduction) = &mut self.reduction {
                reduction.begin_anew(no_lock);
            }
            self.known.clear();
            self.origins.clear();
            self.queue.clear();
            (self.bytes, self.found.states) = (0, 0);
        }
    }

    fn start(&mut self) {
        let options = self.options;
        let unread = self.unread_parameters();
        let mut prescribed = Some(Vec::new());
        while let Some(choices) = prescribed {
            let mut script = Script::new(&options.domain, self.data, &unread, choices);
            let Some(mut machine) =
                Machine::new(self.module, options.memory, options.threads, &mut script)
            else {
                self.found.incomplete = Some(Incomplete::NoStart);
                return;
            };
            if let Err(exceeded) = options.limits.check() {
                self.found.incomplete = Some(exceeded.into());
                return;
            }
            self.found.sampled |= script.sampled;
            let (values, next) = (script.values(), script.next());
            self.forget(&mut machine);
            self.reach(Node::new(machine), Origin::Start(values));
            prescribed = next;
        }
    }

    /// Looks at all that was reached, and at what is reached from there.
    ///
    /// # Errors
    /// If what was taken for granted does not hold, so that it has to begin again.
    fn search(&mut self) -> Result<(), NoLock> {
        loop {
            while let Some((index, node)) = self.queue.pop_front() {
                if self.reduction.is_some() {
                    self.expand(index, &node)?;
                    if self.is_over() {
                        return Ok(());
                    }
                    continue;
                }
                for thread in node.machine.threads() {
                    self.flush(index, &node.machine, thread);
                    for (next, step) in self.moves(index, &node.machine, thread).moved {
                        self.reach(Node::new(next), Origin::Step(index, step));
                    }
                    if self.is_over() {
                        return Ok(());
                    }
                }
            }
            if !self.reconsider() {
                return Ok(());
            }
        }
    }

    /// Whether there is nothing more to look for, or a limit was reached.
    pub(super) fn is_over(&self) -> bool {
        let stop = matches!(
            self.found.incomplete,
            Some(
                Incomplete::States(_)
                    | Incomplete::Bytes(_)
                    | Incomplete::Steps(_)
                    | Incomplete::Exceeded(_)
                    | Incomplete::NoNumbers
            )
        );
        let is_hopeless = self.options.ends_at_most_started
            && matches!(self.found.incomplete, Some(Incomplete::Started(_)));
        // There will be no proof, and what fails is found sooner by others.
        let is_not_followed = self.data.is_some()
            && matches!(self.found.incomplete, Some(Incomplete::Unsupported(_)));
        self.found.failure.is_some() || stop || is_hopeless || is_not_followed
    }

    /// By parameters of the entry, whether nothing reads them.
    fn unread_parameters(&mut self) -> Vec<bool> {
        let Some(entry) = self.module.entry else { return Vec::new() };
        let function = self.module.function(entry);
        let Some(first) = function.blocks.first() else { return Vec::new() };
        let reads = self.dead.of(entry);
        let is_unread = |&parameter| reads.is_dead(parameter, BlockId::new(0), 0);
        first.parameters.iter().map(is_unread).collect()
    }

    /// The values that stand for all of what the next instruction of a thread chooses, if it
    /// chooses and they are few.
    fn representatives(&mut self, machine: &Machine<'_>, thread: u32) -> Option<Vec<u128>> {
        let (function, block, index) = machine.position(thread)?;
        match self.module.function(function).block(block).instructions.get(index) {
            Some(Instruction { op: Op::Nondet { .. }, result: Some(result), .. }) => {
                self.representatives.of(function, *result).map(<[u128]>::to_vec)
            }
            _ => None,
        }
    }

    pub(super) fn reach(&mut self, node: Rc<Node<'m>>, origin: Origin) {
        let machine = &node.machine;
        self.found.started = self.found.started.max(machine.started());
        if let Some(most) = self.options.most_started.filter(|most| machine.started() > *most) {
            self.found.incomplete.get_or_insert(Incomplete::Started(most));
            return;
        }
        if let Some(most) = self.options.most_waiting
            && machine.threads().iter().any(|&thread| machine.exceeds(thread, most))
        {
            self.found.incomplete.get_or_insert(Incomplete::Waiting(most));
            return;
        }
        if self.origins.len() >= self.options.max_states {
            self.found.incomplete = Some(Incomplete::States(self.options.max_states));
            return;
        }
        let number = self.origins.len();
        if let Entry::Vacant(entry) = self.known.entry(Rc::clone(&node)) {
            entry.insert(number);
            // With how it was reached, and its place in the table and in the queue.
            self.bytes = self.bytes.saturating_add(node.machine.size() + 3 * size_of::<Origin>());
            if self.bytes > self.options.max_bytes {
                self.found.incomplete = Some(Incomplete::Bytes(self.options.max_bytes));
                return;
            }
            self.queue.push_back((number, node));
            self.origins.push(origin);
            self.found.states += 1;
        }
    }

    /// All ways in which a store of a thread reaches memory.
    fn flush(&mut self, from: usize, machine: &Machine<'m>, thread: u32) {
        for index in machine.ready(thread) {
            let mut next = machine.clone();
            if next.reach_memory(thread, index).is_some() {
                self.forget(&mut next);
                self.reach(Node::new(next), Origin::Step(from, Move::Reach { thread, index }));
            }
        }
    }

    /// All moves of a thread: its next instruction, and what it does unseen after that. If orders of steps are left out,
    /// a section is one move. Fewer of them if one fails, or a limit is reached.
    pub(super) fn moves(&mut self, from: usize, machine: &Machine<'m>, thread: u32) -> Moves<'m> {
        let is_reduced = self.reduction.is_some();
        let mut moves =
            Moves { moved: Vec::new(), touched: Vec::new(), is_known: true, awaited: None };
        let (mut touched, mut is_first) = (Vec::new(), true);
        let mut prescribed = Some(Vec::new());
        while let Some(choices) = prescribed {
            let mut script = Script::new(&self.options.domain, self.data, &[], choices);
            if let Err(exceeded) = self.options.limits.check() {
                self.found.incomplete = Some(exceeded.into());
                return moves;
            }
            let mut next = machine.clone();
            let mut instructions = 0;
            let mut awaits = Awaits::Begin;
            loop {
                if self.found.steps >= self.options.max_steps {
                    self.found.incomplete = Some(Incomplete::Steps(self.options.max_steps));
                    return moves;
                }
                self.found.steps += 1;
                instructions += 1;
                script.representatives = self.representatives(&next, thread);
                if let Err(what) = next.find_numbers(thread, &mut script) {
                    self.found.incomplete = Some(Incomplete::Unsupported(what));
                    instructions = 0;
                    break;
                }
                if is_reduced {
                    touched.clear();
                    moves.is_known &= touch(&next, thread, &mut touched);
                    awaits = awaits.next(&next, thread, &touched);
                    // Ways differ little in what they touch.
                    let is_new = |access: &Access| !moves.touched.contains(access);
                    let new: Vec<Access> = touched.iter().copied().filter(is_new).collect();
                    moves.touched.extend(new);
                }
                match next.step(thread, &mut script) {
                    Outcome::Continued(_) => {}
                    Outcome::Started(started) => {
                        if let Some(reduction) = &mut self.reduction {
                            reduction.conflicts.note_start(thread, started);
                        }
                    }
                    Outcome::ThreadEnded => break,
                    Outcome::Halted => {
                        // Nothing happens any more.
                        instructions = 0;
                        break;
                    }
                    Outcome::Blocked(_) => {
                        // What came before it was done, but a section that cannot be left was not entered.
                        instructions -= 1;
                        if is_reduced && next.is_atomic() {
                            instructions = 0;
                        }
                        // It waits for some values of its terms only: with these others have to move, whatever it does
                        // with the rest.
                        moves.is_known &= instructions > 0 || next.path() == machine.path();
                        break;
                    }
                    Outcome::Undefined(_) => {
                        self.found.undefined = true;
                        instructions -= 1;
                        break;
                    }
                    Outcome::AssertionFailed { property, location } => {
                        let choices = script.values();
                        let last = Move::Act { thread, instructions, choices };
                        self.fail(from, last, property, location);
                        return moves;
                    }
                    Outcome::InvalidAccess(_) => {
                        self.found.invalid_access = true;
                        instructions = 0;
                        break;
                    }
                    Outcome::Unsupported(what) => {
                        self.found.incomplete = Some(Incomplete::Unsupported(what));
                        instructions = 0;
                        break;
                    }
                }
                let is_in_section = is_reduced && next.is_atomic();
                if instructions >= UNSEEN {
                    moves.is_known &= !is_in_section;
                    break;
                }
                if !is_in_section && self.is_visible(&next, thread) {
                    break;
                }
            }
            self.found.sampled |= script.sampled;
            // Ways may differ in the lock that they wait for, where it is a term that says which.
            moves.awaited = match (is_first, awaits.lock()) {
                (false, lock) if lock != moves.awaited => None,
                (_, lock) => lock,
            };
            is_first = false;
            if instructions > 0 {
                let step = Move::Act { thread, instructions, choices: script.values() };
                self.forget(&mut next);
                moves.moved.push((next, step));
            }
            prescribed = script.next();
        }
        moves
    }

    /// Forgets what does not matter to what happens from here on.
    fn forget(&mut self, machine: &mut Machine<'m>) {
        machine.forget(&mut self.dead);
        if let Some(data) = self.data {
            machine.forget_conditions(&mut *data.borrow_mut());
        }
    }

    /// Whether the next instruction of a thread matters to others, or others to it.
    fn is_visible(&self, machine: &Machine<'_>, thread: u32) -> bool {
        let Some((function, block, index)) = machine.position(thread) else { return true };
        let block = self.module.function(function).block(block);
        match block.instructions.get(index) {
            Some(instruction) => match &instruction.op {
                Op::Nondet { .. } | Op::Assume { .. } | Op::Assert { .. } | Op::ThreadSelf => false,
                // With a bound it is seen whether there is room in the buffer.
                op @ Op::Store { .. } if self.options.most_waiting.is_none() => {
                    !machine.only_waits(thread, op)
                }
                op => !op.is_pure(),
            },
            None => !matches!(
                block.terminator.kind,
                TerminatorKind::Jump(_)
                    | TerminatorKind::Branch { .. }
                    | TerminatorKind::Switch { .. }
            ),
        }
    }

    fn fail(&mut self, from: usize, last: Move, property: String, location: Location) {
        let mut moves = vec![last];
        let mut at = from;
        let mut parameters = Vec::new();
        while let Some(origin) = self.origins.get(at) {
            match origin {
                Origin::Start(values) => {
                    parameters.clone_from(values);
                    break;
                }
                Origin::Step(before, step) => {
                    moves.push(step.clone());
                    at = *before;
                }
            }
        }
        moves.reverse();
        let memory = self.options.memory;
        let failure = Failure { memory, parameters, moves, property, location };
        self.found.failure = match self.data {
            None => Some(failure),
            Some(data) => {
                let found = retrace(self.module, self.options.threads, &failure, data);
                if found.is_none() {
                    self.found.incomplete = Some(Incomplete::NoNumbers);
                }
                found
            }
        };
    }
}
