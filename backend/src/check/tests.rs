//! The language's statements, from text to verdict, under the plain semantics and the
//! explicit engine.

mod certificates;
pub(crate) mod differential;
mod exact;
mod limits;
mod recursion;
mod unbounded;

use super::*;
use sapa_ir::boolean::flatten::{FlattenOptions, flatten};
use sapa_ir::boolean::parser::parse;
use std::mem::discriminant;

fn run(text: &str, threads: u32) -> Outcome {
    let program = flatten(&parse(text).unwrap(), &FlattenOptions::default()).unwrap();
    let mut options = CheckOptions::new(ThreadBound::Bounded(threads));
    options.max_states = Some(200_000);
    let outcome = check(&simple::ENGINE, &program, &options, &mut |_| {});
    for engine in [&explicit::ENGINE, &counter::ENGINE, &plain::ENGINE] {
        for reduction in [false, true] {
            options.partial_order_reduction = reduction;
            let other = check(engine, &program, &options, &mut |_| {});
            assert_eq!(
                discriminant(&outcome.answer),
                discriminant(&other.answer),
                "{engine:?}, reduction {reduction}: {other:?}"
            );
        }
    }
    outcome
}

#[track_caller]
fn safe(text: &str, threads: u32) {
    let outcome = run(text, threads);
    assert!(matches!(outcome.answer, Answer::Safe { .. }), "{outcome:?}");
}

#[track_caller]
fn fails(text: &str, threads: u32) {
    let outcome = run(text, threads);
    assert!(matches!(outcome.answer, Answer::Failing { .. }), "{outcome:?}");
}

fn main_of(globals: &str, body: &str) -> String {
    format!("{globals} void main() begin {body} end")
}

#[test]
fn initial_values() {
    fails(&main_of("decl g;", "assert(g)"), 0);
    fails(&main_of("decl g;", "assert(!g)"), 0);
    safe(&main_of("decl g := 1, h := !g;", "assert(g & !h)"), 0);
    fails(&main_of("decl g := *;", "assert(g)"), 0);
}

#[test]
fn assignments_read_the_state_before() {
    safe(&main_of("decl a := 1, b := 0;", "a, b := b, a; assert(!a & b)"), 0);
}

#[test]
fn constraints_filter_and_block() {
    safe(&main_of("decl a, b;", "a, b := *, * constrain 'a = b'; assert(a = b)"), 0);
    fails(&main_of("decl a, b;", "a, b := *, * constrain 'a = b'; assert(a)"), 0);
    safe(&main_of("decl a := 1;", "a := 1 constrain !a; assert(0)"), 0);
}

#[test]
fn assertions_do_not_restrict() {
    safe(&main_of("", "assume(0); assert(0)"), 0);
    fails(&main_of("decl g := *;", "if g then assert(g) else assert(g) fi"), 0);
}

#[test]
fn choose_prefers_its_first_operand() {
    safe(&main_of("decl g;", "g := choose(1, 1); assert(g); g := schoose[0, 1]; assert(!g)"), 0);
    fails(&main_of("decl g;", "g := choose(0, 0); assert(g)"), 0);
    fails(&main_of("decl g;", "g := choose(0, 0); assert(!g)"), 0);
}

#[test]
fn structured_statements() {
    safe(&main_of("decl g := 1;", "while g do g := * od; assert(!g)"), 0);
    let text = main_of(
        "decl a, b;",
        "if a then assert(a) elsif b then assert(!a & b) else assert(!a & !b) fi",
    );
    safe(&text, 0);
    fails(&main_of("", "if * then skip else assert(0) fi"), 0);
}

#[test]
fn calls_pass_values() {
    let flip = "bool<2> flip(a, b) begin return !a, b end";
    safe(&main_of(flip, "decl x, y; x, y := flip(0, 1); assert(x & y)"), 0);
    safe(&main_of(flip, "decl x; x, _ := flip(1, *); assert(!x)"), 0);
    fails(&main_of("bool f() begin skip end", "decl x; x := f(); assert(x)"), 0);
}

