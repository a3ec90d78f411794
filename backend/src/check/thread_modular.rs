//! The `thread-modular` engine: BOPPO's over-approximation for any number of threads (section 3).

use sapa_ir::boolean::flat::FlatProgram;

use super::coverability::by_views;
use super::coverability::thread_states::thread_states;
use super::{CheckOptions, Engine, Method, Outcome, Progress};

/// Safe is a proof for any number of threads; an error that it finds need not exist.
pub static ENGINE: Engine = Engine {
    name: "thread-modular",
    summary: "thread-visible states (BOPPO Fig. 3); proves for any number of threads",
    is_oracle: false,
    run: check,
};

fn check(
    program: &FlatProgram,
    options: &CheckOptions,
    progress: &mut dyn FnMut(Progress),
) -> Outcome {
    by_views(&ENGINE, Method::ThreadStates, thread_states, program, options, progress)
}
