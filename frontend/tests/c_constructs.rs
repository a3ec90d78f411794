//! Every construct of C that the parser knows, seen through the printer.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use sapa_frontend::c::ast::{
    ArraySize, BlockItem, Derivation, Expression, ExpressionKind, ExternalDeclaration, Parameters,
    StatementKind, StorageClass, TypeSpecifier,
};
use sapa_frontend::c::parser::{Parsed, parse};
use sapa_frontend::c::print::print;

fn parsed(source: &str) -> Parsed {
    parse("t.c", source.as_bytes()).unwrap_or_else(|errors| {
        let lines: Vec<String> = errors.iter().map(ToString::to_string).collect();
        panic!("{source}\n{}", lines.join("\n"))
    })
}

/// Parses, prints, and checks that the text is stable.
fn printed(source: &str) -> String {
    let text = print(&parsed(source).unit);
    assert_eq!(print(&parsed(&text).unit), text, "the printed text is not stable");
    text.trim_end().to_owned()
}

/// A file that prints as it is written.
#[track_caller]
fn unchanged(source: &str) {
    assert_eq!(printed(source), source);
}

/// A statement, in a function after some declarations, prints as expected.
#[track_caller]
fn statement(source: &str, expected: &str) {
    let prefix = "typedef int T;\nvoid f(void)\n{\n    ";
    let text = printed(&format!("{prefix}{source}}}"));
    let body = text.strip_prefix(prefix).and_then(|text| text.strip_suffix("\n}"));
    assert_eq!(body.unwrap(), expected);
}

#[track_caller]
fn same_statement(source: &str) {
    statement(source, source);
}

#[test]
fn integer_types_are_normalised() {
    for (source, expected) in [
        ("unsigned x;", "unsigned int x;"),
        ("int long unsigned x;", "unsigned long x;"),
        ("long int long signed x;", "long long x;"),
        ("short int x;", "short x;"),
        ("char signed x;", "signed char x;"),
        ("char x;", "char x;"),
        ("double long x;", "long double x;"),
        ("__int128_t x; unsigned __int128 y;", "__int128 x;\nunsigned __int128 y;"),
        ("_Complex x;", "_Complex double x;"),
        ("float _Complex x; _Complex _Float32 y;", "_Complex float x;\n_Complex _Float32 y;"),
        ("__const __signed__ int __volatile x;", "const volatile int x;"),
    ] {
        assert_eq!(printed(source), expected);
    }
}

#[test]
fn storage_classes_and_function_specifiers() {
    unchanged("static _Thread_local int x;");
    unchanged("extern inline _Noreturn void f(void);");
    unchanged("_Alignas(16) _Alignas(double) char x[3];");
    assert_eq!(printed("__thread int x;"), "_Thread_local int x;");
    let parsed = parsed("typedef int T; static T x;");
    let ExternalDeclaration::Declaration(declaration) = &parsed.unit.items[1] else { panic!() };
    assert_eq!(declaration.specifiers.storage, Some(StorageClass::Static));
    assert!(matches!(&declaration.specifiers.base, TypeSpecifier::Named(name) if &**name == "T"));
}

#[test]
fn declarators_read_from_the_name_outwards() {
    let parsed = parsed("int *(*f[3])(int, ...);");
    let ExternalDeclaration::Declaration(declaration) = &parsed.unit.items[0] else { panic!() };
    let derived = &declaration.declarators[0].declarator.derived;
    let [Derivation::Array(array), Derivation::Pointer(_), Derivation::Function(parameters), last] =
        derived.as_slice()
    else {
        panic!("{derived:?}")
    };
    assert!(matches!(array.size, ArraySize::Expression(_)));
    assert!(matches!(parameters, Parameters::Prototype { variadic: true, .. }));
    assert!(matches!(last, Derivation::Pointer(_)));
    unchanged("int *(*f[3])(int, ...);");
    unchanged("int (*(*f(void))[3])(char *);");
    unchanged("int *const volatile *restrict x;");
    unchanged("void f(int a[static const 3], int b[*], int c[], int (*)(void), int (int));");
    unchanged("int (*const _Atomic *x)[3];");
}

