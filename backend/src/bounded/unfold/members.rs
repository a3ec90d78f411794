//! Indices of arrays that are members: where an index may be any number, an access may be to the members around the array,
//! and what is read there for a pointer may be one to anywhere. Only the runs are followed then in which such an index is
//! within its array; the others are cut, so that there is no proof while one may come there.

use std::rc::Rc;

use rustc_hash::FxHashMap;
use sapa_ir::goto::{Function, Location, Module, Op, Operand, Type, ValueId};

use super::state::State;
use super::{Frame, Unfolder};
use crate::solver::TermId;

/// How many elements the member has that a value is the address of, and their type.
pub(super) type Members = FxHashMap<ValueId, (Type, u64)>;

/// The addresses of members that are arrays.
pub(super) fn members(module: &Module, function: &Function) -> Members {
    let member = |op: &Op| {
        let Op::FieldAddress { structure, field, .. } = op else { return None };
        let field = module.structs.get(structure.index())?.fields.get(field.index())?;
        match &field.ty {
            // One of one element may stand for any number of them.
            Type::Array(element, count) if *count > 1 => Some(((**element).clone(), *count)),
            _ => None,
        }
    };
    function.instructions().filter_map(|i| Some((i.result?, member(&i.op)?))).collect()
}

impl Unfolder<'_> {
    /// The index of an element at a base, as far as runs are followed; `None` if none is.
    pub(super) fn index_within(
        &mut self,
        frame: &Frame,
        state: &mut State,
        (base, element, index): (Operand, &Type, TermId),
        location: Location,
    ) -> Option<TermId> {
        let least_and_most = self.symbols.store.bounds(index);
        if !self.bounds.within_members || least_and_most.0 == least_and_most.1 {
            return Some(index);
        }
        let module = self.module;
        let of_function = self.members.entry(frame.id);
        let of_function =
            of_function.or_insert_with(|| Rc::new(members(module, module.function(frame.id))));
        let count = base.value().and_then(|base| of_function.get(&base)).cloned();
        let Some((_, count)) = count.filter(|(of, _)| of == element) else { return Some(index) };
        let store = &mut self.symbols.store;
        let width = store.width(index);
        let last = store.constant(width, u128::from(count - 1));
        let fits = store.ule(index, last);
        let outside = store.not(fits);
        if let Some(cut) = self.assume(state.clone(), outside) {
            self.cut(cut.guard, location);
        }
        if !self.holds(state, fits) {
            return None;
        }
        let within = self.symbols.store.ite(fits, index, last);
        self.targets.add_index(within, count);
        Some(within)
    }
}
