//! Programs that start and join their threads in loops: all runs with and without the passes that
//! look at loops, handles and arguments.

use rayon::iter::{IntoParallelRefIterator, ParallelIterator};
use sapa_ir::goto::{Atomicity, Module};
use sapa_passes::Pipeline;

use super::compare::{all_runs, compile_with};

/// The default pipeline as it would be without them.
const BEFORE: &str = "inline,lower-sync,unreachable-blocks,mem2reg";

/// Loops that start `N` threads; `count` is how many were started.
const STARTS: [&str; 4] = [
    "for (int i = 0; i < N; i++) { pthread_create(&t[i], 0, f, (void *)(long)i); count++; }",
    "for (int i = N; i--; count++) pthread_create(&t[i], 0, f, 0);",
    "for (int i = 0; i < N; i++) { if (any()) break; pthread_create(&t[i], 0, f, 0); count++; }",
    "for (unsigned i = 0; i < 2 * N; i += 2) { pthread_create(&t[i / 2], 0, f, 0); count++; }",
];

/// Loops that join them, or do not join all.
const JOINS: [&str; 5] = [
    "for (int i = 0; i < N; i++) pthread_join(t[i], 0);",
    "for (int i = 0; i < count; i++) pthread_join(t[i], 0);",
    "int i = N; while (--i > 0) pthread_join(t[i], 0);",
    "for (int i = 0; i < N; i++) pthread_join(t[0], 0);",
    "for (int i = 0; i < N; i++) { if (any()) continue; pthread_join(t[i], 0); }",
];

/// What is claimed in the end.
const CLAIMS: [&str; 3] = ["sum == N", "sum >= N - 1", "sum == count"];

fn program(threads: usize, start: &str, join: &str, claim: &str) -> String {
    format!(
        "#include <pthread.h>
         #define N {threads}
         int sum; int any(void);
         void *f(void *a) {{ __CPROVER_atomic_begin(); sum++; __CPROVER_atomic_end(); return 0; }}
         int main(void) {{ pthread_t t[N] = {{0}}; int count = 0;
           {start} {join} __CPROVER_assert({claim}, \"claim\"); }}"
    )
}

fn passed(source: &str, passes: &str) -> Module {
    compile_with(source, Atomicity::Access, Pipeline::parse(passes).expect("the pipeline"))
}

pub fn loops_of_threads_have_the_same_runs_unrolled() {
    let mut programs = Vec::new();
    for threads in 1..=3 {
        for (start, join) in STARTS.iter().flat_map(|s| JOINS.iter().map(move |j| (s, j))) {
            // The ends of three are counted; that many have many runs.
            for claim in CLAIMS.iter().take(if threads > 2 { 1 } else { CLAIMS.len() }) {
                let source = program(threads, start, join, claim);
                programs.extend([threads as u32, 1].map(|bound| (source.clone(), Some(bound))));
            }
        }
    }
    let ends: Vec<bool> =
        programs.par_iter().filter_map(|(source, bound)| fails(source, *bound)).collect();
    let fail = ends.iter().filter(|&&fails| fails).count();
    let hold = ends.len() - fail;
    assert!(fail > 50 && hold > 50, "{fail} fail, {hold} hold");
}

/// Whether a program fails, with and without the passes; `None` if not all runs were seen.
fn fails(source: &str, bound: Option<u32>) -> Option<bool> {
    let before = all_runs(&passed(source, BEFORE), bound);
    let module = passed(source, "default");
    let after = all_runs(&module, bound);
    if before.incomplete.is_some() || after.incomplete.is_some() {
        return None;
    }
    let fails = before.failure.is_some();
    assert_eq!(after.failure.is_some(), fails, "{bound:?}\n{source}\n{module}");
    Some(fails)
}
