//! Instructions of goto binaries: functions with bodies, and threads that start
//! inside them.

use rustc_hash::{FxHashMap, FxHashSet};
use sapa_ir::goto::{BlockId, Function, FunctionId, Op, Operand, TerminatorKind, operation};

use super::irep::Irep;
use super::read::{Binary, Instruction, InstructionKind};
use super::symbols::declared_in;
use crate::lower::body::{Body, Place, Value};
use crate::lower::library::cprover_fence;
use crate::lower::program::{Entity, Lowered, Lowerer, Scope};
use crate::lower::types::{FunctionType, Kind};
use crate::position::Position;

/// Lowers the body of the function at an index of a binary, the current unit.
pub(crate) fn lower_function(
    lowerer: &mut Lowerer<'_>,
    id: FunctionId,
    binary: &Binary,
    item: usize,
) {
    let Some(function) = binary.functions.get(item) else { return };
    let Some(ty) = super::symbols::type_of_definition(lowerer, binary, item) else { return };
    let scopes = std::mem::replace(&mut lowerer.scopes, vec![Scope::default()]);
    // What is wrong was reported.
    let _ = lower_body(lowerer, id, binary, function, &ty);
    lowerer.scopes = scopes;
}

fn lower_body(
    lowerer: &mut Lowerer<'_>,
    id: FunctionId,
    binary: &Binary,
    function: &super::read::Function,
    ty: &FunctionType,
) -> Lowered<()> {
    let ireps = &binary.ireps;
    let symbol = binary.symbol(&function.name).cloned();
    let location = symbol.as_ref().map(|symbol| symbol.location);
    let position = match location {
        Some(location) => lowerer.goto_position(binary, location),
        None => Position::default(),
    };
    let (mut body, operands) = Body::new(lowerer, id, &function.name, ty, position);
    let list = symbol.and_then(|symbol| ireps.get(symbol.ty, "parameters"));
    let parameters = list.map_or(&[][..], |list| ireps.operands(list));
    for ((parameter, operand), ty) in parameters.iter().zip(operands).zip(&ty.parameters) {
        let name = ireps.value(*parameter, "#identifier");
        if name.is_empty() {
            continue;
        }
        let place = body.goto_local(binary, name, ty, position)?;
        body.receive(&place, operand, position)?;
    }
    let code = Code::new(function, 0);
    let result = body.goto_code(binary, &code, position);
    let Body { function: lowered, .. } = body;
    lowerer.module.functions[id.index()] = lowered;
    result
}

/// Instructions that are lowered together: what can be reached from an entry.
struct Code<'f> {
    function: &'f super::read::Function,
    entry: usize,
    /// By instruction.
    reached: Vec<bool>,
}

impl<'f> Code<'f> {
    fn new(function: &'f super::read::Function, entry: usize) -> Self {
        let mut reached = vec![false; function.instructions.len()];
        let mut pending = vec![entry];
        while let Some(index) = pending.pop() {
            let (Some(instruction), Some(seen)) =
                (function.instructions.get(index), reached.get_mut(index))
            else {
                continue;
            };
            if !std::mem::replace(seen, true) {
                pending.extend(successors(instruction, index));
            }
        }
        Self { function, entry, reached }
    }

    fn instructions(&self) -> impl Iterator<Item = (usize, &'f Instruction)> {
        let reached = self.reached.iter();
        self.function
            .instructions
            .iter()
            .enumerate()
            .zip(reached)
            .filter(|(_, reached)| **reached)
            .map(|(entry, _)| entry)
    }
}

/// Where an instruction of a thread goes on.
fn successors(instruction: &Instruction, index: usize) -> Vec<usize> {
    match instruction.kind {
        InstructionKind::Goto => {
            let mut next = instruction.targets.clone();
            next.push(index + 1);
            next
        }
        InstructionKind::EndFunction | InstructionKind::EndThread => Vec::new(),
        _ => vec![index + 1],
    }
}

fn is_true(binary: &Binary, guard: Irep) -> bool {
    binary.ireps.id(guard) == "constant" && binary.ireps.value(guard, "value") == "true"
}

