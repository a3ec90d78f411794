//! Instructions that order accesses, or are hints to the processor: x86, ARM, POWER, RISC-V and SPARC.

use sapa_ir::goto::MemoryOrder;

/// What an instruction means for memory.
pub(super) enum Meaning {
    Nothing,
    Fence(MemoryOrder),
}

/// What an instruction means that has no operands of the program's, or adds nothing to one.
pub(super) fn meaning(words: &[&str]) -> Option<Meaning> {
    use MemoryOrder as Order;
    let full = Meaning::Fence(Order::SequentiallyConsistent);
    Some(match words {
        [] | ["nop" | "pause" | "yield" | "rep" | "rep;"] => Meaning::Nothing,
        [comment, ..] if comment.starts_with('#') => Meaning::Nothing,
        ["mfence"] | ["sync" | "hwsync" | "fence"] | ["dmb" | "dsb", ..] => match words {
            ["dmb" | "dsb", "ishst" | "st" | "oshst" | "nshst"] => Meaning::Fence(Order::Release),
            ["dmb" | "dsb", "ishld" | "ld" | "oshld" | "nshld"] => Meaning::Fence(Order::Acquire),
            _ => full,
        },
        // `lock; addl $0, 0(%%esp)`: adds nothing, but is a fence. With an operand of the program's it is an access.
        ["lock", "addl" | "addq" | "orl" | "orq", changed @ ..] if is_nothing(changed) => full,
        // `membar #StoreLoad | #StoreStore`: what is kept before what, joined.
        ["membar", kinds @ ..] => {
            let has = |kind: &str| kinds.iter().any(|given| given.contains(kind));
            match (has("#StoreLoad") || has("#Sync") || has("#MemIssue"), has("#StoreStore")) {
                (true, _) => full,
                (false, true) => Meaning::Fence(Order::Release),
                (false, false) => Meaning::Fence(Order::Acquire),
            }
        }
        ["stbar"] => Meaning::Fence(Order::Release),
        ["fence", "rw", "rw"] | ["fence", "rw,rw" | "iorw,iorw"] => full,
        ["lfence"] | ["isb"] | ["isync"] | ["fence", "r,rw"] => Meaning::Fence(Order::Acquire),
        ["sfence"] | ["eieio"] | ["fence", "w,w" | "rw,w"] => Meaning::Fence(Order::Release),
        ["lwsync" | "fence.tso"] => Meaning::Fence(Order::AcquireRelease),
        _ => return None,
    })
}

/// Whether operands of an instruction are zero and what is no operand of the statement's.
fn is_nothing(operands: &[&str]) -> bool {
    let text = operands.concat();
    let Some((zero, target)) = text.split_once(',') else { return false };
    let target = target.strip_prefix('%').map(|name| name.trim_start_matches(['b', 'w', 'k', 'q']));
    let is_operand =
        target.is_some_and(|name| name.starts_with(|c: char| c == '[' || c.is_ascii_digit()));
    matches!(zero, "$0" | "$$0" | "$0x0") && !is_operand
}
