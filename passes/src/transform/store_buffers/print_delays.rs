//! `print-delays`: which stores others may see to wait.

use std::fmt::Write;

use sapa_ir::goto::{MemoryModel, Module};

use super::Position;
use super::delays::{self, Search};
use crate::error::PassError;
use crate::option::{OptionKind, OptionSpec};
use crate::pass::{Context, Pass, Run};

/// The pass.
pub const PASS: Pass = Pass {
    name: "print-delays",
    summary: "print which stores others may see to wait under a memory model, or that it is robust",
    options: &[
        OptionSpec {
            name: "memory",
            kind: OptionKind::Word(&["tso", "pso"]),
            summary: "the memory model",
        },
        OptionSpec {
            name: "wait-for-room",
            kind: OptionKind::Switch(false),
            summary: "starts may wait until a thread has ended, as with --threads",
        },
    ],
    preserves: &[],
    run: Run::Module(run),
};

fn run(module: &mut Module, context: &mut Context<'_>) -> Result<bool, PassError> {
    let word = context.options.word("memory");
    let model = if word == "pso" { MemoryModel::Pso } else { MemoryModel::Tso };
    let mut module = module.clone();
    let wait_for_room = context.options.switch("wait-for-room");
    let search = Search { pass: PASS.name, model, wait_for_room, limits: context.limits };
    let found = search.delays(&mut module, context.analyses)?;
    let place = |at: Position| {
        let function = &module.function(at.function).name;
        format!("{} ({function})", module.describe(delays::location(&module, at)))
    };
    if found.is_empty() {
        let _ = writeln!(context.report, "robust under {word}");
    }
    // Scalars of one object have one place.
    let mut said = Vec::new();
    for delay in &found {
        let mut line = format!("{}: the store may wait", place(delay.store));
        line += &match delay.then {
            Some(then) => format!(" until after {}", place(then)),
            None => ", and its object end before".to_owned(),
        };
        let others: Vec<String> = delay.others.iter().map(|&at| place(at)).collect();
        if !others.is_empty() {
            line += &format!(", seen at {}", others.join(", "));
        }
        if !said.contains(&line) {
            let _ = writeln!(context.report, "{line}");
            said.push(line);
        }
    }
    Ok(false)
}
