//! What is in a goto binary, for people.

use std::fmt::Write;

use super::read::{Binary, InstructionKind};

/// Version, functions, symbols and thread starts, one a line.
#[must_use]
pub fn list(binary: &Binary) -> String {
    let ireps = &binary.ireps;
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = writeln!(out, "{}: goto binary, version {}", binary.file, binary.version);
    let mut functions: Vec<_> = binary.functions.iter().collect();
    functions.sort_by(|a, b| a.name.cmp(&b.name));
    let _ = writeln!(out, "functions: {}", functions.len());
    for function in &functions {
        let count = function.instructions.len();
        let _ = writeln!(out, "  {} ({count} instructions)", function.name);
    }
    let mut symbols: Vec<_> = binary.symbols.iter().collect();
    symbols.sort_by(|a, b| ireps.text(a.name).cmp(ireps.text(b.name)));
    let _ = writeln!(out, "symbols: {}", symbols.len());
    for symbol in symbols {
        let kind = if symbol.is_type() {
            "type"
        } else if ireps.id(symbol.ty) == "code" {
            if ireps.id(symbol.value) == "nil" { "function, not defined" } else { "function" }
        } else if symbol.is_thread_local() {
            "thread-local object"
        } else if symbol.is_static_lifetime() {
            "object"
        } else {
            "local object"
        };
        let linkage = if symbol.is_file_local() { ", file-local" } else { "" };
        let name = ireps.text(symbol.name);
        let _ = writeln!(out, "  {name}: {kind}{linkage}{}", place(binary, symbol.location));
    }
    let mut starts = Vec::new();
    for function in functions {
        for instruction in &function.instructions {
            let callee = called(binary, instruction.code);
            let what = match (instruction.kind, callee) {
                (InstructionKind::StartThread, _) => "a block of its own",
                (
                    InstructionKind::FunctionCall,
                    Some(name @ ("pthread_create" | "thrd_create")),
                ) => name,
                _ => continue,
            };
            let at = place(binary, instruction.location);
            starts.push(format!("  in {}: {what}{at}", function.name));
        }
    }
    let _ = writeln!(out, "thread starts: {}", starts.len());
    for start in starts {
        let _ = writeln!(out, "{start}");
    }
    out
}

/// The name of the function that a call statement calls.
pub(super) fn called(binary: &Binary, code: super::irep::Irep) -> Option<&str> {
    let ireps = &binary.ireps;
    let function = ireps.operand(code, 1)?;
    (ireps.id(function) == "symbol").then(|| ireps.value(function, "identifier"))
}

fn place(binary: &Binary, location: super::irep::Irep) -> String {
    match (binary.ireps.value(location, "file"), binary.ireps.value(location, "line")) {
        ("", _) => String::new(),
        (file, "") => format!(" ({file})"),
        (file, line) => format!(" ({file}:{line})"),
    }
}
