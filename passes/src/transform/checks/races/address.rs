//! What is known of an address before the program runs, and how two of them are compared.

use sapa_ir::goto::{FunctionId, GlobalId, Module, Op, Operand, SlotId};

use crate::analysis::definitions::Definitions;

/// An object of which there is one, that code names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Root {
    /// A global that is not local to threads.
    Global(GlobalId),
    /// A stack object of a function that is executed once.
    Slot(FunctionId, SlotId),
}

/// The shape of an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Form {
    /// A place in an object, where the access fits.
    Fixed {
        /// The object.
        root: Root,
        /// Bytes from its start.
        offset: u64,
    },
    /// A place in an element of an array, where the access fits into the element.
    Element {
        /// The object.
        root: Root,
        /// Size of an element.
        stride: u64,
        /// Bytes from the start of the element.
        offset: u64,
        /// How many elements there are in which the access fits into the object.
        count: u64,
    },
    /// Any pointer.
    Pointer,
}

/// An address of an access of a size, as far as it is known.
pub(super) struct Address {
    /// Its shape.
    pub form: Form,
    /// The index of an element.
    pub index: Option<Operand>,
}

/// How it is found out whether two accesses have a byte in common that may have one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Comparison {
    /// They have.
    Always,
    /// If they are of the same element, of this size.
    Index(u64),
    /// If their addresses are equal.
    Equal,
    /// If their addresses are less apart than their sizes.
    Range,
    /// If they are of the same object.
    Object,
}

impl Address {
    /// Follows the computation of an address back to the object that it names, of which there is one if
    /// `is_single` says so.
    pub fn new(
        module: &Module,
        id: FunctionId,
        definitions: &Definitions<'_>,
        address: Operand,
        size: u64,
        is_single: impl Fn(Root) -> bool,
    ) -> Self {
        let any = Self { form: Form::Pointer, index: None };
        let mut at = address;
        let mut offset: i128 = 0;
        let mut variable: Option<(Operand, u64)> = None;
        let root = loop {
            let value = match at {
                Operand::Global(global) => break Root::Global(global),
                Operand::Slot(slot) => break Root::Slot(id, slot),
                Operand::Value(value) => value,
                _ => return any,
            };
            match definitions.get(&value) {
                Some(Op::Copy { a }) => at = *a,
                Some(Op::FieldAddress { base, structure, field }) => {
                    let structure = module.structs.get(structure.index());
                    let Some(field) = structure.and_then(|s| s.fields.get(field.index())) else {
                        return any;
                    };
                    offset += i128::from(field.offset);
                    at = *base;
                }
                Some(Op::IndexAddress { base, element, index }) => {
                    let stride = element.size(module);
                    match *index {
                        Operand::Int { value, bits: 64 } => {
                            let index = (value as u64).cast_signed();
                            offset += i128::from(index) * i128::from(stride);
                        }
                        Operand::Int { value: 0, .. } => {}
                        Operand::Int { .. } => return any,
                        _ if variable.is_some() => return any,
                        index => variable = Some((index, stride)),
                    }
                    at = *base;
                }
                _ => return any,
            }
        };
        let ty = match root {
            Root::Global(global) => module.globals.get(global.index()).map(|g| &g.ty),
            Root::Slot(id, slot) => module.function(id).slots.get(slot.index()).map(|s| &s.ty),
        };
        let room = ty.and_then(|ty| ty.size(module).checked_sub(size));
        let (Some(room), Ok(offset), true) = (room, u64::try_from(offset), is_single(root)) else {
            return any;
        };
        if offset > room {
            return any;
        }
        match variable {
            None => Self { form: Form::Fixed { root, offset }, index: None },
            Some((index, stride)) if stride > 0 && offset.saturating_add(size) <= stride => {
                let count = (room - offset) / stride + 1;
                Self { form: Form::Element { root, stride, offset, count }, index: Some(index) }
            }
            Some(_) => any,
        }
    }
}

impl Form {
    /// How accesses of two shapes and sizes are compared. `are_aligned` says that they are the same bytes or
    /// have none in common.
    pub fn comparison(
        self,
        size: u64,
        other: Self,
        other_size: u64,
        are_aligned: bool,
    ) -> Comparison {
        let fits =
            |offset: u64, size: u64, stride: u64| (offset % stride).saturating_add(size) <= stride;
        match (self, other) {
            (Self::Fixed { .. }, Self::Fixed { .. }) => Comparison::Always,
            (Self::Element { stride, .. }, Self::Element { stride: other, .. })
                if stride == other =>
            {
                Comparison::Index(stride)
            }
            (Self::Element { stride, .. }, Self::Fixed { offset, .. })
                if fits(offset, other_size, stride) =>
            {
                Comparison::Index(stride)
            }
            (Self::Fixed { offset, .. }, Self::Element { stride, .. })
                if fits(offset, size, stride) =>
            {
                Comparison::Index(stride)
            }
            _ if are_aligned => Comparison::Equal,
            _ => Comparison::Range,
        }
    }

    /// The number of the element that a fixed place is in.
    pub fn element(self, stride: u64) -> Option<u64> {
        match self {
            Self::Fixed { offset, .. } => offset.checked_div(stride),
            _ => None,
        }
    }
}
