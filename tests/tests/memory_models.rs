//! Random programs under all memory models: what the interpreter finds with buffers of its own, in the
//! program as it is compiled and after the passes, and what it finds step by step in a module of which
//! buffers are a part of the code, must be the same.
//!
//! `SAPA_DIFFERENTIAL_PROGRAMS=n` changes how many programs are tried, `SAPA_DIFFERENTIAL_SEED=n` where the
//! seeds begin. Of 2,000 programs (seeds from 1,000), which take about half an hour on one idle core, more
//! than 300 are safe under sequential consistency and not under TSO, and as many under TSO and not PSO:
//! `SAPA_DIFFERENTIAL_SEED=1000 SAPA_DIFFERENTIAL_PROGRAMS=2000 cargo test -p sapa-tests --test
//! memory_models -- --nocapture` prints how many.

use std::fmt::Write;

use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};
use rayon::iter::{IntoParallelIterator, ParallelIterator};
use sapa_driver::{Options, Program};
use sapa_ir::goto::interpret::{ExploreOptions, Incomplete, explore};
use sapa_ir::goto::{Atomicity, Instruction, MemoryModel, Module, Operand, mnemonic, verify};
use sapa_limits::Limits;
use sapa_passes::transform::store_buffers::{OVERFLOW, is_robust};
use sapa_passes::{PassError, Pipeline};
use sapa_tests::bounded::bounded_runs_fail;

/// Most states of a search; programs that have more are left out.
const STATES: usize = 20_000;

/// A number that the environment may give.
fn number(variable: &str, otherwise: u64) -> u64 {
    std::env::var(variable).ok().and_then(|text| text.parse().ok()).unwrap_or(otherwise)
}

/// What threads do; `$v` and `$w` are shared variables, `$c` a number.
const STATEMENTS: &[&str] = &[
    "$v = $c;",
    "$v = $c;",
    "$v = $c;",
    "r = $v;",
    "r = $v;",
    "r = $v;",
    "$w = r;",
    "$v = $w + 1;",
    "if ($v == $c) $w = $c;",
    "if (r) $w = $c; else r = $v;",
    "if (r != $c) { $v = 1; r = $w; }",
    "for (int i = 0; i < 2; i++) { $v = i; r = $w; }",
    "do { r = $v; } while (r == $c && $w);",
    "while (!$v) { }",
    "switch (r) { case 0: $v = $c; case 1: r = $w; break; default: $w = r; }",
    "p = &$v;",
    "p = $c == 1 ? &$v : &$w;",
    "*p = $c;",
    "r = *p;",
    "*q = $c;",
    "q = &$v;",
    "r = *q;",
    "r = set(&$v, $c);",
    "p = r ? &own : &$v; *p = $c; r = own;",
    "p = malloc(sizeof *p); *p = $c; q = p;",
    "u.whole = $c; r = u.part[0];",
    "u.whole = $c; r = u.part[$v & 3];",
    "u.part[0] = $c; r = u.part[0];",
    "u.part[$v & 1] = $c; r = u.part[0];",
    "r = u.whole;",
    "u.part[0] = $c; r = u.whole & 3;",
    "u = w;",
    "f.p = $c; r = f.q;",
    "f.q = $c; r = f.p;",
    "g = h; r = g.v;",
    "h = g;",
    "g.w = $c; r = g.v;",
    "*(&g.v + ($v & 1)) = $c; r = g.w;",
    "k[$v & 1] = $c; r = k[0];",
    "{ int l[2] = {0}; l[$v & 1] = $c; r = l[0]; }",
    "r = __sync_fetch_and_add(&$v, 1);",
    "r = __sync_bool_compare_and_swap(&$v, $c, 1);",
    "r = __atomic_exchange_n(&$v, $c, __ATOMIC_RELAXED);",
    "__sync_synchronize();",
    "__atomic_thread_fence(__ATOMIC_RELEASE);",
    "__atomic_thread_fence(__ATOMIC_ACQ_REL);",
    "__atomic_store_n(&$v, $c, __ATOMIC_RELEASE);",
    "__atomic_store_n(&$v, $c, __ATOMIC_SEQ_CST);",
    "__VERIFIER_atomic_begin(); r = $v; $w = $c; __VERIFIER_atomic_end();",
    "pthread_mutex_lock(&m); $v = $c; r = $w; pthread_mutex_unlock(&m);",
    "pthread_spin_lock(&s); $v = $c; pthread_spin_unlock(&s); r = $w;",
    "__CPROVER_assume(r != $c);",
    "if (r == $c) return 0;",
    "if (r == $c) exit(0);",
    "assert(r != $c || $v == $w);",
];

