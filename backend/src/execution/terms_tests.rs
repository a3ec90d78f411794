//! That a search in which choices are variables says what one says that goes through all their values.

use std::cell::RefCell;
use std::fmt::Write;

use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};
use sapa_ir::goto::interpret::{ExploreOptions, explore, explore_terms};
use sapa_ir::goto::{Module, parse, verify};
use sapa_limits::Limits;

use super::terms::Terms;

/// The code of a function that is made up; values are written `%vN.`, blocks `bbN~`, and numbered later.
struct Code<'r> {
    random: &'r mut SmallRng,
    text: String,
    values: usize,
    blocks: usize,
    /// How many choices there are: all combinations of their values are gone through.
    choices: usize,
}

impl Code<'_> {
    fn value(&mut self) -> String {
        self.values += 1;
        format!("%v{}.", self.values)
    }

    fn add(&mut self, text: &str) {
        self.text.push_str(text);
        self.text.push('\n');
    }

    fn below(&mut self, most: u32) -> u32 {
        self.random.random_range(0..most)
    }

    fn one_of<'a>(&mut self, all: &[&'a str]) -> &'a str {
        all[self.random.random_range(0..all.len())]
    }

    /// Whether there may be one choice more.
    fn chooses(&mut self) -> bool {
        self.choices += 1;
        self.choices <= 3
    }

    fn global(&mut self) -> &'static str {
        self.one_of(&["$x", "$y", "$z"])
    }

    /// A byte that is read, computed or chosen.
    fn byte(&mut self) -> String {
        let (a, b, c) = (self.value(), self.value(), self.value());
        match self.below(12) {
            0 | 1 if self.chooses() => {
                self.add(&format!("{a}: i2 = nondet {b}: i8 = zext {a}"));
                b
            }
            2 if self.chooses() => {
                self.add(&format!("{a}: i2 = nondet {b}: i8 = sext {a}"));
                b
            }
            0..=5 => {
                let from = self.global();
                self.add(&format!("{a}: i8 = load {from}"));
                a
            }
            6 => {
                // Bytes of a wider scalar, and of one that was never written.
                let index = self.below(2);
                self.add(&format!(
                    "{a}: ptr = index i8, $w, {index}i64 {b}: i8 = load {a} {c}: i8 = and {b}, 3i8"
                ));
                c
            }
            7 => {
                let index = self.index();
                self.add(&format!("{a}: ptr = index i8, $a, {index} {b}: i8 = load {a}"));
                b
            }
            8 => {
                let (condition, x, y) = (self.condition(), self.byte(), self.byte());
                self.add(&format!("{a}: i8 = select {condition}, {x}, {y}"));
                a
            }
            9 => {
                let x = self.byte();
                let op = self.one_of(&["neg", "not"]);
                self.add(&format!("{a}: i8 = {op} {x} {b}: i8 = and {a}, 3i8"));
                b
            }
            _ => {
                let (x, y) = (self.byte(), self.byte());
                let op =
                    self.one_of(&["add", "sub", "mul", "and", "or", "xor", "udiv", "srem", "shl"]);
                self.add(&format!("{a}: i8 = {op} {x}, {y} {b}: i8 = and {a}, 3i8"));
                b
            }
        }
    }

    /// An index of an array of four.
    fn index(&mut self) -> String {
        let (a, b) = (self.value(), self.value());
        if self.below(2) == 0 && self.chooses() {
            self.add(&format!("{a}: i2 = nondet {b}: i64 = zext {a}"));
        } else {
            let from = self.global();
            let c = self.value();
            self.add(&format!("{a}: i8 = load {from} {c}: i8 = and {a}, 3i8 {b}: i64 = zext {c}"));
        }
        b
    }

    fn condition(&mut self) -> String {
        let a = self.value();
        if self.below(6) == 0 && self.chooses() {
            self.add(&format!("{a}: i1 = nondet"));
            return a;
        }
        let x = self.byte();
        let y = if self.below(2) == 0 { self.byte() } else { format!("{}i8", self.below(4)) };
        let op = self.one_of(&["eq", "ne", "ult", "ule", "slt", "sle"]);
        self.add(&format!("{a}: i1 = {op} {x}, {y}"));
        a
    }

    fn statement(&mut self, depth: u32) {
        let (a, b) = (self.value(), self.value());
        match self.below(18) {
            0..=3 => {
                let (to, value) = (self.global(), self.byte());
                self.add(&format!("store i8, {to}, {value}"));
            }
            4 => {
                let (index, value) = (self.index(), self.byte());
                self.add(&format!("{a}: ptr = index i8, $a, {index} store i8, {a}, {value}"));
            }
            5 => {
                let value = self.byte();
                self.add(&format!("{a}: i16 = zext {value} store i16, $w, {a}"));
            }
            6 => {
                let (index, value) = (self.below(2), self.byte());
                self.add(&format!("{a}: ptr = index i8, $w, {index}i64 store i8, {a}, {value}"));
            }
            7 => {
                let (from, to) = (self.global(), self.global());
                self.add(&format!("{a}: i16 = load $w {b}: i8 = trunc {a} store i8, {to}, {b} copy_memory i8, {from}, {to}"));
            }
            8 => self.add("copy_memory i16, $w, $a"),
            9 if self.chooses() => {
                let (c, to) = (self.value(), self.global());
                self.add(&format!("{a}: ptr = allocate i8, 1i64 {b}: i8 = load {a} {c}: i8 = and {b}, 3i8 store i8, {to}, {c}"));
            }
            10 => {
                let condition = self.condition();
                self.add(&format!("assume {condition}"));
            }
            11 | 12 => {
                let condition = self.condition();
                self.add(&format!("assert {condition}, \"a{}\"", self.values));
            }
            13 => {
                self.add("atomic_begin");
                self.statement(depth + 3);
                self.statement(depth + 3);
                self.add("atomic_end");
            }
            14 => {
                self.add("mutex_lock($l)");
                self.statement(depth + 3);
                self.statement(depth + 3);
                self.add("mutex_unlock($l)");
            }
            15 if depth < 2 => {
                let value = self.byte();
                let first = self.blocks + 1;
                self.blocks += 3;
                let (one, other, next) = (first, first + 1, first + 2);
                self.add(&format!(
                    "switch {value} [1: bb{one}~, 2: bb{other}~], bb{next}~ bb{one}~:"
                ));
                self.statement(depth + 1);
                self.add(&format!("jump bb{next}~ bb{other}~:"));
                self.statement(depth + 1);
                self.add(&format!("jump bb{next}~ bb{next}~:"));
            }
            _ if depth < 2 => {
                let condition = self.condition();
                let first = self.blocks + 1;
                self.blocks += 3;
                let (one, other, next) = (first, first + 1, first + 2);
                self.add(&format!("branch {condition}, bb{one}~, bb{other}~ bb{one}~:"));
                self.statement(depth + 1);
                self.add(&format!("jump bb{next}~ bb{other}~:"));
                self.statement(depth + 1);
                self.add(&format!("jump bb{next}~ bb{next}~:"));
            }
            _ => {
                let (to, value) = (self.global(), self.byte());
                self.add(&format!("store i8, {to}, {value}"));
            }
        }
    }
}

