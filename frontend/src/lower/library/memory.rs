//! Allocation, copying and filling.

use sapa_ir::goto::{BinaryOp, CastOp, CompareOp, Op, Operand, Type, operation};

use crate::lower::body::{Body, Place, Value};
use crate::lower::program::Lowered;
use crate::lower::types::{CType, Kind};
use crate::position::Position;

/// Memory is mapped in pages of so many bytes.
const PAGE: u128 = 4096;

/// On x86 what may be written may be read as well.
const PROT_WRITE: u128 = 2;

/// Flags of `mmap` on Linux.
const MAP_FIXED: u128 = 0x10;
const MAP_ANONYMOUS: u128 = 0x20;

/// `__GFP_ZERO` of some version of Linux.
const MAY_BE_GFP_ZERO: u128 = 0x8100;

/// Most elements that are filled one by one instead of in a loop.
const MAX_UNROLLED: u64 = 64;

impl Body<'_, '_> {
    pub(super) fn memory_function(
        &mut self,
        name: &str,
        arguments: &[Value],
        position: Position,
    ) -> Lowered<Option<Value>> {
        let name = name.strip_prefix("__builtin_").unwrap_or(name);
        let value = match (name, arguments) {
            ("alloca", [size]) => self.allocate(size, None, false, position)?,
            ("malloc" | "valloc", [size]) => {
                let object = self.allocate(size, None, false, position)?;
                self.or_null(name, object, position)?
            }
            ("calloc", [count, size]) => {
                let fits = self.product_fits(count, size, position)?;
                let object = self.allocate(count, Some(size), true, position)?;
                match fits {
                    Operand::Int { value: 1, .. } => self.or_null(name, object, position)?,
                    // There is no allocation then that succeeds.
                    Operand::Int { .. } => {
                        self.unit.leaves_errno(name);
                        Value::Scalar(Operand::Null, CType::from(Kind::Void).pointer())
                    }
                    fits if self.unit.options.outside.allocations_fail => {
                        let object = self.or_null(name, object, position)?;
                        self.if_fits(object, Operand::Null, fits)
                    }
                    fits => {
                        self.effect(Op::Assume { condition: fits });
                        self.or_null(name, object, position)?
                    }
                }
            }
            ("aligned_alloc" | "memalign", [_, size]) => {
                let object = self.allocate(size, None, false, position)?;
                self.or_null(name, object, position)?
            }
            ("mmap" | "mmap64", [_, size, protection, flags, _, _]) => {
                let Some(flags) = self.constant_operand(Some(flags)) else { return Ok(None) };
                if flags & MAP_FIXED != 0 || flags & MAP_ANONYMOUS == 0 {
                    return Ok(None);
                }
                self.note_protection(name, protection);
                let (bytes, fits) = self.whole_pages(size, position)?;
                // It does not count as what has to be freed.
                let object = self.in_operation(operation::AUTOMATIC, position, |body| {
                    body.allocate(&bytes, None, true, position)
                })?;
                let fits = self.truth_value(fits);
                return self.modelled("__sapa_mapped", &[object, fits], position);
            }
            ("munmap" | "mprotect" | "madvise" | "mlock" | "munlock" | "msync", [_, ..]) => {
                if name == "munmap" {
                    self.unit.note("assuming that memory which is unmapped is not used again");
                }
                if let ("mprotect", [_, _, protection]) = (name, arguments) {
                    self.note_protection(name, protection);
                }
                return self.modelled("__sapa_status", &[], position);
            }
            _ if let Some(kernel) = self.of_kernel(name, arguments, position)? => kernel,
            ("free" | "cfree", [pointer]) => {
                let address = self.address(pointer, position)?;
                self.unit.note("assuming that freed memory is not used or allocated again");
                self.effect(Op::Free { address });
                Value::Void
            }
            ("__CPROVER_OBJECT_SIZE", [pointer]) => {
                let address = self.address(pointer, position)?;
                let size = self.unit.integers().size();
                let memory = Type::Int(self.bits(&size));
                Value::Scalar(self.define(Op::ObjectSize { address }, memory), size)
            }
            ("memset", [object, byte, size]) => match self.fill(object, byte, size, position)? {
                true => self.any_object(object, position)?,
                false => return Ok(None),
            },
            ("memcpy" | "memmove", [target, source, size]) => {
                match self.copy_elements(target, source, size, name == "memmove", position)? {
                    true => self.any_object(target, position)?,
                    false => return Ok(None),
                }
            }
            ("bzero", [object, size]) => {
                let zero = self.int(0);
                let arguments = [object.clone(), zero, size.clone()];
                self.modelled_or_known("memset", &arguments, position)?;
                Value::Void
            }
            _ => return Ok(None),
        };
        Ok(Some(value))
    }

