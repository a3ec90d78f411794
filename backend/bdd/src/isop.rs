//! Irredundant sums of products (Minato and Morreale).

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::cubes::Cube;
use crate::edge::Edge;
use crate::manager::Var;
use crate::node::{Exhausted, Store};

/// A function and the cubes whose disjunction it is.
type Cover = (Edge, Arc<Vec<Cube>>);

pub(crate) type CoverMemo = FxHashMap<(Edge, Edge), Cover>;

impl Store {
    /// An irredundant cover of some function between `lower` and `upper`; `lower` must imply `upper`.
    pub(crate) fn isop(
        &mut self,
        lower: Edge,
        upper: Edge,
        memo: &mut CoverMemo,
    ) -> Result<Cover, Exhausted> {
        if lower == Edge::FALSE {
            return Ok((Edge::FALSE, Arc::new(Vec::new())));
        }
        if upper == Edge::TRUE {
            return Ok((Edge::TRUE, Arc::new(vec![Cube::default()])));
        }
        if let Some(cover) = memo.get(&(lower, upper)) {
            return Ok(cover.clone());
        }
        let level = self.level(lower).min(self.level(upper));
        let var = Var(self.var_at[level as usize]);
        let ((l0, l1), (u0, u1)) = (self.cofactors(lower, level), self.cofactors(upper, level));

        // Cubes that need the literal: what only one side of the variable may cover.
        let only_low = self.and(l0, !u1)?;
        let (low, low_cubes) = self.isop(only_low, u0, memo)?;
        let only_high = self.and(l1, !u0)?;
        let (high, high_cubes) = self.isop(only_high, u1, memo)?;
        // The rest is covered without the variable.
        let rest_low = self.and(l0, !low)?;
        let rest_high = self.and(l1, !high)?;
        let rest_lower = self.or(rest_low, rest_high)?;
        let rest_upper = self.and(u0, u1)?;
        let (rest, rest_cubes) = self.isop(rest_lower, rest_upper, memo)?;

        let split = self.make(level, low, high)?;
        let function = self.or(split, rest)?;
        let mut cubes: Vec<Cube> = low_cubes.iter().map(|cube| cube.with(var, false)).collect();
        cubes.extend(high_cubes.iter().map(|cube| cube.with(var, true)));
        cubes.extend(rest_cubes.iter().cloned());
        let cover = (function, Arc::new(cubes));
        memo.insert((lower, upper), cover.clone());
        Ok(cover)
    }
}
