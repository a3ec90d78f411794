//! Expressions, with as few parentheses as the grammar needs.

use super::Printer;
use crate::c::ast::{
    Designator, DesignatorKind, Expression, ExpressionKind, IncrementOperator, Initializer,
    InitializerKind, UnaryOperator,
};

const COMMA: u32 = 0;
const ASSIGNMENT: u32 = 1;
const CONDITIONAL: u32 = 2;
/// Added to the precedence of a binary operator, which starts at 1.
const BINARY: u32 = 2;
const CAST: u32 = 13;
const UNARY: u32 = 14;
const POSTFIX: u32 = 15;
const PRIMARY: u32 = 16;

fn level(kind: &ExpressionKind) -> u32 {
    use ExpressionKind as E;
    match kind {
        E::Comma(_) => COMMA,
        E::Assign { .. } => ASSIGNMENT,
        E::Conditional { .. } => CONDITIONAL,
        E::Binary { operator, .. } => BINARY + operator.precedence(),
        E::Cast { .. } => CAST,
        E::Unary { .. }
        | E::SizeofExpression(_)
        | E::SizeofType(_)
        | E::AlignofExpression(_)
        | E::AlignofType(_)
        | E::LabelAddress(_)
        | E::Increment {
            operator: IncrementOperator::PreIncrement | IncrementOperator::PreDecrement,
            ..
        } => UNARY,
        E::Call { .. }
        | E::Member { .. }
        | E::Index { .. }
        | E::Increment { .. }
        | E::CompoundLiteral { .. } => POSTFIX,
        _ => PRIMARY,
    }
}

impl Printer {
    /// Any expression.
    pub(super) fn expression(&mut self, expression: &Expression) {
        self.at_least(COMMA, expression);
    }

    /// An expression where a comma would separate.
    pub(super) fn assignment(&mut self, expression: &Expression) {
        self.at_least(ASSIGNMENT, expression);
    }

    /// An expression where the grammar has a constant expression.
    pub(super) fn constant(&mut self, expression: &Expression) {
        self.at_least(CONDITIONAL, expression);
    }

    fn at_least(&mut self, least: u32, expression: &Expression) {
        if level(&expression.kind) < least {
            self.push("(");
            self.bare(&expression.kind);
            self.push(")");
        } else {
            self.bare(&expression.kind);
        }
    }

