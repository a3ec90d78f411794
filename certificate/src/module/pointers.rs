//! Where pointers may lead that are no constants: sets of objects with distances from their starts, of
//! all values, and of all that memory holds, whatever the order of instructions and threads (Andersen, "Program analysis and
//! specialization for the C programming language", 1994).
//!
//! A pointer comes from the address of an object. What is made of no address leads nowhere: that pointers are not guessed is
//! an assumption. Objects of threads' own are not followed, as their addresses are nowhere but in accesses ([`Code`]).
//! Where a part of a pointer may be overwritten, or be read alone, the distance is any ([`Cells`]).

use std::collections::BTreeMap;

use rustc_hash::{FxHashMap, FxHashSet};
use sapa_ir::goto::{
    Expression, Function, FunctionId, GlobalId, Initializer, Module, Op, Operand, TerminatorKind,
    Type, ValueId,
};
use sapa_limits::{Exceeded, Limits};

use super::cells::Cells;
use super::code::{Code, Object};

/// Distances from the start of an object: `start`, or all that differ from it by a multiple of a stride.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Distances {
    start: i128,
    stride: u128,
}

fn gcd(a: u128, b: u128) -> u128 {
    if b == 0 { a } else { gcd(b, a % b) }
}

impl Distances {
    const START: Distances = Distances { start: 0, stride: 0 };
    const ANY: Distances = Distances { start: 0, stride: 1 };

    fn reduced(self) -> Self {
        match i128::try_from(self.stride) {
            Ok(stride) if stride > 0 => Self { start: self.start.rem_euclid(stride), ..self },
            _ => self,
        }
    }

    fn joined(self, other: Self) -> Self {
        let apart = self.start.abs_diff(other.start);
        Self { stride: gcd(gcd(self.stride, other.stride), apart), ..self }.reduced()
    }

    fn moved(self, by: i128) -> Self {
        match self.start.checked_add(by) {
            Some(start) => Self { start, ..self }.reduced(),
            None => Self::ANY,
        }
    }

    fn spread(self, by: u128) -> Self {
        Self { stride: gcd(self.stride, by), ..self }.reduced()
    }

    /// Whether it is one of them.
    pub(super) fn contains(self, distance: u64) -> bool {
        let Some(apart) = i128::from(distance).checked_sub(self.start) else { return true };
        match i128::try_from(self.stride) {
            Ok(0) => apart == 0,
            Ok(stride) => apart % stride == 0,
            Err(_) => true,
        }
    }
}

/// What a pointer may lead to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Target {
    Shared(GlobalId),
    Heap,
}

/// Where a pointer may lead.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Targets(BTreeMap<Target, Distances>);

impl Targets {
    fn one(target: Target) -> Self {
        Targets(BTreeMap::from([(target, Distances::START)]))
    }

    /// Adds others; whether there are more then.
    fn add(&mut self, others: &Targets) -> bool {
        let mut more = false;
        for (target, distances) in &others.0 {
            match self.0.get_mut(target) {
                Some(known) => {
                    let joined = known.joined(*distances);
                    more |= joined != *known;
                    *known = joined;
                }
                None => {
                    self.0.insert(*target, *distances);
                    more = true;
                }
            }
        }
        more
    }

    fn each(&self, f: impl Fn(Distances) -> Distances) -> Targets {
        Targets(self.0.iter().map(|(target, distances)| (*target, f(*distances))).collect())
    }

    /// The same objects with any distances.
    fn anywhere(&self) -> Targets {
        self.each(|_| Distances::ANY)
    }

    /// The globals.
    pub(super) fn shared(&self) -> impl Iterator<Item = GlobalId> {
        self.0.keys().filter_map(|target| match target {
            Target::Shared(id) => Some(*id),
            Target::Heap => None,
        })
    }

    /// Whether it may lead so far behind the start of a global.
    pub(super) fn contains(&self, id: GlobalId, distance: u64) -> bool {
        self.0.get(&Target::Shared(id)).is_some_and(|distances| distances.contains(distance))
    }