#[test]
fn atomic_is_a_qualifier_or_a_specifier() {
    unchanged("_Atomic int x;");
    unchanged("_Atomic(int *) x;");
    unchanged("int *_Atomic x;");
}

#[test]
fn parameter_lists_of_every_kind() {
    unchanged("int f();");
    unchanged("int f(void);");
    assert_eq!(printed("int f(a, b) int a; { }"), "int f(a, b)\nint a;\n{\n}");
    // A typedef name alone is a type, even in parentheses.
    unchanged("typedef int T;\nvoid f(int (T), T);");
    let parsed = parsed("typedef int T; void f(int (T));");
    let ExternalDeclaration::Declaration(declaration) = &parsed.unit.items[1] else { panic!() };
    let Derivation::Function(Parameters::Prototype { parameters, .. }) =
        &declaration.declarators[0].declarator.derived[0]
    else {
        panic!()
    };
    assert!(matches!(parameters[0].declarator.derived[0], Derivation::Function(_)));
}

#[test]
fn records_and_enumerations() {
    assert_eq!(
        printed("struct S { int a:3, :2, b; struct { int c; }; union U *u; } x, *y;"),
        "struct S {\n    int a : 3, : 2, b;\n    struct {\n        int c;\n    };\n    union U *u;\n} x, *y;"
    );
    assert_eq!(printed("struct S { };"), "struct S {\n};");
    unchanged("struct S;");
    assert_eq!(printed("enum E { A, B = A + 2, } e;"), "enum E { A, B = A + 2 } e;");
    assert_eq!(
        printed(
            "struct S { char c; int x __attribute__((aligned(8))); } __attribute__((__packed__));"
        ),
        "struct __attribute__((packed)) S {\n    char c;\n    int x __attribute__((aligned(8)));\n};"
    );
}

#[test]
fn typedef_names_are_scoped() {
    // A member, a label, a variable and a parameter may have the name of a type.
    printed("typedef int T; struct S { T T; }; void f(int T) { T = 1; T: ; }");
    printed(
        "typedef int T; void f(void) { T T = sizeof(T); T = T * T; { typedef char T; T x; } T = 1; }",
    );
    printed("typedef int T; void f(void) { { int T; T = 1; } T x; T *y; (T)+1; }");
    printed("typedef int T; void f(void) { for (int T = 0; T < 3; T++) { } T x; }");
    printed("typedef int T; void f(void) { enum { T }; T * 2; }");
    printed("typedef int T; void g(int (*T)(int)); T x;");
    // `T * x;` declares, `v * x;` multiplies.
    let parsed = parsed("typedef int T; void f(int v, int x) { T * y; v * x; }");
    let ExternalDeclaration::Function(function) = &parsed.unit.items[1] else { panic!() };
    assert!(matches!(function.body.items[0], BlockItem::Declaration(_)));
    assert!(matches!(function.body.items[1], BlockItem::Statement(_)));
}

#[test]
fn implicit_int_is_taken_with_a_warning() {
    let parsed = parsed("static x = 1;\nmain() { return x; }");
    let warnings: Vec<String> = parsed.warnings.iter().map(ToString::to_string).collect();
    assert_eq!(
        warnings,
        [
            "t.c:1:1: warning: type is missing, taken as 'int'",
            "t.c:2:1: warning: type is missing, taken as 'int'"
        ]
    );
}

#[test]
fn initializers() {
    unchanged("int x[] = { 1, [3] = 2, [4 ... 6] = 3 };");
    unchanged("struct S s = { .a = 1, .b.c[2] = { 2, 3 }, {} };");
    assert_eq!(printed("struct S s = { a: 1, };"), "struct S s = { .a = 1 };");
    assert_eq!(printed("int x[] = { [3] 2 };"), "int x[] = { [3] = 2 };");
}

