//! `check-races`: assertions that there is no data race.
//!
//! A *data race* is two accesses of different threads to a common byte, at least one of them a write and
//! not both atomic, that are enabled together: each is what its thread does next (C11 5.1.2.4, read under
//! sequential consistency; SV-COMP's no-data-race). *Atomic* is an access with a memory order, as those of C11
//! atomics have, and one in a section that the machine or the program makes one step
//! ([`Section::Locked`](sapa_ir::goto::Section)); `volatile` is not.
//!
//! # What is put into the code
//!
//! Of two accesses that may race one is chosen to *stand*, and the other one to *check*.
//!
//! * Before an access that stands a thread may choose to stop for ever: in one step it sets the ghost
//!   `__CPROVER_race` from 0 to the number of the access's class and notes where it accesses, and then an assumption
//!   fails, which blocks this thread alone.
//! * An access that checks is one step with an assertion for each class that it may race with: `__CPROVER_race`
//!   is not the class's number, or the noted place has no byte in common with this one. It is behind the access, so
//!   that a run is cut off before it where the access has no meaning, and before it where the access is of more
//!   than one scalar and so more than one step.
//!
//! Accesses are of one class where nothing tells them apart: the same objects, offsets and size, both reads or
//! both writes, of the same threads. That keeps the ghost's values few: proofs need one predicate for each of them.
//!
//! # Why that is exact
//!
//! *Every failing assertion is a race.* The ghost is never set back, so there is one thread at most that stands,
//! and what it would do next is the access that it announced: what it accesses is in values, which do not change. It
//! is another thread that checks, since the standing one is blocked. Both accesses are enabled: the one was executed,
//! in a step without anything between it and the assertion; what the other one accesses was seen to be in an object.
//! A standing thread goes on holding its locks and has not ended, as in the program's own run in which it is just
//! not scheduled any more.
//!
//! *Every race is a failing assertion.* Where both accesses are enabled, the one that stands can do so, as the ghost is
//! 0 in all runs in which nobody stood; these are the runs of the program. Then the other thread executes its access
//! and the assertion. Pairs are left out only where no two threads execute them, or no byte can be in common (by
//! [`PointsTo`](crate::analysis::points_to), for which what is noted changes nothing, as nobody dereferences it), or
//! no other thread exists yet, or knows the object ([`PrivateObjects`](crate::analysis::private_objects)).
//!
//! Within an atomic section no thread stops, since nobody else acts then; what is accessed there checks, and the access
//! outside stands. That loses nothing: a thread that would enter the section where the other one stands comes to the
//! access there in the same step. Accesses of two sections of which not both lock are refused, as are functions that are
//! called inside of sections and outside.
//!
//! # Weaker orders
//!
//! Where all operations by which threads see something of each other order what they did, two accesses that are not enabled
//! together in any run are ordered: in C11 too one of them happens before the other one. That is not so where a value
//! is read by a relaxed load or from a relaxed store, nor where a lock that is tried is not obtained, or a compare-and-exchange fails.
//! `unordered.rs` finds the accesses that threads may come to so. A thread that announces one of them does not stop but goes
//! on, and ghosts follow what is behind the access:
//!
//! * `__CPROVER_race_behind`, local to threads, is set for the thread that announced. One that is behind the access sets the
//!   ghost of a channel (`orders.rs`), `__CPROVER_race_released_N`, with each operation that releases through it; who acquires through it
//!   is behind the access from then on, if that is set.
//! * An access that checks asserts what it does otherwise, unless its thread is behind the access that was announced.
//!
//! Either of two accesses may be the first in a run, so both are announced and checked, also in atomic sections, as nobody
//! stops there, and also where the first one is to an object that no other thread knows yet. *Every failing assertion is a race*:
//! whatever happens before the second access, and behind the first one, is so by an operation that released in a thread that was behind
//! it, and by one that acquired later through the same channel. The converse has exceptions, so that *a race can be missed*: starts of
//! threads are one channel, as are their ends; a fence goes through all channels; and a channel that was released through stays so,
//! whoever stores there afterwards; a lock for reading that is given back comes before one for reading that is taken later.
//! That is a part of the assumption that weaker orders are read as sequentially consistent, which the verdict names. It names by
//! themselves that locks and atomic objects are one channel which are elements of one array, are allocated in one place, or are
//! reached by unknown pointers, and all where there are many; that a function that threads are started with begins and ends a
//! thread where it is called, too; and that an operation on a structure that is atomic as a whole orders, whatever its order is.
//!
//! Under TSO and PSO, whose buffers are put into the code behind this, the same holds of the runs with buffers: to stand
//! means to wait for the thread's own buffer, which keeps no other thread from what it does next.
//!
//! # What is not looked at
//!
//! What synchronisation functions do to their objects (`pthread_mutex_lock` and kin; also to what else they are given),
//! and the models' own objects, but for those of functions that need not be thread-safe.

