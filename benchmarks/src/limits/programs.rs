//! Programs that are made to be large, in one way each.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{fs, io};

use sapa_backend::check::ENGINES;

use super::shapes;
use crate::growth;

/// A program and how it is run.
#[derive(Clone, Debug)]
pub struct Task {
    /// What is large about it.
    pub name: &'static str,
    /// The input.
    pub file: PathBuf,
    /// Where the tool reads it from.
    pub source: Source,
    /// The tool, with its command.
    pub tool: &'static [&'static str],
    /// The model checker; the default one if empty.
    pub engine: &'static str,
    /// Further arguments.
    pub arguments: Vec<String>,
}

/// Where a tool reads its input from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// The file, by its name.
    File,
    /// The file, as the standard input.
    Standard,
    /// A standard input that has nothing to say and never ends.
    Silence,
}

/// The tool that answers for C and modules.
pub(super) const CHECK: &[&str] = &["sapa", "check"];

/// The tool that answers for Boolean programs.
pub(super) const MODEL_CHECK: &[&str] = &["sapa-mc"];

impl Task {
    /// A program that a tool reads from its file.
    pub(super) fn new(name: &'static str, file: PathBuf, tool: &'static [&'static str]) -> Self {
        let (source, engine, arguments) = (Source::File, "", Vec::new());
        Self { name, file, source, tool, engine, arguments }
    }

    /// The same with more arguments.
    pub(super) fn with(mut self, arguments: &[&str]) -> Self {
        self.arguments.extend(arguments.iter().map(|argument| (*argument).to_owned()));
        self
    }

    /// The same with another model checker.
    pub(super) fn engine(self, engine: &'static str) -> Self {
        Self { engine, ..self }
    }
}

/// Numbered texts, one after the other; `#` stands for the number.
pub(super) fn each(count: usize, text: &str) -> String {
    (0..count).map(|n| text.replace('#', &n.to_string())).collect()
}

/// The same, but `@` stands for the number before; from 1 on.
pub(super) fn chain(count: usize, text: &str) -> String {
    (1..=count)
        .map(|n| text.replace('#', &n.to_string()).replace('@', &(n - 1).to_string()))
        .collect()
}

const HEAD: &str = "#include <assert.h>\n#include <pthread.h>\n\
    int __VERIFIER_nondet_int(void);\nunsigned __VERIFIER_nondet_uint(void);\n\
    unsigned long __VERIFIER_nondet_ulong(void);\n";

/// A program of which `main` has this body.
pub(super) fn program(before: &str, body: &str) -> String {
    format!("{HEAD}{before}\nint main(void) {{\n{body}\nreturn 0; }}\n")
}

fn levels(count: usize) -> String {
    let calls = "unsigned f#(unsigned x) { return f@(x) + f@(x + 1); }\n";
    let first = "unsigned f0(unsigned x) { if (x % 7 == 3) return x * 3; return x + 1; }\n";
    let before = format!("unsigned g;\n{first}{}", chain(count, calls));
    program(&before, &format!("unsigned r = f{count}(g); assert(r == f{count}(g));"))
}

/// Threads that add to counters, each up to a number.
fn counting(threads: usize, rounds: usize) -> String {
    let before = format!(
        "{}int sum;\n{}",
        each(threads, "int c#;\n"),
        each(
            threads,
            &format!(
                "void *t#(void *a) {{ for (int i = 0; i < {rounds}; i++) {{ c# = c# + 1; sum = sum + c#; }} return 0; }}\n"
            )
        )
    );
    let start = each(threads, "pthread_t h#; pthread_create(&h#, 0, t#, 0);\n");
    program(&before, &format!("{start}assert(sum >= 0 || c0 != 77);"))
}

/// C programs by name.
fn c() -> Vec<(&'static str, String)> {
    let global = "unsigned g;\n";
    let macros = chain(21, "?define M# M@ M@\n").replace('?', "#");
    let nested_ifs = format!("{}g++;{}", each(450, "if (g > #) {\n"), "}".repeat(450));
    let values: Vec<String> = (0..250_000).map(|n| (n % 9973).to_string()).collect();
    let chained: Vec<String> = (0..3900).map(|n| format!("(g ^ {n}u)")).collect();
    let pointers = format!(
        "int x; int *p0 = &x;\n{}",
        chain(
            1500,
            "int *p#; int **q#;\nvoid s#(void) { p# = p@; q# = &p#; *q# = p@; p@ = *q#; }\n"
        )
    );
    let locked = "void *w(void *a) {\n".to_owned()
        + &each(300, "pthread_mutex_lock(&m#); v#++; assert(v# > 0); pthread_mutex_unlock(&m#);\n")
        + "return 0; }\n";
    let bank = "pthread_mutex_t m; int a = 100, b = 100, c = 100;\n\
        void *move(void *p) { pthread_mutex_lock(&m); int n = __VERIFIER_nondet_int();\n\
        if (n > 0 && n <= a) { a -= n; b += n; } else if (n < 0 && -n <= c) { c += n; a -= n; }\n\
        pthread_mutex_unlock(&m); return 0; }\n\
        void *look(void *p) { pthread_mutex_lock(&m); assert(a + b + c == 300);\n\
        pthread_mutex_unlock(&m); return 0; }\n";
    let two = "pthread_t s, t;\nwhile (1) { pthread_create(&s, 0, move, 0); pthread_create(&t, 0, look, 0); }";
    vec![
        (
            "2,000 functions",
            program(
                &format!(
                    "{global}{}",
                    each(2000, "void f#(int n) { if (n > #) g += n; else g ^= #; }\n")
                ),
                &each(2000, "f#(g);\n"),
            ),
        ),
        (
            "2^21 inlined calls",
            program(
                &format!(
                    "{global}void f0(void) {{ g++; }}\n{}",
                    chain(21, "void f#(void) { f@(); f@(); }\n")
                ),
                "f21(); assert(g > 0);",
            ),
        ),
        ("10 levels of f(x)+f(x+1)", levels(10)),
        ("12 levels of f(x)+f(x+1)", levels(12)),
        (
            "array of 1 MB",
            program(
                "char a[1 << 20]; unsigned i;\nvoid *w(void *p) { a[i] = 1; assert(a[i] == 1); return 0; }\n",
                "pthread_t t; i = __VERIFIER_nondet_uint() % sizeof a; pthread_create(&t, 0, w, 0); a[i + 1] = 2;",
            ),
        ),
        (
            "local array of 1 MB",
            program(
                "",
                "char a[1 << 20]; unsigned i = __VERIFIER_nondet_uint(); if (i < sizeof a) { a[i] = 1; assert(a[i] == 1); }",
            ),
        ),
        (
            "initialiser of 1 MB",
            program(
                &format!("int a[] = {{ {} }};\n", values.join(", ")),
                "assert(a[__VERIFIER_nondet_uint() % 250000] < 9973);",
            ),
        ),
        (
            "64 threads",
            program(
                &format!(
                    "int x;\n{}",
                    each(
                        64,
                        "void *t#(void *p) { int y = x; x = y + #; assert(x >= y); return 0; }\n"
                    )
                ),
                &each(64, "pthread_t h#; pthread_create(&h#, 0, t#, 0);\n"),
            ),
        ),
        (
            "64 threads, joined",
            program(
                "int x; void *t(void *p) { x = x + 1; return 0; }\n",
                "pthread_t h[64]; for (int i = 0; i < 64; i++) pthread_create(&h[i], 0, t, 0);\n\
                 for (int i = 0; i < 64; i++) pthread_join(h[i], 0);\nassert(x <= 64);",
            ),
        ),
        (
            "10,000 straight lines",
            program(global, &format!("{}assert(g > 1);", each(10_000, "g = g * 3 + #;\n"))),
        ),
        (
            "10,000 lines over locals",
            program(
                global,
                &format!(
                    "unsigned a = g, b = 1;\n{}assert(a != b);",
                    each(10_000, "a = a + b * #; b = b ^ a;\n")
                ),
            ),
        ),
        (
            "2,000 branches in a row",
            program(
                global,
                &format!(
                    "unsigned a = g;\n{}assert(a != 7);",
                    each(2_000, "if (a & #) a += #; else a ^= #;\n")
                ),
            ),
        ),
        (
            "2.4 MB of C",
            program(
                &format!(
                    "{global}{}",
                    each(
                        15_000,
                        "static int f#(int a, int b) {\n  int c = a * # + b;\n  while (c > 10) { c = c / 2 - a; if (c == b) break; }\n  g = g + c; return c - #;\n}\n"
                    )
                ),
                &each(15_000, "f#(g, #);\n"),
            ),
        ),
        ("450 nested branches", program(global, &nested_ifs)),
        (
            "expression of 3,900 operators",
            program(global, &format!("unsigned r = {};\nassert(r != 7);", chained.join(" * "))),
        ),
        (
            "expression of 900 levels",
            program(
                global,
                &format!(
                    "unsigned r = {}g{};\nassert(r != 7);",
                    "(g ^ 3 * ".repeat(900),
                    ")".repeat(900)
                ),
            ),
        ),
        (
            "switch of 20,000 cases",
            program(
                global,
                &format!(
                    "switch (g) {{\n{}}}\nassert(g != 12345);",
                    each(20_000, "case #: g += #; break;\n")
                ),
            ),
        ),
        (
            "struct of 10,000 members",
            program(
                &format!("struct s {{ {} }} s, t;\n", each(10_000, "int m#;\n")),
                "t = s; s.m77 = 1; t = s; assert(t.m77 == 1 && t.m9999 == 0);",
            ),
        ),
        (
            "macros of 2^21 statements",
            program(&format!("{global}#define M0 g = g + 1;\n{macros}"), "M21 assert(g > 0);"),
        ),
        (
            "loop of 10^9 rounds",
            program(
                global,
                "unsigned i; for (i = 0; i < 1000000000; i++) g = g + i; assert(g != 3);",
            ),
        ),
        (
            "300 mutexes",
            program(
                &format!("{}{locked}", each(300, "pthread_mutex_t m#; int v#;\n")),
                "pthread_t t; while (1) pthread_create(&t, 0, w, 0);",
            ),
        ),
        (
            "3,000 pointers",
            program(&pointers, &format!("{}assert(*p1500 == 0);", chain(1500, "s#();\n"))),
        ),
        (
            "500 function pointers",
            program(
                &format!(
                    "{global}{}void (*table[500])(void) = {{ {} }};\n",
                    each(500, "void f#(void) { g += #; }\n"),
                    each(500, "f#, ")
                ),
                &each(40, "table[__VERIFIER_nondet_uint() % 500]();\n"),
            ),
        ),
        (
            "recursion",
            program(
                "int f(int n) { return n <= 0 ? 0 : f(n - 1) + 1; }\n",
                "assert(f(1000000) == 1000000);",
            ),
        ),
        ("states of 4 counters", counting(4, 1000)),
        ("states of 10 counters", counting(10, 3)),
        (
            "product of 64 bits",
            program(
                "",
                "unsigned long x = __VERIFIER_nondet_ulong(), y = __VERIFIER_nondet_ulong();\nif (x > 1 && y > 1 && x < 4294967296ul && y < 4294967296ul) assert(x * y != 4611686018427387847ul);",
            ),
        ),
        (
            "divisions of 64 bits",
            program(
                "",
                "unsigned long x = __VERIFIER_nondet_ulong(), y = __VERIFIER_nondet_ulong();\nif (y != 0) assert((x / y) * y + x % y == x && (x * y) / y * y == x * y / y * y);",
            ),
        ),
        (
            "many predicates",
            program(
                &format!(
                    "{}void *w(void *p) {{ {} return 0; }}\n",
                    each(16, "int v#;\n"),
                    chain(15, "v# = v@ + 1; assert(v# > v@ - 3);\n")
                ),
                "pthread_t t; while (1) pthread_create(&t, 0, w, 0);",
            ),
        ),
        ("three accounts", program(bank, two)),
    ]
}

/// Shared variables, each of which a thread sets and tests.
fn flags(count: usize, threads: bool) -> String {
    let set = each(count, "  if (*) then v# := !v#; fi;\n");
    let start = if threads { "  while (*) do start_thread goto w; od;\n" } else { "" };
    format!(
        "{}void main() begin\n{start}w:\n  while (*) do\n{set}  assert(!(v0 & v1 & v2 & v3) | v{});\n  od;\nend\n",
        each(count, "decl v# := 0;\n"),
        count - 1
    )
}

/// All shared variables get any values in one step.
fn free(count: usize) -> String {
    let names: Vec<String> = (0..count).map(|n| format!("v{n}")).collect();
    let stars = vec!["*"; count].join(", ");
    format!(
        "decl {};\nvoid main() begin\n  while (*) do\n    {} := {stars};\n    start_thread goto w;\n  od;\nw:\n  assert(!v0 | v0);\n  {} := {stars};\nend\n",
        names.join(", "),
        names.join(", "),
        names.join(", "),
    )
}

/// Threads with local states that pass a token around.
fn locals(count: usize) -> String {
    format!(
        "decl s := 0;\ndecl thread_local {};\nvoid main() begin\n{}  while (*) do start_thread goto w; od;\nw:\n  while (*) do\n{}    s := !s;\n    assert(!(l0 & l1 & s) | !l2 | l3 | l4);\n  od;\nend\n",
        (0..count).map(|n| format!("l{n}")).collect::<Vec<_>>().join(", "),
        each(count, "  l# := 0;\n"),
        each(count, "    if (s = l#) then l# := *; fi;\n")
    )
}

/// All shared variables are chosen in one step under a constraint over all of them.
fn chosen(count: usize) -> String {
    let names: Vec<String> = (0..count).map(|n| format!("v{n}")).collect();
    let choices: Vec<String> =
        (0..count).map(|n| format!("schoose[v{n}, v{}]", (n * 7 + 3) % count)).collect();
    let sum: Vec<String> = (0..count).map(|n| format!("'v{n}")).collect();
    let (left, right) = (names.join(", "), choices.join(", "));
    format!(
        "decl {left};\nvoid main() begin\n  while (*) do\n    {left} := {right} constrain ({});\n    \
         start_thread goto w;\n  od;\nw:\n  {left} := {right};\n  assert(!v0 | v1 | v2 | !v3);\nend\n",
        sum.join(" ^ ")
    )
}

/// Threads that tell all others what their variables are.
fn broadcasts(count: usize) -> String {
    format!(
        "decl s := 0;\ndecl thread_local {};\nvoid main() begin\n{}  while (*) do start_thread goto w; od;\nw:\n  \
         while (*) do\n{}    s := !s;\n    assert(!(l0 & l1 & s) | !l2 | l3);\n  od;\nend\n",
        (0..count).map(|n| format!("l{n}")).collect::<Vec<_>>().join(", "),
        each(count, "  l# := 0;\n"),
        chain(count - 1, "    l#, [l@] := *, schoose[l@ & s, !l#];\n")
    )
}

/// Procedures of which each calls the one before twice.
fn calls(levels: usize) -> String {
    format!(
        "decl s := 0;\nvoid p0() begin s := !s; end\n{}void main() begin\n  p{levels}();\n  assert(!s);\nend\n",
        chain(levels, "void p#() begin p@(); p@(); end\n")
    )
}

/// Many shared variables, each of which depends on two others.
fn variables(count: usize) -> String {
    let step = |n: usize| format!("  v{n} := !v{} ^ v{};\n", (n * 13) % count, (n * 7 + 1) % count);
    let steps: String = (0..count).map(step).collect();
    format!(
        "{}void main() begin\n  start_thread goto w;\nw:\n{steps}  assert(v1 | !v1 & v2 | v3);\nend\n",
        each(count, "decl v#;\n")
    )
}

/// Boolean programs by name, with the engine and how many threads.
fn boolean() -> Vec<(&'static str, String, &'static str, &'static [&'static str])> {
    const FEW: &[&str] = &["--threads", "4"];
    const MANY: &[&str] = &["--threads", "64"];
    let mut long = String::from("decl a, b, c;\nvoid main() begin\n");
    for n in 0..100_000 {
        let _ =
            writeln!(long, "  a, b := {}b | c, a {} c;", ["", "!"][n % 2], ["&", "^"][n % 3 % 2]);
    }
    long.push_str("  assert(a | !a);\nend\n");
    let nested = format!("  assert({}a{});\n", "!(b ^ ".repeat(60), ")".repeat(60));
    let deep = format!("decl a, b;\nvoid main() begin\n{}end\n", nested.repeat(2_000));
    let sum: Vec<String> = (0..300_000).map(|n| format!("v{}", n % 20)).collect();
    let wide = format!(
        "{}void main() begin\n  assert({});\nend\n",
        each(20, "decl v#;\n"),
        sum.join(" ^ ")
    );
    vec![
        ("40 flags", flags(40, true), "explicit", FEW),
        ("40 flags", flags(40, true), "naive", FEW),
        ("40 flags", flags(40, true), "counter", FEW),
        ("40 flags", flags(40, true), "plain", FEW),
        ("40 flags", flags(40, true), "thread-modular", &[]),
        ("40 flags", flags(40, true), "coverability", &[]),
        ("40 flags", flags(40, true), "auto", FEW),
        ("2,000 flags", flags(2000, false), "auto", &[]),
        ("30 free variables", free(30), "auto", FEW),
        ("30 free variables", free(30), "explicit", FEW),
        ("64 threads of 8 locals", locals(8), "counter", MANY),
        ("64 threads of 8 locals", locals(8), "plain", MANY),
        ("64 threads of 8 locals", locals(8), "explicit", MANY),
        ("20 locals", locals(20), "coverability", &[]),
        ("100,000 statements", long, "auto", FEW),
        ("2,000 expressions of 60 levels", deep, "auto", FEW),
        ("expression of 300,000 operators", wide, "counter", FEW),
        ("60 chosen at once", chosen(60), "auto", FEW),
        ("60 chosen at once", chosen(60), "explicit", FEW),
        ("60 chosen at once", chosen(60), "counter", FEW),
        ("60 chosen at once", chosen(60), "thread-modular", &[]),
        ("60 chosen at once", chosen(60), "coverability", &[]),
        ("broadcasts to 12 locals", broadcasts(12), "auto", &[]),
        ("broadcasts to 12 locals", broadcasts(12), "counter", MANY),
        ("2^18 calls", calls(18), "auto", &[]),
        ("3,000 variables", variables(3000), "auto", FEW),
        ("3,000 variables", variables(3000), "plain", FEW),
        ("3,000 variables", variables(3000), "counter", FEW),
    ]
}

