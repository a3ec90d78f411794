//! What happens where scopes are left.
//!
//! Locals end with the blocks that declare them, which is said there ([`operation::END_OF_SCOPE`]); of those of the outermost
//! block of a function its end says it. Of jumps it is only said that there is one.
//!
//! GNU's `cleanup(f)`: `f(&x)` is called where the scope of `x` is left, those of later variables first. `exit` and the like
//! do not leave scopes, nor does `pthread_exit` in C that is compiled without exceptions. A jump by `goto` out of such a scope, or
//! a label in one, is refused.

use sapa_ir::goto::{Op, Operand, operation};

use super::attribute::has;
use crate::c::ast::{Attribute, AttributeArguments, ExpressionKind};
use crate::lower::body::{Body, Cleanup, Leaving, Place, Value};
use crate::lower::program::{Entity, Lowered};
use crate::lower::types::CType;
use crate::position::Position;

impl Body<'_, '_> {
    /// Registers what the last of the attributes of a variable says, as GCC has it; of one that is not automatic it ignores it.
    pub(super) fn declare_cleanup(
        &mut self,
        attributes: [&[Attribute]; 2],
        variable: &Place,
        position: Position,
    ) -> Lowered<()> {
        let mut all = attributes.into_iter().flatten();
        if let Some(attribute) =
            all.rfind(|attribute| has(std::slice::from_ref(attribute), &["cleanup"]))
        {
            let function = match &attribute.arguments {
                AttributeArguments::Expressions(arguments) => match arguments.as_slice() {
                    [argument] => match &argument.kind {
                        ExpressionKind::Identifier(name) => Some(name.clone()),
                        _ => None,
                    },
                    _ => None,
                },
                _ => None,
            };
            let Some(function) = function else {
                return self.error(position, "'cleanup' needs the name of a function");
            };
            let Some(Entity::Function(ty)) = self.unit.lookup(&function).cloned() else {
                return self
                    .error(position, format!("'{function}' is no function that is declared"));
            };
            let cleanup = Cleanup { function, ty: (*ty).clone(), variable: variable.clone() };
            self.cleanups.push(Leaving::Call(cleanup));
        }
        Ok(())
    }

    /// Registers that a local ends with the scope that is open, if that is no function's outermost block.
    pub(super) fn declare_end(&mut self, variable: &Place) {
        // The file's scope, that of the parameters, and the block.
        const OUTERMOST: usize = 3;
        if self.unit.scopes.len() > OUTERMOST
            && let Ok(memory) = variable.ty.in_memory()
        {
            self.cleanups.push(Leaving::End(variable.address, memory));
        }
    }

    /// Does what belongs to the variables that were declared since there were so many, which stay in
    /// scope on other ways.
    pub(super) fn call_cleanups(&mut self, since: usize, position: Position) -> Lowered<()> {
        let left = self.cleanups.get(since..).unwrap_or_default().to_vec();
        for leaving in left.into_iter().rev() {
            if self.block.is_none() {
                break;
            }
            match leaving {
                Leaving::Call(cleanup) => {
                    self.open_statement();
                    let pointer: CType = cleanup.variable.ty.clone().pointer();
                    let argument = Value::Scalar(cleanup.variable.address, pointer);
                    let ty = Some(&cleanup.ty);
                    self.call_named(&cleanup.function, ty, vec![argument], position)?;
                    self.close_statement();
                }
                Leaving::End(address, ty) => {
                    let end = Op::HavocMemory { address, ty };
                    self.mark(operation::END_OF_SCOPE, end, position);
                }
            }
        }
        Ok(())
    }

    /// Whether something is called where the scopes are left that were opened since.
    pub(super) fn has_cleanups(&self, since: usize) -> bool {
        let left = self.cleanups.get(since..).unwrap_or_default();
        left.iter().any(|leaving| matches!(leaving, Leaving::Call(_)))
    }

    /// Leaves a scope at its end: what was declared since there were so many is gone.
    pub(super) fn end_cleanups(&mut self, since: usize, position: Position) -> Lowered<()> {
        let done = self.call_cleanups(since, position);
        self.cleanups.truncate(since);
        done
    }

    /// Says that a jump may leave scopes.
    pub(super) fn mark_jump(&mut self, position: Position) {
        if !self.cleanups.is_empty() {
            let nothing = Op::Assume { condition: Operand::bool(true) };
            self.mark(operation::JUMP, nothing, position);
        }
    }

    /// Refuses what enters or leaves scopes, in which something is called, in ways that are not followed.
    pub(super) fn without_cleanups(&mut self, what: &str, position: Position) -> Lowered<()> {
        if !self.has_cleanups(0) {
            return Ok(());
        }
        let message = format!(
            "{what} in the scope of a variable with the attribute 'cleanup' is not supported"
        );
        self.error(position, message)
    }
}
