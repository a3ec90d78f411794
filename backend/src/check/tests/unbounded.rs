//! Programs from the papers and of like kind, for any number of threads.

use sapa_ir::boolean::flatten::{FlattenOptions, flatten};
use sapa_ir::boolean::parser::parse;

use crate::check::*;

/// A `main` that starts threads running `worker` for ever.
fn many(globals: &str, worker: &str) -> String {
    format!(
        "{globals} void worker() begin {worker} end
         void main() begin while 1 do start_thread worker() od end"
    )
}

fn run(engine: &'static Engine, text: &str) -> Outcome {
    let program = flatten(&parse(text).unwrap(), &FlattenOptions::default()).unwrap();
    let mut options = CheckOptions::new(ThreadBound::Unbounded);
    options.max_states = Some(100_000);
    check(engine, &program, &options, &mut |_| {})
}

#[track_caller]
fn proves(engine: &'static Engine, text: &str) {
    let outcome = run(engine, text);
    let proved = matches!(outcome.answer, Answer::Safe { threads: SafeFor::AllThreads, .. });
    assert!(proved, "{engine:?}: {outcome:?}");
}

/// The engine finds a run in which at most this many threads live at once, the initial included.
#[track_caller]
fn refutes(text: &str, living: usize) {
    let outcome = run(&coverability::ENGINE, text);
    let Answer::Failing { trace, .. } = outcome.answer else { panic!("{outcome:?}") };
    let most = trace.steps.iter().map(|step| step.state.threads.len()).max();
    assert_eq!(most, Some(living));
}

/// The engine finds a run, too.
#[track_caller]
fn finds(engine: &'static Engine, text: &str) {
    let outcome = run(engine, text);
    assert!(matches!(outcome.answer, Answer::Failing { .. }), "{engine:?}: {outcome:?}");
}

#[track_caller]
fn too_coarse(engine: &'static Engine, text: &str) {
    let outcome = run(engine, text);
    let imprecise = matches!(outcome.answer, Answer::Imprecise(_));
    assert!(imprecise, "{engine:?}: {outcome:?}");
}

const BOTH: [&Engine; 2] = [&thread_modular::ENGINE, &coverability::ENGINE];

/// BOPPO Fig. 4: provable thread by thread only with lock sets.
#[test]
fn a_lock_protects_its_variable() {
    let body = |release: &str| {
        many("decl g := 0, l := 0;", &format!("lock l; assert(!g); g := 1; g := 0; {release}"))
    };
    for engine in BOTH {
        proves(engine, &body("unlock l"));
    }
    let unlocked = many("decl g := 0;", "assert(!g); g := 1; g := 0");
    refutes(&unlocked, 3);
}

#[test]
fn a_lock_that_others_release_protects_nothing() {
    let text = many(
        "decl g := 0, l := 0;",
        "if * then unlock l else lock l; assert(!g); g := 1; g := 0; unlock l fi",
    );
    finds(&thread_modular::ENGINE, &text);
    refutes(&text, 3);
}

#[test]
fn a_lock_that_others_set_free_protects_nothing() {
    let text = many(
        "decl g := 0, l := 0;",
        "if * then l := 0 else lock l; assert(!g); g := 1; g := 0; unlock l fi",
    );
    finds(&thread_modular::ENGINE, &text);
    refutes(&text, 3);
}

#[test]
fn atomic_sections_hide_what_happens_inside() {
    let body = "atomic_begin; g := 1; g := 0; atomic_end; assert(!g)";
    for engine in BOTH {
        proves(engine, &many("decl g := 0;", body));
    }
    let leaves_it = "assert(!g); atomic_begin; g := 0; g := 1; atomic_end";
    finds(&thread_modular::ENGINE, &many("decl g := 0;", leaves_it));
    refutes(&many("decl g := 0;", leaves_it), 2);
}

/// BOPPO Remark 1: nobody interferes before the first thread is started.
#[test]
fn initialisation_is_undisturbed() {
    let text = "decl g := 0;
        void worker() begin g := 0 end
        void main() begin
          g := 1; assert(g);
          while 1 do start_thread worker() od
        end";
    for engine in BOTH {
        proves(engine, text);
    }
}

/// SAPA section 1, program P with its predicate s != l: passive threads must be told of `++s`.
#[test]
fn broadcasts_reach_passive_threads() {
    let told = "assert(b); b, [b] := choose(0, !b) | b & *, choose(0, 0)";
    let untold = "assert(b); b := b & *";
    refutes(&many("decl thread_local b := 1;", told), 2);
    for engine in BOTH {
        proves(engine, &many("decl thread_local b := 1;", untold));
    }
}

