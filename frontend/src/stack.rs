//! A stack that is deep enough for recursion over syntax trees.

use std::panic;
use std::thread;

/// Enough for the parser's nesting limit in an unoptimised build, several times over. Only the
/// pages that are touched cost memory.
const STACK_BYTES: usize = 256 << 20;

/// Runs a function on a thread with a deep stack and returns what it returns.
///
/// Recursive walks over trees that the parser accepted belong in here. If the system refuses such
/// a thread, the error says so.
///
/// # Errors
/// The operating system cannot create the thread.
///
/// # Panics
/// Passes a panic of the function on.
///
/// ```
/// let sum = sapa_frontend::stack::on_deep_stack(|| 1 + 1)?;
/// assert_eq!(sum, 2);
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn on_deep_stack<T: Send>(function: impl FnOnce() -> T + Send) -> std::io::Result<T> {
    thread::scope(|scope| {
        let handle = thread::Builder::new()
            .name("deep stack".to_owned())
            .stack_size(STACK_BYTES)
            .spawn_scoped(scope, function)?;
        match handle.join() {
            Ok(value) => Ok(value),
            Err(payload) => panic::resume_unwind(payload),
        }
    })
}
