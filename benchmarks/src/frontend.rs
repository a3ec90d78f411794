//! How the frontend's time grows: generated C and goto binaries at 1, 2, 4 and
//! 8 times a size. Every measurement is a process of its own, which says how
//! much memory it took.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use std::{fs, io};

use sapa_frontend::goto_binary::{Binary, Instruction, InstructionKind, Irep, Text, read, write};
use sapa_frontend::{Compiled, Options};

/// Kinds of input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Preprocessed C; the size is in lines.
    C,
    /// A goto binary; the size is in bytes.
    Goto,
}

impl Kind {
    /// Its name in commands and tables.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::C => "c",
            Self::Goto => "goto",
        }
    }

    /// The largest size of the table.
    #[must_use]
    pub fn full(self) -> usize {
        match self {
            Self::C => 100_000,
            Self::Goto => 20_000_000,
        }
    }
}

/// What one run took.
#[derive(Clone, Copy, Debug)]
pub struct Run {
    /// Size of the input in bytes.
    pub bytes: u64,
    /// From the file to the verified module.
    pub time: Duration,
    /// Functions of the module.
    pub functions: usize,
    /// Most memory that the process held, in MiB; 0 where the system does not say.
    pub memory: u64,
}

/// Writes an input of about a size into a folder.
///
/// # Errors
/// What the system says, or that the goto binary to start from is not there.
pub fn generate(kind: Kind, size: usize, folder: &Path) -> io::Result<PathBuf> {
    match kind {
        Kind::C => {
            let file = folder.join(format!("generated-{size}.i"));
            fs::write(&file, c(size))?;
            Ok(file)
        }
        Kind::Goto => {
            let file = folder.join(format!("generated-{size}.gb"));
            fs::write(&file, goto(size)?)?;
            Ok(file)
        }
    }
}

/// Compiles a file and says what it took.
///
/// # Errors
/// If it does not compile.
pub fn measure(file: &Path) -> io::Result<Run> {
    let bytes = fs::metadata(file)?.len();
    let start = Instant::now();
    let Compiled { module, .. } = sapa_frontend::compile(&[file.to_owned()], &Options::default())
        .map_err(|errors| {
        io::Error::other(errors.iter().map(ToString::to_string).collect::<String>())
    })?;
    sapa_ir::goto::verify(&module).map_err(|errors| io::Error::other(errors.to_string()))?;
    Ok(Run { bytes, time: start.elapsed(), functions: module.functions.len(), memory: peak() })
}

fn peak() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kib = line.and_then(|rest| rest.split_whitespace().next()?.parse::<u64>().ok());
    kib.unwrap_or(0) / 1024
}

/// A program of so many lines: objects, structures, functions that call each
/// other, loops, switches; the entry reaches all of it.
fn c(lines: usize) -> String {
    const EACH: usize = 40;
    let mut out = String::new();
    let count = (lines / EACH).max(1);
    for n in 0..count {
        let _ = write!(
            out,
            "struct node{n} {{
    int key;
    struct node{n} *next;
    unsigned flags : 3;
    long table[4];
}};
static struct node{n} pool{n}[3] = {{ {{ 1, 0, 2, {{ 1, 2 }} }}, {{ 2, &pool{n}[0], 1 }} }};
int shared{n}, lock{n} = {n};
static int sum{n}(struct node{n} *p, int limit)
{{
    int s = 0, i;
    for (i = 0; p && i < limit; i++) {{
        s += p->key * 2 + (int)p->table[i & 3];
        p = p->next;
    }}
    return s > limit ? s - limit : s;
}}
static int step{n}(int x, unsigned y)
{{
    switch (x & 7) {{
    case 0:
        return (int)(y >> 3) ^ x;
    case 1:
    case 2:
        x = x ? x + 1 : -x;
        break;
    default:
        while (x > 10 && y != 0)
            x -= (int)(y-- & 3) + 1;
    }}
    pool{n}[x % 3].flags = (unsigned)x;
    return x + pool{n}[(y + 1) % 3].key;
}}
void work{n}(void)
{{
    int local = sum{n}(&pool{n}[1], lock{n});
    shared{n} = step{n}(local, (unsigned)shared{n});
    if (shared{n} == local && lock{n})
        __CPROVER_assert(local >= 0 || pool{n}[2].next != 0, \"part {n}\");
}}
"
        );
    }
    out.push_str("int main(void)\n{\n");
    for n in 0..count {
        let _ = writeln!(out, "    work{n}();");
    }
    out.push_str("    return 0;\n}\n");
    out
}

/// A binary of about so many bytes: many copies of the functions of a fixture,
/// each with names of its own, and an entry that calls the copies of `main`.
fn goto(bytes: usize) -> io::Result<Vec<u8>> {
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