    /// The allocators of the Linux kernel, which may fail at any time. `None` for others, and where memory
    /// may be asked for that is zero, which flags say that have changed with time.
    fn of_kernel(
        &mut self,
        name: &str,
        arguments: &[Value],
        position: Position,
    ) -> Lowered<Option<Value>> {
        let takes_sizes = |sizes: &[Value]| {
            sizes.iter().all(|size| matches!(size, Value::Scalar(_, ty) if ty.is_integer()))
        };
        let (size, count, zeroed, flags) = match (name, arguments) {
            ("kmalloc" | "__kmalloc" | "kvmalloc", [size, flags]) => {
                (size, None, false, Some(flags))
            }
            ("kzalloc" | "kvzalloc", [size, _]) => (size, None, true, None),
            ("vmalloc", [size]) => (size, None, false, None),
            ("vzalloc", [size]) => (size, None, true, None),
            ("kmalloc_array", [count, size, flags]) => (size, Some(count), false, Some(flags)),
            ("kcalloc", [count, size, _]) => (size, Some(count), true, None),
            ("kfree" | "vfree" | "kvfree" | "kzfree" | "kfree_sensitive", [pointer]) => {
                let address = self.address(pointer, position)?;
                self.unit.note("assuming that freed memory is not used or allocated again");
                self.effect(Op::Free { address });
                return Ok(Some(Value::Void));
            }
            _ => return Ok(None),
        };
        let may_be_zeroed = flags.is_some_and(|flags| {
            self.constant_operand(Some(flags)).is_none_or(|flags| flags & MAY_BE_GFP_ZERO != 0)
        });
        if may_be_zeroed || !takes_sizes(arguments) {
            return Ok(None);
        }
        self.unit.note(&format!("assuming that `{name}` allocates memory as that of Linux does"));
        let fits = match count {
            Some(count) => self.product_fits(count, size, position)?,
            None => Operand::bool(true),
        };
        let object = self.allocate(size, count, zeroed, position)?;
        Ok(Some(self.or_failed(object, Operand::Null, fits)))
    }

    /// An object that was allocated, or what says that there is none: at times, and where it does not fit.
    fn or_failed(&mut self, object: Value, failed: Operand, fits: Operand) -> Value {
        let Value::Scalar(address, ty) = object else { return object };
        let condition = self.nondet(Type::Int(1));
        let op = Op::Select { condition, a: failed, b: address };
        let object = Value::Scalar(self.define(op, Type::Pointer), ty);
        self.if_fits(object, failed, fits)
    }

    /// An object if it fits, or else what says that there is none.
    fn if_fits(&mut self, object: Value, failed: Operand, fits: Operand) -> Value {
        let Value::Scalar(address, ty) = object else { return object };
        let address = match fits {
            Operand::Int { value: 0, .. } => failed,
            Operand::Int { .. } => address,
            condition => {
                let op = Op::Select { condition, a: address, b: failed };
                self.define(op, Type::Pointer)
            }
        };
        Value::Scalar(address, ty)
    }

