//! Predicates as C, which the frontend reads back to the same expression.
//!
//! An operand is cast where C's conversions would make another operation of it: comparisons,
//! divisions and right shifts take their signedness from their operands, and what C would promote
//! to `int` is computed in its own width as `_BitInt(8)`. Widths without a type of C are
//! `_BitInt(n)`, Booleans that are no comparisons `unsigned _BitInt(1)`. Pointers have no type in
//! the module, so what they point to is said by a cast. `docs/predicates.md` describes the language.

use super::entity::{FieldIndex, StructId};
use super::instruction::{BinaryOp, CastOp, CompareOp, UnaryOp};
use super::module::Module;
use super::name;
use super::predicate::Expression;
use super::print::print_type;
use super::types::Type;

/// A predicate as C, in names of the module.
#[must_use]
pub fn c_text(module: &Module, expression: &Expression) -> String {
    Writer { module }.truth(expression).text
}

/// Precedences of C.
const CONDITIONAL: u8 = 1;
const OR: u8 = 2;
const AND: u8 = 3;
const BIT_OR: u8 = 4;
const BIT_XOR: u8 = 5;
const BIT_AND: u8 = 6;
const EQUALITY: u8 = 7;
const RELATION: u8 = 8;
const SHIFT: u8 = 9;
const SUM: u8 = 10;
const PRODUCT: u8 = 11;
const PREFIX: u8 = 12;
const POSTFIX: u8 = 13;

/// A part of the text, and how C reads it.
struct Text {
    text: String,
    precedence: u8,
    read: Read,
}

/// What the reader takes a text for.
#[derive(Clone, Copy, PartialEq)]
enum Read {
    /// A comparison or logical operation: an `int`, but of one bit as long as nothing computes
    /// with it.
    Truth,
    /// An integer; `promotes` says that C makes an `int` of it before it computes.
    Int { bits: u16, signed: bool, promotes: bool },
    /// A pointer, or an integer where the expression is none that the verifier accepts.
    Pointer,
}

impl Read {
    fn signed(self) -> bool {
        matches!(self, Self::Int { signed: true, .. })
    }

    fn bits(self, module: &Module) -> u16 {
        match self {
            Self::Truth => 1,
            Self::Int { bits, .. } => bits,
            Self::Pointer => module.target.pointer_bits,
        }
    }
}

impl Text {
    fn new(text: String, precedence: u8, read: Read) -> Self {
        Self { text, precedence, read }
    }

    /// The text where only what binds as tightly may stand.
    fn within(self, precedence: u8) -> String {
        if self.precedence < precedence { format!("({})", self.text) } else { self.text }
    }

    /// The text as an operand of a binary operator.
    fn beneath(self, operator: u8, is_right: bool) -> String {
        // What readers of C confuse gets parentheses that it would not need.
        let is_confusing = |level| matches!(level, OR | BIT_OR | BIT_XOR | BIT_AND | SHIFT);
        let is_mixed = self.precedence != operator && self.precedence < PREFIX;
        let is_mixed = is_mixed && (is_confusing(operator) || is_confusing(self.precedence));
        match is_mixed {
            true => format!("({})", self.text),
            false => self.within(operator + u8::from(is_right)),
        }
    }
}

/// The value of an integer constant as a number of its type.
fn number(bits: u16, value: u128, signed: bool) -> String {
    let shift = 128 - u32::from(bits.clamp(1, 128));
    if signed { (((value << shift) as i128) >> shift).to_string() } else { value.to_string() }
}

