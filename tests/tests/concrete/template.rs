//! Random programs from tables of templates.
//!
//! | in a template | becomes |
//! | --- | --- |
//! | `$v` | a variable |
//! | `$e` | an expression |
//! | `$c` | a number, 0 to 3 |
//! | `$n` | a choice of 0 or 1 |
//! | `$i` | an index, 0 to 2 |
//! | `$b` | a condition |
//! | `$t` | a condition that often holds |
//! | `$s` | a statement |
//! | `$[` `$]` | the ends of an atomic section |
//! | `$(` `$)` | the ends of a critical section |

use std::fmt::Write;

use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};

/// What a program may have besides plain variables.
pub struct Feature {
    pub name: &'static str,
    /// Declarations, seen by all functions.
    pub globals: &'static str,
    /// Declarations at the beginning of every function.
    pub locals: &'static str,
    /// Integers that can be read and written.
    pub variables: &'static [&'static str],
    /// Integers that can be read.
    pub values: &'static [&'static str],
    pub statements: &'static [&'static str],
    /// Integers that predicates can be about, and predicates; `$f` is a function.
    pub predicates: &'static [&'static str],
}

const PRELUDE: &str = "#include <assert.h>\n#include <pthread.h>\n#include <stdlib.h>\n#include <string.h>\n\
     extern int __VERIFIER_nondet_int(void);\nextern _Bool __VERIFIER_nondet_bool(void);\n\
     void __CPROVER_assume(int);\nvoid __CPROVER_atomic_begin(void);\nvoid __CPROVER_atomic_end(void);\n\
     static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n\
     static int choose(void) { int v = __VERIFIER_nondet_int(); __CPROVER_assume(v >= 0 && v <= 1); return v; }\n";

const PLAIN: Feature = Feature {
    name: "plain",
    globals: "static int x, y = 1, z;",
    locals: "int l = 0, k = 0;",
    variables: &["x", "y", "z", "l", "l"],
    values: &["k"],
    statements: &[
        "$v = $e;",
        "$v = $e;",
        "$v = $e;",
        "l = $v;",
        "$v = $n;",
        "l = $n;",
        "$v++;",
        "assert($t);",
        "assert(l != $c);",
        "__CPROVER_assume($b);",
        "if ($b) { $s }",
        "if ($b) { $s $s } else { $s }",
        "for (k = 0; k < 2; k++) { $s }",
        "$[ $s $s $]",
        "$[ $s $s $s $]",
        "$( $s $s $)",
    ],
    predicates: &["x", "y", "z", "$f::l"],
};

/// A pair of shared variables is as much as most programs need.
const SPARSE: Feature = Feature {
    name: "sparse",
    globals: "static int x;",
    locals: "int l = 0, k = 0;",
    variables: &["x", "l"],
    values: &["k"],
    statements: PLAIN.statements,
    predicates: &["x", "$f::l"],
};

/// A program as text, and what is needed to run it.
pub struct Program {
    pub source: String,
    /// Threads that are started, besides the initial one.
    pub started: u32,
    /// Whether threads come one after the other, with one place for all.
    pub relay: bool,
    /// Predicates to begin with, in C.
    pub predicates: Vec<String>,
    pub features: Vec<&'static str>,
}

pub struct Writer {
    random: SmallRng,
    features: Vec<&'static Feature>,
    /// How deep the statement that is written is nested.
    depth: u32,
    /// Whether it is inside a critical or an atomic section.
    inside: bool,
}

impl Writer {
    pub fn new(seed: u64, table: &'static [Feature]) -> Self {
        let mut random = SmallRng::seed_from_u64(seed);
        let mut features = vec![if random.random_range(0..3) == 0 { &PLAIN } else { &SPARSE }];
        let only = std::env::var("SAPA_DIFFERENTIAL_FEATURE").ok();
        let table: Vec<&'static Feature> = table
            .iter()
            .filter(|feature| only.as_ref().is_none_or(|name| name == feature.name))
            .collect();
        for _ in 0..[1, 1, 1, 1, 2, 2][random.random_range(0..6)] {
            let feature = table[random.random_range(0..table.len())];
            if !features.iter().any(|other| other.name == feature.name) {
                features.push(feature);
            }
        }
        Self { random, features, depth: 0, inside: false }
    }

    pub fn below(&mut self, limit: usize) -> usize {
        self.random.random_range(0..limit)
    }

