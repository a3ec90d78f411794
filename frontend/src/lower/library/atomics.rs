//! GCC's `__sync_*` and `__atomic_*` and C11's `atomic_*`: a load or a store of a scalar is an access,
//! that of a structure a section of accesses, and each other operation a locked section.
//!
//! The accesses carry the memory order that the program asks for. In a comparison with exchange the
//! load has the order of a failure, which does no more than to load; the store has that of a success.

use sapa_ir::goto::{BinaryOp, CompareOp, MemoryOrder, Op, Operand, Section, Type, UnaryOp};

use crate::lower::body::{Body, Place, Value};
use crate::lower::layout::alignment_of;
use crate::lower::program::Lowered;
use crate::lower::types::{CType, Kind};
use crate::position::Position;

/// The order of a fence of CBMC's, which says by kinds which accesses it keeps in order: reads (R)
/// and writes (W) before it and such behind it. What is not listed is taken for nothing, which no
/// program can rely on.
pub(crate) fn cprover_fence(has: impl Fn(&str) -> bool) -> MemoryOrder {
    match (has("WRfence"), has("WWfence")) {
        (true, _) => MemoryOrder::SequentiallyConsistent,
        (false, true) => MemoryOrder::Release,
        (false, false) => MemoryOrder::Acquire,
    }
}

/// The numbers of memory orders but the weakest, 0.
const STRONGER_ORDERS: &[u128] = &[1, 2, 3, 4, 5];

/// Which of so many arguments of an atomic function are memory orders.
fn orders_among(name: &str, count: usize) -> std::ops::Range<usize> {
    let base = of_size(name).map(|(base, _)| base);
    let name = base.as_deref().unwrap_or(name);
    let first = match name {
        "__atomic_thread_fence" | "atomic_thread_fence" => 0,
        _ if name.starts_with("__sync") => count,
        _ => match AtomicKind::of(name) {
            Some(kind @ AtomicKind::CompareExchange { .. }) if name.starts_with("__atomic") => {
                kind.operands() + 2
            }
            Some(kind) => kind.operands() + 1,
            None => count,
        },
    };
    first.min(count)..count
}

impl Body<'_, '_> {
    /// Whether objects of some size are accessed without locks: those that one instruction reads.
    fn lock_free(&mut self, name: &str, arguments: &[Value], position: Position) -> Lowered<Value> {
        let pointee = |value: &Value| match value {
            Value::Scalar(operand, ty) if *operand != Operand::Null => ty.pointee().cloned(),
            _ => None,
        };
        let (size, object) = match arguments {
            [object] => (pointee(object).and_then(|ty| self.unit.size_of(&ty)), pointee(object)),
            [size, object] => {
                let size = self.constant_operand(Some(size));
                (size.and_then(|size| u64::try_from(size).ok()), pointee(object))
            }
            _ => (None, None),
        };
        let align = match &object {
            Some(ty) => alignment_of(&self.unit.module, ty),
            None => size,
        };
        let (Some(size), Some(align)) = (size, align) else {
            return self.error(position, format!("'{name}' needs a constant size"));
        };
        let is_free = [1, 2, 4, 8].contains(&size);
        if is_free && align < size || !is_free && name != "__atomic_always_lock_free" {
            return self.error(
                position,
                format!("'{name}' of an object of {size} bytes that is aligned to {align}"),
            );
        }
        Ok(Value::Scalar(Operand::int(8, u128::from(is_free)), Kind::Bool.into()))
    }

    fn fence(&mut self, order: MemoryOrder) -> Value {
        self.effect(Op::Fence { order });
        Value::Void
    }

