//! Operations on objects of synchronisation.

use sapa_ir::goto::operation::{THREAD_END, THREAD_JOIN};
use sapa_ir::goto::{BinaryOp, Instruction, Location, Op, Operand, Type};

use super::Recorder;
use super::step::Step;
use crate::execution::event::{Event, EventKind};
use crate::execution::part::Members;

/// Where in a mutex the count of a recursive one is, in bytes: see `struct mutex` of the library's
/// models.
const MUTEX_COUNT: u64 = 4;

impl Recorder<'_> {
    pub(super) fn mention(
        &mut self,
        step: &Step<'_>,
        kind: EventKind,
        pointer: u128,
        location: Location,
    ) {
        if let Some(name) = self.names.synchronised(step.machine, pointer) {
            self.event(step, location, Event::new(kind, name));
        }
    }

    /// A mutex's member is written that no other event is about: if it is the count of a recursive
    /// one, its owner locks or unlocks the mutex once more.
    pub(super) fn count(
        &mut self,
        step: &Step<'_>,
        pointer: u128,
        (old, new): (Option<u128>, u128),
        location: Location,
    ) {
        let operation = self.module.operation(location).unwrap_or_default();
        if operation.ends_with("_init") || !["mutex", "mtx"].iter().any(|m| operation.contains(m)) {
            return;
        }
        let place = self.names.place(step.machine, pointer, &Type::Int(32), &Members::new());
        if !place.inner || place.rest != MUTEX_COUNT {
            return;
        }
        let (Some(old), Some(name)) = (old, place.name) else { return };
        let kind = match new.cmp(&old) {
            std::cmp::Ordering::Greater => EventKind::LockAgain,
            std::cmp::Ordering::Less => EventKind::KeepLocked,
            std::cmp::Ordering::Equal => return,
        };
        self.event(step, location, Event::new(kind, name));
    }

    /// Something is done to a synchronisation object, by a store of a value that may be the one
    /// that is there.
    pub(super) fn synchronises(
        &mut self,
        step: &Step<'_>,
        pointer: u128,
        (kind, value, changes): (EventKind, u128, bool),
        location: Location,
    ) {
        let known = self.known(step.thread);
        known.looked_at = None;
        // The last thread that arrives at a barrier lets all pass, in the same section.
        let kind = match kind {
            EventKind::Arrive if known.done.contains(&EventKind::Pass) => return,
            EventKind::Arrive if known.done.contains(&EventKind::Arrive) => EventKind::Pass,
            kind => kind,
        };
        if kind == EventKind::Arrive || kind == EventKind::Pass {
            known.done.push(kind);
        }
        if !changes && !matches!(kind, EventKind::Unlock | EventKind::Initialise) {
            return self.looked_at(step, (pointer, value), location);
        }
        let Some(name) = self.names.synchronised(step.machine, pointer) else { return };
        let mut event = Event::new(kind, name);
        let operation = self.module.operation(location).unwrap_or_default();
        let counts = kind == EventKind::Initialise && operation.starts_with("sem");
        if counts || matches!(kind, EventKind::Take | EventKind::Post) {
            event.value = Some(value.to_string());
        }
        self.event(step, location, event);
    }

    /// Whether a store is that of a compare-exchange that fails: it stores what it has read. One
    /// that may fail although the values are equal says so where that is why.
    pub(super) fn has_failed(
        &mut self,
        step: &Step<'_>,
        (pointer, value): (u128, Operand),
        location: Location,
    ) -> bool {
        if !self.module.operation(location).is_some_and(|name| name.contains("compare")) {
            return false;
        }
        let Some(id) = value.value() else { return false };
        let Some(Op::Select { condition, .. }) =
            self.definition(step.position.0, id).map(|instruction| &instruction.op)
        else {
            return false;
        };
        let at = |operand: Operand| step.machine.value(step.thread, operand);
        if at(*condition) == 1 {
            return false;
        }
        let definition = condition.value().and_then(|id| self.definition(step.position.0, id));
        if let Some(Op::Binary { op: BinaryOp::And, a, b, .. }) = definition.map(|found| &found.op)
            && at(*a) != at(*b)
        {
            // One of them is the comparison, the other the choice.
            let is_compared = |found: Option<&Instruction>| {
                found.is_some_and(|found| matches!(found.op, Op::Compare { .. }))
            };
            let equal = [*a, *b].into_iter().find(|operand| {
                let id = operand.value();
                is_compared(id.and_then(|id| self.definition(step.position.0, id)))
            });
            if equal.is_some_and(|equal| at(equal) == 1) {
                self.mention(step, EventKind::FailSpuriously, pointer, location);
            }
        }
        true
    }

    /// A synchronisation object is looked at. In a locked section that is an event of its own if
    /// the section does not change the object, which its end shows. Outside of them an operation
    /// looks first whether there is anything to do, and ends if not.
    pub(super) fn looked_at(
        &mut self,
        step: &Step<'_>,
        (pointer, value): (u128, u128),
        location: Location,
    ) {
        if !self.known(step.thread).done.is_empty() {
            return;
        }
        let Inside::Synchronisation { found: Some(found), .. } =
            inside(self.module.operation(location))
        else {
            return;
        };
        let Some(kind) = found(value) else { return };
        let Some(name) = self.names.synchronised(step.machine, pointer) else { return };
        let known = self.known(step.thread);
        if known.is_locked {
            known.looked_at = Some((kind, name, location));
        } else if kind != EventKind::FindBegun {
            // What has begun is waited for in a section, which says what it has found.
            self.event(step, location, Event::new(kind, name));
        }
    }
}

