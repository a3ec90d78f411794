//! Objects that are local to threads: each thread's copy is an object with a number of its own, so
//! that an address means the same whoever uses it.
//!
//! Those of the initial thread have the numbers of the globals. Those of the others are numbered from
//! the largest number down, by thread, and so apart from all that comes into being in a run: states
//! that differ in the order in which threads made objects do not differ in these numbers.

use crate::goto::address;
use crate::goto::entity::GlobalId;
use crate::goto::module::{Global, Module};

/// The globals that each thread has, and the numbers of the objects that they are.
#[derive(Clone, Debug)]
pub(super) struct Own {
    globals: Vec<GlobalId>,
    /// By global, its place among these.
    places: Vec<Option<u64>>,
    /// The largest number.
    last: u64,
}

impl Own {
    pub fn new(module: &Module) -> Self {
        let mut globals = Vec::new();
        let place = |(index, global): (usize, &Global)| {
            global.thread_local.then(|| {
                globals.push(GlobalId::new(index));
                globals.len() as u64 - 1
            })
        };
        let places = module.globals.iter().enumerate().map(place).collect();
        // Behind the largest number there is no room for what is beside an object.
        let last = address::max_object(module.target.pointer_bits) - 1;
        Self { globals, places, last }
    }

    /// The globals that each thread has.
    pub fn globals(&self) -> &[GlobalId] {
        &self.globals
    }

    /// The number of a thread's object of a global; `None` if all threads share it, or there are too
    /// many threads.
    pub fn number(&self, thread: u32, global: GlobalId) -> Option<u64> {
        let place = self.places.get(global.index()).copied().flatten()?;
        match thread.checked_sub(1) {
            None => Some(u64::from(global.0) + 1),
            Some(before) => self.last.checked_sub(self.taken(before).checked_add(place)?),
        }
    }

    /// Whose object a number is, if it may be one that is local to a thread: the thread, whether it
    /// exists or not, and the global.
    pub fn owner(&self, number: u64) -> Option<(u32, GlobalId)> {
        if let Some(index) = number.checked_sub(1)
            && let Some(place) = self.places.get(usize::try_from(index).ok()?)
        {
            return place.map(|_| (0, GlobalId::new(index as usize)));
        }
        let below = self.last.checked_sub(number)?;
        let count = self.globals.len() as u64;
        let thread = u32::try_from(below.checked_div(count)?.checked_add(1)?).ok()?;
        let global = self.globals.get(usize::try_from(below % count).ok()?)?;
        Some((thread, *global))
    }

    /// The first number behind those that remain with this many threads, the initial one included.
    pub fn end(&self, threads: u32) -> u64 {
        self.last.saturating_sub(self.taken(threads.saturating_sub(1))).saturating_add(1)
    }

    /// How many numbers so many threads take, the initial one left out.
    fn taken(&self, threads: u32) -> u64 {
        u64::from(threads).saturating_mul(self.globals.len() as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::goto::parse;

    #[test]
    fn each_number_is_one_threads() {
        let text = "gir 1 global $a: i32 = zero global thread_local $b: i32 = zero
            global $c: i32 = zero global thread_local $d: i64 = zero";
        let module = parse(text, "t.gir").expect("it is well-formed");
        let own = Own::new(&module);
        assert_eq!(own.globals(), [GlobalId::new(1), GlobalId::new(3)]);
        let mut seen = std::collections::BTreeSet::new();
        for thread in [0, 1, 2, 77] {
            for &global in own.globals() {
                let number = own.number(thread, global).expect("there is room");
                assert!(seen.insert(number));
                assert_eq!(own.owner(number), Some((thread, global)));
                assert!(thread == 0 || number >= own.end(thread + 1));
                assert!(thread == 0 || number < own.end(thread));
            }
        }
        assert_eq!(own.number(1, GlobalId::new(0)), None);
        assert_eq!(own.owner(1), None);
        assert_eq!(own.owner(2), Some((0, GlobalId::new(1))));
    }
}
