//! Random sound modules, for tests of everything that takes a module.
//!
//! The same seed gives the same module. All types, operations and terminators
//! occur. The modules keep the laws of [`verify`](super::verify()), but running
//! them means nothing.

mod expression;

use crate::random::Random;

use super::entity::{
    BlockId, FieldIndex, FileId, FunctionId, GlobalId, NameId, SlotId, StructId, ValueId,
    VariableId,
};
use super::function::{Function, Slot};
use super::instruction::{
    BinaryOp, CastOp, CompareOp, Instruction, MemoryOrder, Op, Operand, Section, Target,
    TerminatorKind, UnaryOp,
};
use super::mnemonic::{BINARY, COMPARE, MEMORY, ORDER, SYNC};
use super::module::{Atomicity, Endianness, Global, Initializer, Module, SignedOverflow};
use super::predicate::{Cube, CubeLiteral, Expression, Invariant, Predicate};
use super::source::{Location, SourceVariable};
use super::types::{BOOL, BitField, Field, StructType, Type};

/// The module of a seed.
#[must_use]
pub fn generate(seed: u64) -> Module {
    let mut generator = Generator { random: Random::new(seed), module: Module::default() };
    generator.tables();
    for _ in 0..generator.random.below(3) + 1 {
        generator.function();
    }
    generator.vocabulary();
    generator.module
}

/// Scalar types that occur.
const WIDTHS: [u16; 6] = [1, 8, 17, 32, 64, 128];

struct Generator {
    random: Random,
    module: Module,
}

impl Generator {
    fn pick<T: Clone>(&mut self, of: &[T]) -> T {
        let index = self.random.below(u32::try_from(of.len()).unwrap_or(u32::MAX));
        of[index as usize].clone()
    }

    fn name(&mut self, base: &str, index: usize) -> String {
        let decoration = self.pick(&["", "", "", "::x", "#2", " odd", "\"\\\n", "é", "."]);
        format!("{base}{index}{decoration}")
    }

    fn scalar(&mut self) -> Type {
        if self.random.chance(20) { Type::Pointer } else { Type::Int(self.pick(&WIDTHS)) }
    }

    fn location(&mut self) -> Location {
        Location {
            file: FileId(self.random.below(2)),
            line: self.random.below(100),
            column: self.random.below(80),
            function: NameId(self.random.below(2)),
            operation: self.random.chance(20).then(|| NameId(self.random.below(2))),
        }
    }

    fn constant(&mut self, bits: u16) -> Operand {
        let value = match self.random.below(4) {
            0 => 0,
            1 => u128::MAX,
            2 => u128::from(self.random.below(300)),
            _ => u128::from(self.random.next()) << 64 | u128::from(self.random.next()),
        };
        Operand::int(bits, value)
    }

    fn tables(&mut self) {
        self.module.memory = self.pick(MEMORY).0;
        self.module.room = self.random.chance(30).then_some(2);
        let module = &mut self.module;
        module.files = vec!["a.c".to_owned(), "dir/b \"c\".h".to_owned()];
        module.names = vec![String::new(), "f0".to_owned()];
        if self.random.chance(30) {
            module.target.pointer_bits = 32;
            module.target.char_signed = false;
            module.target.endianness = Endianness::Big;
            module.atomicity = Atomicity::Statement;
            module.signed_overflow = SignedOverflow::Absent;
        }
        for index in 0..self.random.below(3) as usize {
            let name = self.name("s", index);
            let mut fields = Vec::new();
            let mut size = 0;
            for field in 0..self.random.below(4) as usize {
                let ty = match self.random.below(6) {
                    0 if index > 0 => Type::Struct(StructId::new(index - 1)),
                    1 => Type::Array(Box::new(self.scalar()), 3),
                    _ => self.scalar(),
                };
                let end = size + ty.size(&self.module);
                let signed = self.random.chance(50);
                let name = if field == 0 { String::new() } else { self.name("m", field) };
                let mut bit_fields = Vec::new();
                if ty.size(&self.module) > 0 && self.random.chance(20) {
                    let name = self.name("b", field);
                    bit_fields.push(BitField { name, offset: 0, width: 1, signed: !signed });
                }
                fields.push(Field { name, ty, offset: size, signed, bit_fields });
                size = end;
            }
            self.module.structs.push(StructType { name, fields, size, align: 8 });
        }
        for index in 0..self.random.below(4) as usize + 1 {
            let name = self.name("g", index);
            let ty = match self.random.below(5) {
                0 if !self.module.structs.is_empty() => Type::Struct(StructId(0)),
                1 => Type::Array(Box::new(Type::Array(Box::new(self.scalar()), 2)), 2),
                _ => self.scalar(),
            };
            let global = Global {
                name,
                ty,
                initializer: Initializer::Zero,
                thread_local: self.random.chance(20),
                constant: self.random.chance(20),
                signed: self.random.chance(50),
                location: self.location(),
            };
            self.module.globals.push(global);
        }
        for index in 0..self.module.globals.len() {
            let ty = self.module.globals[index].ty.clone();
            self.module.globals[index].initializer = self.initializer(&ty);
        }
        if self.random.chance(50) {
            self.module.notes.push("extern `f`\nreturns \"any\" value".to_owned());
        }
    }

