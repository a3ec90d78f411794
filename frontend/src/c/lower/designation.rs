//! Which part of an object each expression of an initialiser is for (C11 6.7.9).

use std::collections::BTreeMap;

use crate::c::ast::{
    Designator, DesignatorKind, Expression, ExpressionKind, Initializer, InitializerItem,
    InitializerKind,
};
use crate::lower::program::{Lowered, Lowerer};
use crate::lower::types::{CType, Kind};
use crate::position::Position;

/// Most elements that the ranges of one list of designators set.
const MAX_RANGE: u64 = 1 << 20;

/// One scalar (or whole aggregate) that an initialiser sets: indices of
/// elements and members on the way, its type and its expression.
pub(super) struct Item<'a> {
    pub path: Vec<u64>,
    pub ty: CType,
    pub expression: &'a Expression,
}

/// What initialises an object. What a later initialiser overrides is gone: as
/// with GCC, it is not evaluated either.
#[derive(Clone, Default)]
struct Node<'a> {
    /// The value of the whole.
    whole: Option<&'a Expression>,
    /// Values of parts by their index, after the whole's.
    parts: BTreeMap<u64, Node<'a>>,
}

/// The way from the object of a braced list to the current one: an aggregate
/// and which of its parts. Several parts for a range of designators.
struct Level {
    ty: CType,
    first: u64,
    last: u64,
}

impl Level {
    fn new(ty: CType) -> Self {
        Self { ty, first: 0, last: 0 }
    }

    fn select(&mut self, first: u64, last: u64) {
        (self.first, self.last) = (first, last);
    }
}