    pub(super) fn atomic_function(
        &mut self,
        name: &str,
        arguments: &[Value],
        position: Position,
    ) -> Lowered<Option<Value>> {
        let orders = orders_among(name, arguments.len());
        let is_known = |at: &usize| self.constant_operand(arguments.get(*at)).is_some();
        if let Some(at) = orders.into_iter().find(|at| !is_known(at)) {
            return self.for_each_order(name, arguments, at, position);
        }
        match name {
            "__sync_synchronize" | "__builtin_ia32_mfence" | "_mm_mfence" => {
                return Ok(Some(self.fence(MemoryOrder::SequentiallyConsistent)));
            }
            "__builtin_ia32_sfence" | "_mm_sfence" => {
                return Ok(Some(self.fence(MemoryOrder::Release)));
            }
            "__builtin_ia32_lfence" | "_mm_lfence" => {
                return Ok(Some(self.fence(MemoryOrder::Acquire)));
            }
            "__CPROVER_fence" => {
                let texts = arguments.iter().map(|argument| match argument {
                    Value::Scalar(operand, _) => self.unit.text_of(*operand),
                    _ => None,
                });
                let Some(kinds) = texts.collect::<Option<Vec<String>>>() else {
                    return self.error(position, "'__CPROVER_fence' needs texts, as \"WWfence\"");
                };
                let order = cprover_fence(|kind| kinds.iter().any(|given| given == kind));
                return Ok(Some(self.fence(order)));
            }
            "__atomic_thread_fence" | "atomic_thread_fence" => {
                let order = self.order_given(arguments.first());
                return Ok(Some(self.fence(order)));
            }
            // Only the compiler is told.
            "__atomic_signal_fence" | "atomic_signal_fence" => return Ok(Some(Value::Void)),
            "__atomic_is_lock_free" | "__atomic_always_lock_free" | "atomic_is_lock_free" => {
                return self.lock_free(name, arguments, position).map(Some);
            }
            _ => {}
        }
        let Some((object, rest)) = arguments.split_first() else { return Ok(None) };
        // Those of one size, `__atomic_load_4`: on integers of that size.
        if let Some((base, bytes)) = of_size(name) {
            let unsigned = self.unit.integers().of_width(bytes * 8, false);
            let object = match object {
                Value::Scalar(_, ty)
                    if ty.pointee().and_then(|of| self.unit.size_of(of)) == Some(bytes.into())
                        && ty.pointee().is_some_and(|of| of.is_scalar()) =>
                {
                    object.clone()
                }
                _ => self.convert(object.clone(), &unsigned.pointer(), position)?,
            };
            let mut all = vec![object];
            all.extend_from_slice(rest);
            return self.atomic_function(&base, &all, position);
        }
        let Some(kind) = AtomicKind::of(name) else { return Ok(None) };
        let (address, ty) = self.scalar(object.clone(), position)?;
        let Some(mut ty) = ty.pointee().cloned() else {
            return self.error(position, "an atomic operation needs a pointer");
        };
        if ty.kind == Kind::Void {
            return self.error(position, "an atomic operation needs a pointer to an object");
        }
        // The section makes it one step; the object itself may be a plain one.
        ty.atomic = false;
        let place = Place::new(address, ty);
        let count = kind.operands();
        let (Some(values), orders) = (rest.get(..count), rest.get(count..).unwrap_or(&[])) else {
            return self.error(position, format!("too few arguments to '{name}'"));
        };
        let (spurious, orders) = match kind {
            // GCC's has the weakness between operands and orders.
            AtomicKind::CompareExchange { .. } if name.starts_with("__atomic") => {
                let weak = self.constant_operand(orders.first()).is_none_or(|weak| weak != 0);
                (weak, orders.get(1..).unwrap_or(&[]))
            }
            _ => (name.contains("_weak"), orders),
        };
        let orders = if name.starts_with("__sync") { &[] } else { orders };
        let order = match name {
            "__sync_lock_release" => MemoryOrder::Release,
            "__sync_lock_test_and_set" => MemoryOrder::Acquire,
            _ => self.order_given(orders.first()),
        };
        let failure = Failure { spurious, order: self.order_given(orders.get(1)) };
        let values = values.to_vec();
        let before = self.order.replace(order);
        let result = self.atomic_operation(kind, &place, values, failure, position);
        self.order = before;
        result.map(Some)
    }

    /// An operation of which an argument is a memory order that is not known here, as that of a function around it: a
    /// branch for each order.
    fn for_each_order(
        &mut self,
        name: &str,
        arguments: &[Value],
        at: usize,
        position: Position,
    ) -> Lowered<Option<Value>> {
        let mut arguments = arguments.to_vec();
        let Some(argument) = arguments.get(at).cloned() else { return Ok(None) };
        let (given, ty) = self.scalar(argument, position)?;
        let Type::Int(bits) = self.function.operand_type(given) else {
            return self.error(position, "a memory order is an integer");
        };
        let after = self.new_block();
        let mut result = None;
        for order in [STRONGER_ORDERS, &[0]].concat() {
            let mut next = after;
            // What is none of the others is the weakest.
            if order != 0 {
                let this = self.new_block();
                next = self.new_block();
                let is_it = self.compare(CompareOp::Eq, given, Operand::int(bits, order));
                self.branch(is_it, this, next);
                self.switch_to(this);
            }
            arguments[at] = Value::Scalar(Operand::int(bits, order), ty.clone());
            let Some(value) = self.atomic_function(name, &arguments, position)? else {
                return Ok(None);
            };
            if !matches!(value, Value::Void) {
                let of = match &value {
                    Value::Scalar(_, ty) => ty.clone(),
                    Value::Record(place) => place.ty.clone(),
                    Value::Void => Kind::Void.into(),
                };
                if result.is_none() {
                    result = Some(self.temporary(&of, position)?);
                }
                if let Some(place) = &result {
                    self.store_plainly(place, value, position)?;
                }
            }
            self.jump(after);
            self.switch_to(next);
        }
        match result {
            Some(place) => self.load_whole(&place, position).map(Some),
            None => Ok(Some(Value::Void)),
        }
    }

