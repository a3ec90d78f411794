//! End to end: C programs with the verdicts that they must get.
//!
//! `Sound` expectations are about soundness: any other verdict than the one
//! named is wrong or a loss that the README promises not to happen.

use std::path::PathBuf;

use sapa_backend::abstraction::{self, Mode};
use sapa_backend::cegar::{self, Silent, Verdict};
use sapa_backend::check::{EngineKind, ThreadBound};
use sapa_ir::goto::{Atomicity, SignedOverflow};
use sapa_limits::Limits;
use sapa_passes::{DEFAULT_PIPELINE, Pipeline};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Expected {
    Successful,
    Failed,
    Inconclusive,
}
use Expected::{Failed, Inconclusive, Successful};

struct Run {
    threads: ThreadBound,
    atomicity: Atomicity,
    overflow: SignedOverflow,
    mode: Mode,
    engine: EngineKind,
    max_cube_length: usize,
    /// To begin with.
    predicates: Vec<String>,
}

fn bounded(n: u32) -> Run {
    Run {
        threads: ThreadBound::Bounded(n),
        atomicity: Atomicity::Access,
        overflow: SignedOverflow::Wrap,
        mode: Mode::SymmetryAware,
        engine: EngineKind::Auto,
        max_cube_length: abstraction::Options::default().max_cube_length,
        predicates: Vec::new(),
    }
}

fn unbounded() -> Run {
    Run { threads: ThreadBound::Unbounded, ..bounded(0) }
}

fn check_file(path: PathBuf, run: &Run) -> Verdict {
    judge(path, run).0
}

/// The verdict on a program, and the assumptions that it is given with.
fn judge(path: PathBuf, run: &Run) -> (Verdict, Vec<String>) {
    let options =
        sapa_frontend::Options { atomicity: run.atomicity, ..sapa_frontend::Options::default() };
    let mut module = match sapa_frontend::compile(&[path], &options) {
        Ok(compiled) => compiled.module,
        Err(errors) => {
            panic!("{}", errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))
        }
    };
    module.signed_overflow = run.overflow;
    let pipeline = Pipeline::parse(DEFAULT_PIPELINE).expect("the default pipeline");
    // What a pass or the backend cannot treat ends without an answer.
    if let Err(error) = pipeline.run(&mut module, &mut []) {
        return (Verdict::Inconclusive(error.to_string()), Vec::new());
    }
    let given = sapa_frontend::predicates::parse(&module, &run.predicates.join("\n"), "given");
    module.predicates.extend(given.expect("the predicates fit"));
    let options = cegar::Options {
        threads: run.threads,
        engine: run.engine,
        abstraction: abstraction::Options { mode: run.mode, max_cube_length: run.max_cube_length },
        iterations: 30,
        limits: Limits::default(),
        max_states: None,
    };
    match cegar::run(&mut module, options, &mut Silent) {
        Ok(report) => (report.verdict, report.notes),
        Err(error) => (Verdict::Inconclusive(error.to_string()), Vec::new()),
    }
}

fn expect(verdict: &Verdict, expected: Expected, what: &str) {
    let found = match verdict {
        Verdict::Successful(_) => Successful,
        Verdict::Failed(_) => Failed,
        Verdict::Inconclusive(_) => Inconclusive,
    };
    assert_eq!(found, expected, "{what}: {verdict:?}");
}

fn check(source: &str, run: &Run, expected: Expected) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("a.c");
    std::fs::write(&path, source).expect("the file is written");
    expect(&check_file(path, run), expected, source);
}

fn paper(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../benchmarks/programs/sapa").join(name)
}

#[test]
fn the_papers_small_programs() {
    expect(&check_file(paper("p.c"), &bounded(1)), Successful, "P, 1 thread");
    expect(&check_file(paper("p.c"), &bounded(2)), Failed, "P, 2 threads");
    expect(&check_file(paper("p_prime.c"), &bounded(2)), Failed, "P', 2 threads");
    let run = Run { overflow: SignedOverflow::Absent, ..unbounded() };
    expect(&check_file(paper("p_double_prime.c"), &run), Successful, "P''");
}