    /// Whether the product of two sizes is one.
    fn product_fits(
        &mut self,
        count: &Value,
        size: &Value,
        position: Position,
    ) -> Lowered<Operand> {
        let ty = self.unit.integers().size();
        let bits = self.bits(&ty);
        let most = u128::MAX >> (128 - u32::from(bits));
        let (a, b) =
            (self.operand_as(count, &ty, position)?, self.operand_as(size, &ty, position)?);
        Ok(match (a, b) {
            (Operand::Int { value: a, .. }, Operand::Int { value: b, .. }) => {
                Operand::bool(a.checked_mul(b).is_some_and(|product| product <= most))
            }
            (Operand::Int { value, .. }, other) | (other, Operand::Int { value, .. }) => {
                match most.checked_div(value) {
                    Some(limit) if limit < most => {
                        let limit = Operand::int(bits, limit);
                        self.compare(CompareOp::UnsignedLe, other, limit)
                    }
                    _ => Operand::bool(true),
                }
            }
            (a, b) => {
                let wide = Type::Int(bits * 2);
                let a = self.cast(CastOp::ZeroExtend, a, wide.clone());
                let b = self.cast(CastOp::ZeroExtend, b, wide);
                let product = self.binary(BinaryOp::Mul, a, b, false);
                self.compare(CompareOp::UnsignedLe, product, Operand::int(bits * 2, most))
            }
        })
    }

    /// So many bytes as whole pages, and whether there can be such memory: it is not empty, and is no larger than
    /// sizes are.
    fn whole_pages(&mut self, size: &Value, position: Position) -> Lowered<(Value, Operand)> {
        let ty = self.unit.integers().size();
        let bits = self.bits(&ty);
        let mask = Operand::int(bits, !(PAGE - 1));
        Ok(match self.operand_as(size, &ty, position)? {
            Operand::Int { value, .. } => {
                let Operand::Int { value: bytes, .. } =
                    Operand::int(bits, value.saturating_add(PAGE - 1) & !(PAGE - 1))
                else {
                    return self.error(position, "a size is needed here");
                };
                (Value::Scalar(Operand::int(bits, bytes), ty), Operand::bool(bytes != 0))
            }
            bytes => {
                let more = self.binary(BinaryOp::Add, bytes, Operand::int(bits, PAGE - 1), false);
                let bytes = self.binary(BinaryOp::And, more, mask, false);
                let fits = self.compare(CompareOp::Ne, bytes, Operand::int(bits, 0));
                (Value::Scalar(bytes, ty), fits)
            }
        })
    }

    /// Says that memory is accessed as its protection allows, unless that allows all.
    fn note_protection(&mut self, name: &str, protection: &Value) {
        let allowed = self.constant_operand(Some(protection)).unwrap_or(0);
        if allowed & PROT_WRITE == 0 {
            self.unit.note(&format!("assuming that memory is accessed as `{name}` allows"));
        }
    }

    /// A pointer as the functions on memory return it: `void *`.
    fn any_object(&mut self, pointer: &Value, position: Position) -> Lowered<Value> {
        self.convert(pointer.clone(), &CType::from(Kind::Void).pointer(), position)
    }

    fn modelled_or_known(
        &mut self,
        name: &str,
        arguments: &[Value],
        position: Position,
    ) -> Lowered<()> {
        if self.memory_function(name, arguments, position)?.is_none() {
            self.modelled(name, arguments, position)?;
        }
        Ok(())
    }

    /// What an allocation returns: null at times, if it may fail.
    fn or_null(&mut self, name: &str, object: Value, position: Position) -> Lowered<Value> {
        if !self.unit.options.outside.allocations_fail {
            self.unit.leaves_errno(name);
            self.unit.note("assuming that allocations succeed");
            return Ok(object);
        }
        let failing = std::slice::from_ref(&object);
        Ok(self.modelled("__sapa_or_null", failing, position)?.unwrap_or(object))
    }