/// The code with its values numbered as they come, from a first number on.
fn numbered(code: &str, first: usize) -> String {
    let mut names: Vec<&str> = Vec::new();
    let mut pieces = code.split("%v");
    let mut text = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let (name, rest) = piece.split_once('.').expect("a name ends with a dot");
        let number = names.iter().position(|&other| other == name).unwrap_or(names.len());
        if number == names.len() {
            names.push(name);
        }
        let _ = write!(text, "%{}{rest}", number + first);
    }
    // Blocks are numbered as they stand.
    let labels: Vec<String> = text
        .match_indices("~:")
        .filter_map(|(end, _)| Some(text.get(text.get(..end)?.rfind("bb")?..end)?.to_owned()))
        .collect();
    for (number, label) in labels.iter().enumerate() {
        text = text.replace(&format!("{label}~"), &format!("bb{}", number + 1));
    }
    text
}

fn made_up(random: &mut SmallRng) -> String {
    let mut text = "gir 1 global $x: i8 = 0 global $y: i8 = 1 global $z: i8 = 2 global $w: i16 = 0
        global $a: [4 x i8] = zero global $l: i32 = 0\n"
        .to_owned();
    let functions = random.random_range(1..3);
    for function in 0..functions {
        let mut code =
            Code { random: &mut *random, text: String::new(), values: 0, blocks: 0, choices: 0 };
        for _ in 0..code.random.random_range(1..4) {
            code.statement(0);
        }
        let result = code.byte();
        let end = format!("store i8, $x, %0 return {result}");
        code.add(&end);
        let body = numbered(&code.text, 1);
        let _ = writeln!(text, "define @t{function}(i8) -> i8 {{ bb0(%0: i8):\n{body} }}");
    }
    let mut code = Code { random, text: String::new(), values: 0, blocks: 0, choices: 0 };
    let mut handles = Vec::new();
    for function in 0..functions {
        let (handle, value) = (code.value(), code.byte());
        code.add(&format!("{handle}: i64 = spawn @t{function}({value})"));
        handles.push(handle);
    }
    code.statement(0);
    for handle in handles {
        match code.below(3) {
            0 => {}
            1 => code.add(&format!("join {handle}")),
            _ => {
                let result = code.value();
                code.add(&format!("{result}: i8 = join {handle} store i8, $y, {result}"));
            }
        }
    }
    code.statement(0);
    code.statement(1);
    let _ =
        writeln!(text, "define @main() {{ bb0:\n{} return }} entry @main", numbered(&code.text, 0));
    text
}

