//! A stack for operations on BDDs, which recurse once for each variable of the order.

use std::sync::mpsc;
use std::thread::{Builder, scope};

use sapa_limits::Exceeded;

use crate::check::{Progress, UnknownReason};

/// More variables than BDDs are good for.
const MOST_VARIABLES: usize = 1 << 20;

/// What one variable takes. The frames of the recursive operations take 64 to 272 bytes, whether
/// optimised much or little, and at most two operations are nested that both go through the order.
/// Pages that are not used cost nothing.
const BYTES_PER_VARIABLE: usize = 1024;

/// What everything else takes.
const BYTES: usize = 8 << 20;

/// Does the work of an engine over BDDs with this number of variables on a thread that has the stack for
/// it; refuses where there are too many.
pub(crate) fn run<T: Send>(
    variables: usize,
    progress: &mut dyn FnMut(Progress),
    work: impl FnOnce(&mut dyn FnMut(Progress)) -> T + Send,
) -> Result<T, UnknownReason> {
    if variables > MOST_VARIABLES {
        let what = format!("more than {MOST_VARIABLES} BDD variables");
        return Err(UnknownReason::Unsupported(what));
    }
    let builder = Builder::new().stack_size(BYTES + variables * BYTES_PER_VARIABLE);
    scope(|scope| {
        let (sender, receiver) = mpsc::channel();
        let mut send = move |progress| {
            // The receiver stays until this end is gone.
            let _ = sender.send(progress);
        };
        let Ok(worker) = builder.spawn_scoped(scope, move || work(&mut send)) else {
            return Err(UnknownReason::Exceeded(Exceeded::Memory));
        };
        receiver.iter().for_each(progress);
        worker.join().map_err(|panic| std::panic::resume_unwind(panic))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn progress_comes_through_and_too_much_is_refused() {
        let mut depths = Vec::new();
        let mut note = |progress: Progress| depths.push(progress.depth);
        let outcome = run(5, &mut note, |progress| {
            (0..3).for_each(|depth| progress(Progress { states: 0, depth }));
            7
        });
        assert_eq!(outcome, Ok(7));
        let refused = run(MOST_VARIABLES + 1, &mut note, |_| 0);
        assert!(matches!(refused, Err(UnknownReason::Unsupported(_))));
        assert_eq!(depths, [0, 1, 2]);
    }
}
