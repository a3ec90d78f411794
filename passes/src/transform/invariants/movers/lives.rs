//! Which threads may exist beside the initial one, at each place of it: those that it has started, or that these start, and whose
//! end it has not waited for.

use fixedbitset::FixedBitSet;
use sapa_ir::goto::{
    BinaryOp, Block, BlockId, CompareOp, Function, FunctionId, GlobalId, Initializer, Instruction,
    Module, Op, Operand, TerminatorKind, Type, ValueId,
};

use crate::analysis::once::ExecutedOnce;
use crate::analysis::points_to::{Object, PointsTo};

/// Which threads may exist beside the initial one.
pub(super) struct Lives {
    roots: Vec<FunctionId>,
    /// By block of the initial thread's function, if it is executed once: the thread functions that others may be
    /// executing where the block begins. `None` for what is not reached.
    initial: Option<Vec<Option<FixedBitSet>>>,
    /// By thread function: those that threads of it start, and those that these start, and so on; with itself.
    starts: Vec<FixedBitSet>,
    /// By thread function: what says that all of its threads have ended.
    ends: Vec<Option<Ends>>,
}

/// A global that is as many, or more, once all threads of a function have ended, and no sooner.
#[derive(Clone, Copy)]
struct Ends {
    counter: GlobalId,
    bits: u16,
    threads: u128,
}

impl Lives {
    /// Finds them for thread functions of which the initial thread's is the first.
    pub fn new(
        module: &Module,
        points_to: &PointsTo,
        roots: &[FunctionId],
        once: &ExecutedOnce,
    ) -> Self {
        let number = |id: FunctionId| roots.iter().position(|root| *root == id);
        let started = |op: &Op| match op {
            Op::Spawn { function: Operand::Function(id), .. } => number(*id),
            _ => None,
        };
        let mut starts: Vec<FixedBitSet> = Vec::new();
        for (root, id) in roots.iter().enumerate() {
            let mut own = FixedBitSet::with_capacity(roots.len());
            own.insert(root);
            own.extend(module.function(*id).instructions().filter_map(|it| started(&it.op)));
            starts.push(own);
        }
        for middle in 0..roots.len() {
            let further = starts[middle].clone();
            for own in starts.iter_mut().filter(|own| own.contains(middle)) {
                own.union_with(&further);
            }
        }
        let ends = roots.iter().enumerate().map(|(number, id)| {
            // No start counts the initial thread.
            if number == 0 { None } else { ends_of(module, points_to, roots, once, *id) }
        });
        let ends = ends.collect();
        let mut lives = Self { roots: roots.to_vec(), initial: None, starts, ends };
        if let Some(entry) = roots.first().filter(|entry| once.contains(**entry)) {
            lives.initial = Some(lives.follow(module.function(*entry)));
        }
        lives
    }

    /// What may exist beside the initial thread where its blocks begin.
    fn follow(&self, function: &Function) -> Vec<Option<FixedBitSet>> {
        let mut found: Vec<Option<FixedBitSet>> = vec![None; function.blocks.len()];
        found[Function::ENTRY.index()] = Some(FixedBitSet::with_capacity(self.roots.len()));
        let mut pending = vec![Function::ENTRY];
        while let Some(block) = pending.pop() {
            let Some(mut beside) = found[block.index()].clone() else { continue };
            let data = function.block(block);
            for index in 0..data.instructions.len() {
                self.advance(0, data, index, &mut beside);
            }
            data.terminator.kind.for_each_target(|target| {
                let to = &mut found[target.block.index()];
                let mut all = to.clone().unwrap_or_else(|| beside.clone());
                all.union_with(&beside);
                if to.as_ref() != Some(&all) {
                    *to = Some(all);
                    pending.push(target.block);
                }
            });
        }
        found
    }

    /// Which thread functions others may be executing where a block of one begins, by their place among all.
    pub fn at(&self, root: usize, block: BlockId) -> FixedBitSet {
        let known = match &self.initial {
            Some(initial) if root == 0 => initial.get(block.index()).cloned().flatten(),
            _ => None,
        };
        known.unwrap_or_else(|| {
            let mut all = FixedBitSet::with_capacity(self.roots.len());
            all.insert_range(..);
            all
        })
    }

    /// What an instruction of a thread changes of that.
    pub fn advance(&self, root: usize, block: &Block, index: usize, beside: &mut FixedBitSet) {
        if root != 0 {
            return;
        }
        let Some(Instruction { op, .. }) = block.instructions.get(index) else { return };
        match op {
            Op::Spawn { function: Operand::Function(id), .. } => {
                if let Some(started) = self.roots.iter().position(|root| root == id) {
                    beside.union_with(&self.starts[started]);
                }
            }
            Op::Assume { condition: Operand::Value(condition) } => {
                let Some((counter, bits, least)) =
                    waited_for(&block.instructions[..index], *condition)
                else {
                    return;
                };
                for (root, ends) in self.ends.iter().enumerate() {
                    let is_it = |it: &Ends| (it.counter, it.bits) == (counter, bits);
                    if ends.is_some_and(|it| is_it(&it) && it.threads <= least) {
                        beside.set(root, false);
                    }
                }
            }
            _ => {}
        }
    }
}

