//! Symbolic execution: loops and recursion are unfolded, paths meet again where the program's do, and
//! each access to memory that others access too is an event whose value is not known yet.

mod access;
mod instruction;
mod join;
mod members;
mod round;
mod state;
mod waiting;

use std::collections::VecDeque;
use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};
use sapa_ir::goto::interpret::{Escaping, Position};
use sapa_ir::goto::{
    BlockId, Function, FunctionId, GlobalId, Location, MemoryModel, Module, Operand, Target,
    TerminatorKind, ValueId, address,
};
use sapa_limits::{Exceeded, Limits};
use sapa_passes::transform::invariants::Movers;

use super::components::{Item, Loop, Unit, components};
use super::contention::{Accesses, Ended, Known};
use super::contents::Contents;
use super::guard::{Guard, Guards};
use super::object::{Objects, Site, named};
use super::reason::GaveUp;
use super::targets::Targets;
use super::unfolding::{Cut, Mark, Step, StepId, StepKind, Thread, Unfolding};
use crate::automaton::leaf::{Symbols, sort_of};
use crate::automaton::value::{compare, constant, scalar_bits};
use crate::solver::TermId;
pub(super) use join::value_of;
use join::{Begin, End};
use members::Members;
use round::Effect;
use state::{Pending, State};
pub(super) use waiting::MIXED;

/// How far to unfold.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bounds {
    /// How many times a loop is entered again, and a function calls itself.
    pub rounds: u32,
    /// Most threads, the initial one included.
    pub threads: usize,
    /// Most instructions.
    pub instructions: usize,
    /// Whether starts may have to wait for room.
    pub has_rooms: bool,
    /// Which stores wait.
    pub memory: MemoryModel,
    /// Whether only runs are followed in which indices of arrays that are members are within these.
    pub within_members: bool,
}

/// Why unfolding ends before its end.
#[derive(Debug)]
pub(super) enum Stop {
    /// A limit was reached.
    Exceeded,
    GaveUp(GaveUp),
}

impl From<Exceeded> for Stop {
    fn from(_: Exceeded) -> Self {
        Self::Exceeded
    }
}

impl From<GaveUp> for Stop {
    fn from(reason: GaveUp) -> Self {
        Self::GaveUp(reason)
    }
}

/// A call that is executed.
struct Frame {
    id: FunctionId,
    /// What the values were defined as last.
    values: Vec<Option<TermId>>,
    /// The numbers of the stack objects.
    slots: Vec<u64>,
    /// Where paths go on.
    pending: FxHashMap<Unit, Pending>,
    /// The loops that are executed, the innermost last.
    loops: Vec<Round>,
    /// The paths that have returned, with the result.
    returned: Option<(State, Option<TermId>)>,
}

/// A round of a loop.
struct Round {
    of: Rc<Loop>,
    /// Whether a path left the loop.
    leaves: bool,
    /// Whether a branch that could have left it was known to stay.
    stays: bool,
}

/// What is unfolded, and all that terms of it are about.
pub(super) struct Unfolder<'m> {
    pub module: &'m Module,
    pub symbols: &'m mut Symbols,
    pub limits: &'m Limits,
    pub bounds: Bounds,
    /// Steps that are a part of the one before them.
    movers: &'m Movers,
    pub guards: Guards,
    pub objects: Objects,
    pub targets: Targets,
    pub accesses: Accesses,
    pub out: Unfolding,
    known: &'m Known,
    items: FxHashMap<FunctionId, Rc<Vec<Item>>>,
    /// By function, where indices of them are kept within.
    members: FxHashMap<FunctionId, Rc<Members>>,
    /// The functions that are being executed.
    calls: Vec<FunctionId>,
    /// The thread that is unfolded.
    thread: usize,
    /// The numbers of its own objects of what is local to threads.
    own: FxHashMap<GlobalId, u64>,
    /// Which of what is local to threads others may come to, where stores wait.
    pub escaping: Escaping,
    /// The ways in which it ends.
    ends: Vec<End>,
    /// Threads that were started and not unfolded yet.
    waiting: VecDeque<(usize, Begin)>,
    /// Those that were unfolded and end, by number.
    finished: FxHashMap<usize, End>,
    /// Those of them whose ends are known where somebody has waited for them.
    awaited: FxHashSet<usize>,
    /// The calls of threads that wait for the one that is unfolded.
    outer: usize,
    /// What was done that others may see, or that lasts: the conditions, in order.
    effects: Vec<Effect>,
    /// Where the instruction stands that is executed.
    position: Position,
    executed: usize,
}

