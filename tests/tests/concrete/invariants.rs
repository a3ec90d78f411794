//! What the pass `invariants` says of random programs, against all their runs.

use rayon::iter::{IntoParallelIterator, ParallelIterator};
use sapa_ir::goto::Atomicity;
use sapa_ir::goto::interpret::{ExploreOptions, explore};
use sapa_passes::Pipeline;

use super::added::added;
use super::compare::{compile_with, number, seeds};
use super::features::CONCURRENT;
use super::scalars;
use super::template::Writer;

/// Each fact becomes an assertion at its place; a run in which one fails contradicts the pass. Before,
/// assertions of the programs are made to hold always, so that runs go on behind them.
pub fn invariants_hold_in_all_interleavings() {
    let found: Vec<Found> = seeds(60).into_par_iter().flat_map_iter(of_programs).collect();
    let facts: usize = found.iter().map(|found| found.facts).sum();
    let seen = found.iter().filter(|found| found.facts > 0 && found.all_runs).count();
    println!("{facts} facts; all runs of {seen} programs with facts were seen");
    let wrong: Vec<&String> = found.iter().filter_map(|found| found.wrong.as_ref()).collect();
    assert!(wrong.is_empty(), "{} are wrong: {}", wrong.len(), wrong[0]);
    assert!(facts > 100 && seen > 20, "the programs have too few facts");
}

/// What was found of a program.
struct Found {
    facts: usize,
    all_runs: bool,
    /// A fact that a run contradicts.
    wrong: Option<String>,
}

/// The programs of a seed, with both atomicities.
fn of_programs(seed: u64) -> Vec<Found> {
    let mut writer = Writer::new(seed, CONCURRENT);
    let (random, _) = scalars::program(seed);
    let sources = [writer.concurrent().source, random, counting(seed), counted(seed), added(seed)];
    let both = [Atomicity::Access, Atomicity::Statement];
    let of = |source: &str| both.map(|atomicity| against_all_runs(seed, source, atomicity));
    sources.iter().flat_map(|source| of(source)).collect()
}

fn against_all_runs(seed: u64, source: &str, atomicity: Atomicity) -> Found {
    let pipeline = |text: &str| Pipeline::parse(text).expect("the passes are there");
    let lowered = "inline,lower-sync,unreachable-blocks,mem2reg";
    let lowering = pipeline(if seed.is_multiple_of(2) { "default" } else { lowered });
    let mut module = compile_with(source, atomicity, lowering);
    pipeline("invariants").run(&mut module, &mut []).expect("the pass runs");
    let mut checked = module.clone();
    pipeline("assert-invariants").run(&mut checked, &mut []).expect("the pass runs");
    assert_eq!(sapa_ir::goto::verify(&checked), Ok(()), "{checked}");
    let options = ExploreOptions {
        max_states: number("SAPA_DIFFERENTIAL_STATES", 20_000) as usize,
        most_started: Some(4),
        ..ExploreOptions::default()
    };
    let runs = explore(&checked, &options);
    // An assertion that was said to hold, and fails, is one that is wrong, too.
    let failure = runs.failure.filter(|failure| failure.property.starts_with("invariant"));
    let told = |property: &str| format!("seed {seed}: {property}\n{source}\n{module}");
    Found {
        facts: module.invariants.len(),
        all_runs: runs.incomplete.is_none(),
        wrong: failure.map(|failure| told(&failure.property)),
    }
}

