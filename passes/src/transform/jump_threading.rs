//! `jump-threading`: what comes to a branch knowing where it will go, goes there.
//!
//! A function that returns -1 in one place and a ticket in another is followed by a test of which it was. Where the paths
//! have met, the two are one variable; behind the test again only one of them is possible, which is not seen any more. So the
//! blocks from where paths meet up to the branch get a copy for those of the paths that decide it, by a constant that they pass or
//! by a branch that they took. Nothing that others may see is copied: only pure computations. The program has exactly the runs that it
//! had.
//!
//! Loops are entered at their headers afterwards too, as no header is copied.

use sapa_ir::goto::cfg::Cfg;
use sapa_ir::goto::dominators::Dominators;
use sapa_ir::goto::{BlockId, Function, FunctionId, Module, Op, Operand, Target, TerminatorKind};
use sapa_limits::{Exceeded, Limits};

use super::one_way::OneWay;
use super::peel::Code;
use super::repair::Repair;
use super::unreachable;
use crate::analysis::vocabulary::named;
use crate::error::PassError;
use crate::pass::{Context, Pass, Run};

/// The pass.
pub const PASS: Pass = Pass {
    name: "jump-threading",
    summary: "send paths that decide a branch before they meet past it",
    options: &[],
    preserves: &[],
    run: Run::Function(run),
};

/// The most instructions that get a copy, with what ends their blocks.
const MOST_INSTRUCTIONS: usize = 16;

/// The most branches before a place that are looked at.
const MOST_BRANCHES: usize = 8;

/// A place where paths meet.
struct Meeting {
    /// The blocks from there up to the branch.
    blocks: Vec<BlockId>,
    /// Where paths go on, and the jumps to the meeting by which they come: the block, and the number of the target.
    decided: Vec<(Target, Vec<(BlockId, usize)>)>,
    /// Whether there are others, which do not decide the branch.
    has_others: bool,
}

fn run(module: &mut Module, id: FunctionId, context: &mut Context<'_>) -> Result<bool, PassError> {
    let mut changed = unreachable::remove(&mut module.functions[id.index()]);
    // A function gets twice as large at most.
    let mut room = module.function(id).instructions().count() + MOST_INSTRUCTIONS;
    loop {
        let found = meetings(module, id, &mut room, context.limits)?;
        let mut function = module.function(id).clone();
        if found.is_empty() || thread(&mut function, found).is_none() {
            return Ok(changed);
        }
        // Where all paths decide a branch, some of its targets may have none left.
        unreachable::remove(&mut function);
        module.functions[id.index()] = function;
        changed = true;
    }
}

/// Places where paths meet that decide the branch behind it, no two of which have a block in common. Their copies are
/// taken off the room.
fn meetings(
    module: &Module,
    id: FunctionId,
    room: &mut usize,
    limits: &Limits,
) -> Result<Vec<Meeting>, Exceeded> {
    let function = module.function(id);
    let cfg = Cfg::new(function);
    let dominators = Dominators::new(&cfg);
    let named = named(module, id).values;
    let mut way = OneWay::new(module, id);
    let mut copied = vec![false; function.blocks.len()];
    let mut sources = vec![false; function.blocks.len()];
    let mut found = Vec::new();
    for &first in cfg.reverse_postorder() {
        limits.check()?;
        let predecessors = cfg.predecessors(first);
        let is_header = predecessors.iter().any(|&block| dominators.dominates(first, block));
        if first == Function::ENTRY || is_header {
            continue;
        }
        let Some(blocks) = up_to_branch(function, &cfg, first) else { continue };
        let content = || blocks.iter().map(|&block| function.block(block));
        let mut results = content().flat_map(|b| &b.instructions).filter_map(|i| i.result);
        let mut parameters = content().flat_map(|b| &b.parameters);
        let is_named = results.any(|v| named.contains(&v)) || parameters.any(|v| named.contains(v));
        let is_taken = |block: &BlockId| copied[block.index()] || sources[block.index()];
        if is_named || blocks.iter().any(is_taken) {
            continue;
        }
        let meeting = decided(function, &cfg, &mut way, blocks, limits)?;
        let copies = meeting.decided.len().saturating_sub(usize::from(!meeting.has_others));
        let size: usize =
            meeting.blocks.iter().map(|&b| 1 + function.block(b).instructions.len()).sum();
        let jumps = meeting.decided.iter().flat_map(|(_, jumps)| jumps);
        let from: Vec<usize> = jumps.map(|(block, _)| block.index()).collect();
        // What has copies itself jumps from several places: that is for the next round.
        let is_busy = from.iter().any(|&block| copied[block]);
        if from.is_empty() || is_busy || copies * size > *room {
            continue;
        }
        *room -= copies * size;
        from.iter().for_each(|&block| sources[block] = true);
        meeting.blocks.iter().for_each(|block| copied[block.index()] = true);
        found.push(meeting);
    }
    Ok(found)
}

