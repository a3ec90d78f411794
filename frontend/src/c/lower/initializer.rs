//! Initialisers: to values of globals and to stores into locals.

use sapa_ir::goto::{Initializer as Constant, Operand};

use crate::c::ast::{
    BinaryOperator, DesignatorKind, Expression, ExpressionKind, Initializer, InitializerItem,
    InitializerKind, UnaryOperator,
};
use crate::lower::body::{Body, Place, Value};
use crate::lower::layout::BitField;
use crate::lower::program::{Entity, Lowered, Lowerer, MutexKinds};
use crate::lower::types::{CType, Kind};
use crate::position::Position;

/// Most elements that one range of designators sets.
const MAX_RANGE: u64 = 1 << 20;

/// One scalar (or whole record) that an initialiser sets: indices of elements
/// and fields on the way, its type and its expression.
struct Item<'a> {
    path: Vec<u64>,
    ty: CType,
    expression: &'a Expression,
}

impl Lowerer<'_> {
    /// The type of an object, its size taken from the initialiser if it has none.
    pub fn complete(&mut self, ty: CType, initializer: &Initializer) -> Lowered<CType> {
        let Kind::Array(element, None) = &ty.kind else { return Ok(ty) };
        let count = match &initializer.kind {
            InitializerKind::Expression(expression) => match &expression.kind {
                ExpressionKind::String(string) => string.units.len() as u64 + 1,
                _ => {
                    return self
                        .error(initializer.position, "an array needs a list of initialisers");
                }
            },
            InitializerKind::List(items) => {
                if let [InitializerItem { designators, initializer: only }] = items.as_slice()
                    && designators.is_empty()
                    && let InitializerKind::Expression(expression) = &only.kind
                    && let ExpressionKind::String(string) = &expression.kind
                    && element.is_integer()
                {
                    string.units.len() as u64 + 1
                } else {
                    let probe: CType = Kind::Array(element.clone(), Some(u64::MAX)).into();
                    let mut found = Vec::new();
                    self.list(&probe, items, &mut Vec::new(), &mut found, initializer.position)?;
                    found.iter().filter_map(|item| item.path.first()).max().map_or(0, |max| max + 1)
                }
            }
        };
        Ok(CType { kind: Kind::Array(element.clone(), Some(count)), ..ty })
    }

    /// The scalars that an initialiser sets, in order.
    fn items<'a>(
        &mut self,
        ty: &CType,
        initializer: &'a Initializer,
        path: &mut Vec<u64>,
        found: &mut Vec<Item<'a>>,
    ) -> Lowered<()> {
        match &initializer.kind {
            InitializerKind::Expression(expression) => {
                found.push(Item { path: path.clone(), ty: ty.clone(), expression });
                Ok(())
            }
            InitializerKind::List(items) => match (&ty.kind, items.as_slice()) {
                (Kind::Array(element, _), [only])
                    if only.designators.is_empty()
                        && element.is_integer()
                        && matches!(&only.initializer.kind, InitializerKind::Expression(e) if matches!(e.kind, ExpressionKind::String(_))) =>
                {
                    self.items(ty, &only.initializer, path, found)
                }
                (Kind::Array(..) | Kind::Record(_), items) => {
                    self.list(ty, items, path, found, initializer.position)
                }
                // A scalar in braces.
                (_, [only]) => self.items(ty, &only.initializer, path, found),
                (_, []) => Ok(()),
                _ => self.error(initializer.position, "a scalar has one initialiser"),
            },
        }
    }

    fn list<'a>(
        &mut self,
        ty: &CType,
        items: &'a [InitializerItem],
        path: &mut Vec<u64>,
        found: &mut Vec<Item<'a>>,
        position: Position,
    ) -> Lowered<()> {
        let depth = path.len();
        let mut next = 0;
        let mut index = 0;
        while let Some(item) = items.get(index) {
            if !item.designators.is_empty() {
                let mut current = ty.clone();
                let mut steps = Vec::new();
                let mut last = None;
                for designator in &item.designators {
                    let step = match &designator.kind {
                        DesignatorKind::Index(value) => {
                            self.constant(value).and_then(|(v, _)| u64::try_from(v).ok())
                        }
                        DesignatorKind::Member(name) => {
                            // Through anonymous members the way has several steps.
                            let Some(mut way) = self.member_indices(&current, name) else {
                                return self.no_member(designator.position);
                            };
                            let last = way.pop();
                            for step in way {
                                steps.push(step);
                                match self.child(&current, step) {
                                    Some((child, _)) => current = child,
                                    None => return self.no_member(designator.position),
                                }
                            }
                            last
                        }
                        DesignatorKind::Range(low, high) => {
                            last = self.constant(high).and_then(|(v, _)| u64::try_from(v).ok());
                            if last.is_none() || !self.may_repeat(&item.initializer) {
                                return self.error(
                                    designator.position,
                                    "a range needs constant ends and a constant initialiser",
                                );
                            }
                            self.constant(low).and_then(|(v, _)| u64::try_from(v).ok())
                        }
                    };
                    let child =
                        step.and_then(|step| self.child(&current, step).map(|child| (step, child)));
                    let Some((step, (child, _))) = child else {
                        return self.no_member(designator.position);
                    };
                    steps.push(step);
                    current = child;
                }
                let first = steps.last().copied().unwrap_or(0);
                let last = last.unwrap_or(first);
                if last.saturating_sub(first) > MAX_RANGE {
                    return self.error(position, "a range of designators of this size");
                }
                for step in first..=last {
                    if let Some(end) = steps.last_mut() {
                        *end = step;
                    }
                    path.extend(&steps);
                    let result = self.items(&current, &item.initializer, path, found);
                    path.truncate(depth);
                    result?;
                }
                next = steps.first().copied().unwrap_or(0) + 1;
                index += 1;
                continue;
            }
            let Some((child, _)) = self.child(ty, next) else {
                return self.error(position, "too many initialisers");
            };
            path.push(next);
            let braced = matches!(item.initializer.kind, InitializerKind::List(_));
            let whole = matches!(&item.initializer.kind, InitializerKind::Expression(e)
                if matches!(e.kind, ExpressionKind::String(_)) && matches!(&child.kind, Kind::Array(element, _) if element.is_integer()));
            let is_record = matches!(child.kind, Kind::Record(_))
                && matches!(&item.initializer.kind, InitializerKind::Expression(e)
                    if self.type_of(e).is_ok_and(|t| t.kind == child.kind));
            let result = if braced || whole || child.is_scalar() || is_record {
                index += 1;
                self.items(&child, &item.initializer, path, found)
            } else {
                // Braces left out: the member takes as many items as it has scalars.
                self.elided(&child, items, &mut index, path, found)
            };
            path.truncate(depth);
            result?;
            next += 1;
            if self.is_union(ty) {
                // Only the first member of a union is initialised.
                break;
            }
        }
        Ok(())
    }

    fn elided<'a>(
        &mut self,
        ty: &CType,
        items: &'a [InitializerItem],
        index: &mut usize,
        path: &mut Vec<u64>,
        found: &mut Vec<Item<'a>>,
    ) -> Lowered<()> {
        let mut next = 0;
        while let Some((child, _)) = self.child(ty, next) {
            let Some(item) = items.get(*index) else { break };
            if !item.designators.is_empty() {
                break;
            }
            path.push(next);
            let result =
                if child.is_scalar() || matches!(item.initializer.kind, InitializerKind::List(_)) {
                    *index += 1;
                    self.items(&child, &item.initializer, path, found)
                } else {
                    self.elided(&child, items, index, path, found)
                };
            path.pop();
            result?;
            next += 1;
            if self.is_union(ty) {
                break;
            }
        }
        Ok(())
    }

    fn no_member<T>(&mut self, position: Position) -> Lowered<T> {
        self.error(position, "this designator names no member")
    }

    /// The indices of members on the way to the one of this name.
    fn member_indices(&self, ty: &CType, name: &str) -> Option<Vec<u64>> {
        let Kind::Record(id) = ty.kind else { return None };
        for (index, member) in (0..).zip(&self.record(id)?.members) {
            if member.name == name {
                return Some(vec![index]);
            }
            if member.name.is_empty()
                && let Some(mut way) = self.member_indices(&member.ty, name)
            {
                way.insert(0, index);
                return Some(way);
            }
        }
        None
    }

    /// Whether an initialiser means the same however often it is evaluated.
    fn may_repeat(&mut self, initializer: &Initializer) -> bool {
        match &initializer.kind {
            InitializerKind::Expression(expression) => {
                matches!(expression.kind, ExpressionKind::String(_))
                    || self.constant(expression).is_some()
                    || self.float_value(expression).is_some()
                    || self.address(expression).is_some()
            }
            InitializerKind::List(items) => {
                items.iter().all(|item| self.may_repeat(&item.initializer))
            }
        }
    }

    /// The constant initial contents of a global.
    pub fn global_initializer(
        &mut self,
        ty: &CType,
        initializer: &Initializer,
    ) -> Lowered<Constant> {
        let mut found = Vec::new();
        self.items(ty, initializer, &mut Vec::new(), &mut found)?;
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
            *into = match (bits, &*into, constant) {
                (Some(field), before, Constant::Int(value)) => {
                    let before = if let Constant::Int(before) = before { *before } else { 0 };
                    let mask = u128::MAX >> (128 - field.width);
                    let kept = before & !(mask << field.offset);
                    Constant::Int(kept | (value & mask) << field.offset)
                }
                (_, _, constant) => constant,
            };
            return;
        };
        let Some((child, bits)) = self.child(ty, first) else { return };
        // Fields of the IR are not the members of C where there are bit-fields.
        let index = match ty.kind {
            Kind::Record(id) => {
                let members = self.record(id).map_or(&[][..], |record| &record.members);
                let member = usize::try_from(first).ok().and_then(|first| members.get(first));
                let Some(member) = member else { return };
                let (index, is_kind) = (member.field.index(), member.name == "__kind");
                // glibc's initialisers of mutexes that are not of the default kind.
                if is_kind
                    && constant != Constant::Int(0)
                    && self.mutex_kinds == MutexKinds::OnlyDefault
                {
                    self.mutex_kinds = MutexKinds::Found;
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
        if let Some((value, _)) = self.constant(item.expression) {
            let value = super::constant::wrap(value, &item.ty);
            let bits = match item.ty.kind {
                Kind::Bool => 8,
                Kind::Int { bits, .. } => bits,
                _ => self.module.target.pointer_bits,
            };
            let Operand::Int { value, .. } = Operand::int(bits, value as u128) else {
                return Ok(Constant::Zero);
            };
            return Ok(Constant::Int(value));
        }
        if !item.ty.is_integer() && item.ty.pointee().is_none() {
            return self.error(position, "the initialiser of a global must be constant");
        }
        match self.address(item.expression) {
            Some(constant) => Ok(constant),
            None => self.error(position, "the initialiser of a global must be constant"),
        }
    }

    /// The address constant that an expression is.
    fn address(&mut self, expression: &Expression) -> Option<Constant> {
        match &expression.kind {
            ExpressionKind::Cast { operand, .. } => self.address(operand),
            ExpressionKind::Unary { operator: UnaryOperator::AddressOf, operand } => {
                self.object(operand)
            }
            ExpressionKind::String(string) => {
                let element = self.integers().char();
                let ty = Kind::Array(Box::new(element), Some(string.units.len() as u64 + 1)).into();
                let location = self.location(expression.position, sapa_ir::goto::NameId(0));
                let id = self.add_string(string.units.iter().copied(), &ty, location).ok()?;
                Some(Constant::Global(id, 0))
            }
            ExpressionKind::CompoundLiteral { .. } => self.object(expression),
            ExpressionKind::Member { .. } | ExpressionKind::Index { .. }
                if self.type_of(expression).is_ok_and(|t| matches!(t.kind, Kind::Array(..))) =>
            {
                self.object(expression)
            }
            ExpressionKind::Identifier(name) => match self.lookup(name).cloned()? {
                Entity::Global(global, ty) if matches!(ty.kind, Kind::Array(..)) => {
                    Some(Constant::Global(global, 0))
                }
                Entity::Function(ty) => {
                    Some(Constant::Function(self.function(name, &ty, expression.position)))
                }
                _ => None,
            },
            ExpressionKind::Binary {
                operator: operator @ (BinaryOperator::Add | BinaryOperator::Subtract),
                left,
                right,
            } => {
                let Constant::Global(global, offset) = self.address(left)? else { return None };
                let (mut index, _) = self.constant(right)?;
                if *operator == BinaryOperator::Subtract {
                    index = index.checked_neg()?;
                }
                let ty = self.type_of(left).ok()?.decayed();
                let size = i64::try_from(self.size_of(ty.pointee()?)?).ok()?;
                let distance = i64::try_from(index).ok()?.checked_mul(size)?;
                Some(Constant::Global(global, offset.checked_add(distance)?))
            }
            _ => None,
        }
    }

    fn object(&mut self, expression: &Expression) -> Option<Constant> {
        match &expression.kind {
            ExpressionKind::Unary { operator: UnaryOperator::Dereference, operand } => {
                self.address(operand)
            }
            ExpressionKind::CompoundLiteral { type_name, initializer } => {
                let ty = self.type_name(type_name).ok()?;
                let ty = self.complete(ty, initializer).ok()?;
                let value = self.global_initializer(&ty, initializer).ok()?;
                let location = self.location(expression.position, sapa_ir::goto::NameId(0));
                let id = self.add_global("literal#", &ty, Constant::Zero, location).ok()?;
                self.set_initializer(id, value, expression.position).ok()?;
                Some(Constant::Global(id, 0))
            }
            ExpressionKind::Identifier(name) => match self.lookup(name).cloned()? {
                Entity::Global(global, _) => Some(Constant::Global(global, 0)),
                Entity::Function(ty) => {
                    Some(Constant::Function(self.function(name, &ty, expression.position)))
                }
                _ => None,
            },
            ExpressionKind::Index { array, index } => {
                let Constant::Global(global, offset) =
                    self.address(array).or_else(|| self.object(array))?
                else {
                    return None;
                };
                let (index, _) = self.constant(index)?;
                let ty = self.type_of(expression).ok()?;
                let size = i64::try_from(self.size_of(&ty)?).ok()?;
                let distance = i64::try_from(index).ok()?.checked_mul(size)?;
                Some(Constant::Global(global, offset.checked_add(distance)?))
            }
            ExpressionKind::Member { object, member, arrow } => {
                let base = if *arrow { self.address(object)? } else { self.object(object)? };
                let Constant::Global(global, mut offset) = base else {
                    return None;
                };
                let mut ty = self.type_of(object).ok()?;
                if *arrow {
                    ty = ty.decayed().pointee()?.clone();
                }
                let path = self.member(&ty, &member.name)?;
                if path.bits.is_some() {
                    return None;
                }
                for (structure, field) in path.steps {
                    let field =
                        self.module.structs.get(structure.index())?.fields.get(field.index())?;
                    offset = offset.checked_add(i64::try_from(field.offset).ok()?)?;
                }
                Some(Constant::Global(global, offset))
            }
            _ => None,
        }
    }
}

impl Body<'_, '_> {
    /// Stores an initialiser into an object that was just made. What a list leaves out is zero.
    pub fn initialize(&mut self, place: &Place, initializer: &Initializer) -> Lowered<()> {
        let mut found = Vec::new();
        self.unit.items(&place.ty, initializer, &mut Vec::new(), &mut found)?;
        let position = initializer.position;
        let is_list = matches!(initializer.kind, InitializerKind::List(_));
        let is_whole = found.iter().any(|item| item.path.is_empty() && !is_string(item));
        if !place.ty.is_scalar() && (is_list || !is_whole) && !self.sets_all(&place.ty, &found) {
            self.zero(place, position)?;
        }
        for item in found {
            let mut target = place.clone();
            for &step in &item.path {
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

fn is_string(item: &Item<'_>) -> bool {
    matches!(item.expression.kind, ExpressionKind::String(_))
        && matches!(item.ty.kind, Kind::Array(..))
}