/// `benchmarks/programs/literature`: the name says what the verdict is. Two threads, three for the
/// broken ones.
#[test]
fn programs_from_the_literature() {
    let folder = paper("../literature");
    let mut names: Vec<PathBuf> = std::fs::read_dir(&folder)
        .expect("the folder is there")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    names.sort();
    assert!(names.len() >= 48);
    for file in names.into_iter().filter(|file| file.extension().is_some_and(|e| e == "c")) {
        let name = file.display().to_string();
        let safe = name.ends_with("_safe.c");
        let run = bounded(if safe { 2 } else { 3 });
        expect(&check_file(file, &run), if safe { Successful } else { Failed }, &name);
    }
}

/// The first line of each program of `files/verdicts`: `// VERDICT threads=N`, and options.
fn header(line: &str) -> (Expected, Run) {
    let mut words = line.trim_start_matches("//").split_whitespace();
    let expected = match words.next() {
        Some("SUCCESSFUL") => Successful,
        Some("FAILED") => Failed,
        Some("INCONCLUSIVE") => Inconclusive,
        other => panic!("a verdict, not {other:?}"),
    };
    let mut run = bounded(0);
    let number = |text: &str| text.parse().expect("a number");
    for word in words {
        match word.split_once('=') {
            Some(("threads", n)) => run.threads = ThreadBound::Bounded(number(n)),
            Some(("cubes", n)) => run.max_cube_length = number(n) as usize,
            Some(("predicates", list)) => {
                run.predicates = list.split(';').map(str::to_owned).collect();
            }
            None if word == "statement" => run.atomicity = Atomicity::Statement,
            None if word == "explicit" => run.engine = EngineKind::Explicit,
            None if word == "oblivious" => run.mode = Mode::SymmetryOblivious { threads: 0 },
            _ => panic!("an option, not {word}"),
        }
    }
    (expected, run)
}

/// Programs that were judged wrongly once, or nearly so. `// NOTE assuming …`: the verdict says this.
#[test]
fn programs_with_their_verdicts() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("files/verdicts");
    let mut files: Vec<PathBuf> = std::fs::read_dir(&folder)
        .expect("the folder is there")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    files.sort();
    assert!(files.len() >= 31);
    for file in files {
        let text = std::fs::read_to_string(&file).expect("it is read");
        let (expected, run) = header(text.lines().next().unwrap_or_default());
        let name = file.display().to_string();
        let (verdict, notes) = judge(file, &run);
        expect(&verdict, expected, &name);
        for note in text.lines().filter_map(|line| line.strip_prefix("// NOTE ")) {
            assert!(notes.iter().any(|other| other == note), "{name}: {notes:?}");
        }
    }
}

#[test]
fn the_lock_based_counter() {
    expect(&check_file(paper("increment_lock_safe.c"), &unbounded()), Successful, "safe counter");
    expect(&check_file(paper("increment_lock_safe.c"), &bounded(2)), Successful, "safe counter");
    let statements = Run { atomicity: Atomicity::Statement, ..bounded(2) };
    expect(&check_file(paper("increment_lock_safe.c"), &statements), Successful, "safe counter");
    expect(&check_file(paper("increment_lock_unsafe.c"), &bounded(2)), Failed, "broken counter");
}

