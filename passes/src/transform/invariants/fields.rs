//! Integers in memory of which there are any number: members of the objects that an allocation makes,
//! and elements of arrays at indices that are no constants.
//!
//! Such a *field* has one range for all of them together and for all times: it has every value that is
//! ever stored in one of them, and what they start with. So it may be assumed of what is read whenever
//! and by whomever, and nothing has to be known of which object it is, of how many there are, or of the
//! order of steps. That the range has all values is shown by induction over a run: a value that is
//! stored is bounded where it is stored, given that what was read before is within the ranges.
//!
//! What an allocation leaves in its objects is anything, and what is read before something was stored is
//! that. It is not counted where no run reads it: where each object has got its contents before its
//! address gets out of the values of the thread that allocates it
//! ([`private_objects`](crate::analysis::private_objects)).

use rustc_hash::{FxHashMap, FxHashSet};
use sapa_ir::goto::types::int_size;
use sapa_ir::goto::{
    BlockId, FunctionId, GlobalId, Initializer, Instruction, Module, Op, Operand, Type, bytes,
};
use sapa_limits::{Exceeded, Limits};

use super::range::{MAX_WIDTH, Range};
use crate::analysis::points_to::{Object, Offsets, Place, PointsTo};
use crate::analysis::private_objects::{Private, Site, State};

/// A field; indexes [`Fields::all`].
pub(super) type FieldId = usize;

/// An instruction: its function, block, and place there.
type At = (FunctionId, usize, usize);

/// Integers of one object, or of those of one allocation, at some offsets.
#[derive(Clone, Debug)]
pub(super) struct Field {
    object: Object,
    offsets: Offsets,
    width: u32,
    /// What they start with; `None` where nothing is read before something is stored.
    pub(super) initial: Option<Range>,
}

impl Field {
    /// How many bits they have.
    pub(super) fn width(&self) -> u32 {
        self.width
    }

    fn size(&self) -> u64 {
        int_size(self.width as u16)
    }

    fn is_at(&self, place: &Place, width: u32) -> bool {
        (self.object, self.offsets, self.width) == (place.object, place.offsets, width)
    }

    /// Whether an access of `size` bytes at a place may come to some of them.
    fn meets(&self, place: &Place, size: u64) -> bool {
        let own = Place { object: self.object, offsets: self.offsets };
        place.may_meet(size, own, self.size())
    }
}

/// More fields are not followed.
const MOST_FIELDS: usize = 64;

/// Largest global whose initial contents are looked at.
const MAX_INITIALIZED: u64 = 1 << 16;

/// The fields of a module, and who reads and writes them.
#[derive(Debug, Default)]
pub(super) struct Fields {
    pub(super) all: Vec<Field>,
    /// Loads of which all places are fields.
    reads: FxHashMap<At, Vec<FieldId>>,
    /// What is stored in fields; whether it is the one value that the instruction stores.
    writes: FxHashMap<At, Vec<(FieldId, bool)>>,
}

impl Fields {
    /// Finds what `functions`, which are all that threads run, read and write.
    ///
    /// # Errors
    /// A limit ended it.
    pub(super) fn new(
        module: &Module,
        points_to: &PointsTo,
        functions: &[FunctionId],
        limits: &Limits,
    ) -> Result<Self, Exceeded> {
        let mut fields = Self::default();
        for &id in functions {
            limits.check()?;
            for (at, instruction) in code(module, id) {
                fields.read(module, points_to, at, instruction);
            }
        }
        if fields.all.is_empty() {
            return Ok(fields);
        }
        for &id in functions {
            limits.check()?;
            for (at, instruction) in code(module, id) {
                fields.written_by(module, points_to, at, instruction);
            }
        }
        let mut unwritten: FxHashSet<FieldId> = FxHashSet::default();
        for &id in functions {
            fields.find_unwritten(module, points_to, id, &mut unwritten, limits)?;
        }
        for number in 0..fields.all.len() {
            fields.all[number].initial = fields.initial(module, number, &unwritten);
        }
        Ok(fields)
    }

    /// The fields one of which a load reads, if that is known.
    pub(super) fn read_at(&self, at: At) -> Option<&[FieldId]> {
        self.reads.get(&at).map(Vec::as_slice)
    }

