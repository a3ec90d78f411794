//! The scalars of shared memory that are followed, and what instructions do to them.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashMap;
use sapa_ir::goto::types::int_size;
use sapa_ir::goto::{
    Expression, FieldIndex, FunctionId, GlobalId, Module, Op, Operand, StructId, Type, bytes,
};
use sapa_limits::{Exceeded, Limits};

use super::body::Body;
use super::compared::Compared;
use super::fields::Fields;
use super::range::Range;
use crate::analysis::points_to::{Object, Offsets, Place, PointsTo};

/// A scalar of shared memory; indexes [`Cells::all`].
pub(super) type CellId = u32;

/// An integer in a global.
#[derive(Clone, Debug)]
pub(super) struct Cell {
    global: GlobalId,
    offset: u64,
    pub(super) width: u32,
    /// What reads it, as facts are written.
    pub(super) read: Expression,
    /// What it starts with, if that is known.
    pub(super) initial: Option<u128>,
}

impl Cell {
    /// What it may start with.
    pub(super) fn range(&self) -> Range {
        let all = || Range::all(self.width);
        self.initial.map_or_else(all, |value| Range::constant(self.width, value))
    }

    /// Where it is.
    pub(super) fn place(&self) -> Place {
        Place { object: Object::Global(self.global), offsets: Offsets::new(self.offset, 0) }
    }

    /// How many bytes it has.
    pub(super) fn size(&self) -> u64 {
        int_size(self.width as u16)
    }

    fn overlaps(&self, global: GlobalId, offset: u64, size: u64) -> bool {
        self.global == global && self.offset < offset + size && offset < self.offset + self.size()
    }
}

/// What an instruction does to cells.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) enum Access {
    /// Nothing that is known to matter; what it reads may be anything.
    #[default]
    None,
    /// It reads this cell.
    Read(CellId),
    /// It writes this cell, and nothing else.
    Write(CellId),
    /// It may write these cells, with anything.
    Clobber(Vec<CellId>),
}

impl Access {
    /// The cells that it may write.
    pub(super) fn written(&self) -> &[CellId] {
        match self {
            Self::Write(cell) => std::slice::from_ref(cell),
            Self::Clobber(cells) => cells,
            Self::None | Self::Read(_) => &[],
        }
    }
}

/// More cells are not followed.
const MOST_CELLS: usize = 48;

/// The cells of a module, and the accesses of its functions.
#[derive(Debug, Default)]
pub(super) struct Cells {
    pub(super) all: Vec<Cell>,
    /// By function and block: by instruction.
    accesses: FxHashMap<FunctionId, Vec<Vec<Access>>>,
    /// Which of them, and of SSA values, are compared.
    pub(super) compared: Compared,
    /// What there is any number of.
    pub(super) fields: Fields,
    /// By thread that is executed once, and cell: the cell that says what the thread has added to it. No instruction
    /// accesses it.
    pub(super) contributions: BTreeMap<(FunctionId, CellId), CellId>,
}

impl Cells {
    /// Finds what `functions` read and write at places that are known.
    pub(super) fn new(
        module: &Module,
        points_to: &PointsTo,
        functions: &[FunctionId],
        limits: &Limits,
    ) -> Result<Self, Exceeded> {
        let mut cells = Self::default();
        for &id in functions {
            limits.check()?;
            for instruction in module.function(id).instructions() {
                let (address, ty) = match &instruction.op {
                    Op::Load { address, .. } => {
                        let Some(result) = instruction.result else { continue };
                        (*address, module.function(id).operand_type(Operand::Value(result)))
                    }
                    Op::Store { address, ty, .. } => (*address, ty.clone()),
                    _ => continue,
                };
                if let (Some((global, offset)), Type::Int(bits)) =
                    (exact(points_to, id, address), ty)
                {
                    cells.add(module, global, offset, bits);
                }
            }
        }
        // Integers that share bytes are none: writing one changes the other.
        let all = cells.all.clone();
        cells.all.retain(|cell| {
            all.iter().filter(|other| other.overlaps(cell.global, cell.offset, cell.size())).count()
                == 1
        });
        cells.all.truncate(MOST_CELLS);
        for &id in functions {
            limits.check()?;
            let blocks = module.function(id).blocks.iter().map(|block| {
                let code = block.instructions.iter();
                code.map(|i| cells.access(module, points_to, id, &i.op, i.result)).collect()
            });
            let blocks = blocks.collect();
            cells.accesses.insert(id, blocks);
        }
        cells.compared = Compared::new(module, functions, &cells);
        cells.fields = Fields::new(module, points_to, functions, limits)?;
        Ok(cells)
    }

