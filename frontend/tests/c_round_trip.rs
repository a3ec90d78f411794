//! Random expressions: precedence, associativity, and printing without needless parentheses.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use proptest::prelude::*;

use sapa_frontend::c::ast::{
    BlockItem, Expression, ExpressionKind as E, ExternalDeclaration, StatementKind,
};
use sapa_frontend::c::parser::parse;
use sapa_frontend::c::print::{print, print_expression};

/// An expression as text, with parentheses around every operator.
fn full(expression: &Expression) -> String {
    match &expression.kind {
        E::Identifier(name) => name.to_string(),
        E::Binary { operator, left, right } => {
            format!("({} {} {})", full(left), operator.spelling(), full(right))
        }
        E::Assign { operator, target, value } => {
            let operator = operator.map_or("", |operator| operator.spelling());
            format!("({} {operator}= {})", full(target), full(value))
        }
        E::Conditional { condition, then, otherwise } => {
            let then = then.as_ref().map_or(String::new(), |then| full(then));
            format!("({} ? {then} : {})", full(condition), full(otherwise))
        }
        E::Comma(parts) => {
            format!("({})", parts.iter().map(full).collect::<Vec<_>>().join(" , "))
        }
        E::Index { array, index } => format!("({}[{}])", full(array), full(index)),
        E::Cast { operand, .. } => format!("((T) {})", full(operand)),
        E::SizeofExpression(operand) => format!("(sizeof {})", full(operand)),
        // One prefix operator; the text in front of its operand says which.
        E::Unary { operand, .. } | E::Increment { operand, .. } => {
            let text = print_expression(expression);
            let operator: String =
                text.chars().take_while(|one| "+-*&!~".contains(*one)).take(1).collect();
            format!("({operator} {})", full(operand))
        }
        other => panic!("{other:?}"),
    }
}

fn expression(text: &str) -> Expression {
    let source = format!("typedef int T; void f(void) {{ {text}; }}");
    let unit = parse("t.c", source.as_bytes())
        .unwrap_or_else(|errors| panic!("{text}: {}", errors[0]))
        .unit;
    let ExternalDeclaration::Function(function) = &unit.items[1] else { panic!() };
    let BlockItem::Statement(statement) = &function.body.items[0] else { panic!() };
    let StatementKind::Expression(expression) = &statement.kind else { panic!("{statement:?}") };
    expression.clone()
}

fn any_expression() -> impl Strategy<Value = String> {
    let leaf = prop::sample::select(vec!["a", "b", "c"]).prop_map(str::to_owned);
    leaf.prop_recursive(6, 40, 3, |inner| {
        let binary = prop::sample::select(vec![
            "*", "/", "%", "+", "-", "<<", ">>", "<", ">", "<=", ">=", "==", "!=", "&", "^", "|",
            "&&", "||", "=", "+=", "<<=", ",",
        ]);
        let prefix = prop::sample::select(vec!["-", "+", "!", "~", "*", "&", "(T)", "sizeof"]);
        prop_oneof![
            (inner.clone(), binary, inner.clone()).prop_map(|(a, o, b)| format!("({a} {o} {b})")),
            (prefix, inner.clone()).prop_map(|(o, a)| format!("({o} {a})")),
            (inner.clone(), inner.clone(), inner.clone())
                .prop_map(|(a, b, c)| format!("({a} ? {b} : {c})")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("({a} ? : {b})")),
            (inner.clone(), inner).prop_map(|(a, b)| format!("({a}[{b}])")),
        ]
    })
}

proptest! {
    #[test]
    fn few_parentheses_mean_the_same_as_all(text in any_expression()) {
        let original = expression(&text);
        let printed = print_expression(&original);
        let again = expression(&printed);
        prop_assert_eq!(full(&again), full(&original), "{}", &printed);
        prop_assert_eq!(print_expression(&again), printed);
    }

    #[test]
    fn random_tokens_neither_panic_nor_print_differently(
        tokens in prop::collection::vec(prop::sample::select(vec![
            "int", "x", "T", "typedef", "struct", "{", "}", "(", ")", "[", "]", ";", ",", "*", "=",
            "1", "if", "else", "for", "while", ":", "case", "switch", "\"s\"", "'c'", "+", "&&",
            "...", "enum", "unsigned", "return", "sizeof", "static", "_Atomic", ".", "->", "?",
            "__attribute__", "asm", "_Generic", "const", "void", "__extension__", "typeof", "goto",
        ]), 0..40)
    ) {
        let text = tokens.join(" ");
        if let Ok(parsed) = parse("t.c", text.as_bytes()) {
            let printed = print(&parsed.unit);
            let again = parse("t.c", printed.as_bytes());
            prop_assert!(again.is_ok(), "{}\n{}", text, printed);
            prop_assert_eq!(print(&again.unwrap().unit), printed);
        }
    }
}

#[test]
fn operators_bind_as_the_standard_says() {
    for (text, expected) in [
        ("a + b * c", "(a + (b * c))"),
        ("a * b + c", "((a * b) + c)"),
        ("a - b - c", "((a - b) - c)"),
        ("a << b + c", "(a << (b + c))"),
        ("a < b << c", "(a < (b << c))"),
        ("a == b < c", "(a == (b < c))"),
        ("a & b == c", "(a & (b == c))"),
        ("a ^ b & c", "(a ^ (b & c))"),
        ("a | b ^ c", "(a | (b ^ c))"),
        ("a && b | c", "(a && (b | c))"),
        ("a || b && c", "(a || (b && c))"),
        ("a ? b : c ? a : b", "(a ? b : (c ? a : b))"),
        ("a || b ? c : a", "((a || b) ? c : a)"),
        ("a = b = c", "(a = (b = c))"),
        ("a = b ? c : a", "(a = (b ? c : a))"),
        ("a = b, c", "((a = b) , c)"),
        ("(T) a + b", "(((T) a) + b)"),
        ("(T) a[b]", "((T) (a[b]))"),
        ("- a * b", "((- a) * b)"),
        ("* a[b]", "(* (a[b]))"),
        ("sizeof a + b", "((sizeof a) + b)"),
    ] {
        assert_eq!(full(&expression(text)), expected, "{text}");
    }
}

#[test]
fn an_open_if_before_else_gets_braces() {
    // No text parses to such a tree, but a transformation may build it.
    let source = b"void f(int a) { if (a) { if (a) a = 1; } else { if (a) a = 2; } }";
    let mut unit = parse("t.c", source).unwrap().unit;
    let expected = print(&unit);
    let ExternalDeclaration::Function(function) = &mut unit.items[0] else { panic!() };
    let BlockItem::Statement(statement) = &mut function.body.items[0] else { panic!() };
    let StatementKind::If { arms, otherwise } = &mut statement.kind else { panic!() };
    for body in [&mut arms[0].1, otherwise.as_mut().unwrap()] {
        let StatementKind::Block(block) = &mut body.kind else { panic!() };
        let Some(BlockItem::Statement(only)) = block.items.pop() else { panic!() };
        *body = only;
    }
    assert_eq!(print(&unit), expected);
}
