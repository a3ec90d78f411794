//! The `thread-modular` engine: BOPPO's over-approximation for any number of threads (section 3).

use sapa_ir::boolean::flat::FlatProgram;

use super::coverability::flat_threads::FlatThreads;
use super::coverability::thread_states::thread_states;
use super::coverability::thread_system::Budget;
use super::{Answer, CheckOptions, Engine, Method, Outcome, Progress, SafeFor};

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
    let mut system = match FlatThreads::new(program, options) {
        Ok(system) => system,
        Err(reason) => return ENGINE.unknown(reason),
    };
    let mut budget = Budget::new(options, progress);
    let states = thread_states(&mut system, &mut budget);
    let answer = states.map(|states| match states.candidate {
        None => Answer::Safe { threads: SafeFor::AllThreads, by: Method::ThreadStates },
        Some((shared, local)) => Answer::Imprecise(system.suspect(shared, local, &[])),
    });
    Outcome::new(&ENGINE, answer, budget.statistics)
}