mod address;
mod conflict;
mod instrument;
mod orders;
mod site;
#[cfg(test)]
mod tests;
mod unordered;

use sapa_ir::goto::{Atomicity, Entity, Field, MemoryModel, Module, StructType, Type};

use super::{executes, is_output, prepared};
use crate::analysis::Analyses;
use crate::error::PassError;
use crate::pass::{Context, Pass, Run};

/// The ghost that says who stands.
pub const RACE: &str = "__CPROVER_race";

/// The pass.
pub const PASS: Pass = Pass {
    name: "check-races",
    summary: "assert that no two threads come to accesses that race, once calls are inlined where they can be",
    options: &[],
    preserves: &[],
    run: Run::Module(run),
};

fn run(module: &mut Module, context: &mut Context<'_>) -> Result<bool, PassError> {
    if module.atomicity == Atomicity::Statement {
        let message = "statements are atomic in this program, so that accesses do not race; use \
                       --atomicity access";
        return Err(PassError::new(PASS.name, module, Entity::Module, message));
    }
    if module.memory != MemoryModel::Sc {
        let message =
            "the code has store buffers already; races are looked for before they are put there";
        return Err(PassError::new(PASS.name, module, Entity::Module, message));
    }
    for note in assumptions(module).collect::<Vec<_>>() {
        module.note(note);
    }
    let mut prepared = prepared(module, context.limits)?;
    let sites = site::find(&prepared, &mut Analyses::new(context.limits))?;
    let in_sections = sites.orders.has_weak_sections.then_some(orders::WEAK_SECTIONS);
    let races = conflict::find(&prepared, sites, context.limits)?;
    if races.classes.is_empty() {
        return Ok(false);
    }
    let followed = races.orders.iter().flat_map(|orders| &orders.assumed).copied();
    for note in in_sections.into_iter().chain(followed) {
        prepared.note(note);
    }
    instrument::instrument(&mut prepared, &races, context.limits)?;
    *module = prepared;
    Ok(true)
}

/// What is taken for granted of a program whose races are looked for: what is not looked at.
fn assumptions(module: &Module) -> impl Iterator<Item = &'static str> {
    let tries = |name: &str| TRIES.iter().any(|part| name.contains(part));
    [
        (NOT_OBTAINED, executes(module, tries)),
        (PRINTED, executes(module, is_output)),
        (BIT_FIELDS, module.structs.iter().any(has_adjacent_bit_fields)),
    ]
    .into_iter()
    .filter_map(|(note, holds)| holds.then_some(note))
}

/// Parts of the names of functions that may not obtain what they ask for, or only look: their models are in sections, which
/// order what is before and behind them. Of a mutex that is tried it is known ([`orders`]).
const TRIES: &[&str] = &[
    "tryrdlock",
    "trywrlock",
    "timedrdlock",
    "timedwrlock",
    "clockrdlock",
    "clockwrlock",
    "trywait",
    "sem_timedwait",
    "sem_clockwait",
    "getvalue",
];

/// Of a lock that is not obtained: in C11 its holder and who tried are not ordered by that.
const NOT_OBTAINED: &str =
    "assuming that who does not obtain a lock comes after what its holder did before";

/// Of what functions read that print: their models do not read it.
const PRINTED: &str = "assuming that nobody writes what another thread prints";

/// Of bit-fields beside each other: in C11 they are one place, whatever words they are in.
const BIT_FIELDS: &str = "assuming that threads do not write to bit-fields side by side";

/// Whether bit-fields of a structure that are one place in C11 are several in the code.
fn has_adjacent_bit_fields(structure: &StructType) -> bool {
    let mut fields: Vec<_> = structure.fields.iter().collect();
    fields.sort_by_key(|field| field.offset);
    let is_row = |field: &Field| matches!(field.ty, Type::Array(..)) && field.bit_fields.len() > 1;
    fields.iter().any(|field| is_row(field))
        || fields.windows(2).any(|pair| pair.iter().all(|field| !field.bit_fields.is_empty()))
}
