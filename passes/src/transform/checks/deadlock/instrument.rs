//! The code that counts threads, lets them give up, and asserts that not all have.

use rustc_hash::FxHashMap;
use sapa_ir::goto::types::BOOL;
use sapa_ir::goto::{
    BinaryOp, Builder, CompareOp, Function, FunctionId, Instruction, Location, Module, NameId, Op,
    Operand, Section, SyncOp, TerminatorKind, Type, UnaryOp, ValueId,
};
use sapa_limits::Limits;

use super::ghosts::{Ghosts, NUMBER, add, assume, number};
use super::wait::{Action, Waits, last_blocks};
use super::{Asked, PASS};
use crate::error::PassError;

/// Names of operations, for reports.
#[derive(Clone, Copy)]
struct Names {
    /// What the pass adds.
    pass: NameId,
    /// A wait for a signal.
    condition_wait: NameId,
}

/// Puts the code in.
///
/// # Errors
/// A limit ended it.
pub(super) fn instrument(
    module: &mut Module,
    waits: &Waits,
    asked: Asked,
    limits: &Limits,
) -> Result<(), PassError> {
    let spins = |f: &Function| {
        f.instructions().any(|i| matches!(i.op, Op::Sync { op: SyncOp::SpinUnlock, .. }))
    };
    if module.functions.iter().any(spins) {
        module.note(
            "assuming that pthread_spin_unlock waits until other threads see all earlier stores",
        );
    }
    let ghosts = Ghosts::new(module, waits, asked);
    let names = Names {
        pass: module.intern_name(PASS.name),
        condition_wait: module.intern_name("condition_wait"),
    };
    for id in (0..module.functions.len()).map(FunctionId::new) {
        limits.check()?;
        let Some(actions) = waits.actions.get(&id) else { continue };
        let mut function = std::mem::take(&mut module.functions[id.index()]);
        function.rewrite(|builder, (block, index), instruction| {
            let at = instruction.location;
            builder.location = Location { operation: Some(names.pass), ..at };
            let text = waits.texts.get(&(id, block, index)).map_or("", String::as_str);
            let mut code = Code { builder, ghosts, names, at, text };
            match actions.get(&(block, index)) {
                None => code.plain(instruction),
                Some(Action::Wait) => code.wait(instruction),
                Some(Action::WaitInSection { code: before, condition }) => {
                    code.wait_in_section(before, *condition, instruction);
                }
                Some(Action::WaitForSignal { for_ever }) => {
                    code.wait_for_signal(&instruction, *for_ever);
                }
                Some(Action::Ends { in_section }) => code.end_waits(instruction, *in_section),
                Some(Action::Initialises) => code.initialise(instruction),
                Some(Action::Signals { all }) => code.signal(instruction, *all),
                Some(Action::Starts) => code.start(instruction),
            }
        });
        for block in last_blocks(&function, waits.roots.contains(&id)) {
            let at = function.block(block).terminator.location;
            let location = Location { operation: Some(names.pass), ..at };
            let mut builder = Builder::new(&mut function, location);
            builder.switch_to(block);
            let mut code = Code { builder: &mut builder, ghosts, names, at, text: "" };
            code.end_thread();
        }
        module.functions[id.index()] = function;
    }
    Ok(())
}

struct Code<'b, 'f> {
    builder: &'b mut Builder<'f>,
    ghosts: Ghosts,
    names: Names,
    /// The place of the instruction in the source.
    at: Location,
    /// What is waited for.
    text: &'b str,
}

/// The counters in a condition variable: threads that wait and will be woken, signals that they have not noticed,
/// and threads that have given up.
#[derive(Clone, Copy)]
enum Counter {
    Waiting,
    Signals,
    Forever,
}

impl Code<'_, '_> {
    /// An instruction that nothing is added to.
    fn plain(&mut self, instruction: Instruction) {
        self.builder.push(instruction);
    }

    fn begin(&mut self) {
        self.builder.effect(Op::AtomicBegin(Section::Locked));
    }

