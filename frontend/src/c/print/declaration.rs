//! Declarations and types.

use super::Printer;
use crate::c::ast::{
    Alignment, ArrayDerivation, ArraySize, Attribute, AttributeArguments, Declaration, Declarator,
    Derivation, EnumSpecifier, FieldDeclaration, FunctionDefinition, Member, Parameters,
    Qualifiers, RecordKind, RecordSpecifier, Specifiers, StaticAssert, StorageClass, TypeName,
    TypeSpecifier,
};

impl Printer {
    pub(super) fn function(&mut self, function: &FunctionDefinition) {
        self.specifiers(&function.specifiers);
        self.declarator(&function.declarator);
        self.attributes(&function.declarator.attributes);
        for declaration in &function.old_style {
            self.new_line();
            self.declaration(declaration);
        }
        self.new_line();
        self.block(&function.body);
    }

    pub(super) fn declaration(&mut self, declaration: &Declaration) {
        self.specifiers(&declaration.specifiers);
        for (index, one) in declaration.declarators.iter().enumerate() {
            if index > 0 {
                self.push(",");
            }
            self.declarator(&one.declarator);
            if let Some(label) = &one.asm_label {
                self.push(" asm(");
                self.string(label);
                self.push(")");
            }
            self.attributes(&one.declarator.attributes);
            if let Some(initializer) = &one.initializer {
                self.push(" = ");
                self.initializer(initializer);
            }
        }
        self.push(";");
    }

    pub(super) fn static_assert(&mut self, assertion: &StaticAssert) {
        self.push("_Static_assert(");
        self.constant(&assertion.condition);
        if let Some(message) = &assertion.message {
            self.push(", ");
            self.string(message);
        }
        self.push(");");
    }

    pub(super) fn type_name(&mut self, type_name: &TypeName) {
        self.specifiers(&type_name.specifiers);
        self.declarator(&type_name.declarator);
        self.attributes(&type_name.declarator.attributes);
    }

    fn specifiers(&mut self, specifiers: &Specifiers) {
        let storage = match specifiers.storage {
            None => "",
            Some(StorageClass::Typedef) => "typedef ",
            Some(StorageClass::Extern) => "extern ",
            Some(StorageClass::Static) => "static ",
            Some(StorageClass::Auto) => "auto ",
            Some(StorageClass::Register) => "register ",
        };
        self.push(storage);
        for (is_set, word) in [
            (specifiers.thread_local, "_Thread_local "),
            (specifiers.inline, "inline "),
            (specifiers.noreturn, "_Noreturn "),
        ] {
            if is_set {
                self.push(word);
            }
        }
        for alignment in &specifiers.alignments {
            self.push("_Alignas(");
            match alignment {
                Alignment::Type(type_name) => self.type_name(type_name),
                Alignment::Expression(expression) => self.constant(expression),
            }
            self.push(") ");
        }
        for attribute in &specifiers.attributes {
            self.attribute(attribute);
            self.push(" ");
        }
        for word in qualifier_words(specifiers.qualifiers) {
            self.push(word);
            self.push(" ");
        }
        self.type_specifier(&specifiers.base);
    }

    fn type_specifier(&mut self, specifier: &TypeSpecifier) {
        use TypeSpecifier as T;
        let word = match specifier {
            T::Void => "void",
            T::Bool => "_Bool",
            T::Char => "char",
            T::SignedChar => "signed char",
            T::UnsignedChar => "unsigned char",
            T::Short => "short",
            T::UnsignedShort => "unsigned short",
            T::Int => "int",
            T::UnsignedInt => "unsigned int",
            T::Long => "long",
            T::UnsignedLong => "unsigned long",
            T::LongLong => "long long",
            T::UnsignedLongLong => "unsigned long long",
            T::Int128 => "__int128",
            T::UnsignedInt128 => "unsigned __int128",
            T::BitInt { width, signed } => {
                self.push(if *signed { "_BitInt(" } else { "unsigned _BitInt(" });
                self.expression(width);
                return self.push(")");
            }
            T::Float => "float",
            T::Double => "double",
            T::LongDouble => "long double",
            T::FloatN(bits) => return self.push(&format!("_Float{bits}")),
            T::FloatNx(bits) => return self.push(&format!("_Float{bits}x")),
            T::Complex(base) => {
                self.push("_Complex ");
                return self.type_specifier(base);
            }
            T::VaList => "__builtin_va_list",
            T::AutoType => "__auto_type",
            T::Named(name) => return self.push(name),
            T::Record(record) => return self.record(record),
            T::Enum(enumeration) => return self.enumeration(enumeration),
            T::TypeofExpression(expression) => {
                self.push("typeof(");
                self.expression(expression);
                ")"
            }
            T::TypeofType(type_name) => {
                self.push("typeof(");
                self.type_name(type_name);
                ")"
            }
            T::Atomic(type_name) => {
                self.push("_Atomic(");
                self.type_name(type_name);
                ")"
            }
        };
        self.push(word);
    }