/// What the accesses of an operation mean.
#[derive(Clone, Copy)]
pub(super) enum Inside {
    /// What they are.
    Access,
    /// Something is done to a synchronisation object.
    Synchronisation {
        /// What it is that stores a value there.
        stored: fn(u128) -> EventKind,
        /// What it is that only looks there, by the value that is read: nothing if something is
        /// done then.
        found: Option<fn(u128) -> Option<EventKind>>,
    },
    /// Nothing of the source.
    Hidden,
}

impl PartialEq for Inside {
    fn eq(&self, other: &Self) -> bool {
        std::mem::discriminant(self) == std::mem::discriminant(other)
    }
}

/// What the accesses of the operation of this name mean.
pub(super) fn inside(operation: Option<&str>) -> Inside {
    let Some(operation) = operation else { return Inside::Access };
    type Kind = fn(u128) -> EventKind;
    type Found = fn(u128) -> Option<EventKind>;
    let (stored, found): (Kind, Option<Found>) = match operation {
        "mutex_lock" => (|_| EventKind::Lock, None),
        "mutex_try_lock" => (|_| EventKind::Lock, Some(|value| find_taken(value != 0))),
        "mutex_unlock" | "spin_unlock" | "read_write_unlock" => (|_| EventKind::Unlock, None),
        // It unlocks the mutex, and locks it again.
        "condition_wait" => {
            (|value| if value == 0 { EventKind::Unlock } else { EventKind::Lock }, None)
        }
        "read_lock" => (|_| EventKind::LockToRead, None),
        "write_lock" => (|_| EventKind::LockToWrite, None),
        // All bits are set by a writer: see the library's model.
        "pthread_rwlock_tryrdlock" | "pthread_rwlock_timedrdlock" => {
            (|_| EventKind::LockToRead, Some(|value| find_taken(value == u128::from(u32::MAX))))
        }
        "pthread_rwlock_trywrlock" | "pthread_rwlock_timedwrlock" => {
            (|_| EventKind::LockToWrite, Some(|value| find_taken(value != 0)))
        }
        "semaphore_wait" => (|_| EventKind::Take, None),
        "sem_trywait" | "sem_timedwait" => {
            (|_| EventKind::Take, Some(|value| find_taken(value == 0)))
        }
        "semaphore_post" | "sem_post" => (|_| EventKind::Post, None),
        "pthread_barrier_wait" => (|_| EventKind::Arrive, Some(|_| Some(EventKind::Pass))),
        // 1 while the function runs, then 2: see the library's model.
        "pthread_once" | "call_once" => (
            |value| if value == 1 { EventKind::Begin } else { EventKind::Complete },
            Some(|value| match value {
                0 => None,
                1 => Some(EventKind::FindBegun),
                _ => Some(EventKind::FindComplete),
            }),
        ),
        "pthread_mutex_init"
        | "mtx_init"
        | "pthread_rwlock_init"
        | "pthread_cond_init"
        | "cnd_init"
        | "pthread_spin_init"
        | "pthread_barrier_init"
        | "sem_init" => (|_| EventKind::Initialise, None),
        THREAD_END | THREAD_JOIN => return Inside::Hidden,
        _ if ["pthread_mutex", "pthread_cond", "mtx_", "cnd_", "pthread_rwlock"]
            .iter()
            .any(|prefix| operation.starts_with(prefix)) =>
        {
            return Inside::Hidden;
        }
        _ => return Inside::Access,
    };
    Inside::Synchronisation { stored, found }
}

fn find_taken(is_taken: bool) -> Option<EventKind> {
    is_taken.then_some(EventKind::FindTaken)
}

/// Whether an operation is about the number that an object holds, whose members have no names.
pub(super) fn is_about_number(operation: Option<&str>) -> bool {
    operation == Some("sem_getvalue")
}
