//! What would have stopped a failing execution: the stores behind which its thread does more before
//! they have reached memory.
//!
//! A fence lets its thread go on when all its stores have reached memory. So an execution is one of
//! the program with more fences too, unless a thread does something at one of them that others may
//! see, or that depends on them, while a store waits.

use std::collections::{BTreeMap, BTreeSet};

use sapa_backend::execution::act::{Act, ActKind, Bytes, StoreId};
use sapa_ir::goto::Location;

/// The locations of the stores behind which a fence would have stopped an execution. With fences
/// anywhere else there is an execution that fails in the same way: this one, but with stores that
/// reach memory as early as they can without anybody seeing a difference.
///
/// There may be more locations than that, but none is missing.
pub(super) fn stopping(acts: &[Act]) -> BTreeSet<Location> {
    let mut order = with_all_stores(acts);
    hasten(&mut order);
    let mut found = BTreeSet::new();
    for (index, act) in order.iter().enumerate() {
        if matches!(act.kind, ActKind::Waits(..)) && stops(&order, index) {
            found.insert(act.location);
        }
    }
    found
}

/// The execution, at whose end all stores reach memory that still wait then: those that wait with
/// an address that is not known have no bytes there, and conflict with all others.
fn with_all_stores(acts: &[Act]) -> Vec<Act> {
    let mut order = acts.to_vec();
    let mut waiting: BTreeMap<StoreId, Act> = BTreeMap::new();
    for act in acts {
        match act.kind {
            ActKind::Waits(store, bytes) => {
                let anywhere = Bytes { pointer: 0, size: u64::MAX };
                let kind = ActKind::Reaches(store, bytes.unwrap_or(anywhere));
                waiting.insert(store, Act { kind, section: None, ..act.clone() });
            }
            ActKind::Reaches(store, _) => {
                waiting.remove(&store);
            }
            _ => {}
        }
    }
    // Stores have their numbers in the order in which they begin to wait, so each thread's stay in
    // the order of its program.
    order.extend(waiting.into_values());
    order
}

/// Lets each store reach memory as early as it can: other threads must neither have read nor written
/// there before, and what the thread itself has let reach memory before stays before.
fn hasten(order: &mut [Act]) {
    for from in 0..order.len() {
        let Some(act) = order.get(from) else { break };
        // Inside a section it was forced to.
        if !matches!(act.kind, ActKind::Reaches(..)) || act.section.is_some() {
            continue;
        }
        let act = act.clone();
        let mut to = from;
        for index in (0..from).rev() {
            let Some(before) = order.get(index) else { break };
            if is_fixed(&act, before) {
                break;
            }
            // Nothing happens inside the sections of others, nor in the middle of one's own.
            let begins = before.section.is_none()
                || index.checked_sub(1).and_then(|i| order.get(i)).is_none_or(|earlier| {
                    (earlier.thread, earlier.section) != (before.thread, before.section)
                });
            if begins {
                to = index;
            }
        }
        if let Some(part) = order.get_mut(to..=from) {
            part.rotate_right(1);
        }
    }
}

/// Whether a store cannot reach memory before something that happens before.
fn is_fixed(store: &Act, before: &Act) -> bool {
    let ActKind::Reaches(id, bytes) = store.kind else { return true };
    if store.thread == before.thread {
        return match before.kind {
            ActKind::Waits(other, _) => other == id,
            ActKind::Reads(_) | ActKind::Fails => false,
            ActKind::Reaches(..) | ActKind::Writes(_) | ActKind::Begins | ActKind::Changes => true,
        };
    }
    match before.kind {
        ActKind::Waits(..) | ActKind::Begins | ActKind::Fails => false,
        ActKind::Changes => true,
        ActKind::Reads(other) | ActKind::Writes(other) | ActKind::Reaches(_, other) => {
            bytes.overlap(other)
        }
    }
}

