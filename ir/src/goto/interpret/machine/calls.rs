//! Calls: what a function takes of what it is called with.

use super::{Machine, Outcome};
use crate::goto::arithmetic::mask;
use crate::goto::entity::{FunctionId, ValueId};
use crate::goto::instruction::Operand;
use crate::goto::types::Type;

impl Machine<'_> {
    /// The arguments as a function takes them; `None` if it is called through a pointer of another type.
    fn passed(
        &self,
        thread: u32,
        (callee, function): (Operand, FunctionId),
        arguments: &[Operand],
        result: Option<ValueId>,
    ) -> Option<Vec<u128>> {
        let values = arguments.iter().map(|&argument| self.value(thread, argument));
        if matches!(callee, Operand::Function(_)) {
            return Some(values.collect());
        }
        let caller = self.threads.get(thread as usize)?.as_ref().ok()?.frames.last()?.function;
        let (caller, function) = (self.module.function(caller), self.module.function(function));
        let types: Vec<Type> = arguments.iter().map(|&a| caller.operand_type(a)).collect();
        let result = result.map(|result| caller.operand_type(Operand::Value(result)));
        let is_right = function.is_called_with(self.module, &types, result.as_ref());
        // What is not cut may be a term, which is no number.
        let low = |((value, from), to): ((u128, &Type), &Type)| match to {
            Type::Int(bits) if from != to => value & mask(*bits),
            _ => value,
        };
        is_right.then(|| values.zip(&types).zip(&function.parameters).map(low).collect())
    }

    pub(super) fn call(
        &mut self,
        thread: u32,
        callee: Operand,
        arguments: &[Operand],
        result: Option<ValueId>,
    ) -> Outcome {
        const MAX_DEPTH: usize = 10_000;
        let Some(function) = self.function_at(thread, callee) else {
            return Outcome::Unsupported("a call of what is no function");
        };
        let Some(arguments) = self.passed(thread, (callee, function), arguments, result) else {
            return Outcome::Unsupported("a call with other types than the function has");
        };
        let Some(frame) = self.frame(thread, function, &arguments, result) else {
            return Outcome::Unsupported("a call of a function without a body");
        };
        match self.running(thread) {
            Some(thread) if thread.frames.len() < MAX_DEPTH => {
                thread.frames.push(frame);
                Outcome::Continued(None)
            }
            _ => Outcome::Unsupported("calls nested this deep"),
        }
    }
}
