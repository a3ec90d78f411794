//! Waiting stores reach memory: where the code chooses so, or has to.

use sapa_ir::goto::types::BOOL;
use sapa_ir::goto::{CompareOp, Location, Op, Operand};

use super::super::access::Overlap;
use super::super::code::{compare, write};
use super::super::pause::Pause;
use super::super::shape::{Entry, Next};
use super::{At, Part, Product, Segment, builder};

impl Product<'_> {
    /// Lets stores reach memory; whether the code goes on with those that are left.
    pub(super) fn flush_choices(&mut self, segment: &mut Segment, pause: Pause) -> bool {
        self.write_earlier(segment);
        let next = segment.shape.next(self.rules.model, &self.effects.classes);
        let count = next.len();
        // The oldest waits for no other: it comes last, where one has to be taken.
        for (number, next) in next.into_iter().rev().enumerate() {
            let is_last = number + 1 == count;
            let target = self.new.add_block(segment.location);
            if pause == Pause::Must && is_last {
                self.jump(segment, target);
            } else {
                let other = self.new.add_block(segment.location);
                let mut builder = builder(&mut self.new, segment);
                let chosen = builder.nondet(BOOL);
                builder.branch(chosen, target, other);
                segment.into = other;
            }
            let mut flushed = Segment { into: target, ..segment.branch() };
            for &before in &next.unless {
                let Some(entry) = segment.shape.at(next.index) else { continue };
                let apart = self.are_apart(&mut flushed, before, entry);
                builder(&mut self.new, &flushed).effect(Op::Assume { condition: apart });
            }
            self.reach_memory(&mut flushed, &next);
            let at = At::Before(segment.from, segment.index);
            let then = self.at(at, flushed.shape.clone());
            self.jump(&mut flushed, then);
        }
        pause == Pause::May
    }

    /// Whether two stores that wait have no byte in common.
    fn are_apart(&mut self, segment: &mut Segment, a: Entry, b: Entry) -> Operand {
        let part =
            matches!(self.effects.classes.overlap(a.class, b.class), Overlap::May { part: true });
        let a_at = self.address(segment, a);
        let b_at = self.address(segment, b);
        let sizes = (self.size(a.class), self.size(b.class));
        let mut code = builder(&mut self.new, segment);
        let common = compare(&mut code, self.module, (a_at, sizes.0), (b_at, sizes.1), part);
        code.compare(CompareOp::Eq, common.some, Operand::bool(false))
    }

    /// A store that waits reaches memory.
    fn reach_memory(&mut self, segment: &mut Segment, next: &Next) {
        let Some(entry) = segment.shape.at(next.index) else { return };
        let class = self.effects.classes.get(entry.class).clone();
        let address = self.address(segment, entry);
        let value = match entry.number {
            0 => self.forgotten(segment, entry.class),
            _ => self.read(segment, entry, Part::Value),
        };
        let mut code = builder(&mut self.new, segment);
        write(&mut code, &class, self.rules.flush, address, value);
        if entry.number > 0 {
            self.move_up(segment, entry);
        }
        let (model, classes) = (self.rules.model, &self.effects.classes);
        segment.shape = segment.shape.without(next.index, model, classes);
    }

    /// The stores behind one of the same class take its place.
    pub(super) fn move_up(&mut self, segment: &mut Segment, entry: Entry) {
        let class = self.effects.classes.get(entry.class).clone();
        let flushed = Location { operation: Some(self.rules.flush), ..class.location };
        let before = std::mem::replace(&mut segment.location, flushed);
        let last = segment.shape.count(entry.class);
        for number in entry.number..last {
            let behind = Entry { number: number + 1, ..entry };
            for part in [Part::Value, Part::Address] {
                if part == Part::Value || class.fixed.is_none() {
                    let value = self.read(segment, behind, part);
                    self.keep(segment, Entry { number, ..entry }, part, value);
                }
            }
        }
        segment.location = before;
    }

    /// All stores up to one reach memory, in order.
    pub(super) fn reach_memory_until(&mut self, segment: &mut Segment, index: usize) {
        let count = segment.shape.stores().take_while(|(before, _)| *before <= index).count();
        for _ in 0..count {
            if let Some((index, _)) = segment.shape.oldest() {
                self.write_earlier(segment);
                self.reach_memory(segment, &Next { index, unless: Vec::new() });
            }
        }
    }

    /// A store reaches memory, after those that have to before it.
    pub(super) fn reach_memory_for(&mut self, segment: &mut Segment, index: usize) {
        // What is behind the store stays.
        let behind = segment.shape.size() - index;
        loop {
            let index = segment.shape.size() - behind;
            match segment.shape.waits_for(index, &self.effects.classes) {
                Some(before) => self.reach_memory_for(segment, before),
                None => {
                    self.write_earlier(segment);
                    self.reach_memory(segment, &Next { index, unless: Vec::new() });
                    return;
                }
            }
        }
    }
}