/// What defines a value in some code, which is looked through from its end.
fn definition(code: &[Instruction], value: ValueId) -> Option<&Op> {
    code.iter().rfind(|instruction| instruction.result == Some(value)).map(|it| &it.op)
}

/// The global of which a condition, as some code defines it, says that it is at least a number, and how many of its bits are read.
fn waited_for(before: &[Instruction], condition: ValueId) -> Option<(GlobalId, u16, u128)> {
    let (bits, least, read) = match *definition(before, condition)? {
        Op::Compare { op: CompareOp::UnsignedLe, a: Operand::Int { bits, value }, b }
        | Op::Compare { op: CompareOp::Eq, a: Operand::Int { bits, value }, b }
        | Op::Compare { op: CompareOp::Eq, a: b, b: Operand::Int { bits, value } } => {
            (bits, value, b)
        }
        _ => return None,
    };
    let Operand::Value(read) = read else { return None };
    match definition(before, read)? {
        Op::Load { address: Operand::Global(global), .. } => Some((*global, bits, least)),
        _ => None,
    }
}

/// The place of a block's last instruction that others may see the effect of, if the thread ends behind it.
fn last_step(block: &Block) -> Option<usize> {
    let ends =
        matches!(block.terminator.kind, TerminatorKind::Return(_) | TerminatorKind::EndThread(_));
    let acts = |it: &Instruction| !it.op.is_pure() && it.op != Op::AtomicEnd;
    block.instructions.iter().rposition(acts).filter(|_| ends)
}

/// What says that all threads of a function have ended: a global that starts with 0 and that they alone write, each once and
/// as the last that it does; they write 1, if there is one thread at most, or one more than it was. So it is never more than
/// the number of those that have ended.
fn ends_of(
    module: &Module,
    points_to: &PointsTo,
    roots: &[FunctionId],
    once: &ExecutedOnce,
    id: FunctionId,
) -> Option<Ends> {
    let mut threads: u128 = 0;
    for &root in roots {
        for (index, block) in module.function(root).blocks.iter().enumerate() {
            let starts_it = |it: &&Instruction| matches!(it.op, Op::Spawn { function: Operand::Function(it), .. } if it == id);
            let here = block.instructions.iter().filter(starts_it).count();
            if here > 0 && !once.contains_block(root, BlockId::new(index)) {
                return None;
            }
            threads += here as u128;
        }
    }
    let mut last_stores = module.function(id).blocks.iter().filter_map(|block| {
        match block.instructions.get(last_step(block)?)?.op {
            Op::Store { address: Operand::Global(global), .. } => Some(global),
            _ => None,
        }
    });
    let counter = last_stores.next()?;
    let data = module.globals.get(counter.index())?;
    let Type::Int(bits) = data.ty else { return None };
    let starts_with_none = data.initializer == Initializer::Zero && !data.thread_local;
    let is_told = |root: FunctionId, block: &Block, index: usize| {
        let (written, value) = match &block.instructions[index].op {
            Op::Store { address, value, ty, .. } => {
                (*address, Some(*value).filter(|_| *ty == data.ty))
            }
            Op::HavocMemory { address, .. } => (*address, None),
            Op::CopyMemory { destination, .. } => (*destination, None),
            _ => return true,
        };
        let is_it = |object: &Object| object.is_any() || *object == Object::Global(counter);
        if !points_to.targets(root, written).iter().any(is_it) {
            return true;
        }
        let counts = match value {
            Some(Operand::Int { value, .. }) => value == 1 && threads <= 1,
            Some(Operand::Value(sum)) => is_one_more(block, counter, sum),
            _ => false,
        };
        counts
            && root == id
            && written == Operand::Global(counter)
            && last_step(block) == Some(index)
    };
    let is_told = roots.iter().all(|&root| {
        let mut blocks = module.function(root).blocks.iter();
        blocks.all(|block| (0..block.instructions.len()).all(|index| is_told(root, block, index)))
    });
    (starts_with_none && is_told).then_some(Ends { counter, bits, threads })
}

/// Whether a value is what a block has read of a global, and one more.
fn is_one_more(block: &Block, global: GlobalId, sum: ValueId) -> bool {
    let Some(Op::Binary { op: BinaryOp::Add, a: Operand::Value(read), b, .. }) =
        definition(&block.instructions, sum)
    else {
        return false;
    };
    matches!(b, Operand::Int { value: 1, .. })
        && matches!(
            definition(&block.instructions, *read),
            Some(Op::Load { address: Operand::Global(from), .. }) if *from == global
        )
}