    /// The fields that an instruction writes, and whether it is just its one value.
    pub(super) fn written_at(&self, at: At) -> &[(FieldId, bool)] {
        self.writes.get(&at).map_or(&[], Vec::as_slice)
    }

    fn read(&mut self, module: &Module, points_to: &PointsTo, at: At, instruction: &Instruction) {
        let (Op::Load { address, .. }, Some(result)) = (&instruction.op, instruction.result) else {
            return;
        };
        let Type::Int(bits) = module.function(at.0).operand_type(Operand::Value(result)) else {
            return;
        };
        let places = points_to.places(at.0, *address);
        // What is at one known place is a cell.
        let is_cell = |place: &Place| {
            matches!(place.object, Object::Global(_)) && place.offsets.single().is_some()
        };
        let is_field = |place: &Place| match place.object {
            Object::Allocation(..) => true,
            Object::Global(id) => {
                module.globals.get(id.index()).is_some_and(|global| !global.thread_local)
            }
            _ => false,
        };
        let width = u32::from(bits);
        let is_followed = bits > 1
            && width <= MAX_WIDTH
            && !places.is_empty()
            && places.iter().all(is_field)
            && !(places.len() == 1 && places.iter().all(is_cell));
        if !is_followed {
            return;
        }
        let mut found = Vec::with_capacity(places.len());
        for place in &places {
            let known = self.all.iter().position(|field| field.is_at(place, width));
            found.push(known.unwrap_or(self.all.len()));
            if known.is_none() {
                let Place { object, offsets } = *place;
                self.all.push(Field { object, offsets, width, initial: None });
            }
        }
        if self.all.len() <= MOST_FIELDS {
            self.reads.insert(at, found);
        }
    }

    fn written_by(
        &mut self,
        module: &Module,
        points_to: &PointsTo,
        at: At,
        instruction: &Instruction,
    ) {
        let (address, ty, is_value) = match &instruction.op {
            Op::Store { address, ty, .. } => (*address, ty, true),
            Op::CopyMemory { destination, ty, .. } => (*destination, ty, false),
            Op::HavocMemory { address, ty } => (*address, ty, false),
            _ => return,
        };
        let places = points_to.places(at.0, address);
        let size = ty.size(module);
        let mut found = Vec::new();
        for (number, field) in self.all.iter().enumerate() {
            let mut met = places.iter().filter(|place| field.meets(place, size)).peekable();
            if met.peek().is_none() {
                continue;
            }
            let is_whole = |place: &Place| {
                place.object == field.object
                    && !place.offsets.may_straddle(size, field.offsets, field.size())
            };
            let is_integer = *ty == Type::Int(field.width as u16);
            found.push((number, is_value && is_integer && met.all(is_whole)));
        }
        if !found.is_empty() {
            self.writes.insert(at, found);
        }
    }

    /// What a field starts with.
    fn initial(
        &self,
        module: &Module,
        number: FieldId,
        unwritten: &FxHashSet<FieldId>,
    ) -> Option<Range> {
        let field = &self.all[number];
        let all = Range::all(field.width);
        match field.object {
            Object::Allocation(function, block, index) => {
                let code = &module.function(function).block(block).instructions;
                match code.get(index as usize).map(|instruction| &instruction.op) {
                    Some(Op::Allocate { zeroed: true, .. }) => {
                        Some(Range::constant(field.width, 0))
                    }
                    Some(Op::Allocate { .. }) if !unwritten.contains(&number) => None,
                    _ => Some(all),
                }
            }
            Object::Global(id) => Some(initial_of_global(module, id, field).unwrap_or(all)),
            _ => Some(all),
        }
    }