    fn initializer(&mut self, ty: &Type) -> Initializer {
        if self.random.chance(20) {
            return match self.random.below(4) {
                0 | 1 => Initializer::Zero,
                2 => Initializer::Nondet,
                _ => Initializer::Undefined,
            };
        }
        match ty {
            Type::Int(bits) => match self.constant(*bits) {
                Operand::Int { value, .. } => Initializer::Int(value),
                _ => Initializer::Zero,
            },
            Type::Pointer => {
                let count = u32::try_from(self.module.globals.len()).unwrap_or(1);
                let global = GlobalId(self.random.below(count));
                Initializer::Global(global, i64::from(self.random.below(9)) - 4)
            }
            Type::Array(element, count) => {
                let count = self.random.below(u32::try_from(*count).unwrap_or(0) + 1);
                Initializer::Aggregate((0..count).map(|_| self.initializer(element)).collect())
            }
            Type::Struct(id) => {
                let fields = self.module.structs[id.index()].fields.clone();
                let given = self.random.below(u32::try_from(fields.len()).unwrap_or(0) + 1);
                let fields = fields.iter().take(given as usize);
                Initializer::Aggregate(fields.map(|f| self.initializer(&f.ty)).collect())
            }
        }
    }

    fn function(&mut self) {
        let id = FunctionId::new(self.module.functions.len());
        let name = self.name("f", id.index());
        let parameters: Vec<Type> = (0..self.random.below(3)).map(|_| self.scalar()).collect();
        let result = self.random.chance(50).then(|| self.scalar());
        let location = self.location();
        let mut function = Function::declaration(name, parameters.clone(), result, location);
        if id.index() > 0 && self.random.chance(20) {
            self.module.functions.push(function);
            return;
        }
        for index in 0..self.random.below(3) as usize {
            let name = self.name("v", index);
            let (ty, signed) = (self.scalar(), self.random.chance(50));
            function.variables.push(SourceVariable { name, ty, signed });
        }
        for index in 0..self.random.below(3) as usize {
            let name = self.name("l", index);
            let (ty, signed) = (self.scalar(), self.random.chance(50));
            function.slots.push(Slot { name, ty, signed });
        }
        let count = self.random.below(5) as usize + 1;
        for block in 0..count {
            let block_id = function.add_block(self.location());
            let types = if block == 0 {
                parameters.clone()
            } else {
                (0..self.random.below(3)).map(|_| self.scalar()).collect()
            };
            for ty in types {
                let value = self.value(&mut function, ty);
                function.blocks[block_id.index()].parameters.push(value);
            }
        }
        // The callee is known by then; so is its own signature, for recursion.
        self.module.functions.push(function.clone());
        let entry: Vec<ValueId> = function.blocks[0].parameters.clone();
        for block in 0..count {
            // What dominates everywhere: the first block's own, and the block's.
            let mut scope: Vec<ValueId> = entry.clone();
            if block > 0 {
                scope.extend(&function.blocks[block].parameters);
            }
            for _ in 0..self.random.below(7) {
                self.instruction(&mut function, BlockId::new(block), &mut scope);
            }
            let kind = self.terminator(&function, count, &scope);
            let location = self.location();
            function.blocks[block].terminator.kind = kind;
            function.blocks[block].terminator.location = location;
        }
        if self.module.entry.is_none() {
            self.module.entry = Some(id);
        }
        self.module.functions[id.index()] = function;
    }

