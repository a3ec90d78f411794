//! Initial contents of objects.

use sapa_ir::goto::Initializer;

use super::irep::Irep;
use super::read::Binary;
use super::types::constant_bits;
use crate::lower::program::{Entity, Lowered, Lowerer};
use crate::lower::types::{CType, Kind};
use crate::position::Position;

impl Lowerer<'_> {
    /// A constant expression as the contents of an object of a type.
    pub(super) fn goto_initializer(
        &mut self,
        binary: &Binary,
        ty: &CType,
        irep: Irep,
        position: Position,
    ) -> Lowered<Initializer> {
        let ireps = &binary.ireps;
        self.spend(position)?;
        let operands = ireps.operands(irep);
        match ireps.id(irep) {
            "constant" => self.constant_contents(binary, ty, irep, position),
            "side_effect" if ireps.value(irep, "statement") == "nondet" => Ok(Initializer::Nondet),
            "nil" => Ok(Initializer::Zero),
            "typecast" => match ireps.operand(irep, 0) {
                Some(inner) => self.cast_contents(binary, ty, irep, inner, position),
                None => self.no_constant(binary, irep, position),
            },
            "address_of" => match ireps.operand(irep, 0) {
                Some(object) => self.address_contents(binary, object, position),
                None => self.no_constant(binary, irep, position),
            },
            "+" if ty.pointee().is_some() => self.address_contents(binary, irep, position),
            "string_constant" => {
                let bytes = ireps.bytes(irep, "value").iter();
                let most = match ty.kind {
                    Kind::Array(_, Some(count)) => usize::try_from(count).unwrap_or(usize::MAX),
                    _ => usize::MAX,
                };
                let items = bytes.take(most).map(|byte| Initializer::Int(u128::from(*byte)));
                Ok(Initializer::Aggregate(items.collect()))
            }
            "array" => {
                let Kind::Array(element, _) = &ty.kind else {
                    return self.no_constant(binary, irep, position);
                };
                let items = operands
                    .iter()
                    .map(|item| self.goto_initializer(binary, element, *item, position));
                Ok(Initializer::Aggregate(items.collect::<Lowered<_>>()?))
            }
            "array_of" => {
                let (Kind::Array(element, Some(count)), Some(item)) =
                    (&ty.kind, ireps.operand(irep, 0))
                else {
                    return self.no_constant(binary, irep, position);
                };
                match self.goto_initializer(binary, element, item, position)? {
                    item if is_zero(&item) => Ok(Initializer::Zero),
                    item if *count <= 1 << 16 => {
                        let count = usize::try_from(*count).unwrap_or(0);
                        Ok(Initializer::Aggregate(vec![item; count]))
                    }
                    _ => self.error(position, "an array of this size with equal elements"),
                }
            }
            "struct" => self.struct_contents(binary, ty, irep, position),
            "union" => {
                let Kind::Record(id) = ty.kind else {
                    return self.no_constant(binary, irep, position);
                };
                let name = ireps.value(irep, "component_name");
                let member = self
                    .record(id)
                    .and_then(|record| record.members.iter().find(|m| m.name == name).cloned());
                let (Some(member), Some(value)) = (member, ireps.operand(irep, 0)) else {
                    return self.no_constant(binary, irep, position);
                };
                if member.bits.is_some() {
                    return self.no_constant(binary, irep, position);
                }
                let value = self.goto_initializer(binary, &member.ty, value, position)?;
                let mut items = vec![Initializer::Zero; member.field.index()];
                items.push(value);
                Ok(Initializer::Aggregate(items))
            }
            "empty_union" => Ok(Initializer::Zero),
            "symbol" => {
                // An object of enumeration type, or a constant object.
                let name = ireps.value(irep, "identifier");
                match binary.symbol(name) {
                    Some(symbol) if ireps.flag(symbol.ty, "#constant") => {
                        self.goto_initializer(binary, ty, symbol.value, position)
                    }
                    _ => self.no_constant(binary, irep, position),
                }
            }
            _ => self.no_constant(binary, irep, position),
        }
    }

    fn no_constant<T>(&mut self, binary: &Binary, irep: Irep, position: Position) -> Lowered<T> {
        let id = binary.ireps.id(irep);
        self.error(position, format!("the expression '{id}' is not supported as initial contents"))
    }

    /// Counts an expression, so that shared trees end.
    pub(super) fn spend(&mut self, position: Position) -> Lowered<()> {
        match self.goto().budget.checked_sub(1) {
            Some(left) => {
                self.goto().budget = left;
                Ok(())
            }
            None => self.error(position, "the expressions of this binary are too large"),
        }
    }

    fn constant_contents(
        &mut self,
        binary: &Binary,
        ty: &CType,
        irep: Irep,
        position: Position,
    ) -> Lowered<Initializer> {
        let ireps = &binary.ireps;
        let value = match ireps.value(irep, "value") {
            "true" => Some(1),
            "false" | "NULL" => Some(0),
            _ => constant_bits(binary, irep),
        };
        match value {
            Some(0) => Ok(Initializer::Zero),
            Some(value) if ty.is_scalar() => Ok(Initializer::Int(value)),
            _ => self.no_constant(binary, irep, position),
        }
    }

    /// A cast of a constant: of an address, or of an integer of another width.
    fn cast_contents(
        &mut self,
        binary: &Binary,
        ty: &CType,
        irep: Irep,
        inner: Irep,
        position: Position,
    ) -> Lowered<Initializer> {
        let ireps = &binary.ireps;
        let Some(from) = ireps.get(inner, "type").map(|from| self.goto_type(binary, from)) else {
            return self.no_constant(binary, irep, position);
        };
        let value = self.goto_initializer(binary, &from, inner, position)?;
        match (value, &ty.kind) {
            (Initializer::Int(value), Kind::Bool) => Ok(Initializer::Int(u128::from(value != 0))),
            (Initializer::Int(value), _)
                if from.is_integer() && !matches!(ty.kind, Kind::Float(_)) =>
            {
                let width = from.in_memory().ok().and_then(|m| m.bits(&self.module)).unwrap_or(128);
                let shift = 128 - u32::from(width.clamp(1, 128));
                let wide = if from.is_signed() {
                    (((value << shift) as i128) >> shift) as u128
                } else {
                    value
                };
                let bits = ty.in_memory().ok().and_then(|m| m.bits(&self.module)).unwrap_or(128);
                Ok(Initializer::Int(wide & (u128::MAX >> (128 - bits.clamp(1, 128)))))
            }
            (Initializer::Int(_), _) if !ty.is_scalar() || matches!(ty.kind, Kind::Float(_)) => {
                self.no_constant(binary, irep, position)
            }
            (value, _) => Ok(value),
        }
    }

    /// The address of an object or of a part of it.
    fn address_contents(
        &mut self,
        binary: &Binary,
        object: Irep,
        position: Position,
    ) -> Lowered<Initializer> {
        let ireps = &binary.ireps;
        self.spend(position)?;
        let moved = |base: Initializer, by: i128| match base {
            Initializer::Global(id, offset) => i64::try_from(by)
                .ok()
                .and_then(|by| offset.checked_add(by))
                .map(|offset| Initializer::Global(id, offset)),
            _ => None,
        };
        let ty_of = |lowerer: &mut Self, irep: Irep| {
            ireps.get(irep, "type").map(|ty| lowerer.goto_type(binary, ty))
        };
        let result = match ireps.id(object) {
            "symbol" => {
                let name = ireps.value(object, "identifier");
                match self.goto_symbol(binary, name, position)? {
                    Entity::Global(id, _) => Some(Initializer::Global(id, 0)),
                    Entity::Function(ty) => {
                        Some(Initializer::Function(self.function(name, &ty, position)))
                    }
                    _ => None,
                }
            }
            "string_constant" => {
                let location = self.location(position, sapa_ir::goto::NameId(0));
                let bytes = ireps.bytes(object, "value").to_vec();
                let count = bytes.len() as u64 + 1;
                let ty = Kind::Array(Box::new(self.integers().char()), Some(count)).into();
                let id = self.add_string(bytes.into_iter().map(u32::from), &ty, location);
                id.ok().map(|id| Initializer::Global(id, 0))
            }
            "index" => match (ireps.operand(object, 0), ireps.operand(object, 1)) {
                (Some(array), Some(index)) => {
                    let base = self.address_contents(binary, array, position)?;
                    let size = ty_of(self, object).and_then(|ty| self.size_of(&ty)).unwrap_or(0);
                    let index = constant_bits(binary, index).map(|bits| bits as i64);
                    index.and_then(|i| moved(base, i128::from(i) * i128::from(size)))
                }
                _ => None,
            },
            "member" => match ireps.operand(object, 0) {
                Some(inner) => {
                    let base = self.address_contents(binary, inner, position)?;
                    let ty = ty_of(self, inner);
                    let name = ireps.value(object, "component_name");
                    let path = ty.and_then(|ty| self.member(&ty, name));
                    path.filter(|path| path.bits.is_none()).and_then(|path| {
                        let offset = path.steps.iter().try_fold(0i128, |sum, (id, field)| {
                            let fields = &self.module.structs.get(id.index())?.fields;
                            Some(sum + i128::from(fields.get(field.index())?.offset))
                        });
                        moved(base, offset?)
                    })
                }
                None => None,
            },
            "+" => match (ireps.operand(object, 0), ireps.operand(object, 1)) {
                (Some(pointer), Some(index)) => {
                    let ty = ty_of(self, pointer).unwrap_or_else(|| Kind::Void.into());
                    let base = self.goto_initializer(binary, &ty, pointer, position)?;
                    let size = ty.pointee().and_then(|inner| self.size_of(inner)).unwrap_or(0);
                    let index = constant_bits(binary, index).map(|bits| bits as i64);
                    index.and_then(|i| moved(base, i128::from(i) * i128::from(size)))
                }
                _ => None,
            },
            "dereference" => match ireps.operand(object, 0) {
                Some(pointer) => {
                    let ty = ty_of(self, pointer).unwrap_or_else(|| Kind::Void.into());
                    Some(self.goto_initializer(binary, &ty, pointer, position)?)
                }
                None => None,
            },
            _ => None,
        };
        match result {
            Some(result) => Ok(result),
            None => self.no_constant(binary, object, position),
        }
    }

    /// The members of a structure, at the places of the IR's fields.
    fn struct_contents(
        &mut self,
        binary: &Binary,
        ty: &CType,
        irep: Irep,
        position: Position,
    ) -> Lowered<Initializer> {
        let Kind::Record(id) = ty.kind else { return self.no_constant(binary, irep, position) };
        let values = self.component_values(binary, irep);
        let members = self.record(id).map_or(Vec::new(), |record| record.members.clone());
        let mut items: Vec<Initializer> = Vec::new();
        for (member, value) in members.into_iter().zip(values) {
            let value = self.goto_initializer(binary, &member.ty, value, position)?;
            // glibc's initialisers of mutexes that are not of the default kind.
            if member.name == "__kind" && !is_zero(&value) {
                self.mutexes.find_kind();
            }
            let index = member.field.index();
            if items.len() <= index {
                items.resize(index + 1, Initializer::Zero);
            }
            let Some(slot) = items.get_mut(index) else { continue };
            match (member.bits, value) {
                (Some(field), Initializer::Int(bits)) => field.put(bits, slot),
                (Some(_), _) => {}
                (None, value) => *slot = value,
            }
        }
        Ok(Initializer::Aggregate(items))
    }

    /// The operands of a structure's value that are no padding.
    pub(super) fn component_values(&self, binary: &Binary, irep: Irep) -> Vec<Irep> {
        let ireps = &binary.ireps;
        let ty = ireps.get(irep, "type");
        let body = ty.and_then(|ty| match ireps.id(ty) {
            "struct_tag" => binary.symbol(ireps.value(ty, "identifier")).map(|symbol| symbol.ty),
            _ => Some(ty),
        });
        let components = body
            .and_then(|body| ireps.get(body, "components"))
            .map_or(&[][..], |list| ireps.operands(list));
        let values = ireps.operands(irep);
        components
            .iter()
            .zip(values)
            .filter(|(component, _)| !ireps.flag(**component, "#is_padding"))
            .map(|(_, value)| *value)
            .collect()
    }
}

fn is_zero(initializer: &Initializer) -> bool {
    match initializer {
        Initializer::Zero | Initializer::Int(0) => true,
        Initializer::Aggregate(items) => items.iter().all(is_zero),
        _ => false,
    }
}