    /// The order that an argument says; the strongest if there is none.
    fn order_given(&self, argument: Option<&Value>) -> MemoryOrder {
        if argument.is_none() {
            return MemoryOrder::SequentiallyConsistent;
        }
        match self.constant_operand(argument) {
            Some(1 | 2) => MemoryOrder::Acquire,
            Some(3) => MemoryOrder::Release,
            Some(4) => MemoryOrder::AcquireRelease,
            Some(5) => MemoryOrder::SequentiallyConsistent,
            _ => MemoryOrder::Relaxed,
        }
    }

    /// An operation: what it reads and writes besides the atomic object is
    /// accessed in steps of their own, before and after.
    fn atomic_operation(
        &mut self,
        kind: AtomicKind,
        place: &Place,
        values: Vec<Value>,
        failure: Failure,
        position: Position,
    ) -> Lowered<Value> {
        let ty = place.ty.clone();
        let section = |body: &mut Self, kind: AtomicKind, values| {
            let steps = |body: &mut Self| body.atomic_steps(kind, place, values, position);
            match kind.section(&place.ty) {
                Some(section) => body.atomically(section, steps),
                None => steps(body),
            }
        };
        match (kind, values.as_slice()) {
            (AtomicKind::LoadTo, [target]) => {
                let address = self.address(target, position)?;
                let value = section(self, AtomicKind::Load, Vec::new())?;
                self.store_plainly(&Place::new(address, ty), value, position)?;
                Ok(Value::Void)
            }
            (AtomicKind::StoreFrom, [source]) => {
                let value = self.load_plainly(source.clone(), &ty, position)?;
                section(self, AtomicKind::Store, vec![value])
            }
            (AtomicKind::ExchangeTo, [source, target]) => {
                let target = self.address(target, position)?;
                let value = self.load_plainly(source.clone(), &ty, position)?;
                let old = section(self, AtomicKind::Exchange, vec![value])?;
                self.store_plainly(&Place::new(target, ty), old, position)?;
                Ok(Value::Void)
            }
            (AtomicKind::CompareExchange { by_value }, [expected, desired]) => {
                let address = self.address(expected, position)?;
                let desired = if by_value {
                    self.convert(desired.clone(), &ty, position)?
                } else {
                    self.load_plainly(desired.clone(), &ty, position)?
                };
                let expected = self.load_plainly(expected.clone(), &ty, position)?;
                let (old, same) = self.atomically(Section::Locked, |body| {
                    body.swap_if_equal(place, expected, desired, failure, position)
                })?;
                // After a success the expected value is not written.
                let (failed, after) = (self.new_block(), self.new_block());
                self.branch(same, after, failed);
                self.switch_to(failed);
                self.store_plainly(&Place::new(address, ty), old, position)?;
                self.jump(after);
                self.switch_to(after);
                Ok(self.truth_value(same))
            }
            _ => section(self, kind, values),
        }
    }

