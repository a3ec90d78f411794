//! Programs with more states, reactions or locations than fit anywhere: every engine keeps to its
//! limits, and none is wrong.

use std::fmt::Write;
use std::time::Duration;

use sapa_ir::boolean::flat::FlatProgram;
use sapa_ir::boolean::flatten::{FlattenOptions, flatten};
use sapa_ir::boolean::parser::parse;
use sapa_limits::Exceeded;

use crate::check::*;

fn program_of(text: &str) -> FlatProgram {
    flatten(&parse(text).unwrap(), &FlattenOptions::default()).unwrap()
}

/// `count` copies of a text in which `#` stands for the number of the copy.
fn copies(count: usize, text: &str, separator: &str) -> String {
    let copies: Vec<String> = (0..count).map(|n| text.replace('#', &n.to_string())).collect();
    copies.join(separator)
}

/// Globals and locals without initial values, all of which are read.
fn many_initial_states() -> String {
    let mut text = copies(40, "decl g#;", " ");
    let _ = write!(text, "void main() begin {}", copies(40, "decl x#;", " "));
    let read = |name: &str| copies(40, name, " ^ ");
    let _ = write!(text, "assert((({0}) = ({0})) | (({1}) = ({1}))); end", read("g#"), read("x#"));
    text
}

/// A broadcast to 30 threads that lets each choose among 32 states.
fn many_reactions() -> String {
    let variables = copies(5, "t#", " | ");
    format!(
        "decl thread_local {} := 0;
         void w() begin assume({variables}); assert({variables}); end
         void main() begin {} {} := {}; end",
        copies(5, "t#", " := 0, "),
        copies(30, "start_thread w();", " "),
        copies(5, "[t#]", ", "),
        copies(5, "*", ", "),
    )
}

/// As many free choices in one step.
fn many_results() -> String {
    format!(
        "decl {}; void main() begin L: {} := {}; assert(g0 | !g0); goto L end",
        copies(40, "g#", ", "),
        copies(40, "g#", ", "),
        copies(40, "*", ", "),
    )
}

#[test]
fn engines_keep_to_their_limits() {
    for text in [many_initial_states(), many_reactions(), many_results()] {
        let program = program_of(&text);
        for engine in ENGINES {
            for threads in [ThreadBound::Bounded(30), ThreadBound::Unbounded] {
                for memory_limit in [Some(20 << 20), None] {
                    let mut options = CheckOptions::new(threads);
                    options.memory_limit = memory_limit;
                    options.limits = Limits::time(Duration::from_millis(100));
                    let outcome = check(engine, &program, &options, &mut |_| {});
                    let is_wrong = matches!(outcome.answer, Answer::Failing { .. })
                        || matches!(
                            outcome.answer,
                            Answer::Unknown(UnknownReason::ReplayFailed(_))
                        );
                    assert!(!is_wrong, "{} says {outcome:?} of {text}", engine.name);
                }
            }
        }
    }
}

/// Threads that count to 64, each for itself.
const COUNTING: &str = "void w() begin
    decl a, b, c, d, e, f; a, b, c, d, e, f := 0, 0, 0, 0, 0, 0;
    L: a, b, c, d, e, f := !a, b ^ a, c ^ (a & b), d ^ (a & b & c), e ^ (a & b & c & d),
           f ^ (a & b & c & d & e);
    goto L
    end
    decl g := 0;
    void main() begin
        start_thread w(); start_thread w(); start_thread w();
        M: g := !g; assert(g | !g); goto M
    end";

#[test]
fn work_is_counted_and_limited() {
    let program = program_of(COUNTING);
    for engine in ENGINES {
        let run = |most: u64| {
            let mut options = CheckOptions::new(ThreadBound::Bounded(3));
            options.max_work = Some(most);
            check(engine, &program, &options, &mut |_| {})
        };
        let (outcome, again) = (run(256), run(256));
        assert_eq!(outcome, again, "{}", engine.name);
        let statistics = outcome.statistics;
        assert_eq!(outcome.answer, Answer::Unknown(UnknownReason::WorkLimit), "{}", engine.name);
        assert!(statistics.work >= 256, "{}: {statistics:?}", engine.name);
    }
}

#[test]
fn engines_over_bdds_have_the_stack_for_many_variables() {
    let globals = copies(60_000, "decl g# := 0;", " ");
    let program =
        program_of(&format!("{globals} void main() begin g0 := !g1; assert(g0 | g5) end"));
    for engine in [&plain::ENGINE, &counter::ENGINE] {
        let options = CheckOptions::new(ThreadBound::Bounded(0));
        let outcome = check(engine, &program, &options, &mut |_| {});
        assert!(matches!(outcome.answer, Answer::Safe { .. }), "{engine:?}: {outcome:?}");
    }
}