/// Two threads that the models differ in, with the claim that tells: of what they have read (`a` and
/// `b`, 1 at first), or of what memory holds in the end.
const SHAPES: &[([&str; 2], &str)] = &[
    // Fails where a store may wait for a load (TSO).
    (["x = 1; a = y;", "y = 1; b = x;"], "a || b"),
    (["x = 1; a = y;", "y = 1; __sync_synchronize(); b = x;"], "a || b"),
    (["x = 1; r = x; a = y;", "y = 1; r = y; b = x;"], "a || b"),
    (["x = 1; y = 1;", "y = 2; b = x;"], "y != 2 || b"),
    (["x = 1; *q = 2; a = y;", "y = 1; b = x;"], "a || b"),
    (["u.part[0] = 1; a = y;", "y = 1; b = u.part[0];"], "a || b"),
    (["u.whole = 1; r = u.part[0]; a = y;", "y = 1; b = u.whole;"], "a || b"),
    (["g = h; a = y;", "y = 1; b = g.v;"], "a || b"),
    // Fails where a store may wait for another one (PSO).
    (["x = 1; y = 1;", "if (y) b = x;"], "b"),
    (["x = 1; y = 1;", "while (!y) { } b = x;"], "b"),
    (["x = 2; y = 1;", "y = 2; x = 1;"], "x != 2 || y != 2"),
    (["x = 2; y = 1;", "if (y) { a = 0; x = 1; }"], "a || x != 2"),
    (["x = 1; *q = 1; y = 1;", "if (y) b = x;"], "b"),
    (["g = h; y = 1;", "if (y) b = g.v;"], "b"),
    (["k[0] = 1; k[1] = 1;", "if (k[1]) b = k[0];"], "b"),
    (["x = 1; __atomic_store_n(&z, 1, __ATOMIC_RELEASE); y = 1;", "if (y) b = x;"], "b"),
    (["x = 1; y = 1;", "r = y; if (r) { z = 1; b = x; }"], "b"),
    // Fails nowhere, for locks, but for what gives them up too early (PSO), or is done without them.
    (
        [
            "pthread_mutex_lock(&m); x = 1; a = y; pthread_mutex_unlock(&m);",
            "pthread_mutex_lock(&m); y = 1; b = x; pthread_mutex_unlock(&m);",
        ],
        "a || b",
    ),
    (
        [
            "pthread_spin_lock(&s); x = 1; a = y; pthread_spin_unlock(&s);",
            "if (!pthread_spin_trylock(&s)) { y = 1; b = x; pthread_spin_unlock(&s); }",
        ],
        "a || b",
    ),
    (
        [
            "r = __sync_lock_test_and_set(&l, 1); if (!r) { x = 1; a = y; l = 0; }",
            "r = __sync_lock_test_and_set(&l, 1); if (!r) { y = 1; b = x; __sync_lock_release(&l); }",
        ],
        "a || b",
    ),
];

fn program(seed: u64) -> String {
    program_with(seed, str::to_owned)
}

