//! That a search which leaves out orders of steps finds what one does that goes through all of them.

use std::fmt::Write;

use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};

use super::{Exploration, ExploreOptions, explore};
use crate::goto::{Module, parse, verify};

/// The code of a function that is made up.
struct Code<'r> {
    random: &'r mut SmallRng,
    text: String,
    values: usize,
    blocks: usize,
}

impl Code<'_> {
    fn value(&mut self) -> String {
        self.values += 1;
        format!("%v{}.", self.values)
    }

    fn scalar(&mut self) -> &'static str {
        ["$x", "$y", "$z", "$m", "$n"][self.random.random_range(0..5)]
    }

    fn lock(&mut self) -> &'static str {
        ["$m", "$n"][self.random.random_range(0..2)]
    }

    fn add(&mut self, text: &str) {
        self.text.push_str(text);
        self.text.push('\n');
    }

    /// A few accesses to what threads share.
    fn access(&mut self) {
        let (global, small) = (self.scalar(), self.random.random_range(0..3));
        let (a, b, c) = (self.value(), self.value(), self.value());
        let global = match self.random.random_range(0..4) {
            0 => {
                let (element, index) = (self.value(), self.random.random_range(0..2));
                self.add(&format!("{element}: ptr = index i32, $a, {index}i64"));
                element
            }
            _ => global.to_owned(),
        };
        match self.random.random_range(0..6) {
            0 | 1 => self.add(&format!(
                "{a}: i32 = load {global} {b}: i32 = add {a}, 1i32 {c}: i32 = and {b}, 3i32 store i32, {global}, {c}"
            )),
            2 => self.add(&format!("store i32, {global}, {small}i32")),
            3 => self.add(&format!("{a}: i32 = load {global} store i32, $r, {a}")),
            4 => self.add(&format!("{a}: i8 = load {global} {b}: i1 = eq {a}, {small}i8 assume {b}")),
            _ => {
                let wrong = self.random.random_range(1..4);
                self.add(&format!(
                    "{a}: i32 = load {global} {b}: i1 = ne {a}, {wrong}i32 assert {b}, \"a{}\"", self.values
                ));
            }
        }
    }

    fn statement(&mut self) {
        let (a, b) = (self.value(), self.value());
        match self.random.random_range(0..12) {
            0..=3 => self.access(),
            4..=6 => {
                let lock = self.lock();
                let is_one = self.random.random();
                if is_one {
                    self.add(&format!("mutex_lock({lock})"));
                } else {
                    self.add(&format!(
                        "atomic_begin {a}: i32 = load {lock} {b}: i1 = eq {a}, 0i32 assume {b} store i32, {lock}, 2i32 atomic_end"
                    ));
                }
                for _ in 0..self.random.random_range(1..3) {
                    self.access();
                }
                if self.random.random_ratio(9, 10) {
                    let text = if is_one {
                        format!("mutex_unlock({lock})")
                    } else {
                        format!("store i32, {lock}, 0i32")
                    };
                    self.add(&text);
                }
            }
            7 => {
                self.add("atomic_begin");
                self.access();
                self.access();
                self.add("atomic_end");
            }
            8 => {
                // Taken whether it is free or not.
                let lock = self.lock();
                self.add(&format!(
                    "atomic_begin {a}: i32 = load {lock} store i32, {lock}, 1i32 atomic_end"
                ));
            }
            9 => self.add(&format!(
                "{a}: ptr = allocate i32, 4i64 store i32, {a}, 1i32 store ptr, $p, {a}"
            )),
            10 => {
                let c = self.value();
                self.add(&format!("{a}: ptr = load $p {b}: i1 = ne {a}, null assume {b}"));
                let text = match self.random.random_range(0..4) {
                    0 => format!("free {a}"),
                    1 => format!("{c}: i32 = load {a} store i32, $x, {c}"),
                    _ => format!("store i32, {a}, 2i32"),
                };
                self.add(&text);
            }
            _ => {
                self.add(&format!("{a}: i1 = nondet {b}: i32 = zext {a} store i32, $y, {b}"));
            }
        }
    }

    /// Statements, of which some may be repeated.
    fn body(&mut self, count: usize) {
        for _ in 0..count {
            if self.random.random_ratio(1, 8) {
                let (first, next) = (self.blocks + 1, self.blocks + 2);
                self.blocks += 2;
                self.add(&format!("jump bb{first} bb{first}:"));
                self.statement();
                let again = self.value();
                self.add(&format!(
                    "{again}: i1 = nondet branch {again}, bb{first}, bb{next} bb{next}:"
                ));
            } else {
                self.statement();
            }
        }
    }
}

