//! Operations of the IR as terms, and pure SSA values as expressions over leaves.

use rustc_hash::FxHashMap;
use sapa_ir::goto::{
    BinaryOp, CastOp, CompareOp, Function, FunctionId, Module, Op, Operand, Type, UnaryOp, ValueId,
    address,
};

use super::leaf::{Instance, Leaf, Symbols};
use super::memory::{Memory, Origin};
use crate::solver::TermId;

/// `a op b`; operands of one bit are Booleans and so is their result.
pub fn binary(symbols: &mut Symbols, op: BinaryOp, a: TermId, b: TermId) -> TermId {
    if symbols.store.is_bool(a) {
        match op {
            BinaryOp::And | BinaryOp::Mul => return symbols.store.and(a, b),
            BinaryOp::Or => return symbols.store.or(a, b),
            BinaryOp::Xor | BinaryOp::Add | BinaryOp::Sub => return symbols.store.xor(a, b),
            _ => {
                let (a, b) = (symbols.to_bits(a), symbols.to_bits(b));
                let result = binary(symbols, op, a, b);
                return symbols.to_bool(result);
            }
        }
    }
    let store = &mut symbols.store;
    match op {
        BinaryOp::Add => store.add(a, b),
        BinaryOp::Sub => store.sub(a, b),
        BinaryOp::Mul => store.mul(a, b),
        BinaryOp::UnsignedDiv => store.udiv(a, b),
        BinaryOp::SignedDiv => store.sdiv(a, b),
        BinaryOp::UnsignedRem => store.urem(a, b),
        BinaryOp::SignedRem => store.srem(a, b),
        BinaryOp::ShiftLeft => store.shl(a, b),
        BinaryOp::LogicalShiftRight => store.lshr(a, b),
        BinaryOp::ArithmeticShiftRight => store.ashr(a, b),
        BinaryOp::And => store.bvand(a, b),
        BinaryOp::Or => store.bvor(a, b),
        BinaryOp::Xor => store.bvxor(a, b),
    }
}

/// That a run gets past `a op b`: a sum, difference or product does not overflow as a signed
/// operation, a divisor is not zero and the quotient fits, and a shift is by less than the width.
/// Where the bounds of the operands show that, it is `true`.
pub fn is_defined(symbols: &mut Symbols, op: BinaryOp, a: TermId, b: TermId) -> TermId {
    let (a, b) = (symbols.to_bits(a), symbols.to_bits(b));
    let store = &mut symbols.store;
    let width = store.width(a);
    let (least, greatest) = store.bounds(b);
    let is_always = match op {
        BinaryOp::UnsignedDiv | BinaryOp::UnsignedRem => least > 0,
        // A divisor below all ones is not -1.
        BinaryOp::SignedDiv | BinaryOp::SignedRem => {
            least > 0 && greatest < u128::MAX >> (128 - width)
        }
        BinaryOp::ShiftLeft | BinaryOp::LogicalShiftRight | BinaryOp::ArithmeticShiftRight => {
            greatest < u128::from(width)
        }
        _ => false,
    };
    if is_always {
        return store.true_();
    }
    let undefined = match op {
        BinaryOp::Add => store.saddo(a, b),
        BinaryOp::Sub => store.ssubo(a, b),
        BinaryOp::Mul => store.smulo(a, b),
        BinaryOp::UnsignedDiv | BinaryOp::UnsignedRem => {
            let zero = store.constant(width, 0);
            store.eq(b, zero)
        }
        BinaryOp::SignedDiv | BinaryOp::SignedRem => {
            let zero = store.constant(width, 0);
            let (ones, least) =
                (store.constant(width, u128::MAX), store.constant(width, 1 << (width - 1)));
            let (by_zero, by_minus_one) = (store.eq(b, zero), store.eq(b, ones));
            let is_least = store.eq(a, least);
            let does_not_fit = store.and(is_least, by_minus_one);
            store.or(by_zero, does_not_fit)
        }
        BinaryOp::ShiftLeft | BinaryOp::LogicalShiftRight | BinaryOp::ArithmeticShiftRight => {
            let all = store.constant(width, u128::from(width));
            let fits = store.ult(b, all);
            store.not(fits)
        }
        BinaryOp::And | BinaryOp::Or | BinaryOp::Xor => store.false_(),
    };
    store.not(undefined)
}

/// `op a`.
pub fn unary(symbols: &mut Symbols, op: UnaryOp, a: TermId) -> TermId {
    match (op, symbols.store.is_bool(a)) {
        (UnaryOp::Not, true) => symbols.store.not(a),
        (UnaryOp::Not, false) => symbols.store.bvnot(a),
        // Modulo 2, -a is a.
        (UnaryOp::Neg, true) => a,
        (UnaryOp::Neg, false) => symbols.store.neg(a),
    }
}

