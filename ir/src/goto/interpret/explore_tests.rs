//! Small modules whose runs are known.

use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};

use super::{Exploration, ExploreOptions, Incomplete, explore};
use crate::goto::arithmetic::{binary, cast, compare, mask};
use crate::goto::{BinaryOp, CastOp, CompareOp, Module, parse, verify};

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
    for read in ["%1: i32 = add %0, 1i32 store i32, $x, %1", "%1: i8 = nondet store i8, $x, %1"] {
        let found = main(read);
        assert!(found.failure.is_none() && found.sampled && !found.is_proof(), "{read}");
    }
    // Seven is one of two cases.
    assert!(main("%1: i8 = nondet %2: i1 = ne %1, 7i8 assert %2, \"seven\"").failure.is_some());
    assert!(main("%1: i8 = nondet %2: i8 = urem %1, 7i8 store i8, $x, %2").is_proof());
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
    let options = ExploreOptions { max_bytes: 1 << 20, ..Default::default() };
    assert_eq!(run(forever, &options).incomplete, Some(Incomplete::Bytes(1 << 20)));
    // A loop that changes nothing ends, and so does one that nobody sees.
    for body in ["%0: i32 = load $x jump bb1", "jump bb1"] {
        let text = format!(
            "gir 1 global $x: i32 = 0 define @main() {{ bb0: jump bb1 bb1: {body} }} entry @main"
        );
        assert_eq!(run(&text, &ExploreOptions::default()).incomplete, None);
    }
}

#[test]
fn states_take_memory_for_what_is_read_later_only() {
    let mut code = String::new();
    for line in 0..2000 {
        let (read, sum) = (2 * line, 2 * line + 1);
        code += &format!(
            "%{read}: i32 = load $x %{sum}: i32 = add %{read}, 1i32 store i32, $x, %{sum}\n"
        );
    }
    let text =
        format!("gir 1 global $x: i32 = 0 define @main() {{ bb0: {code} return }} entry @main");
    let options = ExploreOptions { max_bytes: 4 << 20, ..Default::default() };
    let found = run(&text, &options);
    assert_eq!(found.incomplete, None);
    assert!(found.states >= 2000, "{}", found.states);
}

