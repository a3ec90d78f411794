//! The `pairs` engine: what any two threads can be seen doing together, for any number of threads
//! (Abdulla, Haziza, Holík: All for the price of few), without the other attempts of `coverability`.
//! They are listed where they are few, and sets of them are BDDs otherwise.

use sapa_ir::boolean::flat::FlatProgram;
use sapa_limits::Exceeded;

use super::coverability::by_views;
use super::coverability::pairs::pair_views;
use super::coverability::symbolic::{Extent, symbolic};
use super::{Answer, CheckOptions, Engine, Method, Outcome, Progress, UnknownReason};

/// Safe is a proof for any number of threads; an error that it finds need not exist.
pub static ENGINE: Engine = Engine {
    name: "pairs",
    summary: "views of two threads; proves for any number of threads",
    is_oracle: false,
    run: check,
};

/// How many steps are listed before BDDs are tried.
const LISTED: u64 = 1 << 22;

fn check(
    program: &FlatProgram,
    options: &CheckOptions,
    progress: &mut dyn FnMut(Progress),
) -> Outcome {
    let few = options.max_work.map_or(LISTED, |most| most.min(LISTED));
    let few = CheckOptions { max_work: Some(few), ..options.clone() };
    let by = Method::PairsOfThreads;
    let listed = by_views(&ENGINE, by, pair_views, program, &few, progress);
    let spent = listed.statistics.work;
    let left = options.max_work.map(|most| most.saturating_sub(spent));
    let is_long = matches!(
        listed.answer,
        Answer::Unknown(
            UnknownReason::WorkLimit
                | UnknownReason::StateLimit(_)
                | UnknownReason::Unsupported(_)
                | UnknownReason::Exceeded(Exceeded::Memory)
        )
    );
    if !is_long || left == Some(0) {
        return listed;
    }
    let options = CheckOptions { max_work: left, ..options.clone() };
    let mut outcome = symbolic(program, &options, Extent::Pairs, progress);
    outcome.engine = &ENGINE;
    outcome.statistics.work = outcome.statistics.work.saturating_add(spent);
    outcome
}