    /// Finds the fields of which what an allocation leaves there may be read.
    fn find_unwritten(
        &self,
        module: &Module,
        points_to: &PointsTo,
        id: FunctionId,
        found: &mut FxHashSet<FieldId>,
        limits: &Limits,
    ) -> Result<(), Exceeded> {
        let function = module.function(id);
        let is_field = |object| self.all.iter().any(|field| field.object == object);
        let sites = code(module, id).filter_map(|((_, block, index), instruction)| {
            let (block, result) = (BlockId::new(block), instruction.result?);
            let number = u32::try_from(index).ok()?;
            let is_site = matches!(instruction.op, Op::Allocate { zeroed: false, .. })
                && is_field(Object::Allocation(id, block, number));
            is_site.then_some(Site { block, index, result })
        });
        let sites: Vec<Site> = sites.collect();
        if sites.is_empty() {
            return Ok(());
        }
        let objects: Vec<Object> = sites
            .iter()
            .map(|site| Object::Allocation(id, site.block, site.index as u32))
            .collect();
        let write = |state: &mut State, instruction: &Instruction| {
            let Op::Store { address, ty, .. } = &instruction.op else { return };
            let certain: Vec<usize> = state
                .pointed_to(*address)
                .filter_map(|(site, certain)| certain.then_some(site))
                .collect();
            let places = points_to.places(id, *address);
            for site in certain {
                let mut places = places.iter();
                if let (Some(place), None) = (places.next(), places.next())
                    && Some(&place.object) == objects.get(site)
                    && let Some(offset) = place.offsets.single()
                {
                    state.write(site, offset, ty.size(module));
                }
            }
        };
        let private = Private::new(function, sites, &write, limits)?;
        let mut unwritten = |state: &State, site: usize, meets: &dyn Fn(&Field) -> bool| {
            for (number, field) in self.all.iter().enumerate() {
                let is_written = field
                    .offsets
                    .single()
                    .is_some_and(|offset| state.is_written(site, offset, field.size()));
                if Some(&field.object) == objects.get(site) && !is_written && meets(field) {
                    found.insert(number);
                }
            }
        };
        for (block, data) in function.blocks() {
            let Some(mut state) = private.start(block) else { continue };
            for (index, instruction) in data.instructions.iter().enumerate() {
                for site in private.published(function, &state, (block, index), instruction) {
                    unwritten(&state, site, &|_| true);
                }
                let read = match &instruction.op {
                    Op::Load { address, .. } => instruction.result.map(|result| {
                        let ty = function.operand_type(Operand::Value(result));
                        (*address, ty.size(module))
                    }),
                    Op::CopyMemory { source, ty, .. } => Some((*source, ty.size(module))),
                    _ => None,
                };
                if let Some((address, size)) = read {
                    let places = points_to.places(id, address);
                    let meets = |field: &Field| places.iter().any(|place| field.meets(place, size));
                    for (site, _) in state.pointed_to(address) {
                        unwritten(&state, site, &meets);
                    }
                }
                private.execute(function, &mut state, (block, index), instruction);
                write(&mut state, instruction);
            }
            let before = state.clone();
            for site in private.end(&mut state, &data.terminator.kind) {
                unwritten(&before, site, &|_| true);
            }
            data.terminator.kind.for_each_target(|target| {
                for site in private.published_by_jump(function, &state, target) {
                    unwritten(&state, site, &|_| true);
                }
            });
        }
        Ok(())
    }
}

/// The instructions of a function and where they are.
fn code(module: &Module, id: FunctionId) -> impl Iterator<Item = (At, &Instruction)> {
    let blocks = module.function(id).blocks.iter().enumerate();
    blocks.flat_map(move |(block, data)| {
        let code = data.instructions.iter().enumerate();
        code.map(move |(index, instruction)| ((id, block, index), instruction))
    })
}

/// What the integers of a field of a global start with; `None` if that is not known of all.
fn initial_of_global(module: &Module, id: GlobalId, field: &Field) -> Option<Range> {
    let global = module.globals.get(id.index())?;
    if matches!(global.initializer, Initializer::Zero) {
        return Some(Range::constant(field.width, 0));
    }
    let size = global.ty.size(module);
    let length = usize::try_from(size).ok().filter(|_| size <= MAX_INITIALIZED)?;
    let mut contents = vec![None; length];
    bytes::initialize(module, &global.ty, &global.initializer, &mut contents);
    let own = usize::try_from(field.size()).ok()?;
    let mut found: Option<Range> = None;
    for start in 0..=length.checked_sub(own)? {
        let here = Offsets::new(start as u64, 0);
        if !field.offsets.may_overlap(1, here, 1) {
            continue;
        }
        let value = bytes::get(contents.get(start..start + own)?, module.target.endianness)?;
        let value = Range::constant(field.width, value);
        found = Some(found.map_or(value, |found| found.join(&value)));
    }
    found
}