/// The program of a seed, with a claim about what its threads leave behind, made of that of its shape.
fn program_with(seed: u64, claim: impl FnOnce(&str) -> String) -> String {
    let mut random = SmallRng::seed_from_u64(seed);
    let (shape, of_shape) = SHAPES[random.random_range(0..SHAPES.len())];
    let threads = random.random_range(2..4);
    let mut text = "#include <pthread.h>\n#include <assert.h>\n#include <stdlib.h>\n\
        void __VERIFIER_atomic_begin(void); void __VERIFIER_atomic_end(void);\n\
        int x, y, z, l, a = 1, b = 1; int *q = &z; _Thread_local int own;\n\
        pthread_mutex_t m; pthread_spinlock_t s;\n\
        union { int whole; char part[4]; } u, w = { 1 };\n\
        struct { unsigned p : 2, q : 2; } f; struct { int v, w; } g, h = { 1, 2 }; int k[2];\n\
        int set(int *to, int value) { *to = value; return *to; }\n"
        .to_owned();
    for thread in 0..threads {
        let _ = writeln!(text, "void *t{thread}(void *unused) {{ int r = 0; int *p = &z;");
        let parts = match shape.get(thread) {
            Some(parts) if random.random_bool(0.9) => parts,
            _ => "",
        };
        let parts = parts.split_inclusive("; ").chain([""]);
        let mut depth = 0;
        for part in parts {
            // Between the parts, rarely; a thread without parts does something else.
            let is_between = !part.is_empty() || shape.get(thread).is_some();
            let count = match random.random_bool(if is_between { 0.25 } else { 0.9 }) {
                true if depth == 0 => random.random_range(1..3),
                _ => 0,
            };
            for _ in 0..count {
                let names = [["x", "y"], ["y", "x"], ["z", "x"], ["z", "y"], ["z", "z"]];
                let [v, w] = names[random.random_range(0..names.len())];
                let number = random.random_range(0..3).to_string();
                let statement = STATEMENTS[random.random_range(0..STATEMENTS.len())];
                let statement = statement.replace("$v", v).replace("$w", w);
                let _ = writeln!(text, "  {}", statement.replace("$c", &number));
            }
            let _ = writeln!(text, "  {part}");
            depth += part.matches('{').count();
            depth -= part.matches('}').count();
        }
        text.push_str("  return 0; }\n");
    }
    text.push_str("int main(void) {\n");
    // What is written before there are threads, and threads whose end nobody waits for.
    if random.random_bool(0.3) {
        text.push_str("  x = y = 0;\n");
    }
    for thread in 0..threads {
        let _ =
            writeln!(text, "  pthread_t h{thread}; pthread_create(&h{thread}, 0, t{thread}, 0);");
    }
    let joined = if random.random_bool(0.8) { threads } else { 0 };
    for thread in 0..joined {
        let _ = writeln!(text, "  pthread_join(h{thread}, 0);");
    }
    let _ = writeln!(text, "  assert({});\n}}", claim(of_shape));
    text
}

/// Options of the passes that make buffers a part of the code: for each layout that they may have, those that
/// programs are tried with in turn.
const LAYOUTS: [&[&str]; 2] = [&["", "{delays}"], &["{layout=variables,k=6}"]];

/// Options of those passes that forget some of what waits: there are more runs then, and none is missing.
const SUMMARIES: [&str; 3] =
    ["{overflow=summary}", "{k=1,overflow=summary}", "{k=2,overflow=summary}"];

/// Whether a run of a module fails; `None` if that is not known.
fn fails(module: &Module, memory: MemoryModel) -> Option<bool> {
    fails_with(module, memory, vec![0, 1])
}

/// The same where what is chosen is one of some numbers.
fn fails_with(module: &Module, memory: MemoryModel, domain: Vec<u128>) -> Option<bool> {
    let options =
        ExploreOptions { memory, max_states: STATES, domain, ..ExploreOptions::default() };
    let found = explore(module, &options);
    if let Some(failure) = &found.failure {
        assert!(failure.execute(module, None).is_some(), "{failure:?}");
        // With more room, another run may fail or not.
        return (failure.property != OVERFLOW).then_some(true);
    }
    match found.incomplete {
        None => Some(false),
        Some(Incomplete::States(_) | Incomplete::Steps(_)) => None,
        Some(other) => panic!("{other}"),
    }
}

