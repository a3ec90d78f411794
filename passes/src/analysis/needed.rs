//! What memory holds that can matter: backwards from assertions, jumps, addresses and vocabulary.
//!
//! A handle that `pthread_create` stores and that at most a join reads decides nothing that the
//! abstraction follows, so an array of 10,000 of them needs no model. Without regard to order and
//! calling context, as [`points_to`](super::points_to) is, so that every interleaving is covered.

use rustc_hash::{FxHashMap, FxHashSet};
use sapa_ir::goto::{
    Expression, FunctionId, Instruction, Module, Op, Operand, TerminatorKind, ValueId,
};

use super::points_to::{Object, PointsTo};

/// The objects whose contents may influence a run, apart from whom joins wait for.
#[derive(Clone, Debug, Default)]
pub struct Needed {
    objects: FxHashSet<Object>,
    /// Something of unknown origin is read: it may be any object.
    all: bool,
}

impl Needed {
    /// Analyses a module, whose vocabulary counts as read.
    #[must_use]
    pub fn new(module: &Module, points_to: &PointsTo) -> Self {
        let mut search = Search::new(module, points_to);
        search.roots();
        search.vocabulary();
        while let Some((function, value)) = search.pending.pop() {
            search.value(function, value);
        }
        search.needed
    }

    /// Whether what an object holds may matter.
    #[must_use]
    pub fn contains(&self, object: Object) -> bool {
        self.all || object.is_any() || self.objects.contains(&object)
    }
}

/// What is written to an object.
#[derive(Clone, Copy)]
enum Written {
    Value(Operand),
    /// What an address points to.
    CopyOf(Operand),
}

/// Where the value of an operand comes from.
enum Source<'m> {
    Instruction(&'m Instruction),
    /// The arguments of the jumps to a block.
    Arguments(Vec<Operand>),
}

struct Search<'m> {
    module: &'m Module,
    points_to: &'m PointsTo,
    sources: FxHashMap<(FunctionId, ValueId), Source<'m>>,
    writes: FxHashMap<Object, Vec<(FunctionId, Written)>>,
    seen: FxHashSet<(FunctionId, ValueId)>,
    pending: Vec<(FunctionId, ValueId)>,
    needed: Needed,
}

impl<'m> Search<'m> {
    fn new(module: &'m Module, points_to: &'m PointsTo) -> Self {
        let mut search = Self {
            module,
            points_to,
            sources: FxHashMap::default(),
            writes: FxHashMap::default(),
            seen: FxHashSet::default(),
            pending: Vec::new(),
            needed: Needed::default(),
        };
        for (id, function) in module.functions() {
            for block in &function.blocks {
                for instruction in &block.instructions {
                    search.index(id, instruction);
                }
                block.terminator.kind.for_each_target(|target| {
                    let parameters = &function.block(target.block).parameters;
                    for (&parameter, &argument) in parameters.iter().zip(&target.arguments) {
                        let source = search
                            .sources
                            .entry((id, parameter))
                            .or_insert_with(|| Source::Arguments(Vec::new()));
                        if let Source::Arguments(arguments) = source {
                            arguments.push(argument);
                        }
                    }
                });
            }
        }
        search
    }

    fn index(&mut self, id: FunctionId, instruction: &'m Instruction) {
        if let Some(result) = instruction.result {
            self.sources.insert((id, result), Source::Instruction(instruction));
        }
        let (address, written) = match &instruction.op {
            Op::Store { address, value, .. } => (*address, Written::Value(*value)),
            Op::CopyMemory { destination, source, .. } => (*destination, Written::CopyOf(*source)),
            _ => return,
        };
        for object in self.points_to.targets(id, address) {
            self.writes.entry(object).or_default().push((id, written));
        }
    }

    /// What is needed of itself.
    fn roots(&mut self) {
        let module = self.module;
        for (id, function) in module.functions() {
            for block in &function.blocks {
                for instruction in &block.instructions {
                    self.instruction(id, &instruction.op);
                }
                match &block.terminator.kind {
                    TerminatorKind::Branch { condition: operand, .. }
                    | TerminatorKind::Switch { value: operand, .. }
                    | TerminatorKind::Return(Some(operand))
                    | TerminatorKind::EndThread(Some(operand)) => self.operand(id, *operand),
                    _ => {}
                }
            }
        }
    }