    fn end(&mut self) {
        self.builder.effect(Op::AtomicEnd);
    }

    /// Assumes that nobody has given up but at condition variables.
    fn nobody_stuck(&mut self) {
        assume(self.builder, Operand::Global(self.ghosts.stuck), CompareOp::Eq, number(0));
    }

    /// Begins what a thread does that gives up. The block where the others go on.
    fn choose(&mut self) -> sapa_ir::goto::BlockId {
        let b = &mut *self.builder;
        let gives_up = b.nondet(BOOL);
        let (stays, goes) = (b.add_block(), b.add_block());
        b.branch(gives_up, stays, goes);
        b.switch_to(stays);
        self.begin();
        goes
    }

    /// Ends what a thread does that gives up, in a section: it answers if it is asked, and does no more. Goes on with
    /// the others.
    fn give_up(&mut self, goes: sapa_ir::goto::BlockId) {
        self.assert_somebody_moves();
        self.end();
        if let Some(asked) = self.ghosts.asked {
            self.begin();
            let b = &mut *self.builder;
            let handles = Type::Int(self.ghosts.pointer_bits);
            let question = b.load(handles.clone(), Operand::Global(asked));
            let own = b.define(Op::ThreadSelf, handles.clone());
            let condition = b.compare(CompareOp::Eq, question, own);
            b.effect(Op::Assume { condition });
            b.store(handles, Operand::Global(asked), Operand::int(self.ghosts.pointer_bits, 0));
            self.assert_somebody_moves();
            self.end();
        }
        let b = &mut *self.builder;
        b.effect(Op::Assume { condition: Operand::bool(false) });
        b.terminate(TerminatorKind::Unreachable);
        b.switch_to(goes);
    }

    /// How many have given up.
    fn given_up(&mut self) -> Operand {
        let b = &mut *self.builder;
        let stuck = b.load(NUMBER, Operand::Global(self.ghosts.stuck));
        let Some(forever) = self.ghosts.forever else { return stuck };
        let forever = b.load(NUMBER, Operand::Global(forever));
        b.binary(BinaryOp::Add, stuck, forever, false)
    }

    fn assert_somebody_moves(&mut self) {
        let given_up = self.given_up();
        let b = &mut *self.builder;
        let live = b.load(NUMBER, Operand::Global(self.ghosts.live));
        let mut condition = b.compare(CompareOp::Ne, given_up, live);
        if let Some(asked) = self.ghosts.asked {
            let bits = self.ghosts.pointer_bits;
            let question = b.load(Type::Int(bits), Operand::Global(asked));
            let is_open = b.compare(CompareOp::Ne, question, Operand::int(bits, 0));
            condition = b.binary(BinaryOp::Or, condition, is_open, false);
        }
        if let Some(joining) = self.ghosts.joining {
            let joins = b.load(BOOL, Operand::Global(joining));
            let none = b.unary(UnaryOp::Not, joins);
            condition = b.binary(BinaryOp::Or, condition, none, false);
        }
        let property = match self.text {
            "" => "no deadlock: all threads that are left wait for ever".to_owned(),
            text => format!("no deadlock: all threads wait for ever, this one for {text}"),
        };
        self.builder.effect(Op::Assert { condition, property });
    }

    /// An operation that waits.
    fn wait(&mut self, instruction: Instruction) {
        let goes = self.choose();
        match &instruction.op {
            Op::Sync { op, arguments } => {
                let (object, than) = (arguments[0], number(0));
                match op {
                    SyncOp::ReadLock => {
                        assume(self.builder, object, CompareOp::Eq, number(u32::MAX));
                    }
                    SyncOp::SemaphoreWait => assume(self.builder, object, CompareOp::Eq, than),
                    _ => assume(self.builder, object, CompareOp::Ne, than),
                }
            }
            Op::Join { handle } => self.ask(*handle),
            _ => {}
        }
        add(self.builder, Operand::Global(self.ghosts.stuck), 1);
        self.give_up(goes);
        self.plain(instruction);
    }