impl Body<'_, '_> {
    /// A local object by its full name; in the module it has the name of the source.
    fn goto_local(
        &mut self,
        binary: &Binary,
        name: &str,
        ty: &crate::lower::types::CType,
        position: Position,
    ) -> Lowered<Place> {
        let base = binary.symbol(name).map(|symbol| binary.ireps.text(symbol.base_name));
        let base = base.filter(|base| !base.is_empty()).unwrap_or(name);
        let slot = self.slot(base, ty, position)?;
        self.unit.declare(name.into(), Entity::Slot(slot, ty.clone()));
        Ok(Place::new(Operand::Slot(slot), ty.clone()))
    }

    fn goto_code(&mut self, binary: &Binary, code: &Code<'_>, position: Position) -> Lowered<()> {
        // Locals that are not declared on the way would not be known.
        let declarations: Vec<_> = code
            .instructions()
            .filter(|(_, i)| i.kind == InstructionKind::Declaration)
            .map(|(_, i)| i)
            .collect();
        for instruction in declarations {
            let position = self.unit.goto_position(binary, instruction.location);
            self.goto_declare(binary, instruction.code, position)?;
        }
        let returned = self.result.clone();
        let result = match returned.kind {
            Kind::Void | Kind::Record(_) => None,
            _ => {
                let slot = self.slot("return#", &returned, position)?;
                Some(Place::new(Operand::Slot(slot), returned))
            }
        };
        let mut blocks: FxHashMap<usize, BlockId> = FxHashMap::default();
        let mut leaders = FxHashSet::default();
        for (index, instruction) in code.instructions() {
            if instruction.kind == InstructionKind::Goto {
                leaders.extend(&instruction.targets);
                leaders.insert(index + 1);
            }
        }
        for leader in leaders {
            blocks.insert(leader, self.new_block());
        }
        if let Some(first) = blocks.get(&code.entry) {
            let first = *first;
            self.jump(first);
        }
        let mut result_of = Ok(());
        let mut position = position;
        let mut previous = None;
        for (index, instruction) in code.instructions() {
            let follows = previous == index.checked_sub(1) || index == code.entry;
            if let Some(block) = blocks.get(&index) {
                if follows {
                    self.jump(*block);
                }
                self.block = Some(*block);
            } else if !follows {
                // Reached by no jump and from nowhere: dead code between.
                self.block = None;
            }
            previous = Some(index);
            // What has no position of its own belongs to what stands before it.
            if binary.ireps.get(instruction.location, "file").is_some() {
                position = self.unit.goto_position(binary, instruction.location);
            }
            self.at(position);
            let done =
                self.goto_instruction(binary, code, index, &blocks, result.as_ref(), position);
            if done.is_err() {
                // One error does not hide those of later instructions.
                self.statement_open = false;
                result_of = done;
            }
        }
        if self.block.is_some() {
            self.terminate(TerminatorKind::Unreachable);
        }
        result_of.and_then(|()| self.settle_sections())
    }

    /// Declares a local; its type may be an array of variable length.
    fn goto_declare(&mut self, binary: &Binary, code: Irep, position: Position) -> Lowered<()> {
        let ireps = &binary.ireps;
        let Some(symbol) = ireps.operand(code, 0) else {
            return self.unknown(binary, code, position);
        };
        let name = ireps.value(symbol, "identifier");
        if self.unit.lookup(name).is_some() {
            return Ok(());
        }
        let ty = self.goto_type_of(binary, symbol);
        if let Kind::Array(_, None) = ty.kind {
            let void = crate::lower::types::CType::from(Kind::Void).pointer();
            let address = format!("{name}{}", operation::ADDRESS_OF_ARRAY);
            let address = self.slot(&address, &void, position)?;
            let size = self.unit.integers().size();
            let size = self.slot(&format!("{name}#size"), &size, position)?;
            self.unit.declare(name.into(), Entity::Variable(address, ty, size));
            return Ok(());
        }
        self.goto_local(binary, name, &ty, position).map(|_| ())
    }