/// SAPA section 1.1: a mixed predicate in a local variable misses the failure of P, one in a
/// shared variable that of P'; with broadcasts neither is missed.
#[test]
fn the_baselines_are_unsound_where_the_paper_says() {
    // The paper's predicates: refinement would find others.
    let programs: [(&str, &'static [&'static str], Expected, Expected); 2] = [
        ("p.c", &["s == l"], Successful, Failed),
        ("p_prime.c", &["s == l", "t != 0"], Failed, Successful),
    ];
    for (name, predicates, local, shared) in programs {
        for (mode, expected) in [
            (Mode::SymmetryAware, Failed),
            (Mode::MixedAsLocal, local),
            (Mode::MixedAsShared, shared),
            (Mode::SymmetryOblivious { threads: 2 }, Failed),
        ] {
            let predicates = predicates.iter().map(ToString::to_string).collect();
            let run = Run { mode, predicates, ..bounded(2) };
            expect(&check_file(paper(name), &run), expected, &format!("{name}, {mode:?}"));
        }
    }
}

/// The expanded program is not symmetric, so that few threads are enough of a test.
#[test]
fn the_symmetry_oblivious_baseline() {
    let mode = Mode::SymmetryOblivious { threads: 2 };
    for name in ["increment_lock", "increment_cas", "tas_lock", "findmax_cas", "ticket_lock"] {
        for engine in [EngineKind::Explicit, EngineKind::Auto] {
            let run = Run { mode, engine, ..bounded(2) };
            let safe = check_file(paper(&format!("{name}_safe.c")), &run);
            expect(&safe, Successful, &format!("{name}_safe, {engine:?}"));
        }
    }
    for (name, threads) in [("increment_lock", 2), ("incdec_cas", 3), ("findmaxopt_cas", 1)] {
        let mode = Mode::SymmetryOblivious { threads };
        let run = Run { mode, ..bounded(threads) };
        let file = paper(&format!("{name}_unsafe.c"));
        let broken = check_file(file, &Run { engine: EngineKind::Explicit, ..run });
        expect(&broken, Failed, &format!("{name}_unsafe"));
    }
}

/// Those of the 28 that take less than a second; the whole table is
/// `cargo run --release -p sapa-benchmarks -- programs`.
#[test]
fn the_papers_programs() {
    for name in ["increment_cas", "tas_lock", "prng_lock", "findmax_lock", "findmaxopt_lock"] {
        expect(&check_file(paper(&format!("{name}_safe.c")), &unbounded()), Successful, name);
    }
    for name in ["incdec_lock", "prng_cas", "stack_lock", "ticket_lock"] {
        expect(&check_file(paper(&format!("{name}_safe.c")), &bounded(2)), Successful, name);
    }
    for (name, threads) in [
        ("findmax_cas", 2),
        ("findmax_lock", 2),
        ("findmaxopt_cas", 1),
        ("findmaxopt_lock", 2),
        ("incdec_cas", 3),
        ("incdec_lock", 3),
        ("increment_cas", 2),
        ("prng_lock", 2),
        ("stack_lock", 4),
        ("tas_lock", 2),
        ("ticket_lock", 3),
    ] {
        let file = paper(&format!("{name}_unsafe.c"));
        expect(&check_file(file, &bounded(threads)), Failed, name);
    }
}

/// The symbolic engine gives the same answers.
#[test]
fn the_plain_engine() {
    for (name, expected) in [("tas_lock_safe.c", Successful), ("tas_lock_unsafe.c", Failed)] {
        let verdict = check_file(paper(name), &Run { engine: EngineKind::Plain, ..bounded(2) });
        expect(&verdict, expected, name);
    }
}