#[test]
fn variables_stand_for_all_values_of_choices() {
    let programs: usize = std::env::var("SAPA_DIFFERENTIAL_PROGRAMS")
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(100);
    let mut random = SmallRng::seed_from_u64(programs as u64);
    let (mut failures, mut proofs, mut all, mut fewer) = (0_usize, 0_usize, 0, 0);
    for _ in 0..programs {
        let text = made_up(&mut random);
        let module: Module = parse(&text, "t.gir").unwrap_or_else(|e| panic!("{e}\n{text}"));
        assert_eq!(verify(&module), Ok(()), "{text}");
        let domain = vec![0, 1, 2, 3];
        let options =
            ExploreOptions { max_states: 30_000, domain, reduced: true, ..Default::default() };
        let values = explore(&module, &options);
        let terms = RefCell::new(Terms::new(usize::MAX, &Limits::default()));
        let found = explore_terms(&module, &options, &terms);
        if let Some(failure) = &found.failure {
            assert!(failure.execute(&module, None).is_some(), "{failure:?}\n{text}");
            // What has no meaning ends a run, also before what other threads could do.
            assert!(!values.is_proof(), "{text}");
            failures += 1;
            continue;
        }
        if values.incomplete.is_some() || found.incomplete.is_some() {
            assert!(values.failure.is_none() || found.incomplete.is_some(), "{text}");
            continue;
        }
        assert!(!found.sampled, "{text}");
        let said = |found: &sapa_ir::goto::interpret::Exploration| {
            (found.failure.is_some(), found.undefined, found.invalid_access)
        };
        assert_eq!(said(&values), said(&found), "{text}");
        proofs += usize::from(found.is_proof());
        (all, fewer) = (all + values.states, fewer + found.states);
    }
    println!("{failures} failures, {proofs} proofs, {all} states, {fewer} of terms");
    assert!(failures * 5 > programs && proofs * 10 > programs, "{failures} {proofs}");
    assert!(fewer < all, "{fewer} of {all}");
}

