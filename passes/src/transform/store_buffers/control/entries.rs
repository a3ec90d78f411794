//! Where the parts of waiting stores are kept.

use sapa_ir::goto::{Operand, Slot, SlotId, Type};

use super::super::code::{fixed_address, unused_name};
use super::super::effect::ClassId;
use super::super::shape::Entry;
use super::{Part, Product, Segment, builder};

impl Product<'_> {
    /// Where a waiting store is to.
    pub(super) fn address(&mut self, segment: &mut Segment, entry: Entry) -> Operand {
        let class = self.effects.classes.get(entry.class);
        let fixed = fixed_address(&mut builder(&mut self.new, segment), self.module, class);
        fixed.unwrap_or_else(|| self.read(segment, entry, Part::Address))
    }

    fn slot(&mut self, entry: Entry, part: Part) -> (SlotId, Type) {
        let class = self.effects.classes.get(entry.class);
        let ty = if part == Part::Value { class.ty.clone() } else { Type::Pointer };
        let key = (entry.class, entry.number, part);
        let slot = match self.entries.get(&key) {
            Some(&slot) => slot,
            None => {
                let sign = if part == Part::Value { "" } else { "&" };
                let name = unused_name(&self.new, format!("{sign}{}@{}", class.name, entry.number));
                let signed = part == Part::Value && class.signed;
                let slot = self.new.add_slot(Slot { name, ty: ty.clone(), signed });
                self.entries.insert(key, slot);
                slot
            }
        };
        (slot, ty)
    }

    pub(super) fn read(&mut self, segment: &Segment, entry: Entry, part: Part) -> Operand {
        let (slot, ty) = self.slot(entry, part);
        builder(&mut self.new, segment).load(ty, Operand::Slot(slot))
    }

    pub(super) fn keep(&mut self, segment: &Segment, entry: Entry, part: Part, value: Operand) {
        let (slot, ty) = self.slot(entry, part);
        builder(&mut self.new, segment).store(ty, Operand::Slot(slot), value);
    }

    pub(super) fn size(&self, class: ClassId) -> u64 {
        self.effects.classes.get(class).access.size
    }
}