/// The blocks from one on that are left only by the branch at the end of the last, and do nothing but compute.
fn up_to_branch(function: &Function, cfg: &Cfg, first: BlockId) -> Option<Vec<BlockId>> {
    let mut blocks = vec![first];
    let mut instructions = 0;
    loop {
        let last = *blocks.last()?;
        let block = function.block(last);
        instructions += 1 + block.instructions.len();
        if instructions > MOST_INSTRUCTIONS || !block.instructions.iter().all(|i| i.op.is_pure()) {
            return None;
        }
        match &block.terminator.kind {
            TerminatorKind::Jump(target)
                if cfg.predecessors(target.block) == [last] && !blocks.contains(&target.block) =>
            {
                blocks.push(target.block);
            }
            kind @ (TerminatorKind::Branch { .. } | TerminatorKind::Switch { .. }) => {
                return (!decides_assertion(function, kind)).then_some(blocks);
            }
            _ => return None,
        }
    }
}

/// Whether a branch is the condition of an assertion: then it stays one place, which runs come to or not.
fn decides_assertion(function: &Function, kind: &TerminatorKind) -> bool {
    let mut found = false;
    kind.for_each_target(|target| {
        let instructions = &function.block(target.block).instructions;
        found |= instructions.iter().any(|i| matches!(i.op, Op::Assert { .. }));
    });
    found
}

/// The jumps to a block: the block that jumps, the number of the target, and the target.
fn jumps<'f>(function: &'f Function, cfg: &Cfg, to: BlockId) -> Vec<(BlockId, usize, &'f Target)> {
    let mut found = Vec::new();
    for &from in cfg.predecessors(to) {
        let mut number = 0;
        function.block(from).terminator.kind.for_each_target(|target| {
            if target.block == to {
                found.push((from, number, target));
            }
            number += 1;
        });
    }
    found
}

/// Which jumps to the first of the blocks decide the branch at their end.
fn decided(
    function: &Function,
    cfg: &Cfg,
    way: &mut OneWay<'_>,
    blocks: Vec<BlockId>,
    limits: &Limits,
) -> Result<Meeting, Exceeded> {
    let mut meeting = Meeting { blocks, decided: Vec::new(), has_others: false };
    let (Some(&first), Some(&last)) = (meeting.blocks.first(), meeting.blocks.last()) else {
        return Ok(meeting);
    };
    let all = jumps(function, cfg, first);
    // Where only one path comes there is nothing to tell apart.
    if all.len() < 2 {
        return Ok(meeting);
    }
    for (from, number, target) in all {
        limits.check()?;
        way.forget();
        way.takes(from, number);
        let mut before = from;
        for _ in 0..MOST_BRANCHES {
            // Ends at the entry at the latest, to which no block jumps.
            let [(block, number, _)] = jumps(function, cfg, before)[..] else { break };
            way.takes(block, number);
            before = block;
        }
        for (&parameter, &argument) in
            function.block(first).parameters.iter().zip(&target.arguments)
        {
            if let Some(constant) = way.constant(argument) {
                way.assume(Operand::Value(parameter), constant);
            }
        }
        match way.goes_to(&function.block(last).terminator.kind) {
            Some(to) => match meeting.decided.iter_mut().find(|(other, _)| *other == to) {
                Some((_, jumps)) => jumps.push((from, number)),
                None => meeting.decided.push((to, vec![(from, number)])),
            },
            None => meeting.has_others = true,
        }
    }
    Ok(meeting)
}

/// Gives the paths that decide a branch copies of what they go through. `None` if the function breaks a law of the IR, and is to
/// be thrown away.
fn thread(function: &mut Function, meetings: Vec<Meeting>) -> Option<()> {
    let mut owners: Vec<Option<usize>> = vec![None; function.blocks.len()];
    let mut versions = Vec::new();
    for (number, meeting) in meetings.into_iter().enumerate() {
        let (first, last) = (*meeting.blocks.first()?, *meeting.blocks.last()?);
        meeting.blocks.iter().for_each(|block| owners[block.index()] = Some(number));
        let mut code = Code::new(function, meeting.blocks);
        let mut decided = meeting.decided;
        if !meeting.has_others {
            // The original is theirs.
            let (target, _) = decided.pop()?;
            function.blocks[last.index()].terminator.kind = TerminatorKind::Jump(target);
        }
        for (target, jumps) in decided {
            let kind = TerminatorKind::Jump(target);
            let original =
                std::mem::replace(&mut function.blocks[last.index()].terminator.kind, kind);
            let copy = BlockId::new(function.blocks.len());
            code.add_copy(function, None);
            function.blocks[last.index()].terminator.kind = original;
            for (from, wanted) in jumps {
                let mut number = 0;
                function.blocks[from.index()].terminator.kind.for_each_target_mut(|target| {
                    if number == wanted && target.block == first {
                        target.block = copy;
                    }
                    number += 1;
                });
            }
        }
        owners.resize(function.blocks.len(), Some(number));
        versions.push(code.versions);
    }
    Repair::new(function).run(&owners, &versions)
}
