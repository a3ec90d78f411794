//! `check-pointers`: what is accessed lies in an object that exists, and what is freed was allocated and not freed yet.
//!
//! Before an access through a pointer stands that the pointer is not null, and that an object of the type lies at the
//! address ([`Op::Accessible`]). That says nothing of objects that have ended, but to the interpreter: what is freed
//! is on record (`record.rs`), one object at a time, and so are locals whose calls have ended
//! (`brief_locals.rs`). An access is to an object that has ended just if there is a run in which that one
//! was chosen when it ended; the assertion stands before the access, and if the object ends between the two, there is a run in
//! which it has ended before.
//!
//! What is freed must not be an object that ends with its call: locals of other functions, whose addresses have no names
//! where the object is freed, and arrays of variable length. Those that may come to a `free` are on a record of their
//! own from the time that they exist. It names one of them in each run, and any one in some run; no object of another kind is
//! ever at its address. So the assertion at a `free` that another object is recorded fails in some run just if one of them is freed.
//!
//! What is written must be no string literal. What `memcpy` and `strcpy` write must not overlap what they read (C11 7.24.2.1):
//! their models call a function for that, where it is asserted.
//!
//! Nothing is asserted of variables by their names, nor of their members and elements by constants that are right.

use std::collections::BTreeSet;

use rustc_hash::FxHashSet;
use sapa_ir::goto::types::BOOL;
use sapa_ir::goto::{
    BinaryOp, BlockId, Builder, CastOp, CompareOp, Function, FunctionId, GlobalId, Instruction,
    Location, Module, Op, Operand, Slot, TerminatorKind, Type, ValueId, address, operation,
};

use super::accesses::{Addresses, GUESSES, PRINTED, WITHIN, accesses};
use super::record::{Objects, Record};
use super::{Claim, assert_before, brief_locals, executes, is_automatic, is_output, scopes};
use crate::analysis::call_graph::CallGraph;
use crate::analysis::points_to::{Object, Offsets, PointsTo};
use crate::error::PassError;
use crate::pass::{Context, Pass, Run};

/// The pass.
pub const PASS: Pass = Pass {
    name: "check-pointers",
    summary: "assert that what is accessed exists, and that what is freed was allocated",
    options: &[],
    preserves: &[],
    run: Run::Module(run),
};

/// Of objects that are local to threads, whose addresses may be kept.
const THREAD_LOCALS: &str =
    "assuming that no object local to a thread is used after the thread has ended";

/// Of what is freed through pointers of which it is not known what they point to.
const NOT_ALLOCATED: &str = "assuming that what is freed through a computed address is no variable";

/// Of writes that may be to very many of them.
const LITERALS: &str = "assuming that no string literal is written to";

/// The model that is called where areas of memory must not overlap: the addresses of both, and their size.
const APART: &str = "__sapa_apart";

/// What is claimed of a copy.
const NO_OVERLAP: &str = "what is copied does not overlap where it is copied to";

/// Where more string literals may be written to, nothing is asserted.
const MOST_LITERALS: usize = 64;

