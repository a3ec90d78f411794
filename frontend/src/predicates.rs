//! Files of predicates: one a line, in C, over what the module knows by name.
//!
//! Globals stand under their names, locals of thread functions as
//! `function::variable`, which is how predicates are reported too; blank lines
//! and lines that start with `#` or `//` are skipped. Operators and conversions
//! are C's; there are integers, array elements, members of structures, and
//! pointers compared with each other or with 0, but no dereferences, since the
//! module does not know what a pointer points to.

use sapa_ir::goto::types::BOOL;
use sapa_ir::goto::{
    BinaryOp, CastOp, CompareOp, Expression, FieldIndex, FunctionId, GlobalId, Module, Predicate,
    SlotId, Type, UnaryOp, VariableId, verify,
};
use thiserror::Error;

/// What is wrong with a line.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{file}:{line}:{column}: {message}")]
pub struct PredicateError {
    /// Name of the file.
    pub file: String,
    /// Line, from 1.
    pub line: usize,
    /// Column in bytes, from 1.
    pub column: usize,
    /// What was expected.
    pub message: String,
}

/// Reads a file of predicates over the names of `module`.
///
/// # Errors
/// The errors of all lines.
pub fn parse(
    module: &Module,
    text: &str,
    file: &str,
) -> Result<Vec<Predicate>, Vec<PredicateError>> {
    let mut predicates = Vec::new();
    let mut errors = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let trimmed = line.trim();
        if trimmed.is_empty() || trimmed.starts_with('#') || trimmed.starts_with("//") {
            continue;
        }
        match predicate(module, line) {
            Ok(expression) => {
                predicates.push(Predicate { expression, text: trimmed.to_owned() });
            }
            Err((column, message)) => errors.push(PredicateError {
                file: file.to_owned(),
                line: index + 1,
                column: column + 1,
                message,
            }),
        }
    }
    if errors.is_empty() { Ok(predicates) } else { Err(errors) }
}

/// Offset in the line, and what is wrong there.
type Failure = (usize, String);

fn predicate(module: &Module, line: &str) -> Result<Expression, Failure> {
    let mut reader = Reader { module, line, position: 0, depth: 0 };
    let value = reader.binary(0)?;
    reader.blanks();
    if reader.position < line.len() {
        return Err(reader.expected("an operator or the end of the line"));
    }
    let expression = value.truth(module);
    let single = Module {
        predicates: vec![Predicate { expression: expression.clone(), text: line.to_owned() }],
        cubes: Vec::new(),
        ..module.clone()
    };
    match verify(&single) {
        Ok(()) => Ok(expression),
        Err(errors) => Err((0, errors.0.first().map_or(String::new(), |e| e.message.clone()))),
    }
}

/// An expression of scalar type, with the signedness of its C type.
#[derive(Clone)]
struct Value {
    expression: Expression,
    /// [`BOOL`] for comparisons, which are `int` in C.
    ty: Type,
    signed: bool,
}

impl Value {
    fn bits(&self, module: &Module) -> u16 {
        self.ty.bits(module).unwrap_or(0)
    }

    fn int(bits: u16, value: u128, signed: bool) -> Self {
        Self { expression: Expression::Int { bits, value }, ty: Type::Int(bits), signed }
    }

    /// Whether it holds, as an `i1`.
    fn truth(self, module: &Module) -> Expression {
        if self.ty == BOOL {
            return self.expression;
        }
        let zero = match self.ty {
            Type::Pointer => Expression::Null,
            _ => Expression::Int { bits: self.bits(module), value: 0 },
        };
        compare(CompareOp::Ne, self.expression, zero)
    }

    /// C's integer promotion; pointers as they are.
    fn promoted(self, module: &Module) -> Self {
        let int = module.target.int_bits;
        match self.ty {
            Type::Int(bits) if bits < int => {
                let signed = self.signed && self.ty != BOOL;
                Self { signed, ..self }.widened(int, true)
            }
            _ => self,
        }
    }

    /// Converted to a width at least its own; `signed` is that of the result.
    fn widened(self, to: u16, signed: bool) -> Self {
        let Type::Int(from) = self.ty else { return self };
        if from >= to {
            return Self { signed, ..self };
        }
        let op = if self.signed { CastOp::SignExtend } else { CastOp::ZeroExtend };
        let expression = match self.expression {
            Expression::Int { value, .. } if !self.signed || value >> (from - 1) == 0 => {
                Expression::Int { bits: to, value }
            }
            a => Expression::Cast { op, ty: Type::Int(to), a: Box::new(a) },
        };
        Self { expression, ty: Type::Int(to), signed }
    }
}

