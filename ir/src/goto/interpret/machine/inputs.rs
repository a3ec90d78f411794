//! What a machine asks for: choices, and where values may be terms, what they are.

use std::cell::RefMut;

use crate::goto::entity::{FunctionId, SlotId};
use crate::goto::interpret::terms::{Data, Path, Term};
use crate::goto::types::Type;

/// What a choice is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Request {
    /// The result of a `nondet` instruction.
    Nondet,
    /// Memory of a global or of an allocation that was never written, at this pointer. It is that of
    /// the initial thread for what is local to threads, whosever it is.
    Memory(u128),
    /// Memory of a stack object of the thread that was never written.
    Slot {
        /// The object.
        slot: SlotId,
        /// The function that it is of.
        function: FunctionId,
        /// Distance from its start, in bytes.
        offset: u64,
    },
    /// A parameter of the entry function.
    Parameter(u32),
}

/// Where choices come from.
pub trait Inputs {
    /// A value of `bits` for a thread, or the contents of what is local to it; bits above are
    /// ignored.
    fn choose(&mut self, thread: u32, request: Request, bits: u16) -> u128;

    /// The same of a machine with terms, in which `occurring` are: it may be one of these too.
    fn choose_term(
        &mut self,
        thread: u32,
        request: Request,
        bits: u16,
        occurring: &[Term],
    ) -> u128 {
        let _ = occurring;
        self.choose(thread, request, bits)
    }

    /// What terms are, where the machine may have any.
    fn data(&mut self) -> Option<RefMut<'_, dyn Data + 'static>> {
        None
    }

    /// A value that a term of `bits` has under a path condition; `None` if it is not known which it may have.
    fn value_of(&mut self, path: &Path, term: Term, bits: u16) -> Option<u128> {
        let _ = (path, term, bits);
        None
    }

    /// What memory of a type holds that is made arbitrary: offsets in bytes, widths in bits, and
    /// values. The rest is asked for when it is read.
    fn contents(&mut self, thread: u32, ty: &Type) -> Vec<(u64, u16, u128)> {
        let _ = (thread, ty);
        Vec::new()
    }
}