/// The module with the buffers of a model in its code; `None` if the layout is not for it.
fn with_buffers(
    module: &Module,
    model: MemoryModel,
    layout: &str,
) -> Result<Option<Module>, String> {
    let mut module = module.clone();
    let pass = mnemonic::word(mnemonic::MEMORY, &model);
    let pipeline = Pipeline::parse(&format!("{pass}{layout}")).expect("the pass is there");
    match pipeline.run(&mut module, &mut []) {
        Ok(_) => {}
        Err(PassError::Refused { .. }) => return Ok(None),
        Err(error) => return Err(error.to_string()),
    }
    verify(&module).map_err(|errors| errors.to_string())?;
    Ok(Some(module))
}

/// Whether a run that fails is missing where some of what waits is forgotten: `None` if that is not known.
fn is_missing(module: &Module, model: MemoryModel, summary: &str) -> Result<Option<bool>, String> {
    let Some(module) = with_buffers(module, model, summary)? else { return Ok(None) };
    // Programs have small numbers, and few of these are larger.
    let few = fails_with(&module, MemoryModel::Sc, vec![0, 1, 2]);
    let found = match few {
        Some(false) => fails_with(&module, MemoryModel::Sc, (0..8).collect()),
        found => found,
    };
    Ok(found.map(|fails| !fails))
}

/// How many programs fail under which models.
#[derive(Debug, Default)]
struct Tally {
    safe: usize,
    fails: usize,
    /// Safe under sequential consistency, but not under TSO.
    tso: usize,
    /// Safe under TSO, but not under PSO.
    pso: usize,
    /// Nobody sees that a store waits, under TSO and PSO.
    robust: [usize; 2],
    /// By model: programs before and after the passes that runs of bounded length decide.
    bounded: [usize; 3],
    /// Compared with each layout of the buffers in the code.
    compared: [usize; LAYOUTS.len()],
    /// Failing also where some of what waits is forgotten.
    kept: [usize; SUMMARIES.len()],
}

impl Tally {
    fn counts(&mut self) -> impl Iterator<Item = &mut usize> {
        let Self { safe, fails, tso, pso, robust, bounded, compared, kept } = self;
        let kinds = [safe, fails, tso, pso].into_iter().chain(robust).chain(bounded);
        kinds.chain(compared).chain(kept)
    }

    fn add(&mut self, mut other: Self) {
        self.counts().zip(other.counts()).for_each(|(all, more)| *all += *more);
    }
}

/// The module as it is compiled, and after the passes.
fn modules(seed: u64, source: &str) -> (Module, Module) {
    let atomicity = if seed % 3 == 2 { Atomicity::Statement } else { Atomicity::Access };
    let options = Options { atomicity, ..Options::default() };
    let program = Program::compile_bytes("a.c", source.as_bytes(), &options);
    let program = program.unwrap_or_else(|error| panic!("{error}\n{source}"));
    let lowered = program.lowered(&options, &mut []);
    let lowered = lowered.unwrap_or_else(|error| panic!("{error}\n{source}"));
    (program.module, lowered)
}

/// Whether sequential consistency says all about a module under a model; not known of what the
/// passes refuse.
fn robust(module: &Module, model: MemoryModel) -> bool {
    is_robust(module, model, false, &Limits::default()).unwrap_or(false)
}

