//! The manager: variables, constants, limits and statistics.

use sapa_limits::Limits;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::bdd::Bdd;
use crate::computed::{ENTRY_BYTES, INDEX_LIMIT};
use crate::cubes::Cube;
use crate::edge::Edge;
use crate::node::{Exhausted, Store};
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

/// A limit was reached, for memory even after a garbage collection. Diagrams made before stay valid.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum LimitReached {
    /// [`ManagerOptions::node_limit`].
    #[error("the BDD needs more than the limit of {0} nodes")]
    Nodes(usize),
    /// [`ManagerOptions::memory_limit`].
    #[error("the BDD needs more than the limit of {0} bytes")]
    Bytes(usize),
    /// [`ManagerOptions::limits`]: the time is over, or the run has to end for another reason.
    #[error("the time for the BDD is over")]
    Time,
    /// [`ManagerOptions::work_limit`].
    #[error("the work that the BDD may take is done")]
    Work,
}

/// Sizes a manager keeps to. A node takes 20 bytes and 4 to 8 in the unique table, an entry of
/// the computed table 16.
#[derive(Clone, Debug)]
pub struct ManagerOptions {
    /// How many nodes may exist at once; at most 2^29.
    pub node_limit: usize,
    /// How large the computed table may grow, in entries.
    pub computed_table_limit: usize,
    /// How many bytes all tables may take; no limit if `None`.
    pub memory_limit: Option<usize>,
    /// How long to go on; looked at every few thousand operations or results, also within an
    /// operation.
    pub limits: Limits,
    /// How many steps of [work](BddManager::work) operations may do, looked at as `limits` are; no
    /// limit if `None`. Other than time, it is the same in each run.
    pub work_limit: Option<u64>,
    /// How many nodes may exist before garbage is collected for the first time.
    pub first_collection: usize,
    /// How many nodes must be in use for the variables to be reordered for the first time, and
    /// then whenever their number has doubled; never by itself if `None`.
    pub first_reordering: Option<usize>,
}

