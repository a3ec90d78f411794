//! The handle of a diagram and the operations on it.

use std::fmt;
use std::hash::{Hash, Hasher};

use num_bigint::BigUint;
use rustc_hash::FxHashMap;

use crate::cubes::{Assignments, Cube, Cubes};
use crate::edge::Edge;
use crate::manager::{BddManager, LimitReached, Var};
use crate::node::{Exhausted, Store};
use crate::substitute::Substitution;

/// A Boolean function, as a root that keeps its nodes alive. Two handles of one manager are equal
/// exactly if their functions are.
///
/// Operations on diagrams of two different managers panic.
pub struct Bdd {
    manager: BddManager,
    edge: Edge,
}

impl Bdd {
    /// Takes over a reference that was already counted.
    pub(crate) fn rooted(manager: BddManager, edge: Edge) -> Bdd {
        Bdd { manager, edge }
    }

    pub(crate) fn edge(&self) -> Edge {
        self.edge
    }

    /// The manager this diagram lives in.
    pub fn manager(&self) -> BddManager {
        self.manager.clone()
    }

    /// Whether the function is constantly true.
    pub fn is_true(&self) -> bool {
        self.edge == Edge::TRUE
    }

    /// Whether the function is constantly false.
    pub fn is_false(&self) -> bool {
        self.edge == Edge::FALSE
    }

    /// The negation; costs nothing, as edges carry complements.
    #[must_use]
    #[allow(clippy::should_implement_trait)] // `!&f` is there as well.
    pub fn not(&self) -> Bdd {
        self.manager.root(!self.edge)
    }

    fn binary(
        &self,
        other: &Bdd,
        operation: impl Fn(&mut Store, Edge, Edge) -> Result<Edge, Exhausted>,
    ) -> Result<Bdd, LimitReached> {
        self.check_same(other);
        self.manager.run(|store| operation(store, self.edge, other.edge))
    }

    fn check_same(&self, other: &Bdd) {
        assert!(self.manager == other.manager, "diagrams of two managers in one operation");
    }

    /// The conjunction.
    ///
    /// # Errors
    /// If the node limit is reached.
    pub fn and(&self, other: &Bdd) -> Result<Bdd, LimitReached> {
        self.binary(other, Store::and)
    }

    /// The disjunction.
    ///
    /// # Errors
    /// If the node limit is reached.
    pub fn or(&self, other: &Bdd) -> Result<Bdd, LimitReached> {
        self.binary(other, Store::or)
    }

    /// The exclusive or.
    ///
    /// # Errors
    /// If the node limit is reached.
    pub fn xor(&self, other: &Bdd) -> Result<Bdd, LimitReached> {
        self.binary(other, Store::xor)
    }

    /// Equivalence, the negation of [`xor`](Bdd::xor).
    ///
    /// # Errors
    /// If the node limit is reached.
    pub fn iff(&self, other: &Bdd) -> Result<Bdd, LimitReached> {
        self.binary(other, |store, f, g| Ok(!store.xor(f, g)?))
    }

    /// Implication.
    ///
    /// # Errors
    /// If the node limit is reached.
    pub fn implies(&self, other: &Bdd) -> Result<Bdd, LimitReached> {
        self.binary(other, |store, f, g| store.or(!f, g))
    }

    /// The conjunction with the negation of `other`.
    ///
    /// # Errors
    /// If the node limit is reached.
    pub fn minus(&self, other: &Bdd) -> Result<Bdd, LimitReached> {
        self.binary(other, |store, f, g| store.and(f, !g))
    }

    /// `then` where this holds, `otherwise` elsewhere.
    ///
    /// # Errors
    /// If the node limit is reached.
    pub fn ite(&self, then: &Bdd, otherwise: &Bdd) -> Result<Bdd, LimitReached> {
        self.check_same(then);
        self.check_same(otherwise);
        self.manager.run(|store| store.ite(self.edge, then.edge, otherwise.edge))
    }

    /// Whether every assignment that satisfies this satisfies `other`.
    ///
    /// # Errors
    /// If the node limit is reached.
    pub fn is_subset_of(&self, other: &Bdd) -> Result<bool, LimitReached> {
        Ok(self.minus(other)?.is_false())
    }

