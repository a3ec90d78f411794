//! The `pairs` engine: what any two threads can be seen doing together, for any number of threads
//! (Abdulla, Haziza, Holík: All for the price of few), without the other attempts of `coverability`.

use sapa_ir::boolean::flat::FlatProgram;

use super::coverability::by_views;
use super::coverability::pairs::pair_views;
use super::{CheckOptions, Engine, Method, Outcome, Progress};

/// Safe is a proof for any number of threads; an error that it finds need not exist.
pub static ENGINE: Engine = Engine {
    name: "pairs",
    summary: "views of two threads; proves for any number of threads",
    is_oracle: false,
    run: check,
};

fn check(
    program: &FlatProgram,
    options: &CheckOptions,
    progress: &mut dyn FnMut(Progress),
) -> Outcome {
    by_views(&ENGINE, Method::PairsOfThreads, pair_views, program, options, progress)
}