    fn atomic_steps(
        &mut self,
        kind: AtomicKind,
        place: &Place,
        values: Vec<Value>,
        position: Position,
    ) -> Lowered<Value> {
        let mut values = values.into_iter();
        let ty = place.ty.clone();
        let mut next = |body: &mut Self| match values.next() {
            Some(value) => Ok(value),
            None => body.error(position, "too few arguments"),
        };
        match kind {
            AtomicKind::Load => self.load_whole(place, position),
            AtomicKind::Store => {
                let value = next(self)?;
                let value = self.convert(value, &ty, position)?;
                self.store(place, value, position)?;
                Ok(Value::Void)
            }
            AtomicKind::Exchange => {
                let value = next(self)?;
                let value = self.convert(value, &ty, position)?;
                let old = self.load_whole(place, position)?;
                self.store(place, value, position)?;
                Ok(old)
            }
            AtomicKind::Clear => {
                let zero = self.int(0);
                let zero = self.convert(zero, &ty, position)?;
                self.store(place, zero, position)?;
                Ok(Value::Void)
            }
            AtomicKind::TestAndSet => {
                let old = self.load(place, position)?;
                let one = self.int(1);
                let one = self.convert(one, &ty, position)?;
                self.store(place, one, position)?;
                let bool_type: CType = Kind::Bool.into();
                self.convert(old, &bool_type, position)
            }
            AtomicKind::FlagTestAndSet | AtomicKind::FlagClear => {
                let flag = Place::new(place.address, Kind::Bool.into());
                let kind = match kind {
                    AtomicKind::FlagClear => AtomicKind::Clear,
                    _ => AtomicKind::TestAndSet,
                };
                self.atomic_steps(kind, &flag, Vec::new(), position)
            }
            AtomicKind::Fetch { op, new } => {
                let value = next(self)?;
                let old = self.load(place, position)?;
                let result = self.fetch(op, &ty, old.clone(), value, position)?;
                self.store(place, result.clone(), position)?;
                Ok(if new { result } else { old })
            }
            AtomicKind::CompareSwap { old_result } => {
                let (expected, desired) = (next(self)?, next(self)?);
                let expected = self.convert(expected, &ty, position)?;
                let desired = self.convert(desired, &ty, position)?;
                let failure =
                    Failure { spurious: false, order: MemoryOrder::SequentiallyConsistent };
                let (old, same) =
                    self.swap_if_equal(place, expected, desired, failure, position)?;
                Ok(if old_result { old } else { self.truth_value(same) })
            }
            AtomicKind::LoadTo
            | AtomicKind::StoreFrom
            | AtomicKind::ExchangeTo
            | AtomicKind::CompareExchange { .. } => self.error(position, "too few arguments"),
        }
    }

    /// The value after a read-modify-write. Atomic arithmetic wraps, but for signed integers under
    /// `--signed-overflow absent`, which the verdict says; on pointers it counts bytes.
    fn fetch(
        &mut self,
        op: Option<BinaryOp>,
        ty: &CType,
        old: Value,
        value: Value,
        position: Position,
    ) -> Lowered<Value> {
        if ty.pointee().is_some() {
            let bytes = CType::int(8, false, 1).pointer();
            let old = self.convert(old, &bytes, position)?;
            let new = match op {
                Some(BinaryOp::Add) => self.pointer_sum(old, value, false, position)?,
                Some(BinaryOp::Sub) => self.pointer_sum(old, value, true, position)?,
                _ => return self.error(position, "this atomic operation needs an integer"),
            };
            return self.convert(new, ty, position);
        }
        if !ty.is_integer() {
            return self.error(position, "this atomic operation needs an integer");
        }
        let value = self.convert(value, ty, position)?;
        let ((x, _), (y, _)) = (self.scalar(old, position)?, self.scalar(value, position)?);
        let is_sum = matches!(op, Some(BinaryOp::Add | BinaryOp::Sub));
        let is_signed = is_sum && ty.is_signed();
        let mut result = self.binary(op.unwrap_or(BinaryOp::And), x, y, is_signed);
        if op.is_none() {
            let memory = self.function.operand_type(result);
            result = self.define(Op::Unary { op: UnaryOp::Not, a: result }, memory);
        }
        Ok(Value::Scalar(result, ty.clone()))
    }

    /// What is not the atomic object itself is accessed without an order.
    fn store_plainly(&mut self, place: &Place, value: Value, position: Position) -> Lowered<()> {
        let order = self.order.take();
        let result = self.store(place, value, position);
        self.order = order;
        result
    }

    fn load_plainly(&mut self, pointer: Value, ty: &CType, position: Position) -> Lowered<Value> {
        let address = self.address(&pointer, position)?;
        let order = self.order.take();
        let result = self.load_whole(&Place::new(address, ty.clone()), position);
        self.order = order;
        result
    }

