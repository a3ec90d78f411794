//! The syntax tree as C text again.
//!
//! The text is stable: parsing it and printing the result gives the same text. It means the same
//! as the original; parentheses, bases of constants and alternative keywords may differ.

mod declaration;
mod expression;
mod literal;
mod statement;

use super::ast::{Expression, ExternalDeclaration, TranslationUnit};

/// Prints a translation unit.
///
/// ```
/// use sapa_frontend::c::{parser::parse, print::print};
///
/// let unit = parse("a.c", b"long unsigned x=1,*y ;").unwrap().unit;
/// assert_eq!(print(&unit), "unsigned long x = 1, *y;\n");
/// ```
pub fn print(unit: &TranslationUnit) -> String {
    let mut printer = Printer::default();
    for item in &unit.items {
        match item {
            ExternalDeclaration::Function(function) => printer.function(function),
            ExternalDeclaration::Declaration(declaration) => printer.declaration(declaration),
            ExternalDeclaration::StaticAssert(assertion) => printer.static_assert(assertion),
            ExternalDeclaration::Asm(asm) => printer.asm(asm),
        }
        printer.text.push('\n');
    }
    printer.text
}

/// Prints an expression, for messages and traces.
pub fn print_expression(expression: &Expression) -> String {
    let mut printer = Printer::default();
    printer.expression(expression);
    printer.text
}

#[derive(Default)]
struct Printer {
    text: String,
    indentation: usize,
}

impl Printer {
    fn push(&mut self, text: &str) {
        self.text.push_str(text);
    }

    fn new_line(&mut self) {
        self.text.push('\n');
        // Deep nesting would make the text quadratic.
        for _ in 0..self.indentation.min(20) {
            self.text.push_str("    ");
        }
    }

    /// Prints items with commas between.
    fn separated<T>(&mut self, items: &[T], mut print: impl FnMut(&mut Self, &T)) {
        for (index, item) in items.iter().enumerate() {
            if index > 0 {
                self.push(", ");
            }
            print(self, item);
        }
    }

    /// What a function prints, on its own.
    fn apart(&self, print: impl FnOnce(&mut Self)) -> String {
        let mut printer = Self { text: String::new(), indentation: self.indentation };
        print(&mut printer);
        printer.text
    }
}
