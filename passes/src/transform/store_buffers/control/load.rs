//! Loads while stores wait: they read what waits for their bytes, else memory.

use sapa_ir::goto::{Entity, Instruction, MemoryModel, Op, Operand, Target, TerminatorKind, Type};

use super::super::access::{Access, Overlap};
use super::super::code::{bytes, compare, forwarded};
use super::super::shape::Entry;
use super::{At, Part, Product, Segment, builder, with_address};
use crate::error::PassError;

impl Product<'_> {
    /// A load while stores wait; whether the segment goes on.
    pub(super) fn load(
        &mut self,
        segment: &mut Segment,
        instruction: &Instruction,
        access: &Access,
    ) -> Result<bool, PassError> {
        let (Op::Load { address, .. }, Some(result)) = (&instruction.op, instruction.result) else {
            return Ok(true);
        };
        let address = segment.name(*address);
        let ty = self.new.values[result.index()].ty.clone();
        let overlaps: Vec<_> = segment
            .shape
            .entries()
            .rev()
            .map(|(index, entry)| (index, entry, self.overlap(entry, access)))
            .filter(|(.., overlap)| *overlap != Overlap::None)
            .collect();
        match overlaps.first() {
            None => {
                segment.is_late = true;
                self.copy(segment, instruction);
                return Ok(true);
            }
            Some(&(_, entry, Overlap::All { behind })) => {
                let behind = bytes(self.module, behind);
                let value = self.forwarded(segment, entry, behind, &ty);
                self.define(segment, result, Op::Copy { a: value });
                return Ok(true);
            }
            Some(&(index, _, Overlap::Part)) => {
                self.reload(segment, index)?;
                return Ok(false);
            }
            Some(_) => {}
        }
        // It depends on addresses which store the load reads.
        let join = self.new.add_block(segment.location);
        let (mut is_known, mut is_joined) = (false, false);
        for (index, entry, overlap) in overlaps {
            let mut hit = segment.branch();
            let behind = match overlap {
                Overlap::None => continue,
                Overlap::Part => {
                    self.reload(segment, index)?;
                    is_known = true;
                    break;
                }
                Overlap::All { behind } => {
                    is_known = true;
                    bytes(self.module, behind)
                }
                Overlap::May { part } => {
                    let at = self.address(segment, entry);
                    let size = self.size(entry.class);
                    let mut code = builder(&mut self.new, segment);
                    let (store, load) = ((at, size), (address, access.size));
                    let common = compare(&mut code, self.module, store, load, part);
                    let (touched, missed) = self.fork(segment, common.some);
                    segment.into = missed;
                    hit.into = touched;
                    if part {
                        let mut rest = hit.branch();
                        if let Some((all, _)) = common.all {
                            (hit.into, rest.into) = self.fork(&hit, all);
                        }
                        self.reload(&mut rest, index)?;
                    }
                    match common.all {
                        Some((_, behind)) => behind,
                        None => continue,
                    }
                }
            };
            let value = self.forwarded(&hit, entry, behind, &ty);
            let target = Target { block: join, arguments: vec![value] };
            self.terminate(&mut hit, TerminatorKind::Jump(target));
            is_joined = true;
            if is_known {
                break;
            }
        }
        if !is_known {
            let mut code = builder(&mut self.new, segment);
            code.push(Instruction {
                op: with_address(&instruction.op, address),
                result: None,
                location: instruction.location,
            });
            let value = self.new.add_value(ty, None);
            if let Some(last) = self.new.blocks[segment.into.index()].instructions.last_mut() {
                last.result = Some(value);
            }
            let target = Target { block: join, arguments: vec![Operand::Value(value)] };
            self.terminate(segment, TerminatorKind::Jump(target));
            is_joined = true;
        }
        if !is_joined {
            return Ok(false);
        }
        segment.into = join;
        let copy = self.copy_of(segment, result);
        self.new.blocks[join.index()].parameters.push(copy);
        segment.is_late = true;
        Ok(true)
    }

    /// What a load of a type reads of a waiting store that has all its bytes, so many behind its
    /// start.
    fn forwarded(
        &mut self,
        segment: &Segment,
        entry: Entry,
        behind: Operand,
        ty: &Type,
    ) -> Operand {
        let value = self.read(segment, entry, Part::Value);
        let class = self.effects.classes.get(entry.class);
        let mut code = builder(&mut self.new, segment);
        forwarded(&mut code, self.module, class, (value, behind), ty)
    }

    /// A load waits until a store has reached memory, and is looked at again.
    fn reload(&mut self, segment: &mut Segment, index: usize) -> Result<(), PassError> {
        let is_open = segment.shape.at(index).is_some_and(|entry| {
            segment.shape.stores().take_while(|(before, _)| *before < index).any(|(_, before)| {
                let overlap = self.effects.classes.overlap(before.class, entry.class);
                matches!(overlap, Overlap::May { .. })
            })
        });
        if self.rules.model == MemoryModel::Pso && is_open {
            let message = "a load may read a part of what waits in the buffer, behind stores through \
                           pointers: under PSO this is not supported";
            let entity = Entity::Instruction(self.id, segment.from, segment.index);
            return Err(PassError::at(self.rules.pass, entity, segment.location, message));
        }
        match self.rules.model {
            MemoryModel::Pso => self.reach_memory_for(segment, index),
            _ => self.reach_memory_until(segment, index),
        }
        let again = self.at(At::Before(segment.from, segment.index), segment.shape.clone());
        self.jump(segment, again);
        Ok(())
    }
}
