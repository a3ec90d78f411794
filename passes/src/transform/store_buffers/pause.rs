//! Where stores may reach memory, and where they have to.

use std::collections::BTreeSet;

use sapa_ir::goto::cfg::Cfg;
use sapa_ir::goto::{BlockId, Function, Section, TerminatorKind};

use super::effect::Effect;

/// What becomes of the buffer before an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pause {
    /// Nothing.
    None,
    /// Stores may reach memory.
    May,
    /// It has to be empty or, before a store, to have room for it.
    Must,
}

/// A point in a thread's code where stores may wait: before an instruction or a terminator.
#[derive(Debug)]
pub(super) struct Point<'p> {
    /// What the instruction does to the buffer; `None` before the terminator.
    pub effect: Option<&'p Effect>,
    /// The end of the block.
    pub terminator: &'p TerminatorKind,
    /// The sections that it is in.
    pub sections: &'p [Section],
    /// Whether it is where the rounds of a loop begin.
    pub is_head: bool,
    /// Whether something has happened since stores could last reach memory.
    pub is_late: bool,
    /// Whether a store here waits for room.
    pub waits_for_room: bool,
}

impl Point<'_> {
    /// What becomes of the buffer here.
    pub fn pause(&self) -> Pause {
        let must = match self.effect {
            Some(Effect::Store { .. }) => {
                self.waits_for_room && !self.sections.contains(&Section::Locked)
            }
            Some(Effect::Drain | Effect::Fence | Effect::Begin(Section::Locked)) => true,
            Some(_) => false,
            None => {
                matches!(self.terminator, TerminatorKind::Return(_) | TerminatorKind::EndThread(_))
            }
        };
        if must {
            return Pause::Must;
        }
        if !self.sections.is_empty() {
            return Pause::None;
        }
        let may = match self.effect {
            Some(Effect::Visible | Effect::Begin(_)) => true,
            // Also one that reads what waits: it reads memory if that has reached it.
            Some(Effect::Load { visible, cut, .. }) => *visible || *cut && self.is_late,
            Some(Effect::Cut) => self.is_late,
            Some(Effect::Silent | Effect::Store { .. } | Effect::Barrier | Effect::End) => false,
            Some(Effect::Drain | Effect::Fence) => true,
            // Others see no more than what has reached memory when the program ends; they may be
            // in the middle of something that what they see now decides.
            None => {
                let ends =
                    matches!(self.terminator, TerminatorKind::Unreachable | TerminatorKind::Halt);
                self.is_late && ends
            }
        };
        if may || self.is_head && self.is_late { Pause::May } else { Pause::None }
    }
}

/// Blocks of which each cycle has one: where the rounds of loops begin, also of those that have
/// several ways in.
pub(super) fn heads(function: &Function) -> BTreeSet<BlockId> {
    let cfg = Cfg::new(function);
    let mut heads = BTreeSet::new();
    for &block in cfg.reverse_postorder() {
        let back = cfg.successors(block).iter().filter(|next| cfg.is_backwards(block, **next));
        heads.extend(back.copied());
    }
    heads
}
