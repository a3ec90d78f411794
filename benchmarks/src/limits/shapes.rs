//! C programs that are large by what they nest, list or include.

use super::programs::{chain, each, program};

/// Numbers in a list.
fn list(count: usize, text: &str) -> String {
    (0..count).map(|n| text.replace('#', &n.to_string())).collect::<Vec<_>>().join(", ")
}

/// The programs, by name.
pub(super) fn programs() -> Vec<(&'static str, String)> {
    [nested(), listed(), threads(), library()].into_iter().flatten().collect()
}

const GLOBAL: &str = "unsigned g;\n";

/// What stands in one another.
fn nested() -> Vec<(&'static str, String)> {
    let conjunction: Vec<String> = (0..3900).map(|n| format!("g != {n}u")).collect();
    let chosen = format!("unsigned r = {}77u;\nassert(r != 3);", each(450, "g == # ? g * # :\n"));
    let loops: String =
        (0..60).map(|n| format!("for (unsigned i{n} = 0; i{n} < 3; i{n}++) {{\n")).collect();
    let labels =
        each(400, "l#: g = g * 3 + #; if (g % 7 == # % 7) goto l0; if (g & 1) goto l200;\n");
    vec![
        (
            "450 nested blocks",
            program(
                GLOBAL,
                &format!(
                    "{}g++;{}assert(g);",
                    "{ unsigned x = g; g = x + 1;\n".repeat(450),
                    "}".repeat(450)
                ),
            ),
        ),
        (
            "60 nested loops",
            program(GLOBAL, &format!("{loops}g++;{}\nassert(g != 7);", "}".repeat(60))),
        ),
        (
            "conjunction of 3,900 tests",
            program(GLOBAL, &format!("if ({}) assert(g != 4000);", conjunction.join(" && "))),
        ),
        ("450 nested choices", program(GLOBAL, &chosen)),
        (
            "structure of 2^15 members in 15 levels",
            program(
                &format!(
                    "struct s0 {{ int a, b; }};\n{}struct s15 x, y;\n",
                    chain(15, "struct s# { struct s@ a, b; };\n")
                ),
                "y = x; y.a.b.a.b.a.b.a.b.a.b.a.b.a.b.a.b = 1; x = y; assert(x.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.b == 0);",
            ),
        ),
        ("400 labels", program(GLOBAL, &format!("{labels}assert(g != 3);"))),
        (
            "recursion with threads",
            program(
                "int x;\nvoid *f(void *a) { pthread_t s, t; if (x > 9) return 0; x++; pthread_create(&s, 0, f, 0); pthread_create(&t, 0, f, a); pthread_join(s, 0); f(a); return a; }\n",
                "f(0); assert(x != 11);",
            ),
        ),
        (
            "two functions that call each other",
            program(
                "int odd(unsigned n);\nint even(unsigned n) { return n == 0 ? 1 : odd(n - 1); }\nint odd(unsigned n) { return n == 0 ? 0 : even(n - 1); }\n",
                "assert(even(__VERIFIER_nondet_uint()) < 2);",
            ),
        ),
    ]
}

/// What stands one after the other.
fn listed() -> Vec<(&'static str, String)> {
    let text: String = (0..1 << 20).map(|n| char::from(b'a' + (n % 26) as u8)).collect();
    let shared = "void *w(void *a) { g = g + 1; return 0; }\n";
    let start = "pthread_t t; pthread_create(&t, 0, w, 0);\n";
    vec![
        (
            "5,000 globals",
            program(
                &format!(
                    "{}void *w(void *a) {{\n{}return 0; }}\n",
                    each(5000, "unsigned v#;\n"),
                    chain(4999, "v# = v@ + 1;\n")
                ),
                &format!("{start}assert(v4999 != 4998);"),
            ),
        ),
        (
            "5,000 locals",
            program(
                GLOBAL,
                &format!(
                    "{}{}assert(x4999 != 3);",
                    each(5000, "unsigned x# = g ^ #;\n"),
                    chain(4999, "x# += x@;\n")
                ),
            ),
        ),
        (
            "10,000 assertions",
            program(
                &format!("{GLOBAL}{shared}"),
                &format!("{start}{}", each(10_000, "assert(g != # + 2u);\n")),
            ),
        ),
        (
            "10,000 assertions over constants",
            program("", &format!("int x = 1;\n{}", each(10_000, "assert(x != # + 2);\n"))),
        ),
        (
            "10,000 assertions, none reached",
            program(
                GLOBAL,
                &format!("g = 1; if (g == 2) {{\n{}}}", each(10_000, "assert(g == #);\n")),
            ),
        ),
        (
            "string of 1 MB",
            program(
                &format!("const char s[] = \"{text}\";\n"),
                "assert(s[__VERIFIER_nondet_uint() % (sizeof s - 1)] >= 'a');",
            ),
        ),
        (
            "50,000 strings",
            program(
                &format!("const char *s[] = {{ {} }};\n", list(50_000, "\"text #\"")),
                "assert(s[__VERIFIER_nondet_uint() % 50000][0] == 't');",
            ),
        ),
        (
            "50,000 initialised structures",
            program(
                &format!(
                    "struct s {{ int a; struct {{ char b[3]; long c; }} d; }} x[] = {{ {} }};\n",
                    list(50_000, "{ .a = #, .d = { { 1, 2, # % 100 }, .c = # } }")
                ),
                "assert(x[__VERIFIER_nondet_uint() % 50000].d.b[0] == 1);",
            ),
        ),
        (
            "line of 2 MB",
            program(GLOBAL, &format!("{}assert(g != 3);", each(100_000, "g = g * 3 + #; "))),
        ),
        (
            "50,000 declarations",
            program(
                &each(
                    50_000,
                    "extern int f#(int a, struct s# *b); typedef struct s# { int a; struct s# *next; } t#;\n",
                ),
                "t7 x; x.a = 1; assert(x.a == 1);",
            ),
        ),
        (
            "20,000 macros",
            program(
                &format!(
                    "{GLOBAL}{}",
                    chain(20_000, "?define M# (M@ + #)\n").replace('?', "#").replace("M0 ", "g ")
                ),
                "g = M150; assert(g != 3);",
            ),
        ),
        (
            "20,000 comparisons of ranges",
            program(
                GLOBAL,
                &format!(
                    "switch (g) {{\n{}default: g = 1; }}\nassert(g != 12345);",
                    each(5_000, "case # * 10 ... # * 10 + 8: g += #;\n")
                ),
            ),
        ),
    ]
}

