//! Simultaneous substitution of functions for variables; renaming is its cheap case.

use crate::bdd::Bdd;
use crate::computed::Key;
use crate::edge::Edge;
use crate::manager::{BddManager, Var};
use crate::node::{Exhausted, Store};

/// Replaces each of some variables by a function, all at once. Made once by
/// [`BddManager::substitution`] or [`BddManager::renaming`], used often with
/// [`Bdd::substitute`], so that results are remembered between uses.
#[derive(Debug)]
pub struct Substitution {
    number: u32,
    /// Indexed by variable; variables past the end stay.
    by_var: Vec<Option<Edge>>,
    /// Handles that keep the replacements alive.
    roots: Vec<Bdd>,
}

impl Substitution {
    pub(crate) fn new(manager: &BddManager, pairs: Vec<(Var, Bdd)>) -> Substitution {
        let number = manager.with_store(|store| store.new_substitution());
        let mut by_var = Vec::new();
        let mut roots = Vec::with_capacity(pairs.len());
        for (var, function) in pairs {
            manager.check_same(&function);
            if by_var.len() <= var.index() {
                by_var.resize(var.index() + 1, None);
            }
            by_var[var.index()] = Some(function.edge());
            roots.push(function);
        }
        Substitution { number, by_var, roots }
    }

    /// How many variables are replaced.
    pub fn len(&self) -> usize {
        self.roots.len()
    }

    /// Whether nothing is replaced.
    pub fn is_empty(&self) -> bool {
        self.roots.is_empty()
    }

    pub(crate) fn belongs_to(&self, manager: &BddManager) -> bool {
        self.roots.iter().all(|root| root.manager() == *manager)
    }
}

impl Store {
    fn new_substitution(&mut self) -> u32 {
        if self.next_substitution == u32::MAX {
            // Numbers start over, so remembered results of old ones must go.
            self.computed.clear();
            self.next_substitution = 0;
        }
        self.next_substitution += 1;
        self.next_substitution - 1
    }

    pub(crate) fn compose(
        &mut self,
        f: Edge,
        substitution: &Substitution,
    ) -> Result<Edge, Exhausted> {
        if f.is_constant() {
            return Ok(f);
        }
        let (complement, f) = (f.is_complement(), f.regular());
        let key = Key::compose(substitution.number, f);
        if let Some(result) = self.computed.get(&key) {
            return Ok(result.complement_if(complement));
        }
        let node = self.node(f);
        let low = self.compose(node.low, substitution)?;
        let high = self.compose(node.high, substitution)?;
        let replacement = match substitution.by_var.get(node.var as usize) {
            Some(&Some(edge)) => edge,
            _ => self.literal(node.var)?,
        };
        let result = self.branch(replacement, low, high)?;
        self.computed.put(key, result);
        Ok(result.complement_if(complement))
    }

    /// `ite(condition, high, low)`; a single node where the condition is a variable above both
    /// branches. An order-preserving renaming takes this way at every node.
    fn branch(&mut self, condition: Edge, low: Edge, high: Edge) -> Result<Edge, Exhausted> {
        let level = self.level(condition);
        let is_variable = self.cofactors(condition, level) == (Edge::FALSE, Edge::TRUE);
        if is_variable && level < self.level(low) && level < self.level(high) {
            return self.make(level, low, high);
        }
        self.ite(condition, high, low)
    }
}
