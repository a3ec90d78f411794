//! Random programs that use memory rightly and wrongly: what the properties `pointers` and `leaks` say of them, against all runs
//! of the interpreter, which sees by itself whether an access is to an object that exists.

use std::fmt::Write;
use std::time::{Duration, Instant};

use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};
use rayon::iter::{IntoParallelIterator, ParallelIterator};
use sapa_backend::cegar::{Silent, Verdict};
use sapa_backend::check::ThreadBound;
use sapa_driver::{Options, Program};
use sapa_ir::goto::Atomicity;
use sapa_limits::Limits;
use sapa_passes::{Pipeline, Properties};

use super::compare::{all_runs, compile_with, seeds};

#[derive(Default)]
struct Found {
    invalid: bool,
    proved: bool,
    failed: bool,
    wrong: Option<String>,
}

pub fn memory_is_used_rightly_where_that_is_proved() {
    let found: Vec<Found> = seeds(60).into_par_iter().map(of_program).collect();
    let count = |is: fn(&Found) -> bool| found.iter().filter(|found| is(found)).count();
    let (invalid, proved) = (count(|found| found.invalid), count(|found| found.proved));
    let failed = count(|found| found.failed);
    println!("{invalid} use memory wrongly, {failed} were found to, {proved} proved");
    let wrong: Vec<&String> = found.iter().filter_map(|found| found.wrong.as_ref()).collect();
    assert!(wrong.is_empty(), "{} are wrong: {}", wrong.len(), wrong[0]);
    assert!(failed > 10 && proved > 10, "the programs have too little to say");
}

fn of_program(seed: u64) -> Found {
    let source = program(seed);
    let lowered = Pipeline::parse("lower-sync,unreachable-blocks,mem2reg").expect("the pipeline");
    let runs = all_runs(&compile_with(&source, Atomicity::Access, lowered), Some(2));
    let options = Options {
        properties: Properties::named(["pointers"]).expect("there is one"),
        threads: ThreadBound::Bounded(2),
        limits: Limits::new(Instant::now(), Some(Duration::from_secs(5)), Some(2 << 30)),
        ..Options::default()
    };
    let checked = Program::compile_bytes("a.c", source.as_bytes(), &options)
        .and_then(|program| program.check(&options, &mut Silent));
    let verdict = checked.map(|checked| checked.report.verdict);
    let (failed, proved) = match &verdict {
        Ok(Verdict::Failed(_)) => (true, false),
        Ok(Verdict::Successful(_)) => (false, true),
        _ => (false, false),
    };
    let is_whole = runs.incomplete.is_none();
    let wrong = match (failed, proved) {
        (true, _) if is_whole && !runs.invalid_access => Some("no run is wrong, and it fails"),
        (_, true) if runs.invalid_access => Some("a run is wrong, and it is proved"),
        _ => None,
    };
    Found {
        invalid: runs.invalid_access,
        proved,
        failed,
        wrong: wrong.map(|what| format!("seed {seed}: {what}\n{source}")),
    }
}

/// A program of two threads over pointers that they share, and one of each thread's own.
fn program(seed: u64) -> String {
    let mut random = SmallRng::seed_from_u64(seed);
    let mut text = "#include <pthread.h>\n#include <stdlib.h>\n\
                    #define IS_VARIABLE(r) ((r) == a || (r) == a + 1 || (r) == a + 2 || (r) == &x)\n\
                    int *p, *q, a[2], x;\npthread_mutex_t m;\n\
                    int *local(int n) { int own = n; int *at = &own; return n > 1 ? at : a; }\n"
        .to_owned();
    for name in ["other", "body"] {
        let _ = writeln!(text, "void {name}(void) {{\n    int *own = &x;");
        let is_locked = random.random_bool(0.5);
        if is_locked {
            text.push_str("    pthread_mutex_lock(&m);\n");
        }
        for _ in 0..random.random_range(2..5) {
            let _ = writeln!(text, "    {}", statement(&mut random));
        }
        if is_locked {
            text.push_str("    pthread_mutex_unlock(&m);\n");
        }
        text.push_str("}\n");
    }
    text.push_str(
        "void *run(void *unused) { other(); return 0; }\n\
         int main(void) {\n    pthread_t t;\n    p = malloc(8);\n    q = a;\n",
    );
    if random.random_bool(0.6) {
        text.push_str("    pthread_create(&t, 0, run, 0);\n    body();\n    pthread_join(t, 0);\n");
    } else {
        text.push_str("    body();\n    other();\n");
    }
    text.push_str("    return 0;\n}\n");
    text
}

fn statement(random: &mut SmallRng) -> String {
    let pointers = ["p", "q", "own"];
    let one = pointers[random.random_range(0..3)];
    let other = pointers[random.random_range(0..3)];
    let number = random.random_range(0..3);
    match random.random_range(0..12) {
        0 => format!("{one} = malloc({});", 4 * number),
        // That a variable is freed is nothing that the interpreter sees: passes make variables of allocations.
        1 => format!("{{ int *r = {one}; if (!IS_VARIABLE(r)) {{ free(r); {one} = 0; }} }}"),
        2 => format!("{{ int *r = {one}; if (!IS_VARIABLE(r)) free(r); }}"),
        3 => format!("{one} = {other};"),
        4 => format!("{one} = &a[{number}];"),
        5 => format!("if ({one}) *{one} = {number};"),
        6 => format!("*{one} = {number};"),
        7 => format!("x = {one} ? {one}[{}] : 1;", number / 2),
        8 => format!("own = local({number});"),
        9 => format!("{one} = 0;"),
        10 => format!("if (x == {number}) {one} = &x;"),
        _ => format!("if ({one} == {other}) x = *{other};"),
    }
}
