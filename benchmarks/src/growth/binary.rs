//! Goto binaries of any size, for the frontend's growth.

use std::path::Path;
use std::{fs, io};

use sapa_frontend::goto_binary::{Binary, Instruction, InstructionKind, Irep, Text, read, write};

/// A binary of about a number of bytes: copies of the functions of a fixture,
/// each with names of its own, and an entry that calls the copies of `main`.
///
/// # Errors
/// If the fixture to start from is not there.
pub(super) fn goto(bytes: usize) -> io::Result<Vec<u8>> {
    let fixture =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/fixtures/goto/struct_ptr.obj.gb");
    let start = fs::read(fixture)?;
    let original = read("fixture", &start, 0).map_err(io::Error::other)?;
    let mut binary = original.clone();
    binary.symbols.retain(|symbol| binary.ireps.text(symbol.name) != "main");
    binary.functions.clear();
    let renamed: Vec<String> = original
        .symbols
        .iter()
        .filter(|symbol| !symbol.is_type())
        .map(|symbol| original.ireps.text(symbol.name).to_owned())
        .filter(|name| !name.starts_with("__CPROVER"))
        .collect();
    let main = original.symbol("main").cloned().ok_or_else(|| io::Error::other("no main"))?;
    let mut instructions = Vec::new();
    // About this many bytes a copy.
    let copies = bytes / copy_size(&original, &renamed);
    for copy in 0..copies.max(1) {
        let mut copier =
            Copier { suffix: format!("_{copy}"), renamed: &renamed, done: Default::default() };
        for symbol in &original.symbols {
            let name = original.ireps.text(symbol.name);
            if !renamed.iter().any(|other| other == name) {
                continue;
            }
            let mut symbol = symbol.clone();
            symbol.ty = copier.irep(&original, &mut binary, symbol.ty);
            symbol.value = copier.irep(&original, &mut binary, symbol.value);
            symbol.location = copier.irep(&original, &mut binary, symbol.location);
            symbol.name = copier.text(&original, &mut binary, symbol.name);
            binary.symbols.push(symbol);
        }
        for function in &original.functions {
            let mut function = function.clone();
            function.name = copier.name(&function.name);
            for instruction in &mut function.instructions {
                instruction.code = copier.irep(&original, &mut binary, instruction.code);
                instruction.location = copier.irep(&original, &mut binary, instruction.location);
                instruction.guard = copier.irep(&original, &mut binary, instruction.guard);
            }
            if function.name == copier.name("main")
                && let Some(last) = function.instructions.last()
            {
                instructions.push(call(&mut binary, &function.name, main.ty, last));
                if copy == 0 {
                    let end = last.clone();
                    instructions.insert(0, Instruction { targets: Vec::new(), ..end });
                }
            }
            binary.functions.push(function);
        }
    }
    let end = instructions.remove(0);
    instructions.push(end);
    let function = sapa_frontend::goto_binary::Function { name: "main".to_owned(), instructions };
    binary.functions.push(function);
    binary.symbols.push(main);
    Ok(write(&binary))
}

/// Bytes that one copy adds.
fn copy_size(original: &Binary, renamed: &[String]) -> usize {
    let mut binary = original.clone();
    let mut copier = Copier { suffix: "_00000".to_owned(), renamed, done: Default::default() };
    let before = write(&binary).len();
    for function in &original.functions {
        let mut function = function.clone();
        for instruction in &mut function.instructions {
            instruction.code = copier.irep(original, &mut binary, instruction.code);
            instruction.location = copier.irep(original, &mut binary, instruction.location);
            instruction.guard = copier.irep(original, &mut binary, instruction.guard);
        }
        binary.functions.push(function);
    }
    for symbol in &original.symbols {
        let mut symbol = symbol.clone();
        if renamed.iter().any(|name| name == original.ireps.text(symbol.name)) {
            symbol.ty = copier.irep(original, &mut binary, symbol.ty);
            symbol.value = copier.irep(original, &mut binary, symbol.value);
            binary.symbols.push(symbol);
        }
    }
    write(&binary).len().saturating_sub(before).max(1)
}

/// A call of a function without arguments.
fn call(binary: &mut Binary, name: &str, ty: Irep, like: &Instruction) -> Instruction {
    let mut leaf = |text: &str| {
        let text = binary.ireps.add_text(text);
        binary.ireps.add(text, &[], &[])
    };
    let (nil, identifier, statement) = (leaf("nil"), leaf(name), leaf("function_call"));
    let arguments = leaf("arguments");
    let mut key = |text: &str| binary.ireps.add_text(text);
    let (symbol, named, kind) = (key("symbol"), key("identifier"), key("type"));
    let (code, statement_key) = (key("code"), key("statement"));
    let function = binary.ireps.add(symbol, &[], &[(named, identifier), (kind, ty)]);
    let operands = [nil, function, arguments];
    let code = binary.ireps.add(code, &operands, &[(statement_key, statement)]);
    Instruction { code, kind: InstructionKind::FunctionCall, targets: Vec::new(), ..like.clone() }
}

/// Copies trees with names changed.
struct Copier<'n> {
    suffix: String,
    renamed: &'n [String],
    done: std::collections::HashMap<Irep, Irep>,
}

impl Copier<'_> {
    fn name(&self, name: &str) -> String {
        if self.renamed.iter().any(|other| other == name) {
            format!("{name}{}", self.suffix)
        } else {
            name.to_owned()
        }
    }

    fn text(&self, from: &Binary, to: &mut Binary, text: Text) -> Text {
        let name = from.ireps.text(text);
        let new = self.name(name);
        if new == name { text } else { to.ireps.add_text(&new) }
    }

    fn irep(&mut self, from: &Binary, to: &mut Binary, irep: Irep) -> Irep {
        if let Some(known) = self.done.get(&irep) {
            return *known;
        }
        let operands: Vec<Irep> =
            from.ireps.operands(irep).iter().map(|part| self.irep(from, to, *part)).collect();
        let named: Vec<(Text, Irep)> = from
            .ireps
            .named(irep)
            .iter()
            .map(|(key, part)| (*key, self.irep(from, to, *part)))
            .collect();
        let id = self.text(from, to, from.ireps.id_text(irep));
        let copy = to.ireps.add(id, &operands, &named);
        self.done.insert(irep, copy);
        copy
    }
}