#[test]
fn statements() {
    same_statement("while (1)\n        ;");
    same_statement("do {\n        g();\n    }\n    while (1);");
    same_statement("for (int i = 0, j; i < j; i++, j--) {\n    }");
    same_statement("for (;;)\n        break;");
    same_statement(
        "switch (x) {\n        case 1:\n        case 2 ... 4:\n        default:\n        continue;\n    }",
    );
    same_statement("__label__ a, b;");
    same_statement("goto *&&l;");
    same_statement("return;");
    same_statement("_Static_assert(1, \"\");");
    same_statement("asm volatile(\"mfence\" :  :  : \"memory\");");
    same_statement("asm goto(\"\" : [o] \"=r\" (x) : \"r\" (1), \"m\" (y) :  : l);");
    same_statement("__CPROVER_ASYNC_1:\n    x = 1;");
    statement("x = 1; __attribute__((fallthrough));", "x = 1;\n    ;");
    statement("l: __attribute__((unused)) x = 1;", "l:\n    x = 1;");
    // A label before a declaration or a closing brace gets an empty statement.
    statement("l: int y; m: ", "l:\n    ;\n    int y;\n    m:\n    ;");
    statement("__extension__ int y; __extension__ y;", "int y;\n    y;");
    statement("_Pragma(\"omp parallel\") x = 1;\n#pragma GCC diagnostic pop\n", "x = 1;");
}

#[test]
fn else_belongs_to_the_nearest_if() {
    same_statement("if (a)\n        if (b)\n            x = 1;\n        else\n            x = 2;");
    statement(
        "if (a) { if (b) x = 1; } else x = 2;",
        "if (a) {\n        if (b)\n            x = 1;\n    }\n    else\n        x = 2;",
    );
    let source = "void f(int a) { if (a) a = 1; else if (a + 1) a = 2; else a = 3; }";
    let parsed = parsed(source);
    let ExternalDeclaration::Function(function) = &parsed.unit.items[0] else { panic!() };
    let BlockItem::Statement(statement) = &function.body.items[0] else { panic!() };
    let StatementKind::If { arms, otherwise } = &statement.kind else { panic!() };
    assert_eq!(arms.len(), 2);
    assert!(otherwise.is_some());
}

#[test]
fn expressions() {
    for source in [
        "x = y += z;",
        "x ?: y;",
        "a ? b, c : d ? e : f;",
        "(a ? b : c) ? d : e;",
        "(a, b), c;",
        "f(a, (b, c))(d)[e].m->n++;",
        "*p++;",
        "(*p)++;",
        "- -x + - --x - +x;",
        "&&l;",
        "& &&l;",
        "!~x;",
        "sizeof x + sizeof(int) + sizeof (int){ 1 };",
        "_Alignof(int) + __alignof__(x);",
        "(int)x + (T)-1;",
        "((T (*)(int))p)(1);",
        "&(struct S){ .a = 1 };",
        "_Generic(x, int: 1, T *: 2, default: 3);",
        "__builtin_offsetof(struct S, a.b[2]);",
        "__builtin_types_compatible_p(int, T *);",
        "__builtin_choose_expr(1, x, y);",
        "__builtin_va_arg(ap, unsigned long);",
        "__real__ x = __imag__ x;",
        "a - (b - c) - d;",
        "a * (b + c) << d;",
        "(a & b) == c;",
    ] {
        same_statement(source);
    }
    statement("({ int y = 1; y; });", "({\n        int y = 1;\n        y;\n    });");
    statement("a && b || c;", "a && b || c;");
    statement("(a && b) || c;", "a && b || c;");
    statement("sizeof(T) * 2;", "sizeof(T) * 2;");
    statement("__extension__ (1);", "1;");
    statement(
        "__auto_type y = 1; typeof(y) z; typeof(T *) w;",
        "__auto_type y = 1;\n    typeof(y) z;\n    typeof(T *) w;",
    );
}