impl Default for ManagerOptions {
    fn default() -> ManagerOptions {
        ManagerOptions {
            node_limit: 1 << 27,
            computed_table_limit: 1 << 24,
            memory_limit: None,
            limits: Limits::default(),
            work_limit: None,
            first_collection: 1 << 16,
            first_reordering: None,
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
    /// Reorderings so far.
    pub reorderings: u64,
    /// The memory of all tables.
    pub bytes: usize,
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
///
/// A manager and its diagrams may move between threads and be used by several, one operation at a
/// time.
#[derive(Clone, Debug)]
pub struct BddManager {
    store: Arc<Mutex<Store>>,
}

impl PartialEq for BddManager {
    fn eq(&self, other: &BddManager) -> bool {
        Arc::ptr_eq(&self.store, &other.store)
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
        let node_limit = options.node_limit.clamp(1, INDEX_LIMIT);
        // The computed table may take a quarter of the memory.
        let entries = options.memory_limit.map_or(usize::MAX, |limit| {
            1 << (limit / 4 / ENTRY_BYTES).checked_ilog2().unwrap_or(0)
        });
        let computed_table_limit = options.computed_table_limit.min(entries);
        let store = Store::new(ManagerOptions { node_limit, computed_table_limit, ..options });
        BddManager { store: Arc::new(Mutex::new(store)) }
    }

    /// A new variable, last in the order.
    pub fn new_var(&self) -> Var {
        Var(self.store().new_var())
    }

    /// `count` new variables, last in the order.
    pub fn new_vars(&self, count: usize) -> Vec<Var> {
        (0..count).map(|_| self.new_var()).collect()
    }

    /// How many variables there are.
    pub fn num_vars(&self) -> usize {
        self.store().level_of.len()
    }

    /// The place of `var` in the order; 0 is the root's end.
    ///
    /// # Panics
    /// If `var` is not of this manager.
    pub fn level(&self, var: Var) -> usize {
        self.store().level_of[var.index()] as usize
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
    pub fn var(&self, var: Var) -> Result<Bdd, LimitReached> {
        self.run(|store| store.literal(var.0))
    }

    /// `var` if `value`, else its negation.
    ///
    /// # Errors
    /// If the node limit is reached.
    ///
    /// # Panics
    /// If `var` is not of this manager.
    pub fn literal(&self, var: Var, value: bool) -> Result<Bdd, LimitReached> {
        self.run(|store| Ok(store.literal(var.0)?.complement_if(!value)))
    }

    /// The conjunction of `vars`, as quantification takes it.
    ///
    /// # Errors
    /// If the node limit is reached.
    pub fn cube(&self, vars: &[Var]) -> Result<Bdd, LimitReached> {
        self.conjunction(vars.iter().map(|&var| (var, true)).collect())
    }

    /// The conjunction of the literals of `cube`.
    ///
    /// # Errors
    /// If the node limit is reached.
    pub fn cube_of(&self, cube: &Cube) -> Result<Bdd, LimitReached> {
        self.conjunction(cube.literals().to_vec())
    }

    /// The conjunction of these literals. A variable given twice keeps its first value.
    ///
    /// # Errors
    /// If the node limit is reached.
    pub fn conjunction(&self, mut literals: Vec<(Var, bool)>) -> Result<Bdd, LimitReached> {
        self.run(|store| {
            // The order is that of this moment: a reordering may just have happened.
            literals.sort_by_key(|(var, _)| std::cmp::Reverse(store.level_of[var.index()]));
            store.computed.work(literals.len());
            literals.dedup_by_key(|(var, _)| *var);
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
    ) -> Result<Substitution, LimitReached> {
        let pairs: Result<Vec<(Var, Bdd)>, LimitReached> =
            pairs.into_iter().map(|(from, to)| Ok((from, self.var(to)?))).collect();
        Ok(Substitution::new(self, pairs?))
    }

    /// Frees every node that no [`Bdd`] reaches; returns how many there were. Happens by itself
    /// when enough nodes were made.
    pub fn collect_garbage(&self) -> usize {
        self.store().collect()
    }

    /// Moves groups of variables to where the diagrams in use are small (Rudell's sifting).
    /// Diagrams keep their meaning; levels change. Returns the nodes in use before and after.
    pub fn reorder(&self) -> (usize, usize) {
        let store = &mut *self.store();
        store.collect();
        let before = store.allocated;
        store.reorder();
        (before, store.allocated)
    }

    /// Keeps these variables, which must be neighbours in the order, neighbours when variables
    /// are reordered: a current and a next copy, say.
    ///
    /// # Panics
    /// If they are not neighbours, or not of this manager.
    pub fn group(&self, vars: &[Var]) {
        let vars: Vec<u32> = vars.iter().map(|var| var.0).collect();
        let neighbours = self.store().group(&vars);
        assert!(neighbours, "not neighbours");
    }

    /// Figures about this manager.
    pub fn statistics(&self) -> Statistics {
        let store = self.store();
        Statistics {
            nodes: store.allocated,
            peak_nodes: store.peak,
            collections: store.collections,
            reorderings: store.reorderings,
            bytes: store.bytes(),
            computed_entries: store.computed.capacity(),
            lookups: store.computed.lookups,
            hits: store.computed.hits,
        }
    }

    /// The work that was done so far: results of recursive operations that were put into the
    /// computed table, and operations. One is very roughly 50 ns.
    pub fn work(&self) -> u64 {
        self.store().computed.all_work()
    }

    /// How many nodes these diagrams have together, the terminal included.
    pub fn shared_size(&self, roots: &[Bdd]) -> usize {
        let edges: Vec<Edge> = roots.iter().map(Bdd::edge).collect();
        let mut count = 1;
        self.store().visit_nodes(&edges, |_| count += 1);
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
        self.store().dot(&roots, &name_of)
    }

    /// Runs an operation and roots its result. A node limit that is hit is tried once more after
    /// a collection, as the operands are rooted and abandoned intermediate results are not.
    pub(crate) fn run(
        &self,
        mut operation: impl FnMut(&mut Store) -> Result<Edge, Exhausted>,
    ) -> Result<Bdd, LimitReached> {
        let edge = self.attempt(|store| {
            let edge = operation(store)?;
            store.protect(edge);
            Ok(edge)
        })?;
        Ok(Bdd::rooted(self.clone(), edge))
    }

    /// As [`run`](BddManager::run), for results that are rooted by the caller at once.
    pub(crate) fn attempt<T>(
        &self,
        mut operation: impl FnMut(&mut Store) -> Result<T, Exhausted>,
    ) -> Result<T, LimitReached> {
        let store = &mut *self.store();
        store.collect_if_due();
        // An operation whose results all exist already takes time too.
        store.computed.work(1);
        if store.computed.is_expired() {
            return Err(store.limit_reached());
        }
        operation(store)
            .or_else(|exhausted| {
                if store.computed.is_expired() || store.collect() == 0 {
                    return Err(exhausted);
                }
                operation(store)
            })
            .map_err(|Exhausted| store.limit_reached())
    }

    /// Only a panic within an operation poisons the lock, and no operation panics half-way
    /// through a change of the tables.
    fn store(&self) -> MutexGuard<'_, Store> {
        self.store.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn with_store<T>(&self, action: impl FnOnce(&mut Store) -> T) -> T {
        action(&mut self.store())
    }

    pub(crate) fn root(&self, edge: Edge) -> Bdd {
        self.store().protect(edge);
        Bdd::rooted(self.clone(), edge)
    }

    pub(crate) fn check_same(&self, bdd: &Bdd) {
        assert!(bdd.manager() == *self, "diagrams of two managers in one operation");
    }
}
