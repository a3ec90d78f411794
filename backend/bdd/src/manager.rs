//! The manager: variables, constants, limits and statistics.

use std::cell::RefCell;
use std::rc::Rc;

use crate::bdd::Bdd;
use crate::cubes::Cube;
use crate::edge::Edge;
use crate::node::Store;
use crate::substitute::Substitution;

/// A variable. Its number never changes; its place in the order is its [level](BddManager::level).
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Var(pub(crate) u32);

impl Var {
    /// The variable's number, counted from 0 in order of creation.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// The node limit was reached, even after a garbage collection. Diagrams made before stay valid.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("the BDD needs more than the limit of {limit} nodes")]
pub struct OutOfNodes {
    /// The limit, in nodes.
    pub limit: usize,
}

/// Sizes a manager keeps to. A node takes 20 bytes, an entry of the computed table 20.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ManagerOptions {
    /// How many nodes may exist at once; at most 2^31 - 2.
    pub node_limit: usize,
    /// How large the computed table may grow, in entries.
    pub computed_table_limit: usize,
    /// How many nodes may exist before garbage is collected for the first time.
    pub first_collection: usize,
}

impl Default for ManagerOptions {
    fn default() -> ManagerOptions {
        ManagerOptions {
            node_limit: 1 << 26,
            computed_table_limit: 1 << 23,
            first_collection: 1 << 16,
        }
    }
}

/// Figures about a manager.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Statistics {
    /// Nodes that exist now, garbage included.
    pub nodes: usize,
    /// The most nodes that existed at once.
    pub peak_nodes: usize,
    /// Garbage collections so far.
    pub collections: u64,
    /// Entries of the computed table.
    pub computed_entries: usize,
    /// Look-ups in the computed table.
    pub lookups: u64,
    /// Look-ups that found a result.
    pub hits: u64,
}

/// Owns the nodes of its diagrams. Cloning it gives another name for the same manager; it lives
/// as long as any name or [`Bdd`] does.
///
/// Garbage is collected between operations, from the nodes that [`Bdd`] handles name.
#[derive(Clone, Debug)]
pub struct BddManager {
    store: Rc<RefCell<Store>>,
}

impl PartialEq for BddManager {
    fn eq(&self, other: &BddManager) -> bool {
        Rc::ptr_eq(&self.store, &other.store)
    }
}

impl Eq for BddManager {}

impl Default for BddManager {
    fn default() -> BddManager {
        BddManager::new()
    }
}

impl BddManager {
    /// A manager without variables, with default options.
    pub fn new() -> BddManager {
        BddManager::with_options(ManagerOptions::default())
    }

    /// A manager without variables that keeps to these sizes.
    pub fn with_options(options: ManagerOptions) -> BddManager {
        let node_limit = options.node_limit.clamp(1, (1 << 31) - 2);
        let store = Store::new(ManagerOptions { node_limit, ..options });
        BddManager { store: Rc::new(RefCell::new(store)) }
    }

    /// A new variable, last in the order.
    pub fn new_var(&self) -> Var {
        Var(self.store.borrow_mut().new_var())
    }

    /// `count` new variables, last in the order.
    pub fn new_vars(&self, count: usize) -> Vec<Var> {
        (0..count).map(|_| self.new_var()).collect()
    }

    /// How many variables there are.
    pub fn num_vars(&self) -> usize {
        self.store.borrow().level_of.len()
    }

    /// The place of `var` in the order; 0 is the root's end.
    ///
    /// # Panics
    /// If `var` is not of this manager.
    pub fn level(&self, var: Var) -> usize {
        self.store.borrow().level_of[var.index()] as usize
    }

    /// The constant true.
    pub fn top(&self) -> Bdd {
        self.root(Edge::TRUE)
    }

    /// The constant false.
    pub fn bottom(&self) -> Bdd {
        self.root(Edge::FALSE)
    }

    /// The constant `value`.
    pub fn constant(&self, value: bool) -> Bdd {
        if value { self.top() } else { self.bottom() }
    }

    /// The function that is `var`.
    ///
    /// # Errors
    /// If the node limit is reached.
    ///
    /// # Panics
    /// If `var` is not of this manager.
    pub fn var(&self, var: Var) -> Result<Bdd, OutOfNodes> {
        self.run(|store| store.literal(var.0))
    }

    /// `var` if `value`, else its negation.
    ///
    /// # Errors
    /// If the node limit is reached.
    ///
    /// # Panics
    /// If `var` is not of this manager.
    pub fn literal(&self, var: Var, value: bool) -> Result<Bdd, OutOfNodes> {
        self.run(|store| Ok(store.literal(var.0)?.complement_if(!value)))
    }

    /// The conjunction of `vars`, as quantification takes it.
    ///
    /// # Errors
    /// If the node limit is reached.
    pub fn cube(&self, vars: &[Var]) -> Result<Bdd, OutOfNodes> {
        self.literals_cube(vars.iter().map(|&var| (var, true)).collect())
    }