    /// Asks a thread whether it runs, if it is another one. No question is open then but one that this answers.
    fn ask(&mut self, handle: Operand) {
        let Some(asked) = self.ghosts.asked else { return };
        let bits = self.ghosts.pointer_bits;
        let (handles, none) = (Type::Int(bits), Operand::int(bits, 0));
        let b = &mut *self.builder;
        let question = b.load(handles.clone(), Operand::Global(asked));
        let is_none = b.compare(CompareOp::Eq, question, none);
        let own = b.define(Op::ThreadSelf, handles.clone());
        let is_answered = b.compare(CompareOp::Eq, question, own);
        let condition = b.binary(BinaryOp::Or, is_none, is_answered, false);
        b.effect(Op::Assume { condition });
        let is_own = b.compare(CompareOp::Eq, handle, own);
        let question =
            b.define(Op::Select { condition: is_own, a: none, b: handle }, handles.clone());
        b.store(handles, Operand::Global(asked), question);
        if let Some(joining) = self.ghosts.joining {
            b.store(BOOL, Operand::Global(joining), Operand::bool(true));
        }
    }

    /// A section that waits, at its begin.
    fn wait_in_section(
        &mut self,
        before: &[Instruction],
        condition: Operand,
        instruction: Instruction,
    ) {
        let goes = self.choose();
        let mut copies: FxHashMap<ValueId, Operand> = FxHashMap::default();
        let copied = |operand: Operand, copies: &FxHashMap<ValueId, Operand>| {
            operand.value().and_then(|value| copies.get(&value).copied()).unwrap_or(operand)
        };
        for one in before {
            let mut op = one.op.clone();
            op.for_each_operand_mut(|operand| *operand = copied(*operand, &copies));
            if let Some(result) = one.result {
                let ty = self.builder.function.operand_type(Operand::Value(result));
                let copy = self.builder.define(op, ty);
                copies.insert(result, copy);
            }
        }
        let waits = self.builder.unary(UnaryOp::Not, copied(condition, &copies));
        self.builder.effect(Op::Assume { condition: waits });
        add(self.builder, Operand::Global(self.ghosts.stuck), 1);
        self.give_up(goes);
        self.plain(instruction);
    }

    fn counter(&mut self, condition: Operand, counter: Counter) -> Operand {
        let index = match counter {
            Counter::Waiting => 0,
            Counter::Signals => 1,
            Counter::Forever => 2,
        };
        let index = Operand::int(self.ghosts.pointer_bits, index);
        self.builder
            .define(Op::IndexAddress { base: condition, element: NUMBER, index }, Type::Pointer)
    }

    /// A wait for a signal. The mutex is unlocked in the step in which the wait begins, and locked in steps of its own.
    fn wait_for_signal(&mut self, instruction: &Instruction, for_ever: bool) {
        let Op::Sync { arguments, .. } = &instruction.op else { return };
        let (condition, mutex) = (arguments[0], arguments[1]);
        let unlock = |code: &mut Self| {
            let op = Op::Sync { op: SyncOp::MutexUnlock, arguments: vec![mutex] };
            code.builder.push(Instruction { op, result: None, location: code.at });
        };
        let waiting = self.counter(condition, Counter::Waiting);
        let signals = self.counter(condition, Counter::Signals);
        if for_ever && let Some(forever) = self.ghosts.forever {
            let own = self.counter(condition, Counter::Forever);
            let goes = self.choose();
            self.nobody_stuck();
            unlock(self);
            add(self.builder, own, 1);
            add(self.builder, Operand::Global(forever), 1);
            self.give_up(goes);
        }
        self.begin();
        self.nobody_stuck();
        assume(self.builder, signals, CompareOp::Eq, number(0));
        let location = Location { operation: Some(self.names.condition_wait), ..self.at };
        let result = self.builder.function.add_value(Type::Pointer, None);
        let op = Op::Copy { a: condition };
        self.builder.push(Instruction { op, result: Some(result), location });
        unlock(self);
        add(self.builder, waiting, 1);
        self.end();
        // By a signal, or without one.
        self.begin();
        let b = &mut *self.builder;
        let is_signalled = b.nondet(BOOL);
        let counter = Op::Select { condition: is_signalled, a: signals, b: waiting };
        let counter = b.define(counter, Type::Pointer);
        assume(b, counter, CompareOp::Ne, number(0));
        add(b, counter, -1);
        self.end();
        // It may wait for the mutex for ever.
        self.text = "a mutex, behind a wait for a signal";
        let lock = Op::Sync { op: SyncOp::MutexLock, arguments: vec![mutex] };
        self.wait(Instruction { op: lock, result: None, location: self.at });
    }

