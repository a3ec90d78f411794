//! Replays traces against the plain semantics: no "unsafe" is believed without.

use super::simple::{failure_of, fresh_number, initial_matches, is_step};
use crate::check::ThreadBound;
use sapa_ir::boolean::flat::{FlatProgram, LocationId};
use sapa_ir::boolean::trace::Trace;

/// Why a trace is no execution.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReplayError {
    /// The first state is not initial.
    #[error("the first state is not an initial state")]
    Initial,
    /// A step is not possible.
    #[error("step {step} of thread {thread} at location {} is not possible", location.0)]
    Step {
        /// Its number, from 0.
        step: usize,
        /// The thread.
        thread: u32,
        /// Where the thread stood.
        location: LocationId,
    },
    /// The assertion named cannot fail in the last state.
    #[error("the assertion cannot fail in the last state")]
    Failure,
}

/// Whether the trace is an execution with at most `threads` threads that ends where the named
/// assertion can fail. A new thread must have the lowest number above all existing ones.
///
/// # Errors
/// Says which part of the trace is wrong.
pub fn replay(
    program: &FlatProgram,
    threads: ThreadBound,
    trace: &Trace,
) -> Result<(), ReplayError> {
    if !initial_matches(program, &trace.initial) {
        return Err(ReplayError::Initial);
    }
    let mut state = &trace.initial;
    for (number, step) in trace.steps.iter().enumerate() {
        if !is_step(program, threads, state, fresh_number(state), step) {
            return Err(ReplayError::Step {
                step: number,
                thread: step.thread,
                location: step.location,
            });
        }
        state = &step.state;
    }
    if failure_of(program, state, trace.failing_thread) != Some(trace.failing_location) {
        return Err(ReplayError::Failure);
    }
    Ok(())
}
