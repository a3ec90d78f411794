//! What is constant on one way through a function.

use sapa_ir::goto::{
    BlockId, CastOp, CompareOp, Function, FunctionId, Module, Op, Operand, Target, TerminatorKind,
    Type, UnaryOp, ValueId,
};

use super::constant_propagation::{Fact, Facts, Outcome, evaluate, outcome};
use crate::analysis::definitions::Definitions;

/// The most operations behind an operand, or before a condition, that are looked at.
const MOST_STEPS: usize = 16;

/// The constants that values have on a way through a function that has a body, as far as the branches that it takes tell.
pub(super) struct OneWay<'m> {
    module: &'m Module,
    function: &'m Function,
    definitions: Definitions<'m>,
    facts: Facts,
    /// Of what there is a fact.
    known: Vec<ValueId>,
}

impl<'m> OneWay<'m> {
    /// Nothing is known of the way yet.
    pub(super) fn new(module: &'m Module, id: FunctionId) -> Self {
        let function = module.function(id);
        let facts = Facts { values: vec![Fact::Varies; function.values.len()] };
        let definitions = Definitions::new(function);
        Self { module, function, definitions, facts, known: Vec::new() }
    }

    /// Begins another way.
    pub(super) fn forget(&mut self) {
        for value in self.known.drain(..) {
            self.facts.values[value.index()] = Fact::Varies;
        }
    }

    /// The way takes the target of this number of a block.
    pub(super) fn takes(&mut self, block: BlockId, number: usize) {
        match &self.function.block(block).terminator.kind {
            TerminatorKind::Branch { condition, .. } => {
                self.assume(*condition, Operand::bool(number == 0));
            }
            TerminatorKind::Switch { value, cases, .. } => {
                if let Some((case, _)) = cases.get(number)
                    && let Some(bits) = self.bits(*value)
                {
                    self.assume(*value, Operand::int(bits, *case));
                }
            }
            _ => {}
        }
    }

    fn bits(&self, operand: Operand) -> Option<u16> {
        match operand.value().map(|value| &self.function.values[value.index()].ty)? {
            Type::Int(bits) => Some(*bits),
            _ => None,
        }
    }

    /// An operand is this constant on the way, and so is what that is computed from where only one constant gives it.
    pub(super) fn assume(&mut self, mut operand: Operand, mut constant: Operand) {
        for _ in 0..MOST_STEPS {
            let Operand::Value(value) = operand else { return };
            if self.facts.values[value.index()] != Fact::Varies {
                return;
            }
            self.facts.values[value.index()] = Fact::Constant(constant);
            self.known.push(value);
            let Operand::Int { value: now, .. } = constant else { return };
            match self.definitions.get(&value) {
                Some(Op::Copy { a }) => operand = *a,
                Some(Op::Unary { op: UnaryOp::Not, a }) if self.bits(*a) == Some(1) => {
                    (operand, constant) = (*a, Operand::bool(now == 0));
                }
                Some(Op::Cast { op: CastOp::ZeroExtend, a }) => {
                    let Some(bits) = self.bits(*a) else { return };
                    (operand, constant) = (*a, Operand::int(bits, now));
                }
                Some(&Op::Compare { op: op @ (CompareOp::Eq | CompareOp::Ne), a, b }) => {
                    let (compared, with) = if b.value().is_none() { (a, b) } else { (b, a) };
                    let is_equal = (op == CompareOp::Eq) == (now == 1);
                    if with.value().is_some() {
                        return;
                    }
                    constant = if is_equal {
                        with
                    } else if let (Some(1), Operand::Int { value, .. }) =
                        (self.width_of_origin(compared), with)
                        && value <= 1
                    {
                        let Some(bits) = self.bits(compared) else { return };
                        Operand::int(bits, 1 - value)
                    } else {
                        return;
                    };
                    operand = compared;
                }
                _ => return,
            }
        }
    }

    /// The width of what an operand is an extension of, its own if of nothing.
    fn width_of_origin(&self, operand: Operand) -> Option<u16> {
        match self.definitions.behind_copies(operand) {
            Some(Op::Cast { op: CastOp::ZeroExtend, a }) => self.bits(*a),
            _ => self.bits(operand),
        }
    }

    /// The constant that an operand is on the way.
    pub(super) fn constant(&mut self, operand: Operand) -> Option<Operand> {
        let mut steps = MOST_STEPS;
        self.look(operand, &mut steps)
    }

    fn look(&mut self, operand: Operand, steps: &mut usize) -> Option<Operand> {
        let Operand::Value(value) = operand else { return Some(operand) };
        if let Fact::Constant(constant) = self.facts.values[value.index()] {
            return Some(constant);
        }
        *steps = steps.checked_sub(1)?;
        let op = self.definitions.get(&value).filter(|op| op.is_pure())?;
        op.for_each_operand(|operand| {
            self.look(operand, steps);
        });
        let Fact::Constant(constant) = evaluate(self.module, self.function, &self.facts, op, value)
        else {
            return None;
        };
        self.facts.values[value.index()] = Fact::Constant(constant);
        self.known.push(value);
        Some(constant)
    }

    /// Where the way goes on at a terminator, if it cannot but go there.
    pub(super) fn goes_to(&mut self, kind: &TerminatorKind) -> Option<Target> {
        let (TerminatorKind::Branch { condition: decides, .. }
        | TerminatorKind::Switch { value: decides, .. }) = kind
        else {
            return None;
        };
        self.constant(*decides)?;
        match outcome(&self.facts, kind) {
            Outcome::Only(target) => Some(target.clone()),
            Outcome::Any | Outcome::Unknown => None,
        }
    }
}