/// A program whose threads keep relations between counters, most of the time.
fn counting(seed: u64) -> String {
    use rand::rngs::SmallRng;
    use rand::{Rng, SeedableRng};
    use std::fmt::Write;

    let mut random = SmallRng::seed_from_u64(seed);
    // Of narrow ones some wrap.
    let ty = ["unsigned", "unsigned char", "signed char"][random.random_range(0..3)];
    let [a, b, c] = [(); 3].map(|()| [0, 0, 1, 3, 126, 254][random.random_range(0..6)]);
    let mut text = format!(
        "#include <pthread.h>\n{ty} a = {a}, b = {b}, c = {c};\nunsigned char d;\n\
         pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;\n",
    );
    let templates = random.random_range(1..3);
    let statement = |random: &mut SmallRng| {
        let variable = ["a", "b", "c", "d", "l"][random.random_range(0..5)];
        let other = ["a", "b", "c", "d", "l", "1", "2"][random.random_range(0..7)];
        let stride = random.random_range(2..6);
        match random.random_range(0..14) {
            8 => format!("{variable} += {stride};"),
            9 => format!("if (({ty})({variable} - {other}) < {stride}) {variable}++;"),
            10 => format!("if ({variable} + {other} <= {stride}) {variable} += 2;"),
            11 => format!("{variable} = {other} % {stride};"),
            12 => format!("{variable} = {other} / {stride} * {stride};"),
            13 => format!("if ({variable} != {other}) {variable}--;"),
            0 => format!("{variable} = {other};"),
            1 => format!("if ({variable} < 3) {variable}++;"),
            2 => format!("if ({variable} == {other}) {variable} += 2;"),
            3 => format!("{variable} -= {other};"),
            4 => format!("{variable} += 2;"),
            _ => format!("{variable}++;"),
        }
    };
    for template in 0..templates {
        let _ = writeln!(text, "void *t{template}(void *p) {{\n  unsigned l = 0;");
        let is_loop = random.random_range(0..3) == 0;
        if is_loop {
            let _ = writeln!(text, "  while (__VERIFIER_nondet_int() && l < 3) {{\n  l++;");
        }
        for _ in 0..random.random_range(1..3) {
            let (begin, end) = [
                ("__CPROVER_atomic_begin();", "__CPROVER_atomic_end();"),
                ("pthread_mutex_lock(&m);", "pthread_mutex_unlock(&m);"),
                ("pthread_mutex_lock(&n);", "pthread_mutex_unlock(&n);"),
                ("", ""),
            ][random.random_range(0..4)];
            let _ = writeln!(text, "  {begin}");
            for _ in 0..random.random_range(1..4) {
                let _ = writeln!(text, "  {}", statement(&mut random));
            }
            if random.random_range(0..2) == 0 {
                let [u, v] = [(); 2].map(|()| ["a", "b", "c", "d"][random.random_range(0..4)]);
                let number = random.random_range(0..5);
                let claim = match random.random_range(0..8) {
                    5 => format!("{u} % 3 == {number} % 3"),
                    6 => format!("({ty})({u} - {v}) <= {number}"),
                    7 => format!("{u} + {v} <= {number}"),
                    0 => format!("{u} < {v}"),
                    1 => format!("{u} <= {v}"),
                    2 => format!("{u} <= {number}"),
                    3 => format!("{u} >= {number}"),
                    _ => "a + b >= c || d < 2".to_owned(),
                };
                let _ = writeln!(text, "  __CPROVER_assert({claim}, \"claim\");");
            }
            let _ = writeln!(text, "  {end}");
        }
        if is_loop {
            let _ = writeln!(text, "  }}");
        }
        let _ = writeln!(text, "  return 0;\n}}");
    }
    let _ = writeln!(text, "int main(void) {{\n  pthread_t t;\n  unsigned l = 0;");
    for _ in 0..random.random_range(0..3) {
        let _ = writeln!(text, "  {}", statement(&mut random));
    }
    for _ in 0..random.random_range(1..3) {
        let template = random.random_range(0..templates);
        let _ = writeln!(text, "  pthread_create(&t, 0, t{template}, 0);");
        if random.random_range(0..2) == 0 {
            let _ = writeln!(text, "  {}", statement(&mut random));
        }
    }
    let _ = writeln!(text, "  while (__VERIFIER_nondet_int()) {{ l = a; }}\n  return 0;\n}}");
    text
}