/// Whether a fence behind the store that begins to wait here would stop the execution.
fn stops(order: &[Act], index: usize) -> bool {
    let Some(store) = order.get(index) else { return false };
    // A fence stands behind the section that the store is in.
    let same = |act: &&Act| act.thread == store.thread && act.section == store.section;
    let place = match store.section {
        None => index,
        Some(_) => index + order.iter().skip(index + 1).take_while(same).count(),
    };
    // What the fence waits for, with the bytes where it is once it has reached memory.
    let mut waiting = BTreeSet::new();
    for act in order.iter().take(place + 1).filter(|act| act.thread == store.thread) {
        match act.kind {
            ActKind::Waits(id, _) => drop(waiting.insert(id)),
            ActKind::Reaches(id, _) => drop(waiting.remove(&id)),
            _ => {}
        }
    }
    let mut written: Vec<Bytes> = Vec::new();
    for act in order.iter().skip(place + 1) {
        if waiting.is_empty() {
            break;
        }
        let is_own = act.thread == store.thread;
        match act.kind {
            ActKind::Reaches(id, bytes) if is_own && waiting.remove(&id) => written.push(bytes),
            // It may begin to wait after the fence.
            ActKind::Waits(..) if is_own => {}
            _ if is_own => return true,
            // What the thread reads of its own store would be read after the fence, and be this.
            ActKind::Reaches(_, bytes) | ActKind::Writes(bytes)
                if written.iter().any(|own| own.overlap(bytes)) =>
            {
                return true;
            }
            ActKind::Changes if !written.is_empty() => return true,
            _ => {}
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    const X: Bytes = Bytes { pointer: 16, size: 4 };
    const Y: Bytes = Bytes { pointer: 32, size: 4 };

    /// Acts of threads, each at a line of its own: its index, from 1.
    fn acts(kinds: &[(u32, ActKind)]) -> Vec<Act> {
        let act = |(line, &(thread, kind)): (u32, &(u32, ActKind))| {
            let location = Location { line, ..Location::default() };
            Act { thread, kind, location, section: None }
        };
        (1..).zip(kinds).map(act).collect()
    }

    fn lines(acts: &[Act]) -> Vec<u32> {
        stopping(acts).into_iter().map(|location| location.line).collect()
    }

    fn waits(store: usize, bytes: Bytes) -> ActKind {
        ActKind::Waits(StoreId(store), Some(bytes))
    }

    fn reaches(store: usize, bytes: Bytes) -> ActKind {
        ActKind::Reaches(StoreId(store), bytes)
    }

    #[test]
    fn a_store_that_another_thread_reads_too_late_stops() {
        // Thread 1's store is late: thread 2 has read before. Thread 2's could have come at once.
        let run = [
            (1, waits(0, X)),
            (1, ActKind::Reads(Y)),
            (2, waits(1, Y)),
            (2, ActKind::Reads(X)),
            (1, reaches(0, X)),
            (2, reaches(1, Y)),
            (1, ActKind::Fails),
        ];
        assert_eq!(lines(&acts(&run)), [1]);
    }

    #[test]
    fn what_never_reaches_memory_could_have_unless_it_is_read() {
        let run = [(1, waits(0, X)), (1, ActKind::Reads(Y)), (2, ActKind::Fails)];
        assert_eq!(lines(&acts(&run)), []);
        let run = [(1, waits(0, X)), (1, ActKind::Reads(Y)), (2, ActKind::Reads(X))];
        assert_eq!(lines(&acts(&run)), [1]);
    }

    #[test]
    fn a_store_that_overtakes_another_stops_behind_that() {
        // PSO: the flag reaches memory first, and the data are read before they do.
        let run = [
            (1, waits(0, X)),
            (1, waits(1, Y)),
            (1, reaches(1, Y)),
            (2, ActKind::Reads(Y)),
            (2, ActKind::Reads(X)),
            (1, reaches(0, X)),
            (2, ActKind::Fails),
        ];
        assert_eq!(lines(&acts(&run)), [1]);
    }

    #[test]
    fn a_fence_behind_a_step_does_not_stop_what_the_step_reads() {
        let mut run = acts(&[
            (1, waits(0, X)),
            (1, ActKind::Reads(Y)),
            (2, ActKind::Reads(X)),
            (1, reaches(0, X)),
            (2, ActKind::Fails),
        ]);
        assert_eq!(lines(&run), [1]);
        run[0].section = Some(0);
        run[1].section = Some(0);
        assert_eq!(lines(&run), []);
    }
}