    fn add(&mut self, module: &Module, global: GlobalId, offset: u64, bits: u16) {
        let data = &module.globals[global.index()];
        let is_known = |cell: &Cell| {
            (cell.global, cell.offset, cell.width) == (global, offset, u32::from(bits))
        };
        if data.thread_local || data.constant || bits == 1 || self.all.iter().any(is_known) {
            return;
        }
        let Some(address) = place(module, global, offset, bits) else { return };
        let read = Expression::Load { ty: Type::Int(bits), address: Box::new(address) };
        let initial = initial(module, global, offset, bits);
        self.all.push(Cell { global, offset, width: u32::from(bits), read, initial });
    }

    /// What an instruction of a function does.
    pub(super) fn at(&self, function: FunctionId, block: usize, index: usize) -> &Access {
        &self.accesses[&function][block][index]
    }

    /// The cells that a function may write.
    pub(super) fn written(&self, function: FunctionId) -> BTreeSet<CellId> {
        self.accesses[&function].iter().flatten().flat_map(Access::written).copied().collect()
    }

    /// The cells that a thread may write once there are others, with what it has added to them.
    pub(super) fn written_beside_others(&self, body: &Body<'_>) -> BTreeSet<CellId> {
        let mut found = BTreeSet::new();
        body.for_each_beside_others(|block, index, _| {
            found.extend(self.at(body.id, block.index(), index).written());
        });
        let own = self.contributions.iter().filter(|((function, _), _)| *function == body.id);
        found.extend(own.map(|(_, contribution)| *contribution));
        found
    }

    /// Adds the cell that says what a thread has added to one.
    pub(super) fn add_contribution(&mut self, function: FunctionId, cell: CellId) {
        let Ok(id) = CellId::try_from(self.all.len()) else { return };
        let contribution = Cell { initial: Some(0), ..self.all[cell as usize].clone() };
        self.all.push(contribution);
        self.contributions.insert((function, cell), id);
    }

    /// Whether a cell is of the analysis only.
    pub(super) fn is_contribution(&self, cell: CellId) -> bool {
        // They are behind all others.
        cell as usize >= self.all.len() - self.contributions.len()
    }

    fn access(
        &self,
        module: &Module,
        points_to: &PointsTo,
        function: FunctionId,
        op: &Op,
        result: Option<sapa_ir::goto::ValueId>,
    ) -> Access {
        let body = module.function(function);
        match op {
            Op::Load { address, .. } => {
                let Some(result) = result else { return Access::None };
                let bits = body.operand_type(Operand::Value(result));
                match exact(points_to, function, *address).zip(int(&bits)) {
                    Some((place, bits)) => {
                        self.find(place, bits).map_or(Access::None, Access::Read)
                    }
                    None => Access::None,
                }
            }
            Op::Store { address, ty, .. } => {
                let place = exact(points_to, function, *address).zip(int(ty));
                match place.and_then(|(place, bits)| self.find(place, bits)) {
                    Some(cell) => Access::Write(cell),
                    None => self.clobber(module, points_to, function, *address, ty),
                }
            }
            Op::CopyMemory { destination, ty, .. } => {
                self.clobber(module, points_to, function, *destination, ty)
            }
            Op::HavocMemory { address, ty } => {
                self.clobber(module, points_to, function, *address, ty)
            }
            _ => Access::None,
        }
    }