#[test]
fn sequential_programs() {
    let cases = [
        (
            "int x = 3; int main(void) { int y = x * 2 + 1; __CPROVER_assert(y == 7, \"\"); }",
            Successful,
        ),
        (
            "int x = 3; int main(void) { int y = x * 2 + 1; __CPROVER_assert(y != 7, \"\"); }",
            Failed,
        ),
        (
            "int main(void) { unsigned char c = 255; c++; __CPROVER_assert(c == 0, \"\"); }",
            Successful,
        ),
        ("int main(void) { signed char c = 127; c++; __CPROVER_assert(c < 0, \"\"); }", Successful),
        (
            "int main(void) { int a[3] = {1, 2}; __CPROVER_assert(a[0] + a[1] + a[2] == 3, \"\"); }",
            Successful,
        ),
        (
            "struct s { char a; int b; } g; int main(void) { g.b = 5; g.a = 1; __CPROVER_assert(g.b == 5, \"\"); }",
            Successful,
        ),
        (
            "int f(int n) { return n > 2 ? n - 1 : n; } int main(void) { __CPROVER_assert(f(f(4)) == 2, \"\"); }",
            Successful,
        ),
        (
            "int g; int main(void) { int *p = &g; *p = 4; __CPROVER_assert(g == 4, \"\"); }",
            Successful,
        ),
        ("int g; int main(void) { int *p = &g; *p = 4; __CPROVER_assert(g == 5, \"\"); }", Failed),
        ("int main(void) { int x; __CPROVER_assert(x != 42, \"\"); }", Failed),
        (
            "int main(void) { int x; if (x > 3) { x = x - 1; __CPROVER_assert(x > 2, \"\"); } }",
            Successful,
        ),
        (
            "int main(void) { int i = 0; while (i < 3) i++; __CPROVER_assert(i == 3, \"\"); }",
            Successful,
        ),
        (
            "int main(void) { int x, r = 0; switch (x) { case 1: r = 1; case 2: r += 2; break; default: r = 9; }\n\
             __CPROVER_assert(x != 1 || r == 3, \"\"); __CPROVER_assert(x != 2 || r == 2, \"\"); }",
            Successful,
        ),
        // The type of a choice does not depend on the arm; the type of an enumerator holds its value.
        ("int main(void) { __CPROVER_assert(!((1 ? -1 : 0u) < 0), \"\"); }", Successful),
        ("enum { A = 0x80000000u }; int main(void) { __CPROVER_assert(A > 0, \"\"); }", Successful),
        (
            "union u { int a; char b; } g[2] = {1, 2}; int main(void) { __CPROVER_assert(g[1].a == 2, \"\"); }",
            Successful,
        ),
        // A weak exchange may fail.
        (
            "int x; int main(void) { int e = 0; __CPROVER_assert(__atomic_compare_exchange_n(&x, &e, 1, 1, 5, 5), \"\"); }",
            Failed,
        ),
        (
            "int x; int main(void) { int e = 0; __CPROVER_assert(__atomic_compare_exchange_n(&x, &e, 1, 0, 5, 5), \"\"); }",
            Successful,
        ),
    ];
    for (source, expected) in cases {
        check(&format!("void __CPROVER_assert(int, char *);\n{source}"), &bounded(1), expected);
    }
}

const THREADS: &str = "#include <assert.h>\n#include <pthread.h>\n\
     void __CPROVER_assume(int); void __CPROVER_atomic_begin(void); void __CPROVER_atomic_end(void);\n";

