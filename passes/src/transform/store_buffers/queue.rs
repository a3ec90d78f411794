//! The local variables that a buffer is kept in (`layout=variables`).

use sapa_ir::goto::{
    BinaryOp, Builder, CompareOp, Function, MemoryModel, Op, Operand, Slot, SlotId, Type,
};

use super::Waiting;
use super::code::unused_name;
use super::effect::{Class, ClassId, Effect, Effects};

/// What a variable of a buffer holds, as it has it in its name, whatever the layout. Primes behind the
/// name tell it from other variables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Held<'n> {
    /// How many stores wait in a queue.
    Count {
        /// The place that the queue is of; empty if all have one.
        of: &'n str,
    },
    /// Which place a waiting store is to.
    Which,
    /// What a waiting store stores.
    Value {
        /// The place that its queue is of; empty if all have one.
        of: &'n str,
        /// What tells its variables from those for values of other types in the same queue.
        column: &'n str,
        /// Which store it is, from 1; the oldest is the first.
        number: usize,
    },
}

impl<'n> Held<'n> {
    /// Reads the name of a variable of a module with buffers of a model; `None` if it is of none.
    #[must_use]
    pub fn read(model: MemoryModel, variable: &'n str) -> Option<Self> {
        if let Some(Waiting { name, number, is_address }) = Waiting::read(variable) {
            return (!is_address).then_some(Self::Value { of: name, column: "", number });
        }
        let variable = variable.trim_end_matches('\'');
        match model {
            MemoryModel::Sc => None,
            MemoryModel::Tso if variable == "cnt" => Some(Self::Count { of: "" }),
            MemoryModel::Tso => {
                if variable.strip_prefix("lhs_").is_some_and(|number| number.parse::<u8>().is_ok())
                {
                    return Some(Self::Which);
                }
                let rest = variable.strip_prefix("rhs_")?;
                let (number, column) = rest.split_once('_').unwrap_or((rest, ""));
                Some(Self::Value { of: "", column, number: number.parse().ok()? })
            }
            MemoryModel::Pso => match variable.rsplit_once('_')? {
                (of, "cnt") => Some(Self::Count { of }),
                (of, number) => Some(Self::Value { of, column: "", number: number.parse().ok()? }),
            },
        }
    }
}

/// Bits of a number of stores, or of a place.
const BITS: u16 = 8;

/// The largest of these numbers.
pub(super) const MAX: usize = u8::MAX as usize;

/// A variable for each waiting store of a queue, the oldest first.
pub(super) struct Column {
    pub ty: Type,
    pub slots: Vec<SlotId>,
}

/// Stores that wait for each other.
pub(super) struct Queue {
    pub count: SlotId,
    /// The classes of its stores.
    pub classes: Vec<ClassId>,
    /// Of which of its classes a store is, from 1; `None` if there is only one.
    pub which: Option<Column>,
    /// What is stored, for each type of it.
    pub values: Vec<Column>,
    /// Where to, of a store that is of no fixed place.
    pub addresses: Option<Column>,
    /// For each other queue, by index: how many of its stores reach memory before (PSO with release).
    pub after: Vec<(usize, Column)>,
    /// How many of its stores wait before the last barrier (PSO with release).
    pub barrier: Option<SlotId>,
}

pub(super) struct Buffer {
    pub bound: usize,
    pub queues: Vec<Queue>,
}

impl Buffer {
    pub fn new(
        function: &mut Function,
        effects: &Effects,
        model: MemoryModel,
        bound: usize,
    ) -> Self {
        let classes = &effects.classes;
        let groups: Vec<(String, Vec<ClassId>)> = match model {
            MemoryModel::Pso => {
                classes.ids().map(|id| (format!("{}_", classes.get(id).name), vec![id])).collect()
            }
            _ if classes.ids().next().is_none() => Vec::new(),
            _ => vec![(String::new(), classes.ids().collect())],
        };
        let ordered = |effect: &Effect| {
            matches!(effect, Effect::Barrier | Effect::Store { release: true, .. })
        };
        let is_ordered = groups.len() > 1 && effects.of.iter().flatten().any(ordered);
        let names: Vec<String> = groups.iter().map(|(prefix, _)| prefix.clone()).collect();
        let queues = groups.into_iter().enumerate().map(|(queue, (prefix, members))| {
            let mut column = |name: &str, ty: &Type, signed: bool| {
                let slot = |number: usize| {
                    let name = unused_name(function, name.replace('#', &number.to_string()));
                    function.add_slot(Slot { name, ty: ty.clone(), signed })
                };
                Column { ty: ty.clone(), slots: (1..=bound).map(slot).collect() }
            };
            let number = Type::Int(BITS);
            let is_one_place = model == MemoryModel::Pso;
            let which = (!is_one_place).then(|| column("lhs_#", &number, false));
            let mut types: Vec<(Type, bool)> = Vec::new();
            for class in members.iter().map(|&id| classes.get(id)) {
                match types.iter_mut().find(|(ty, _)| *ty == class.ty) {
                    Some((_, signed)) => *signed |= class.signed,
                    None => types.push((class.ty.clone(), class.signed)),
                }
            }
            let values = types.iter().enumerate().map(|(index, (ty, signed))| {
                let name = match (is_one_place, index, ty) {
                    (true, ..) => format!("{prefix}#"),
                    (_, 0, _) => "rhs_#".to_owned(),
                    (_, _, Type::Int(bits)) => format!("rhs_#_{bits}"),
                    _ => "rhs_#_pointer".to_owned(),
                };
                column(&name, ty, *signed)
            });
            let values = values.collect();
            let has_addresses = members.iter().any(|&id| classes.get(id).fixed.is_none());
            let addresses = has_addresses.then(|| column("address_#", &Type::Pointer, false));
            let others: &[String] = if is_ordered { &names } else { &[] };
            let others = others.iter().enumerate().filter(|(other, _)| *other != queue);
            let after = others.map(|(index, other)| {
                let other = other.trim_end_matches('_');
                (index, column(&format!("{prefix}#_after_{other}"), &number, false))
            });
            let after = after.collect();
            let mut one = |name: String| {
                let name = unused_name(function, name);
                function.add_slot(Slot { name, ty: Type::Int(BITS), signed: false })
            };
            let count = one(format!("{prefix}cnt"));
            let barrier = is_ordered.then(|| one(format!("{prefix}barrier")));
            Queue { count, classes: members, which, values, addresses, after, barrier }
        });
        Self { bound, queues: queues.collect() }
    }