fn compare(op: CompareOp, a: Expression, b: Expression) -> Expression {
    Expression::Compare { op, a: Box::new(a), b: Box::new(b) }
}

fn not(a: Expression) -> Expression {
    Expression::Unary { op: UnaryOp::Not, a: Box::new(a) }
}

/// Binary operators by level, loosest first; longer ones before their prefixes.
const LEVELS: &[&[&str]] = &[
    &["||"],
    &["&&"],
    &["|"],
    &["^"],
    &["&"],
    &["==", "!="],
    &["<=", ">=", "<", ">"],
    &["<<", ">>"],
    &["+", "-"],
    &["*", "/", "%"],
];

/// Brackets and prefix operators may nest so deep.
const MAX_DEPTH: usize = 100;

struct Reader<'m> {
    module: &'m Module,
    line: &'m str,
    position: usize,
    depth: usize,
}

impl<'m> Reader<'m> {
    fn rest(&self) -> &'m str {
        self.line.get(self.position..).unwrap_or("")
    }

    fn blanks(&mut self) {
        let rest = self.rest();
        self.position += rest.len() - rest.trim_start().len();
    }

    fn expected(&self, what: &str) -> Failure {
        let found = match self.rest().chars().next() {
            Some(c) => format!("'{c}'"),
            None => "the end of the line".to_owned(),
        };
        (self.position, format!("expected {what}, found {found}"))
    }

    fn take(&mut self, token: &str) -> bool {
        self.blanks();
        let found = self.rest().starts_with(token);
        if found {
            self.position += token.len();
        }
        found
    }

    fn require(&mut self, token: &str) -> Result<(), Failure> {
        if self.take(token) { Ok(()) } else { Err(self.expected(&format!("'{token}'"))) }
    }

    fn nested<T>(
        &mut self,
        inner: impl FnOnce(&mut Self) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        if self.depth >= MAX_DEPTH {
            return Err((self.position, format!("nested more than {MAX_DEPTH} levels deep")));
        }
        self.depth += 1;
        let result = inner(self);
        self.depth -= 1;
        result
    }

    fn operator(&mut self, level: usize) -> Option<&'static str> {
        self.blanks();
        let rest = self.rest();
        let found = LEVELS.get(level)?.iter().find(|op| rest.starts_with(**op))?;
        // `&` is not half of `&&`, nor `<` of `<<`.
        let next = rest.get(found.len()..).and_then(|r| r.chars().next());
        let doubled = matches!(*found, "|" | "&" | "<" | ">") && next == found.chars().next();
        if doubled {
            return None;
        }
        self.position += found.len();
        Some(found)
    }

    fn binary(&mut self, level: usize) -> Result<Value, Failure> {
        if level == LEVELS.len() {
            return self.nested(Self::unary);
        }
        let mut left = self.binary(level + 1)?;
        loop {
            self.blanks();
            let at = self.position;
            let Some(operator) = self.operator(level) else { return Ok(left) };
            let right = self.binary(level + 1)?;
            left = self.combine(operator, left, right).map_err(|message| (at, message))?;
        }
    }

    fn combine(&self, operator: &str, a: Value, b: Value) -> Result<Value, String> {
        let module = self.module;
        let truth = |expression| Value { expression, ty: BOOL, signed: false };
        if let "&&" | "||" = operator {
            let op = if operator == "&&" { BinaryOp::And } else { BinaryOp::Or };
            let (a, b) = (Box::new(a.truth(module)), Box::new(b.truth(module)));
            return Ok(truth(Expression::Binary { op, a, b }));
        }
        let (a, b) = self.converted(operator, a, b)?;
        let signed = a.signed;
        let ty = a.ty.clone();
        let (x, y) = (a.expression, b.expression);
        let less = |strict: bool, x, y| {
            let op = match (strict, signed) {
                (true, true) => CompareOp::SignedLt,
                (false, true) => CompareOp::SignedLe,
                (true, false) => CompareOp::UnsignedLt,
                (false, false) => CompareOp::UnsignedLe,
            };
            truth(compare(op, x, y))
        };
        let op = match operator {
            "==" => return Ok(truth(compare(CompareOp::Eq, x, y))),
            "!=" => return Ok(truth(compare(CompareOp::Ne, x, y))),
            "<" => return Ok(less(true, x, y)),
            "<=" => return Ok(less(false, x, y)),
            ">" => return Ok(less(true, y, x)),
            ">=" => return Ok(less(false, y, x)),
            "|" => BinaryOp::Or,
            "^" => BinaryOp::Xor,
            "&" => BinaryOp::And,
            "<<" => BinaryOp::ShiftLeft,
            ">>" if signed => BinaryOp::ArithmeticShiftRight,
            ">>" => BinaryOp::LogicalShiftRight,
            "+" => BinaryOp::Add,
            "-" => BinaryOp::Sub,
            "*" => BinaryOp::Mul,
            "/" if signed => BinaryOp::SignedDiv,
            "/" => BinaryOp::UnsignedDiv,
            "%" if signed => BinaryOp::SignedRem,
            _ => BinaryOp::UnsignedRem,
        };
        if ty == Type::Pointer {
            return Err(format!("'{operator}' on pointers"));
        }
        let expression = Expression::Binary { op, a: Box::new(x), b: Box::new(y) };
        Ok(Value { expression, ty, signed })
    }

    /// C's usual arithmetic conversions; a shift has the type of its left operand.
    fn converted(&self, operator: &str, a: Value, b: Value) -> Result<(Value, Value), String> {
        let module = self.module;
        let null = |v: &Value| matches!(v.expression, Expression::Int { value: 0, .. });
        let as_null = || Value { expression: Expression::Null, ty: Type::Pointer, signed: false };
        match (&a.ty, &b.ty) {
            (Type::Pointer, Type::Pointer) => return Ok((a, b)),
            (Type::Pointer, _) if null(&b) => return Ok((a, as_null())),
            (_, Type::Pointer) if null(&a) => return Ok((as_null(), b)),
            (Type::Pointer, _) | (_, Type::Pointer) => {
                return Err("a pointer and an integer".to_owned());
            }
            _ => {}
        }
        let (a, b) = (a.promoted(module), b.promoted(module));
        let (wide, narrow) = (a.bits(module), b.bits(module));
        if let "<<" | ">>" = operator {
            let (bits, signed) = (wide, a.signed);
            let by = if narrow > bits {
                let cast = Expression::Cast {
                    op: CastOp::Truncate,
                    ty: Type::Int(bits),
                    a: Box::new(b.expression),
                };
                Value { expression: cast, ty: Type::Int(bits), signed }
            } else {
                b.widened(bits, signed)
            };
            return Ok((a, by));
        }
        let bits = wide.max(narrow);
        // The wider type decides; of two as wide, unsigned wins.
        let signed = match wide.cmp(&narrow) {
            std::cmp::Ordering::Greater => a.signed,
            std::cmp::Ordering::Less => b.signed,
            std::cmp::Ordering::Equal => a.signed && b.signed,
        };
        Ok((a.widened(bits, signed), b.widened(bits, signed)))
    }

    fn unary(&mut self) -> Result<Value, Failure> {
        let module = self.module;
        self.blanks();
        let at = self.position;
        if self.take("!") {
            let a = self.nested(Self::unary)?.truth(module);
            return Ok(Value { expression: not(a), ty: BOOL, signed: false });
        }
        for (token, op) in [("-", UnaryOp::Neg), ("~", UnaryOp::Not)] {
            if self.take(token) {
                let a = self.nested(Self::unary)?.promoted(module);
                if a.ty == Type::Pointer {
                    return Err((at, format!("'{token}' on a pointer")));
                }
                let expression = Expression::Unary { op, a: Box::new(a.expression) };
                return Ok(Value { expression, ..a });
            }
        }
        if self.take("+") {
            return Ok(self.nested(Self::unary)?.promoted(module));
        }
        if self.take("(") {
            let inner = self.nested(|reader| reader.binary(0))?;
            self.require(")")?;
            return Ok(inner);
        }
        match self.rest().chars().next() {
            Some(c) if c.is_ascii_digit() => self.number(),
            Some(c) if c.is_ascii_alphabetic() || c == '_' => self.place(),
            Some('*' | '&') => {
                Err((at, "dereferences and addresses are not supported in predicates".to_owned()))
            }
            _ => Err(self.expected("a name, a number or '('")),
        }
    }

    fn number(&mut self) -> Result<Value, Failure> {
        let at = self.position;
        let rest = self.rest();
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(rest.len());
        let text = rest.get(..end).unwrap_or("").to_ascii_lowercase();
        let digits = text.trim_end_matches(['u', 'l']);
        let suffix = text.get(digits.len()..).unwrap_or("");
        let (digits, radix) = match digits.strip_prefix("0x") {
            Some(digits) => (digits, 16),
            None if digits.len() > 1 && digits.starts_with('0') => (digits, 8),
            None => (digits, 10),
        };
        let Ok(value) = u64::from_str_radix(digits, radix) else {
            return Err((at, format!("'{text}' is no integer of at most 64 bits")));
        };
        self.position += end;
        let target = &self.module.target;
        let unsigned = suffix.contains('u');
        let fits = |bits: u16, signed: bool| {
            let bits = if signed { bits - 1 } else { bits };
            bits >= 64 || value >> bits == 0
        };
        let widths = [(target.int_bits, suffix.contains('l')), (target.long_long_bits, false)];
        for (bits, skip) in widths {
            for signed in [true, false] {
                // A decimal literal without suffix is never unsigned.
                let allowed = if signed { !unsigned } else { unsigned || radix != 10 };
                if !skip && allowed && fits(bits, signed) {
                    return Ok(Value::int(bits, u128::from(value), signed));
                }
            }
        }
        Err((at, format!("'{text}' does not fit in any integer type")))
    }

    /// A variable, with indices and members.
    fn place(&mut self) -> Result<Value, Failure> {
        let at = self.position;
        let name = self.name();
        let (base, ty, signed) = match self.resolve(name) {
            Ok(Resolved::Value(value)) => return Ok(value),
            Ok(Resolved::Object(address, ty, signed)) => (address, ty, signed),
            Err(message) => return Err((at, message)),
        };
        let (mut address, mut ty, mut signed) = (base, ty, signed);
        loop {
            self.blanks();
            let at = self.position;
            if self.take("[") {
                let index = self.nested(|reader| reader.binary(0))?;
                self.require("]")?;
                let Type::Array(element, _) = ty else {
                    return Err((at, "this is no array".to_owned()));
                };
                let bits = self.module.target.pointer_bits;
                let index = index.promoted(self.module).widened(bits, true).expression;
                let index = Box::new(index);
                ty = *element;
                address = Expression::IndexAddress {
                    base: Box::new(address),
                    element: ty.clone(),
                    index,
                };
            } else if self.take(".") {
                let field = self.name();
                let Type::Struct(id) = ty else {
                    return Err((at, "this is no structure".to_owned()));
                };
                let fields = self.module.structs.get(id.index()).map_or(&[][..], |s| &s.fields);
                let Some(index) = fields.iter().position(|f| f.name == field) else {
                    return Err((at, format!("the structure has no member '{field}'")));
                };
                (ty, signed) = (fields[index].ty.clone(), fields[index].signed);
                address = Expression::FieldAddress {
                    base: Box::new(address),
                    structure: id,
                    field: FieldIndex::new(index),
                };
            } else if ty.is_scalar() {
                let expression = Expression::Load { ty: ty.clone(), address: Box::new(address) };
                return Ok(Value { expression, ty, signed });
            } else {
                return Err((
                    at,
                    format!("'{name}' is no scalar: an index or a member is missing"),
                ));
            }
        }
    }

    /// Identifiers joined by `::`, each perhaps with a number after `#`.
    fn name(&mut self) -> &'m str {
        self.blanks();
        let rest = self.rest();
        let mut end = 0;
        let word = |c: char| c.is_alphanumeric() || c == '_' || c == '#';
        loop {
            let tail = rest.get(end..).unwrap_or("");
            end += tail.find(|c| !word(c)).unwrap_or(tail.len());
            if rest.get(end..).is_some_and(|tail| tail.starts_with("::")) {
                end += 2;
            } else {
                break;
            }
        }
        self.position += end;
        rest.get(..end).unwrap_or("")
    }

    fn resolve(&self, name: &str) -> Result<Resolved, String> {
        let module = self.module;
        if let Some(id) = module.global_by_name(name) {
            let global = &module.globals[GlobalId::index(id)];
            return Ok(Resolved::Object(Expression::Global(id), global.ty.clone(), global.signed));
        }
        let mut candidates = Vec::new();
        for (id, function) in module.functions() {
            // Qualified, or bare if only one function has it.
            let local = name.strip_prefix(&function.name).and_then(|rest| rest.strip_prefix("::"));
            if let Some(resolved) = local_of(module, id, local.unwrap_or(name)) {
                if local.is_some() {
                    return Ok(resolved);
                }
                candidates.push((function.name.clone(), resolved));
            }
        }
        match candidates.len() {
            0 => Err(format!("nothing is called '{name}'; locals are 'function::variable'")),
            1 => Ok(candidates.remove(0).1),
            _ => {
                let names: Vec<_> =
                    candidates.iter().map(|(f, _)| format!("{f}::{name}")).collect();
                Err(format!("'{name}' may be {}", names.join(" or ")))
            }
        }
    }
}

