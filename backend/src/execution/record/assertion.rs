//! The assertion that fails: what it has read.

use rustc_hash::FxHashSet;
use sapa_ir::goto::interpret::Position;
use sapa_ir::goto::{FunctionId, Instruction, Location, Op, Operand, ValueId, VariableId};
use sapa_passes::transform::checks;
use sapa_passes::transform::store_buffers::Waiting;

use super::step::Step;
use super::{Mark, Recorder};
use crate::execution::event::{Event, EventKind};
use crate::execution::name::source_name;
use crate::execution::place::Place;

/// A branch that was taken, and what its condition depends on.
#[derive(Debug)]
pub(super) struct Tested {
    position: Position,
    location: Location,
    events: Vec<Event>,
}

impl<'m> Recorder<'m> {
    /// A branch tests its condition: an assertion may follow that is a part of the same statement.
    pub(super) fn test(&mut self, step: &Step<'_>, condition: Operand, location: Location) {
        let mut events = Vec::new();
        self.leaves(step, condition, location, &mut events);
        let position = step.position;
        let tested = &mut self.known(step.thread).tested;
        tested.retain(|old| old.location.is_same_line(location));
        // The next round of a loop tests anew.
        if let Some(before) = tested.iter().position(|old| old.position == position) {
            tested.truncate(before);
        }
        tested.push(Tested { position, location, events });
    }

    /// A thread comes to a place: what it has tested further on in the line was in an earlier
    /// round of a loop.
    pub(super) fn comes_to(&mut self, thread: u32, location: Location) {
        let tested = &mut self.known(thread).tested;
        tested.retain(|old| {
            !old.location.is_same_line(location) || old.location.column <= location.column + 1
        });
    }

    pub(super) fn fail(&mut self, step: &Step<'_>, condition: Operand, location: Location) {
        let tested = std::mem::take(&mut self.known(step.thread).tested);
        let here = tested.into_iter().filter(|old| is_within(old.location, location));
        let mut values: Vec<Event> = here.flat_map(|old| old.events).collect();
        self.leaves(step, condition, location, &mut values);
        // What is read of memory is in the row already, in its order; variables of the thread's own
        // come where they are needed.
        let reads = self.take_reads(step.thread, |at| is_within(at, location));
        let same = |a: &Event, b: &Event| (&a.name, &a.value) == (&b.name, &b.value);
        let mut rest: Vec<Event> = Vec::new();
        for value in values {
            if !rest.iter().any(|old| same(old, &value)) {
                rest.push(value);
            }
        }
        for (read, time) in reads {
            if let Some(index) = rest.iter().position(|value| same(value, &read)) {
                let mut before: Vec<Event> = rest.drain(..=index).collect();
                before.pop();
                for event in before {
                    self.event(step, location, event);
                }
            }
            self.put_back(read, time);
        }
        rest.extend(self.blame(step, condition));
        for event in rest {
            self.event(step, location, event);
        }
        self.event(step, location, Event::new(EventKind::Fail, String::new()));
    }

    /// The variables and objects that a value is computed of at a place, with what they hold.
    fn leaves(
        &mut self,
        step: &Step<'_>,
        operand: Operand,
        location: Location,
        found: &mut Vec<Event>,
    ) {
        // Definitions share their operands: each value is looked at once.
        let mut seen = FxHashSet::default();
        let mut pending = vec![operand];
        while let Some(operand) = pending.pop() {
            let Some(id) = operand.value().filter(|id| seen.insert(*id)) else { continue };
            if let Some(variable) = step.variable(id) {
                found.extend(self.variable_event(step, operand, variable, location));
                continue;
            }
            let Some(instruction) = self.definition(step.position.0, id) else {
                // Where branches meet, it is what the one that was taken computed.
                pending.extend(self.known(step.thread).passed.get(&id).copied());
                continue;
            };
            match &instruction.op {
                Op::Load { .. } if self.module.is_record(instruction.location) => {}
                // What a called function has read is said there.
                Op::Load { address, .. } if instruction.location.is_same_line(location) => {
                    found.extend(self.loaded(step, id, *address, instruction.location));
                }
                Op::Load { .. } => {}
                Op::Accessible { address, .. } => pending.push(*address),
                op if op.is_pure() => {
                    let first = pending.len();
                    op.for_each_operand(|operand| pending.push(operand));
                    pending[first..].reverse();
                }
                _ => {}
            }
        }
    }

