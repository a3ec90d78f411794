//! Whether runs may depend on what the handles of threads are. They are numbers in the order of creation to
//! whoever executes runs, and to C any values, which may come again when a thread was joined.

use std::collections::BTreeSet;

use rustc_hash::FxHashSet;
use sapa_ir::goto::{FunctionId, Instruction, Module, Op, Operand, TerminatorKind, ValueId};
use sapa_limits::{Exceeded, Limits};
use sapa_passes::analysis::points_to::{Place, PointsTo};
use sapa_passes::transform::checks::is_of_ghosts;

use super::runs::{Reached, functions};

/// The functions that give a thread's own handle to the program; to models of others it is the thread.
const SELF: [&str; 2] = ["pthread_self", "thrd_current"];

/// Whether a handle is more than kept and joined by: it is compared, or something is computed of it.
///
/// Where handles are is found without regard to order.
///
/// # Errors
/// A limit ended the search.
pub(super) fn matter(
    module: &Module,
    points_to: &PointsTo,
    reached: &Reached,
    limits: &Limits,
) -> Result<bool, Exceeded> {
    let mut handles = Handles {
        module,
        points_to,
        reached,
        values: FxHashSet::default(),
        stored: BTreeSet::new(),
        is_anywhere: false,
        results: FxHashSet::default(),
        is_new: true,
    };
    while std::mem::take(&mut handles.is_new) {
        for &id in &reached.functions {
            limits.check()?;
            module.function(id).instructions().for_each(|i| handles.instruction(id, i));
            handles.terminators(id);
        }
    }
    Ok(reached.functions.iter().any(|&id| handles.are_used(id)))
}

/// What may be a handle.
struct Handles<'a> {
    module: &'a Module,
    points_to: &'a PointsTo,
    reached: &'a Reached,
    values: FxHashSet<(FunctionId, ValueId)>,
    /// In memory: where, and how many bytes.
    stored: BTreeSet<(Place, u64)>,
    /// Whether one was stored where that is not known.
    is_anywhere: bool,
    /// The functions that return one; `None` for a thread that ends with one.
    results: FxHashSet<Option<FunctionId>>,
    is_new: bool,
}