    fn find(&self, (global, offset): (GlobalId, u64), bits: u16) -> Option<CellId> {
        let is_it = |cell: &Cell| {
            (cell.global, cell.offset, cell.width) == (global, offset, u32::from(bits))
        };
        self.all.iter().position(is_it).and_then(|at| CellId::try_from(at).ok())
    }

    /// What a write through an address may change.
    fn clobber(
        &self,
        module: &Module,
        points_to: &PointsTo,
        function: FunctionId,
        address: Operand,
        ty: &Type,
    ) -> Access {
        let places = points_to.places(function, address);
        let size = ty.size(module);
        let is_hit = |cell: &Cell| {
            places.iter().any(|place| place.may_meet(size, cell.place(), cell.size()))
        };
        let hit = (0..).zip(&self.all).filter(|(_, cell)| is_hit(cell)).map(|(id, _)| id);
        let hit: Vec<CellId> = hit.collect();
        if hit.is_empty() { Access::None } else { Access::Clobber(hit) }
    }
}

fn int(ty: &Type) -> Option<u16> {
    match ty {
        Type::Int(bits) => Some(*bits),
        _ => None,
    }
}

/// The one place of a global that an address is.
fn exact(points_to: &PointsTo, function: FunctionId, address: Operand) -> Option<(GlobalId, u64)> {
    let places = points_to.places(function, address);
    let [place] = places.into_iter().collect::<Vec<_>>().try_into().ok()?;
    match place.object {
        Object::Global(global) => Some((global, place.offsets.single()?)),
        _ => None,
    }
}

/// The address of an integer in a global: by its members and elements if there is one of this width, else of what begins
/// there and is read as one (a semaphore is some bytes to its users); `None` if nothing begins there.
fn place(module: &Module, global: GlobalId, offset: u64, bits: u16) -> Option<Expression> {
    let mut place = Expression::Global(global);
    let mut ty = &module.globals.get(global.index())?.ty;
    let mut rest = offset;
    let mut begins = None;
    loop {
        if rest == 0 && begins.is_none() && ty.size(module) >= int_size(bits) {
            begins = Some(place.clone());
        }
        match ty {
            Type::Int(width) if rest == 0 && *width == bits => return Some(place),
            Type::Int(_) | Type::Pointer => return begins,
            Type::Array(element, count) => {
                let size = element.size(module).max(1);
                let index = rest / size;
                if index >= *count {
                    return begins;
                }
                rest %= size;
                let bits = module.target.pointer_bits;
                let index = Expression::Int { bits, value: u128::from(index) };
                place = Expression::IndexAddress {
                    base: Box::new(place),
                    element: (**element).clone(),
                    index: Box::new(index),
                };
                ty = element;
            }
            Type::Struct(id) => {
                let Some((index, field)) = field(module, *id, rest) else { return begins };
                rest -= field.offset;
                place = Expression::FieldAddress {
                    base: Box::new(place),
                    structure: *id,
                    field: FieldIndex::new(index),
                };
                ty = &field.ty;
            }
        }
    }
}

fn field(module: &Module, id: StructId, offset: u64) -> Option<(usize, &sapa_ir::goto::Field)> {
    let fields = module.structs.get(id.index())?.fields.iter().enumerate();
    let mut here = fields.filter(|(_, field)| {
        (field.offset..field.offset + field.ty.size(module)).contains(&offset)
    });
    here.next()
}

/// Largest global whose initial contents are looked at.
const MAX_INITIALIZED: u64 = 1 << 16;

fn initial(module: &Module, global: GlobalId, offset: u64, bits: u16) -> Option<u128> {
    let data = &module.globals[global.index()];
    let size = data.ty.size(module);
    let length = usize::try_from(size).ok().filter(|_| size <= MAX_INITIALIZED)?;
    let mut contents = vec![None; length];
    bytes::initialize(module, &data.ty, &data.initializer, &mut contents);
    let start = usize::try_from(offset).ok()?;
    let end = start.checked_add(usize::try_from(int_size(bits)).ok()?)?;
    let value = bytes::get(contents.get(start..end)?, module.target.endianness)?;
    Some(value & sapa_ir::goto::arithmetic::mask(bits))
}