    /// Existential quantification over the variables of `cube`
    /// (made by [`BddManager::cube`]).
    ///
    /// # Errors
    /// If the node limit is reached.
    ///
    /// # Panics
    /// If `cube` is not a conjunction of variables.
    pub fn exists(&self, cube: &Bdd) -> Result<Bdd, LimitReached> {
        self.check_variables(cube);
        self.binary(cube, Store::exists)
    }

    /// Universal quantification over the variables of `cube`.
    ///
    /// # Errors
    /// If the node limit is reached.
    ///
    /// # Panics
    /// If `cube` is not a conjunction of variables.
    pub fn forall(&self, cube: &Bdd) -> Result<Bdd, LimitReached> {
        self.check_variables(cube);
        self.binary(cube, |store, f, cube| Ok(!store.exists(!f, cube)?))
    }

    /// The relational product: `exists cube. self & other`, without building the conjunction.
    ///
    /// # Errors
    /// If the node limit is reached.
    ///
    /// # Panics
    /// If `cube` is not a conjunction of variables.
    pub fn and_exists(&self, other: &Bdd, cube: &Bdd) -> Result<Bdd, LimitReached> {
        self.check_same(other);
        self.check_variables(cube);
        self.manager.run(|store| store.and_exists(self.edge, other.edge, cube.edge))
    }

    fn check_variables(&self, cube: &Bdd) {
        self.check_same(cube);
        let ok = self.manager.with_store(|store| store.is_variable_cube(cube.edge));
        assert!(ok, "quantification needs a conjunction of variables");
    }

    /// Replaces variables by functions, all at once.
    ///
    /// # Errors
    /// If the node limit is reached.
    ///
    /// # Panics
    /// If the substitution is of another manager.
    pub fn substitute(&self, substitution: &Substitution) -> Result<Bdd, LimitReached> {
        assert!(substitution.belongs_to(&self.manager), "substitution of another manager");
        self.manager.run(|store| store.compose(self.edge, substitution))
    }

    /// The function with the variables of a conjunction of literals fixed to its values.
    ///
    /// # Errors
    /// If the node limit is reached.
    ///
    /// # Panics
    /// If `literals` is not a conjunction of literals.
    pub fn cofactor(&self, literals: &Bdd) -> Result<Bdd, LimitReached> {
        let ok = self.manager.with_store(|store| store.is_literal_cube(literals.edge));
        assert!(ok, "a cofactor needs a conjunction of literals");
        self.binary(literals, Store::cofactor)
    }

    /// A function that equals this one wherever `care` holds, chosen to be small
    /// (Coudert and Madre's restrict). Where `care` is false everywhere, that is this function.
    ///
    /// # Errors
    /// If the node limit is reached.
    pub fn restrict(&self, care: &Bdd) -> Result<Bdd, LimitReached> {
        if care.is_false() {
            return Ok(self.clone());
        }
        self.binary(care, Store::restrict)
    }

    /// The generalised cofactor (Coudert and Madre's constrain): a function that equals this one
    /// wherever `care` holds, and elsewhere what this one is at the nearest assignment where
    /// `care` holds. Where `care` is false everywhere, that is this function.
    ///
    /// # Errors
    /// If the node limit is reached.
    pub fn constrain(&self, care: &Bdd) -> Result<Bdd, LimitReached> {
        if care.is_false() {
            return Ok(self.clone());
        }
        self.binary(care, Store::constrain)
    }

    /// The value under an assignment; `value_of` is asked for variables on the path only.
    pub fn evaluate(&self, value_of: impl Fn(Var) -> bool) -> bool {
        // Each function on the way has its handle: the order may change while `value_of` runs.
        let mut here = self.clone();
        while let Some((var, low, high)) = here.children() {
            here = if value_of(var) { high } else { low };
        }
        here.is_true()
    }

