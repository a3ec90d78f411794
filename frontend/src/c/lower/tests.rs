//! Lowering of small programs.

use sapa_ir::goto::{Atomicity, Module, Op};

use super::{Options, lower};
use crate::c::parser::parse;

fn compile_with(source: &str, options: &Options) -> Result<Module, Vec<String>> {
    let parsed = parse("a.c", source.as_bytes())
        .map_err(|errors| errors.iter().map(ToString::to_string).collect::<Vec<_>>())?;
    lower(vec![parsed.unit], options)
        .map(|(module, _)| module)
        .map_err(|errors| errors.iter().filter(|e| e.is_error()).map(ToString::to_string).collect())
}

fn compile(source: &str) -> Module {
    compile_with(source, &Options::default()).expect("the program is supported")
}

fn errors(source: &str) -> Vec<String> {
    compile_with(source, &Options::default()).expect_err("the program is refused")
}

fn count(module: &Module, is: impl Fn(&Op) -> bool) -> usize {
    module
        .functions
        .iter()
        .flat_map(|f| &f.blocks)
        .flat_map(|b| &b.instructions)
        .filter(|i| is(&i.op))
        .count()
}

#[test]
fn a_counter_with_a_lock() {
    let module = compile(
        "typedef struct { int cell; } pthread_mutex_t; pthread_mutex_t m; int x;\n\
         int pthread_mutex_lock(pthread_mutex_t *); int pthread_mutex_unlock(pthread_mutex_t *);\n\
         void *t(void *a) { pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m); return 0; }\n\
         int main(void) { unsigned long h; while (1) pthread_create(&h, 0, t, 0); }",
    );
    assert_eq!(count(&module, |op| matches!(op, Op::Sync { .. })), 2);
    assert_eq!(count(&module, |op| matches!(op, Op::Spawn { .. })), 1);
}

#[test]
fn statements_are_sections_on_demand() {
    let source = "int x, y; int main(void) { x = y; if (x) y = 1; }";
    let options = Options { atomicity: Atomicity::Statement, ..Options::default() };
    let module = compile_with(source, &options).expect("the program is supported");
    assert_eq!(count(&module, |op| matches!(op, Op::AtomicBegin(_))), 3);
    assert_eq!(count(&module, |op| matches!(op, Op::AtomicEnd)), 3);
    assert_eq!(count(&compile(source), |op| matches!(op, Op::AtomicBegin(_))), 0);
}

#[test]
fn only_reachable_functions_are_lowered() {
    let module = compile("float f(float x) { return x * 2; } int main(void) { return 0; }");
    assert_eq!(module.functions.len(), 1);
}

#[test]
fn what_is_not_supported_is_refused_where_it_stands() {
    assert_eq!(
        errors("int main(void) { long double d; return 0; }"),
        [
            "a.c:1:30: error: a floating-point type other than float and double is not supported here"
        ]
    );
    assert_eq!(
        errors("int main(void) {\n  x = 1;\n  y = 2;\n}"),
        ["a.c:2:3: error: 'x' is not declared", "a.c:3:3: error: 'y' is not declared",]
    );
    assert_eq!(
        errors("int n; int a[n]; int main(void) { return a[0]; }"),
        [
            "a.c:1:13: error: arrays of variable length are supported as local variables and parameters only",
            "a.c:1:42: error: 'a' is not declared",
        ]
    );
    assert_eq!(
        errors("int f(void) { return 0; }"),
        ["error: the entry function 'main' is not defined"]
    );
}

#[test]
fn atomic_sections_are_static() {
    assert_eq!(
        errors(
            "void __VERIFIER_atomic_begin(void); int x; int main(void) { if (x) __VERIFIER_atomic_begin(); x = 1; }"
        ),
        ["a.c:1:68: error: an atomic section is opened or closed on some paths only"]
    );
}

#[test]
fn unknown_functions_that_could_change_memory_are_refused() {
    assert_eq!(
        errors(
            "int x; void *grow(void *, int, unsigned long); int main(void) { grow(&x, 1, 4); return x; }"
        ),
        [
            "a.c:1:65: error: function 'grow' is not defined, is not known, and takes a pointer; give its source, or --unknown-functions havoc or pure"
        ]
    );
    let module = compile("int f(int); int main(void) { return f(1); }");
    assert_eq!(module.notes, ["extern function `f` returns any value and changes nothing"]);
}

#[test]
fn labels_exist_once() {
    assert_eq!(
        errors("int main(void) { goto nowhere; }"),
        ["a.c:1:23: error: the label 'nowhere' does not exist"]
    );
    assert_eq!(
        errors("int main(void) { a: ; a: ; }"),
        ["a.c:1:23: error: the label 'a' occurs twice"]
    );
}

#[test]
fn functions_are_defined_once() {
    let unit = |name: &str, source: &str| parse(name, source.as_bytes()).expect("it parses").unit;
    let units = vec![
        unit(
            "a.c",
            "static int f(void) { return 1; } int g(void); int main(void) { return f() + g(); }",
        ),
        unit("b.c", "static int f(void) { return 2; } int g(void) { return f(); }"),
    ];
    let (module, _) = lower(units, &Options::default()).expect("each file has its own 'f'");
    let names: Vec<_> = module.functions.iter().map(|f| f.name.as_str()).collect();
    assert_eq!(names, ["main", "f", "g", "f#2"]);
    let twice = vec![
        unit("a.c", "int f(void) { return 1; } int main(void) { return f(); }"),
        unit("b.c", "int f(void) { return 2; }"),
    ];
    let errors = lower(twice, &Options::default()).expect_err("two functions of one name");
    assert_eq!(errors[0].to_string(), "b.c:1:1: error: function 'f' is defined more than once");
}