#[test]
fn each_call_has_locals_of_its_own() {
    for locals in ["decl a := b, b := 1;", "decl a := b; decl b; b := 1;"] {
        let f = format!("bool f() begin {locals} return a; end");
        let twice = "decl r; r := f(); r := f(); assert(r)";
        fails(&main_of(&f, twice), 0);
    }
    let f = "bool f() begin ASYNC_1: decl b; decl r := b; b := 1; return r; end";
    fails(&main_of(f, "decl r; r := f(); r := f(); assert(r)"), 1);
    let f = "bool f(p) begin decl a := 1, b := 0; return a & !b & p; end";
    safe(&main_of(f, "decl r; r := f(1); r := f(1); assert(r)"), 0);
}

#[test]
fn enforce_constrains_later_assignments() {
    safe(&main_of("decl a, b;", "enforce !(a & b); a := *; b := *; assert(!a | !b)"), 0);
    fails(&main_of("decl a, b;", "a := *; b := *; assert(!a | !b)"), 0);
}

#[test]
fn error_labels() {
    fails(&main_of("", "skip; SLIC_ERROR: skip"), 0);
    safe(&main_of("", "goto L; SLIC_ERROR: skip; L: skip"), 0);
}

const CRITICAL: &str = "decl l := 0, g := 0;
    void f() begin BEGIN ENTER; g := 1; assert(g); g := 0; LEAVE; end
    void main() begin start_thread f(); ASYNC_1: f(); end";

#[test]
fn locks_and_atomic_sections_exclude() {
    let with =
        |enter: &str, leave: &str| CRITICAL.replace("BEGIN ENTER", enter).replace("LEAVE", leave);
    safe(&with("lock l", "unlock l"), 2);
    safe(&with("l := T constrain !l", "l := F"), 2);
    safe(&with("atomic_begin", "atomic_end"), 2);
    fails(&with("skip", "skip"), 2);
    // With one thread at a time nothing can interfere: the second start is a skip, or the first
    // has ended.
    safe(&with("skip", "skip"), 1);
}

/// BOOM section 7.3, Listing 1: an assumption disables another thread's steps.
#[test]
fn an_assumption_is_not_a_mere_read() {
    let text = "decl s; void main() begin s := *; start_thread goto P2;
        P1: assume(s); end_thread; P2: assume(!s); assert(F); end";
    fails(text, 1);
}

/// BOOM section 7.3, Listing 2: what a thread does later matters for what is invisible now.
#[test]
fn later_steps_matter_for_the_reduction() {
    let text = "decl s; void main() begin decl l; s := T; start_thread goto P2;
        P1: l := T; s := F; end_thread; P2: assert(s); end";
    fails(text, 1);
}

/// A thread that goes round in a loop of its own must not keep the others from moving.
#[test]
fn private_loops_do_not_starve_others() {
    let text = "decl s := 0; void main() begin decl l; start_thread goto P2;
        L: l := *; l := !l; goto L; P2: s := 1; assert(!s); end";
    fails(text, 1);
    // Nor must threads that start each other.
    let text = "decl s := 0; void main() begin decl l; start_thread goto P2; start_thread goto P3;
        end_thread; P3: l := *; start_thread goto P3; end_thread; P2: s := 1; assert(!s); end";
    fails(text, 2);
}

#[test]
fn a_blocked_atomic_section_blocks_everybody() {
    let text = "decl g := 0;
        void main() begin start_thread goto B; atomic_begin; assume(g); assert(0); end_thread;
        B: g := 1; end";
    safe(&text.replace("atomic_begin;", "atomic_begin; assume(!g);"), 1);
    fails(text, 1);
}

#[test]
fn started_threads_copy_locals() {
    let text = "void main() begin decl x; x := 1; start_thread goto B; x := 0; end_thread;
        B: assert(x); end";
    safe(text, 1);
}

#[test]
fn broadcasts_update_others_only() {
    let text = "decl thread_local x := 0; decl go := 0;
        void main() begin start_thread goto B; [x] := !x & ![x]; go := 1; assert(!x);
        end_thread; B: assume(go); assert(CHECK); end";
    // The thread may start before or after; it exists when the broadcast happens.
    safe(&text.replace("CHECK", "x"), 1);
    fails(&text.replace("CHECK", "!x"), 1);
}