    /// Which object the assertion fails for, if it is of one: that an access reaches none, or that one is not freed.
    fn blame(&mut self, step: &Step<'_>, condition: Operand) -> Vec<Event> {
        let value = |operand: Operand| step.machine.value(step.thread, operand);
        let mut found = Vec::new();
        let mut seen = FxHashSet::default();
        let mut pending = vec![condition];
        while let Some(operand) = pending.pop() {
            let Some(id) = operand.value().filter(|id| seen.insert(*id)) else { continue };
            let Some(instruction) = self.definition(step.position.0, id) else { continue };
            match &instruction.op {
                Op::Accessible { address, ty, .. } if value(operand) == 0 => {
                    let size = ty.size(self.module);
                    let (name, why) = self.names.beyond(step.machine, value(*address), size);
                    found.push(Event { value: why, ..Event::new(EventKind::Miss, name) });
                }
                Op::Load { address: Operand::Global(record), .. }
                    if checks::leaks::is_record(self.module, *record) && value(operand) != 0 =>
                {
                    let name = self.names.whole(step.machine, value(operand));
                    let value = self.origin(&name);
                    found.push(Event { value, ..Event::new(EventKind::Leak, name) });
                }
                op if op.is_pure() => op.for_each_operand(|operand| pending.push(operand)),
                _ => {}
            }
        }
        found
    }

    /// Who has allocated an object, and where, as far as that was shown.
    fn origin(&self, name: &str) -> Option<String> {
        let is_it = |event: &&Event| event.kind == EventKind::Allocate && event.name == name;
        let mut rows = self.rows.iter().rev();
        let (row, event) = rows.find_map(|row| Some((row, row.events.iter().find(is_it)?)))?;
        let place = Place::new(self.module, event.location)?;
        Some(format!("thread {} has allocated at {place}", row.thread))
    }

    /// What a variable of the source holds; `None` if it is none of the program's own, or not one
    /// of the function that a place is in.
    fn variable_event(
        &mut self,
        step: &Step<'_>,
        operand: Operand,
        variable: VariableId,
        location: Location,
    ) -> Option<Event> {
        let variable = step.function.variables.get(variable.index())?;
        let scope =
            variable.name.rsplit_once("::").map_or(&*step.function.name, |(scope, _)| scope);
        let scope = source_name(scope.rsplit("::").next().unwrap_or(scope));
        let here = self.module.names.get(location.function.index());
        if here.is_some_and(|here| !here.is_empty() && source_name(here) != scope) {
            return None;
        }
        let name = match Waiting::read(&variable.name) {
            // The store that the thread reads waits still.
            Some(store) if !store.is_address => store.plain_name().to_owned(),
            _ => self.names.local(&variable.name)?,
        };
        let value = step.machine.value(step.thread, operand);
        let handle = self.is_handle(step, operand);
        let text = self.value_text(step, value, (&variable.ty, variable.signed), handle);
        let uninitialised = matches!(self.mark(step, operand), Some(Mark::Undefined(_)));
        let source = self.source_of(step.thread, operand);
        Some(Event { uninitialised, source, ..Event::with_value(EventKind::Read, name, text) })
    }

    /// The instruction that defines a value; `None` for parameters of blocks.
    pub(super) fn definition(&mut self, id: FunctionId, value: ValueId) -> Option<&'m Instruction> {
        let function = self.module.function(id);
        let definitions = self.definitions.entry(id).or_insert_with(|| {
            let instructions = function.instructions();
            instructions.filter_map(|i| Some((i.result?, i))).collect()
        });
        definitions.get(&value).copied()
    }
}

/// Whether a place is of the statement of an assertion, as far as columns tell: what stands for a
/// macro's argument may be a column before the macro.
fn is_within(place: Location, assertion: Location) -> bool {
    place.is_same_line(assertion) && (place.column == 0 || place.column + 1 >= assertion.column)
}
