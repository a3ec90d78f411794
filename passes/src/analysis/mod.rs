//! Analyses, computed on demand, cached by their types, and forgotten when a pass changes what they
//! describe.
//!
//! An analysis is a type that implements [`Analysis`]. A pass asks for it by that type
//! (`context.analyses.get::<CallGraph>(module)`) and lists in [`Pass::preserves`](crate::Pass) which
//! ones are the same after it.

use std::any::{Any, TypeId};
use std::rc::Rc;

use rustc_hash::FxHashMap;
use sapa_ir::goto::Module;
use sapa_limits::{Exceeded, Limits};

pub(crate) mod access;
pub mod accessed;
pub mod call_graph;
pub mod definitions;
pub mod loops;
pub mod needed;
pub mod once;
pub mod points_to;
pub mod private_objects;
pub mod thread_bound;
pub mod trip_count;
pub mod vocabulary;

/// What is computed from a module and holds as long as the module stays as it is. Equal modules
/// have equal results.
pub trait Analysis: PartialEq + Sized + 'static {
    /// Its name, in messages.
    const NAME: &'static str;

    /// Computes it; `analyses` has what it builds on, and the limits.
    ///
    /// # Errors
    /// If a limit ends the analysis.
    fn compute(module: &Module, analyses: &mut Analyses) -> Result<Self, Exceeded>;
}

/// An analysis as a value, for lists of those that a pass preserves.
#[derive(Clone, Copy, Debug)]
pub struct AnalysisKind {
    /// [`Analysis::NAME`].
    pub name: &'static str,
    id: fn() -> TypeId,
    agrees: fn(&Module, &Module, &Limits) -> Result<bool, Exceeded>,
}

impl AnalysisKind {
    /// That of a type.
    #[must_use]
    pub const fn of<A: Analysis>() -> Self {
        Self { name: A::NAME, id: TypeId::of::<A>, agrees: agrees::<A> }
    }

    /// Whether the analysis says the same of two modules: whether what turned one into the other
    /// preserves it.
    ///
    /// # Errors
    /// If a limit ends the analysis.
    pub fn agrees(&self, a: &Module, b: &Module, limits: &Limits) -> Result<bool, Exceeded> {
        (self.agrees)(a, b, limits)
    }
}

fn agrees<A: Analysis>(a: &Module, b: &Module, limits: &Limits) -> Result<bool, Exceeded> {
    let of = |module| A::compute(module, &mut Analyses::new(limits));
    Ok(of(a)? == of(b)?)
}

/// The cache. It belongs to one module; whoever changes the module says so by
/// [`keep`](Self::keep).
#[derive(Debug, Default)]
pub struct Analyses {
    known: FxHashMap<TypeId, Rc<dyn Any>>,
    limits: Limits,
}

impl Analyses {
    /// An empty cache, for analyses that go on as long as the limits hold.
    #[must_use]
    pub fn new(limits: &Limits) -> Self {
        Self { limits: limits.clone(), known: FxHashMap::default() }
    }

    /// The limits of all analyses.
    #[must_use]
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// An analysis of the module.
    ///
    /// # Errors
    /// If a limit ends the analysis.
    pub fn get<A: Analysis>(&mut self, module: &Module) -> Result<Rc<A>, Exceeded> {
        let known = self.known.get(&TypeId::of::<A>()).cloned();
        if let Some(Ok(known)) = known.map(Rc::downcast) {
            return Ok(known);
        }
        let found = Rc::new(A::compute(module, self)?);
        self.known.insert(TypeId::of::<A>(), Rc::<A>::clone(&found));
        Ok(found)
    }

    /// Forgets all but what is preserved.
    pub fn keep(&mut self, preserved: &[AnalysisKind]) {
        self.known.retain(|known, _| preserved.iter().any(|kind| (kind.id)() == *known));
    }
}
