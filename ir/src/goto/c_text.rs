//! Predicates as C, which the frontend reads back to the same expression.
//!
//! An operand is cast where C's conversions would make another operation of it: comparisons,
//! divisions and right shifts take their signedness from their operands, and what C would promote
//! to `int` is computed in its own width as `_BitInt(8)`. Widths without a type of C are
//! `_BitInt(n)`, Booleans that are no comparisons `unsigned _BitInt(1)`. Pointers have no type in
//! the module, so what they point to is said by a cast. `docs/predicates.md` describes the language.

mod constant;
mod operator;
mod place;
mod text;
mod types;

use super::module::Module;
use super::name;
use super::predicate::Expression;
use super::types::Type;
use text::{POSTFIX, PREFIX, Read, Text};

/// A predicate as C, in names of the module.
#[must_use]
pub fn c_text(module: &Module, expression: &Expression) -> String {
    Writer { module }.truth(expression).text
}

/// Writes the parts of an expression. Each says how the reader takes it, which decides where casts are
/// needed.
struct Writer<'m> {
    module: &'m Module,
}

impl Writer<'_> {
    /// An `i1` where C asks for a condition.
    fn truth(&self, expression: &Expression) -> Text {
        match expression {
            Expression::Int { value, .. } => Text::new(value.to_string(), POSTFIX, Read::Truth),
            _ => self.value(expression, None),
        }
    }

    /// An expression by itself; integers as signed or unsigned ones if that can be chosen.
    fn value(&self, expression: &Expression, wanted: Option<bool>) -> Text {
        match expression {
            Expression::Int { bits, value } => {
                self.constant(*bits, *value, wanted.unwrap_or(*bits > 1))
            }
            Expression::Null => self.cast("void *", Text::new("0".into(), POSTFIX, Read::Pointer)),
            Expression::Variable { .. } | Expression::Value { .. } => {
                let (ty, signed) =
                    name::declared(self.module, expression).unwrap_or((Type::Pointer, false));
                let read = self.read(&ty, signed);
                Text::new(name::of(self.module, expression), POSTFIX, read)
            }
            Expression::Function(_) => {
                Text::new(name::of(self.module, expression), POSTFIX, Read::Pointer)
            }
            Expression::Global(_)
            | Expression::Slot { .. }
            | Expression::FieldAddress { .. }
            | Expression::IndexAddress { .. } => {
                let (place, ..) = self.place(expression);
                Text::new(format!("&{place}"), PREFIX, Read::Pointer)
            }
            Expression::Load { ty, address } => self.load(ty, address, wanted),
            Expression::Unary { op, a } => self.unary(*op, a, wanted),
            Expression::Binary { op, a, b } => self.binary(*op, a, b, wanted),
            Expression::Compare { op, a, b } => self.compare(*op, a, b),
            Expression::Cast { op, ty, a } => self.conversion(*op, ty, a, wanted),
            Expression::Select { condition, a, b } => self.select(condition, a, b, wanted),
            Expression::Other { of } => {
                let Text { text, read, .. } = self.value(of, wanted);
                Text::new(format!("[{text}]"), POSTFIX, read)
            }
        }
    }
}
