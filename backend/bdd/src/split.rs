//! Splitting a function at a level of the order into products.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::edge::Edge;
use crate::node::{Exhausted, Store};

/// Functions of the variables above a level, each with one of the variables below.
pub(crate) type Parts = Arc<Vec<(Edge, Edge)>>;

impl Store {
    /// The functions below `level` that `f` leads to, but for false, each with the condition above
    /// under which it does.
    pub(crate) fn split_at(
        &mut self,
        f: Edge,
        level: u32,
        memo: &mut FxHashMap<Edge, Parts>,
    ) -> Result<Parts, Exhausted> {
        if f == Edge::FALSE {
            return Ok(Arc::default());
        }
        let top = self.level(f);
        if top >= level {
            return Ok(Arc::new(vec![(Edge::TRUE, f)]));
        }
        if let Some(parts) = memo.get(&f) {
            return Ok(parts.clone());
        }
        let (f0, f1) = self.cofactors(f, top);
        let low = self.split_at(f0, level, memo)?;
        let high = self.split_at(f1, level, memo)?;
        let mut parts = Vec::with_capacity(low.len().max(high.len()));
        let at_high: FxHashMap<Edge, Edge> =
            high.iter().map(|&(condition, below)| (below, condition)).collect();
        for &(condition, below) in low.iter() {
            let other = at_high.get(&below).copied().unwrap_or(Edge::FALSE);
            parts.push((self.make(top, condition, other)?, below));
        }
        let at_low: FxHashMap<Edge, Edge> =
            low.iter().map(|&(condition, below)| (below, condition)).collect();
        for &(condition, below) in high.iter().filter(|(_, below)| !at_low.contains_key(below)) {
            parts.push((self.make(top, Edge::FALSE, condition)?, below));
        }
        let parts = Arc::new(parts);
        memo.insert(f, parts.clone());
        Ok(parts)
    }
}