impl Lowerer<'_> {
    /// The type of an object, its size taken from the initialiser if it has none.
    pub fn complete(&mut self, ty: CType, initializer: &Initializer) -> Lowered<CType> {
        let Kind::Array(element, None) = &ty.kind else { return Ok(ty) };
        let probe: CType = Kind::Array(element.clone(), Some(u64::MAX)).into();
        let node = self.node(&probe, initializer)?;
        let count = match node.whole.map(|expression| &expression.kind) {
            Some(ExpressionKind::String(string)) => string.units.len() as u64 + 1,
            Some(_) => {
                return self.error(initializer.position, "an array needs a list of initialisers");
            }
            None => node.parts.last_key_value().map_or(0, |(last, _)| last + 1),
        };
        Ok(CType { kind: Kind::Array(element.clone(), Some(count)), ..ty })
    }

    /// What an initialiser sets, each part of the object once and in its order.
    pub(super) fn items<'a>(
        &mut self,
        ty: &CType,
        initializer: &'a Initializer,
    ) -> Lowered<Vec<Item<'a>>> {
        let node = self.node(ty, initializer)?;
        let mut found = Vec::new();
        self.collect(ty, &node, &mut Vec::new(), &mut found);
        let is_flexible = |item: &&Item<'_>| matches!(item.ty.kind, Kind::Array(_, Some(0)));
        match found.iter().find(is_flexible) {
            Some(item) => {
                let position = item.expression.position;
                self.error(position, "the initialiser of a flexible array member is not supported")
            }
            None => Ok(found),
        }
    }

    fn collect<'a>(
        &self,
        ty: &CType,
        node: &Node<'a>,
        path: &mut Vec<u64>,
        found: &mut Vec<Item<'a>>,
    ) {
        if let Some(expression) = node.whole {
            found.push(Item { path: path.clone(), ty: ty.clone(), expression });
        }
        for (&index, part) in &node.parts {
            if let Some((child, _)) = self.child(ty, index) {
                path.push(index);
                self.collect(&child, part, path, found);
                path.pop();
            }
        }
    }

    fn node<'a>(&mut self, ty: &CType, initializer: &'a Initializer) -> Lowered<Node<'a>> {
        let items = match &initializer.kind {
            InitializerKind::Expression(expression) => {
                let whole = Some(self.chosen(expression)?);
                return Ok(Node { whole, ..Node::default() });
            }
            InitializerKind::List(items) => items.as_slice(),
        };
        match (&ty.kind, items) {
            // A string may stand in braces.
            (Kind::Array(..), [InitializerItem { designators, initializer: only }])
                if designators.is_empty() && self.is_text(ty, only)? =>
            {
                self.node(ty, only)
            }
            (Kind::Array(_, Some(0)), [_, ..]) => self.error(
                initializer.position,
                "the initialiser of a flexible array member is not supported",
            ),
            (Kind::Array(..) | Kind::Record(_), items) => {
                self.list(ty, items, initializer.position)
            }
            // And a scalar.
            (_, [only]) if only.designators.is_empty() => self.node(ty, &only.initializer),
            (_, []) => Ok(Node::default()),
            _ => self.error(initializer.position, "a scalar has one initialiser"),
        }
    }

    /// The expression that `_Generic` or `__builtin_choose_expr` stands for, or that it is itself.
    fn chosen<'e>(&mut self, mut expression: &'e Expression) -> Lowered<&'e Expression> {
        loop {
            expression = match &expression.kind {
                ExpressionKind::Generic { .. } => match self.selected(expression)? {
                    Some(chosen) => chosen,
                    None => return Ok(expression),
                },
                ExpressionKind::ChooseExpression { condition, then, otherwise } => {
                    match self.constant(condition) {
                        Some((0, _)) => otherwise,
                        Some(_) => then,
                        None => return Ok(expression),
                    }
                }
                _ => return Ok(expression),
            };
        }
    }

    /// Whether an initialiser is a string literal for an array.
    fn is_text(&mut self, ty: &CType, initializer: &Initializer) -> Lowered<bool> {
        Ok(match &initializer.kind {
            InitializerKind::Expression(expression) => is_text(ty, self.chosen(expression)?),
            InitializerKind::List(_) => false,
        })
    }

    /// A braced list: each item is for the object that its designators name,
    /// else for the one after the last item's; there is always a current object.
    fn list<'a>(
        &mut self,
        ty: &CType,
        items: &'a [InitializerItem],
        position: Position,
    ) -> Lowered<Node<'a>> {
        let mut node = Node::default();
        let mut way = vec![Level::new(ty.clone())];
        for item in items {
            if !item.designators.is_empty() {
                way.truncate(1);
                self.designate(&mut way, &item.designators)?;
                self.check_range(&way, &item.initializer, position)?;
            }
            let object = self.current(&mut way, &item.initializer, position)?;
            let value = self.node(&object, &item.initializer)?;
            self.put(&mut node, &way, &value, item.initializer.position)?;
            // The next object is the one after the last of a range.
            for level in &mut way {
                level.select(level.last, level.last);
            }
            self.advance(&mut way);
        }
        Ok(node)
    }

    /// Makes the next part of the innermost aggregate the current object.
    fn advance(&self, way: &mut [Level]) {
        if let Some(level) = way.last_mut() {
            // Only one member of a union is initialised.
            let next =
                if self.is_union(&level.ty) { u64::MAX } else { level.last.saturating_add(1) };
            level.select(next, next);
        }
    }

    /// The object that designators name, from that of the braces on.
    fn designate(&mut self, way: &mut Vec<Level>, designators: &[Designator]) -> Lowered<()> {
        for (index, designator) in designators.iter().enumerate() {
            let position = designator.position;
            if index > 0 {
                self.go_inside(way, position)?;
            }
            let is_array = |way: &[Level]| {
                way.last().is_some_and(|level| matches!(level.ty.kind, Kind::Array(..)))
            };
            match &designator.kind {
                DesignatorKind::Index(value) if is_array(way) => match self.index(value) {
                    Some(value) => self.select(way, value, value, position)?,
                    None => return self.no_member(position),
                },
                DesignatorKind::Range(low, high) if is_array(way) => {
                    match (self.index(low), self.index(high)) {
                        (Some(low), Some(high)) if low <= high => {
                            self.select(way, low, high, position)?;
                        }
                        _ => return self.error(position, "a range needs constant ends"),
                    }
                }
                DesignatorKind::Member(name) => {
                    let members = way.last().and_then(|l| self.member_indices(&l.ty, name));
                    let Some(members) = members else { return self.no_member(position) };
                    // Through anonymous members the way has several steps.
                    for (step, member) in members.into_iter().enumerate() {
                        if step > 0 {
                            self.go_inside(way, position)?;
                        }
                        self.select(way, member, member, position)?;
                    }
                }
                _ => return self.no_member(position),
            }
        }
        Ok(())
    }

    fn index(&mut self, expression: &Expression) -> Option<u64> {
        self.constant(expression).and_then(|(value, _)| u64::try_from(value).ok())
    }

    /// Goes on inside of the current object.
    fn go_inside(&mut self, way: &mut Vec<Level>, position: Position) -> Lowered<()> {
        match way.last().and_then(|level| self.child(&level.ty, level.last)) {
            Some((child, _)) => {
                way.push(Level::new(child));
                Ok(())
            }
            None => self.no_member(position),
        }
    }

    /// Makes parts of the innermost aggregate the current object.
    fn select(
        &mut self,
        way: &mut [Level],
        first: u64,
        last: u64,
        position: Position,
    ) -> Lowered<()> {
        match way.last_mut() {
            Some(level) if self.child(&level.ty, last).is_some() => {
                level.select(first, last);
                Ok(())
            }
            _ => self.no_member(position),
        }
    }

    fn no_member<T>(&mut self, position: Position) -> Lowered<T> {
        self.error(position, "this designator names no member")
    }

    fn check_range(
        &mut self,
        way: &[Level],
        initializer: &Initializer,
        position: Position,
    ) -> Lowered<()> {
        let mut count = 1u64;
        for level in way {
            count = count.saturating_mul((level.last - level.first).saturating_add(1));
        }
        if count > MAX_RANGE {
            return self.error(position, "a range of designators of this size");
        }
        if count > 1 && !self.may_repeat(initializer) {
            return self.error(initializer.position, "a range needs a constant initialiser");
        }
        Ok(())
    }

    /// The type of the object that an initialiser is for: the current one, or,
    /// if that takes no such value, the first in it that does.
    fn current(
        &mut self,
        way: &mut Vec<Level>,
        initializer: &Initializer,
        position: Position,
    ) -> Lowered<CType> {
        loop {
            let Some(level) = way.last() else {
                return self.error(position, "too many initialisers");
            };
            if let Some((child, _)) = self.child(&level.ty, level.last) {
                if self.takes(&child, initializer)? {
                    return Ok(child);
                }
                way.push(Level::new(child));
                continue;
            }
            // An aggregate that is full: after it.
            way.pop();
            self.advance(way);
        }
    }

    /// Whether an object takes an initialiser as a whole.
    fn takes(&mut self, ty: &CType, initializer: &Initializer) -> Lowered<bool> {
        let InitializerKind::Expression(expression) = &initializer.kind else { return Ok(true) };
        let expression = self.chosen(expression)?;
        Ok(match &ty.kind {
            Kind::Array(..) => {
                is_text(ty, expression)
                    || matches!(expression.kind, ExpressionKind::CompoundLiteral { .. })
                        && matches!(self.type_of(expression)?.kind, Kind::Array(..))
            }
            Kind::Record(_) => self.type_of(expression)?.kind == ty.kind,
            _ => true,
        })
    }

    /// Sets what a way leads to, all of it.
    fn put<'a>(
        &mut self,
        node: &mut Node<'a>,
        way: &[Level],
        value: &Node<'a>,
        position: Position,
    ) -> Lowered<()> {
        let Some((level, inner)) = way.split_first() else {
            *node = value.clone();
            return Ok(());
        };
        // Of a string, the other characters stay. Of a structure, GCC keeps
        // nothing and Clang the other members.
        if node.whole.is_some_and(|whole| !is_text(&level.ty, whole)) {
            return self.error(position, "a part of an object that a value initialises as a whole");
        }
        if self.is_union(&level.ty) {
            node.parts.retain(|&index, _| index == level.last);
        }
        for index in level.first..=level.last {
            self.put(node.parts.entry(index).or_default(), inner, value, position)?;
        }
        Ok(())
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
}

/// Whether an expression is a string literal that initialises an array.
pub(super) fn is_text(ty: &CType, expression: &Expression) -> bool {
    matches!(expression.kind, ExpressionKind::String(_))
        && matches!(&ty.kind, Kind::Array(element, _) if element.is_integer())
}