impl Handles<'_> {
    fn is(&self, id: FunctionId, operand: Operand) -> bool {
        operand.value().is_some_and(|value| self.values.contains(&(id, value)))
    }

    fn add(&mut self, id: FunctionId, value: Option<ValueId>) {
        if let Some(value) = value {
            self.is_new |= self.values.insert((id, value));
        }
    }

    fn store(&mut self, place: Place, size: u64) {
        if place.object.is_any() {
            self.is_new |= !std::mem::replace(&mut self.is_anywhere, true);
        } else {
            self.is_new |= self.stored.insert((place, size));
        }
    }

    fn is_none_stored(&self) -> bool {
        self.stored.is_empty() && !self.is_anywhere
    }

    /// The handles in memory that an access may be of.
    fn at(&self, place: Place, size: u64) -> Vec<(Place, u64)> {
        let meets = |(other, bytes): &&(Place, u64)| {
            let is_same = other.object == place.object;
            place.object.is_any()
                || is_same && other.offsets.may_overlap(*bytes, place.offsets, size)
        };
        self.stored.iter().filter(meets).copied().collect()
    }

    fn instruction(&mut self, id: FunctionId, instruction: &Instruction) {
        let (module, points_to) = (self.module, self.points_to);
        let result = instruction.result;
        match &instruction.op {
            Op::Spawn { function, arguments } => {
                self.add(id, result);
                self.pass(id, *function, arguments);
            }
            Op::ThreadSelf => {
                let by = module.operation(instruction.location);
                if by.is_none_or(|name| SELF.contains(&name)) {
                    self.add(id, result);
                }
            }
            Op::Copy { a } | Op::Cast { a, .. } if self.is(id, *a) => self.add(id, result),
            Op::Select { a, b, .. } if self.is(id, *a) || self.is(id, *b) => self.add(id, result),
            Op::Load { address, .. } if !self.is_none_stored() => {
                let size = result.map_or(1, |value| {
                    module.function(id).operand_type(Operand::Value(value)).size(module)
                });
                let places = points_to.places(id, *address);
                let is_one = |&place: &Place| !self.at(place, size).is_empty();
                if self.is_anywhere || places.iter().any(is_one) {
                    self.add(id, result);
                }
            }
            Op::Store { address, value, ty, .. } if self.is(id, *value) => {
                let size = ty.size(module);
                points_to.places(id, *address).into_iter().for_each(|p| self.store(p, size));
            }
            Op::CopyMemory { destination, source, ty } if !self.is_none_stored() => {
                let size = ty.size(module);
                let to = points_to.places(id, *destination);
                for from in points_to.places(id, *source) {
                    for (place, bytes) in self.at(from, size) {
                        let distance = place.offsets.single().zip(from.offsets.single());
                        let distance = distance.and_then(|(at, from)| at.checked_sub(from));
                        for &to in &to {
                            let (offsets, bytes) = match distance {
                                Some(distance) => (to.offsets.plus(distance), bytes),
                                None => (to.offsets, size),
                            };
                            self.store(Place { offsets, ..to }, bytes);
                        }
                    }
                }
            }
            Op::Call { callee, arguments } => {
                self.pass(id, *callee, arguments);
                if functions(module, points_to, id, *callee)
                    .into_iter()
                    .any(|callee| self.results.contains(&Some(callee)))
                {
                    self.add(id, result);
                }
            }
            Op::Join { .. } if self.results.contains(&None) => self.add(id, result),
            _ => {}
        }
    }

    /// Arguments are the parameters of what is called or started.
    fn pass(&mut self, id: FunctionId, callee: Operand, arguments: &[Operand]) {
        if !arguments.iter().any(|&argument| self.is(id, argument)) {
            return;
        }
        for callee in functions(self.module, self.points_to, id, callee) {
            let Some(entry) = self.module.function(callee).blocks.first() else { continue };
            for (&parameter, &argument) in entry.parameters.iter().zip(arguments) {
                if self.is(id, argument) {
                    self.add(callee, Some(parameter));
                }
            }
        }
    }

    fn terminators(&mut self, id: FunctionId) {
        let function = self.module.function(id);
        for block in &function.blocks {
            let kind = &block.terminator.kind;
            kind.for_each_target(|target| {
                let parameters = &function.block(target.block).parameters;
                for (&parameter, &argument) in parameters.iter().zip(&target.arguments) {
                    if self.is(id, argument) {
                        self.add(id, Some(parameter));
                    }
                }
            });
            match kind {
                TerminatorKind::Return(Some(value)) if self.is(id, *value) => {
                    self.is_new |= self.results.insert(Some(id));
                    if self.reached.spawned.contains(&id) {
                        self.is_new |= self.results.insert(None);
                    }
                }
                TerminatorKind::EndThread(Some(value)) if self.is(id, *value) => {
                    self.is_new |= self.results.insert(None);
                }
                _ => {}
            }
        }
    }

    /// Whether a function does more with handles than it does with any value that it does not look at.
    fn are_used(&self, id: FunctionId) -> bool {
        let function = self.module.function(id);
        let is = |operand: &Operand| self.is(id, *operand);
        let uses = |instruction: &Instruction| match &instruction.op {
            Op::Join { .. } | Op::Copy { .. } | Op::Cast { .. } => false,
            Op::Select { condition, .. } => is(condition),
            Op::Store { address, .. } => is(address),
            Op::Call { callee: called, arguments } | Op::Spawn { function: called, arguments } => {
                let has_no_body =
                    |&callee: &FunctionId| self.module.function(callee).blocks.is_empty();
                is(called)
                    || arguments.iter().any(is)
                        && functions(self.module, self.points_to, id, *called)
                            .iter()
                            .any(has_no_body)
            }
            op => {
                let mut found = false;
                op.for_each_operand(|operand| found |= is(&operand));
                found
            }
        };
        // What finds out whether a thread has ended asks for nothing but its own handle.
        let is_asked = |i: &&Instruction| !is_of_ghosts(self.module, i.location);
        function.instructions().filter(is_asked).any(uses)
            || function.blocks.iter().any(|block| match &block.terminator.kind {
                TerminatorKind::Branch { condition, .. } => is(condition),
                TerminatorKind::Switch { value, .. } => is(value),
                _ => false,
            })
    }
}