    /// Stores `desired` if the object equals `expected`; the old value and
    /// whether it was stored. A weak exchange may fail without a reason.
    fn swap_if_equal(
        &mut self,
        place: &Place,
        expected: Value,
        desired: Value,
        failure: Failure,
        position: Position,
    ) -> Lowered<(Value, Operand)> {
        let success = self.order.replace(failure.order);
        let old = self.load_whole(place, position);
        self.order = success;
        let old = old?;
        if let Value::Record(old) = old {
            return self.swap_if_all_equal(place, old, expected, desired, failure, position);
        }
        let ((x, _), (e, _), (d, _)) = (
            self.scalar(old.clone(), position)?,
            self.scalar(expected, position)?,
            self.scalar(desired, position)?,
        );
        let mut same = self.compare(CompareOp::Eq, x, e);
        if failure.spurious {
            let luck = self.nondet(Type::Int(1));
            same = self.binary(BinaryOp::And, same, luck, false);
        }
        let memory = self.function.operand_type(x);
        let new = self.define(Op::Select { condition: same, a: d, b: x }, memory);
        self.store(place, Value::Scalar(new, place.ty.clone()), position)?;
        Ok((old, same))
    }

    /// The same for structures, of which all bytes are compared (C11 7.17.7.4), also those between
    /// members: whether these are equal is not modelled.
    fn swap_if_all_equal(
        &mut self,
        place: &Place,
        old: Place,
        expected: Value,
        desired: Value,
        failure: Failure,
        position: Position,
    ) -> Lowered<(Value, Operand)> {
        let Value::Record(expected) = expected else {
            return self.error(position, "a structure is needed here");
        };
        // What is compared lies in temporaries.
        let success = self.order.take();
        let (mut known, mut pairs) = (0, Vec::new());
        self.paired(&old, &expected, &mut pairs, position)?;
        let mut same = Operand::bool(true);
        for (a, b) in pairs {
            known += u64::from(a.bits.map_or_else(|| self.bits(&a.ty), |field| field.width));
            let (x, y) = (self.load(&a, position)?, self.load(&b, position)?);
            let ((x, _), (y, _)) = (self.scalar(x, position)?, self.scalar(y, position)?);
            let equal = self.compare(CompareOp::Eq, x, y);
            same = self.binary(BinaryOp::And, same, equal, false);
        }
        if self.unit.size_of(&place.ty).is_none_or(|size| size.saturating_mul(8) != known) {
            let what = "the bytes between the members of a structure";
            let luck = Op::Nondet { unmodelled: Some(what.to_owned()) };
            let luck = self.define(luck, Type::Int(1));
            same = self.binary(BinaryOp::And, same, luck, false);
        }
        if failure.spurious {
            let luck = self.nondet(Type::Int(1));
            same = self.binary(BinaryOp::And, same, luck, false);
        }
        self.order = success;
        let (swaps, after) = (self.new_block(), self.new_block());
        self.branch(same, swaps, after);
        self.switch_to(swaps);
        self.store(place, desired, position)?;
        self.jump(after);
        self.switch_to(after);
        Ok((Value::Record(old), same))
    }

    /// The scalars of two objects of one type, in pairs.
    fn paired(
        &mut self,
        a: &Place,
        b: &Place,
        found: &mut Vec<(Place, Place)>,
        position: Position,
    ) -> Lowered<()> {
        /// Most scalars that are compared.
        const MOST: usize = 64;
        if a.ty.is_scalar() {
            if found.len() == MOST {
                return self.error(position, "an atomic comparison of so large a structure");
            }
            found.push((a.clone(), b.clone()));
            return Ok(());
        }
        if self.unit.is_union(&a.ty) {
            return self.error(position, "atomic comparison of unions is not supported");
        }
        for index in 0.. {
            let is_there = match a.ty.kind {
                Kind::Array(_, count) => index < count.unwrap_or(0),
                _ => self.unit.child(&a.ty, index).is_some(),
            };
            if !is_there {
                break;
            }
            let x = self.element(a, index, position)?;
            let y = self.element(b, index, position)?;
            self.paired(&x, &y, found, position)?;
        }
        Ok(())
    }
}

/// The atomic function of GCC that CBMC made a function of one type of:
/// `__atomic_fetch_add` for `__atomic_fetch_add_S32`. `None` if it is none.
pub(crate) fn atomic_builtin(name: &str) -> Option<&str> {
    if !name.starts_with("__atomic_") && !name.starts_with("__sync_") {
        return None;
    }
    let mut end = name.len();
    loop {
        let word = name.get(..end)?;
        if AtomicKind::of(word).is_some() {
            return Some(word);
        }
        end = word.rfind('_').filter(|end| *end > 0)?;
    }
}

