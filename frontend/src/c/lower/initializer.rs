//! Initialisers: to values of globals and to stores into locals.

use sapa_ir::goto::{Initializer as Constant, Operand};

use super::designation::{Item, is_text};
use crate::c::ast::{ExpressionKind, Initializer, InitializerKind};
use crate::lower::body::{Body, Place, Value};
use crate::lower::layout::BitField;
use crate::lower::program::{Lowered, Lowerer};
use crate::lower::types::{CType, Kind};

impl Lowerer<'_> {
    /// The constant initial contents of a global.
    pub fn global_initializer(
        &mut self,
        ty: &CType,
        initializer: &Initializer,
    ) -> Lowered<Constant> {
        let found = self.items(ty, initializer)?;
        let mut result = Constant::Zero;
        for item in found {
            let constant = self.constant_item(&item)?;
            self.place_constant(ty, &item.path, constant, None, &mut result);
        }
        Ok(result)
    }

    /// Puts a constant at a path of members and elements.
    fn place_constant(
        &mut self,
        ty: &CType,
        path: &[u64],
        constant: Constant,
        bits: Option<BitField>,
        into: &mut Constant,
    ) {
        let Some((&first, rest)) = path.split_first() else {
            match (bits, constant) {
                (Some(field), Constant::Int(value)) => field.put(value, into),
                (_, constant) => *into = constant,
            }
            return;
        };
        let Some((child, bits)) = self.child(ty, first) else { return };
        // Fields of the IR are not the members of C where there are bit-fields.
        let index = match ty.kind {
            Kind::Record(id) => {
                let members = self.record(id).map_or(&[][..], |record| &record.members);
                let member = usize::try_from(first).ok().and_then(|first| members.get(first));
                let Some(member) = member else { return };
                let index = member.field.index();
                // glibc's initialisers of mutexes that are not of the default kind.
                if self.is_mutex_kind(ty, first) && constant != Constant::Int(0) {
                    self.mutexes.find_kind();
                }
                index
            }
            _ => match usize::try_from(first) {
                Ok(index) => index,
                Err(_) => return,
            },
        };
        if !matches!(into, Constant::Aggregate(_)) {
            *into = Constant::Aggregate(Vec::new());
        }
        let Constant::Aggregate(items) = into else { return };
        if items.len() <= index {
            items.resize(index + 1, Constant::Zero);
        }
        if let Some(slot) = items.get_mut(index) {
            self.place_constant(&child, rest, constant, bits, slot);
        }
    }

    fn constant_item(&mut self, item: &Item<'_>) -> Lowered<Constant> {
        let position = item.expression.position;
        if let (ExpressionKind::String(string), Kind::Array(..)) =
            (&item.expression.kind, &item.ty.kind)
        {
            let most = match item.ty.kind {
                Kind::Array(_, Some(count)) => usize::try_from(count).unwrap_or(usize::MAX),
                _ => usize::MAX,
            };
            let units = string.units.iter().take(most);
            return Ok(Constant::Aggregate(units.map(|&u| Constant::Int(u128::from(u))).collect()));
        }
        if let Kind::Float(_) = item.ty.kind {
            return match self.number_as(item.expression, &item.ty) {
                Some(bits) => Ok(Constant::Int(bits)),
                None => self.error(position, "the initialiser of a global must be constant"),
            };
        }
        if let ExpressionKind::CompoundLiteral { initializer, .. } = &item.expression.kind
            && !item.ty.is_scalar()
        {
            return self.global_initializer(&item.ty.clone(), initializer);
        }
        let not_constant = "the initialiser of a global must be constant";
        let number = match self.constant_as(item.expression, &item.ty) {
            Some(value) => value,
            None if !item.ty.is_scalar() => return self.error(position, not_constant),
            None => match self.address(item.expression) {
                Some(Constant::Int(value)) => super::constant::wrap(value as i128, &item.ty),
                Some(constant) => return Ok(constant),
                None => return self.error(position, not_constant),
            },
        };
        let bits = match item.ty.kind {
            Kind::Bool => 8,
            Kind::Int { bits, .. } => bits,
            _ => self.module.target.pointer_bits,
        };
        match Operand::int(bits, number as u128) {
            Operand::Int { value, .. } => Ok(Constant::Int(value)),
            _ => Ok(Constant::Zero),
        }
    }
}

impl Body<'_, '_> {
    /// Stores an initialiser into an object that was just made. What a list leaves out is zero.
    pub fn initialize(&mut self, place: &Place, initializer: &Initializer) -> Lowered<()> {
        let found = self.unit.items(&place.ty, initializer)?;
        let position = initializer.position;
        let is_list = matches!(initializer.kind, InitializerKind::List(_));
        let is_whole =
            found.iter().any(|item| item.path.is_empty() && !is_text(&item.ty, item.expression));
        if !place.ty.is_scalar() && (is_list || !is_whole) && !self.sets_all(&place.ty, &found) {
            self.zero(place, position)?;
        }
        for item in found {
            let mut target = place.clone();
            for &step in &item.path {
                let is_kind = self.unit.is_mutex_kind(&target.ty, step);
                if is_kind && self.unit.constant(item.expression).is_none_or(|(v, _)| v != 0) {
                    self.unit.mutexes.find_kind();
                }
                target = self.element(&target, step, position)?;
            }
            if let (ExpressionKind::String(string), Kind::Array(_, count)) =
                (&item.expression.kind, &item.ty.kind)
            {
                // A string may be cut off by the array's size.
                let most = count.unwrap_or(u64::MAX);
                for (index, &unit) in (0..most).zip(&string.units) {
                    let element = self.element(&target, index, position)?;
                    let bits = self.bits(&element.ty);
                    let unit = Operand::int(bits, u128::from(unit));
                    let value = Value::Scalar(unit, element.ty.clone());
                    self.store(&element, value, position)?;
                }
                continue;
            }
            let value = self.value(item.expression)?;
            self.at(position);
            let value = self.convert(value, &item.ty, item.expression.position)?;
            self.store(&target, value, position)?;
        }
        Ok(())
    }

    /// Whether items set every element of a flat aggregate, so that nothing is left to be zero.
    fn sets_all(&self, ty: &CType, found: &[Item<'_>]) -> bool {
        let mut count = 0;
        while let Some((child, bits)) = self.unit.child(ty, count) {
            let set = found.get(usize::try_from(count).unwrap_or(usize::MAX));
            if !child.is_scalar() || bits.is_some() || set.is_none_or(|i| i.path != [count]) {
                return false;
            }
            count += 1;
        }
        !self.unit.is_union(ty)
    }
}