/// `a op b` as a Boolean.
pub fn compare(symbols: &mut Symbols, op: CompareOp, a: TermId, b: TermId) -> TermId {
    if symbols.store.is_bool(a) {
        match op {
            CompareOp::Eq => return symbols.store.iff(a, b),
            CompareOp::Ne => return symbols.store.xor(a, b),
            _ => {
                let (a, b) = (symbols.to_bits(a), symbols.to_bits(b));
                return compare(symbols, op, a, b);
            }
        }
    }
    let store = &mut symbols.store;
    match op {
        CompareOp::Eq => store.eq(a, b),
        CompareOp::Ne => {
            let equal = store.eq(a, b);
            store.not(equal)
        }
        CompareOp::UnsignedLt => store.ult(a, b),
        CompareOp::UnsignedLe => store.ule(a, b),
        CompareOp::SignedLt => store.slt(a, b),
        CompareOp::SignedLe => store.sle(a, b),
    }
}

/// `a` converted to `bits`.
pub fn cast(symbols: &mut Symbols, op: CastOp, a: TermId, bits: u16) -> TermId {
    let a = symbols.to_bits(a);
    let result = match op {
        CastOp::ZeroExtend => symbols.store.zext(a, u32::from(bits)),
        CastOp::SignExtend => symbols.store.sext(a, u32::from(bits)),
        CastOp::Truncate => symbols.store.extract(a, u32::from(bits) - 1, 0),
        CastOp::PointerToInt | CastOp::IntToPointer => a,
    };
    symbols.coerce(result, bits)
}

/// A constant of `bits`.
pub fn constant(symbols: &mut Symbols, bits: u16, value: u128) -> TermId {
    if bits == 1 {
        symbols.store.boolean(value & 1 == 1)
    } else {
        symbols.store.constant(u32::from(bits), value)
    }
}

/// `base + index * size`.
pub fn index_address(symbols: &mut Symbols, base: TermId, index: TermId, size: u64) -> TermId {
    let width = symbols.store.width(base);
    let size = symbols.store.constant(width, u128::from(size));
    let distance = symbols.store.mul(index, size);
    symbols.store.add(base, distance)
}

/// The pure values of a function as terms over its leaves.
///
/// A pure value, which what is read from a constant is too, is replaced by its definition. That is sound at every point
/// that the definition dominates: operands that were executed again since would
/// have executed the definition again too.
#[derive(Debug)]
pub struct Values<'m> {
    module: &'m Module,
    memory: &'m Memory,
    root: FunctionId,
    function: &'m Function,
    /// Indexed by value; `None` for values that are leaves or are in unreachable blocks.
    pure: Vec<Option<TermId>>,
    /// For pure values whose operation may cut a run off: that it does not.
    defined: FxHashMap<ValueId, TermId>,
    /// The pointers that are one known address.
    fixed: FxHashMap<ValueId, u64>,
}

impl<'m> Values<'m> {
    /// Computes the terms of all pure values of `root`.
    #[must_use]
    pub fn new(
        symbols: &mut Symbols,
        module: &'m Module,
        memory: &'m Memory,
        root: FunctionId,
    ) -> Self {
        let function = module.function(root);
        let mut values = Self {
            module,
            memory,
            root,
            function,
            pure: vec![None; function.values.len()],
            defined: FxHashMap::default(),
            fixed: FxHashMap::default(),
        };
        for block in sapa_ir::goto::cfg::Cfg::new(function).reverse_postorder() {
            for instruction in &function.block(*block).instructions {
                let Some(result) = instruction.result else { continue };
                if let Some(term) = values.constant(symbols, &instruction.op, result) {
                    values.pure[result.index()] = Some(term);
                } else if instruction.op.is_pure() {
                    let term = values.pure_term(symbols, &instruction.op, result);
                    values.pure[result.index()] = Some(term);
                    if function.values[result.index()].ty == Type::Pointer
                        && let Some(address) = symbols.store.as_constant(term)
                        && let Ok(address) = u64::try_from(address)
                    {
                        values.fixed.insert(result, address);
                    }
                }
            }
        }
        values
    }

    /// What is read from an object that nobody writes is what is there, not what was there when it was read.
    fn constant(&self, symbols: &mut Symbols, op: &Op, result: ValueId) -> Option<TermId> {
        let Op::Load { address: Operand::Global(global), .. } = op else { return None };
        let object = self.memory.object_at(Origin::Global(*global))?;
        let cell = self.memory.object_cells(object).next()?;
        let (bits, known) = (self.bits(result), self.memory.cell(cell));
        let is_whole = known.offset == 0 && known.bits == bits;
        if !self.memory.object(object).constant || !self.memory.is_shared(cell) || !is_whole {
            return None;
        }
        Some(match known.initial {
            Some(value) => constant(symbols, bits, value),
            None => symbols.variable(Leaf::Cell(cell), Instance::Active, bits),
        })
    }