    /// A new value, perhaps a version of a variable of its type.
    fn value(&mut self, function: &mut Function, ty: Type) -> ValueId {
        let fitting = function.variables.iter().position(|v| v.ty == ty);
        let variable = fitting.filter(|_| self.random.chance(50)).map(VariableId::new);
        function.add_value(ty, variable)
    }

    fn operand(&mut self, function: &Function, scope: &[ValueId], ty: &Type) -> Operand {
        let fitting: Vec<ValueId> =
            scope.iter().copied().filter(|v| function.values[v.index()].ty == *ty).collect();
        if !fitting.is_empty() && self.random.chance(70) {
            return Operand::Value(self.pick(&fitting));
        }
        match ty {
            Type::Int(bits) => self.constant(*bits),
            _ => {
                let count = u32::try_from(self.module.globals.len()).unwrap_or(1);
                match self.random.below(5) {
                    0 => Operand::Null,
                    1 if !function.slots.is_empty() => Operand::Slot(SlotId(0)),
                    2 => Operand::Function(FunctionId(0)),
                    _ => Operand::Global(GlobalId(self.random.below(count))),
                }
            }
        }
    }

    fn order(&mut self) -> (MemoryOrder, bool) {
        let order = match self.random.below(3) {
            0 => MemoryOrder::Plain,
            _ => self.pick(ORDER).0,
        };
        (order, self.random.chance(30))
    }