    /// Whether it may lead to the heap.
    pub(super) fn has_heap(&self) -> bool {
        self.0.contains_key(&Target::Heap)
    }
}

/// Where something is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Kept {
    In(Target),
    /// In any object of a thread's own.
    Own,
}

/// The pointers in a global, by its type; `None` if there are too many.
fn cells(module: &Module, id: GlobalId) -> Option<Cells> {
    Cells::new(module, &module.globals.get(id.index())?.ty)
}

/// Whether a load of a type from an object at an address reads a whole pointer. Those of the heap are written whole.
fn is_read(module: &Module, address: &Targets, target: Target, ty: &Type) -> bool {
    match (target, address.0.get(&target)) {
        (Target::Heap, _) => false,
        (Target::Shared(id), Some(distances)) => {
            cells(module, id).is_some_and(|cells| cells.are_read(*distances, ty))
        }
        (Target::Shared(_), None) => false,
    }
}

/// Whether an address is the start of a thread's own object that is one scalar of this type.
fn is_itself(code: &Code<'_>, address: Operand, ty: &Type) -> bool {
    let of = match address {
        Operand::Slot(slot) => code.function.slots.get(slot.index()).map(|slot| &slot.ty),
        Operand::Global(id) => code.module.globals.get(id.index()).map(|global| &global.ty),
        _ => None,
    };
    of == Some(ty)
}

/// Where all pointers of a module may lead.
#[derive(Clone, Debug, Default)]
pub(super) struct Pointers {
    values: FxHashMap<(FunctionId, ValueId), Targets>,
    contents: FxHashMap<Kept, Targets>,
    /// Where something may be written to a part of a pointer: how far those that are kept there lead is not known.
    broken: FxHashSet<Kept>,
    /// What threads end with.
    ended: Targets,
}

