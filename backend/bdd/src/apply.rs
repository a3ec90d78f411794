//! Conjunction, exclusive or, if-then-else.

use crate::computed::{Key, Operation};
use crate::edge::Edge;
use crate::node::{Exhausted, Store};

/// The topmost level of some operands with the variable there, and each operand's cofactors.
pub(crate) struct Split<const N: usize> {
    pub(crate) level: u32,
    pub(crate) var: u32,
    pub(crate) low: [Edge; N],
    pub(crate) high: [Edge; N],
}

impl Store {
    /// Splits operands that are not all constant at their topmost variable.
    #[inline]
    pub(crate) fn split<const N: usize>(&self, operands: [Edge; N]) -> Split<N> {
        // Loops and not iterators: these are unrolled.
        let mut levels = [u32::MAX; N];
        let mut level = u32::MAX;
        for at in 0..N {
            levels[at] = self.level(operands[at]);
            level = level.min(levels[at]);
        }
        let mut split = Split { level, var: 0, low: operands, high: operands };
        for at in 0..N {
            if levels[at] == level {
                let node = self.node(operands[at]);
                let complement = operands[at].is_complement();
                split.var = node.var;
                split.low[at] = node.low.complement_if(complement);
                split.high[at] = node.high.complement_if(complement);
            }
        }
        split
    }

    /// As [`make`](Store::make), by variable.
    #[inline]
    pub(crate) fn make_var(&mut self, var: u32, low: Edge, high: Edge) -> Result<Edge, Exhausted> {
        if low == high {
            return Ok(low);
        }
        // Here and not where nodes are allocated only: an operation may find all its nodes made.
        if self.computed.is_expired() {
            return Err(Exhausted);
        }
        let complement = high.is_complement();
        let (low, high) = (low.complement_if(complement), high.complement_if(complement));
        let index = self.find_or_insert(var, low, high)?;
        Ok(Edge::regular_to(index).complement_if(complement))
    }

    pub(crate) fn and(&mut self, f: Edge, g: Edge) -> Result<Edge, Exhausted> {
        if f == g || g == Edge::TRUE {
            return Ok(f);
        }
        if f == Edge::TRUE {
            return Ok(g);
        }
        if f == !g || f == Edge::FALSE || g == Edge::FALSE {
            return Ok(Edge::FALSE);
        }
        let (f, g) = if f < g { (f, g) } else { (g, f) };
        let key = Key::new(Operation::And, f, g);
        if let Some(result) = self.computed.get(&key) {
            return Ok(result);
        }
        let split = self.split([f, g]);
        let low = self.and(split.low[0], split.low[1])?;
        let high = self.and(split.high[0], split.high[1])?;
        let result = self.make_var(split.var, low, high)?;
        self.computed.put(key, result);
        Ok(result)
    }

    pub(crate) fn or(&mut self, f: Edge, g: Edge) -> Result<Edge, Exhausted> {
        Ok(!self.and(!f, !g)?)
    }

    pub(crate) fn xor(&mut self, f: Edge, g: Edge) -> Result<Edge, Exhausted> {
        // Complements move to the result, so that one entry serves four calls.
        let complement = f.is_complement() != g.is_complement();
        let (f, g) = (f.regular(), g.regular());
        if f == g {
            return Ok(Edge::FALSE.complement_if(complement));
        }
        if f == Edge::TRUE {
            return Ok((!g).complement_if(complement));
        }
        if g == Edge::TRUE {
            return Ok((!f).complement_if(complement));
        }
        let (f, g) = if f < g { (f, g) } else { (g, f) };
        let key = Key::new(Operation::Xor, f, g);
        if let Some(result) = self.computed.get(&key) {
            return Ok(result.complement_if(complement));
        }
        let split = self.split([f, g]);
        let low = self.xor(split.low[0], split.low[1])?;
        let high = self.xor(split.high[0], split.high[1])?;
        let result = self.make_var(split.var, low, high)?;
        self.computed.put(key, result);
        Ok(result.complement_if(complement))
    }

    pub(crate) fn ite(&mut self, f: Edge, g: Edge, h: Edge) -> Result<Edge, Exhausted> {
        if f.is_complement() {
            return self.ite(!f, h, g);
        }
        if f == Edge::TRUE || g == h {
            return Ok(g);
        }
        if g == !h {
            return self.xor(f, h);
        }
        if g == Edge::TRUE || g == f {
            return self.or(f, h);
        }
        if g == Edge::FALSE || g == !f {
            return self.and(!f, h);
        }
        if h == Edge::FALSE || h == f {
            return self.and(f, g);
        }
        if h == Edge::TRUE || h == !f {
            return self.or(!f, g);
        }
        if g.is_complement() {
            return Ok(!self.ite(f, !g, !h)?);
        }
        let key = Key::ite(f, g, h);
        if let Some(result) = self.computed.get(&key) {
            return Ok(result);
        }
        let split = self.split([f, g, h]);
        let low = self.ite(split.low[0], split.low[1], split.low[2])?;
        let high = self.ite(split.high[0], split.high[1], split.high[2])?;
        let result = self.make_var(split.var, low, high)?;
        self.computed.put(key, result);
        Ok(result)
    }
}
