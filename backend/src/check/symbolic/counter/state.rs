//! Counted symbolic states (BOOM section 6.1, expression (3)).

use std::rc::Rc;

use sapa_ir::boolean::flat::LocationId;

use super::set::SetId;

/// Where a thread is and what else distinguishes it from others besides its locals.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct Place {
    pub(super) location: LocationId,
    /// The initial thread does not count against the bound, so it is kept apart.
    pub(super) initial: bool,
    /// Inside an atomic section; at most one thread is.
    pub(super) holder: bool,
}

/// `count` threads at a place, each with any of the valuations in `locals`. Never 0 of them.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct Class {
    pub(super) place: Place,
    pub(super) locals: SetId,
    pub(super) count: u32,
}

/// All threads: classes in ascending order, no two with the same place and locals. The paper's
/// `F`, with the program counters explicit.
pub(super) type Classes = Rc<[Class]>;

/// Adds threads to a list of classes (`UpdateCounters`, lines 15 to 18).
pub(super) fn add(classes: &mut Vec<Class>, place: Place, locals: SetId, count: u32) {
    match classes.binary_search_by_key(&(place, locals), |c| (c.place, c.locals)) {
        Ok(at) => classes[at].count += count,
        Err(at) => classes.insert(at, Class { place, locals, count }),
    }
}

/// The list without one thread of the class at `index` (line 14). The list itself may have a
/// class twice or out of order, the result has not.
pub(super) fn without(classes: &[Class], index: usize) -> Vec<Class> {
    let mut rest = Vec::with_capacity(classes.len() + 2);
    for (at, class) in classes.iter().enumerate() {
        let count = if at == index { class.count - 1 } else { class.count };
        if count > 0 {
            add(&mut rest, class.place, class.locals, count);
        }
    }
    rest
}

/// How many threads besides the initial one there are.
pub(super) fn started(classes: &[Class]) -> u32 {
    classes.iter().filter(|c| !c.place.initial).map(|c| c.count).sum()
}

/// The indices of classes whose threads may move: the one in an atomic section, or all.
pub(super) fn movers(classes: &[Class]) -> Vec<usize> {
    match classes.iter().position(|class| class.place.holder) {
        Some(holder) => vec![holder],
        None => (0..classes.len()).collect(),
    }
}