    fn bare(&mut self, kind: &ExpressionKind) {
        use ExpressionKind as E;
        match kind {
            E::Identifier(name) => self.push(name),
            E::Integer(constant) => self.integer(constant),
            E::Float(constant) => self.float(constant),
            E::Character(constant) => self.character(constant),
            E::String(literal) => self.string(literal),
            E::Generic { controlling, associations } => {
                self.push("_Generic(");
                self.assignment(controlling);
                for (type_name, value) in associations {
                    self.push(", ");
                    match type_name {
                        Some(type_name) => self.type_name(type_name),
                        None => self.push("default"),
                    }
                    self.push(": ");
                    self.assignment(value);
                }
                self.push(")");
            }
            E::Call { function, arguments } => {
                self.at_least(POSTFIX, function);
                self.push("(");
                self.separated(arguments, Self::assignment);
                self.push(")");
            }
            E::Other(inner) => {
                self.push("[");
                self.expression(inner);
                self.push("]");
            }
            E::Member { object, member, arrow } => {
                self.at_least(POSTFIX, object);
                self.push(if *arrow { "->" } else { "." });
                self.push(&member.name);
            }
            E::Index { array, index } => {
                self.at_least(POSTFIX, array);
                self.push("[");
                self.expression(index);
                self.push("]");
            }
            E::Increment { operator, operand } => match operator {
                IncrementOperator::PreIncrement => self.prefix("++", operand),
                IncrementOperator::PreDecrement => self.prefix("--", operand),
                IncrementOperator::PostIncrement => self.postfix(operand, "++"),
                IncrementOperator::PostDecrement => self.postfix(operand, "--"),
            },
            E::Unary { operator, operand } => self.prefix(
                match operator {
                    UnaryOperator::AddressOf => "&",
                    UnaryOperator::Dereference => "*",
                    UnaryOperator::Plus => "+",
                    UnaryOperator::Minus => "-",
                    UnaryOperator::BitwiseNot => "~",
                    UnaryOperator::LogicalNot => "!",
                    UnaryOperator::Real => "__real__ ",
                    UnaryOperator::Imaginary => "__imag__ ",
                },
                operand,
            ),
            E::Cast { type_name, operand } => {
                self.push("(");
                self.type_name(type_name);
                self.push(")");
                self.at_least(CAST, operand);
            }
            E::CompoundLiteral { type_name, initializer, .. } => {
                self.push("(");
                self.type_name(type_name);
                self.push(")");
                self.initializer(initializer);
            }
            E::SizeofExpression(operand) => {
                self.push("sizeof ");
                self.at_least(UNARY, operand);
            }
            E::SizeofType(type_name) => {
                self.push("sizeof(");
                self.type_name(type_name);
                self.push(")");
            }
            E::AlignofExpression(operand) => {
                // Always in parentheses: a compound literal would look like a type.
                self.push("__alignof__(");
                self.expression(operand);
                self.push(")");
            }
            E::AlignofType(type_name) => {
                self.push("_Alignof(");
                self.type_name(type_name);
                self.push(")");
            }
            E::Binary { operator, left, right } => {
                let level = BINARY + operator.precedence();
                self.at_least(level, left);
                self.push(" ");
                self.push(operator.spelling());
                self.push(" ");
                self.at_least(level + 1, right);
            }
            E::Assign { operator, target, value } => {
                self.at_least(UNARY, target);
                self.push(" ");
                self.push(operator.map_or("", |operator| operator.spelling()));
                self.push("= ");
                self.assignment(value);
            }
            E::Conditional { condition, then, otherwise } => {
                self.at_least(CONDITIONAL + 1, condition);
                match then {
                    Some(then) => {
                        self.push(" ? ");
                        self.expression(then);
                        self.push(" : ");
                    }
                    None => self.push(" ?: "),
                }
                self.at_least(CONDITIONAL, otherwise);
            }
            E::Comma(expressions) => self.separated(expressions, Self::assignment),
            E::StatementExpression(block) => {
                self.push("(");
                self.block(block);
                self.push(")");
            }
            E::LabelAddress(label) => {
                self.push("&&");
                self.push(&label.name);
            }
            E::Offsetof { type_name, designators } => {
                self.push("__builtin_offsetof(");
                self.type_name(type_name);
                self.push(", ");
                let path = self.apart(|printer| printer.designators(designators));
                self.push(path.trim_start_matches('.'));
                self.push(")");
            }
            E::TypesCompatible(first, second) => {
                self.push("__builtin_types_compatible_p(");
                self.type_name(first);
                self.push(", ");
                self.type_name(second);
                self.push(")");
            }
            E::ChooseExpression { condition, then, otherwise } => {
                self.push("__builtin_choose_expr(");
                self.assignment(condition);
                self.push(", ");
                self.assignment(then);
                self.push(", ");
                self.assignment(otherwise);
                self.push(")");
            }
            E::VaArg { list, type_name } => {
                self.push("__builtin_va_arg(");
                self.assignment(list);
                self.push(", ");
                self.type_name(type_name);
                self.push(")");
            }
        }
    }

    fn prefix(&mut self, operator: &str, operand: &Expression) {
        self.push(operator);
        let start = self.text.len();
        self.at_least(CAST, operand);
        // `- -x` and `& &&label` must not run together.
        let first = self.text.get(start..).and_then(|text| text.chars().next());
        if operator.chars().next_back() == first {
            self.text.insert(start, ' ');
        }
    }

    fn postfix(&mut self, operand: &Expression, operator: &str) {
        self.at_least(POSTFIX, operand);
        self.push(operator);
    }

    pub(super) fn initializer(&mut self, initializer: &Initializer) {
        match &initializer.kind {
            InitializerKind::Expression(expression) => self.assignment(expression),
            InitializerKind::List(items) if items.is_empty() => self.push("{}"),
            InitializerKind::List(items) => {
                self.push("{ ");
                self.separated(items, |printer, item| {
                    printer.designators(&item.designators);
                    if !item.designators.is_empty() {
                        printer.push(" = ");
                    }
                    printer.initializer(&item.initializer);
                });
                self.push(" }");
            }
        }
    }

    fn designators(&mut self, designators: &[Designator]) {
        for designator in designators {
            match &designator.kind {
                DesignatorKind::Member(name) => {
                    self.push(".");
                    self.push(name);
                }
                DesignatorKind::Index(index) => {
                    self.push("[");
                    self.constant(index);
                    self.push("]");
                }
                DesignatorKind::Range(first, last) => {
                    self.push("[");
                    self.constant(first);
                    self.push(" ... ");
                    self.constant(last);
                    self.push("]");
                }
            }
        }
    }
}