    fn pick<'t>(&mut self, of: &[&'t str]) -> &'t str {
        of[self.random.random_range(0..of.len())]
    }

    /// One of what a feature has; mostly not of the first, which all programs have.
    fn any(&mut self, list: fn(&Feature) -> &'static [&'static str]) -> &'static str {
        let special: Vec<&'static str> =
            self.features[1..].iter().flat_map(|feature| list(feature)).copied().collect();
        let common = list(self.features[0]);
        if special.is_empty() || self.below(3) == 0 {
            self.pick(common)
        } else {
            self.pick(&special)
        }
    }

    /// What a template becomes.
    fn expand(&mut self, template: &str) -> String {
        let mut text = String::new();
        let mut characters = template.chars();
        while let Some(character) = characters.next() {
            if character != '$' {
                text.push(character);
                continue;
            }
            let what = characters.next().expect("a letter after '$'");
            let piece = self.piece(what);
            text.push_str(&piece);
        }
        text
    }

    fn piece(&mut self, what: char) -> String {
        match what {
            'v' => {
                let template = self.any(|feature| feature.variables);
                self.expand(template)
            }
            'e' => {
                let template = match self.below(8) {
                    0..3 => "$c",
                    3 | 4 => "$v",
                    5 => "$v + 1",
                    6 => "$v - $v",
                    _ => self.any(|feature| feature.values),
                };
                self.expand(template)
            }
            'c' => self.below(4).to_string(),
            'n' => self
                .pick(&["(__VERIFIER_nondet_int() & 1)", "__VERIFIER_nondet_bool()", "choose()"])
                .to_owned(),
            'i' => {
                let template = self.pick(&[
                    "0",
                    "1",
                    "2",
                    "k",
                    "$n",
                    "$n + 1",
                    "($v & 1)",
                    "1 + ($v & 1)",
                    "2 - ($v & 1)",
                    "($v == $c)",
                ]);
                self.expand(template)
            }
            'b' => {
                let template = self.pick(&[
                    "$v == $c", "$v != $c", "$v < $c", "$v == $e", "$v != $e", "$v < $e",
                    "$v <= $e", "$n", "$v",
                ]);
                self.expand(template)
            }
            't' => {
                let template = self.pick(&[
                    "l != $c",
                    "$v != $c",
                    "$v != $c",
                    "$v <= $c || $v == $c",
                    "$v != $c || $v != $c",
                    "$v != $c || $b",
                    "$b",
                ]);
                self.expand(template)
            }
            's' => self.statement(),
            '[' => {
                self.inside = true;
                "__CPROVER_atomic_begin();".to_owned()
            }
            ']' => {
                self.inside = false;
                "__CPROVER_atomic_end();".to_owned()
            }
            '(' => {
                self.inside = true;
                "pthread_mutex_lock(&m);".to_owned()
            }
            ')' => {
                self.inside = false;
                "pthread_mutex_unlock(&m);".to_owned()
            }
            other => panic!("no template has ${other}"),
        }
    }

    fn statement(&mut self) -> String {
        loop {
            let template = self.any(|feature| feature.statements);
            let nests = template.contains("$s");
            let locks = template.contains("$[") || template.contains("$(");
            if (nests && self.depth >= 2) || (locks && self.inside) {
                continue;
            }
            self.depth += 1;
            let mut text = self.expand(template);
            self.depth -= 1;
            // What a step has done is soon covered by the next ones.
            if self.below(4) == 0 && text.contains("l = ") {
                text.push_str(&self.expand(" assert(l != $c);"));
            }
            return text;
        }
    }

    fn statements(&mut self, most: usize) -> String {
        let count = 1 + self.below(most);
        (0..count).map(|_| self.statement()).collect::<Vec<_>>().join("\n  ")
    }

    /// An assertion at the end of a function, or none: the more can fail, the less it shows if
    /// one of them is missed.
    fn last(&mut self) -> String {
        if self.below(2) == 0 { String::new() } else { self.expand("assert($t);\n  ") }
    }

    /// The beginning of a program, and the declarations that its functions begin with.
    fn declarations(&mut self) -> (String, String) {
        let mut globals = PRELUDE.to_owned();
        let mut locals = String::new();
        for feature in self.features.clone() {
            let _ = writeln!(globals, "{}", self.expand(feature.globals));
            let _ = write!(locals, "{} ", self.expand(feature.locals));
        }
        (globals, locals)
    }

    /// A predicate about the locals of `$f`.
    fn predicate(&mut self) -> String {
        let left = self.any(|feature| feature.predicates);
        if left.contains(' ') {
            return left.to_owned();
        }
        let right = self.any(|feature| feature.predicates);
        let operator = self.pick(&["==", "==", "<", "<=", "!="]);
        let number = self.below(4);
        match self.below(6) {
            0 | 1 => format!("{left} {operator} {number}"),
            2 | 3 if !right.contains(' ') => format!("{left} {operator} {right}"),
            // They are about a local that makes no difference.
            3 => format!("({left} == {number} && $f::l == $f::l)"),
            4 => format!("($f::l - $f::l) + {left} {operator} {number}"),
            _ => format!("{left} {operator} {number} + $f::l * 0"),
        }
    }

    /// A predicate about the locals of `$f`, and of another thread's, which runs `$g`.
    fn between(&mut self) -> String {
        let local = |this: &mut Self| loop {
            let found = this.any(|feature| feature.predicates);
            if found.starts_with("$f::") && !found.contains(' ') {
                return found;
            }
        };
        let other = local(self).replace("$f", "$g");
        let own = if self.below(2) == 0 { local(self) } else { self.any(|f| f.predicates) };
        let operator = self.pick(&["!=", "!=", "==", "<", "<="]);
        let number = self.below(4);
        match self.below(5) {
            0 => format!("[{other}] {operator} {number}"),
            1 | 2 if !own.contains(' ') => format!("[{other}] {operator} {own}"),
            3 if !own.contains(' ') => {
                format!("({own} == {number} && $f::l == $f::l) || [{other}] {operator} {number}")
            }
            _ => format!("$f::l {operator} [$g::l]"),
        }
    }

    fn program(&mut self, source: String, started: u32, functions: &[String]) -> Program {
        let mut predicates = Vec::new();
        // What goes wrong needs several about one thread.
        let function = &functions[self.below(functions.len())];
        if self.below(2) == 0 {
            for _ in 0..=self.below(3) {
                predicates.push(self.predicate().replace("$f", function));
            }
        }
        if started > 1 && self.below(2) == 0 {
            for _ in 0..=self.below(2) {
                let other = &functions[self.below(functions.len())];
                let predicate = self.between().replace("$f", function);
                predicates.push(predicate.replace("$g", other));
            }
        }
        let features = self.features[1..].iter().map(|feature| feature.name).collect();
        Program { source, started, relay: false, predicates, features }
    }

    /// A program without threads.
    pub fn sequential(&mut self) -> Program {
        let (mut text, locals) = self.declarations();
        let most = [2, 3, 7][self.below(3)];
        let (body, last) = (self.statements(most), self.expand("$t"));
        let _ = writeln!(
            text,
            "int main(void) {{\n  {locals}\n  {body}\n  assert({last});\n  return 0;\n}}"
        );
        self.program(text, 0, &["main".to_owned()])
    }

    /// A program with threads, or perhaps none.
    pub fn concurrent(&mut self) -> Program {
        let started = [0, 1, 1, 2, 2, 2, 3][self.below(7)];
        if started == 0 {
            return self.sequential();
        }
        if self.features.iter().any(|feature| feature.name == "places") && self.below(2) == 0 {
            return self.relay();
        }
        let (mut text, locals) = self.declarations();
        let functions = if self.below(3) == 0 { 1 } else { started };
        let most = [1, 2, 4][self.below(3)];
        let mut names = Vec::new();
        for name in 0..functions {
            let (body, last) = (self.statements(most), self.last());
            let _ = writeln!(
                text,
                "static void *t{name}(void *argument) {{\n  {locals}\n  {body}\n  {last}return 0;\n}}"
            );
            names.push(format!("t{name}"));
        }
        if self.below(3) == 0 {
            names.push("main".to_owned());
        }
        let _ = write!(text, "int main(void) {{\n  pthread_t h;\n  {locals}\n  ");
        for thread in 0..started {
            if self.below(3) == 0 {
                let _ = write!(text, "{}\n  ", self.statement());
            }
            let _ = write!(text, "pthread_create(&h, 0, t{}, 0);\n  ", thread % functions);
            // What joins lets the next thread have the place of this one.
            if self.below(3) == 0 {
                text.push_str("pthread_join(h, 0);\n  ");
            }
        }
        if self.below(3) == 0 {
            let _ = write!(text, "{}\n  ", self.statement());
        }
        let _ = writeln!(text, "{}return 0;\n}}", self.last());
        let started = u32::try_from(started).expect("few threads");
        self.program(text, started, &names)
    }

    /// A program with two threads, the second in the place of the first.
    fn relay(&mut self) -> Program {
        let (mut text, locals) = self.declarations();
        let sets = [
            "l = 1 + $n; left = l;",
            "l = $n; __CPROVER_assume(l > 0); left = l;",
            "l = 2; left = l;",
        ];
        let reads = ["assert(left != 0);", "assert(left > 0);", "l = left; assert(l > 0);"];
        for (name, own) in [sets, reads].iter().enumerate() {
            let own = self.pick(own);
            let own = self.expand(own);
            let other = if self.below(3) == 0 { self.statement() } else { String::new() };
            let _ = writeln!(
                text,
                "static void *t{name}(void *argument) {{\n  {locals}\n  {own}\n  {other}\n  return 0;\n}}"
            );
        }
        let join = self.pick(&["", "pthread_join(h, 0); "]);
        let _ = writeln!(
            text,
            "int main(void) {{\n  pthread_t h;\n  {locals}\n  pthread_create(&h, 0, t0, 0); {join}\n  \
             pthread_create(&h, 0, t1, 0);\n  return 0;\n}}"
        );
        let program = self.program(text, 2, &["t0".to_owned()]);
        Program { relay: true, ..program }
    }
}