    /// Takes the function apart at a level: pairs of a function of the variables above it and one
    /// of the variables from it on. The function is the disjunction of the pairs' conjunctions;
    /// the first functions are disjoint, the second ones differ and none is false. No partition
    /// of the assignments above the level has fewer parts. The order is the one when this begins,
    /// after a reordering that falls due: whoever means certain variables turns reordering off.
    ///
    /// # Errors
    /// If a limit is reached.
    pub fn split_at(&self, level: usize) -> Result<Vec<(Bdd, Bdd)>, LimitReached> {
        let level = u32::try_from(level).unwrap_or(u32::MAX);
        let parts = self.manager.attempt(|store| {
            let parts = store.split_at(self.edge, level, &mut FxHashMap::default())?;
            parts.iter().flat_map(|(above, below)| [above, below]).for_each(|e| store.protect(*e));
            Ok(parts)
        })?;
        let rooted = |edge: &Edge| Bdd::rooted(self.manager.clone(), *edge);
        Ok(parts.iter().map(|(above, below)| (rooted(above), rooted(below))).collect())
    }

    /// The variable at the root and the cofactors where it is false and where it is true;
    /// `None` for constants.
    pub fn children(&self) -> Option<(Var, Bdd, Bdd)> {
        if self.edge.is_constant() {
            return None;
        }
        let (var, low, high) = self.manager.with_store(|store| {
            let (low, high) = store.cofactors(self.edge, store.level(self.edge));
            store.protect(low);
            store.protect(high);
            (Var(store.node(self.edge).var), low, high)
        });
        let rooted = |edge| Bdd::rooted(self.manager.clone(), edge);
        Some((var, rooted(low), rooted(high)))
    }

    /// The variables the function depends on, by level.
    pub fn support(&self) -> Vec<Var> {
        self.manager.with_store(|store| store.support(self.edge)).into_iter().map(Var).collect()
    }

    /// How many nodes the diagram has, the terminal included.
    pub fn size(&self) -> usize {
        self.manager.shared_size(std::slice::from_ref(self))
    }

    /// The same; `None` if there are more than `most`, which is found out after looking at so many.
    pub fn size_within(&self, most: usize) -> Option<usize> {
        self.manager.with_store(|store| store.size_within(self.edge, most))
    }

    /// How many assignments to `vars` satisfy the function; `None` if it depends on another
    /// variable.
    pub fn sat_count(&self, vars: &[Var]) -> Option<BigUint> {
        self.manager.with_store(|store| {
            let mut levels: Vec<u32> = vars.iter().map(|var| store.level_of[var.index()]).collect();
            levels.sort_unstable();
            levels.dedup();
            let support = store.support(self.edge);
            let known = |var: &u32| levels.binary_search(&store.level_of[*var as usize]).is_ok();
            support.iter().all(known).then(|| store.sat_count(self.edge, &levels))
        })
    }

    /// The fraction of all assignments that satisfies the function, from 0 to 1.
    pub fn density(&self) -> f64 {
        self.manager.with_store(|store| store.density(self.edge, &mut FxHashMap::default()))
    }

    /// Some cube that implies the function; `None` if it is false.
    pub fn pick_cube(&self) -> Option<Cube> {
        self.cubes().next()
    }

    /// Disjoint cubes whose disjunction is the function: the paths of the diagram.
    pub fn cubes(&self) -> Cubes {
        Cubes::new(self.clone())
    }

    /// Every satisfying assignment to `vars`, in their order, each once.
    ///
    /// # Panics
    /// If the function depends on a variable that is not among `vars`.
    pub fn assignments(&self, vars: &[Var]) -> Assignments {
        let covered = self.support().iter().all(|var| vars.contains(var));
        assert!(covered, "assignments need all variables of the support");
        Assignments::new(self.cubes(), vars.to_vec())
    }
}

impl std::ops::Not for &Bdd {
    type Output = Bdd;
    fn not(self) -> Bdd {
        Bdd::not(self)
    }
}

impl Clone for Bdd {
    fn clone(&self) -> Bdd {
        self.manager.root(self.edge)
    }
}

impl Drop for Bdd {
    fn drop(&mut self) {
        self.manager.with_store(|store| store.release(self.edge));
    }
}

impl PartialEq for Bdd {
    fn eq(&self, other: &Bdd) -> bool {
        self.edge == other.edge && self.manager == other.manager
    }
}

impl Eq for Bdd {}

impl Hash for Bdd {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.edge.hash(state);
    }
}

impl fmt::Debug for Bdd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Bdd({}{})", if self.edge.is_complement() { "!" } else { "" }, self.edge.index())
    }
}