fn literal(expression: &Expression) -> Option<(u16, u128)> {
    match expression {
        Expression::Int { bits, value } => Some((*bits, *value)),
        _ => None,
    }
}

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
        }
    }

    /// How the reader takes a variable or object of a type.
    fn read(&self, ty: &Type, signed: bool) -> Read {
        match ty {
            Type::Int(bits) => {
                let signed = signed && *bits > 1;
                Read::Int { bits: *bits, signed, promotes: self.promotes(*bits) }
            }
            _ => Read::Pointer,
        }
    }

    /// Whether the type of C of this width is narrower than `int`.
    fn promotes(&self, bits: u16) -> bool {
        let target = &self.module.target;
        bits < target.int_bits && (bits == 8 || bits == target.short_bits)
    }

    /// The type of C for an integer; for `exact`, one that C does not promote.
    fn integer(&self, bits: u16, signed: bool, exact: bool) -> String {
        let target = &self.module.target;
        let word = match bits {
            _ if bits == target.int_bits => "int",
            _ if bits == target.long_bits => "long",
            _ if bits == target.long_long_bits => "long long",
            128 => "__int128",
            _ if exact => "",
            _ if bits == target.short_bits => "short",
            8 if signed == target.char_signed => return "char".to_owned(),
            8 if signed => return "signed char".to_owned(),
            8 => "char",
            _ => "",
        };
        let bit_int = || format!("_BitInt({bits})");
        match (word, signed) {
            ("", true) => bit_int(),
            ("", false) => format!("unsigned {}", bit_int()),
            ("int", false) => "unsigned".to_owned(),
            (word, true) => word.to_owned(),
            (word, false) => format!("unsigned {word}"),
        }
    }

    /// The type of C for a pointer to a type.
    fn pointer_to(&self, ty: &Type, signed: bool) -> String {
        let (mut element, mut dimensions) = (ty, String::new());
        while let Type::Array(inner, count) = element {
            dimensions.push_str(&format!("[{count}]"));
            element = inner;
        }
        let element = match element {
            Type::Int(bits) => self.integer(*bits, signed && *bits > 1, false) + " ",
            Type::Struct(id) => self.structure(*id) + " ",
            _ => "void *".to_owned(),
        };
        if dimensions.is_empty() {
            format!("{element}*")
        } else {
            format!("{element}(*){dimensions}")
        }
    }

    fn structure(&self, id: StructId) -> String {
        let structure = self.module.structs.get(id.index());
        match structure.map(|structure| structure.name.as_str()) {
            Some(name) if name::length(name.as_bytes()) == name.len() => format!("struct {name}"),
            _ => {
                let text = print_type(self.module, &Type::Struct(id));
                let text = text.strip_prefix("struct ").unwrap_or(&text);
                format!("struct {}", name::quoted(text))
            }
        }
    }

    fn cast(&self, ty: &str, operand: Text) -> Text {
        let read = if ty.ends_with('*') { Read::Pointer } else { operand.read };
        Text::new(format!("({ty}){}", operand.within(PREFIX)), PREFIX, read)
    }

    /// A text as an integer type of C of the width that it has, or of another one.
    fn as_integer(&self, operand: Text, bits: u16, signed: bool, exact: bool) -> Text {
        let ty = self.integer(bits, signed, exact);
        let read = Read::Int { bits, signed, promotes: !exact && self.promotes(bits) };
        Text { read, ..self.cast(&ty, operand) }
    }

    /// A constant whose type the text alone says.
    fn constant(&self, bits: u16, value: u128, signed: bool) -> Text {
        let target = &self.module.target;
        let text = number(bits, value, signed);
        // The least number has no literal: C reads a minus before a larger type's.
        let is_least = signed && value == 1 << (bits - 1);
        let suffix = match bits {
            _ if is_least => None,
            _ if bits == target.int_bits => Some(if signed { "" } else { "u" }),
            _ if bits == target.long_bits => Some(if signed { "l" } else { "ul" }),
            _ => None,
        };
        let read = Read::Int { bits, signed, promotes: self.promotes(bits) };
        match suffix {
            Some(suffix) => {
                let precedence = if text.starts_with('-') { PREFIX } else { POSTFIX };
                Text::new(text + suffix, precedence, read)
            }
            None => self.typed_constant(bits, value, signed, false),
        }
    }

    /// A constant behind a cast.
    fn typed_constant(&self, bits: u16, value: u128, signed: bool, exact: bool) -> Text {
        let precedence = PREFIX;
        let text = Text::new(number(bits, value, signed), precedence, Read::Truth);
        self.as_integer(text, bits, signed, exact)
    }

    /// An operand of arithmetic, in its own width; of this signedness, if one is asked for.
    fn operand(&self, expression: &Expression, signed: Option<bool>) -> Text {
        if let Some((bits, value)) = literal(expression) {
            let signed = signed.unwrap_or(bits > 1);
            return match self.constant(bits, value, signed) {
                text if !matches!(text.read, Read::Int { promotes: true, .. }) => text,
                _ => self.typed_constant(bits, value, signed, true),
            };
        }
        let text = self.value(expression, signed);
        match text.read {
            Read::Int { signed: is, promotes: false, .. } if signed.is_none_or(|s| s == is) => text,
            read => {
                let signed = signed.unwrap_or(read.signed());
                self.as_integer(text, read.bits(self.module), signed, true)
            }
        }
    }

    /// An operand whose type is not C's to choose: of this signedness, and no literal.
    fn converted(&self, expression: &Expression, signed: bool) -> Text {
        if let Some((bits, value)) = literal(expression) {
            return self.typed_constant(bits, value, signed, false);
        }
        let text = self.value(expression, Some(signed));
        match text.read {
            Read::Int { signed: is, .. } if is == signed => text,
            Read::Truth if !signed => text,
            read => self.as_integer(text, read.bits(self.module), signed, false),
        }
    }

    /// A constant beside an operand that C would convert it to, if C does so.
    fn beside(&self, bits: u16, value: u128, signed: bool) -> Text {
        let target = &self.module.target;
        let is_word = [target.int_bits, target.long_bits].contains(&bits);
        let shown = number(bits, value, signed);
        if is_word && shown.parse::<i128>().is_ok_and(|v| v.abs() < 1 << (target.int_bits - 1)) {
            let precedence = if shown.starts_with('-') { PREFIX } else { POSTFIX };
            let read = Read::Int { bits, signed, promotes: false };
            return Text::new(shown, precedence, read);
        }
        match self.constant(bits, value, signed) {
            text if !matches!(text.read, Read::Int { promotes: true, .. }) => text,
            _ => self.typed_constant(bits, value, signed, true),
        }
    }

    fn unary(&self, op: UnaryOp, a: &Expression, wanted: Option<bool>) -> Text {
        let is_bit = |text: &Text| text.read.bits(self.module) == 1;
        if op == UnaryOp::Not {
            let text = self.truth(a);
            if is_bit(&text) && literal(a).is_none_or(|(bits, _)| bits == 1) {
                return Text::new(format!("!{}", text.within(PREFIX)), PREFIX, Read::Truth);
            }
        }
        let sign = if op == UnaryOp::Not { "~" } else { "-" };
        // C reads `-5` as one number.
        let text = match literal(a) {
            Some((bits, value)) => {
                self.typed_constant(bits, value, wanted.unwrap_or(bits > 1), true)
            }
            None => self.operand(a, wanted),
        };
        let read = text.read;
        let operand = text.within(PREFIX);
        // `--` would be another operator.
        let operand = if operand.starts_with(sign) { format!("({operand})") } else { operand };
        Text::new(format!("{sign}{operand}"), PREFIX, read)
    }

    fn binary(&self, op: BinaryOp, a: &Expression, b: &Expression, wanted: Option<bool>) -> Text {
        use BinaryOp as B;
        let infix = |a: Text, sign: &str, b: Text, precedence: u8, read: Read| {
            let text =
                format!("{} {sign} {}", a.beneath(precedence, false), b.beneath(precedence, true));
            Text::new(text, precedence, read)
        };
        if let B::And | B::Or = op {
            let (x, y) = (self.truth(a), self.truth(b));
            let bits = |e: &Expression, text: &Text| {
                literal(e).map_or_else(|| text.read.bits(self.module), |(bits, _)| bits)
            };
            if bits(a, &x) == 1 && bits(b, &y) == 1 {
                let (sign, precedence) = if op == B::And { ("&&", AND) } else { ("||", OR) };
                return infix(x, sign, y, precedence, Read::Truth);
            }
        }
        let (sign, precedence, signed) = match op {
            B::Add => ("+", SUM, None),
            B::Sub => ("-", SUM, None),
            B::Mul => ("*", PRODUCT, None),
            B::UnsignedDiv => ("/", PRODUCT, Some(false)),
            B::SignedDiv => ("/", PRODUCT, Some(true)),
            B::UnsignedRem => ("%", PRODUCT, Some(false)),
            B::SignedRem => ("%", PRODUCT, Some(true)),
            B::ShiftLeft => ("<<", SHIFT, None),
            B::LogicalShiftRight => (">>", SHIFT, Some(false)),
            B::ArithmeticShiftRight => (">>", SHIFT, Some(true)),
            B::And => ("&", BIT_AND, None),
            B::Or => ("|", BIT_OR, None),
            B::Xor => ("^", BIT_XOR, None),
        };
        let asked = signed.or(wanted);
        if precedence == SHIFT {
            let x = self.operand(a, asked);
            let y = match literal(b) {
                Some((_, value)) if value < 1 << 15 => {
                    Text::new(value.to_string(), POSTFIX, x.read)
                }
                Some((bits, value)) => self.typed_constant(bits, value, false, false),
                None => match self.value(b, None) {
                    // A comparison is an `int`.
                    text if text.read == Read::Truth => self.as_integer(text, 1, false, true),
                    text => text,
                },
            };
            let read = x.read;
            return infix(x, sign, y, precedence, read);
        }
        let (x, y) = match (literal(a), literal(b)) {
            (None, Some((bits, value))) => {
                let x = self.operand(a, asked);
                let y = self.beside(bits, value, x.read.signed());
                (x, y)
            }
            (Some((bits, value)), None) => {
                let y = self.operand(b, asked);
                (self.beside(bits, value, y.read.signed()), y)
            }
            _ => (self.operand(a, asked), self.operand(b, asked)),
        };
        let read = match (x.read, y.read) {
            (Read::Int { bits, .. }, other) => {
                let signed = x.read.signed() && other.signed();
                Read::Int { bits, signed, promotes: false }
            }
            (read, _) => read,
        };
        infix(x, sign, y, precedence, read)
    }

    fn compare(&self, op: CompareOp, a: &Expression, b: &Expression) -> Text {
        let (sign, precedence, signed) = match op {
            CompareOp::Eq => ("==", EQUALITY, None),
            CompareOp::Ne => ("!=", EQUALITY, None),
            CompareOp::UnsignedLt => ("<", RELATION, Some(false)),
            CompareOp::UnsignedLe => ("<=", RELATION, Some(false)),
            CompareOp::SignedLt => ("<", RELATION, Some(true)),
            CompareOp::SignedLe => ("<=", RELATION, Some(true)),
        };
        let (x, y) = self.pair(a, b, signed);
        let text =
            format!("{} {sign} {}", x.beneath(precedence, true), y.beneath(precedence, true));
        Text::new(text, precedence, Read::Truth)
    }

    /// Two operands that the reader gives one type without widening them.
    fn pair(&self, a: &Expression, b: &Expression, signed: Option<bool>) -> (Text, Text) {
        let null = || Text::new("0".to_owned(), POSTFIX, Read::Pointer);
        match (a, b) {
            (Expression::Null, Expression::Null) => return (self.value(a, None), null()),
            (Expression::Null, _) => return (null(), self.pointer(b, signed)),
            (_, Expression::Null) => return (self.pointer(a, signed), null()),
            _ => {}
        }
        let plain = |bits: u16, value: u128, beside: Read| {
            let signed = beside.signed();
            if bits == 128 && number(bits, value, false).parse::<i128>().is_err() {
                return self.typed_constant(bits, value, signed, false);
            }
            let text = number(bits, value, signed);
            let precedence = if text.starts_with('-') { PREFIX } else { POSTFIX };
            Text::new(text, precedence, beside)
        };
        match (literal(a), literal(b)) {
            (Some((bits, value)), Some((_, other))) => {
                let x = self.typed_constant(bits, value, signed.unwrap_or(bits > 1), false);
                let y = plain(bits, other, x.read);
                return (x, y);
            }
            (None, Some((bits, value))) => {
                let x = self.signed_as(self.value(a, signed), signed);
                let y = plain(bits, value, x.read);
                return (x, y);
            }
            (Some((bits, value)), None) => {
                let y = self.signed_as(self.value(b, signed), signed);
                return (plain(bits, value, y.read), y);
            }
            (None, None) => {}
        }
        let (x, y) = (self.value(a, signed), self.value(b, signed));
        if (x.read, y.read) == (Read::Pointer, Read::Pointer) && signed != Some(true) {
            return (x, y);
        }
        let both = match signed {
            None if x.read.signed() == y.read.signed() => None,
            None => Some(false),
            signed => signed,
        };
        (self.signed_as(x, both), self.signed_as(y, both))
    }

    fn pointer(&self, expression: &Expression, signed: Option<bool>) -> Text {
        let text = self.value(expression, None);
        if signed == Some(true) { self.signed_as(text, signed) } else { text }
    }

    /// A text as an integer of this signedness.
    fn signed_as(&self, text: Text, signed: Option<bool>) -> Text {
        let bits = text.read.bits(self.module);
        match (text.read, signed) {
            (Read::Pointer, _) => self.as_integer(text, bits, signed.unwrap_or(false), false),
            (_, None) => text,
            (read, Some(signed)) if read.signed() == signed => text,
            (_, Some(signed)) => self.as_integer(text, bits, signed, false),
        }
    }

    fn conversion(&self, op: CastOp, ty: &Type, a: &Expression, wanted: Option<bool>) -> Text {
        let operand = match op {
            CastOp::ZeroExtend => self.converted(a, false),
            CastOp::SignExtend => self.converted(a, true),
            CastOp::Truncate => match literal(a) {
                Some((bits, value)) => self.typed_constant(bits, value, bits > 1, false),
                None => self.value(a, None),
            },
            CastOp::PointerToInt => self.value(a, None),
            CastOp::IntToPointer => {
                let operand = match literal(a) {
                    Some((bits, value)) => self.typed_constant(bits, value, false, false),
                    None => self.value(a, None),
                };
                return self.cast("void *", operand);
            }
        };
        let bits = ty.bits(self.module).unwrap_or(self.module.target.pointer_bits);
        let signed = match op {
            CastOp::PointerToInt => wanted.unwrap_or(false),
            CastOp::Truncate => wanted.unwrap_or(operand.read.signed() && bits > 1),
            _ => wanted.unwrap_or(bits > 1),
        };
        self.as_integer(operand, bits, signed, false)
    }

    fn select(
        &self,
        condition: &Expression,
        a: &Expression,
        b: &Expression,
        wanted: Option<bool>,
    ) -> Text {
        let (x, y) = match (literal(a), literal(b)) {
            _ if matches!((a, b), (Expression::Null, _) | (_, Expression::Null)) => {
                self.pair(a, b, None)
            }
            (None, None) => self.pair(a, b, wanted),
            // A constant takes the type of the other only where C promotes that.
            (Some((bits, value)), None) => {
                let y = self.value(b, wanted);
                (self.branch(bits, value, y.read), y)
            }
            (None, Some((bits, value))) => {
                let x = self.value(a, wanted);
                let y = self.branch(bits, value, x.read);
                (x, y)
            }
            (Some((bits, x)), Some((_, y))) => {
                let signed = wanted.unwrap_or(bits > 1);
                let typed = |value| self.typed_constant(bits, value, signed, false);
                (typed(x), typed(y))
            }
        };
        let read = match (x.read, y.read) {
            (Read::Int { bits, signed, promotes }, other) => {
                Read::Int { bits, signed: signed && other.signed(), promotes }
            }
            (Read::Truth, Read::Int { .. }) => y.read,
            (read, _) => read,
        };
        let condition = self.truth(condition).within(CONDITIONAL + 1);
        let (x, y) = (x.within(CONDITIONAL + 1), y.within(CONDITIONAL));
        Text::new(format!("{condition} ? {x} : {y}"), CONDITIONAL, read)
    }

    /// A constant as one branch of a conditional beside the other.
    fn branch(&self, bits: u16, value: u128, beside: Read) -> Text {
        let signed = beside.signed();
        match beside {
            Read::Truth => Text::new(value.to_string(), POSTFIX, Read::Truth),
            Read::Int { promotes: true, .. } => {
                let precedence = PREFIX;
                Text::new(number(bits, value, signed), precedence, beside)
            }
            _ => self.beside(bits, value, signed),
        }
    }

    /// A scalar in memory.
    fn load(&self, ty: &Type, address: &Expression, wanted: Option<bool>) -> Text {
        let place = matches!(
            address,
            Expression::Global(_)
                | Expression::Slot { .. }
                | Expression::FieldAddress { .. }
                | Expression::IndexAddress { .. }
        )
        .then(|| self.place(address));
        if let Some((text, of, signed)) = place
            && of == *ty
        {
            return Text::new(text, POSTFIX, self.read(ty, signed));
        }
        let signed = wanted.unwrap_or(true);
        let pointer = self.pointer_to(ty, signed);
        let pointer = self.cast(&pointer, self.value(address, None));
        Text::new(format!("*{}", pointer.text), PREFIX, self.read(ty, signed))
    }

    /// The object at an address that is computed from an object's name or a pointer, its type, and
    /// whether it holds signed integers.
    fn place(&self, address: &Expression) -> (String, Type, bool) {
        let is_place = |base: &Expression| {
            !matches!(
                base,
                Expression::Load { .. }
                    | Expression::Variable { .. }
                    | Expression::Value { .. }
                    | Expression::Null
                    | Expression::Function(_)
                    | Expression::Cast { .. }
                    | Expression::Select { .. }
            )
        };
        match address {
            Expression::FieldAddress { base, structure, field } => {
                let place = is_place(base).then(|| self.place(base));
                let text = match place {
                    Some((text, Type::Struct(id), _)) if id == *structure => format!("{text}."),
                    _ => {
                        let pointer = format!("{} *", self.structure(*structure));
                        format!("({})->", self.cast(&pointer, self.value(base, None)).text)
                    }
                };
                let (name, ty, signed) = self.member(*structure, *field);
                (text + &name, ty, signed)
            }
            Expression::IndexAddress { base, element, index } => {
                let place = is_place(base).then(|| self.place(base));
                let (text, signed) = match place {
                    Some((text, Type::Array(inner, _), signed)) if *inner == *element => {
                        (text, signed)
                    }
                    _ => {
                        let pointer = self.pointer_to(element, true);
                        (format!("({})", self.cast(&pointer, self.value(base, None)).text), true)
                    }
                };
                (format!("{text}[{}]", self.index(index)), element.clone(), signed)
            }
            _ => {
                let (ty, signed) =
                    name::declared(self.module, address).unwrap_or((Type::Pointer, false));
                (name::of(self.module, address), ty, signed)
            }
        }
    }

    /// A number of elements: what the reader widens is written as it was.
    fn index(&self, index: &Expression) -> String {
        if let Some((bits, value)) = literal(index) {
            return number(bits, value, true);
        }
        if let Expression::Cast { op: op @ (CastOp::SignExtend | CastOp::ZeroExtend), a, .. } =
            index
            && literal(a).is_none()
        {
            let text = self.value(a, None);
            if text.read.signed() == (*op == CastOp::SignExtend) {
                return text.text;
            }
        }
        self.value(index, None).text
    }

    /// Name and type of a member, and whether it holds signed integers.
    fn member(&self, structure: StructId, field: FieldIndex) -> (String, Type, bool) {
        let fields =
            self.module.structs.get(structure.index()).map_or(&[][..], |s| s.fields.as_slice());
        let Some(found) = fields.get(field.index()) else {
            return (name::quoted("?"), Type::Pointer, false);
        };
        let is_first =
            fields.iter().position(|other| other.name == found.name) == Some(field.index());
        let is_plain =
            !found.name.is_empty() && name::length(found.name.as_bytes()) == found.name.len();
        let name = if is_first && is_plain {
            found.name.clone()
        } else {
            name::quoted(&format!("#{}", field.0))
        };
        (name, found.ty.clone(), found.signed)
    }
}
