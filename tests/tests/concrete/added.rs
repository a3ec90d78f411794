//! Programs whose threads, which are executed once each, add to what they share.

use std::fmt::Write;

use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};

/// A program of two or three threads that add in loops, under a lock, in one step or carelessly, and of an initial thread
/// that may add as well, joins some of them, and compares what it finds then.
pub fn added(seed: u64) -> String {
    let mut random = SmallRng::seed_from_u64(seed);
    let ty = ["unsigned", "int", "unsigned char", "signed char"][random.random_range(0..4)];
    let [x, y] = [(); 2].map(|()| [0, 0, 1, 126, 254][random.random_range(0..5)]);
    let n = random.random_range(0..3);
    let mut text = format!(
        "#include <pthread.h>\n{ty} x = {x}, y = {y}, n = {n};\nint done, sink;\n\
         pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n",
    );
    // Most programs only add, and keep both sums alike.
    let careless = random.random_range(0..4) == 0;
    let add = |random: &mut SmallRng| {
        let cell = ["x", "x", "x", "y"][random.random_range(0..4)];
        let what = ["1", "1", "2", "own", "n"][random.random_range(0..5)];
        let sign = ["+", "+", "-"][random.random_range(0..3)];
        let step = format!("{cell} = {cell} {sign} {what};");
        match random.random_range(0..8) {
            0 if careless => step,
            1 if careless => format!("{cell} = {what};"),
            0 | 1 => format!(
                "pthread_mutex_lock(&m); x = x {sign} {what}; y = y {sign} {what}; pthread_mutex_unlock(&m);"
            ),
            2 | 3 => format!("__CPROVER_atomic_begin(); {step} own++; __CPROVER_atomic_end();"),
            4 => format!(
                "pthread_mutex_lock(&m); if ({cell} < 3) {{ {step} }} pthread_mutex_unlock(&m);"
            ),
            _ => format!("pthread_mutex_lock(&m); {step} pthread_mutex_unlock(&m);"),
        }
    };
    let threads = random.random_range(2..4);
    for thread in 0..threads {
        let _ = writeln!(text, "void *t{thread}(void *p) {{\n  {ty} own = 0;");
        let rounds = ["1", "2", "n"][random.random_range(0..3)];
        let _ = writeln!(text, "  for ({ty} i = 0; i < {rounds}; i++) {{");
        for _ in 0..random.random_range(1..3) {
            let _ = writeln!(text, "    {}", add(&mut random));
        }
        text.push_str("  }\n");
        let last = match random.random_range(0..8) {
            0 => add(&mut random),
            1 | 2 if thread == 0 => "done = 1;".to_owned(),
            3 | 4 if thread == 0 => {
                "__CPROVER_atomic_begin(); done = 1; __CPROVER_atomic_end(); x++;".to_owned()
            }
            5 => {
                "pthread_mutex_lock(&m); x++; if (p) { y++; pthread_mutex_unlock(&m); }".to_owned()
            }
            _ => String::new(),
        };
        let _ = writeln!(text, "  {last}\n  return 0;\n}}");
    }
    let _ = writeln!(text, "int main(void) {{\n  pthread_t t[3];\n  {ty} own = 1;");
    if random.random_bool(0.5) {
        let _ = writeln!(text, "  n = {}; x = n;", random.random_range(0..3));
    }
    for thread in 0..threads {
        let _ = writeln!(text, "  pthread_create(&t[{thread}], 0, t{thread}, 0);");
        if random.random_range(0..6) == 0 {
            let between = ["n = 1;".to_owned(), add(&mut random)];
            let _ = writeln!(text, "  {}", between[random.random_range(0..2)]);
        }
    }
    let first = random.random_range(0..threads);
    for number in 0..threads {
        let thread = (first + number) % threads;
        match random.random_range(0..6) {
            0 => {}
            1 => text.push_str("  while (!done) {}\n"),
            2 if thread == 0 => text.push_str("  while (!done) {}\n"),
            2 => {
                let _ =
                    writeln!(text, "  if (__VERIFIER_nondet_int()) pthread_join(t[{thread}], 0);");
            }
            _ => {
                let _ = writeln!(text, "  pthread_join(t[{thread}], 0);");
            }
        }
        if random.random_range(0..3) == 0 {
            let _ = writeln!(text, "  {}", add(&mut random));
        }
    }
    let sum = random.random_range(0..6);
    let _ = writeln!(text, "  while (__VERIFIER_nondet_int()) {{ if (x == {sum}) sink = y; }}");
    text.push_str("  if (x == y) sink = 2;\n  if (x + y < 3) sink = 1;\n  return 0;\n}\n");
    text
}