#[test]
fn locals_that_are_not_read_make_no_initial_states() {
    let text = format!(
        "decl {}; void main() begin {} assert(g0 | !g0); end",
        copies(10, "g#", ", "),
        copies(60, "decl x#;", " "),
    );
    let program = program_of(&text);
    for engine in [&thread_modular::ENGINE, &coverability::ENGINE, &explicit::ENGINE] {
        let options = CheckOptions::new(ThreadBound::Bounded(0));
        let outcome = check(engine, &program, &options, &mut |_| {});
        assert!(matches!(outcome.answer, Answer::Safe { .. }), "{engine:?}: {outcome:?}");
    }
}

#[test]
fn the_results_of_one_step_count_as_memory() {
    let mut options = CheckOptions::new(ThreadBound::Bounded(0));
    options.memory_limit = Some(1 << 20);
    let outcome = check(&explicit::ENGINE, &program_of(&many_results()), &options, &mut |_| {});
    assert!(
        matches!(outcome.answer, Answer::Unknown(UnknownReason::Exceeded(Exceeded::Memory))),
        "{outcome:?}"
    );
}

#[test]
fn the_naive_engine_knows_a_memory_limit() {
    let program =
        program_of("decl thread_local a; void main() begin L: start_thread L; goto L end");
    let mut options = CheckOptions::new(ThreadBound::Unbounded);
    options.memory_limit = Some(1 << 20);
    let outcome = check(&simple::ENGINE, &program, &options, &mut |_| {});
    assert!(
        matches!(outcome.answer, Answer::Unknown(UnknownReason::Exceeded(Exceeded::Memory))),
        "{outcome:?}"
    );
}

#[test]
fn threads_that_react_in_many_ways_are_told_apart_in_traces() {
    // Of 2 × 20 waiting threads those with `f` may stay as they are, so that which of them did
    // has to be found out when the counted run becomes a trace.
    let starts = copies(20, "start_thread w();", " ");
    let text = format!(
        "decl thread_local t := 0, f := 0; decl c0 := 0, c1 := 0, c2 := 0, go := 0;
         void w() begin
           c0, c1, c2 := !c0, c1 ^ c0, c2 ^ (c1 & c0) constrain go & (t = 1);
         end
         void main() begin
           f := 1; {starts} f := 0; {starts}
           go, [t], [f] := 1, [f] ? * : 0, 0;
           assert(!(!c0 & c1 & c2));
         end"
    );
    let program = program_of(&text);
    let options = CheckOptions::new(ThreadBound::Bounded(40));
    let outcome = check(&explicit::ENGINE, &program, &options, &mut |_| {});
    assert!(matches!(outcome.answer, Answer::Failing { .. }), "{outcome:?}");
}

/// A long straight program.
fn long(statements: usize) -> FlatProgram {
    let body = "g := !g; ".repeat(statements);
    program_of(&format!("decl g := 0; void main() begin {body} assert(!g) end"))
}

#[test]
fn partial_order_reduction_of_long_programs_is_cheap() {
    let program = long(100_000);
    let mut options = CheckOptions::new(ThreadBound::Bounded(1));
    options.partial_order_reduction = true;
    options.memory_limit = Some(200 << 20);
    let outcome = check(&explicit::ENGINE, &program, &options, &mut |_| {});
    assert!(matches!(outcome.answer, Answer::Safe { .. }), "{outcome:?}");
    options.memory_limit = Some(1 << 20);
    let outcome = check(&explicit::ENGINE, &program, &options, &mut |_| {});
    assert!(
        matches!(outcome.answer, Answer::Unknown(UnknownReason::Exceeded(Exceeded::Memory))),
        "{outcome:?}"
    );
}

/// `count` thread-local variables that all become free at once, and cannot all be 1.
fn failing_choices(count: usize) -> String {
    format!(
        "{} void main() begin {} := {}; assert(!({})); end",
        copies(count, "decl thread_local a# := 0;", " "),
        copies(count, "a#", ", "),
        copies(count, "*", ", "),
        copies(count, "a#", " & "),
    )
}

/// As many choices, but by a thread that reacts to a broadcast.
fn failing_reactions(count: usize) -> String {
    format!(
        "decl go := 0; {} void w() begin assume(go); assert(!({})); end
         void main() begin start_thread w(); go, {} := 1, {}; end",
        copies(count, "decl thread_local a# := 0;", " "),
        copies(count, "a#", " & "),
        copies(count, "[a#]", ", "),
        copies(count, "*", ", "),
    )
}

