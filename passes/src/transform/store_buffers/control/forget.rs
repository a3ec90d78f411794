//! What is forgotten of the stores that wait: of a class of which any number may wait, some keep no value.
//!
//! Where a store was forgotten, one of the values that the thread stores there reaches memory, and then
//! any of these, any number of times, until the oldest of the class does of which it is known what it
//! stores. That is at least what the program does: all that was forgotten reaches memory in that time.
//! A thread reads the newest store to a place, which is never forgotten.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;
use sapa_ir::goto::types::BOOL;
use sapa_ir::goto::{Function, Op, Operand, Type, ValueId};

use super::super::code::write;
use super::super::effect::{ClassId, Effect, Effects};
use super::super::shape::Entry;
use super::{Product, Segment, builder};

/// The most constants that are told apart.
const MAX_CONSTANTS: usize = 8;

impl Product<'_> {
    /// The oldest store of a class is forgotten.
    pub(super) fn forget(&mut self, segment: &mut Segment, class: ClassId) {
        self.move_up(segment, Entry { class, number: 1 });
        segment.shape = segment.shape.forgetting(class, self.rules.model, &self.effects.classes);
    }

    /// Lets stores reach memory that were forgotten, as many as it chooses.
    pub(super) fn write_earlier(&mut self, segment: &mut Segment) {
        let classes = segment.shape.earlier(self.rules.model, &self.effects.classes);
        if classes.is_empty() {
            return;
        }
        let here = segment.location;
        let head = self.new.add_block(here);
        self.jump(segment, head);
        segment.into = head;
        for class in classes {
            segment.location = here;
            let chosen = self.choice(segment, class, BOOL);
            let (writes, next) = self.fork(segment, chosen);
            segment.into = writes;
            let address = self.address(segment, Entry { class, number: 0 });
            let value = self.forgotten(segment, class);
            let class = self.effects.classes.get(class);
            write(&mut builder(&mut self.new, segment), class, self.rules.flush, address, value);
            self.jump(segment, head);
            segment.into = next;
        }
    }

    /// What one of the stores of a class stores.
    pub(super) fn forgotten(&mut self, segment: &Segment, class: ClassId) -> Operand {
        let ty = self.effects.classes.get(class).ty.clone();
        let constants = self.constants.get(&class).cloned().unwrap_or_default();
        let Some((&first, others)) = constants.split_first() else {
            return self.choice(segment, class, ty);
        };
        others.iter().fold(first, |value, &other| {
            let condition = self.choice(segment, class, BOOL);
            let op = Op::Select { condition, a: other, b: value };
            builder(&mut self.new, segment).define(op, ty.clone())
        })
    }

    /// A choice about what was forgotten of a class, which is none of the program's: a failure that needs a
    /// certain one may be none.
    fn choice(&mut self, segment: &Segment, class: ClassId, ty: Type) -> Operand {
        let class = self.effects.classes.get(class);
        let unmodelled = Some(format!("an earlier store to {}", class.plain_name()));
        let mut code = builder(&mut self.new, segment);
        code.location = class.location;
        code.location.operation = Some(self.rules.flush);
        code.define(Op::Nondet { unmodelled }, ty)
    }
}

/// What the stores of each class store, where these are a few constants.
pub(super) fn constants(
    function: &Function,
    effects: &Effects,
) -> FxHashMap<ClassId, Vec<Operand>> {
    let mut stored: FxHashMap<ClassId, Vec<Operand>> = FxHashMap::default();
    for (block, effects) in function.blocks.iter().zip(&effects.of) {
        for (instruction, effect) in block.instructions.iter().zip(effects) {
            if let (Effect::Store { class, .. }, Op::Store { value, .. }) =
                (effect, &instruction.op)
            {
                stored.entry(*class).or_default().push(*value);
            }
        }
    }
    let sources = sources(function);
    let constants = |(class, values)| Some((class, among(values, &sources)?));
    stored.into_iter().filter_map(constants).collect()
}

/// The constants that values may be, given what values are [copies of](sources); `None` if they may be
/// something else, or these are many.
fn among(
    mut pending: Vec<Operand>,
    sources: &FxHashMap<ValueId, Vec<Operand>>,
) -> Option<Vec<Operand>> {
    let mut found = Vec::new();
    let mut seen = BTreeSet::new();
    while let Some(operand) = pending.pop() {
        match operand.value() {
            Some(value) if seen.insert(value) => pending.extend(sources.get(&value)?),
            Some(_) => {}
            None if found.contains(&operand) => {}
            None if found.len() == MAX_CONSTANTS => return None,
            None => found.push(operand),
        }
    }
    Some(found)
}

/// By values that are always one of others: these.
fn sources(function: &Function) -> FxHashMap<ValueId, Vec<Operand>> {
    let mut sources: FxHashMap<ValueId, Vec<Operand>> = FxHashMap::default();
    for block in &function.blocks {
        for instruction in &block.instructions {
            let Some(result) = instruction.result else { continue };
            match instruction.op {
                Op::Copy { a } => sources.entry(result).or_default().push(a),
                Op::Select { a, b, .. } => sources.entry(result).or_default().extend([a, b]),
                _ => {}
            }
        }
        // The parameters of the first block are the function's, which no jump gives.
        block.terminator.kind.for_each_target(|target| {
            let parameters = &function.block(target.block).parameters;
            for (&parameter, &argument) in parameters.iter().zip(&target.arguments) {
                sources.entry(parameter).or_default().push(argument);
            }
        });
    }
    sources
}
