//! Initialisers: to values of globals and to stores into locals.

use sapa_ir::goto::{Initializer as Constant, Op, Operand, Type};

use super::body::{Body, Place};
use super::types::{CType, Kind};
use super::unit::{Entity, Lowered, Lowerer};
use crate::c::ast::{
    DesignatorKind, Expression, ExpressionKind, Initializer, InitializerItem, InitializerKind,
    UnaryOperator,
};
use crate::c::position::Position;

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

    /// The member of an aggregate at an index: its type.
    fn child(&mut self, ty: &CType, index: u64) -> Option<CType> {
        match &ty.kind {
            Kind::Array(element, count) => {
                count.is_none_or(|count| index < count).then(|| (**element).clone())
            }
            Kind::Record(id) => {
                let fields = self.records.get(id.index())?.as_ref()?;
                fields.get(usize::try_from(index).ok()?).map(|(_, ty)| ty.clone())
            }
            _ => None,
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
                for designator in &item.designators {
                    let step = match &designator.kind {
                        DesignatorKind::Index(value) => {
                            self.constant(value).and_then(|(v, _)| u64::try_from(v).ok())
                        }
                        DesignatorKind::Member(name) => match current.kind {
                            Kind::Record(id) => self
                                .records
                                .get(id.index())
                                .and_then(|fields| {
                                    fields.as_ref()?.iter().position(|(field, _)| **field == **name)
                                })
                                .map(|index| index as u64),
                            _ => None,
                        },
                        DesignatorKind::Range(..) => {
                            return self.error(
                                designator.position,
                                "ranges of designators are not supported",
                            );
                        }
                    };
                    let child =
                        step.and_then(|step| self.child(&current, step).map(|child| (step, child)));
                    let Some((step, child)) = child else {
                        return self.error(designator.position, "this designator names no member");
                    };
                    steps.push(step);
                    current = child;
                }
                next = steps.first().copied().unwrap_or(0) + 1;
                path.extend(steps);
                let result = self.items(&current, &item.initializer, path, found);
                path.truncate(depth);
                result?;
                index += 1;
                continue;
            }
            let Some(child) = self.child(ty, next) else {
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
        while let Some(child) = self.child(ty, next) {
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

    /// Whether the members of a type lie over each other.
    fn is_union(&self, ty: &CType) -> bool {
        let Kind::Record(id) = ty.kind else { return false };
        let fields = self.module.structs.get(id.index()).map_or(&[][..], |s| &s.fields);
        fields.len() > 1 && fields.iter().all(|field| field.offset == 0)
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
            self.place_constant(ty, &item.path, constant, &mut result);
        }
        Ok(result)
    }

    fn place_constant(
        &mut self,
        ty: &CType,
        path: &[u64],
        constant: Constant,
        into: &mut Constant,
    ) {
        let Some((&first, rest)) = path.split_first() else {
            *into = constant;
            return;
        };
        let Some(child) = self.child(ty, first) else { return };
        if !matches!(into, Constant::Aggregate(_)) {
            *into = Constant::Aggregate(Vec::new());
        }
        let Constant::Aggregate(items) = into else { return };
        let Ok(index) = usize::try_from(first) else { return };
        if items.len() <= index {
            items.resize(index + 1, Constant::Zero);
        }
        if let Some(slot) = items.get_mut(index) {
            self.place_constant(&child, rest, constant, slot);
        }
    }

    fn constant_item(&mut self, item: &Item<'_>) -> Lowered<Constant> {
        let position = item.expression.position;
        if let (ExpressionKind::String(string), Kind::Array(..)) =
            (&item.expression.kind, &item.ty.kind)
        {
            return Ok(Constant::Aggregate(
                string.units.iter().map(|&u| Constant::Int(u128::from(u))).collect(),
            ));
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
                operator: crate::c::ast::BinaryOperator::Add,
                left,
                right,
            } => {
                let Constant::Global(global, offset) = self.address(left)? else { return None };
                let (index, _) = self.constant(right)?;
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
            ExpressionKind::Member { object, member, arrow: false } => {
                let Constant::Global(global, mut offset) = self.object(object)? else {
                    return None;
                };
                let ty = self.type_of(object).ok()?;
                let (path, _) = self.find_member(&ty, &member.name, member.position).ok()?;
                for (structure, field) in path {
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

/// Stores an initialiser into a local object. What a list leaves out is zero.
pub(crate) fn local(
    body: &mut Body<'_, '_>,
    place: &Place,
    initializer: &Initializer,
) -> Lowered<()> {
    let mut found = Vec::new();
    body.unit.items(&place.ty, initializer, &mut Vec::new(), &mut found)?;
    let position = initializer.position;
    if matches!(place.ty.kind, Kind::Array(..))
        || (matches!(place.ty.kind, Kind::Record(_))
            && matches!(initializer.kind, InitializerKind::List(_)))
    {
        zero(body, place, position)?;
    }
    for item in found {
        let target = member(body, place, &item.path, position)?;
        if let (ExpressionKind::String(string), Kind::Array(..)) =
            (&item.expression.kind, &item.ty.kind)
        {
            for (index, &unit) in string.units.iter().enumerate() {
                let element = member(body, &target, &[index as u64], position)?;
                let bits = body.bits(&element.ty);
                let value = super::body::Value::Scalar(
                    Operand::int(bits, u128::from(unit)),
                    element.ty.clone(),
                );
                body.store(&element, value, position)?;
            }
            continue;
        }
        let value = body.value(item.expression)?;
        body.at(position);
        let value = body.convert(value, &item.ty, item.expression.position)?;
        body.store(&target, value, position)?;
    }
    Ok(())
}

/// The member of an object at a path of indices.
fn member(
    body: &mut Body<'_, '_>,
    place: &Place,
    path: &[u64],
    position: Position,
) -> Lowered<Place> {
    let mut place = place.clone();
    for &step in path {
        let Some(ty) = body.unit.child(&place.ty, step) else {
            return body.error(position, "too many initialisers");
        };
        let address = match place.ty.kind {
            Kind::Record(structure) => {
                let field = sapa_ir::goto::FieldIndex::new(usize::try_from(step).unwrap_or(0));
                body.define(
                    Op::FieldAddress { base: place.address, structure, field },
                    Type::Pointer,
                )
            }
            _ => {
                let Ok(element) = ty.in_memory() else {
                    return body.error(position, "this type is not supported");
                };
                let index = Operand::int(body.pointer_bits(), u128::from(step));
                body.define(Op::IndexAddress { base: place.address, element, index }, Type::Pointer)
            }
        };
        place = Place { address, ty };
    }
    Ok(place)
}

/// Stores zero into every scalar of an object.
fn zero(body: &mut Body<'_, '_>, place: &Place, position: Position) -> Lowered<()> {
    if place.ty.is_scalar() {
        let value = match place.ty.kind {
            Kind::Pointer(_) => Operand::Null,
            _ => Operand::int(body.bits(&place.ty), 0),
        };
        return body.store(place, super::body::Value::Scalar(value, place.ty.clone()), position);
    }
    let mut step = 0;
    while body.unit.child(&place.ty, step).is_some() {
        let element = member(body, place, &[step], position)?;
        zero(body, &element, position)?;
        step += 1;
        if step > 4096 {
            return body.error(
                position,
                "local arrays of more than 4096 elements with an initialiser are not supported",
            );
        }
    }
    Ok(())
}