    fn goto_instruction(
        &mut self,
        binary: &Binary,
        code: &Code<'_>,
        index: usize,
        blocks: &FxHashMap<usize, BlockId>,
        result: Option<&Place>,
        position: Position,
    ) -> Lowered<()> {
        let ireps = &binary.ireps;
        let Some(instruction) = code.function.instructions.get(index) else { return Ok(()) };
        let operand = |index| ireps.operand(instruction.code, index);
        match instruction.kind {
            InstructionKind::Skip | InstructionKind::Location => Ok(()),
            InstructionKind::Dead => {
                self.goto_end(binary, instruction.code, position);
                Ok(())
            }
            InstructionKind::Goto => {
                let target = instruction.targets.first().and_then(|target| blocks.get(target));
                let (Some(target), Some(next)) =
                    (target.copied(), blocks.get(&(index + 1)).copied())
                else {
                    return self.error(position, "this jump has no target");
                };
                if is_true(binary, instruction.guard) {
                    self.jump(target);
                    return Ok(());
                }
                self.open_statement();
                let guard = self.goto_truth(binary, instruction.guard, position)?;
                self.close_statement();
                self.branch(guard, target, next);
                Ok(())
            }
            InstructionKind::Assume => {
                self.open_statement();
                let condition = self.goto_truth(binary, instruction.guard, position)?;
                self.effect(Op::Assume { condition });
                self.close_statement();
                Ok(())
            }
            InstructionKind::Assert => {
                self.open_statement();
                let condition = self.goto_truth(binary, instruction.guard, position)?;
                let comment = ireps.value(instruction.location, "comment");
                let property = comment.strip_prefix("assertion ").unwrap_or(comment).to_owned();
                self.effect(Op::Assert { condition, property });
                self.close_statement();
                Ok(())
            }
            InstructionKind::AtomicBegin => {
                self.enter_atomic();
                Ok(())
            }
            InstructionKind::AtomicEnd => {
                self.leave_atomic();
                Ok(())
            }
            InstructionKind::Declaration => {
                self.goto_declaration(binary, instruction.code, position)
            }
            InstructionKind::Assign => {
                let (Some(target), Some(value)) = (operand(0), operand(1)) else {
                    return self.unknown(binary, instruction.code, position);
                };
                self.open_statement();
                let place = self.goto_place(binary, target, position)?;
                self.goto_store(binary, &place, value, position)?;
                self.close_statement();
                Ok(())
            }
            InstructionKind::SetReturnValue => {
                let Some(value) = operand(0) else { return Ok(()) };
                self.open_statement();
                match result {
                    Some(place) => self.goto_store(binary, place, value, position)?,
                    None => {
                        let value = self.goto_value(binary, value, position)?;
                        self.result_operand(value, position)?;
                    }
                }
                self.close_statement();
                Ok(())
            }
            InstructionKind::EndFunction => {
                let operand = match result {
                    Some(place) => {
                        let value = self.load(place, position)?;
                        Some(self.scalar(value, position)?.0)
                    }
                    None => None,
                };
                self.finish(operand);
                Ok(())
            }
            InstructionKind::FunctionCall => {
                self.open_statement();
                self.goto_call(binary, instruction.code, position)?;
                self.close_statement();
                Ok(())
            }
            InstructionKind::StartThread => {
                let Some(entry) = instruction.targets.first() else { return Ok(()) };
                self.goto_thread(binary, code, *entry, position)
            }
            InstructionKind::EndThread => {
                self.terminate(TerminatorKind::EndThread(None));
                Ok(())
            }
            InstructionKind::Other => self.goto_other(binary, instruction.code, position),
            InstructionKind::Throw | InstructionKind::Catch => {
                self.error(position, "exceptions are not supported")
            }
        }
    }

    /// The life of a local ends.
    fn goto_end(&mut self, binary: &Binary, code: Irep, position: Position) {
        let Some(symbol) = binary.ireps.operand(code, 0) else { return };
        let name = binary.ireps.value(symbol, "identifier");
        if let Some(Entity::Slot(slot, ty)) = self.unit.lookup(name).cloned()
            && let Ok(ty) = ty.in_memory()
        {
            let end = Op::HavocMemory { address: Operand::Slot(slot), ty };
            self.mark(operation::END_OF_SCOPE, end, position);
        }
    }