enum Resolved {
    Value(Value),
    Object(Expression, Type, bool),
}

fn local_of(module: &Module, id: FunctionId, name: &str) -> Option<Resolved> {
    let function = module.function(id);
    if let Some(index) = function.variables.iter().position(|v| v.name == name) {
        let variable = &function.variables[index];
        let expression = Expression::Variable { function: id, variable: VariableId::new(index) };
        let (ty, signed) = (variable.ty.clone(), variable.signed);
        return Some(Resolved::Value(Value { expression, ty, signed }));
    }
    let index = function.slots.iter().position(|s| s.name == name)?;
    let slot = &function.slots[index];
    let address = Expression::Slot { function: id, slot: SlotId::new(index) };
    Some(Resolved::Object(address, slot.ty.clone(), slot.signed))
}

#[cfg(test)]
mod tests {
    use super::*;
    use sapa_ir::goto::{parse as parse_module, print_expression};

    const MODULE: &str = r"gir 1
struct point size 8 align 4 {
  x: i32 signed at 0
  y: i32 at 4
}
global $s: i32 signed = 0
global $u: i32 = 0
global $c: i8 signed = 0
global $p: ptr = 0
global $a: [4 x struct point] = zero
define @f() {
  var !l: i32 signed
  var !g::l#2: i8
  slot &b: [2 x i16] signed
bb0:
  return
}
define @h() {
  var !l: i32 signed
bb0:
  return
}
";

