//! Generated programs of any size, for measuring growth.

use std::fmt::Write;

/// A family of C programs.
#[derive(Clone, Copy)]
pub struct Family {
    /// Its name in commands and tables.
    pub name: &'static str,
    /// What its size counts.
    pub unit: &'static str,
    /// The size of the first measurement.
    pub base: usize,
    /// Whether all phases are measured, or the frontend alone.
    pub whole: bool,
    /// The program of a size.
    pub generate: fn(usize) -> String,
}

/// All families. Each program has a global `g` that is 0 and a local `k` of `main` that has its
/// value: predicates are about these, so that there are as many at every size.
pub const FAMILIES: &[Family] = &[
    family("locals", "statements", 1000, locals),
    family("shared", "statements", 500, shared),
    family("atomic", "statements in one section", 500, atomic),
    family("assertions", "assertions", 500, assertions),
    family("functions", "functions called once", 250, functions),
    family("thread-functions", "functions called by a thread", 250, thread_functions),
    family("globals", "globals", 500, globals),
    family("array", "elements", 500, array),
    family("branches", "branches", 250, branches),
    family("calls", "inlined calls of f(x) + f(x + 1)", 512, calls),
    family("switch", "cases", 500, switch),
    family("constant-loops", "loops of four rounds", 50, constant_loops),
    family("open-loops", "loops of any number of rounds", 100, open_loops),
    family("threads", "threads that main starts", 8, threads),
    Family { whole: false, ..family("mixed", "lines", 12_500, mixed) },
];

const fn family(
    name: &'static str,
    unit: &'static str,
    base: usize,
    generate: fn(usize) -> String,
) -> Family {
    Family { name, unit, base, whole: true, generate }
}

/// What comes before `main`, statements of `main` and what comes after them.
fn program(before: &str, statements: &str) -> String {
    format!(
        "int g;\n{before}int main(void)\n{{\n    int k = g;\n{statements}    __CPROVER_assert(g == 0, \"end\");\n    return 0;\n}}\n"
    )
}

/// The concatenation of what is made of each number below `count`.
fn each(count: usize, line: impl Fn(usize) -> String) -> String {
    (0..count).map(line).fold(String::new(), |mut all, line| {
        let _ = writeln!(all, "{line}");
        all
    })
}

fn locals(size: usize) -> String {
    let lines = each(size, |n| match n % 2 {
        0 => format!("    x = x + y + {n};"),
        _ => "    y = y ^ x;".to_owned(),
    });
    program("", &format!("    int x = k, y = 1;\n{lines}"))
}

fn shared(size: usize) -> String {
    program("int a, b;\n", &accesses(size))
}

fn accesses(size: usize) -> String {
    each(size, |n| match n % 2 {
        0 => format!("    a = b + {};", n % 7),
        _ => format!("    b = a + {};", n % 7),
    })
}

fn atomic(size: usize) -> String {
    let lines = accesses(size);
    let section = format!("    __CPROVER_atomic_begin();\n{lines}    __CPROVER_atomic_end();\n");
    program("int a, b;\n", &section)
}

fn assertions(size: usize) -> String {
    let lines = each(size, |n| {
        format!("    x = x + 1;\n    __CPROVER_assert(k == 0 || x == {n}, \"part {n}\");")
    });
    program("", &format!("    int x = 0;\n{lines}"))
}

fn functions(size: usize) -> String {
    let before = each(size, |n| {
        format!("static int f{n}(int x) {{ int y = x + {n}; if (y == {n}) y = y - 1; return y; }}")
    });
    let calls = each(size, |n| format!("    s = f{n}(s);"));
    program(&before, &format!("    int s = k;\n{calls}"))
}

fn thread_functions(size: usize) -> String {
    let functions = each(size, |n| format!("static void f{n}(int x) {{ a = x + {n}; }}"));
    let calls = each(size, |n| format!("    f{n}({n});"));
    let before = format!(
        "#include <pthread.h>\nint a;\n{functions}static void *run(void *argument)\n{{\n{calls}    return 0;\n}}\n"
    );
    program(&before, "    pthread_t t;\n    pthread_create(&t, 0, run, 0);\n")
}

