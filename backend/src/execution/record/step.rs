//! Where a thread stands.

use sapa_ir::goto::interpret::{Machine, Position};
use sapa_ir::goto::{
    BinaryOp, CastOp, Function, Instruction, Op, Operand, Type, ValueId, VariableId,
};

/// How far the uses of a value are followed to see which bits of it matter.
const MOST_USES: u32 = 8;

/// Where a thread stands.
pub(super) struct Step<'s> {
    pub machine: &'s Machine<'s>,
    pub thread: u32,
    pub function: &'s Function,
    /// Where it stands before the instruction.
    pub position: Position,
}

impl Step<'_> {
    /// The source's variable that a value is a version of.
    pub fn variable(&self, value: ValueId) -> Option<VariableId> {
        self.function.values.get(value.index())?.variable
    }

    /// The instructions that read a value; `None` if a terminator does.
    fn readers(&self, value: ValueId) -> Option<Vec<&Instruction>> {
        let mut readers = Vec::new();
        for block in &self.function.blocks {
            let mut found = false;
            block
                .terminator
                .kind
                .for_each_operand(|operand| found |= operand.value() == Some(value));
            if found {
                return None;
            }
            readers.extend(block.instructions.iter().filter(|instruction| {
                let mut found = false;
                instruction.op.for_each_operand(|operand| found |= operand.value() == Some(value));
                found
            }));
        }
        Some(readers)
    }

    /// Whether more depends on a value than assumptions.
    pub fn is_used(&self, value: ValueId) -> bool {
        let mut depending = vec![value];
        let mut next = 0;
        while let Some(&value) = depending.get(next) {
            next += 1;
            let Some(readers) = self.readers(value).filter(|_| self.variable(value).is_none())
            else {
                return true;
            };
            for instruction in readers {
                match (&instruction.op, instruction.result) {
                    (Op::Assume { .. }, _) => {}
                    (op, Some(result)) if op.is_pure() => {
                        if !depending.contains(&result) {
                            depending.push(result);
                        }
                    }
                    _ => return true,
                }
            }
        }
        false
    }

    /// The bits of a value that something depends on; more of them where that is not clear.
    pub fn needed(&self, value: ValueId) -> u128 {
        self.needed_within(value, MOST_USES)
    }

    fn needed_within(&self, value: ValueId, uses: u32) -> u128 {
        let reads = |operand: Operand| operand.value() == Some(value);
        let Some(readers) = self.readers(value) else { return u128::MAX };
        let mut needed = 0;
        for instruction in readers {
            let Some(result) = instruction.result.filter(|_| uses > 0) else { return u128::MAX };
            let of_result = self.needed_within(result, uses - 1);
            needed |= match &instruction.op {
                Op::Binary {
                    op: BinaryOp::And, a, b: Operand::Int { value: mask, .. }, ..
                }
                | Op::Binary {
                    op: BinaryOp::And, a: Operand::Int { value: mask, .. }, b: a, ..
                } if reads(*a) => mask & of_result,
                Op::Binary { op: BinaryOp::Or, .. } | Op::Copy { .. } => of_result,
                Op::Binary {
                    op: BinaryOp::LogicalShiftRight,
                    a,
                    b: Operand::Int { value: by, .. },
                    ..
                } if reads(*a) && *by < 128 => of_result << by,
                Op::Cast { op: CastOp::ZeroExtend, .. } => of_result,
                Op::Cast { op: CastOp::Truncate, .. } => {
                    match self.function.operand_type(Operand::Value(result)) {
                        Type::Int(bits) => of_result & (u128::MAX >> (128 - bits)),
                        _ => of_result,
                    }
                }
                _ => return u128::MAX,
            };
        }
        needed
    }
}
