//! Conjunction, exclusive or, if-then-else.

use crate::computed::{Key, Operation};
use crate::edge::Edge;
use crate::manager::OutOfNodes;
use crate::node::Store;

impl Store {
    pub(crate) fn and(&mut self, f: Edge, g: Edge) -> Result<Edge, OutOfNodes> {
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
        let key = Key::new(Operation::And, f, g, Edge::TRUE);
        if let Some(result) = self.computed.get(&key) {
            return Ok(result);
        }
        let level = self.level(f).min(self.level(g));
        let ((f0, f1), (g0, g1)) = (self.cofactors(f, level), self.cofactors(g, level));
        let low = self.and(f0, g0)?;
        let high = self.and(f1, g1)?;
        let result = self.make(level, low, high)?;
        self.computed.put(key, result);
        Ok(result)
    }

    pub(crate) fn or(&mut self, f: Edge, g: Edge) -> Result<Edge, OutOfNodes> {
        Ok(!self.and(!f, !g)?)
    }

    pub(crate) fn xor(&mut self, f: Edge, g: Edge) -> Result<Edge, OutOfNodes> {
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
        let key = Key::new(Operation::Xor, f, g, Edge::TRUE);
        if let Some(result) = self.computed.get(&key) {
            return Ok(result.complement_if(complement));
        }
        let level = self.level(f).min(self.level(g));
        let ((f0, f1), (g0, g1)) = (self.cofactors(f, level), self.cofactors(g, level));
        let low = self.xor(f0, g0)?;
        let high = self.xor(f1, g1)?;
        let result = self.make(level, low, high)?;
        self.computed.put(key, result);
        Ok(result.complement_if(complement))
    }

    pub(crate) fn ite(&mut self, f: Edge, g: Edge, h: Edge) -> Result<Edge, OutOfNodes> {
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
        let key = Key::new(Operation::Ite, f, g, h);
        if let Some(result) = self.computed.get(&key) {
            return Ok(result);
        }
        let level = self.level(f).min(self.level(g)).min(self.level(h));
        let ((f0, f1), (g0, g1)) = (self.cofactors(f, level), self.cofactors(g, level));
        let (h0, h1) = self.cofactors(h, level);
        let low = self.ite(f0, g0, h0)?;
        let high = self.ite(f1, g1, h1)?;
        let result = self.make(level, low, high)?;
        self.computed.put(key, result);
        Ok(result)
    }
}