    /// The queue of a class.
    pub fn queue_of(&self, class: ClassId) -> Option<&Queue> {
        self.queues.iter().find(|queue| queue.classes.contains(&class))
    }

    /// All variables with their types.
    pub fn variables(&self) -> impl Iterator<Item = (SlotId, Type)> {
        self.queues.iter().flat_map(|queue| {
            let numbers = queue.barrier.into_iter().chain([queue.count]);
            let numbers = numbers.map(|slot| (slot, Type::Int(BITS)));
            let columns = queue.columns();
            numbers.chain(columns.flat_map(|c| c.slots.iter().map(|&slot| (slot, c.ty.clone()))))
        })
    }
}

impl Queue {
    pub fn columns(&self) -> impl Iterator<Item = &Column> {
        let columns = self.which.iter().chain(&self.values).chain(&self.addresses);
        columns.chain(self.after.iter().map(|(_, column)| column))
    }

    /// Of which of its classes, from 1, a class is.
    pub fn number(&self, class: ClassId) -> Operand {
        let index = self.classes.iter().position(|known| *known == class);
        number(index.map_or(0, |index| index + 1))
    }

    /// Where the values of a class wait.
    pub fn values(&self, class: &Class) -> Option<&Column> {
        self.values.iter().find(|column| column.ty == class.ty)
    }
}

impl Column {
    pub fn read(&self, code: &mut Builder<'_>, index: usize) -> Operand {
        code.load(self.ty.clone(), Operand::Slot(self.slots[index]))
    }

    /// Sets the variable of which `is` says that it is the one.
    pub fn set(&self, code: &mut Builder<'_>, is: &[Operand], value: Operand) {
        for (&slot, &condition) in self.slots.iter().zip(is) {
            let b = code.load(self.ty.clone(), Operand::Slot(slot));
            let new = code.define(Op::Select { condition, a: value, b }, self.ty.clone());
            code.store(self.ty.clone(), Operand::Slot(slot), new);
        }
    }

    /// Removes the first, and lets the others move up.
    pub fn shift(&self, code: &mut Builder<'_>) {
        for (index, &slot) in self.slots.iter().enumerate() {
            let value = match self.slots.get(index + 1) {
                Some(_) => self.read(code, index + 1),
                None => zero(&self.ty),
            };
            code.store(self.ty.clone(), Operand::Slot(slot), value);
        }
    }
}

pub(super) fn number(of: usize) -> Operand {
    Operand::int(BITS, u128::try_from(of).unwrap_or(0))
}

pub(super) fn zero(ty: &Type) -> Operand {
    match ty {
        Type::Int(bits) => Operand::int(*bits, 0),
        _ => Operand::Null,
    }
}

pub(super) fn read_number(code: &mut Builder<'_>, slot: SlotId) -> Operand {
    code.load(Type::Int(BITS), Operand::Slot(slot))
}

pub(super) fn store_number(code: &mut Builder<'_>, slot: SlotId, value: Operand) {
    code.store(Type::Int(BITS), Operand::Slot(slot), value);
}

pub(super) fn is_zero(code: &mut Builder<'_>, slot: SlotId) -> Operand {
    let value = read_number(code, slot);
    code.compare(CompareOp::Eq, value, number(0))
}

/// One less, if it is not 0.
pub(super) fn decrease(code: &mut Builder<'_>, slot: SlotId) {
    let value = read_number(code, slot);
    let condition = code.compare(CompareOp::Eq, value, number(0));
    let less = code.binary(BinaryOp::Sub, value, number(1), false);
    let select = Op::Select { condition, a: number(0), b: less };
    let value = code.define(select, Type::Int(BITS));
    store_number(code, slot, value);
}