#[test]
fn values_live_from_their_definition_to_the_last_read() {
    // What a round of the loop has read is read again behind it, on another way than that round.
    let text = |behind: &str| {
        format!(
            "gir 1 global $x: i32 = 0 global $y: i32 = 0
             define @main() {{ bb0: %0: i32 = nondet jump bb1
               bb1: %1: i32 = load $x %2: i1 = nondet branch %2, bb2, bb3
               bb2: store i32, $y, 0i32 jump bb1
               bb3: store i32, $y, 0i32 {behind} return }} entry @main"
        )
    };
    // States differ in what is chosen as long as that is read later.
    let count = |behind: &str| run(&text(behind), &ExploreOptions::default()).states;
    let (unread, read) = (count(""), count("%3: i1 = eq %0, 0i32 store i1, $y, %3"));
    assert!(unread < read, "{unread} {read}");
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

/// A way to read a choice of eight bits: the code, the Boolean that it defines, and what comes of a
/// value.
struct Read {
    code: String,
    result: usize,
    answer: Box<dyn Fn(u128) -> bool>,
}

fn any_read(random: &mut SmallRng, next: &mut usize, is_reduced: bool) -> Read {
    let mut name = || {
        *next += 1;
        *next - 1
    };
    let widening = match random.random_range(0..3) {
        0 => None,
        1 => Some(("zext", CastOp::ZeroExtend)),
        _ => Some(("sext", CastOp::SignExtend)),
    };
    let bits: u16 = if widening.is_some() { 16 } else { 8 };
    let (mut code, mut read) = (String::new(), "%0".to_owned());
    if let Some((word, _)) = widening {
        read = format!("%{}", name());
        code = format!("{read}: i16 = {word} %0 ");
    }
    let mut reduction = None;
    if is_reduced {
        let (word, op) = [
            ("urem", BinaryOp::UnsignedRem),
            ("srem", BinaryOp::SignedRem),
            ("and", BinaryOp::And),
        ][random.random_range(0..3)];
        let by = random.random_range(1..10u128);
        let result = format!("%{}", name());
        code += &format!("{result}: i{bits} = {word} {read}, {by}i{bits} ");
        read = result;
        reduction = Some((op, by));
    }
    let (word, op) = [
        ("eq", CompareOp::Eq),
        ("ne", CompareOp::Ne),
        ("ult", CompareOp::UnsignedLt),
        ("ule", CompareOp::UnsignedLe),
        ("slt", CompareOp::SignedLt),
        ("sle", CompareOp::SignedLe),
    ][random.random_range(0..6)];
    let small = random.random_range(0..5u128).wrapping_sub(random.random_range(0..3));
    let constant = if random.random() { small } else { random.random() } & mask(bits);
    let is_left = random.random();
    let (a, b) = (read, format!("{constant}i{bits}"));
    let (a, b) = if is_left { (b, a) } else { (a, b) };
    let result = name();
    code += &format!("%{result}: i1 = {word} {a}, {b} ");
    let answer = move |value: u128| {
        let mut value = value;
        if let Some((_, op)) = widening {
            value = cast(op, value, 8, 16).unwrap();
        }
        if let Some((op, by)) = reduction {
            value = binary(op, value, by, bits);
        }
        let (a, b) = if is_left { (constant, value) } else { (value, constant) };
        compare(op, a, b, bits)
    };
    Read { code, result, answer: Box::new(answer) }
}

#[test]
fn a_few_values_stand_for_all_of_a_choice() {
    let mut random = SmallRng::seed_from_u64(1);
    let (mut proofs, mut failures) = (0, 0);
    for _ in 0..2000 {
        let is_reduced = random.random_ratio(1, 3);
        let count = random.random_range(1..=if is_reduced { 1 } else { 4 });
        // The value itself is read, or a block parameter that may have it.
        let (mut code, mut next) = match random.random() {
            true => ("%0: i8 = nondet ".to_owned(), 1),
            false => (
                "%1: i1 = nondet %2: i8 = nondet %3: i8 = select %1, %2, 7i8 jump bb1(%3) \
                 bb1(%0: i8): "
                    .to_owned(),
                4,
            ),
        };
        let reads: Vec<Read> =
            (0..count).map(|_| any_read(&mut random, &mut next, is_reduced)).collect();
        let wanted: Vec<bool> = reads.iter().map(|_| random.random()).collect();
        let is_met =
            |value| reads.iter().zip(&wanted).all(|(r, &wanted)| (r.answer)(value) == wanted);
        let expected = (0..=255).any(is_met);
        reads.iter().for_each(|read| code += &read.code);
        for (is_met, (read, wanted)) in (next..).zip(reads.iter().zip(&wanted)) {
            let (result, wanted) = (read.result, u8::from(*wanted));
            code += &format!("%{is_met}: i1 = eq %{result}, {wanted}i1 assume %{is_met} ");
        }
        let text = format!(
            "gir 1 define @main() {{ bb0: {code} assert 0i1, \"met\" return }} entry @main"
        );
        let found = run(&text, &ExploreOptions::default());
        if found.failure.is_some() {
            assert!(expected, "{text}");
            failures += 1;
        } else if found.is_proof() {
            assert!(!expected, "{text}");
            proofs += 1;
        }
        // Only a remainder of what may be negative is not known to have few values.
        assert!(is_reduced || !found.sampled, "{text}");
    }
    assert!(proofs > 300 && failures > 600, "{proofs} proofs, {failures} failures");
}

/// A thread that gives away the address of what is local to it, does something, and ends; what the
/// initial thread does with it.
fn given_away(before_end: &str, main: &str) -> Exploration {
    let text = format!(
        "gir 1 global thread_local $own: i32 = 1 global $at: ptr = zero global $done: i32 = 0
         define @t() {{ bb0: store i32, $own, 7i32 store ptr, $at, $own {before_end} return }}
         define @main() {{ bb0: %0: i64 = spawn @t() %1: ptr = load $at %2: i1 = ne %1, null
           assume %2 {main} return }}
         entry @main"
    );
    run(&text, &ExploreOptions::default())
}

#[test]
fn an_address_of_what_is_local_to_a_thread_is_that_threads() {
    let wait = "%0: i32 = load $done %1: i1 = eq %0, 1i32 assume %1";
    let same = "%3: i1 = eq %1, $own assert %3, \"it is one\" store i32, $done, 1i32";
    assert!(given_away(wait, same).failure.is_some());
    let reads = "%3: i32 = load %1 %4: i1 = eq %3, 7i32 assert %4, \"it is read\"
         %5: i32 = load $own %6: i1 = eq %5, 1i32 assert %6, \"it is kept\" store i32, $done, 1i32";
    assert!(given_away(wait, reads).is_proof());
    let writes = "store i32, %1, 8i32 store i32, $done, 1i32 join %0";
    let sees = format!("{wait} %2: i32 = load $own %3: i1 = eq %2, 7i32 assert %3, \"no other\"");
    assert!(given_away(&sees, writes).failure.is_some());
}

#[test]
fn what_is_local_to_a_thread_ends_with_it() {
    let found = given_away("", "join %0 %3: i32 = load %1");
    assert!(found.invalid_access && found.failure.is_none(), "{found:?}");
    // Threads that have ended leave nothing behind in which states could differ.
    let states = |threads: usize| {
        let starts: String =
            (0..threads).map(|n| format!("%{n}: i64 = spawn @t() join %{n} ")).collect();
        let text = format!(
            "gir 1 global thread_local $own: i32 = 0
             define @t() {{ bb0: %0: i1 = nondet %1: i32 = zext %0 store i32, $own, %1 return }}
             define @main() {{ bb0: {starts} return }} entry @main"
        );
        run(&text, &ExploreOptions::default()).states
    };
    assert_eq!(states(6) - states(5), states(5) - states(4));
}