/// Two threads, on the interleavings that matter.
#[test]
fn interleavings() {
    let start = "int main(void) { pthread_t p, q; pthread_create(&p, 0, t, 0); pthread_create(&q, 0, u, 0); }";
    let cases = [
        // A lost update: the increment is two accesses.
        (
            "int x; void *t(void *a) { x++; assert(x != 0); return 0; }\
          void *u(void *a) { int v = x; x = 0; return 0; }",
            Failed,
        ),
        (
            "int x, a, b; void *t(void *p) { x = x + 1; a = 1; assert(!(a && b) || x == 2); return 0; }\
          void *u(void *p) { x = x + 1; b = 1; assert(!(a && b) || x == 2); return 0; }",
            Failed,
        ),
        (
            "int x, a, b; void *t(void *p) { __sync_fetch_and_add(&x, 1); a = 1; assert(!(a && b) || x == 2); return 0; }\
          void *u(void *p) { __sync_fetch_and_add(&x, 1); b = 1; assert(!(a && b) || x == 2); return 0; }",
            Successful,
        ),
        // Store buffering is impossible under sequential consistency.
        (
            "int x, y, r = 1, s = 1, d, e; void *t(void *a) { x = 1; r = y; d = 1; assert(!(d && e) || r || s); return 0; }\
          void *u(void *a) { y = 1; s = x; e = 1; assert(!(d && e) || r || s); return 0; }",
            Successful,
        ),
        // Message passing.
        (
            "int data, flag; void *t(void *a) { data = 7; flag = 1; return 0; }\
          void *u(void *a) { if (flag) assert(data == 7); return 0; }",
            Successful,
        ),
        (
            "int data, flag; void *t(void *a) { flag = 1; data = 7; return 0; }\
          void *u(void *a) { if (flag) assert(data == 7); return 0; }",
            Failed,
        ),
        // A mutex keeps the others out, also from the middle of a section.
        (
            "pthread_mutex_t m; int in; void *t(void *a) { pthread_mutex_lock(&m); in = 1; in = 0; pthread_mutex_unlock(&m); return 0; }\
          void *u(void *a) { pthread_mutex_lock(&m); assert(in == 0); pthread_mutex_unlock(&m); return 0; }",
            Successful,
        ),
        (
            "pthread_mutex_t m; int in; void *t(void *a) { pthread_mutex_lock(&m); in = 1; in = 0; pthread_mutex_unlock(&m); return 0; }\
          void *u(void *a) { assert(in == 0); return 0; }",
            Failed,
        ),
        // Atomic sections are not interrupted.
        (
            "int x; void *t(void *a) { __CPROVER_atomic_begin(); x = 1; x = 0; __CPROVER_atomic_end(); return 0; }\
          void *u(void *a) { assert(x == 0); return 0; }",
            Successful,
        ),
        // Arguments of threads are any values to the abstraction, their own to a run.
        (
            "int g; void *t(void *a) { g = 1; return 0; } void *u(void *a) { int l = g; assert(g >= l); return 0; }",
            Successful,
        ),
        (
            "int g; void *t(void *a) { g = 1; return 0; } void *u(void *a) { int l = g; assert(g == l); return 0; }",
            Failed,
        ),
    ];
    for (threads, expected) in cases {
        check(&format!("{THREADS}{threads}\n{start}"), &bounded(2), expected);
    }
}

/// A write is seen by others even if the thread that made it is cut off, or ends the program,
/// before the next visible step.
#[test]
fn what_is_done_before_the_end_of_a_run_is_seen() {
    for ending in
        ["__CPROVER_assume(l != l);", "abort();", "__builtin_unreachable();", "b[l + 7] = 1;"]
    {
        let source = format!(
            "#include <assert.h>\n#include <pthread.h>\n#include <stdlib.h>\n\
             void __CPROVER_assume(int);\nint x;\n\
             void *t0(void *a) {{ assert(x == 0); return 0; }}\n\
             void *t1(void *a) {{ int l = 0, b[2]; x = 1; {ending} return 0; }}\n\
             int main(void) {{ pthread_t h; pthread_create(&h, 0, t0, 0); pthread_create(&h, 0, t1, 0); }}"
        );
        check(&source, &bounded(2), Failed);
    }
    check(
        "#include <assert.h>\n#include <pthread.h>\nvoid __CPROVER_assume(int);\n\
         void *t(void *a) { assert(0); return 0; }\n\
         int main(void) { pthread_t h; int l = 0; pthread_create(&h, 0, t, 0); __CPROVER_assume(l != l); }",
        &bounded(1),
        Failed,
    );
}

#[test]
fn statements_are_steps_on_demand() {
    let source = format!(
        "{THREADS}int x, d; void *t(void *a) {{ x++; d++; return 0; }}\n\
         int main(void) {{ pthread_t p; pthread_create(&p, 0, t, 0); pthread_create(&p, 0, t, 0); int e = d; assert(e != 2 || x == 2); }}"
    );
    check(&source, &bounded(2), Failed);
    check(&source, &Run { atomicity: Atomicity::Statement, ..bounded(2) }, Successful);
}
