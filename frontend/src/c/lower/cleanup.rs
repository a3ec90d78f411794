//! GNU's `cleanup(f)`: `f(&x)` is called where the scope of `x` is left, those of later variables first. `exit` and the like
//! do not leave scopes, nor does `pthread_exit` in C that is compiled without exceptions. A jump by `goto` out of such a scope, or
//! a label in one, is refused.

use super::attribute::has;
use crate::c::ast::{Attribute, AttributeArguments, ExpressionKind};
use crate::lower::body::{Body, Cleanup, Place, Value};
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
            self.cleanups.push(Cleanup { function, ty: (*ty).clone(), variable: variable.clone() });
        }
        Ok(())
    }

    /// Calls what belongs to the variables that were declared since there were so many, which stay in
    /// scope on other ways.
    pub(super) fn call_cleanups(&mut self, since: usize, position: Position) -> Lowered<()> {
        let left = self.cleanups.get(since..).unwrap_or_default().to_vec();
        for cleanup in left.into_iter().rev() {
            if self.block.is_none() {
                break;
            }
            self.open_statement();
            let pointer: CType = cleanup.variable.ty.clone().pointer();
            let argument = Value::Scalar(cleanup.variable.address, pointer);
            self.call_named(&cleanup.function, Some(&cleanup.ty), vec![argument], position)?;
            self.close_statement();
        }
        Ok(())
    }

    /// Leaves a scope: what was declared since there were so many is gone.
    pub(super) fn end_cleanups(&mut self, since: usize, position: Position) -> Lowered<()> {
        let done = self.call_cleanups(since, position);
        self.cleanups.truncate(since);
        done
    }

    /// Refuses what enters or leaves scopes in ways that are not followed.
    pub(super) fn without_cleanups(&mut self, what: &str, position: Position) -> Lowered<()> {
        if self.cleanups.is_empty() {
            return Ok(());
        }
        let message = format!(
            "{what} in the scope of a variable with the attribute 'cleanup' is not supported"
        );
        self.error(position, message)
    }
}
