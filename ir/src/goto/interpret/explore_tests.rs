//! Small modules whose runs are known.

use super::{Exploration, ExploreOptions, Incomplete, explore};
use crate::goto::{Module, parse, verify};

fn module(text: &str) -> Module {
    let module = parse(text, "t.gir").unwrap();
    assert_eq!(verify(&module), Ok(()));
    module
}

fn run(text: &str, options: &ExploreOptions) -> Exploration {
    let module = module(text);
    let found = explore(&module, options);
    if let Some(failure) = &found.failure {
        assert!(failure.execute(&module, options.threads).is_some(), "{failure:?}");
    }
    found
}

/// Two threads that increment a counter in two steps; the initial one looks at it in the end.
fn counter(locked: bool) -> String {
    let (lock, unlock) = if locked { ("mutex_lock($m)", "mutex_unlock($m)") } else { ("", "") };
    format!(
        "gir 1 global $x: i32 = 0 global $m: i32 = 0
         define @t() {{ bb0: {lock} %0: i32 = load $x %1: i32 = add %0, 1i32 store i32, $x, %1 {unlock} return }}
         define @main() {{ bb0: %0: i64 = spawn @t() %1: i64 = spawn @t() join %0 join %1
           %2: i32 = load $x %3: i1 = eq %2, 2i32 assert %3, \"both\" return }}
         entry @main"
    )
}

#[test]
fn all_schedules_are_tried() {
    let found = run(&counter(false), &ExploreOptions::default());
    assert_eq!(found.failure.map(|f| f.property), Some("both".to_owned()));
    let found = run(&counter(true), &ExploreOptions::default());
    assert_eq!((found.failure, found.incomplete), (None, None));
}

#[test]
fn all_choices_of_the_domain_are_tried() {
    let text = "gir 1 define @main(i8) { bb0(%0: i8): %1: i8 = nondet %2: i8 = add %0, %1
         %3: i1 = ne %2, 5i8 assert %3, \"sum\" return } entry @main";
    let domain = |domain: &[u128]| ExploreOptions { domain: domain.to_vec(), ..Default::default() };
    assert!(run(text, &domain(&[2, 3])).failure.is_some());
    assert!(run(text, &domain(&[1, 2])).failure.is_none());
    // 253 + 8 wraps to 5.
    assert!(run(text, &domain(&[253, 8])).failure.is_some());
}

#[test]
fn a_search_is_a_proof_if_it_tries_all_values_that_matter() {
    let main = |chosen: &str| {
        let text = format!(
            "gir 1 global $x: i32 = 0 define @main(i32) {{ bb0(%0: i32): {chosen} return }} entry @main"
        );
        run(&text, &ExploreOptions::default())
    };
    assert!(run(&counter(true), &ExploreOptions::default()).is_proof());
    assert!(main("").is_proof());
    // Nothing reads what is chosen.
    assert!(main("%1: i64 = nondet").is_proof());
    assert!(main("%1: i1 = nondet assert %1, \"one\"").failure.is_some());
    for read in [
        "%1: i32 = add %0, 1i32 store i32, $x, %1",
        "%1: i8 = nondet %2: i1 = ne %1, 7i8 assert %2, \"seven\"",
    ] {
        let found = main(read);
        assert!(found.failure.is_none() && found.sampled && !found.is_proof(), "{read}");
    }
    assert!(main("%1: i1 = nondet store i1, $x, %1").is_proof());
    // Runs that end where something has no meaning may go on for who takes them to.
    for end in ["join 7i64", "%1: i32 = sdiv 1i32, 0i32"] {
        let found = main(end);
        assert!(found.undefined && !found.is_proof(), "{end}");
    }
    // A part of a byte that nobody wrote.
    assert!(!main("%1: ptr = allocate i8, 1i64 %2: i1 = load %1").is_proof());
    let few = ExploreOptions { max_states: 3, ..Default::default() };
    assert!(!run(&counter(true), &few).is_proof());
}

#[test]
fn atomic_sections_are_not_interrupted() {
    let text = |atomic: bool| {
        let (begin, end) = if atomic { ("atomic_begin", "atomic_end") } else { ("", "") };
        format!(
            "gir 1 global $x: i32 = 0
             define @t() {{ bb0: {begin} store i32, $x, 1i32 store i32, $x, 0i32 {end} return }}
             define @main() {{ bb0: spawn @t() %0: i32 = load $x %1: i1 = eq %0, 0i32
               assert %1, \"x\" return }} entry @main"
        )
    };
    assert!(run(&text(false), &ExploreOptions::default()).failure.is_some());
    let found = run(&text(true), &ExploreOptions::default());
    assert_eq!((found.failure, found.incomplete), (None, None));
}

#[test]
fn limits_are_reported() {
    let forever = "gir 1 global $x: i32 = 0
         define @main() { bb0: jump bb1 bb1: %0: i32 = load $x %1: i32 = add %0, 1i32
           store i32, $x, %1 jump bb1 } entry @main";
    let options = ExploreOptions { max_states: 100, ..Default::default() };
    assert_eq!(run(forever, &options).incomplete, Some(Incomplete::States(100)));
    let options = ExploreOptions { max_steps: 100, ..Default::default() };
    assert_eq!(run(forever, &options).incomplete, Some(Incomplete::Steps(100)));
    // A loop that changes nothing ends, and so does one that nobody sees.
    for body in ["%0: i32 = load $x jump bb1", "jump bb1"] {
        let text = format!(
            "gir 1 global $x: i32 = 0 define @main() {{ bb0: jump bb1 bb1: {body} }} entry @main"
        );
        assert_eq!(run(&text, &ExploreOptions::default()).incomplete, None);
    }
}

#[test]
fn bounds_on_threads_hold() {
    let text = "gir 1 global $x: i32 = 0 define @t() { bb0: store i32, $x, 1i32 return }
         define @main() { bb0: spawn @t() %0: i32 = load $x %1: i1 = eq %0, 0i32
           assert %1, \"x\" return } entry @main";
    let threads = |threads| ExploreOptions { threads, ..Default::default() };
    assert!(run(text, &threads(None)).failure.is_some());
    assert!(run(text, &threads(Some(1))).failure.is_some());
    assert!(run(text, &threads(Some(0))).failure.is_none());
}
