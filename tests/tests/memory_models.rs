//! Random programs under all memory models: what the interpreter finds with buffers of its own, in the
//! program as it is compiled and after the passes, and what it finds step by step in a module of which
//! buffers are a part of the code, must be the same.

use std::fmt::Write;

use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};
use sapa_driver::{Options, Program};
use sapa_ir::goto::interpret::{ExploreOptions, Incomplete, explore};
use sapa_ir::goto::{Atomicity, MemoryModel, Module, mnemonic, verify};
use sapa_passes::transform::store_buffers::OVERFLOW;
use sapa_passes::{PassError, Pipeline};

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
    "while (!$v) { }",
    "p = &$v;",
    "p = $c == 1 ? &$v : &$w;",
    "*p = $c;",
    "r = *p;",
    "*q = $c;",
    "q = &$v;",
    "r = *q;",
    "u.whole = $c;",
    "u.part[0] = $c; r = u.part[0];",
    "r = u.whole;",
    "u.part[0] = $c; r = u.whole & 3;",
    "u = w;",
    "g = h; r = g.v;",
    "h = g;",
    "g.w = $c; r = g.v;",
    "k[$v & 1] = $c; r = k[0];",
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
    "assert(r != $c || $v == $w);",
];

/// A shape that the models differ in, and statements around it.
const SHAPES: &[[&str; 2]] = &[
    ["$v = 1; a = $w;", "$w = 1; b = $v;"],
    ["$v = 1; $w = 1;", "if ($w) { a = 0; b = $v; } else b = 1;"],
    ["$v = 2; $w = 1;", "$w = 2; b = $v;"],
    ["$v = 1; *q = 2; a = $w;", "$w = 1; b = $v;"],
    ["u.part[0] = 1; a = $w;", "$w = 1; b = u.part[0];"],
];

fn program(seed: u64) -> String {
    let mut random = SmallRng::seed_from_u64(seed);
    let fill = |random: &mut SmallRng, text: &str| {
        let (v, w) = if random.random_bool(0.5) { ("x", "y") } else { ("y", "x") };
        let number = random.random_range(0..3).to_string();
        text.replace("$v", v).replace("$w", w).replace("$c", &number)
    };
    let shape = SHAPES[random.random_range(0..SHAPES.len())];
    let threads = random.random_range(2..4);
    let mut text = "#include <pthread.h>\n#include <assert.h>\n\
        void __VERIFIER_atomic_begin(void); void __VERIFIER_atomic_end(void);\n\
        int x, y, a, b; int *q = &x; pthread_mutex_t m; pthread_spinlock_t s;\n\
        union { int whole; char part[4]; } u, w = { 1 };\n\
        struct { int v, w; } g, h = { 1, 2 }; int k[2];\n"
        .to_owned();
    for thread in 0..threads {
        let _ = writeln!(text, "void *t{thread}(void *unused) {{ int r = 0; int *p = &y;");
        // Both threads of a shape have the same variables.
        let own = shape.get(thread).map(|own| own.replace("$v", "x").replace("$w", "y"));
        let before = random.random_range(0..2);
        let after = random.random_range(0..2);
        for _ in 0..before {
            let statement = STATEMENTS[random.random_range(0..STATEMENTS.len())];
            let _ = writeln!(text, "  {}", fill(&mut random, statement));
        }
        let parts: Vec<String> = match own {
            Some(own) if random.random_bool(0.8) => {
                own.split_inclusive("; ").map(str::to_owned).collect()
            }
            _ => Vec::new(),
        };
        for part in parts {
            let _ = writeln!(text, "  {part}");
            if !part.starts_with("if") && random.random_bool(0.3) {
                let statement = STATEMENTS[random.random_range(0..STATEMENTS.len())];
                let _ = writeln!(text, "  {}", fill(&mut random, statement));
            }
        }
        for _ in 0..after {
            let statement = STATEMENTS[random.random_range(0..STATEMENTS.len())];
            let _ = writeln!(text, "  {}", fill(&mut random, statement));
        }
        text.push_str("  return 0; }\n");
    }
    text.push_str("int main(void) {\n");
    for thread in 0..threads {
        let _ =
            writeln!(text, "  pthread_t h{thread}; pthread_create(&h{thread}, 0, t{thread}, 0);");
    }
    for thread in 0..threads {
        let _ = writeln!(text, "  pthread_join(h{thread}, 0);");
    }
    let claims = ["a || b", "a || b", "x != 2 || y != 1", "a != 1 || b != 0", "x || y || a"];
    let _ = writeln!(text, "  assert({});\n}}", claims[random.random_range(0..claims.len())]);
    text
}

/// Options of the passes that make buffers a part of the code: each layout that they may have.
const LAYOUTS: [&str; 2] = ["", "{layout=variables,k=6}"];

/// Whether a run of a module fails; `None` if that is not known.
fn fails(module: &Module, memory: MemoryModel) -> Option<bool> {
    let options = ExploreOptions { memory, max_states: STATES, ..ExploreOptions::default() };
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

/// How many programs fail under which models.
#[derive(Debug, Default)]
struct Tally {
    safe: usize,
    fails: usize,
    /// Safe under sequential consistency, but not under TSO.
    tso: usize,
    /// Safe under TSO, but not under PSO.
    pso: usize,
    /// Compared with each layout of the buffers in the code.
    compared: [usize; LAYOUTS.len()],
}

fn compare(seed: u64, tally: &mut Tally) -> Result<(), String> {
    let source = program(seed);
    let atomicity = if seed % 3 == 2 { Atomicity::Statement } else { Atomicity::Access };
    let options = Options { atomicity, ..Options::default() };
    let program = Program::compile_bytes("a.c", source.as_bytes(), &options);
    let program = program.unwrap_or_else(|error| panic!("{error}\n{source}"));
    let lowered = program.lowered(&options, &mut []);
    let lowered = lowered.unwrap_or_else(|error| panic!("{error}\n{source}"));
    let mut before = None;
    for model in [MemoryModel::Sc, MemoryModel::Tso, MemoryModel::Pso] {
        let compiled = fails(&program.module, model);
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
        if model == MemoryModel::Sc {
            continue;
        }
        for (layout, compared) in LAYOUTS.iter().zip(&mut tally.compared) {
            let instrumented = with_buffers(&lowered, model, layout).map_err(|e| told(&e))?;
            let in_code = instrumented.and_then(|module| fails(&module, MemoryModel::Sc));
            if let Some(in_code) = in_code {
                *compared += 1;
                if in_code != found {
                    return Err(told(&format!("with buffers in the code{layout} it is {in_code}")));
                }
            }
        }
    }
    Ok(())
}

#[test]
fn buffers_of_the_interpreter_and_of_the_code_are_the_same() {
    let first = number("SAPA_DIFFERENTIAL_SEED", 0);
    let programs = number("SAPA_DIFFERENTIAL_PROGRAMS", 60);
    let mut tally = Tally::default();
    let results = (first..first + programs).map(|seed| compare(seed, &mut tally));
    let wrong: Vec<String> = results.filter_map(Result::err).collect();
    println!("{tally:?}");
    assert!(wrong.is_empty(), "{} contradictions\n{}", wrong.len(), wrong.join("\n"));
    let Tally { safe, fails, tso, pso, compared } = tally;
    let all_kinds = [safe, fails, tso, pso, compared[0], compared[1]];
    assert!(all_kinds.iter().all(|&count| count > 0), "{all_kinds:?}");
}