impl Pointers {
    /// Finds it for the thread functions.
    pub(super) fn new<'c, 'm: 'c>(
        module: &'m Module,
        codes: impl Iterator<Item = &'c Code<'m>> + Clone,
        limits: &Limits,
    ) -> Result<Self, Exceeded> {
        let mut found = Pointers::default();
        for (index, global) in module.globals.iter().enumerate() {
            let kept = match global.thread_local {
                true => Kept::Own,
                false => Kept::In(Target::Shared(GlobalId::new(index))),
            };
            let mut pending = vec![&global.initializer];
            while let Some(initializer) = pending.pop() {
                match initializer {
                    Initializer::Global(id, distance) => {
                        let one = Targets::one(Target::Shared(*id));
                        found.keep(kept, &one.each(|d| d.moved(i128::from(*distance))));
                    }
                    Initializer::Aggregate(items) => pending.extend(items),
                    _ => {}
                }
            }
        }
        loop {
            limits.check()?;
            let mut more = false;
            for code in codes.clone() {
                more |= found.pass(code);
            }
            if !more {
                return Ok(found);
            }
        }
    }

    fn keep(&mut self, kept: Kept, targets: &Targets) -> bool {
        !targets.0.is_empty() && self.contents.entry(kept).or_default().add(targets)
    }

    fn define(&mut self, function: FunctionId, value: ValueId, targets: &Targets) -> bool {
        !targets.0.is_empty() && self.values.entry((function, value)).or_default().add(targets)
    }

    /// Where an operand of a function may lead.
    pub(super) fn operand(&self, function: FunctionId, operand: Operand) -> Targets {
        match operand {
            Operand::Global(id) => Targets::one(Target::Shared(id)),
            Operand::Value(value) => {
                self.values.get(&(function, value)).cloned().unwrap_or_default()
            }
            _ => Targets::default(),
        }
    }

    /// The memory that an access of a function may be of.
    fn kept(&self, code: &Code<'_>, address: Operand) -> Vec<Kept> {
        match code.object(address) {
            Some(Object::Shared(id)) => vec![Kept::In(Target::Shared(id))],
            Some(Object::OwnGlobal(_) | Object::Slot(_)) => vec![Kept::Own],
            None => {
                self.operand(code.id, address).0.keys().map(|target| Kept::In(*target)).collect()
            }
        }
    }

    /// What a load of a function gives.
    fn loaded(&self, code: &Code<'_>, address: Operand, ty: &Type) -> Targets {
        let targets = self.operand(code.id, address);
        let mut all = Targets::default();
        for kept in self.kept(code, address) {
            let held = self.held([kept]);
            let is_whole = match kept {
                Kept::In(target) => is_read(code.module, &targets, target, ty),
                Kept::Own => *ty == Type::Pointer && is_itself(code, address, ty),
            };
            all.add(&if is_whole { held } else { held.anywhere() });
        }
        all
    }

    /// What a store of a type does to pointers, or, without a type, what writes all the object or any part of it;
    /// whether that was not known.
    fn overwrite(&mut self, code: &Code<'_>, address: Operand, ty: Option<&Type>) -> bool {
        let module = code.module;
        let targets = self.operand(code.id, address);
        let mut more = false;
        for kept in self.kept(code, address) {
            let is_kept = match (kept, ty) {
                (Kept::In(Target::Shared(id)), _) => cells(module, id).is_some_and(|cells| {
                    let distances = targets.0.get(&Target::Shared(id)).copied();
                    let distances = distances.unwrap_or(Distances::ANY);
                    cells.is_empty() || ty.is_some_and(|ty| cells.are_kept(module, distances, ty))
                }),
                (Kept::In(Target::Heap), ty) => ty == Some(&Type::Pointer),
                (Kept::Own, Some(ty)) => is_itself(code, address, ty),
                (Kept::Own, None) => false,
            };
            more |= !is_kept && self.broken.insert(kept);
        }
        more
    }

    fn held(&self, kept: impl IntoIterator<Item = Kept>) -> Targets {
        let mut all = Targets::default();
        for kept in kept {
            if let Some(targets) = self.contents.get(&kept) {
                match self.broken.contains(&kept) {
                    true => all.add(&targets.anywhere()),
                    false => all.add(targets),
                };
            }
        }
        all
    }

    /// One look at all instructions of a function; whether something was new.
    fn pass(&mut self, code: &Code<'_>) -> bool {
        let (id, module) = (code.id, code.module);
        let mut more = false;
        for block in code.cfg.reverse_postorder() {
            let data = code.function.block(*block);
            for instruction in &data.instructions {
                let of = |operand: Operand| self.operand(id, operand);
                let result = match &instruction.op {
                    Op::Load { address, .. } => {
                        let value =
                            instruction.result.and_then(|v| code.function.values.get(v.index()));
                        let Some(value) = value else { continue };
                        self.loaded(code, *address, &value.ty)
                    }
                    Op::Store { address, value, ty, .. } => {
                        let value = of(*value);
                        more |= self.overwrite(code, *address, Some(ty));
                        for kept in self.kept(code, *address) {
                            more |= self.keep(kept, &value);
                        }
                        continue;
                    }
                    Op::CopyMemory { destination, source, .. } => {
                        let held = self.held(self.kept(code, *source));
                        more |= self.overwrite(code, *destination, None);
                        for kept in self.kept(code, *destination) {
                            more |= self.keep(kept, &held);
                        }
                        continue;
                    }
                    Op::HavocMemory { address, .. } => {
                        more |= self.overwrite(code, *address, None);
                        continue;
                    }
                    Op::FieldAddress { base, structure, field } => {
                        let fields = module.structs.get(structure.index()).map(|s| &s.fields);
                        let field = fields.and_then(|fields| fields.get(field.index()));
                        let by = i128::from(field.map_or(0, |field| field.offset));
                        of(*base).each(|distances| distances.moved(by))
                    }
                    Op::IndexAddress { base, element, index } => {
                        let size = element.size(module);
                        let by = match *index {
                            Operand::Int { bits, value } => {
                                let index = sapa_ir::goto::arithmetic::signed(value, bits);
                                index.checked_mul(i128::from(size))
                            }
                            _ => None,
                        };
                        of(*base).each(|distances| match by {
                            Some(by) => distances.moved(by),
                            None => distances.spread(u128::from(size)),
                        })
                    }
                    Op::Copy { a } | Op::Cast { a, .. } => of(*a),
                    Op::Select { a, b, .. } => {
                        let mut both = of(*a);
                        both.add(&of(*b));
                        both
                    }
                    Op::Binary { a, b, .. } => {
                        let mut both = of(*a);
                        both.add(&of(*b));
                        both.anywhere()
                    }
                    Op::Unary { a, .. } => of(*a).anywhere(),
                    Op::Allocate { .. } => Targets::one(Target::Heap),
                    Op::Join { .. } => self.ended.clone(),
                    Op::Spawn { function, arguments } => {
                        let Operand::Function(function) = *function else { continue };
                        let parameters = match module.functions.get(function.index()) {
                            Some(started) if started.is_defined() => {
                                started.block(Function::ENTRY).parameters.clone()
                            }
                            _ => continue,
                        };
                        for (parameter, argument) in parameters.into_iter().zip(arguments) {
                            let targets = self.operand(id, *argument);
                            more |= self.define(function, parameter, &targets);
                        }
                        continue;
                    }
                    _ => continue,
                };
                if let Some(value) = instruction.result {
                    more |= self.define(id, value, &result);
                }
            }
            let mut passed = Vec::new();
            data.terminator.kind.for_each_target(|target| {
                let parameters = &code.function.block(target.block).parameters;
                passed.extend(parameters.iter().copied().zip(target.arguments.iter().copied()));
            });
            for (parameter, argument) in passed {
                let targets = self.operand(id, argument);
                more |= self.define(id, parameter, &targets);
            }
            if let TerminatorKind::Return(Some(value)) | TerminatorKind::EndThread(Some(value)) =
                data.terminator.kind
            {
                let targets = self.operand(id, value);
                more |= self.ended.add(&targets);
            }
        }
        more
    }

    /// Where a pointer in a predicate may lead.
    pub(super) fn expression(&self, code: &Code<'_>, expression: &Expression) -> Targets {
        let of = |e: &Expression| self.expression(code, e);
        let module = code.module;
        match expression {
            Expression::Global(id) => Targets::one(Target::Shared(*id)),
            Expression::Value { function, value } => {
                self.operand(*function, Operand::Value(*value))
            }
            Expression::Variable { function, variable } => {
                let mut all = Targets::default();
                let function_data = module.function(*function);
                for (at, value) in function_data.values.iter().enumerate() {
                    if value.variable == Some(*variable) {
                        all.add(&self.operand(*function, Operand::Value(ValueId::new(at))));
                    }
                }
                all
            }
            Expression::Load { address, ty, .. } => {
                let targets = of(address);
                let mut all = Targets::default();
                for &target in targets.0.keys() {
                    let held = self.held([Kept::In(target)]);
                    let is_whole = is_read(module, &targets, target, ty);
                    all.add(&if is_whole { held } else { held.anywhere() });
                }
                // Perhaps it is of what is the thread's own.
                all.add(&self.held([Kept::Own]).anywhere());
                all
            }
            Expression::FieldAddress { base, structure, field } => {
                let fields = module.structs.get(structure.index()).map(|s| &s.fields);
                let field = fields.and_then(|fields| fields.get(field.index()));
                let by = i128::from(field.map_or(0, |field| field.offset));
                of(base).each(|distances| distances.moved(by))
            }
            Expression::IndexAddress { base, element, .. } => {
                let size = element.size(module);
                of(base).each(|distances| distances.spread(u128::from(size)))
            }
            Expression::Cast { a, .. } => of(a),
            Expression::Unary { a, .. } => of(a).anywhere(),
            Expression::Binary { a, b, .. } => {
                let mut both = of(a);
                both.add(&of(b));
                both.anywhere()
            }
            Expression::Select { a, b, .. } => {
                let mut both = of(a);
                both.add(&of(b));
                both
            }
            _ => Targets::default(),
        }
    }
}