    fn instruction(&mut self, function: &mut Function, block: BlockId, scope: &mut Vec<ValueId>) {
        let address_type = Type::Int(self.module.target.pointer_bits);
        let ty = self.scalar();
        let bits = self.pick(&WIDTHS);
        let integer = Type::Int(bits);
        let kind = self.random.below(27);
        let get = |generator: &mut Self, ty: &Type| generator.operand(function, scope, ty);
        let (op, result): (Op, Option<Type>) = match kind {
            0 => {
                let op = self.pick(BINARY).0;
                let may = matches!(op, BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul);
                let no_signed_wrap = may && self.random.chance(50);
                let (a, b) = (get(self, &integer), get(self, &integer));
                (Op::Binary { op, a, b, no_signed_wrap }, Some(integer))
            }
            1 => {
                let op = self.pick(&[UnaryOp::Not, UnaryOp::Neg]);
                (Op::Unary { op, a: get(self, &integer) }, Some(integer))
            }
            2 => {
                let op: CompareOp = self.pick(COMPARE).0;
                (Op::Compare { op, a: get(self, &ty), b: get(self, &ty) }, Some(BOOL))
            }
            3 if bits < 128 => {
                let op = self.pick(&[CastOp::ZeroExtend, CastOp::SignExtend]);
                (Op::Cast { op, a: get(self, &integer) }, Some(Type::Int(bits + 1)))
            }
            4 if bits > 1 => {
                let a = get(self, &integer);
                (Op::Cast { op: CastOp::Truncate, a }, Some(Type::Int(bits - 1)))
            }
            5 => {
                let a = get(self, &Type::Pointer);
                (Op::Cast { op: CastOp::PointerToInt, a }, Some(address_type))
            }
            6 => {
                let a = get(self, &address_type);
                (Op::Cast { op: CastOp::IntToPointer, a }, Some(Type::Pointer))
            }
            7 => {
                let condition = get(self, &BOOL);
                (Op::Select { condition, a: get(self, &ty), b: get(self, &ty) }, Some(ty))
            }
            8 => (Op::Copy { a: get(self, &ty) }, Some(ty)),
            9 if self.module.structs.first().is_some_and(|s| !s.fields.is_empty()) => {
                let base = get(self, &Type::Pointer);
                let count = u32::try_from(self.module.structs[0].fields.len()).unwrap_or(1);
                let field = FieldIndex(self.random.below(count));
                (Op::FieldAddress { base, structure: StructId(0), field }, Some(Type::Pointer))
            }
            10 => {
                let (base, index) = (get(self, &Type::Pointer), get(self, &address_type));
                (Op::IndexAddress { base, element: ty, index }, Some(Type::Pointer))
            }
            11 | 12 => {
                let ((order, volatile), address) = (self.order(), get(self, &Type::Pointer));
                (Op::Load { address, order, volatile }, Some(ty))
            }
            13 | 14 => {
                let ((order, volatile), address) = (self.order(), get(self, &Type::Pointer));
                (Op::Store { address, value: get(self, &ty), ty, order, volatile }, None)
            }
            15 => {
                let (destination, source) = (get(self, &Type::Pointer), get(self, &Type::Pointer));
                (Op::CopyMemory { destination, source, ty }, None)
            }
            16 => (Op::HavocMemory { address: get(self, &Type::Pointer), ty }, None),
            17 => {
                let size = get(self, &address_type);
                let zeroed = self.random.chance(50);
                let ty = self.random.chance(50).then_some(ty);
                (Op::Allocate { size, zeroed, ty }, Some(Type::Pointer))
            }
            18 if self.random.chance(50) => {
                let ended = self.random.chance(50);
                (Op::Accessible { address: get(self, &Type::Pointer), ty, ended }, Some(BOOL))
            }
            18 => (Op::Free { address: get(self, &Type::Pointer) }, None),
            19 => (Op::Fence { order: self.order().0 }, None),
            20 | 21 => {
                let count = u32::try_from(self.module.functions.len()).unwrap_or(1);
                let callee = FunctionId(self.random.below(count));
                let callee_data = self.module.function(callee);
                let (parameters, result) =
                    (callee_data.parameters.clone(), callee_data.result.clone());
                let arguments = parameters.iter().map(|ty| get(self, ty)).collect();
                if kind == 20 {
                    let result = result.filter(|_| self.random.chance(50));
                    (Op::Call { callee: Operand::Function(callee), arguments }, result)
                } else {
                    let result = self.random.chance(50).then_some(address_type);
                    (Op::Spawn { function: Operand::Function(callee), arguments }, result)
                }
            }
            22 => {
                let handle = get(self, &address_type);
                let result = self.random.chance(50).then(|| self.scalar());
                (Op::Join { handle }, result)
            }
            23 => (Op::ThreadSelf, Some(address_type)),
            24 => {
                use super::instruction::SyncOp;
                let op = self.pick(SYNC).0;
                let count = if op == SyncOp::ConditionWait { 2 } else { 1 };
                let arguments = (0..count).map(|_| get(self, &Type::Pointer)).collect();
                (Op::Sync { op, arguments }, (op == SyncOp::MutexTryLock).then_some(BOOL))
            }
            25 => (Op::Assume { condition: get(self, &BOOL) }, None),
            26 => {
                let condition = get(self, &BOOL);
                (Op::Assert { condition, property: "x \"is\"\t\\ 1\n".to_owned() }, None)
            }
            _ => {
                let unmodelled = self.random.chance(30).then(|| "a \"name\"".to_owned());
                (Op::Nondet { unmodelled }, Some(ty))
            }
        };
        let result = result.map(|ty| self.value(function, ty));
        let location = self.location();
        let section = self.random.chance(10).then(|| match self.random.chance(50) {
            true => Section::Locked,
            false => Section::Step,
        });
        let instructions = &mut function.blocks[block.index()].instructions;
        let mut push = |op, result| instructions.push(Instruction { op, result, location });
        if let Some(section) = section {
            push(Op::AtomicBegin(section), None);
        }
        push(op, result);
        if section.is_some() {
            push(Op::AtomicEnd, None);
        }
        scope.extend(result);
    }