/// A program that starts threads without end, which are counted: by one variable when they enter and by another a step
/// later, by semaphores, by whether a compare-and-exchange came in time, and until a flag is set.
fn counted(seed: u64) -> String {
    use rand::rngs::SmallRng;
    use rand::{Rng, SeedableRng};
    use std::fmt::Write;

    let mut random = SmallRng::seed_from_u64(seed);
    let ty = ["unsigned", "int", "unsigned char", "signed char"][random.random_range(0..4)];
    let [a, b] = [(); 2].map(|()| [0, 0, 0, 1, 2, 126, 254][random.random_range(0..7)]);
    let mut text = format!(
        "#include <pthread.h>\n#include <semaphore.h>\n{ty} a = {a}, b = {b}, c, flag;\nsem_t s;\n",
    );
    let templates = random.random_range(1..3);
    let enter = |random: &mut SmallRng, x: &str| {
        let most = random.random_range(1..4);
        match random.random_range(0..8) {
            0 => format!("__CPROVER_assume({x} < {most}); {x}++;"),
            1 => format!("if ({x} < {most}) {{ {x}++; took = 1; }}"),
            2 => format!("if (!flag) {{ {x}++; took = 1; }}"),
            3 => format!("if (__sync_bool_compare_and_swap(&{x}, {most} - 1, {most})) took = 1;"),
            4 => format!("if (__sync_fetch_and_add(&{x}, 1) == {most}) took = 1;"),
            5 => format!("if (__sync_lock_test_and_set(&flag, 0) == 1) took = 1; {x}++;"),
            6 => "sem_wait(&s);".to_owned(),
            _ => format!("{x}++;"),
        }
    };
    let leave = |random: &mut SmallRng, x: &str| match random.random_range(0..6) {
        0 => format!("if (took) {x}--;"),
        1 => format!("if ({x} > 0) {x}--;"),
        2 => "sem_post(&s);".to_owned(),
        3 => format!("if (!--{x}) flag = 1;"),
        4 => format!("__sync_fetch_and_sub(&{x}, 1);"),
        _ => format!("{x}--;"),
    };
    for template in 0..templates {
        let _ = writeln!(text, "void *t{template}(void *p) {{\n  int took = 0;");
        let is_loop = random.random_range(0..4) == 0;
        if is_loop {
            let _ = writeln!(text, "  while (__VERIFIER_nondet_int()) {{");
        }
        let entered: Vec<&str> = (0..random.random_range(1..4))
            .map(|_| ["a", "b", "c"][random.random_range(0..3)])
            .collect();
        let mut section = |step: String| {
            let is_one = random.random_range(0..4) > 0;
            let (begin, end) = if is_one {
                ("__CPROVER_atomic_begin(); ", " __CPROVER_atomic_end();")
            } else {
                ("", "")
            };
            let _ = writeln!(text, "  {begin}{step}{end}");
        };
        let mut steps = SmallRng::seed_from_u64(seed ^ (template + 1));
        for x in &entered {
            section(enter(&mut steps, x));
        }
        if steps.random_range(0..4) == 0 {
            section("flag = 1;".to_owned());
        }
        for x in entered.iter().rev() {
            if steps.random_range(0..4) > 0 {
                section(leave(&mut steps, x));
            }
        }
        let _ = writeln!(text, "{}  return 0;\n}}", if is_loop { "  }\n" } else { "" });
    }
    let tokens = random.random_range(0..3);
    let _ = writeln!(text, "int main(void) {{\n  pthread_t t;\n  sem_init(&s, 0, {tokens});");
    let _ = writeln!(text, "  flag = {};\n  while (1) {{", random.random_range(0..2));
    for template in 0..templates {
        let _ = writeln!(text, "    pthread_create(&t, 0, t{template}, 0);");
    }
    let _ = writeln!(text, "  }}\n}}");
    text
}