    /// The life of a local starts: its contents are arbitrary.
    fn goto_declaration(&mut self, binary: &Binary, code: Irep, position: Position) -> Lowered<()> {
        let ireps = &binary.ireps;
        let Some(symbol) = ireps.operand(code, 0) else { return Ok(()) };
        let name = ireps.value(symbol, "identifier");
        match self.unit.lookup(name).cloned() {
            Some(Entity::Slot(slot, ty)) => {
                if let Ok(ty) = ty.in_memory() {
                    self.effect(Op::HavocMemory { address: Operand::Slot(slot), ty });
                }
                Ok(())
            }
            Some(Entity::Variable(address, ty, size_slot)) => {
                let count = ireps
                    .get(symbol, "type")
                    .and_then(|ty| ireps.get(ty, "size"))
                    .filter(|size| ireps.id(*size) != "nil");
                let (Some(count), Kind::Array(element, _)) = (count, &ty.kind) else {
                    return self.error(position, format!("the array '{name}' has no size"));
                };
                let size = self.unit.integers().size();
                let each = match self.unit.size_of(element) {
                    Some(each) => Operand::int(self.bits(&size), u128::from(each)),
                    None => return self.error(position, "the elements of this array have no size"),
                };
                let count = self.goto_value(binary, count, position)?;
                let each = Value::Scalar(each, size.clone());
                let bytes = self.arithmetic(
                    crate::lower::operator::BinaryOperator::Multiply,
                    count,
                    each,
                    position,
                )?;
                let object = self.in_operation(operation::AUTOMATIC, position, |body| {
                    body.allocate(&bytes, None, false, position)
                })?;
                let bytes = self.convert(bytes, &size, position)?;
                self.store(&Place::new(Operand::Slot(size_slot), size), bytes, position)?;
                let void = crate::lower::types::CType::from(Kind::Void).pointer();
                self.store(&Place::new(Operand::Slot(address), void), object, position)
            }
            _ => Ok(()),
        }
    }

    fn goto_call(&mut self, binary: &Binary, code: Irep, position: Position) -> Lowered<()> {
        let ireps = &binary.ireps;
        let [target, function, arguments] = *ireps.operands(code) else {
            return self.unknown(binary, code, position);
        };
        let mut values = Vec::new();
        for argument in ireps.operands(arguments) {
            values.push(self.goto_value(binary, *argument, position)?);
        }
        self.at(position);
        let value = if ireps.id(function) == "symbol" {
            let name = ireps.value(function, "identifier");
            let name = crate::lower::library::atomic_builtin(name).unwrap_or(name);
            let declared = match self.goto_type_of(binary, function).kind {
                Kind::Function(ty) => Some(*ty),
                _ => None,
            };
            self.call_named(name, declared.as_ref(), values, position)?
        } else {
            let Kind::Function(ty) = self.goto_type_of(binary, function).kind else {
                return self.error(position, "what is called is no function");
            };
            let callee = self.goto_place(binary, function, position)?;
            self.call_function(callee.address, &ty, values, position)?
        };
        if ireps.id(target) == "nil" || self.block.is_none() {
            return Ok(());
        }
        let place = self.goto_place(binary, target, position)?;
        let value = self.convert(value, &place.ty, position)?;
        self.store(&place, value, position)
    }