/// Modules that fail, each with why that is easily missed.
const FAILING: &[(&str, &str)] = &[
    (
        "what a function is called with through a pointer",
        "gir 1 global $f: ptr = zero define @g(i32) { bb0(%0: i32): %1: i1 = ne %0, 4711i32 assert %1, \"g\" return } define \
         @main() { bb0: store ptr, $f, @g %0: ptr = load $f %1: i32 = nondet call %0(%1) return } entry @main",
    ),
    (
        "a condition is about a variable that no value has any more",
        "gir 1 define @main() { bb0: %0: i1 = nondet branch %0, bb1, bb2 bb1: %1: i1 = nondet assert %1, \"a\" jump bb2 bb2: \
         return } entry @main",
    ),
    (
        "one of two bytes is written over",
        "gir 1 global $w: i16 = 0 define @main() { bb0: %0: i16 = nondet store i16, $w, %0 %1: ptr = index i8, $w, 1i64 store \
         i8, %1, 7i8 %2: i16 = load $w %3: i1 = ne %2, 1793i16 assert %3, \"w\" return } entry @main",
    ),
    (
        "the result of a thread that has ended",
        "gir 1 define @t() -> i32 { bb0: %0: i32 = nondet return %0 } define @main() { bb0: %0: i64 = spawn @t() %1: i32 = \
         nondet %2: i32 = join %0 %3: i1 = ne %2, %1 assert %3, \"r\" return } entry @main",
    ),
    (
        "what nobody has written is chosen once",
        "gir 1 define @main() { bb0: %0: ptr = allocate i32, 4i64 %1: i32 = load %0 %2: i32 = load %0 %3: i1 = eq %1, %2 \
         assume %3 %4: i1 = ne %1, 4711i32 assert %4, \"m\" return } entry @main",
    ),
    (
        "bytes around a written one are chosen",
        "gir 1 define @main() { bb0: %0: ptr = allocate i8, 4i64 %1: ptr = index i8, %0, 1i64 store i8, %1, 7i8 %2: i32 = load %0 \
         %3: i1 = ne %2, 305399638i32 assert %3, \"g\" return } entry @main",
    ),
    (
        "a thread waits for ever for one value only",
        "gir 1 global $s: i32 = 0 global $x: i32 = 0 define @t() { bb0: atomic_begin %0: i32 = load $s %1: i1 = ne %0, 0i32 \
         assume %1 atomic_end return } define @u() { bb0: %0: i32 = load $x %1: i1 = ne %0, 0i32 assert %1, \"x\" return } \
         define @main() { bb0: %0: i32 = nondet store i32, $s, %0 store i32, $x, %0 %1: i64 = spawn @t() %2: i64 = spawn @u() \
         return } entry @main",
    ),
    (
        "a value says which lock is waited for, of two that another thread holds",
        "gir 1 global $l: [2 x i32] = zero global $x: i32 = 0 define @t(i1) { bb0(%0: i1): %1: ptr = index i32, $l, 1i64 %2: ptr \
         = select %0, %1, $l mutex_lock(%2) %3: i32 = load $x %4: i1 = ne %3, 1i32 assert %4, \"x\" return } define @u() { bb0: \
         %0: ptr = index i32, $l, 1i64 mutex_lock($l) mutex_lock(%0) store i32, $x, 1i32 mutex_unlock($l) mutex_lock($l) store \
         i32, $x, 0i32 mutex_unlock($l) mutex_unlock(%0) return } define @main() { bb0: %0: i1 = nondet %1: i64 = spawn @t(%0) \
         %2: i64 = spawn @u() return } entry @main",
    ),
    (
        "a thread goes round and round for one value only",
        "gir 1 global $g: i32 = 0 global $x: i32 = 0 define @t() { bb0: jump bb1 bb1: %0: i32 = load $g %1: i1 = eq %0, 0i32 \
         branch %1, bb1, bb2 bb2: return } define @u() { bb0: %0: i32 = load $x %1: i1 = ne %0, 0i32 assert %1, \"x\" return } \
         define @main() { bb0: %0: i32 = nondet store i32, $g, %0 store i32, $x, %0 %1: i64 = spawn @t() %2: i64 = spawn @u() \
         return } entry @main",
    ),
    (
        "a function returns fewer bits than its caller wants",
        "gir 1 global $f: ptr = zero define @t() -> i8 { bb0: %0: i8 = nondet return %0 } define @main() { bb0: %0: i64 = spawn \
         @t() %1: i32 = join %0 %2: i1 = ne %1, 200i32 assert %2, \"r\" return } entry @main",
    ),
    (
        "an operation has no meaning for one value only",
        "gir 1 define @main() { bb0: %0: i32 = nondet %1: i32 = udiv 8i32, %0 %2: i1 = ne %1, 4i32 assert %2, \"d\" return } \
         entry @main",
    ),
];

#[test]
fn what_fails_for_one_value_is_found() {
    for (why, text) in FAILING {
        let module = parse(text, "t.gir").unwrap_or_else(|e| panic!("{why}: {e}"));
        assert_eq!(verify(&module), Ok(()), "{why}");
        let terms = RefCell::new(Terms::new(usize::MAX, &Limits::default()));
        let found = explore_terms(&module, &ExploreOptions::default(), &terms);
        let failure = found.failure.as_ref().unwrap_or_else(|| panic!("{why}: {found:?}"));
        assert!(failure.execute(&module, None).is_some(), "{why}: {failure:?}");
    }
}

#[test]
fn too_many_values_where_a_number_is_needed_are_no_proof() {
    let text = "gir 1 global $a: [40 x i8] = zero define @main() { bb0: %0: i8 = nondet %1: i1 = ult %0, 40i8 assume %1 %2: \
                i64 = zext %0 %3: ptr = index i8, $a, %2 store i8, %3, 1i8 return } entry @main";
    let module = parse(text, "t.gir").expect("it is well-formed");
    let terms = RefCell::new(Terms::new(usize::MAX, &Limits::default()));
    let found = explore_terms(&module, &ExploreOptions::default(), &terms);
    assert!(!found.is_proof() && found.failure.is_none(), "{found:?}");
    let fewer = text.replace("40i8", "16i8");
    let module = parse(&fewer, "t.gir").expect("it is well-formed");
    assert!(explore_terms(&module, &ExploreOptions::default(), &terms).is_proof());
}