#[test]
fn counterexamples_with_very_many_choices_become_traces() {
    for text in [failing_choices(40), failing_reactions(40)] {
        let program = program_of(&text);
        let mut options = CheckOptions::new(ThreadBound::Bounded(2));
        options.limits = Limits::time(Duration::from_secs(60));
        options.memory_limit = Some(300 << 20);
        for engine in [&counter::ENGINE, &auto::ENGINE] {
            let outcome = check(engine, &program, &options, &mut |_| {});
            assert!(matches!(outcome.answer, Answer::Failing { .. }), "{engine:?}: {outcome:?}");
        }
    }
}

#[test]
fn sets_decide_where_lists_are_long() {
    // What single threads see are all pairs of 2^14 states; the failure is a few steps away.
    let text = format!(
        "decl g := 0; {}
         void w() begin {} g := 0; M: g := {}; goto M; end
         void main() begin start_thread w(); g := 1; assert(!g); end",
        copies(14, "decl thread_local x# := 0;", " "),
        copies(14, "x# := *;", " "),
        copies(14, "x#", " ^ "),
    );
    let program = program_of(&text);
    let options = CheckOptions::new(ThreadBound::Bounded(1));
    let attempt = coverability::attempt(&program, &options, &mut |_| {});
    let Answer::Failing { by: Method::ThreadStates, .. } = attempt.answer else {
        panic!("{attempt:?}")
    };
    assert!(attempt.statistics.symbolic.is_some(), "{attempt:?}");
    let outcome = check(&auto::ENGINE, &program, &options, &mut |_| {});
    assert!(matches!(outcome.answer, Answer::Failing { .. }), "{outcome:?}");
}

#[test]
fn steps_with_many_choices_are_refused_nowhere() {
    for choices in [20, 60] {
        let program = program_of(&failing_choices(choices));
        let options = CheckOptions::new(ThreadBound::Unbounded);
        for engine in [&coverability::ENGINE, &thread_modular::ENGINE, &auto::ENGINE] {
            let outcome = check(engine, &program, &options, &mut |_| {});
            assert!(matches!(outcome.answer, Answer::Failing { .. }), "{engine:?}: {outcome:?}");
        }
        let outcome = check(&pairs::ENGINE, &program, &options, &mut |_| {});
        assert!(matches!(outcome.answer, Answer::Imprecise(_)), "{outcome:?}");
    }
}

#[test]
fn the_results_of_one_symbolic_step_count_as_memory() {
    // The threads that react to the first broadcast come apart into very many states.
    let text = format!(
        "{} void w() begin {} := {}; assert(!({})); end
         void main() begin L: start_thread w(); goto L; end",
        copies(16, "decl thread_local a# := 0;", " "),
        copies(16, "[a#]", ", "),
        copies(16, "*", ", "),
        copies(16, "a#", " & "),
    );
    let mut options = CheckOptions::new(ThreadBound::Bounded(2));
    options.memory_limit = Some(20 << 20);
    let outcome = check(&counter::ENGINE, &program_of(&text), &options, &mut |_| {});
    assert!(
        matches!(outcome.answer, Answer::Unknown(UnknownReason::Exceeded(Exceeded::Memory))),
        "{outcome:?}"
    );
    assert!(outcome.statistics.states < 1 << 14, "{outcome:?}");
}

#[test]
fn the_analysis_of_a_program_keeps_to_the_limits() {
    // A thousand sets of live locals, none of which any thread comes to.
    let text = format!(
        "void main() begin assume(0); decl {}; {} end",
        copies(1000, "l#", ", "),
        copies(1000, "assert(l# | !l#);", " "),
    );
    let program = program_of(&text);
    for engine in
        [&explicit::ENGINE, &counter::ENGINE, &coverability::ENGINE, &thread_modular::ENGINE]
    {
        let mut options = CheckOptions::new(ThreadBound::Bounded(1));
        let outcome = check(engine, &program, &options, &mut |_| {});
        assert!(matches!(outcome.answer, Answer::Safe { .. }), "{engine:?}: {outcome:?}");
        options.memory_limit = Some(150_000);
        let outcome = check(engine, &program, &options, &mut |_| {});
        let Answer::Unknown(reason) = outcome.answer else { panic!("{engine:?}: {outcome:?}") };
        assert_eq!(reason, UnknownReason::Exceeded(Exceeded::Memory), "{engine:?}");
        options.memory_limit = None;
        options.limits = Limits::time(Duration::ZERO);
        let outcome = check(engine, &program, &options, &mut |_| {});
        let Answer::Unknown(reason) = outcome.answer else { panic!("{engine:?}: {outcome:?}") };
        assert_eq!(reason, UnknownReason::Exceeded(Exceeded::Time), "{engine:?}");
    }
}