    /// What may end somebody's wait.
    fn end_waits(&mut self, instruction: Instruction, in_section: bool) {
        let section = match &instruction.op {
            Op::Sync { .. } => Section::Locked,
            _ => Section::Step,
        };
        if !in_section {
            self.builder.effect(Op::AtomicBegin(section));
        }
        self.nobody_stuck();
        self.plain(instruction);
        if !in_section {
            self.end();
        }
    }

    /// The first state of a condition variable.
    fn initialise(&mut self, instruction: Instruction) {
        if let Op::Store { address, .. } = instruction.op {
            for counter in [Counter::Signals, Counter::Forever] {
                let counter = self.counter(address, counter);
                self.builder.store(NUMBER, counter, number(0));
            }
        }
        self.plain(instruction);
    }

    /// A signal or a broadcast.
    fn signal(&mut self, instruction: Instruction, all: bool) {
        let condition = match &instruction.op {
            Op::Sync { arguments, .. } => arguments[0],
            _ => return self.plain(instruction),
        };
        let waiting = self.counter(condition, Counter::Waiting);
        let signals = self.counter(condition, Counter::Signals);
        let forever = self.counter(condition, Counter::Forever);
        self.plain(instruction);
        self.begin();
        let b = &mut *self.builder;
        let (wait, given) = (b.load(NUMBER, waiting), b.load(NUMBER, signals));
        let gave_up = b.load(NUMBER, forever);
        let mut may_be = b.compare(CompareOp::Eq, gave_up, number(0));
        let taken = if all {
            wait
        } else {
            let condition = b.compare(CompareOp::Ne, wait, number(0));
            may_be = b.binary(BinaryOp::Or, may_be, condition, false);
            b.define(Op::Select { condition, a: number(1), b: number(0) }, NUMBER)
        };
        b.effect(Op::Assume { condition: may_be });
        let left = b.binary(BinaryOp::Sub, wait, taken, false);
        b.store(NUMBER, waiting, left);
        let given = b.binary(BinaryOp::Add, given, taken, false);
        b.store(NUMBER, signals, given);
        self.end();
    }

    /// The start of a thread, which is counted before.
    fn start(&mut self, instruction: Instruction) {
        self.begin();
        add(self.builder, Operand::Global(self.ghosts.live), 1);
        self.end();
        self.plain(instruction);
    }

    /// The end of a thread.
    fn end_thread(&mut self) {
        self.begin();
        self.nobody_stuck();
        let live = add(self.builder, Operand::Global(self.ghosts.live), -1);
        // Those that wait for the end of a thread have not given up.
        if self.ghosts.joining.is_none()
            && let Some(forever) = self.ghosts.forever
        {
            let b = &mut *self.builder;
            let forever = b.load(NUMBER, Operand::Global(forever));
            let others = b.compare(CompareOp::Ne, forever, live);
            let none = b.compare(CompareOp::Eq, live, number(0));
            let condition = b.binary(BinaryOp::Or, others, none, false);
            let property = "no deadlock: all threads that are left wait for signals".to_owned();
            self.builder.effect(Op::Assert { condition, property });
        }
        self.end();
    }
}