fn compare(seed: u64, tally: &mut Tally) -> Result<(), String> {
    let source = program(seed);
    let (compiled_module, lowered) = modules(seed, &source);
    let (mut before, mut sequential) = (None, None);
    for model in [MemoryModel::Sc, MemoryModel::Tso, MemoryModel::Pso] {
        let compiled = fails(&compiled_module, model);
        let after = fails(&lowered, model);
        let told = |what: &str| {
            format!(
                "{seed}: {model:?}: {what}: compiled {compiled:?}, after passes {after:?}\n{source}"
            )
        };
        if let (Some(compiled), Some(after)) = (compiled, after)
            && compiled != after
        {
            return Err(told("the passes change what can fail"));
        }
        let Some(found) = compiled.or(after) else { return Ok(()) };
        if before == Some(true) && !found {
            return Err(told("a stronger model fails"));
        }
        match (model, before, found) {
            (MemoryModel::Sc, _, true) => tally.fails += 1,
            (MemoryModel::Tso, Some(false), true) => tally.tso += 1,
            (MemoryModel::Pso, Some(false), true) => tally.pso += 1,
            (MemoryModel::Pso, _, false) => tally.safe += 1,
            _ => {}
        }
        before = Some(found);
        for module in [&compiled_module, &lowered] {
            if let Some(bounded) = bounded_runs_fail(module, None, model, &[1, 2, 4]) {
                tally.bounded[model as usize] += 1;
                if bounded != found {
                    return Err(told(&format!("runs of bounded length say {bounded}")));
                }
            }
        }
        if model == MemoryModel::Sc {
            sequential = Some(found);
            continue;
        }
        if robust(&lowered, model) {
            tally.robust[usize::from(model == MemoryModel::Pso)] += 1;
            if sequential != Some(found) {
                return Err(told("robust, but not as under sequential consistency"));
            }
        }
        let of_seed = usize::try_from(seed).unwrap_or(0);
        for (layouts, compared) in LAYOUTS.iter().zip(&mut tally.compared) {
            let layout = layouts[of_seed % layouts.len()];
            let instrumented = with_buffers(&lowered, model, layout).map_err(|e| told(&e))?;
            let in_code = instrumented.and_then(|module| fails(&module, MemoryModel::Sc));
            if let Some(in_code) = in_code {
                *compared += 1;
                if in_code != found {
                    return Err(told(&format!("with buffers in the code{layout} it is {in_code}")));
                }
            }
        }
        let summaries =
            SUMMARIES.iter().zip(&mut tally.kept).skip(of_seed % SUMMARIES.len()).take(1);
        for (summary, kept) in summaries.filter(|_| found) {
            match is_missing(&lowered, model, summary).map_err(|e| told(&e))? {
                Some(false) => *kept += 1,
                Some(true) => return Err(told(&format!("with {summary} that fails in no run"))),
                None => {}
            }
        }
    }
    Ok(())
}

#[test]
fn buffers_of_the_interpreter_and_of_the_code_are_the_same() {
    let first = number("SAPA_DIFFERENTIAL_SEED", 0);
    let programs = number("SAPA_DIFFERENTIAL_PROGRAMS", 60);
    let of_seed = |seed| {
        let mut tally = Tally::default();
        let wrong = compare(seed, &mut tally).err();
        (tally, wrong)
    };
    let results: Vec<_> = (first..first + programs).into_par_iter().map(of_seed).collect();
    let mut tally = Tally::default();
    let mut wrong = Vec::new();
    for (of_one, contradiction) in results {
        tally.add(of_one);
        wrong.extend(contradiction);
    }
    println!("{tally:?}");
    assert!(wrong.is_empty(), "{} contradictions\n{}", wrong.len(), wrong.join("\n"));
    let Tally { safe, fails, tso, pso, robust, bounded, compared, kept } = tally;
    let fewest = usize::try_from(programs).expect("they are few") / 2;
    assert!(bounded.iter().all(|&decided| decided > fewest), "{bounded:?} decided");
    let all_kinds = [safe, fails, tso, pso, robust[0], robust[1], compared[0], compared[1]];
    assert!(all_kinds.iter().chain(&kept).all(|&count| count > 0), "{all_kinds:?} {kept:?}");
}

/// Pairs of variables, and values of both: those that a run of the program of a seed may leave
/// behind under a model, as far as that is known.
fn outcomes(modules: &[Module], model: MemoryModel) -> Vec<Option<bool>> {
    let values = (0..3).flat_map(|one| (0..3).map(move |other| [one, other]));
    let of_one = |module| values.clone().map(move |values| fails(&asking(module, values), model));
    modules.iter().flat_map(of_one).collect()
}

/// Stand for values in claims.
const PLACES: [u128; 2] = [90, 91];