/// C programs that are checked in other ways too: the engine, and further arguments.
const WAYS: &[(&str, &str, &[&str])] = &[
    ("64 threads", "bounded", &[]),
    ("64 threads, joined", "bounded", &["--mm", "tso"]),
    ("64 threads", "", &["--mm", "pso"]),
    ("array of 1 MB", "bounded", &[]),
    ("copies of 1 MB", "bounded", &["--atomicity", "statement"]),
    ("2,000 branches in a row", "bounded", &[]),
    ("10,000 straight lines", "bounded", &["--mm", "pso"]),
    ("10,000 assertions", "bounded", &[]),
    ("5,000 globals", "", &["--mm", "tso", "--atomicity", "statement"]),
    ("300 mutexes", "", &["--mm", "tso"]),
    ("recursion with threads", "bounded", &[]),
    ("1,000 allocations", "bounded", &[]),
    ("states of 10 counters", "bounded", &["--mm", "tso"]),
    ("states of 10 counters", "", &["--mm", "pso"]),
];

/// Writes all programs into a folder.
///
/// # Errors
/// What the system says.
pub(super) fn tasks(folder: &Path) -> io::Result<Vec<Task>> {
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("programs/sapa");
    let mut tasks = Vec::new();
    for (number, (name, text)) in c().into_iter().chain(shapes::programs()).enumerate() {
        let file = folder.join(format!("{number}.c"));
        fs::write(&file, text)?;
        tasks.push(Task::new(name, file, CHECK).with(&["--threads", "4"]));
    }
    for &(name, engine, arguments) in WAYS {
        let known = tasks.iter().find(|task| task.name == name);
        let known = known.ok_or_else(|| io::Error::other(format!("no program {name}")))?;
        tasks.push(known.clone().engine(engine).with(arguments));
    }
    let goto = growth::generate(growth::BINARIES, 20_000_000, folder)?;
    tasks.push(Task::new("goto binary of 20 MB", goto, CHECK));
    let ticket = own.join("ticket_lock_safe.c");
    for engine in ENGINES.iter().map(|engine| engine.name) {
        let task = Task::new("ticket lock", ticket.clone(), CHECK).engine(engine);
        tasks.push(task.with(&["--threads", "3"]));
    }
    let arguments = ["--mode", "symmetry-oblivious", "--threads", "40"];
    tasks.push(Task::new("ticket lock, expanded", ticket, CHECK).with(&arguments));
    for (number, (name, text, engine, arguments)) in boolean().into_iter().enumerate() {
        let file = folder.join(format!("{number}.bp"));
        fs::write(&file, text)?;
        tasks.push(Task::new(name, file, MODEL_CHECK).engine(engine).with(arguments));
    }
    Ok(tasks)
}