fn run(module: &mut Module, context: &mut Context<'_>) -> Result<bool, PassError> {
    let mut points_to = context.analyses.get::<PointsTo>(module)?;
    let is_assumed = keeps_locals(module, &points_to);
    let calls = context.analyses.get::<CallGraph>(module)?;
    let mut changed = brief_locals::allocate(module, &points_to, &calls, context.limits)?;
    // Only what is left says that it rests on this.
    if is_assumed {
        module.note(BLOCKS);
    }
    changed |= scopes::forget(module);
    if changed {
        context.analyses.keep(&[]);
        points_to = context.analyses.get::<PointsTo>(module)?;
    }
    let is_own = |object: &Object| matches!(object, Object::Global(id) if module.globals[id.index()].thread_local);
    let mut kept = points_to.let_out();
    kept.extend(points_to.shared(module));
    if kept.iter().any(is_own) {
        module.note(THREAD_LOCALS);
    }
    if executes(module, is_output) {
        module.note(PRINTED);
    }
    let automatic = automatic(module);
    let mut freed = freed(module, &points_to);
    let object = |&(id, block, index, _): &_| Object::Allocation(id, block, index);
    let ending: BTreeSet<Object> = automatic.iter().map(object).collect();
    freed.extend(ending.iter().copied());
    let record = (!freed.is_empty()).then(|| Record::new(module, "freed"));
    let passing = passing(module, &points_to, &ending);
    let passing_record = (!passing.is_empty()).then(|| Record::new(module, "local"));
    let objects = Objects::of(module);
    for id in (0..module.functions.len()).map(FunctionId::new) {
        if module.function(id).name.starts_with(GUESSES) {
            continue;
        }
        let addresses = Addresses::of(module.function(id));
        let mut checks = Checks {
            id,
            points_to: &points_to,
            addresses: &addresses,
            freed: &freed,
            record,
            known: FxHashSet::default(),
            automatic: &ending,
            passing: &passing,
            passing_record,
            objects,
            is_guessing: false,
            is_writing_any: false,
        };
        changed |= assert_before(module, id, context, |module, builder, instruction| {
            checks.claims(module, builder, instruction)
        })?;
        if checks.is_guessing {
            module.note(NOT_ALLOCATED);
        }
        if checks.is_writing_any {
            module.note(LITERALS);
        }
        let own: BTreeSet<ValueId> =
            automatic.iter().filter(|found| found.0 == id).map(|found| found.3).collect();
        if let Some(record) = passing_record {
            let place = |found: &&_| passing.contains(&object(found));
            let of_this = automatic.iter().filter(|found| found.0 == id);
            let allocated = of_this.filter(place).map(|found| found.3).collect();
            begin_passing(&mut module.functions[id.index()], id, &passing, &allocated, record);
        }
        if let Some(record) = record
            && !own.is_empty()
        {
            end_automatic(&mut module.functions[id.index()], &own, record);
        }
        if let Some(record) = record {
            module.functions[id.index()].rewrite(|builder, _, instruction| {
                if let Op::Free { address } = instruction.op {
                    record.choose(builder, address);
                }
                builder.push(instruction);
            });
        }
    }
    Ok(changed)
}

/// The allocations that end with their calls: where they stand, and their results.
fn automatic(module: &Module) -> Vec<(FunctionId, BlockId, u32, ValueId)> {
    let mut found = Vec::new();
    for (id, function) in module.functions() {
        for (block, data) in function.blocks() {
            for (index, instruction) in data.instructions.iter().enumerate() {
                if let (true, Some(result), Ok(index)) =
                    (is_automatic(module, instruction), instruction.result, u32::try_from(index))
                {
                    found.push((id, block, index, result));
                }
            }
        }
    }
    found
}

/// What these allocations gave has ended when the call has: one of them, perhaps, is kept in a variable of the call, and
/// is put on record at its end.
fn end_automatic(function: &mut Function, allocations: &BTreeSet<ValueId>, record: Record) {
    let slot =
        function.add_slot(Slot { name: "ending#".to_owned(), ty: Type::Pointer, signed: false });
    let kept = Operand::Slot(slot);
    function.rewrite(|builder, _, instruction| {
        let object = instruction.result.filter(|result| allocations.contains(result));
        builder.push(instruction);
        if let Some(object) = object {
            let before = builder.load(Type::Pointer, kept);
            let is_unset = builder.compare(CompareOp::Eq, before, Operand::Null);
            let any = builder.nondet(BOOL);
            let condition = builder.binary(BinaryOp::And, is_unset, any, false);
            let op = Op::Select { condition, a: Operand::Value(object), b: before };
            let now = builder.define(op, Type::Pointer);
            builder.store(Type::Pointer, kept, now);
        }
    });
    let location = Location { operation: None, ..function.location };
    let code = std::mem::take(&mut function.blocks[Function::ENTRY.index()].instructions);
    let mut builder = Builder::new(function, location);
    builder.switch_to(Function::ENTRY);
    builder.store(Type::Pointer, kept, Operand::Null);
    function.blocks[Function::ENTRY.index()].instructions.extend(code);
    for block in (0..function.blocks.len()).map(BlockId::new) {
        let end = function.block(block).terminator.clone();
        if matches!(end.kind, TerminatorKind::Return(_) | TerminatorKind::EndThread(_)) {
            let mut builder = Builder::new(function, end.location);
            builder.switch_to(block);
            let object = builder.load(Type::Pointer, kept);
            record.choose(&mut builder, object);
            builder.terminate(end.kind);
        }
    }
}

