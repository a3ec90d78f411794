//! What has to be undone before the process ends without unwinding: temporary files are removed,
//! children are killed. As with `atexit(3)`, the list is the process's.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

type Action = Box<dyn FnOnce() + Send>;

static ACTIONS: Mutex<(u64, BTreeMap<u64, Action>)> = Mutex::new((0, BTreeMap::new()));

fn actions() -> MutexGuard<'static, (u64, BTreeMap<u64, Action>)> {
    ACTIONS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Takes an action off the list when it is dropped.
#[derive(Debug)]
#[must_use = "the action is taken off the list at once"]
pub struct Cleanup {
    number: u64,
}

impl Drop for Cleanup {
    fn drop(&mut self) {
        actions().1.remove(&self.number);
    }
}

/// Does something and puts on the list how it is undone; nobody runs the list in between.
///
/// # Errors
/// What `act` returns.
pub fn undone_by<T, E, A: FnOnce() + Send + 'static>(
    act: impl FnOnce() -> Result<T, E>,
    undo: impl FnOnce(&T) -> A,
) -> Result<(T, Cleanup), E> {
    let mut list = actions();
    let done = act()?;
    list.0 += 1;
    let number = list.0;
    let undo = undo(&done);
    list.1.insert(number, Box::new(undo));
    Ok((done, Cleanup { number }))
}

/// Undoes all that is on the list. Whoever calls this ends the process at once: the list is kept
/// from others, so that nothing is begun after it.
pub fn run_all() {
    let mut list = actions();
    for (_, action) in std::mem::take(&mut list.1) {
        action();
    }
    std::mem::forget(list);
}