    fn text(line: &str) -> String {
        let module = parse_module(MODULE, "m").expect("the module");
        match parse(&module, line, "p") {
            Ok(predicates) => {
                let all: Vec<_> =
                    predicates.iter().map(|p| print_expression(&module, &p.expression)).collect();
                all.join("; ")
            }
            Err(errors) => errors.iter().map(ToString::to_string).collect(),
        }
    }

    #[test]
    fn names_and_conversions() {
        for (line, expected) in [
            ("s == f::l", "eq(load(i32, $s), @f!l)"),
            ("s < u", "ult(load(i32, $s), load(i32, $u))"),
            ("c >= 1", "sle(1i32, sext(i32, load(i8, $c)))"),
            ("u", "ne(load(i32, $u), 0i32)"),
            ("p != 0", "ne(load(ptr, $p), null)"),
            ("!(s == 1) && p", "and(not(eq(load(i32, $s), 1i32)), ne(load(ptr, $p), null))"),
            ("(s > 1) == u", "eq(zext(i32, slt(1i32, load(i32, $s))), load(i32, $u))"),
            (
                "# comment\n\n s+1*2<<1 == 0x10u",
                "eq(shl(add(load(i32, $s), mul(1i32, 2i32)), 1i32), 16i32)",
            ),
        ] {
            assert_eq!(text(line), expected, "{line}");
        }
        assert!(text("a[s].y > 4294967295").contains("field"), "{}", text("a[s].y > 4294967295"));
        assert!(text("f::g::l#2 == f::b[1]").starts_with("eq("));
    }

    #[test]
    fn errors_have_positions() {
        for (line, expected) in [
            ("s ==", "p:1:5: expected a name, a number or '(', found the end of the line"),
            ("\ns = 1", "p:2:3: expected an operator or the end of the line, found '='"),
            ("x", "p:1:1: nothing is called 'x'; locals are 'function::variable'"),
            ("l == 1", "p:1:1: 'l' may be f::l or h::l"),
            ("p < 1", "p:1:3: a pointer and an integer"),
            ("*p == 1", "p:1:1: dereferences and addresses are not supported in predicates"),
            ("a == 1", "p:1:3: 'a' is no scalar: an index or a member is missing"),
            ("(s", "p:1:3: expected ')', found the end of the line"),
            (
                "99999999999999999999",
                "p:1:1: '99999999999999999999' is no integer of at most 64 bits",
            ),
        ] {
            assert_eq!(text(line), expected, "{line}");
        }
        assert!(text("f::l == h::l").contains("locals of two functions"));
        assert!(text(&"(".repeat(100_000)).contains("levels deep"));
        assert!(text(&"!".repeat(100_000)).contains("levels deep"));
    }
}
