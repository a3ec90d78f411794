//! Who may have written what a shared variable has.
//!
//! A shared variable that starts with one value and has the other now was written, and the thread that wrote it last
//! is still somewhere, unless it has ended. Which threads it can be is seen by where they stand: by what they may have written
//! last on their way there. So a program in which a thread sets `inside` before its critical section, and back behind it,
//! has a thread in there whenever `inside` is set. Views of few threads know only what these see, and would forget
//! that there has to be somebody else.

use sapa_ir::boolean::flat::{
    FlatExpr, FlatProgram, FlatStatement, Initial, LocationId, SharedVar,
};
use sapa_ir::boolean::trace::Valuation;

/// A set of claims, as a mask.
pub(crate) type Claims = u64;

/// Claims that a shared variable does not have the value that it started with, and who can have made them so.
#[derive(Debug, Default)]
pub(crate) struct Writers {
    /// By number: the variable, and the value that it did not start with. No thread that has ended made one of these.
    claims: Vec<(SharedVar, bool)>,
    /// By location: the claims that a thread there may have written last.
    by_location: Vec<Claims>,
}

impl Writers {
    /// Those of a program: of variables that are only set to constants.
    pub(crate) fn new(program: &FlatProgram) -> Self {
        let mut constant = vec![true; program.shared.len()];
        for location in &program.locations {
            let Some(assignment) = location.statement.as_assignment() else { continue };
            for (variable, value) in &assignment.shared {
                constant[variable.index()] &= matches!(value, FlatExpr::Constant(_));
            }
        }
        let claim = |(at, is_constant): (usize, bool)| match program.shared[at].initial {
            _ if !is_constant => None,
            Initial::Zero => Some((SharedVar(at as u32), true)),
            Initial::One => Some((SharedVar(at as u32), false)),
            Initial::Nondet => None,
        };
        let mut claims: Vec<(SharedVar, bool)> =
            constant.into_iter().enumerate().filter_map(claim).collect();
        claims.truncate(Claims::BITS as usize);
        let mut writers = Self { claims, by_location: vec![0; program.locations.len()] };
        writers.spread(program);
        // What a thread leaves behind when it ends is nobody's any more.
        let ends = program.iter().filter(|(_, l)| matches!(l.statement, FlatStatement::EndThread));
        let orphaned = ends.fold(0, |mask, (at, _)| mask | writers.by_location[at.index()]);
        let is_kept = |claim: usize| orphaned >> claim & 1 == 0;
        let kept: Vec<usize> = (0..writers.claims.len()).filter(|&claim| is_kept(claim)).collect();
        for mask in &mut writers.by_location {
            let bits = (0..).zip(&kept).map(|(to, from)| (*mask >> from & 1) << to);
            *mask = bits.fold(0, |mask: Claims, bit| mask | bit);
        }
        writers.claims = kept.iter().map(|&claim| writers.claims[claim]).collect();
        writers
    }

    /// Carries what threads write along the flow of control. A thread that begins has written nothing.
    fn spread(&mut self, program: &FlatProgram) {
        let mut pending: Vec<LocationId> = program.iter().map(|(at, _)| at).collect();
        while let Some(at) = pending.pop() {
            let statement = program.statement(at);
            let mut mask = self.by_location[at.index()];
            for (variable, value) in
                statement.as_assignment().iter().flat_map(|assignment| &assignment.shared)
            {
                for (claim, (of, claimed)) in self.claims.iter().enumerate() {
                    if of == variable {
                        match value {
                            FlatExpr::Constant(value) if value != claimed => mask &= !(1 << claim),
                            _ => mask |= 1 << claim,
                        }
                    }
                }
            }
            for next in statement.successors() {
                let known = &mut self.by_location[next.index()];
                if *known | mask != *known {
                    *known |= mask;
                    pending.push(*next);
                }
            }
        }
    }

    /// Those that hold.
    pub(crate) fn claims(&self, shared: &Valuation) -> Claims {
        let held = self
            .claims
            .iter()
            .enumerate()
            .filter(|(_, (v, value))| shared.get(v.index()) == *value);
        held.fold(0, |mask, (claim, _)| mask | 1 << claim)
    }

    /// Those that a thread at a location may have made so.
    pub(crate) fn of(&self, location: LocationId) -> Claims {
        self.by_location.get(location.index()).copied().unwrap_or(0)
    }
}
