//! `datatype-reduction`: one object of many is followed, and the others hold anything.
//!
//! Threads that share a table of slots, or blocks of the heap, mostly claim something of each of them: who takes a slot
//! finds it free, and what a published block holds is what was written before. Such a claim fails, if it does, for *one*
//! slot or block. So one is chosen before the run begins (an arbitrary element of the array, an arbitrary object of the
//! allocation), and is followed exactly; what is read from the others is any value, and what is written to them is
//! forgotten. An assertion about another than the one that was chosen holds: it fails in the run with the other choice. A
//! pointer into such a family then has two values, "the one" and "another", however many objects there are.
//!
//! This is datatype reduction with case splitting by a Skolem constant (McMillan, "Verification of infinite state systems
//! by compositional model checking", CHARME 1999, sections 3 and 4; Flanagan and Qadeer, "Predicate abstraction for
//! software verification", POPL 2002, section 4.2), for arrays and for what allocations give alike.
//!
//! *Argument.* Take a run of the module whose last step fails an assertion, and for each family the object that the
//! assertion is about (`about.rs`), if it is about one, and any otherwise. The new module has the run with these followed: the
//! step that computes an address gives "the one" just for the address of the object; accesses to it are the same; an access
//! to another has every outcome; two addresses of others compare both ways; and the assertion is not excepted. So
//! a proof of the new module is one of the old. A failure of the new one means nothing.
//!
//! What the argument needs of a family is checked (`accesses.rs`): no pointer steps from one element to the next but from
//! the array itself, no access is wider than an element, no address becomes a number or is what a thread ends with, and every address
//! that is read from another is known. A family without this stays as it is. An address that was made of a number, or
//! that nobody wrote, may be that of any object: what it is compared with is not taken to be told apart from it.

mod about;
mod accesses;
mod bases;
mod family;
mod rewrite;

use std::collections::BTreeSet;

use sapa_ir::goto::{MemoryModel, Module, Op};

use crate::analysis::once::ExecutedOnce;
use crate::analysis::points_to::PointsTo;
use crate::error::PassError;
use crate::pass::{Context, Pass, Run};

/// The pass.
pub const PASS: Pass = Pass {
    name: "datatype-reduction",
    summary: "follow one element of each array, one object of each allocation; proofs hold for all, failures mean nothing",
    options: &[],
    preserves: &[],
    run: Run::Module(run),
};

fn run(module: &mut Module, context: &mut Context<'_>) -> Result<bool, PassError> {
    if !is_treated(module) {
        return Ok(false);
    }
    let once = context.analyses.get::<ExecutedOnce>(module)?;
    let mut left_out = BTreeSet::new();
    loop {
        let mut reduced = module.clone();
        let families = bases::replace(&mut reduced, &once, &left_out);
        if families.is_empty() {
            return Ok(false);
        }
        let points_to = PointsTo::within(&reduced, context.limits)?;
        let plan = match accesses::plan(&reduced, &points_to, &families, context.limits)? {
            Ok(plan) => plan,
            Err(accesses::Refused::Families(families)) => {
                left_out.extend(families);
                continue;
            }
            Err(accesses::Refused::All) => return Ok(false),
        };
        rewrite::rewrite(&mut reduced, &families, plan);
        *module = reduced;
        return Ok(true);
    }
}

/// Whether the code is such that all accesses are seen: calls are inlined, and what locks do is memory. Stores that wait
/// in buffers would have to be told from those that are forgotten, and predicates are about objects as they are.
fn is_treated(module: &Module) -> bool {
    let is_seen = |op: &Op| !matches!(op, Op::Call { .. } | Op::Sync { .. });
    module.memory == MemoryModel::Sc
        && module.predicates.is_empty()
        && module.functions.iter().all(|f| f.instructions().all(|i| is_seen(&i.op)))
}