/// The code with its values numbered as they come: each is written `%vN.` here.
fn numbered(code: &str) -> String {
    let mut numbers: Vec<&str> = Vec::new();
    let mut pieces = code.split("%v");
    let mut text = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let (name, rest) = piece.split_once('.').expect("a name ends with a dot");
        let number = numbers.iter().position(|&other| other == name).unwrap_or(numbers.len());
        if number == numbers.len() {
            numbers.push(name);
        }
        let _ = write!(text, "%{number}{rest}");
    }
    text
}

fn made_up(random: &mut SmallRng) -> String {
    let mut text = "gir 1 global $x: i32 = 0 global $y: i32 = 0 global $z: i32 = 0 global $m: i32 = 0 global $n: i32 = 0
        global $r: i32 = 0 global $p: ptr = zero global $a: [2 x i32] = zero global thread_local $o: i32 = 0\n"
        .to_owned();
    let functions = random.random_range(1..4);
    for function in 0..functions {
        let count = random.random_range(1..4);
        let mut code = Code { random: &mut *random, text: String::new(), values: 0, blocks: 0 };
        code.body(count);
        if function > 0 && code.random.random_ratio(1, 5) {
            let handle = code.value();
            code.add(&format!("{handle}: i64 = spawn @t0() join {handle}"));
        }
        let _ = writeln!(text, "define @t{function}() {{ bb0:\n{} return }}", numbered(&code.text));
    }
    let mut code = Code { random, text: String::new(), values: 0, blocks: 0 };
    let mut handles = Vec::new();
    for function in 0..functions {
        let handle = code.value();
        code.add(&format!("{handle}: i64 = spawn @t{function}()"));
        handles.push(handle);
        if code.random.random_ratio(1, 3) {
            code.statement();
        }
    }
    for handle in handles {
        if code.random.random_ratio(2, 3) {
            code.add(&format!("join {handle}"));
        }
        if code.random.random_ratio(1, 3) {
            code.access();
        }
    }
    code.access();
    let end = if code.random.random_ratio(1, 3) { "halt" } else { "return" };
    let _ = writeln!(text, "define @main() {{ bb0:\n{} {end} }} entry @main", numbered(&code.text));
    text
}

/// What a search says that does not depend on the order in which it goes through runs.
fn said(found: &Exploration) -> (bool, bool, bool, bool) {
    (found.failure.is_some(), found.invalid_access, found.undefined, found.sampled)
}

#[test]
fn leaving_out_orders_of_steps_changes_no_answer() {
    let programs: usize = std::env::var("SAPA_DIFFERENTIAL_PROGRAMS")
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(250);
    let mut random = SmallRng::seed_from_u64(programs as u64);
    let (mut failures, mut proofs, mut all, mut fewer) = (0_usize, 0, 0, 0);
    let mut cut_off = 0;
    for _ in 0..programs {
        let text = made_up(&mut random);
        let module: Module = parse(&text, "t.gir").unwrap_or_else(|e| panic!("{e}\n{text}"));
        assert_eq!(verify(&module), Ok(()), "{text}");
        let threads = random.random_ratio(1, 4).then_some(2);
        let options = ExploreOptions { max_states: 40_000, threads, ..Default::default() };
        let whole = explore(&module, &options);
        if whole.incomplete.is_some() {
            continue;
        }
        let reduced = explore(&module, &ExploreOptions { reduced: true, ..options.clone() });
        if let Some(failure) = &reduced.failure {
            assert!(failure.execute(&module, threads).is_some(), "{failure:?}\n{text}");
            assert!(whole.failure.is_some(), "{text}");
            failures += 1;
            continue;
        }
        // A search ends where it finds a failure; this one went elsewhere first.
        if reduced.incomplete.is_some() && whole.failure.is_some() {
            cut_off += 1;
            continue;
        }
        assert_eq!(said(&whole), said(&reduced), "{text}");
        assert_eq!(whole.incomplete, reduced.incomplete, "{text}");
        proofs += usize::from(reduced.is_proof());
        (all, fewer) = (all + whole.states, fewer + reduced.states);
    }
    println!("{failures} failures, {proofs} proofs, {all} states, {fewer} reduced");
    assert!(failures * 20 > programs && proofs * 2 > programs, "{failures} {proofs}");
    assert!(fewer * 2 < all && cut_off * 50 < programs, "{fewer} of {all}, {cut_off} cut off");
}

