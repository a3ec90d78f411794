//! Variables of the source.

use sapa_ir::goto::{
    Location, Operand, SourceVariable, Target, TerminatorKind, Type, ValueId, VariableId,
};
use sapa_passes::transform::store_buffers::{FLUSH, WAITS, Waiting};

use super::step::Step;
use super::synchronisation::{Inside, inside};
use super::{Mark, Recorder};
use crate::execution::event::{Event, EventKind, Source};

impl Recorder<'_> {
    pub(super) fn mark(&self, step: &Step<'_>, operand: Operand) -> Option<&Mark> {
        self.threads.get(&step.thread)?.marks.get(&operand.value()?)
    }

    pub(super) fn is_handle(&self, step: &Step<'_>, operand: Operand) -> bool {
        self.mark(step, operand) == Some(&Mark::Handle)
    }

    pub(super) fn set_mark(&mut self, thread: u32, value: ValueId, mark: Option<Mark>) {
        let marks = &mut self.known(thread).marks;
        match mark {
            Some(mark) => drop(marks.insert(value, mark)),
            None => drop(marks.remove(&value)),
        }
    }

    /// A value of a type, which may be signed: the thread that it is the handle of, if it is one.
    pub(super) fn value_text(
        &mut self,
        step: &Step<'_>,
        value: u128,
        (ty, signed): (&Type, bool),
        handle: bool,
    ) -> String {
        if handle && value > 0 {
            return format!("thread {}", value - 1);
        }
        self.names.value(step.machine, value, ty, signed)
    }

    /// Reads of operands that were never given a value.
    pub(super) fn undefined_operands(
        &mut self,
        step: &Step<'_>,
        operands: &[Operand],
        location: Location,
    ) {
        for &operand in operands {
            let Some(Mark::Undefined(variable)) = self.mark(step, operand) else { continue };
            let Some(variable) = step.function.variables.get(variable.index()) else { continue };
            let Some(name) = self.names.local(&variable.name) else { continue };
            let value = step.machine.value(step.thread, operand);
            let value = self.names.value(step.machine, value, &variable.ty, variable.signed);
            let mut event = Event::with_value(EventKind::Read, name, value);
            event.uninitialised = true;
            self.event(step, location, event);
        }
    }

    pub(super) fn terminator(
        &mut self,
        step: &mut Step<'_>,
        kind: &TerminatorKind,
        location: Location,
    ) {
        let target = match kind {
            TerminatorKind::Jump(target) => Some(target),
            TerminatorKind::Branch { condition, then, otherwise } => {
                self.undefined_operands(step, &[*condition], location);
                self.test(step, *condition, location);
                let value = step.machine.value(step.thread, *condition);
                Some(if value == 1 { then } else { otherwise })
            }
            TerminatorKind::Switch { value, cases, default } => {
                self.undefined_operands(step, &[*value], location);
                let value = step.machine.value(step.thread, *value);
                let case = cases.iter().find(|(case, _)| *case == value);
                Some(case.map_or(default, |(_, target)| target))
            }
            TerminatorKind::Return(Some(value)) | TerminatorKind::EndThread(Some(value)) => {
                self.undefined_operands(step, &[*value], location);
                None
            }
            _ => None,
        };
        if let Some(target) = target {
            self.jump(step, target, location);
        }
    }

    /// Values become parameters of a block.
    fn jump(&mut self, step: &Step<'_>, target: &Target, location: Location) {
        let parameters = &step.function.block(target.block).parameters;
        let mut marks = Vec::new();
        let (mut changes, mut sources) = (Vec::new(), Vec::new());
        for (&parameter, &argument) in parameters.iter().zip(&target.arguments) {
            marks.push((parameter, self.mark(step, argument).cloned()));
            let value = step.machine.value(step.thread, argument);
            self.known(step.thread).passed.insert(parameter, argument);
            let source = self.source_of(step.thread, argument);
            sources.push((parameter, source));
            changes.extend(
                step.variable(parameter).map(|variable| ((variable, parameter), value, argument)),
            );
        }
        for (parameter, source) in sources {
            self.set_source(step.thread, parameter, source);
        }
        for (variable, value, argument) in changes {
            if matches!(self.mark(step, argument), Some(Mark::Undefined(_))) {
                continue;
            }
            if self.known(step.thread).variables.get(&variable.0) != Some(&value) {
                let handle = self.mark(step, argument) == Some(&Mark::Handle);
                self.assign(step, variable, value, handle, location);
            }
        }
        for (parameter, mark) in marks {
            self.set_mark(step.thread, parameter, mark);
        }
    }

    /// A variable of the source gets a value, which is from now on that of a value of the IR.
    pub(super) fn assign(
        &mut self,
        step: &Step<'_>,
        (variable, result): (VariableId, ValueId),
        value: u128,
        handle: bool,
        location: Location,
    ) {
        self.known(step.thread).variables.insert(variable, value);
        let Some(variable) = step.function.variables.get(variable.index()) else { return };
        let operation = self.module.operation(location);
        if operation == Some(WAITS) {
            return self.buffer(step, (variable, result), (value, handle), location);
        }
        // A variable of a library's function is none of the source's, nor is the place in a buffer
        // that a store moves up to.
        if inside(operation) != Inside::Access || operation == Some(FLUSH) {
            return;
        }
        let Some(name) = self.names.local(&variable.name) else { return };
        // What a thread is started with is said there.
        let header = step.function.location;
        let is_header = location.is_same_place(header);
        if step.thread != 0 && is_header && self.rows.iter().all(|r| r.thread != step.thread) {
            return;
        }
        let text = self.value_text(step, value, (&variable.ty, variable.signed), handle);
        let store = Some(self.next_store());
        self.set_source(step.thread, result, store.map(Source::Store));
        self.event(
            step,
            location,
            Event { store, ..Event::with_value(EventKind::Assign, name, text) },
        );
    }

    /// A store begins to wait.
    fn buffer(
        &mut self,
        step: &Step<'_>,
        (variable, result): (&SourceVariable, ValueId),
        (value, handle): (u128, bool),
        location: Location,
    ) {
        let Some(store) = Waiting::read(&variable.name).filter(|store| !store.is_address) else {
            return;
        };
        let text = self.value_text(step, value, (&variable.ty, variable.signed), handle);
        let name = store.plain_name().to_owned();
        let number = Some(self.next_store());
        self.set_source(step.thread, result, number.map(Source::Waiting));
        let event = Event::with_value(EventKind::Buffer, name, text);
        self.event(step, location, Event { store: number, ..event });
    }
}