/// The atomic builtin function for any integer, of one for those of some bytes, and how many these are.
fn of_size(name: &str) -> Option<(String, u16)> {
    if !name.starts_with("__atomic_") && !name.starts_with("__sync_") {
        return None;
    }
    let (base, bytes) = name.rsplit_once('_')?;
    let bytes = match bytes {
        "1" => 1,
        "2" => 2,
        "4" => 4,
        "8" => 8,
        "16" => 16,
        _ => return None,
    };
    let base = match base {
        "__atomic_load" | "__atomic_store" | "__atomic_exchange" | "__atomic_compare_exchange" => {
            format!("{base}_n")
        }
        _ => base.to_owned(),
    };
    AtomicKind::of(&base).is_some().then_some((base, bytes))
}

/// What an atomic function does.
#[derive(Clone, Copy, Debug)]
enum AtomicKind {
    Load,
    LoadTo,
    Store,
    StoreFrom,
    Exchange,
    ExchangeTo,
    Clear,
    TestAndSet,
    FlagTestAndSet,
    FlagClear,
    /// `op` is `None` for nand; `new`: the result is the new value.
    Fetch {
        op: Option<BinaryOp>,
        new: bool,
    },
    CompareSwap {
        old_result: bool,
    },
    CompareExchange {
        by_value: bool,
    },
}

/// How a comparison with exchange may fail.
#[derive(Clone, Copy)]
struct Failure {
    /// Whether it may do so without a reason.
    spurious: bool,
    /// The order of the access then.
    order: MemoryOrder,
}

impl AtomicKind {
    fn of(name: &str) -> Option<Self> {
        if let Some(word) = name.strip_prefix("atomic_") {
            return Self::c11(word.strip_suffix("_explicit").unwrap_or(word));
        }
        let word = name.strip_prefix("__sync_").or_else(|| name.strip_prefix("__atomic_"))?;
        if let Some(word) = word.strip_prefix("fetch_and_").or_else(|| word.strip_prefix("fetch_"))
        {
            return Some(Self::Fetch { op: operation(word)?, new: false });
        }
        if let Some(word) = word.strip_suffix("_and_fetch").or_else(|| word.strip_suffix("_fetch"))
        {
            return Some(Self::Fetch { op: operation(word)?, new: true });
        }
        Some(match word {
            "bool_compare_and_swap" => Self::CompareSwap { old_result: false },
            "val_compare_and_swap" => Self::CompareSwap { old_result: true },
            "lock_test_and_set" | "exchange_n" => Self::Exchange,
            "exchange" => Self::ExchangeTo,
            "lock_release" => Self::Clear,
            // Whatever the pointer's type, a byte.
            "clear" => Self::FlagClear,
            "test_and_set" => Self::FlagTestAndSet,
            "load_n" => Self::Load,
            "load" => Self::LoadTo,
            "store_n" => Self::Store,
            "store" => Self::StoreFrom,
            "compare_exchange_n" => Self::CompareExchange { by_value: true },
            "compare_exchange" => Self::CompareExchange { by_value: false },
            _ => return None,
        })
    }

    /// The generic functions of `<stdatomic.h>`, where they are no macros.
    fn c11(word: &str) -> Option<Self> {
        Some(match word {
            "load" => Self::Load,
            "store" | "init" => Self::Store,
            "exchange" => Self::Exchange,
            "compare_exchange_strong" | "compare_exchange_weak" => {
                Self::CompareExchange { by_value: true }
            }
            "flag_test_and_set" => Self::FlagTestAndSet,
            "flag_clear" => Self::FlagClear,
            _ => Self::Fetch { op: operation(word.strip_prefix("fetch_")?)?, new: false },
        })
    }

    /// The section that an operation on an object of a type needs to be one step; none if it is one
    /// access of a scalar.
    fn section(self, ty: &CType) -> Option<Section> {
        match self {
            Self::FlagClear => None,
            Self::Load | Self::Store | Self::Clear => (!ty.is_scalar()).then_some(Section::Step),
            _ => Some(Section::Locked),
        }
    }

    /// Operands besides the object; what follows are orders.
    fn operands(self) -> usize {
        match self {
            Self::Load
            | Self::Clear
            | Self::TestAndSet
            | Self::FlagTestAndSet
            | Self::FlagClear => 0,
            Self::CompareSwap { .. } | Self::CompareExchange { .. } | Self::ExchangeTo => 2,
            _ => 1,
        }
    }
}

fn operation(word: &str) -> Option<Option<BinaryOp>> {
    Some(match word {
        "add" => Some(BinaryOp::Add),
        "sub" => Some(BinaryOp::Sub),
        "and" => Some(BinaryOp::And),
        "or" => Some(BinaryOp::Or),
        "xor" => Some(BinaryOp::Xor),
        "nand" => None,
        _ => return None,
    })
}