    fn record(&mut self, record: &RecordSpecifier) {
        self.push(match record.kind {
            RecordKind::Struct => "struct",
            RecordKind::Union => "union",
        });
        self.attributes(&record.attributes);
        if let Some(tag) = &record.tag {
            self.push(" ");
            self.push(&tag.name);
        }
        let Some(members) = &record.members else { return };
        self.push(" {");
        self.indentation += 1;
        for member in members {
            self.new_line();
            match member {
                Member::Field(field) => self.field(field),
                Member::StaticAssert(assertion) => self.static_assert(assertion),
            }
        }
        self.indentation -= 1;
        self.new_line();
        self.push("}");
    }

    fn field(&mut self, field: &FieldDeclaration) {
        self.specifiers(&field.specifiers);
        for (index, one) in field.declarators.iter().enumerate() {
            if index > 0 {
                self.push(",");
            }
            self.declarator(&one.declarator);
            if let Some(width) = &one.width {
                self.push(" : ");
                self.constant(width);
            }
            self.attributes(&one.declarator.attributes);
        }
        self.push(";");
    }

    fn enumeration(&mut self, enumeration: &EnumSpecifier) {
        self.push("enum");
        self.attributes(&enumeration.attributes);
        if let Some(tag) = &enumeration.tag {
            self.push(" ");
            self.push(&tag.name);
        }
        let Some(enumerators) = &enumeration.enumerators else { return };
        self.push(" { ");
        self.separated(enumerators, |printer, enumerator| {
            printer.push(&enumerator.name.name);
            printer.attributes(&enumerator.attributes);
            if let Some(value) = &enumerator.value {
                printer.push(" = ");
                printer.constant(value);
            }
        });
        self.push(" }");
    }

    /// A declarator with the space before it, without its attributes.
    fn declarator(&mut self, declarator: &Declarator) {
        let mut text = declarator.name.as_deref().unwrap_or_default().to_owned();
        let mut after_pointer = false;
        for derivation in &declarator.derived {
            match derivation {
                Derivation::Pointer(qualifiers) => {
                    let words = qualifier_words(*qualifiers).join(" ");
                    let gap = match (words.is_empty(), text.chars().next()) {
                        (true, _) | (_, None) => "",
                        // `_Atomic (` would be the specifier with a type.
                        (_, Some('(')) if words.ends_with("_Atomic") => " __attribute__(()) ",
                        _ => " ",
                    };
                    text = format!("*{words}{gap}{text}");
                    after_pointer = true;
                }
                Derivation::Array(_) | Derivation::Function(_) => {
                    if after_pointer {
                        text = format!("({text})");
                    }
                    after_pointer = false;
                    text.push_str(&self.apart(|printer| match derivation {
                        Derivation::Array(array) => printer.array(array),
                        Derivation::Function(parameters) => printer.parameters(parameters),
                        Derivation::Pointer(_) => {}
                    }));
                }
            }
        }
        if !text.is_empty() {
            self.push(" ");
            self.push(&text);
        }
    }

    fn array(&mut self, array: &ArrayDerivation) {
        self.push("[");
        if array.is_static {
            self.push("static ");
        }
        for word in qualifier_words(array.qualifiers) {
            self.push(word);
            self.push(" ");
        }
        match &array.size {
            ArraySize::Unspecified => {}
            ArraySize::Star => self.push("*"),
            ArraySize::Expression(size) => self.assignment(size),
        }
        self.push("]");
    }

    fn parameters(&mut self, parameters: &Parameters) {
        self.push("(");
        match parameters {
            Parameters::Unspecified => {}
            Parameters::Identifiers(identifiers) => {
                self.separated(identifiers, |printer, one| printer.push(&one.name));
            }
            Parameters::Prototype { parameters, variadic } => {
                if parameters.is_empty() && !variadic {
                    self.push("void");
                }
                self.separated(parameters, |printer, parameter| {
                    printer.specifiers(&parameter.specifiers);
                    printer.declarator(&parameter.declarator);
                    printer.attributes(&parameter.declarator.attributes);
                });
                if *variadic {
                    self.push(if parameters.is_empty() { "..." } else { ", ..." });
                }
            }
        }
        self.push(")");
    }

    /// Attributes, each with a space before it.
    fn attributes(&mut self, attributes: &[Attribute]) {
        for attribute in attributes {
            self.push(" ");
            self.attribute(attribute);
        }
    }

    fn attribute(&mut self, attribute: &Attribute) {
        self.push("__attribute__((");
        self.push(&attribute.name);
        match &attribute.arguments {
            AttributeArguments::None => {}
            AttributeArguments::Expressions(expressions) => {
                self.push("(");
                self.separated(expressions, Self::assignment);
                self.push(")");
            }
            AttributeArguments::Tokens(tokens) => {
                self.push("(");
                self.push(&tokens.join(" "));
                self.push(")");
            }
        }
        self.push("))");
    }
}

fn qualifier_words(qualifiers: Qualifiers) -> Vec<&'static str> {
    let words = [
        (qualifiers.is_const, "const"),
        (qualifiers.is_volatile, "volatile"),
        (qualifiers.is_restrict, "restrict"),
        (qualifiers.is_atomic, "_Atomic"),
    ];
    words.into_iter().filter_map(|(is_set, word)| is_set.then_some(word)).collect()
}