fn globals(size: usize) -> String {
    let before = each(size, |n| format!("int g{n} = {n};"));
    program(&before, &each(size, |n| format!("    g{n} = k;")))
}

fn array(size: usize) -> String {
    let accesses = each(8, |n| format!("    a[k + {n}] = a[k] + {n};"));
    program(&format!("int a[{size}];\n"), &accesses)
}

fn branches(size: usize) -> String {
    let lines = each(size, |n| format!("    if (x == {n}) x = x + {n}; else x = x - 1;"));
    program("", &format!("    int x = k;\n{lines}"))
}

fn calls(size: usize) -> String {
    let levels = size.max(1).ilog2();
    let mut before = "static int f0(int x) { return x + 1; }\n".to_owned();
    for n in 1..=levels {
        let m = n - 1;
        let _ = writeln!(before, "static int f{n}(int x) {{ return f{m}(x) + f{m}(x + 1); }}");
    }
    program(&before, &format!("    int r = f{levels}(k);\n"))
}

fn switch(size: usize) -> String {
    let cases = each(size, |n| format!("    case {n}: y = {}; break;", n * 7 % 13));
    program("", &format!("    int y = 0;\n    switch (k) {{\n{cases}    }}\n"))
}

fn constant_loops(size: usize) -> String {
    let loops = each(size, |n| format!("    for (i = 0; i < 4; i++) a[i] = i + {n};"));
    program("int a[4];\n", &format!("    int i;\n{loops}"))
}

fn open_loops(size: usize) -> String {
    let loops = each(size, |n| format!("    for (i = 0; i < k; i++) s += {n};"));
    program("", &format!("    int i, s = 0;\n{loops}"))
}

fn threads(size: usize) -> String {
    let functions = each(size, |n| {
        format!("static void *run{n}(void *argument) {{ int j = a; a = j + {n}; return 0; }}")
    });
    let starts = each(size, |n| format!("    pthread_create(&t[{n}], 0, run{n}, 0);"));
    let before = format!("#include <pthread.h>\nint a;\n{functions}");
    program(&before, &format!("    pthread_t t[{size}];\n{starts}"))
}

/// A program of this many lines: objects, structures, functions that call each
/// other, loops, switches; the entry reaches all of it.
fn mixed(lines: usize) -> String {
    const EACH: usize = 40;
    let mut out = String::new();
    let count = (lines / EACH).max(1);
    for n in 0..count {
        let _ = write!(
            out,
            "struct node{n} {{
    int key;
    struct node{n} *next;
    unsigned flags : 3;
    long table[4];
}};
static struct node{n} pool{n}[3] = {{ {{ 1, 0, 2, {{ 1, 2 }} }}, {{ 2, &pool{n}[0], 1 }} }};
int shared{n}, lock{n} = {n};
static int sum{n}(struct node{n} *p, int limit)
{{
    int s = 0, i;
    for (i = 0; p && i < limit; i++) {{
        s += p->key * 2 + (int)p->table[i & 3];
        p = p->next;
    }}
    return s > limit ? s - limit : s;
}}
static int step{n}(int x, unsigned y)
{{
    switch (x & 7) {{
    case 0:
        return (int)(y >> 3) ^ x;
    case 1:
    case 2:
        x = x ? x + 1 : -x;
        break;
    default:
        while (x > 10 && y != 0)
            x -= (int)(y-- & 3) + 1;
    }}
    pool{n}[x % 3].flags = (unsigned)x;
    return x + pool{n}[(y + 1) % 3].key;
}}
void work{n}(void)
{{
    int local = sum{n}(&pool{n}[1], lock{n});
    shared{n} = step{n}(local, (unsigned)shared{n});
    if (shared{n} == local && lock{n})
        __CPROVER_assert(local >= 0 || pool{n}[2].next != 0, \"part {n}\");
}}
"
        );
    }
    out.push_str("int main(void)\n{\n");
    for n in 0..count {
        let _ = writeln!(out, "    work{n}();");
    }
    out.push_str("    return 0;\n}\n");
    out
}