fn constant(source: &str) -> ExpressionKind {
    let parsed = parsed(&format!("void f() {{ ({source}); }}"));
    let ExternalDeclaration::Function(function) = &parsed.unit.items[0] else { panic!() };
    let BlockItem::Statement(statement) = &function.body.items[0] else { panic!() };
    let StatementKind::Expression(Expression { kind, .. }) = &statement.kind else { panic!() };
    kind.clone()
}

#[test]
fn integer_constants() {
    for (source, value, expected) in [
        ("0", 0, "0"),
        ("42", 42, "42"),
        ("017", 15, "0xf"),
        ("0xFFul", 255, "0xfful"),
        ("0b101", 5, "0x5"),
        ("18446744073709551615ull", u128::from(u64::MAX), "18446744073709551615ull"),
        ("1LLu", 1, "1ull"),
    ] {
        let ExpressionKind::Integer(integer) = constant(source) else { panic!("{source}") };
        assert_eq!(integer.value, value, "{source}");
        statement(&format!("{source};"), &format!("{expected};"));
    }
}

#[test]
fn floating_constants_keep_their_text() {
    for source in ["1.0", ".5", "1.", "1e3", "0x1.8p-3f", "1.0l", "2.f", "1.0f128", "1.5i"] {
        assert!(matches!(constant(source), ExpressionKind::Float(_)), "{source}");
        same_statement(&format!("{source};"));
    }
}

#[test]
fn character_constants() {
    for (source, signed, unsigned) in [
        ("'a'", 97, 97),
        ("'\\''", 39, 39),
        ("'\\n'", 10, 10),
        ("'\\377'", -1, 255),
        ("'\\xff'", -1, 255),
        ("'\\0'", 0, 0),
        ("'ab'", 0x6162, 0x6162),
        ("L'\\xffffffff'", -1, -1),
        ("u'\\xffff'", 0xffff, 0xffff),
        ("U'\\U0001F600'", 0x1_f600, 0x1_f600),
        ("L'é'", 0xe9, 0xe9),
    ] {
        let ExpressionKind::Character(character) = constant(source) else { panic!("{source}") };
        assert_eq!(character.value(true), signed, "{source}");
        assert_eq!(character.value(false), unsigned, "{source}");
    }
}

#[test]
fn string_literals_are_joined() {
    for (source, units) in [
        ("\"a\" \"b\\x41\" \"1\"", vec![0x61, 0x62, 0x41, 0x31]),
        ("\"\\1234\"", vec![0o123, 0x34]),
        ("\"é\"", vec![0xc3, 0xa9]),
        ("\"é\" L\"x\"", vec![0xe9, 0x78]),
        ("u\"\\U0001F600\"", vec![0xd83d, 0xde00]),
        ("u8\"\\u00e9\"", vec![0xc3, 0xa9]),
        ("L\"\\x1234\" L\"5\"", vec![0x1234, 0x35]),
    ] {
        let ExpressionKind::String(literal) = constant(source) else { panic!("{source}") };
        assert_eq!(literal.units, units, "{source}");
        printed(&format!("void f() {{ {source}; }}"));
    }
}

#[test]
fn attributes_and_assembler_names() {
    unchanged("int f(void) asm(\"g\") __attribute__((weak)), x = 3;");
    unchanged("extern void die(void) __attribute__((noreturn));");
    unchanged("int p(const char *, ...) __attribute__((format(printf , 1 , 2)));");
    unchanged("asm(\".globl x\");");
    printed(
        "__attribute__((always_inline)) static inline int *__attribute__((x)) f(int a __attribute__((unused))) { }",
    );
}

#[test]
fn digraphs_and_comments_are_read() {
    assert_eq!(printed("int a<:3:> = <% 1 /* x */ %>; // y"), "int a[3] = { 1 };");
}