    fn pure_term(&mut self, symbols: &mut Symbols, op: &Op, result: ValueId) -> TermId {
        let bits = self.bits(result);
        match op {
            Op::Binary { op: operation, a, b, .. } => {
                let (a, b) = (self.operand(symbols, *a), self.operand(symbols, *b));
                if op.may_be_undefined(self.module.signed_overflow) {
                    let condition = is_defined(symbols, *operation, a, b);
                    if symbols.store.as_boolean(condition) != Some(true) {
                        self.defined.insert(result, condition);
                    }
                }
                binary(symbols, *operation, a, b)
            }
            Op::Unary { op, a } => {
                let a = self.operand(symbols, *a);
                unary(symbols, *op, a)
            }
            Op::Compare { op, a, b } => {
                let (a, b) = (self.operand(symbols, *a), self.operand(symbols, *b));
                compare(symbols, *op, a, b)
            }
            Op::Cast { op, a } => {
                let a = self.operand(symbols, *a);
                cast(symbols, *op, a, bits)
            }
            Op::Select { condition, a, b } => {
                let condition = self.operand(symbols, *condition);
                let (a, b) = (self.operand(symbols, *a), self.operand(symbols, *b));
                symbols.store.ite(condition, a, b)
            }
            Op::Copy { a } => self.operand(symbols, *a),
            Op::FieldAddress { base, structure, field } => {
                let base = self.operand(symbols, *base);
                let offset = field_offset(self.module, *structure, *field);
                let offset = symbols.store.constant(symbols.store.width(base), u128::from(offset));
                symbols.store.add(base, offset)
            }
            Op::IndexAddress { base, element, index } => {
                let (base, index) = (self.operand(symbols, *base), self.operand(symbols, *index));
                index_address(symbols, base, index, element.size(self.module))
            }
            // `is_pure` admits no other operation.
            _ => symbols.variable(Leaf::Value(self.root, result), Instance::Active, bits),
        }
    }

    /// The memory in which its pointers point.
    #[must_use]
    pub fn memory(&self) -> &'m Memory {
        self.memory
    }

    /// Width of a value.
    #[must_use]
    pub fn bits(&self, value: ValueId) -> u16 {
        self.function.values[value.index()].ty.bits(self.module).unwrap_or(1)
    }

    /// The term of a value.
    pub fn value(&self, symbols: &mut Symbols, value: ValueId) -> TermId {
        match self.pure.get(value.index()).copied().flatten() {
            Some(term) => term,
            None => {
                symbols.variable(Leaf::Value(self.root, value), Instance::Active, self.bits(value))
            }
        }
    }

    /// Whether a value is a term over leaves of others.
    #[must_use]
    pub fn is_pure(&self, value: ValueId) -> bool {
        self.pure.get(value.index()).is_some_and(Option::is_some)
    }

    /// That a run gets past the operation that defines a value, where it may be cut off there.
    #[must_use]
    pub fn defined(&self, value: ValueId) -> Option<TermId> {
        self.defined.get(&value).copied()
    }

    /// The address that a pointer is, if it is always the same.
    #[must_use]
    pub fn fixed(&self, value: ValueId) -> Option<u64> {
        self.fixed.get(&value).copied()
    }

    /// The term of an operand.
    pub fn operand(&self, symbols: &mut Symbols, operand: Operand) -> TermId {
        let pointer = u32::from(self.module.target.pointer_bits);
        match operand {
            Operand::Value(value) => self.value(symbols, value),
            Operand::Int { bits, value } => constant(symbols, bits, value),
            Operand::Null => symbols.store.constant(pointer, 0),
            Operand::Global(global) => self.address(symbols, Origin::Global(global)),
            Operand::Slot(slot) => self.address(symbols, Origin::Slot(self.root, slot)),
            Operand::Function(function) => symbols
                .store
                .constant(pointer, u128::from(address::function(self.module, function))),
        }
    }

    fn address(&self, symbols: &mut Symbols, origin: Origin) -> TermId {
        let address = self.memory.address_of(origin).unwrap_or(0);
        symbols.store.constant(u32::from(self.module.target.pointer_bits), u128::from(address))
    }
}

/// Offset of a field in bytes; 0 for a field that does not exist.
#[must_use]
pub fn field_offset(
    module: &Module,
    structure: sapa_ir::goto::StructId,
    field: sapa_ir::goto::FieldIndex,
) -> u64 {
    module
        .structs
        .get(structure.index())
        .and_then(|s| s.fields.get(field.index()))
        .map_or(0, |f| f.offset)
}

/// Width of a scalar type; 1 for an aggregate, which no value has.
#[must_use]
pub fn scalar_bits(module: &Module, ty: &Type) -> u16 {
    ty.bits(module).unwrap_or(1)
}