impl<'m> Unfolder<'m> {
    /// Nothing unfolded yet; `None` if there is no entry, or a global is too large.
    pub fn new(
        module: &'m Module,
        symbols: &'m mut Symbols,
        known: &'m Known,
        (bounds, movers): (Bounds, &'m Movers),
        limits: &'m Limits,
    ) -> Option<Self> {
        let entry = module.entry?;
        let guards = Guards::new(&symbols.store);
        Some(Self {
            module,
            symbols,
            limits,
            bounds,
            movers,
            guards,
            objects: Objects::new(module)?,
            targets: Targets::default(),
            accesses: Accesses::default(),
            out: Unfolding::default(),
            known,
            items: FxHashMap::default(),
            members: FxHashMap::default(),
            calls: Vec::new(),
            thread: 0,
            own: FxHashMap::default(),
            escaping: match bounds.memory {
                MemoryModel::Sc => Escaping::default(),
                _ => Escaping::of(module),
            },
            ends: Vec::new(),
            waiting: VecDeque::new(),
            finished: FxHashMap::default(),
            awaited: FxHashSet::default(),
            outer: 0,
            effects: Vec::new(),
            position: (entry, Function::ENTRY, 0),
            executed: 0,
        })
    }

    /// Unfolds the program from its entry.
    ///
    /// # Errors
    /// What is not unfolded, or the limit that was reached.
    pub fn run(&mut self) -> Result<(), Stop> {
        let entry = self.position.0;
        let parameters: Vec<TermId> = self
            .module
            .function(entry)
            .parameters
            .iter()
            .map(|ty| {
                let bits = scalar_bits(self.module, ty);
                self.symbols.store.fresh(sort_of(bits), "parameter")
            })
            .collect();
        self.out.parameters.clone_from(&parameters);
        let begin = Begin { memory: Contents::default(), ended: Ended::default() };
        self.add_thread(None, entry, Guard::TRUE, parameters, begin);
        while let Some((thread, begin)) = self.waiting.pop_front() {
            self.unfold_thread(thread, begin)?;
        }
        Ok(())
    }

    /// A thread that begins like this.
    fn add_thread(
        &mut self,
        parent: Option<(usize, usize, StepId)>,
        function: FunctionId,
        guard: Guard,
        parameters: Vec<TermId>,
        begin: Begin,
    ) -> usize {
        let number = self.out.threads.len();
        self.out.threads.push(Thread {
            parent,
            function,
            guard,
            parameters,
            steps: Vec::new(),
            reaches: Vec::new(),
            barriers: Vec::new(),
            marks: Vec::new(),
            started: 0,
            end: None,
        });
        self.waiting.push_back((number, begin));
        number
    }

    fn unfold_thread(&mut self, thread: usize, begin: Begin) -> Result<(), Stop> {
        self.thread = thread;
        self.add_own()?;
        let Thread { function, guard, parameters, .. } = self.out.threads[thread].clone();
        let state = State {
            guard,
            memory: begin.memory,
            outer: FxHashMap::default(),
            section: None,
            is_shared: thread > 0,
            ended: begin.ended,
            last: None,
        };
        if let Some((state, value)) = self.call(function, parameters, state)? {
            self.end(state, value);
        }
        let mut ends = std::mem::take(&mut self.ends).into_iter();
        let Some(mut all) = ends.next() else { return Ok(()) };
        for other in ends {
            let condition = self.guards.term(all.guard);
            all.value = match (all.value, other.value) {
                (Some(a), Some(b)) if self.symbols.bits(a) == self.symbols.bits(b) => {
                    Some(self.symbols.store.ite(condition, a, b))
                }
                _ => None,
            };
            all.memory.merge(self.symbols, &mut self.objects, condition, &other.memory);
            all.ended = all.ended.intersection(other.ended);
            all.guard = self.guards.or(&mut self.symbols.store, all.guard, other.guard).0;
        }
        let step = self.add_step(StepKind::End, all.guard);
        self.out.steps[step.index()].drains = Some(all.guard);
        self.out.threads[thread].end = Some((step, all.guard, all.value));
        self.finished.insert(thread, all);
        Ok(())
    }

    /// The thread's own objects of what is local to threads. Others may be given their addresses.
    fn add_own(&mut self) -> Result<(), Stop> {
        for (index, global) in self.module.globals.iter().enumerate() {
            // Those of the initial thread have the numbers of the globals.
            if global.thread_local && self.thread > 0 {
                let id = GlobalId::new(index);
                let number = self.objects.add_own(id);
                let number = number.ok_or(GaveUp::TooLarge(global.location))?;
                self.own.insert(id, number);
            }
        }
        Ok(())
    }

    /// The thread ends.
    fn end(&mut self, state: State, value: Option<TermId>) {
        if let Some(open) = state.section {
            self.close(open.step, state.guard);
        }
        let State { guard, memory, ended, .. } = state;
        self.ends.push(End { guard, value, memory, ended });
    }

    /// A new step of the thread, which is its last, and which others see in the runs that come to it.
    fn add_step(&mut self, kind: StepKind, guard: Guard) -> StepId {
        let id = self.add_section(guard);
        let step = &mut self.out.steps[id.index()];
        (step.kind, step.complete) = (kind, Some(guard));
        id
    }

    /// A new step of the thread, which is its last, and of which others see nothing before it is closed.
    fn add_section(&mut self, guard: Guard) -> StepId {
        let id = StepId::new(self.out.steps.len());
        let steps = &mut self.out.threads[self.thread].steps;
        let (thread, place) = (self.thread, steps.len());
        let (kind, complete, drains, section) = (StepKind::Access, None, None, None);
        self.out.steps.push(Step { thread, place, kind, complete, drains, section, guard });
        steps.push(id);
        id
    }

    /// Paths come to the end of a section.
    fn close(&mut self, section: StepId, guard: Guard) {
        let step = &mut self.out.steps[section.index()];
        step.complete = Some(match step.complete {
            Some(before) => self.guards.or(&mut self.symbols.store, before, guard).0,
            None => guard,
        });
    }

    /// The step that an access of these runs is in: the section, the last one if the access commutes with all that
    /// others do since then, or a new one.
    fn step(&mut self, state: &mut State, guard: Guard) -> StepId {
        if let Some(open) = state.section {
            return open.step;
        }
        let last = state.last.filter(|_| self.is_mover());
        let step = last.unwrap_or_else(|| self.add_step(StepKind::Access, guard));
        state.last = Some(step);
        step
    }

    /// The step of a section that begins here, as [`step`](Self::step).
    fn section(&mut self, state: &mut State) -> StepId {
        let last = state.last.filter(|_| self.is_mover());
        let step = last.unwrap_or_else(|| self.add_section(state.guard));
        state.last = Some(step);
        step
    }

    /// Whether the instruction that is executed may as well be executed right behind the step before it: other
    /// threads do nothing meanwhile that it would notice, or that would notice it.
    fn is_mover(&self) -> bool {
        self.movers.is_guarded(self.position) || self.movers.gives_back(self.position)
    }

    fn mark(
        &mut self,
        position: Position,
        guard: Guard,
        value: Option<TermId>,
        step: Option<StepId>,
    ) {
        self.out.threads[self.thread].marks.push(Mark { position, guard, value, step });
    }

    /// Paths that are not followed.
    fn cut(&mut self, guard: Guard, location: Location) {
        self.out.cuts.push(Cut { guard, location });
    }

    /// Calls a function: the paths that return, with the result; `None` if none does.
    fn call(
        &mut self,
        id: FunctionId,
        arguments: Vec<TermId>,
        state: State,
    ) -> Result<Option<(State, Option<TermId>)>, Stop> {
        let function = self.module.function(id);
        if !function.is_defined() {
            return Err(GaveUp::NoBody(function.name.clone(), function.location).into());
        }
        let nested = self.calls.iter().filter(|&&other| other == id).count();
        if nested > self.bounds.rounds as usize || self.calls.len() >= MOST_NESTED {
            self.cut(state.guard, function.location);
            return Ok(None);
        }
        let mut slots = Vec::with_capacity(function.slots.len());
        for (index, slot) in function.slots.iter().enumerate() {
            let site = Site::Slot(id, sapa_ir::goto::SlotId::new(index));
            let number = self.objects.add(site, slot.ty.size(self.module), None, false);
            slots.push(number.ok_or(GaveUp::TooLarge(function.location))?);
        }
        let items = match self.items.get(&id) {
            Some(items) => items.clone(),
            None => {
                let items = Rc::new(components(function));
                self.items.insert(id, items.clone());
                items
            }
        };
        let mut frame = Frame {
            id,
            values: vec![None; function.values.len()],
            slots,
            pending: FxHashMap::default(),
            loops: Vec::new(),
            returned: None,
        };
        // What the caller has carried out of its loops is of its own values.
        let mut state = state;
        let outer = std::mem::take(&mut state.outer);
        frame
            .pending
            .insert(Unit::of(Function::ENTRY), Pending { state, arguments, live: Vec::new() });
        self.calls.push(id);
        let result = self.run_items(&mut frame, &items);
        self.calls.pop();
        result?;
        Ok(frame.returned.map(|(state, value)| (State { outer, ..state }, value)))
    }

    fn run_items(&mut self, frame: &mut Frame, items: &[Item]) -> Result<(), Stop> {
        for item in items {
            match item {
                Item::Unit(unit, end) => {
                    if let Some(pending) = frame.pending.remove(unit) {
                        self.run_unit(frame, *unit, *end, pending)?;
                    }
                }
                Item::Loop(inner) => self.run_loop(frame, inner)?,
            }
        }
        Ok(())
    }

    /// Executes a loop until no path is left in it, or its rounds are used up.
    fn run_loop(&mut self, frame: &mut Frame, of: &Rc<Loop>) -> Result<(), Stop> {
        let (mut counted, mut rounds) = (0, 0);
        while frame.pending.keys().any(|unit| of.units.contains(unit)) {
            self.limits.check()?;
            let before = frame.pending.get(&of.head).cloned();
            let before = before.map(|before| self.with_live(frame, of, before));
            let indices = (self.effects.len(), self.out.events.len());
            frame.loops.push(Round { of: of.clone(), leaves: false, stays: false });
            let result = self.run_items(frame, &of.items);
            let round = frame.loops.pop();
            result?;
            let Some(after) = frame.pending.remove(&of.head) else { continue };
            let after = self.with_live(frame, of, after);
            let Some((after, moves)) = self.changed(before.as_ref(), after, indices) else {
                continue;
            };
            // A round that is known to be followed by another one is not counted.
            if !moves || round.is_none_or(|round| round.leaves || !round.stays) {
                counted += 1;
            }
            rounds += 1;
            self.out.rounds = self.out.rounds.max(rounds);
            if counted > self.bounds.rounds {
                let location = self.location(frame.id, of.head.block);
                self.cut(after.state.guard, location);
                continue;
            }
            frame.pending.insert(of.head, after);
        }
        Ok(())
    }

    /// Paths at the head of a loop, with the values of the loop that are read there besides the parameters.
    fn with_live(&mut self, frame: &Frame, of: &Loop, mut pending: Pending) -> Pending {
        pending.live = of.live.iter().map(|&v| self.value(frame, &pending.state, v)).collect();
        pending
    }

    /// The first place of a block that has one in the source.
    fn location(&self, function: FunctionId, block: BlockId) -> Location {
        let block = self.module.function(function).block(block);
        let first = block.instructions.first().map(|instruction| instruction.location);
        first.unwrap_or(block.terminator.location)
    }

    /// Executes a unit, to where the next one of its block begins, and goes on from there.
    fn run_unit(
        &mut self,
        frame: &mut Frame,
        unit: Unit,
        end: Option<usize>,
        pending: Pending,
    ) -> Result<(), Stop> {
        let Some(state) = self.run_instructions(frame, unit, end, pending)? else { return Ok(()) };
        match end {
            Some(start) => self.go_to(frame, state, Unit { start, ..unit }, Vec::new()),
            None => {
                let block = self.module.function(frame.id).block(unit.block);
                self.terminator(frame, state, &block.terminator.kind)
            }
        }
    }

    /// Executes a unit, to where the next one of its block begins: the paths that get there.
    fn run_instructions(
        &mut self,
        frame: &mut Frame,
        Unit { block: id, start }: Unit,
        end: Option<usize>,
        Pending { mut state, arguments, .. }: Pending,
    ) -> Result<Option<State>, Stop> {
        let block = self.module.function(frame.id).block(id);
        for (&parameter, argument) in block.parameters.iter().zip(arguments) {
            define(frame, &mut state, parameter, argument);
        }
        let count = end.unwrap_or(block.instructions.len());
        for (index, instruction) in block.instructions.iter().enumerate().take(count).skip(start) {
            self.executed += 1;
            if self.executed > self.bounds.instructions {
                return Err(GaveUp::TooLarge(instruction.location).into());
            }
            self.position = (frame.id, id, index);
            if self.executed.is_multiple_of(256) {
                self.limits.check()?;
            }
            if !self.instruction(frame, &mut state, instruction, (frame.id, id, index))? {
                return Ok(None);
            }
        }
        Ok(Some(state))
    }

    /// Executes code that goes straight on to where runs end.
    fn run_tail(
        &mut self,
        frame: &mut Frame,
        mut unit: Unit,
        mut pending: Pending,
    ) -> Result<(), Stop> {
        loop {
            let state = self.run_instructions(frame, unit, None, pending)?;
            let block = self.module.function(frame.id).block(unit.block);
            let (Some(state), TerminatorKind::Jump(target)) = (state, &block.terminator.kind)
            else {
                return Ok(());
            };
            let arguments =
                target.arguments.iter().map(|&a| self.operand(frame, &state, a)).collect();
            unit = Unit::of(target.block);
            pending = Pending { state, arguments, live: Vec::new() };
        }
    }

    fn terminator(
        &mut self,
        frame: &mut Frame,
        state: State,
        kind: &TerminatorKind,
    ) -> Result<(), Stop> {
        match kind {
            TerminatorKind::Jump(target) => self.go(frame, state, target),
            TerminatorKind::Branch { condition, then, otherwise } => {
                let condition = self.operand(frame, &state, *condition);
                match self.symbols.store.as_boolean(condition) {
                    Some(true) => self.decided(frame, state, then, otherwise),
                    Some(false) => self.decided(frame, state, otherwise, then),
                    None => {
                        let not = self.symbols.store.not(condition);
                        if let Some(state) = self.assume(state.clone(), condition) {
                            self.go(frame, state, then)?;
                        }
                        match self.assume(state, not) {
                            Some(state) => self.go(frame, state, otherwise),
                            None => Ok(()),
                        }
                    }
                }
            }
            TerminatorKind::Switch { value, cases, default } => {
                let value = self.operand(frame, &state, *value);
                let bits = self.symbols.bits(value);
                let mut rest = Some(state);
                for (case, target) in cases {
                    let Some(state) = rest.take() else { break };
                    let case = constant(self.symbols, bits, *case);
                    let is = compare(self.symbols, sapa_ir::goto::CompareOp::Eq, value, case);
                    let is_not = self.symbols.store.not(is);
                    if let Some(state) = self.assume(state.clone(), is) {
                        self.go(frame, state, target)?;
                    }
                    rest = self.assume(state, is_not);
                }
                match rest {
                    Some(state) => self.go(frame, state, default),
                    None => Ok(()),
                }
            }
            TerminatorKind::Return(value) => {
                let value = value.map(|value| self.operand(frame, &state, value));
                frame.returned = Some(match frame.returned.take() {
                    None => (state, value),
                    Some((before, result)) => {
                        let (merged, is_new) = self.merge(before, state, &[])?;
                        let value = match (result, value) {
                            (Some(old), Some(new)) => {
                                Some(self.symbols.store.ite(is_new, new, old))
                            }
                            _ => None,
                        };
                        (merged, value)
                    }
                });
                Ok(())
            }
            TerminatorKind::EndThread(value) => {
                let value = value.map(|value| self.operand(frame, &state, value));
                self.end(state, value);
                Ok(())
            }
            // What others do then they do before as well: it is as if the thread stood still.
            TerminatorKind::Halt | TerminatorKind::Unreachable => Ok(()),
        }
    }

    /// Goes to a target where the branch is known to.
    fn decided(
        &mut self,
        frame: &mut Frame,
        state: State,
        taken: &Target,
        other: &Target,
    ) -> Result<(), Stop> {
        for round in &mut frame.loops {
            let inside = |target: &Target| round.of.units.contains(&Unit::of(target.block));
            let stays = inside(taken) && !inside(other);
            round.stays |= stays;
        }
        self.go(frame, state, taken)
    }

    /// Paths go on at a target.
    fn go(&mut self, frame: &mut Frame, state: State, target: &Target) -> Result<(), Stop> {
        let arguments: Vec<TermId> =
            target.arguments.iter().map(|&a| self.operand(frame, &state, a)).collect();
        self.go_to(frame, state, Unit::of(target.block), arguments)
    }

    fn go_to(
        &mut self,
        frame: &mut Frame,
        mut state: State,
        unit: Unit,
        arguments: Vec<TermId>,
    ) -> Result<(), Stop> {
        let Frame { loops, values, .. } = frame;
        for round in loops.iter_mut().filter(|round| !round.of.units.contains(&unit)) {
            round.leaves = true;
            for &value in &round.of.escaping {
                if let Some(term) = values[value.index()] {
                    state.outer.entry(value).or_insert(term);
                }
            }
        }
        let live = Vec::new();
        if state.section.is_some() && self.is_tail(frame.id, unit) {
            // Rounds of a loop have sections of their own: paths that end in them do not meet before.
            return self.run_tail(frame, unit, Pending { state, arguments, live });
        }
        let new = match frame.pending.remove(&unit) {
            None => Pending { state, arguments, live },
            Some(before) => {
                let (state, is_new) = self.merge(before.state, state, &frame.values)?;
                let both = before.arguments.into_iter().zip(arguments);
                let arguments =
                    both.map(|(old, new)| self.symbols.store.ite(is_new, new, old)).collect();
                Pending { state, arguments, live }
            }
        };
        frame.pending.insert(unit, new);
        Ok(())
    }

    /// Whether code goes straight on to where runs end.
    fn is_tail(&self, function: FunctionId, Unit { mut block, start }: Unit) -> bool {
        let function = self.module.function(function);
        // Jumps may lead round; no tail is longer than the function.
        for _ in 0..function.blocks.len() {
            match &function.block(block).terminator.kind {
                TerminatorKind::Halt | TerminatorKind::Unreachable => return start == 0,
                TerminatorKind::Jump(target) => block = target.block,
                _ => return false,
            }
        }
        false
    }

    /// The paths on which a condition holds.
    fn assume(&mut self, mut state: State, condition: TermId) -> Option<State> {
        state.guard = self.guards.and(&mut self.symbols.store, state.guard, condition)?;
        Some(state)
    }

    /// The term of an operand.
    fn operand(&mut self, frame: &Frame, state: &State, operand: Operand) -> TermId {
        let pointer = self.module.target.pointer_bits;
        match operand {
            Operand::Value(value) => self.value(frame, state, value),
            Operand::Int { bits, value } => constant(self.symbols, bits, value),
            Operand::Null => constant(self.symbols, pointer, 0),
            Operand::Slot(slot) => {
                let address = address::encode(pointer, frame.slots[slot.index()], 0);
                constant(self.symbols, pointer, u128::from(address))
            }
            Operand::Global(global) if self.own.contains_key(&global) => {
                let address = address::encode(pointer, self.own[&global], 0);
                constant(self.symbols, pointer, u128::from(address))
            }
            Operand::Global(_) | Operand::Function(_) => {
                let address = named(self.module, operand).unwrap_or(0);
                constant(self.symbols, pointer, u128::from(address))
            }
        }
    }

    fn value(&mut self, frame: &Frame, state: &State, value: ValueId) -> TermId {
        let known = state.outer.get(&value).copied().or(frame.values[value.index()]);
        // A value that no path has defined is read on none.
        known.unwrap_or_else(|| {
            let ty = &self.module.function(frame.id).values[value.index()].ty;
            constant(self.symbols, scalar_bits(self.module, ty), 0)
        })
    }
}

/// Most calls in each other.
const MOST_NESTED: usize = 64;

/// Gives a value to an SSA value.
fn define(frame: &mut Frame, state: &mut State, value: ValueId, term: TermId) {
    frame.values[value.index()] = Some(term);
    state.outer.remove(&value);
}