/// The objects that end with a call and may come to a `free` that has no name for them: automatic allocations, and locals
/// of other functions. (Those that may come to another call of the same function are heap objects by now.)
fn passing(
    module: &Module,
    points_to: &PointsTo,
    automatic: &BTreeSet<Object>,
) -> BTreeSet<Object> {
    let mut found = BTreeSet::new();
    for (id, function) in module.functions() {
        for instruction in function.instructions() {
            let Op::Free { address } = instruction.op else { continue };
            let all = points_to.targets(id, address);
            found.extend(all.into_iter().filter(|object| match object {
                Object::Slot(of, _) => *of != id,
                object => automatic.contains(object),
            }));
        }
    }
    found
}

/// Puts these objects of a function on record when they begin to exist, perhaps.
fn begin_passing(
    function: &mut Function,
    id: FunctionId,
    objects: &BTreeSet<Object>,
    allocated: &BTreeSet<ValueId>,
    record: Record,
) {
    if !allocated.is_empty() {
        function.rewrite(|builder, _, instruction| {
            let object = instruction.result.filter(|result| allocated.contains(result));
            builder.push(instruction);
            if let Some(object) = object {
                record.choose(builder, Operand::Value(object));
            }
        });
    }
    let slots: Vec<Operand> = objects
        .iter()
        .filter_map(|object| match object {
            Object::Slot(of, slot) if *of == id => Some(Operand::Slot(*slot)),
            _ => None,
        })
        .collect();
    if slots.is_empty() {
        return;
    }
    let location = Location { operation: None, ..function.location };
    let code = std::mem::take(&mut function.blocks[Function::ENTRY.index()].instructions);
    let mut builder = Builder::new(function, location);
    builder.switch_to(Function::ENTRY);
    for slot in slots {
        record.choose(&mut builder, slot);
    }
    function.blocks[Function::ENTRY.index()].instructions.extend(code);
}

/// Of locals of inner blocks, where it is not said when these are left.
const BLOCKS: &str = "assuming that no local is used after the block that declares it";

/// Whether the address of a local is kept anywhere that may end before its call, at a place that is not said: arrays of variable
/// length do, and all that jumps leave. The addresses of those arrays are kept by their
/// declarations.
fn keeps_locals(module: &Module, points_to: &PointsTo) -> bool {
    let declares_array = |keeper: &Object| match *keeper {
        Object::Slot(id, slot) => module
            .function(id)
            .slots
            .get(slot.index())
            .is_some_and(|slot| slot.name.ends_with(operation::ADDRESS_OF_ARRAY)),
        _ => false,
    };
    let (declarations, keepers): (Vec<Object>, Vec<Object>) =
        points_to.objects().iter().partition(|keeper| declares_array(keeper));
    let arrays: FxHashSet<Object> =
        declarations.iter().flat_map(|&keeper| points_to.contents(keeper)).collect();
    let jumps: FxHashSet<FunctionId> = module
        .functions()
        .filter(|(_, function)| function.instructions().any(|i| scopes::is_jump(module, i)))
        .map(|(id, _)| id)
        .collect();
    let is_local = |object: Object| match object {
        Object::Slot(id, _) => !module.function(id).is_model() && jumps.contains(&id),
        other => arrays.contains(&other),
    };
    keepers.iter().flat_map(|&keeper| points_to.contents(keeper)).any(is_local)
}

/// The objects that may be freed; an allocation stands for all of its objects.
fn freed(module: &Module, points_to: &PointsTo) -> FxHashSet<Object> {
    let mut freed = FxHashSet::default();
    for (id, function) in module.functions() {
        for instruction in function.instructions() {
            if let Op::Free { address } = instruction.op {
                freed.extend(points_to.targets(id, address));
            }
        }
    }
    freed
}