/// Threads, more or other than are meant for one program.
fn threads() -> Vec<(&'static str, String)> {
    vec![
        (
            "10,000 joined threads",
            program(
                "int x; void *t(void *p) { x = 1; return 0; }\npthread_t h[10000];\n",
                "for (int i = 0; i < 10000; i++) pthread_create(&h[i], 0, t, 0);\nfor (int i = 0; i < 10000; i++) pthread_join(h[i], 0);\nassert(x == 1);",
            ),
        ),
        (
            "500 thread functions",
            program(
                &format!(
                    "{GLOBAL}{}",
                    each(
                        500,
                        "void *w#(void *a) { unsigned x = g; g = x + #; assert(g >= x || x > 9); return 0; }\n"
                    )
                ),
                &each(500, "pthread_t h#; pthread_create(&h#, 0, w#, 0);\n"),
            ),
        ),
        (
            "condition variables of 40 threads",
            program(
                "pthread_mutex_t m; pthread_cond_t c; int n;\nvoid *w(void *a) { pthread_mutex_lock(&m); while (n < 40) { n++; pthread_cond_broadcast(&c); pthread_cond_wait(&c, &m); } n--; pthread_mutex_unlock(&m); return 0; }\n",
                "pthread_t h[40]; for (int i = 0; i < 40; i++) pthread_create(&h[i], 0, w, 0); pthread_mutex_lock(&m); assert(n <= 40); pthread_mutex_unlock(&m);",
            ),
        ),
    ]
}

/// What the models of the library do.
fn library() -> Vec<(&'static str, String)> {
    let before = "#include <string.h>\n#include <stdlib.h>\n#include <stdio.h>\n";
    vec![
        (
            "copies of 1 MB",
            program(
                &format!(
                    "{before}char a[1 << 20], b[1 << 20];\nstruct s {{ char t[1 << 18]; }} x, y;\n"
                ),
                "memcpy(a, b, sizeof a); memset(b, 3, sizeof b); memmove(a + 1, a, 1000000); x = y; assert(memcmp(a, b, sizeof a) || x.t[7] == 0);",
            ),
        ),
        (
            "products of floating point",
            program(
                "double __VERIFIER_nondet_double(void);\n",
                "double x = __VERIFIER_nondet_double(), y = __VERIFIER_nondet_double(), z = __VERIFIER_nondet_double();\nif (x > 1 && y > 1 && z > 1 && x < 9 && y < 9 && z < 9) assert(x * y / z > 0.1 && (x + y) * z != x * z + y * z + 1);",
            ),
        ),
        (
            "1,000 calls of the library",
            program(
                before,
                &format!(
                    "char a[64], b[64] = \"text\";\n{}",
                    each(
                        1000,
                        "strcpy(a, b); if (strlen(a) > #) a[#  % 60] = strcmp(a, b); assert(atoi(a) < # + 1000 || strchr(a, 'x'));\n"
                    )
                ),
            ),
        ),
        (
            "1,000 allocations",
            program(
                before,
                &format!(
                    "struct n {{ struct n *next; int v; }} *head = 0, *t;\n{}assert(head->next->v == 998);",
                    each(1000, "t = malloc(sizeof *t); t->next = head; t->v = #; head = t;\n")
                ),
            ),
        ),
    ]
}