    /// The conjunction of the literals of `cube`.
    ///
    /// # Errors
    /// If the node limit is reached.
    pub fn cube_of(&self, cube: &Cube) -> Result<Bdd, OutOfNodes> {
        self.literals_cube(cube.literals().to_vec())
    }

    /// The conjunction of these literals. Of a variable given twice only one literal is kept.
    ///
    /// # Errors
    /// If the node limit is reached.
    pub fn cube_of_distinct(&self, literals: Vec<(Var, bool)>) -> Result<Bdd, OutOfNodes> {
        self.literals_cube(literals)
    }

    fn literals_cube(&self, mut literals: Vec<(Var, bool)>) -> Result<Bdd, OutOfNodes> {
        literals.sort_by_key(|(var, _)| std::cmp::Reverse(self.level(*var)));
        literals.dedup_by_key(|(var, _)| *var);
        self.run(|store| {
            literals.iter().try_fold(Edge::TRUE, |rest, (var, value)| {
                let level = store.level_of[var.index()];
                let (low, high) = if *value { (Edge::FALSE, rest) } else { (rest, Edge::FALSE) };
                store.make(level, low, high)
            })
        })
    }

    /// Replaces each variable by its function, all at once.
    ///
    /// # Panics
    /// If a function is of another manager.
    pub fn substitution(&self, pairs: impl IntoIterator<Item = (Var, Bdd)>) -> Substitution {
        Substitution::new(self, pairs.into_iter().collect())
    }

    /// Replaces each first variable by the second, all at once.
    ///
    /// # Errors
    /// If the node limit is reached.
    pub fn renaming(
        &self,
        pairs: impl IntoIterator<Item = (Var, Var)>,
    ) -> Result<Substitution, OutOfNodes> {
        let pairs: Result<Vec<(Var, Bdd)>, OutOfNodes> =
            pairs.into_iter().map(|(from, to)| Ok((from, self.var(to)?))).collect();
        Ok(Substitution::new(self, pairs?))
    }

    /// Frees every node that no [`Bdd`] reaches; returns how many there were. Happens by itself
    /// when enough nodes were made.
    pub fn collect_garbage(&self) -> usize {
        self.store.borrow_mut().collect()
    }

    /// Figures about this manager.
    pub fn statistics(&self) -> Statistics {
        let store = self.store.borrow();
        Statistics {
            nodes: store.allocated,
            peak_nodes: store.peak,
            collections: store.collections,
            computed_entries: store.computed.capacity(),
            lookups: store.computed.lookups,
            hits: store.computed.hits,
        }
    }

    /// How many nodes these diagrams have together, the terminal included.
    pub fn shared_size(&self, roots: &[Bdd]) -> usize {
        let edges: Vec<Edge> = roots.iter().map(Bdd::edge).collect();
        let mut count = 1;
        self.store.borrow().visit_nodes(&edges, |_| count += 1);
        count
    }

    /// Graphviz text of named diagrams: then-edges solid, else-edges dashed, complement a dot.
    ///
    /// # Panics
    /// If a diagram is of another manager.
    pub fn to_dot(&self, roots: &[(&str, &Bdd)], name_of: impl Fn(Var) -> String) -> String {
        let roots: Vec<(String, Edge)> = roots
            .iter()
            .map(|(name, bdd)| {
                self.check_same(bdd);
                ((*name).to_owned(), bdd.edge())
            })
            .collect();
        self.store.borrow().dot(&roots, &name_of)
    }

    /// Runs an operation and roots its result. A node limit that is hit is tried once more after
    /// a collection, as the operands are rooted and abandoned intermediate results are not.
    pub(crate) fn run(
        &self,
        mut operation: impl FnMut(&mut Store) -> Result<Edge, OutOfNodes>,
    ) -> Result<Bdd, OutOfNodes> {
        let edge = self.attempt(|store| operation(store))?;
        Ok(self.root(edge))
    }

    /// As [`run`](BddManager::run), for results that are rooted by the caller at once.
    pub(crate) fn attempt<T>(
        &self,
        mut operation: impl FnMut(&mut Store) -> Result<T, OutOfNodes>,
    ) -> Result<T, OutOfNodes> {
        let store = &mut *self.store.borrow_mut();
        store.collect_if_due();
        operation(store).or_else(|error| {
            if store.collect() == 0 {
                return Err(error);
            }
            operation(store)
        })
    }

    pub(crate) fn with_store<T>(&self, action: impl FnOnce(&mut Store) -> T) -> T {
        action(&mut self.store.borrow_mut())
    }

    pub(crate) fn root(&self, edge: Edge) -> Bdd {
        self.store.borrow_mut().protect(edge);
        Bdd::rooted(self.clone(), edge)
    }

    pub(crate) fn check_same(&self, bdd: &Bdd) {
        assert!(bdd.manager() == *self, "diagrams of two managers in one operation");
    }
}