/// What is asserted in a function.
struct Checks<'c> {
    id: FunctionId,
    points_to: &'c PointsTo,
    addresses: &'c Addresses,
    freed: &'c FxHashSet<Object>,
    record: Option<Record>,
    /// Pointers that are not null behind what was asserted in a block before.
    known: FxHashSet<(BlockId, Operand)>,
    /// The objects that end with their calls, though they were allocated.
    automatic: &'c BTreeSet<Object>,
    /// The objects that end with a call and may come to a `free`, and the record of one of them.
    passing: &'c BTreeSet<Object>,
    passing_record: Option<Record>,
    objects: Objects,
    /// Whether something may be freed of which nothing is known.
    is_guessing: bool,
    /// Whether something may be written that may be any of many literals.
    is_writing_any: bool,
}

impl Checks<'_> {
    fn claims(
        &mut self,
        module: &Module,
        builder: &mut Builder<'_>,
        instruction: &Instruction,
    ) -> Vec<Claim> {
        let mut claims = Vec::new();
        for (address, ty) in accesses(builder.function, instruction) {
            self.access(module, builder, address, &ty, &mut claims);
        }
        if let Op::Store { address: written, .. }
        | Op::HavocMemory { address: written, .. }
        | Op::CopyMemory { destination: written, .. } = instruction.op
        {
            self.write(module, builder, written, &mut claims);
        }
        match &instruction.op {
            Op::Free { address } => self.free(module, builder, *address, &mut claims),
            Op::Call { callee, .. } | Op::Spawn { function: callee, .. }
                if matches!(callee, Operand::Value(_) | Operand::Null) =>
            {
                let condition = builder.compare(CompareOp::Ne, *callee, Operand::Null);
                claims.push((condition, "no null function is called".to_owned()));
            }
            Op::Call { callee: Operand::Function(callee), arguments } => {
                // The name of a function that is being rewritten is not there, and it is not this one.
                let callee = module.functions.get(callee.index());
                if let ([target, source, size], Some(APART)) =
                    (arguments.as_slice(), callee.map(|callee| callee.name.as_str()))
                {
                    let condition = self.apart(builder, [*target, *source], *size);
                    claims.extend(condition.map(|condition| (condition, NO_OVERLAP.to_owned())));
                }
            }
            _ => {}
        }
        claims
    }

    /// That an object of a type is at an address.
    fn access(
        &mut self,
        module: &Module,
        builder: &mut Builder<'_>,
        address: Operand,
        ty: &Type,
        claims: &mut Vec<Claim>,
    ) {
        if self.addresses.is_within(module, builder.function, address, ty.size(module)) {
            return;
        }
        let (root, _) = self.addresses.root(module, address);
        let is_pointer = matches!(root, Operand::Value(_) | Operand::Null);
        let is_new = builder.block().is_none_or(|block| self.known.insert((block, root)));
        if is_pointer && is_new {
            let condition = builder.compare(CompareOp::Ne, root, Operand::Null);
            claims.push((condition, "no null pointer is used".to_owned()));
        }
        // First what needs the record: the interpreter sees by itself that an object has ended.
        if let Some(condition) = self.not_freed(builder, address) {
            claims.push((condition, "nothing is used after its lifetime has ended".to_owned()));
        }
        let condition =
            builder.define(Op::Accessible { address, ty: ty.clone(), ended: false }, BOOL);
        claims.push((condition, WITHIN.to_owned()));
    }

    /// That two areas of a size are the same or have no byte in common; `None` where they never have.
    fn apart(
        &self,
        builder: &mut Builder<'_>,
        areas: [Operand; 2],
        size: Operand,
    ) -> Option<Operand> {
        let [a, b] = areas.map(|area| self.points_to.targets(self.id, area));
        let has_any = a.iter().chain(&b).any(|object| object.is_any());
        if !has_any && !a.iter().any(|object| b.contains(object)) {
            return None;
        }
        Some(self.objects.are_apart(builder, areas, size))
    }

    /// That what is written is no string literal, if it may be one.
    fn write(
        &mut self,
        module: &Module,
        builder: &mut Builder<'_>,
        address: Operand,
        claims: &mut Vec<Claim>,
    ) {
        let is_literal =
            |id: &GlobalId| module.globals.get(id.index()).is_some_and(|global| global.constant);
        let targets = self.points_to.targets(self.id, address).into_iter();
        let literals = targets.filter_map(|object| match object {
            Object::Global(id) => Some(id).filter(is_literal).map(Operand::Global),
            _ => None,
        });
        let literals: Vec<Operand> = literals.collect();
        if literals.len() > MOST_LITERALS {
            self.is_writing_any = true;
        } else if !literals.is_empty() {
            let condition = self.objects.is_none_of(builder, address, &literals);
            claims.push((condition, "no string literal is written to".to_owned()));
        }
    }

    /// That an address points to nothing that was freed, if it may.
    fn not_freed(&self, builder: &mut Builder<'_>, address: Operand) -> Option<Operand> {
        let record = self.record?;
        let targets = self.points_to.targets(self.id, address);
        let frees_any = self.freed.iter().any(|object| object.is_any());
        let may_be_freed = targets.iter().any(|object| match object {
            Object::Allocation(..) => frees_any || self.freed.contains(object),
            object => object.is_any(),
        });
        may_be_freed.then(|| record.is_other(builder, address))
    }

    /// That what is freed is null, or the start of something that was allocated and not freed yet.
    fn free(
        &mut self,
        module: &Module,
        builder: &mut Builder<'_>,
        address: Operand,
        claims: &mut Vec<Claim>,
    ) {
        if address == Operand::Null {
            return;
        }
        let bits = module.target.pointer_bits;
        let is_null = builder.compare(CompareOp::Eq, address, Operand::Null);
        let or_null = |builder: &mut Builder<'_>, condition| {
            builder.binary(BinaryOp::Or, is_null, condition, false)
        };
        let places = self.points_to.places(self.id, address);
        let is_start = |offsets: Offsets| offsets.single() == Some(0);
        let is_any = places.iter().any(|place| place.object.is_any());
        if is_any || places.iter().any(|place| !is_start(place.offsets)) {
            let number = builder.cast(CastOp::PointerToInt, address, Type::Int(bits));
            let mask = (1_u128 << address::offset_bits(bits)) - 1;
            let offset = builder.binary(BinaryOp::And, number, Operand::int(bits, mask), false);
            let first = Operand::int(bits, address::first(bits).into());
            let is_start = builder.compare(CompareOp::Eq, offset, first);
            let condition = or_null(builder, is_start);
            claims.push((condition, "what is freed is the start of an object".to_owned()));
        }
        let (mut others, mut ends_itself) = (Vec::new(), 0);
        for place in &places {
            match place.object {
                Object::Global(id) => others.push(Operand::Global(id)),
                Object::Function(id) => others.push(Operand::Function(id)),
                Object::Slot(id, slot) if id == self.id => others.push(Operand::Slot(slot)),
                Object::Unknown | Object::Forged => self.is_guessing = true,
                Object::Allocation(..) if self.automatic.contains(&place.object) => {
                    ends_itself += 1;
                }
                Object::Slot(..) | Object::Allocation(..) | Object::Number => {}
            }
        }
        if ends_itself == places.len() && ends_itself > 0 {
            claims.push((is_null, "what is freed does not end with its call".to_owned()));
        } else if let Some(record) = self.passing_record
            && places.iter().any(|place| self.passing.contains(&place.object))
        {
            let is_other = record.is_other(builder, address);
            let condition = or_null(builder, is_other);
            claims.push((condition, "what is freed was allocated".to_owned()));
        }
        for other in others {
            let condition = builder.compare(CompareOp::Ne, address, other);
            claims.push((condition, "what is freed was allocated".to_owned()));
        }
        if is_any {
            let ty = Type::Array(Box::new(Type::Int(8)), 0);
            let exists = builder.define(Op::Accessible { address, ty, ended: false }, BOOL);
            let condition = or_null(builder, exists);
            claims.push((condition, "what is freed was allocated".to_owned()));
        }
        if let Some(record) = self.record {
            let is_other = record.is_other(builder, address);
            let condition = or_null(builder, is_other);
            claims.push((condition, "nothing is freed twice".to_owned()));
        }
    }
}
