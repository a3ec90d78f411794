//! Programs of all kinds of statements over shared scalars, an array and some pointers.

use std::fmt::Write;

use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};

/// Writes a random program: a few start functions over shared scalars, an array, a pointer
/// to shared variables and a mutex; helper functions; assertions everywhere.
struct Generator {
    random: SmallRng,
    /// How deep the statement that is written is nested.
    depth: u32,
    /// Whether it is inside a critical or an atomic section.
    inside: bool,
    /// Whether it has structures that point to each other.
    linked: bool,
}

impl Generator {
    fn pick<'t>(&mut self, of: &[&'t str]) -> &'t str {
        of[self.random.random_range(0..of.len())]
    }

    fn variable(&mut self) -> &'static str {
        if self.linked && self.random.random_range(0..3) == 0 {
            return self.pick(&[
                "head->v",
                "head->w",
                "head->next->v",
                "s[0].v",
                "s[1].w",
                "s[y & 1].v",
                "t.w",
                "head->pair[1]",
                "s[0].pair[x & 1]",
            ]);
        }
        self.pick(&["x", "y", "z", "l", "l", "n", "*p", "a[0]", "a[y & 1]"])
    }

    fn expression(&mut self) -> String {
        match self.random.random_range(0..7) {
            0 | 1 => self.random.random_range(0..3).to_string(),
            2 | 3 => self.variable().to_owned(),
            4 => format!("{} + 1", self.variable()),
            5 => format!("{} - {}", self.variable(), self.variable()),
            _ => format!("twice({})", self.variable()),
        }
    }

    fn condition(&mut self) -> String {
        let op = self.pick(&["==", "!=", "<", "<="]);
        format!("{} {op} {}", self.variable(), self.expression())
    }

    fn block(&mut self, longest: u32) -> String {
        self.depth += 1;
        let count = self.random.random_range(1..=longest);
        let block: Vec<String> = (0..count).map(|_| self.statement()).collect();
        self.depth -= 1;
        block.join(" ")
    }

    fn statement(&mut self) -> String {
        let nested = self.depth < 2;
        if self.linked && self.random.random_range(0..5) == 0 {
            let statement = self.pick(&[
                "head = head->next;",
                "head = &s[1];",
                "head = &t;",
                "s[0].next = &t;",
                "head->next = &s[y & 1];",
                "t = *head;",
                "*head = s[1];",
                "p = &head->w;",
                "p = &head->pair[z & 1];",
                "p = p + 1;",
            ]);
            return statement.to_owned();
        }
        match self.random.random_range(0..17) {
            0..5 => format!("{} = {};", self.variable(), self.expression()),
            5 => format!("{}++;", self.variable()),
            6 => format!("{} += {};", self.variable(), self.expression()),
            7 => format!("assert({});", self.condition()),
            8 => format!("p = {};", self.pick(&["&x", "&y", "&z", "a", "&a[1]"])),
            9 => format!("__CPROVER_assume({});", self.condition()),
            10 => format!(
                "__sync_bool_compare_and_swap(&{}, {}, {});",
                self.pick(&["x", "y", "a[1]"]),
                self.variable(),
                self.expression()
            ),
            11 => format!("l = __sync_fetch_and_add(&{}, 1);", self.pick(&["x", "z"])),
            12 if nested => {
                let (c, a, b) = (self.condition(), self.block(1), self.block(1));
                format!("if ({c}) {{ {a} }} else {{ {b} }}")
            }
            13 if nested => {
                let (v, a, b) = (self.variable(), self.block(1), self.block(1));
                format!("switch ({v}) {{ case 0: {a} case 1: {b} break; default: l = 2; }}")
            }
            14 if nested => {
                let body = self.block(1);
                format!("for (int i = 0; i < 2; i++) {{ {body} }}")
            }
            15 if nested && !self.inside => {
                self.inside = true;
                let body = self.block(2);
                self.inside = false;
                format!("__CPROVER_atomic_begin(); {body} __CPROVER_atomic_end();")
            }
            16 if nested && !self.inside => {
                self.inside = true;
                let body = self.block(2);
                self.inside = false;
                format!("pthread_mutex_lock(&m); {body} pthread_mutex_unlock(&m);")
            }
            _ => format!("l = {};", self.expression()),
        }
    }

    fn program(&mut self, threads: usize) -> String {
        let mut text = String::from(
            "#include <assert.h>\n#include <pthread.h>\nvoid __CPROVER_assume(int);\n\
             void __CPROVER_atomic_begin(void);\nvoid __CPROVER_atomic_end(void);\n\
             int x, y = 1, z, a[2];\nint *p = &x;\npthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n\
             int twice(int v) { return v + v; }\n",
        );
        if self.linked {
            text.push_str(
                "struct node { int v; struct node *next; int w; int pair[2]; };\n\
                 struct node t = { 1, &t, 0, { 2 } }, s[2] = { { 0, &s[1], 1 }, { 2, &s[0], 0 } };\n\
                 struct node *head = s;\n",
            );
        }
        // Some programs have one start function for all threads.
        let functions = if self.random.random_range(0..3) == 0 { 1 } else { threads };
        let narrow = self.pick(&["unsigned char", "short", "_Bool", "signed char"]);
        for name in 0..functions {
            let (body, last) = (self.block(3), self.condition());
            let _ = writeln!(
                text,
                "void *t{name}(void *argument) {{ int l = 0; {narrow} n = 1; {body} assert({last}); return 0; }}"
            );
        }
        text.push_str("int main(void) { pthread_t h; int l = 0, n = 0; ");
        for thread in 0..threads {
            let _ = write!(text, "pthread_create(&h, 0, t{}, 0); ", thread % functions);
        }
        let last = self.condition();
        let _ = writeln!(text, "assert({last} || {}); }}", self.condition());
        text
    }
}

/// A program, and how many threads it starts.
pub fn program(seed: u64) -> (String, u32) {
    let random = SmallRng::seed_from_u64(seed);
    let mut generator = Generator { random, depth: 0, inside: false, linked: seed % 2 == 1 };
    let threads = [1, 2, 2, 2, 3][generator.random.random_range(0..5)];
    let source = generator.program(threads);
    (source, u32::try_from(threads).expect("few threads"))
}