    fn instruction(&mut self, id: FunctionId, op: &Op) {
        match op {
            // Only its address decides where it goes; what is read matters if the result does.
            Op::Load { address, .. }
            | Op::Store { address, .. }
            | Op::HavocMemory { address, .. } => self.operand(id, *address),
            Op::CopyMemory { destination, source, .. } => {
                self.operand(id, *destination);
                self.operand(id, *source);
            }
            // Where it is not defined, it cuts the run off.
            op if op.may_be_undefined(self.module.signed_overflow) => {
                op.for_each_operand(|operand| self.operand(id, operand));
            }
            // Whom a join waits for is not followed.
            Op::Join { .. } => {}
            Op::Sync { arguments, .. } | Op::Call { arguments, .. } => {
                // What is called may read what it is told of.
                op.for_each_operand(|operand| self.operand(id, operand));
                for &argument in arguments {
                    self.read(id, argument);
                }
            }
            op if op.is_pure() => {}
            op => op.for_each_operand(|operand| self.operand(id, operand)),
        }
    }

    fn vocabulary(&mut self) {
        let (module, points_to) = (self.module, self.points_to);
        for predicate in &module.predicates {
            predicate.expression.for_each(&mut |e| match e {
                Expression::Global(id) => self.object(Object::Global(*id)),
                Expression::Slot { function, slot } => self.object(Object::Slot(*function, *slot)),
                Expression::Value { function, value } => {
                    self.operand(*function, Operand::Value(*value));
                }
                Expression::Variable { function, variable } => {
                    let values = &module.function(*function).values;
                    for (index, value) in values.iter().enumerate() {
                        if value.variable == Some(*variable) {
                            self.operand(*function, Operand::Value(ValueId::new(index)));
                        }
                    }
                }
                Expression::Load { address, .. } => {
                    for place in points_to.of_expression(module, address) {
                        self.object(place.object);
                    }
                }
                _ => {}
            });
        }
    }

    fn operand(&mut self, id: FunctionId, operand: Operand) {
        if let Operand::Value(value) = operand
            && self.seen.insert((id, value))
        {
            self.pending.push((id, value));
        }
    }

    /// What an address points to is read.
    fn read(&mut self, id: FunctionId, address: Operand) {
        for object in self.points_to.targets(id, address) {
            self.object(object);
        }
    }

    /// What an object holds matters, and so does what is written to it.
    fn object(&mut self, object: Object) {
        if self.needed.all || !self.needed.objects.insert(object) {
            return;
        }
        if object.is_any() {
            self.needed.all = true;
        }
        let mut found: Vec<(FunctionId, Written)> = Vec::new();
        if self.needed.all {
            found.extend(self.writes.values().flatten());
        } else {
            // What is written anywhere may be written here.
            for target in [object, Object::Unknown, Object::Forged] {
                found.extend(self.writes.get(&target).into_iter().flatten());
            }
        }
        for (id, written) in found {
            match written {
                Written::Value(value) => self.operand(id, value),
                Written::CopyOf(source) => self.read(id, source),
            }
        }
    }

    fn value(&mut self, id: FunctionId, value: ValueId) {
        match self.sources.get(&(id, value)) {
            Some(Source::Instruction(instruction)) => match &instruction.op {
                Op::Load { address, .. } => {
                    let address = *address;
                    self.read(id, address);
                }
                op if op.is_pure() => {
                    let op = op.clone();
                    op.for_each_operand(|operand| self.operand(id, operand));
                }
                // The operands of all others are needed of themselves.
                _ => {}
            },
            Some(Source::Arguments(arguments)) => {
                for argument in arguments.clone() {
                    self.operand(id, argument);
                }
            }
            None => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use sapa_ir::goto::{GlobalId, parse};
    use sapa_limits::Limits;

    use super::*;

    #[test]
    fn what_is_only_joined_by_is_not_needed() {
        let text = "gir 1\n\
            target pointer=64 short=16 int=32 long=64 long_long=64 wchar=32 char=signed endian=little\n\
            atomicity access\nsigned_overflow wrap\n\
            global $handles: [9 x i64] = zero\nglobal $copied: [9 x i64] = zero\n\
            global $tested: i64 = zero\nglobal $index: i64 = zero\nglobal $written: i64 = zero\n\
            define @t() {\nbb0:\n  return\n}\n\
            define @main() {\nbb0:\n  %0: i64 = load $index\n\
            %1: ptr = index i64, $handles, %0\n  %2: i64 = spawn @t()\n  store i64, %1, %2\n\
            %3: i64 = load %1\n  join %3\n  %4: i64 = load $copied\n  store i64, $tested, %4\n\
            %5: i64 = load $tested\n  %6: i1 = eq %5, 0i64\n  assert %6, \"\"\n\
            store i64, $written, %5\n  return\n}\nentry @main\n";
        let module = parse(text, "t.gir").expect("it is sound");
        let points_to = PointsTo::within(&module, &Limits::default()).expect("no limit");
        let needed = Needed::new(&module, &points_to);
        let found = (0..5).map(|index| needed.contains(Object::Global(GlobalId(index))));
        assert_eq!(found.collect::<Vec<_>>(), [false, true, true, true, false]);
    }
}
