//! `check-deadlock`: assertions that no state is reached in which all threads wait for ever.
//!
//! A *deadlock* is a state in which there is a thread, and each waits for what does not come, since nobody can move: for
//! a mutex, a spin lock, a read-write lock, a semaphore, the end of a thread, at a barrier, for what `pthread_once` calls, or
//! for a signal of a condition variable. A run that ends by `exit`, or in which `main` returns, is in none; nor is one in
//! which a thread goes round a loop, waits with a time limit, or is cut off by an assumption.
//!
//! # What is put into the code
//!
//! `__CPROVER_live` counts the threads that run: one at first, one more before a start, one less at an end. Before an
//! operation that waits a thread may choose to *give up*: in one step it sees that it would have to wait now, adds
//! itself to `__CPROVER_stuck`, asserts that not all threads that run have given up, and goes no further. What may end
//! somebody's wait (an unlock, a post, the end of a thread, a store to what is waited for) is one step with the
//! assumption that nobody has given up.
//!
//! *Joins*: whether a thread has ended is not in memory. Who gives up at a join asks the thread by its handle
//! (`__CPROVER_asked`), unless it is its own. Who has given up may answer, once, or does so when it gives up at a join and asks
//! another one itself; nobody else asks before. The assertion is about states without an open question. Threads that wait
//! for others make chains and rings, as to join a thread twice is undefined: one after the other gives up along them.
//!
//! *Condition variables*: a wait may give up when it begins, and is added to `__CPROVER_forever`, as who waits here
//! does not keep others from going on. It counts as having given up, and is never woken. Whether that can be is counted in
//! the object: the threads that wait and will be woken, signals that they were given and have not noticed, and those that
//! have given up. A signal goes to one of the first, if there is one, and a broadcast to all of them; nobody may have given
//! up if there is none, or at a broadcast. Who is woken notices before anybody begins to wait, so that no signal is
//! taken by one that came later. As everywhere, a wait may also end without a signal.
//!
//! # Why that is exact
//!
//! *Every failing assertion is a deadlock.* Who has given up could not go on then, and can never again: nobody ends a wait
//! any more, and other steps (locking, for example) make none possible. Signals are impossible where they would wake
//! somebody who has given up. Where all threads that run have given up, nobody moves. Threads that are asked have
//! not ended, since they answer.
//!
//! *Every deadlock is a failing assertion.* In the run to it nobody needs to give up before the state itself is reached,
//! but at condition variables; then all others do, one after the other, each of which finds that it has to wait, and those that are
//! asked answer. The last step makes the assertion fail; where it is a wait for a signal or the end of a thread, these
//! assert it too.
//!
//! Where waits are in sections that are executed in one step, or the models of the library have not been inlined, the pass
//! refuses the module.

mod ghosts;
mod instrument;
#[cfg(test)]
mod tests;
mod wait;

use sapa_ir::goto::{Entity, MemoryModel, Module};

use super::prepared;
use crate::analysis::Analyses;
use crate::error::PassError;
use crate::pass::{Context, Pass, Run};

/// The ghost that counts the threads that have given up, but at condition variables.
pub const STUCK: &str = "__CPROVER_stuck";

/// The ghost that counts those that have given up at condition variables.
pub const FOREVER: &str = "__CPROVER_forever";

/// The pass that asserts that there is no deadlock.
pub const PASS: Pass = Pass {
    name: "check-deadlock",
    summary: "assert that no state is reached in which all threads wait for ever",
    options: &[],
    preserves: &[],
    run: Run::Module(|module, context| run(module, context, Asked::All)),
};

/// The pass that asserts it of states in which a thread waits for the end of another one.
pub const JOINS: Pass = Pass {
    name: "check-joins",
    summary: "assert that no thread waits for ever for the end of another one where all threads wait for ever",
    options: &[],
    preserves: &[],
    run: Run::Module(|module, context| run(module, context, Asked::Joins)),
};

/// Which deadlocks are looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Asked {
    /// All.
    All,
    /// Those in which somebody waits in a join.
    Joins,
}

fn run(module: &mut Module, context: &mut Context<'_>, asked: Asked) -> Result<bool, PassError> {
    if module.memory != MemoryModel::Sc {
        let message = "the code has store buffers already; deadlocks are looked for before they are put there";
        return Err(PassError::new(PASS.name, module, Entity::Module, message));
    }
    // All deadlocks are looked for already.
    if module.global_by_name(ghosts::LIVE).is_some() {
        return Ok(false);
    }
    let mut prepared = prepared(module, context.limits)?;
    let waits = wait::find(&prepared, &mut Analyses::new(context.limits))?;
    let is_asked = match asked {
        Asked::All => !waits.is_empty(),
        Asked::Joins => waits.has_joins,
    };
    if !is_asked {
        return Ok(false);
    }
    instrument::instrument(&mut prepared, &waits, asked, context.limits)?;
    *module = prepared;
    Ok(true)
}
