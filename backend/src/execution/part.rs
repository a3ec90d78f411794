//! Parts of objects: from an object and an offset to the member or element there.

use std::cmp::Reverse;

use sapa_ir::goto::{Field, FieldIndex, Module, StructId, Type};

/// The members that the computation of an address goes through: they tell which member of a union
/// the source means.
pub(crate) type Members = Vec<(StructId, FieldIndex)>;

/// A part of an object.
#[derive(Clone, Debug)]
pub(crate) struct Part<'m> {
    /// Members and indices, as the source writes them after the object's name.
    pub path: String,
    /// Type of the part.
    pub ty: &'m Type,
    /// Whether that is a signed integer of the source, or an array of such.
    pub signed: bool,
    /// Bytes from its start to what is looked for.
    pub rest: u64,
    /// What it holds there, where the source does not name that.
    pub unnamed: Option<Unnamed<'m>>,
}

/// What a part holds that the source does not name.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Unnamed<'m> {
    /// Bit-fields, which share the field of the IR.
    BitFields(&'m Field),
    /// Members of the C library's own.
    Inner,
    /// Bytes that belong to no member.
    Padding,
}

impl<'m> Part<'m> {
    /// A whole object, of which bytes from `offset` on are looked for.
    pub(crate) fn whole(ty: &'m Type, signed: bool, offset: u64) -> Self {
        Self { path: String::new(), ty, signed, rest: offset, unnamed: None }
    }

    /// The element or the members that hold `size` bytes of it: the likeliest first.
    fn parts(&self, module: &'m Module, size: u64, members: &Members) -> Vec<Self> {
        match self.ty {
            Type::Array(element, _) => {
                let each = element.size(module).max(1);
                let (index, rest) = (self.rest / each, self.rest % each);
                if rest.saturating_add(size) > each {
                    return Vec::new();
                }
                let path = format!("{}[{index}]", self.path);
                vec![Self { path, ty: element, rest, ..self.clone() }]
            }
            Type::Struct(id) => {
                let fields = module.structs.get(id.index()).map_or(&[][..], |s| &s.fields);
                let mut found: Vec<_> = fields.iter().enumerate().collect();
                found.retain(|(_, field)| {
                    is_named(field) && field.offset <= self.rest && {
                        let end = field.offset.saturating_add(field.ty.size(module).max(1));
                        self.rest.saturating_add(size) <= end
                    }
                });
                found.sort_by_key(|(index, _)| {
                    Reverse(members.contains(&(*id, FieldIndex::new(*index))))
                });
                let part = |(_, field): (usize, &'m Field)| {
                    let dot = if field.name.is_empty() { "" } else { "." };
                    Self {
                        path: format!("{}{dot}{}", self.path, field.name),
                        ty: &field.ty,
                        signed: field.signed,
                        rest: self.rest - field.offset,
                        unnamed: None,
                    }
                };
                found.into_iter().map(part).collect()
            }
            Type::Int(_) | Type::Pointer => Vec::new(),
        }
    }

    /// The part that is as `is_it` says, if one is.
    fn search(
        self,
        module: &'m Module,
        size: u64,
        members: &Members,
        is_it: &impl Fn(&Self) -> bool,
    ) -> Option<Self> {
        if is_it(&self) {
            return Some(self);
        }
        let mut parts = self.parts(module, size, members).into_iter();
        parts.find_map(|part| part.search(module, size, members, is_it))
    }

    /// The smallest named part that holds `size` bytes.
    fn smallest(mut self, module: &'m Module, size: u64, members: &Members) -> Self {
        while let Some(part) = self.parts(module, size, members).into_iter().next() {
            self = part;
        }
        self.unnamed = self.unnamed_at(module, size);
        self
    }

    /// What is there, if the source does not name it.
    fn unnamed_at(&self, module: &'m Module, size: u64) -> Option<Unnamed<'m>> {
        let Type::Struct(id) = self.ty else { return None };
        let fields = &module.structs.get(id.index())?.fields;
        let meets = |field: &&Field| {
            let end = field.offset.saturating_add(field.ty.size(module));
            field.offset < self.rest.saturating_add(size.max(1)) && self.rest < end
        };
        let mut there = fields.iter().filter(meets).peekable();
        if there.peek().is_none() {
            return Some(Unnamed::Padding);
        }
        let there: Vec<_> = there.collect();
        if there.iter().any(|field| is_named(field)) {
            return None;
        }
        let bits = there.into_iter().find(|field| !field.bit_fields.is_empty());
        Some(bits.map_or(Unnamed::Inner, Unnamed::BitFields))
    }

    /// What an access of a type and size reaches: the scalar, or else the smallest part that holds
    /// it. Members of a union begin together: one that is of the same type, or else as large.
    pub(crate) fn accessed(
        self,
        module: &'m Module,
        ty: &Type,
        size: u64,
        members: &Members,
    ) -> Self {
        let same = |part: &Self| part.rest == 0 && part.ty == ty;
        let as_large =
            |part: &Self| part.rest == 0 && part.ty.is_scalar() && part.ty.size(module) == size;
        let exact = self.clone().search(module, size, members, &same);
        let exact = exact.or_else(|| self.clone().search(module, size, members, &as_large));
        exact.unwrap_or_else(|| self.smallest(module, size, members))
    }

    /// What begins here as a whole: of an array the first element.
    pub(crate) fn beginning(self, module: &'m Module) -> Self {
        let begins = |part: &Self| part.rest == 0 && !matches!(part.ty, Type::Array(..));
        let none = Members::new();
        let found = self.clone().search(module, 1, &none, &begins);
        found
            .or_else(|| self.clone().end(module))
            .unwrap_or_else(|| self.smallest(module, 1, &none))
    }

    /// The element after the last of an array, where that is no other part.
    fn end(self, module: &'m Module) -> Option<Self> {
        let none = Members::new();
        let here = self.clone().smallest(module, 1, &none);
        if !matches!(here.unnamed, Some(Unnamed::Padding)) {
            return None;
        }
        let last = Self { rest: self.rest.checked_sub(1)?, ..self };
        let ends = |part: &Self| {
            matches!(part.ty, Type::Array(..)) && part.rest + 1 == part.ty.size(module)
        };
        let array = last.search(module, 1, &none, &ends)?;
        let Type::Array(_, length) = array.ty else { return None };
        Some(Self { path: format!("{}[{length}]", array.path), rest: 0, ..array })
    }
}

/// Whether the source names a field: the C library's own and those of bit-fields have other names.
fn is_named(field: &Field) -> bool {
    !field.name.starts_with("__") && !field.name.contains('#')
}