#[test]
fn arms_of_a_choice_leave_sections_as_they_found_them() {
    let source = "void pthread_exit(void *); int x, c; int main(void) { c ? pthread_exit(0) : (void)0; x = 1; }";
    let options = Options { atomicity: Atomicity::Statement, ..Options::default() };
    let module = compile_with(source, &options).expect("the program is supported");
    // The arm that ends the thread closes the section, and so does the other after the statement.
    assert_eq!(count(&module, |op| matches!(op, Op::AtomicEnd)), 3);
}

fn compile_together(sources: &[&str]) -> Result<Module, Vec<String>> {
    let units = sources.iter().map(|source| parse("a.c", source.as_bytes()).expect("C").unit);
    lower(units.collect(), &Options::default())
        .map(|(module, _)| module)
        .map_err(|errors| errors.iter().map(ToString::to_string).collect())
}

#[test]
fn an_array_without_a_size_may_be_defined_in_another_file() {
    let user = "extern int a[]; int main(void) { extern int b[]; return a[1] + b[0]; }";
    let owner = "int a[2] = { 1, 2 }; int b[1];";
    for sources in [[user, owner], [owner, user]] {
        let module = compile_together(&sources).expect("both are there");
        let names: Vec<_> = module.globals.iter().map(|global| &*global.name).collect();
        assert_eq!(names, ["a", "b"]);
    }
    let errors = compile_together(&[user]).expect_err("nobody says how large it is");
    assert!(errors.concat().contains("'a': an array of unknown size"), "{errors:?}");
}

#[test]
fn a_refused_object_is_reported_once() {
    let members = "{ int a; _Complex double b; }";
    for source in [
        format!("struct s {members} x; int main(void) {{ x.a = 1; return sizeof x + x.b; }}"),
        format!("struct s {members}; int main(void) {{ struct s x; x.a = 1; return x.b; }}"),
    ] {
        let errors = errors(&source);
        assert_eq!(errors.len(), 1, "{errors:?}");
        assert!(errors.concat().contains("complex"), "{errors:?}");
    }
}

/// What is done in `main` with these objects, and whether the order of operands may matter.
const ORDERS: [(&str, bool); 33] = [
    ("r = x + f();", true),
    ("r = f() + f();", true),
    ("r = g(x, f());", true),
    ("x += f();", true),
    ("a[x] = f();", true),
    ("*h() = x;", true),
    ("r = c + c;", true),
    ("int k = 1; r = k + g(1, (int)(long)&k);", true),
    ("struct s k = {1}, *p = &k; r = k.v + f(); use(p);", true),
    ("r = x + (x = 2);", true),
    ("r = v + w * 2;", true),
    ("a[v] = w;", true),
    ("r = p(f());", true),
    ("r = k(t, f());", true),
    ("*m() = t;", true),
    ("r = c++ + x;", true),
    ("r = ({ exit(0); 0; }) + x;", true),
    ("r = v; r = v + 1; w = v + x;", false),
    ("d = d * 2 + d; r = d < e + 1.5;", false),
    ("t = u; r = k(t, x); u = t;", false),
    ("r = x ? v : w; r = v && w;", false),
    ("r = x + y; r = x; r = f(); x = f();", false),
    ("x += y; x += x; a[x] = a[y] + x;", false),
    ("c += c; c++; r = c;", false),
    ("int k = 1; r = k + f(); k += f();", false),
    ("struct s k = {1}; r = k.v + f(); a[r] = f();", false),
    ("r = x && f(); r = x ? f() : y; x, f();", false),
    ("r = g(x, y) ; r = g(f(), 1);", false),
    ("int i = 0; a[i++] = x; while (i < 2) a[i++] = f();", false),
    ("r = (x = 1) + y;", false),
    ("r = x + __VERIFIER_nondet_int();", false),
    ("r = x; { int r = f(); use(&r); }", false),
    ("r = sizeof(f() + f()) + x;", false),
];

#[test]
fn orders_that_c_leaves_open_are_assumptions() {
    for (code, matters) in ORDERS {
        let module = compile(&format!(
            "int x, y, a[4]; _Atomic int c; struct s {{ int v; }}; int __VERIFIER_nondet_int(void);\n\
             volatile int v, w; double d, e; struct s t, u; int (*p)(int); void exit(int);\n\
             int k(struct s a, int b) {{ return a.v + b; }} struct s *m(void) {{ x = 4; return &t; }}\n\
             int f(void) {{ return x = 2; }} int g(int a, int b) {{ return a + b; }}\n\
             int *h(void) {{ x = 3; return a; }} void use(void *p) {{ }}\n\
             int main(void) {{ int r; {code} return r; }}"
        ));
        let note = "assuming that operands are evaluated from left to right".to_owned();
        assert_eq!(module.notes.contains(&note), matters, "{code}");
    }
}
