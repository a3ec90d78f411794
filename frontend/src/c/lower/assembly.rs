//! Inline assembly: fences, compiler barriers and hints to the processor.

use sapa_ir::goto::{MemoryOrder, Op};

use crate::c::ast::{Asm, AsmOperand};
use crate::lower::body::Body;
use crate::lower::program::Lowered;

/// What an instruction means for memory.
enum Meaning {
    Nothing,
    Fence(MemoryOrder),
}

impl Body<'_, '_> {
    /// An `asm` statement. One that writes, jumps or is not known is an error.
    pub fn assembly(&mut self, asm: &Asm) -> Lowered<()> {
        if !asm.outputs.is_empty() || !asm.labels.is_empty() {
            return self.error(asm.position, "assembly with outputs or labels is not supported");
        }
        for input in &asm.inputs {
            self.assembly_input(input)?;
        }
        self.assembly_text(&asm.template.to_text(), asm.position)
    }

    /// Evaluates an input, for what that does: no instruction that is known uses it. What must lie
    /// in memory is not read.
    fn assembly_input(&mut self, input: &AsmOperand) -> Lowered<()> {
        let constraint = input.constraint.to_text();
        if constraint.chars().all(|c| "moV<>,".contains(c)) {
            self.place(&input.expression).map(|_| ())
        } else {
            self.value(&input.expression).map(|_| ())
        }
    }

    /// The text of an `asm` statement without outputs.
    pub fn assembly_text(
        &mut self,
        text: &str,
        position: crate::position::Position,
    ) -> Lowered<()> {
        for instruction in text.split(['\n', ';']) {
            let words: Vec<&str> = instruction.split_whitespace().collect();
            match meaning(&words) {
                Some(Meaning::Nothing) => {}
                Some(Meaning::Fence(order)) => self.effect(Op::Fence { order }),
                None => {
                    let message = format!(
                        "the assembly '{}' is not supported (fences and compiler barriers are)",
                        instruction.trim()
                    );
                    return self.error(position, message);
                }
            }
        }
        Ok(())
    }
}

/// What an instruction without its operands means. x86, ARM, POWER, RISC-V and SPARC.
fn meaning(words: &[&str]) -> Option<Meaning> {
    use MemoryOrder as Order;
    let full = Meaning::Fence(Order::SequentiallyConsistent);
    Some(match words {
        [] | ["nop" | "pause" | "yield" | "rep" | "rep;"] => Meaning::Nothing,
        [comment, ..] if comment.starts_with('#') => Meaning::Nothing,
        ["mfence"] | ["sync" | "hwsync" | "fence"] | ["dmb" | "dsb", ..] | ["lock"] => {
            match words {
                ["dmb" | "dsb", "ishst" | "st" | "oshst" | "nshst"] => {
                    Meaning::Fence(Order::Release)
                }
                ["dmb" | "dsb", "ishld" | "ld" | "oshld" | "nshld"] => {
                    Meaning::Fence(Order::Acquire)
                }
                _ => full,
            }
        }
        // `lock; addl $0, 0(%%esp)`: adds nothing, but is a fence. The `lock` may stand on its own.
        ["lock", "addl" | "addq" | "orl" | "orq", zero, ..] if is_zero(zero) => full,
        ["addl" | "addq" | "orl" | "orq", zero, ..] if is_zero(zero) => Meaning::Nothing,
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

fn is_zero(operand: &str) -> bool {
    ["$0,", "$$0,", "$0x0,"].iter().any(|zero| operand.starts_with(zero)) || operand == "$0"
}