    fn goto_other(&mut self, binary: &Binary, code: Irep, position: Position) -> Lowered<()> {
        let ireps = &binary.ireps;
        match (ireps.value(code, "statement"), ireps.operands(code)) {
            ("expression", [value]) => {
                // It has no effect but what evaluating it may need.
                if ireps.id(*value) == "side_effect" {
                    return self.unknown(binary, *value, position);
                }
                Ok(())
            }
            ("skip" | "output" | "input" | "printf", _) => Ok(()),
            ("user_specified_predicate" | "user_specified_parameter_predicates", _) => Ok(()),
            ("fence", _) => {
                let order = cprover_fence(|kind| !matches!(ireps.value(code, kind), "" | "0"));
                self.effect(Op::Fence { order });
                Ok(())
            }
            ("asm", [template, rest @ ..]) => {
                if ireps.value(code, "flavor") != "gcc" {
                    return self.unknown(binary, code, position);
                }
                // Outputs, inputs, clobbers, labels.
                let has = |index: usize| {
                    rest.get(index).is_some_and(|list| !ireps.operands(*list).is_empty())
                };
                if has(0) || has(3) {
                    return self
                        .error(position, "assembly with outputs or labels is not supported");
                }
                let text = ireps.value(*template, "value").to_owned();
                self.assembly_text(&text, position)
            }
            _ => self.unknown(binary, code, position),
        }
    }

    /// `__CPROVER_ASYNC_n:`: a thread that starts inside the function, with
    /// copies of the locals that it uses. It becomes a function of its own.
    fn goto_thread(
        &mut self,
        binary: &Binary,
        code: &Code<'_>,
        entry: usize,
        position: Position,
    ) -> Lowered<()> {
        let own = Code::new(code.function, entry);
        let kinds = |kind| own.instructions().filter(move |(_, i)| i.kind == kind);
        if kinds(InstructionKind::EndFunction).next().is_some() {
            return self
                .error(position, "a thread that starts here would return from the function");
        }
        let declared = declared_in(
            binary,
            kinds(InstructionKind::Declaration).map(|(_, instruction)| instruction.code),
        );
        let mut used = Vec::new();
        let mut seen = FxHashSet::default();
        let mut pending: Vec<Irep> =
            own.instructions().flat_map(|(_, i)| [i.code, i.guard]).collect();
        while let Some(irep) = pending.pop() {
            if !seen.insert(irep) {
                continue;
            }
            pending.extend(binary.ireps.operands(irep));
            if binary.ireps.id(irep) == "symbol" {
                let name = binary.ireps.value(irep, "identifier");
                if let Some(entity) = self.unit.lookup(name).cloned()
                    && !declared.contains(name)
                    && !used.iter().any(|(known, _)| known == name)
                {
                    used.push((name.to_owned(), entity));
                }
            }
        }
        used.sort_by(|a, b| a.0.cmp(&b.0));
        let mut arguments = Vec::new();
        let mut parameters = Vec::new();
        for (name, entity) in &used {
            let place = self.place_of(entity, name, position)?;
            if !place.ty.is_scalar() {
                let message =
                    format!("the thread that starts here uses '{name}', which is no scalar");
                return self.error(position, message);
            }
            let value = self.load(&place, position)?;
            arguments.push(self.scalar(value, position)?.0);
            parameters.push(place.ty);
        }
        let ty = FunctionType { result: Kind::Void.into(), parameters, open: false };
        let name = format!("{}::thread", code.function.name);
        let id = self.unit.add_function(&name, &ty, None, position);
        let scopes = std::mem::replace(&mut self.unit.scopes, vec![Scope::default()]);
        let lowered = thread_body(self.unit, id, binary, &own, &name, &ty, &used, position);
        self.unit.scopes = scopes;
        self.unit.module.functions[id.index()] = lowered?;
        self.interrupted(|body| {
            body.effect(Op::Spawn { function: Operand::Function(id), arguments });
        });
        Ok(())
    }
}

#[expect(clippy::too_many_arguments, reason = "one call, of a part of it")]
fn thread_body(
    unit: &mut Lowerer<'_>,
    id: FunctionId,
    binary: &Binary,
    code: &Code<'_>,
    name: &str,
    ty: &FunctionType,
    used: &[(String, Entity)],
    position: Position,
) -> Lowered<Function> {
    let (mut body, operands) = Body::new(unit, id, name, ty, position);
    for (((name, _), ty), operand) in used.iter().zip(&ty.parameters).zip(operands) {
        let place = body.goto_local(binary, name, ty, position)?;
        body.receive(&place, operand, position)?;
    }
    body.goto_code(binary, code, position)?;
    Ok(body.function)
}