#[test]
fn a_passive_constraint_holds_for_each_passive_thread() {
    let text = "decl thread_local x := 0; decl go := 0;
        void main() begin start_thread goto B; x, x$ := *, * constrain ('x != 'x$);
        go := x; assume(go); end_thread; B: assume(go); assert(!x); end";
    safe(text, 1);
    fails(&text.replace("!=", "="), 1);
}

/// SAPA section 1: `B` and `B'`, unsound abstractions, are safe programs.
#[test]
fn sapa_introduction() {
    let two = |text: &str| format!("{text} void main() begin start_thread f(); f() end");
    safe(&two("decl thread_local b := 1; void f() begin assert(b); b := b ? * : 1 end"), 1);
    safe(
        &two("decl b := 1, t := 1; void f() begin
            assert(t = b); assume(t); b, t := (b ? 0 : *), 0 end"),
        1,
    );
    // With the broadcast that SAPA section 2 adds, the error of the C program is found.
    fails(
        &two("decl thread_local b := 1; void f() begin
            assert(b); b, [b] := (b ? * : 1), ([b] ? * : 1) end"),
        1,
    );
}

#[test]
fn broadcasts_reach_the_variables_of_their_name_in_other_procedures() {
    // As SATABS writes it: each procedure declares the predicate again.
    let text = "void w() begin decl b; b := 0; L: assert(!b); goto L; end
        void main() begin decl b; start_thread w(); b, b$ := 1, VALUE; end";
    let values = [
        ("1", true),
        ("0", false),
        ("* constrain 'b$ | b$", true),
        ("* constrain !'b$ | b$", false),
    ];
    for (value, unsafe_) in values {
        let text = text.replace("VALUE", value);
        let program = flatten(&parse(&text).unwrap(), &FlattenOptions::default()).unwrap();
        for engine in [
            &simple::ENGINE,
            &explicit::ENGINE,
            &counter::ENGINE,
            &plain::ENGINE,
            &coverability::ENGINE,
            &auto::ENGINE,
        ] {
            let options = CheckOptions::new(ThreadBound::Bounded(1));
            let outcome = check(engine, &program, &options, &mut |_| {});
            let fails = matches!(outcome.answer, Answer::Failing { .. });
            assert!(
                fails || matches!(outcome.answer, Answer::Safe { .. }),
                "{engine:?}: {outcome:?}"
            );
            assert_eq!(fails, unsafe_, "{engine:?}: {text}");
        }
    }
}

/// Other errors stand in `tests/files/laws/boolean.bp`.
#[test]
fn programs_that_are_too_deep_or_too_bad_are_refused() {
    let refused = |text: &str| match parse(text) {
        Err(errors) => errors.to_string(),
        Ok(program) => match flatten(&program, &FlattenOptions::default()) {
            Err(error) => error.to_string(),
            Ok(_) => String::from("accepted"),
        },
    };
    let deep = "(".repeat(100_000);
    assert!(refused(&main_of("", &format!("assume {deep}"))).contains("levels deep"));
    let deep = refused(&main_of("", &"if (*) then ".repeat(1000)));
    assert!(deep.ends_with("levels deep") && deep.lines().count() == 1, "{deep}");
    let bad = refused(&"decl ; ".repeat(100));
    assert_eq!(bad.lines().count(), 20, "{bad}");
}

#[test]
fn threads_may_start_threads_like_themselves() {
    let text = "decl a := 0, b := 0;
        void f(first) begin
            if first then start_thread f(0); a := 1 else b := a; L: assert(CHECK) fi end
        void main() begin start_thread f(1); ASYNC_1: f(1); end_thread end";
    safe(&text.replace("CHECK", "a | !b"), 2);
    fails(&text.replace("CHECK", "!b"), 2);
    // The second thread cannot start while the first, which needs it, exists: its start is skipped.
    safe(&text.replace("CHECK", "!b | a"), 1);
    let program =
        flatten(&parse(text.replace("CHECK", "b").as_str()).unwrap(), &FlattenOptions::default());
    assert_eq!(program.unwrap().labelled("L").count(), 1);
}