    fn terminator(
        &mut self,
        function: &Function,
        count: usize,
        scope: &[ValueId],
    ) -> TerminatorKind {
        let target = |generator: &mut Self| {
            let last = u32::try_from(count - 1).unwrap_or(1);
            let block = BlockId(1 + generator.random.below(last));
            let parameters = function.block(block).parameters.clone();
            let arguments = parameters
                .iter()
                .map(|p| generator.operand(function, scope, &function.values[p.index()].ty))
                .collect();
            Target { block, arguments }
        };
        match self.random.below(8) {
            0 | 1 if count > 1 => TerminatorKind::Jump(target(self)),
            2 | 3 if count > 1 => {
                let condition = self.operand(function, scope, &BOOL);
                TerminatorKind::Branch { condition, then: target(self), otherwise: target(self) }
            }
            4 if count > 1 => {
                let value = self.operand(function, scope, &Type::Int(32));
                let cases = (0..self.random.below(3)).map(|n| (u128::from(n), target(self)));
                let cases = cases.collect();
                TerminatorKind::Switch { value, cases, default: target(self) }
            }
            5 => TerminatorKind::EndThread(
                self.random.chance(50).then(|| self.operand(function, scope, &Type::Int(32))),
            ),
            6 => TerminatorKind::Halt,
            7 => TerminatorKind::Unreachable,
            _ => TerminatorKind::Return(
                function.result.clone().map(|ty| self.operand(function, scope, &ty)),
            ),
        }
    }

    fn vocabulary(&mut self) {
        let count = self.random.below(4);
        for index in 0..count {
            let function = FunctionId(0);
            let mut expression = self.expression(function, &BOOL, 4);
            if self.random.chance(30) {
                expression = Expression::Unary { op: UnaryOp::Not, a: Box::new(expression) };
            }
            self.module.predicates.push(Predicate { expression, text: format!("p \"{index}\"") });
        }
        for _ in 0..self.random.below(3) {
            let mut literals = Vec::new();
            for predicate in 0..count {
                if self.random.chance(50) {
                    literals.push(CubeLiteral { predicate, negated: self.random.chance(50) });
                }
            }
            self.module.cubes.push(Cube { literals });
        }
        let function = FunctionId(0);
        for _ in 0..self.random.below(3) {
            let blocks = self.module.function(function).blocks.len() as u32;
            let block = BlockId(self.random.below(blocks));
            let length = self.module.function(function).block(block).instructions.len() as u32;
            let index = self.random.below(length + 1);
            let expression = self.expression(function, &BOOL, 4);
            let by = "random".to_owned();
            self.module.invariants.push(Invariant { function, block, index, expression, by });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::goto::{binary, parse, print, verify};

    #[test]
    fn generated_modules_are_sound_and_round_trip() {
        for seed in 0..1500 {
            let module = generate(seed);
            let text = print(&module);
            assert_eq!(verify(&module), Ok(()), "{seed}:\n{text}");
            assert_eq!(parse(&text, "text").as_ref(), Ok(&module), "{seed}:\n{text}");
            let bytes = binary::encode(&module);
            assert_eq!(binary::decode(&bytes).as_ref(), Ok(&module), "{seed}:\n{text}");
        }
    }

    #[test]
    fn every_operation_occurs() {
        let text: String = (0..400).map(|seed| print(&generate(seed))).collect();
        let tables = [
            BINARY.iter().map(|e| e.1).collect::<Vec<_>>(),
            COMPARE.iter().map(|e| e.1).collect(),
            SYNC.iter().map(|e| e.1).collect(),
        ];
        let more = [
            "select",
            "copy ",
            "field",
            "index",
            "load",
            "store",
            "copy_memory",
            "havoc",
            "allocate",
            "free",
            "fence",
            "call",
            "spawn",
            "join",
            "thread_self",
            "atomic_begin",
            "atomic_begin.locked",
            "memory",
            "assume",
            "assert",
            "zext",
            "trunc",
            "ptrtoint",
            "inttoptr",
            "switch",
            "branch",
            "end_thread",
            "halt",
            "unreachable",
            "thread_local",
            "declare",
            "cube",
        ];
        for word in tables.iter().flatten().chain(&more) {
            assert!(text.contains(word), "no {word}");
        }
    }

    /// Cut off or with a changed bit, the binary form is refused, not misread.
    #[test]
    fn damage_is_noticed() {
        let bytes = binary::encode(&generate(7));
        for length in 0..bytes.len() {
            assert!(binary::decode(&bytes[..length]).is_err(), "{length}");
        }
        for position in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[position] ^= 1 << (position % 8);
            assert!(binary::decode(&damaged).is_err(), "{position}");
        }
    }
}
