//! The bounded engine, asked of a module by itself.

use sapa_backend::bounded::{self, Answer};
use sapa_ir::goto::{MemoryModel, Module};
use sapa_limits::Limits;

/// Whether a run of a module fails, by the bounded engine with one number of rounds after the other;
/// `None` if it does not decide that. `threads` bounds how many there are at once besides the initial one.
///
/// # Panics
/// If a failure that it finds does not replay.
#[must_use]
pub fn bounded_runs_fail(
    module: &Module,
    threads: Option<u32>,
    memory: MemoryModel,
    rounds: &[u32],
) -> Option<bool> {
    let movers = bounded::movers(module, memory, &Limits::default()).expect("there is no limit");
    for &rounds in rounds {
        let options = bounded::Options {
            rounds,
            threads,
            instructions: 100_000,
            orders: 100_000,
            effort: Some(2_000_000_000),
            memory,
            movers: movers.clone(),
            limits: Limits::default(),
        };
        match bounded::run(module, &options).0 {
            Answer::Fails(failure) => {
                assert!(failure.execute(module, threads).is_some(), "{failure:?}");
                return Some(true);
            }
            Answer::Safe { .. } => return Some(false),
            Answer::Longer(_) => {}
            Answer::Unknown(_) | Answer::Stopped => return None,
        }
    }
    None
}