/// SAPA's P'': only the first thread enters `f`, where it increments s and its l together. Two
/// threads there would make s and l differ; but `r0` is claimed once, and no two hold it.
const FIRST_THREAD_ONLY: &str = "r0, r1 := 0, r0;
    if r1 then
      f: b, [b] := b, choose(0, [b]);
      assert(b);
      goto f
    fi";

#[test]
fn what_is_claimed_once_has_one_holder() {
    let body = FIRST_THREAD_ONLY;
    let text = many("decl r0 := 1, r1 := 0; decl thread_local b := 1;", body);
    for engine in BOTH {
        proves(engine, &text);
    }
    // If r may wrap around, a second thread enters.
    let body = body.replace("r0, r1 := 0, r0", "r0, r1 := *, r0");
    let text = many("decl r0 := 1, r1 := 0; decl thread_local b := 1;", &body);
    refutes(&text, 3);
}

/// Each thread starts the next one as its last step, so that one is there at a time.
#[test]
fn pairs_prove_what_single_threads_cannot() {
    let text = "decl g := 0;
        void worker() begin assert(!g); g := 1; g := 0; start_thread worker() end
        void main() begin start_thread worker() end";
    proves(&coverability::ENGINE, text);
    too_coarse(&thread_modular::ENGINE, text);
}

/// A counter of three shared bits that every thread increases once.
#[test]
fn failures_that_need_many_threads_are_found() {
    let body = "c2, c1, c0 := c2 ^ (c1 & c0), c1 ^ c0, !c0 constrain !d;
        atomic_begin; d := 1; assert(!(c2 & !c1 & c0)); d := 0; atomic_end;
        while 1 do skip od";
    // Every thread counts once and stays; five must.
    refutes(&many("decl c2 := 0, c1 := 0, c0 := 0, d := 0;", body), 6);
}

#[test]
fn a_bound_is_respected() {
    let text = many("decl g := 0;", "assert(!g); g := 1; g := 0");
    let program = flatten(&parse(&text).unwrap(), &FlattenOptions::default()).unwrap();
    for (others, fails) in [(1, false), (2, true)] {
        let mut options = CheckOptions::new(ThreadBound::Bounded(others));
        options.max_states = Some(100_000);
        let coverability = check(&coverability::ENGINE, &program, &options, &mut |_| {});
        assert_eq!(
            matches!(coverability.answer, Answer::Failing { .. }),
            fails,
            "{coverability:?}"
        );
        let plain = check(&plain::ENGINE, &program, &options, &mut |_| {});
        assert_eq!(matches!(plain.answer, Answer::Failing { .. }), fails, "{plain:?}");
        assert_eq!(matches!(plain.answer, Answer::Safe { .. }), !fails, "{plain:?}");
    }
}

#[test]
fn limits_end_in_unknown() {
    let text = many("decl g := *;", "g := *; assert(g | !g | *)");
    let program = flatten(&parse(&text).unwrap(), &FlattenOptions::default()).unwrap();
    for kind in [&coverability::ENGINE, &thread_modular::ENGINE] {
        let mut options = CheckOptions::new(ThreadBound::Unbounded);
        options.max_states = Some(1);
        let outcome = check(kind, &program, &options, &mut |_| {});
        let expected = UnknownReason::StateLimit(1);
        assert!(
            matches!(&outcome.answer, Answer::Unknown(reason) if *reason == expected),
            "{outcome:?}"
        );
    }
    let options = CheckOptions::new(ThreadBound::Unbounded);
    let outcome = check(&plain::ENGINE, &program, &options, &mut |_| {});
    let unsupported = matches!(outcome.answer, Answer::Unknown(UnknownReason::Unsupported(_)));
    assert!(unsupported, "{outcome:?}");
    let mut options = CheckOptions::new(ThreadBound::Bounded(3));
    options.max_states = Some(50);
    let outcome = check(&plain::ENGINE, &program, &options, &mut |_| {});
    let limit = matches!(&outcome.answer, Answer::Unknown(UnknownReason::StateLimit(50)));
    assert!(limit, "{outcome:?}");
}

/// A section that never ends shields its effects from all assertions of others.
#[test]
fn nobody_fails_while_another_is_in_its_atomic_section() {
    let text = "decl g := 0;
        void worker() begin assert(!g) end
        void main() begin start_thread worker(); atomic_begin; g := 1; assume(0) end";
    for engine in BOTH {
        proves(engine, text);
    }
    let program = flatten(&parse(text).unwrap(), &FlattenOptions::default()).unwrap();
    let options = CheckOptions::new(ThreadBound::Bounded(2));
    let outcome = check(&plain::ENGINE, &program, &options, &mut |_| {});
    assert!(matches!(outcome.answer, Answer::Safe { .. }), "{outcome:?}");
}