    /// A new heap object.
    pub fn allocate(
        &mut self,
        first: &Value,
        second: Option<&Value>,
        zeroed: bool,
        position: Position,
    ) -> Lowered<Value> {
        let size = self.unit.integers().size();
        let mut bytes = self.operand_as(first, &size, position)?;
        if let Some(second) = second {
            let other = self.operand_as(second, &size, position)?;
            bytes = match (bytes, other) {
                (Operand::Int { bits, value: a }, Operand::Int { value: b, .. }) => {
                    Operand::int(bits, a.wrapping_mul(b))
                }
                _ => self.binary(BinaryOp::Mul, bytes, other, false),
            };
        }
        let op = Op::Allocate { size: bytes, zeroed, ty: None };
        Ok(Value::Scalar(self.define(op, Type::Pointer), CType::from(Kind::Void).pointer()))
    }

    /// The type that a pointer gives to a number of bytes: its element type and
    /// how many of them; `None` if that is not known.
    pub(super) fn elements(&self, pointer: &Value, size: &Value) -> Option<(CType, u64)> {
        let Value::Scalar(_, ty) = pointer else { return None };
        let size = u64::try_from(self.constant_operand(Some(size))?).ok()?;
        let element = ty.pointee()?;
        if element.kind == Kind::Void {
            return None;
        }
        let each = self.unit.size_of(element).filter(|each| *each > 0)?;
        (size % each == 0).then(|| (element.clone(), size / each))
    }

    /// Fills whole elements with zeros, or bytes with a constant; whether it could.
    fn fill(
        &mut self,
        object: &Value,
        byte: &Value,
        size: &Value,
        position: Position,
    ) -> Lowered<bool> {
        let (Some((element, count)), Some(byte)) =
            (self.elements(object, size), self.constant_operand(Some(byte)))
        else {
            return Ok(false);
        };
        let is_byte = element.is_integer() && self.unit.size_of(&element) == Some(1);
        if count > MAX_UNROLLED || byte & 0xff != 0 && !is_byte {
            return Ok(false);
        }
        let address = self.address(object, position)?;
        if byte & 0xff == 0 {
            let array = Kind::Array(Box::new(element), Some(count)).into();
            self.clear(&Place::new(address, array), position)?;
            return Ok(true);
        }
        let array = Place::new(address, Kind::Array(Box::new(element.clone()), Some(count)).into());
        for index in 0..count {
            let place = self.element(&array, index, position)?;
            self.store(
                &place,
                Value::Scalar(Operand::int(8, byte & 0xff), element.clone()),
                position,
            )?;
        }
        Ok(true)
    }

    /// Copies whole elements between pointers to one type; whether it could.
    fn copy_elements(
        &mut self,
        target: &Value,
        source: &Value,
        size: &Value,
        may_overlap: bool,
        position: Position,
    ) -> Lowered<bool> {
        let (Some((element, count)), Some((other, _))) =
            (self.elements(target, size), self.elements(source, size))
        else {
            return Ok(false);
        };
        if element.in_memory().is_err() || other.in_memory() != element.in_memory() {
            return Ok(false);
        }
        let array: CType = Kind::Array(Box::new(element), Some(count)).into();
        let to = Place::new(self.address(target, position)?, array.clone());
        let from = Place::new(self.address(source, position)?, array);
        if may_overlap {
            let between = self.temporary(&to.ty, position)?;
            self.copy(&between, &from, position)?;
            self.copy(&to, &between, position)?;
        } else {
            if self.may_share(to.address, from.address) {
                let size = self.operand_as(size, &self.unit.integers().size(), position)?;
                let areas = [to.address, from.address, size];
                self.model("__sapa_apart", &areas, Type::Int(32), position)?;
            }
            self.copy(&to, &from, position)?;
        }
        Ok(true)
    }

    /// Whether two addresses may be in one object: they are not computed from different variables.
    fn may_share(&self, a: Operand, b: Operand) -> bool {
        let variable = |mut at: Operand| {
            while let Some(
                Op::FieldAddress { base, .. }
                | Op::IndexAddress { base, .. }
                | Op::Copy { a: base },
            ) = self.made_by(at)
            {
                at = *base;
            }
            matches!(at, Operand::Global(_) | Operand::Slot(_)).then_some(at)
        };
        variable(a).zip(variable(b)).is_none_or(|(a, b)| a == b)
    }
}