/// Modules that fail in few orders of steps, each with why that is easily missed.
const RARELY_FAILING: &[(&str, &str)] = &[
    (
        "the lock is chosen within the section",
        "gir 1 global $a: [2 x i32] = zero global $x: i32 = 0 define @t() { bb0: %0: ptr = index \
         i32, $a, 1i64 mutex_lock(%0) store i32, $x, 1i32 %1: i32 = load $x %2: i1 = eq %1, 1i32 \
         assert %2, \"x\" mutex_unlock(%0) return } define @u() { bb0: atomic_begin %0: i1 = \
         nondet %1: i64 = zext %0 %2: ptr = index i32, $a, %1 %3: i32 = load %2 %4: i1 = eq %3, \
         0i32 assume %4 store i32, $x, 2i32 atomic_end return } define @main() { bb0: %0: i64 = \
         spawn @t() %1: i64 = spawn @u() join %0 join %1 return } entry @main",
    ),
    (
        "what was read is looked at after the section",
        "gir 1 global $m: i32 = 0 define @t() { bb0: atomic_begin %0: i32 = load $m %1: i1 = eq \
         %0, 0i32 assume %1 store i32, $m, 1i32 atomic_end %2: i32 = load $m %3: i1 = eq %2, 1i32 \
         assert %3, \"m\" store i32, $m, 0i32 return } define @u() { bb0: atomic_begin %0: i32 = \
         load $m store i32, $m, 2i32 atomic_end %1: i1 = eq %0, 0i32 assume %1 return } define \
         @main() { bb0: %0: i64 = spawn @t() %1: i64 = spawn @u() join %0 join %1 return } entry \
         @main",
    ),
    (
        "another function looks at a value of the same number",
        "gir 1 global $m: i32 = 0 global $x: i32 = 0 define @t() { bb0: mutex_lock($m) store i32, \
         $x, 1i32 %0: i32 = load $x %1: i1 = eq %0, 1i32 assert %1, \"x\" mutex_unlock($m) return \
         } define @g(i32) { bb0(%0: i32): %1: i1 = eq %0, 0i32 assume %1 return } define @u() { \
         bb0: atomic_begin %0: i32 = load $m call @g(0i32) store i32, $x, 2i32 atomic_end return \
         } define @main() { bb0: %0: i64 = spawn @t() %1: i64 = spawn @u() join %0 join %1 return \
         } entry @main",
    ),
    (
        "a part of the cell is read",
        "gir 1 global $m: i8 = 0 global $x: i32 = 0 define @t() { bb0: atomic_begin %0: i8 = load \
         $m %1: i1 = eq %0, 0i8 assume %1 store i8, $m, 2i8 atomic_end store i32, $x, 1i32 %2: \
         i32 = load $x %3: i1 = eq %2, 1i32 assert %3, \"x\" store i8, $m, 0i8 return } define \
         @u() { bb0: atomic_begin %0: i1 = load $m %1: i1 = eq %0, false assume %1 store i32, $x, \
         2i32 atomic_end return } define @main() { bb0: %0: i64 = spawn @t() %1: i64 = spawn @u() \
         join %0 join %1 return } entry @main",
    ),
    (
        "an object ends with its thread",
        "gir 1 global $q: ptr = zero global thread_local $o: i32 = 0 define @t1() { bb0: store \
         ptr, $q, $o return } define @main() { bb0: %0: i64 = spawn @t1() %1: ptr = load $q %2: \
         i1 = ne %1, null assume %2 %3: i1 = accessible i32, %1 %4: i1 = not %3 assert %4, \
         \"acc\" return } entry @main",
    ),
    (
        "what has ended with its thread is read",
        "gir 1 global $q: ptr = zero global $x: i32 = 0 global thread_local $o: i32 = 0 define \
         @t1() { bb0: store ptr, $q, $o return } define @main() { bb0: %0: i64 = spawn @t1() %1: \
         ptr = load $q %2: i1 = ne %1, null assume %2 %3: i32 = load %1 assert false, \"read\" \
         return } entry @main",
    ),
];

#[test]
fn what_fails_in_few_orders_of_steps_is_found() {
    for (why, text) in RARELY_FAILING {
        let module = parse(text, "t.gir").unwrap();
        assert_eq!(verify(&module), Ok(()), "{why}");
        for reduced in [false, true] {
            let found = explore(&module, &ExploreOptions { reduced, ..Default::default() });
            assert!(found.failure.is_some(), "{why}, {reduced}: {found:?}");
        }
    }
}

/// To wait for a thread that was not started has no meaning, though it may have been when the search comes to it.
#[test]
fn a_thread_may_be_waited_for_before_it_is_started() {
    let text = "gir 1 define @a() { bb0: join 3i64 return } define @b() { bb0: return } define @main() { bb0: %0: i64 = \
                spawn @a() %1: i64 = spawn @b() return } entry @main";
    let module = parse(text, "t.gir").unwrap();
    for reduced in [false, true] {
        let found = explore(&module, &ExploreOptions { reduced, ..Default::default() });
        assert!(found.undefined && !found.is_proof(), "{reduced}: {found:?}");
    }
}