/// A module that asks for other values.
fn asking(module: &Module, values: [u128; 2]) -> Module {
    let mut module = module.clone();
    let operands = |instruction: &mut Instruction| {
        instruction.op.for_each_operand_mut(|operand| {
            if let Operand::Int { value, .. } = operand
                && let Some(place) = PLACES.iter().position(|place| place == value)
            {
                *value = values[place];
            }
        });
    };
    let blocks = module.functions.iter_mut().flat_map(|function| &mut function.blocks);
    blocks.flat_map(|block| &mut block.instructions).for_each(operands);
    module
}

/// Where no delay is found, threads leave nothing behind that they would not under sequential
/// consistency: all values of the variables are asked for.
#[test]
fn robust_programs_leave_nothing_else_behind() {
    let first = number("SAPA_DIFFERENTIAL_SEED", 0);
    let programs = number("SAPA_DIFFERENTIAL_PROGRAMS", 12);
    let [one, other] = PLACES;
    let pairs = [("a", "b"), ("x", "y"), ("a", "x")];
    let claims = pairs.map(|(a, b)| format!("{a} != {one} || {b} != {other}"));
    let mut wrong = Vec::new();
    let (mut is_robust, mut others, mut alike) = ([0; 2], [0; 2], [0; 2]);
    for seed in first..first + programs {
        let with = |claim: &String| program_with(seed, |_| claim.clone());
        let asked = claims.each_ref().map(|claim| modules(seed, &with(claim)).1);
        let mut sequential = None;
        for (index, model) in [MemoryModel::Tso, MemoryModel::Pso].into_iter().enumerate() {
            let is = asked.iter().all(|module| robust(module, model));
            if !is && number("SAPA_DIFFERENTIAL_ALIKE", 0) == 0 {
                others[index] += 1;
                continue;
            }
            let sequential = sequential.get_or_insert_with(|| outcomes(&asked, MemoryModel::Sc));
            let relaxed = outcomes(&asked, model);
            let mut pairs = sequential.iter().zip(&relaxed);
            let differs = pairs.position(|(a, b)| a.is_some() && b.is_some() && a != b);
            match (is, differs) {
                (true, Some(which)) => {
                    let source = with(&claims[which / 9]);
                    wrong.push(format!("{seed}: {model:?}: robust, but {which} differs\n{source}"));
                }
                (true, None) => is_robust[index] += 1,
                (false, Some(_)) => others[index] += 1,
                (false, None) => alike[index] += 1,
            }
        }
    }
    println!("robust {is_robust:?}, not robust {others:?}, not robust and alike {alike:?}");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(is_robust.iter().chain(&others).all(|&count| count > 0));
}

/// What a program leaves behind under a model it also leaves behind where some of what waits is forgotten.
#[test]
fn what_is_forgotten_takes_no_run_away() {
    let first = number("SAPA_DIFFERENTIAL_SEED", 0);
    let programs = number("SAPA_DIFFERENTIAL_PROGRAMS", 6);
    let [one, other] = PLACES;
    let pairs = [("a", "b"), ("x", "y"), ("a", "x")];
    let mut wrong = Vec::new();
    let mut kept = [0; 2];
    for seed in first..first + programs {
        let summary = SUMMARIES[usize::try_from(seed).expect("it is small") % SUMMARIES.len()];
        for (a, b) in pairs {
            let claim = format!("{a} != {one} || {b} != {other}");
            let source = program_with(seed, |_| claim.clone());
            let module = modules(seed, &source).1;
            for (index, model) in [MemoryModel::Tso, MemoryModel::Pso].into_iter().enumerate() {
                for values in (0..3).flat_map(|one| (0..3).map(move |other| [one, other])) {
                    let asked = asking(&module, values);
                    if fails(&asked, model) != Some(true) {
                        continue;
                    }
                    match is_missing(&asked, model, summary) {
                        Ok(Some(false)) => kept[index] += 1,
                        Ok(None) => {}
                        Ok(Some(true)) => wrong.push(format!(
                            "{seed}: {model:?}: {summary}: {a} is never {} with {b} {}\n{source}",
                            values[0], values[1]
                        )),
                        Err(error) => wrong.push(format!("{seed}: {error}")),
                    }
                }
            }
        }
    }
    println!("left behind also with something forgotten: {kept:?}");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(kept.iter().all(|&count| count > 0));
}
