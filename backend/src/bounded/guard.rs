//! Path conditions as a tree: each is another one and a condition more.

use crate::solver::{TermId, TermStore};

/// A path condition of [`Guards`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Guard(u32);

impl Guard {
    /// The condition of all runs.
    pub const TRUE: Self = Self(0);
}

struct Data {
    parent: Guard,
    /// What it says more than its parent.
    condition: TermId,
    /// The whole condition.
    term: TermId,
    depth: u32,
}

/// The owner of all path conditions of an unfolding. Where paths meet again, the condition is that of
/// the place where they parted, if they all go on: so that it is cheap to see that one thing is always
/// done where another one is.
pub(super) struct Guards {
    all: Vec<Data>,
}

impl Guards {
    pub fn new(store: &TermStore) -> Self {
        let condition = store.true_();
        Self { all: vec![Data { parent: Guard::TRUE, condition, term: condition, depth: 0 }] }
    }

    fn data(&self, guard: Guard) -> &Data {
        &self.all[guard.0 as usize]
    }

    /// The condition as a term.
    pub fn term(&self, guard: Guard) -> TermId {
        self.data(guard).term
    }

    /// `guard && condition`; `None` if no run has both.
    pub fn and(&mut self, store: &mut TermStore, guard: Guard, condition: TermId) -> Option<Guard> {
        let whole = self.term(guard);
        let term = store.and(whole, condition);
        if term == store.false_() {
            return None;
        }
        if term == whole {
            return Some(guard);
        }
        let new = Guard(u32::try_from(self.all.len()).expect("an unfolding is smaller"));
        let depth = self.data(guard).depth + 1;
        self.all.push(Data { parent: guard, condition, term, depth });
        Some(new)
    }

    /// Whether one condition has the other among those that it is made of: then it implies it.
    pub fn implies(&self, guard: Guard, other: Guard) -> bool {
        let depth = self.data(other).depth;
        let mut guard = guard;
        while self.data(guard).depth > depth {
            guard = self.data(guard).parent;
        }
        guard == other
    }

    /// `a || b`, and the condition that `a` holds, given that either does.
    pub fn or(&mut self, store: &mut TermStore, a: Guard, b: Guard) -> (Guard, TermId) {
        let (mut x, mut y) = (a, b);
        let (mut rest_x, mut rest_y) = (store.true_(), store.true_());
        while x != y {
            let deeper = self.data(x).depth >= self.data(y).depth;
            let (at, rest) = if deeper { (&mut x, &mut rest_x) } else { (&mut y, &mut rest_y) };
            let data = &self.all[at.0 as usize];
            *rest = store.and(data.condition, *rest);
            *at = data.parent;
        }
        let condition = store.or(rest_x, rest_y);
        (self.and(store, x, condition).unwrap_or(x), rest_x)
    }
}
