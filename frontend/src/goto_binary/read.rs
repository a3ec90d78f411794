//! Symbols, functions and instructions of a binary.

use rustc_hash::FxHashMap;
use sapa_limits::Limits;

use super::container::MAGIC;
use super::error::ReadError;
use super::irep::{Irep, Ireps, Text};
use super::stream::Stream;

/// Versions that are read: CBMC 5.12 to 5.95, and 6.
const VERSIONS: std::ops::RangeInclusive<u64> = 5..=6;

/// A goto binary.
#[derive(Clone, Debug)]
pub struct Binary {
    /// Its file, for messages.
    pub file: String,
    /// Version of the format.
    pub version: u64,
    /// Trees and strings.
    pub ireps: Ireps,
    /// The symbol table, in the order of the file, which means nothing.
    pub symbols: Vec<Symbol>,
    /// Functions with bodies, in the order of the file, which means nothing.
    pub functions: Vec<Function>,
    by_name: FxHashMap<String, usize>,
}

/// A symbol: an object, a function, a type or a parameter.
#[derive(Clone, Debug)]
pub struct Symbol {
    /// Its type.
    pub ty: Irep,
    /// Its value; `nil` if there is none.
    pub value: Irep,
    /// Where it is declared.
    pub location: Irep,
    /// Its unique name.
    pub name: Text,
    /// Its name in the source.
    pub base_name: Text,
    /// The flags, as in the file.
    pub flags: u64,
}

impl Symbol {
    fn bit(&self, bit: u32) -> bool {
        self.flags >> bit & 1 == 1
    }
    /// Whether another file may define it.
    #[must_use]
    pub fn is_extern(&self) -> bool {
        self.bit(1)
    }
    /// Whether only its file sees it.
    #[must_use]
    pub fn is_file_local(&self) -> bool {
        self.bit(2)
    }
    /// Whether each thread has its own.
    #[must_use]
    pub fn is_thread_local(&self) -> bool {
        self.bit(3)
    }
    /// Whether it lives as long as the program.
    #[must_use]
    pub fn is_static_lifetime(&self) -> bool {
        self.bit(4)
    }
    /// Whether it names a type.
    #[must_use]
    pub fn is_type(&self) -> bool {
        self.bit(15)
    }
}

/// A function with its body.
#[derive(Clone, Debug)]
pub struct Function {
    /// Its name.
    pub name: String,
    /// Its instructions.
    pub instructions: Vec<Instruction>,
}

/// An instruction.
#[derive(Clone, Debug)]
pub struct Instruction {
    /// What it does to the state, for assignments, calls and the like.
    pub code: Irep,
    /// Where it comes from.
    pub location: Irep,
    /// Its kind.
    pub kind: InstructionKind,
    /// The condition of jumps, assumptions and assertions.
    pub guard: Irep,
    /// Where it may jump to: indices into [`Function::instructions`].
    pub targets: Vec<usize>,
}

/// Kinds of instructions (`goto_program_instruction_typet`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum InstructionKind {
    /// A conditional jump.
    Goto,
    /// An assumption.
    Assume,
    /// An assertion.
    Assert,
    /// A statement of another kind.
    Other,
    /// The `SKIP` instruction, which does nothing.
    Skip,
    /// The start of a thread at the target.
    StartThread,
    /// The end of the thread.
    EndThread,
    /// Nothing, at a label.
    Location,
    /// The end of the function.
    EndFunction,
    /// The start of an atomic section.
    AtomicBegin,
    /// The end of an atomic section.
    AtomicEnd,
    /// Sets the value that the function returns.
    SetReturnValue,
    /// An assignment.
    Assign,
    /// The start of a local's life.
    Declaration,
    /// The end of a local's life.
    Dead,
    /// A call.
    FunctionCall,
    /// An exception is thrown.
    Throw,
    /// An exception is caught.
    Catch,
}

impl InstructionKind {
    pub(super) fn of(number: u64) -> Option<Self> {
        Some(match number {
            1 => Self::Goto,
            2 => Self::Assume,
            3 => Self::Assert,
            4 => Self::Other,
            5 => Self::Skip,
            6 => Self::StartThread,
            7 => Self::EndThread,
            8 => Self::Location,
            9 => Self::EndFunction,
            10 => Self::AtomicBegin,
            11 => Self::AtomicEnd,
            12 => Self::SetReturnValue,
            13 => Self::Assign,
            14 => Self::Declaration,
            15 => Self::Dead,
            16 => Self::FunctionCall,
            17 => Self::Throw,
            18 => Self::Catch,
            _ => return None,
        })
    }
}

impl Binary {
    /// The symbol of a name.
    #[must_use]
    pub fn symbol(&self, name: &str) -> Option<&Symbol> {
        self.by_name.get(name).and_then(|index| self.symbols.get(*index))
    }

    /// The index of the symbol of a name.
    #[must_use]
    pub fn symbol_index(&self, name: &str) -> Option<usize> {
        self.by_name.get(name).copied()
    }
}

/// Reads a raw goto binary. `base` is the offset of its bytes in the file.
///
/// # Errors
/// If the bytes are not a goto binary of a known version, whole and undamaged.
pub fn read(file: &str, bytes: &[u8], base: usize) -> Result<Binary, ReadError> {
    read_within(file, bytes, base, &Limits::default())
}

/// As [`read`], as long as the limits hold.
///
/// # Errors
/// As [`read`], or a limit ended the reading.
pub fn read_within(
    file: &str,
    bytes: &[u8],
    base: usize,
    limits: &Limits,
) -> Result<Binary, ReadError> {
    let mut stream = Stream::new(file, bytes, base);
    for expected in MAGIC {
        if stream.byte("the magic bytes of a goto binary")? != *expected {
            return stream.fail_at(0, "no goto binary: it starts with 7f 'GBF'");
        }
    }
    let version = stream.word("the version")?;
    if !VERSIONS.contains(&version) {
        return Err(ReadError::Version { file: file.to_owned(), version });
    }
    let count = stream.count("the number of symbols", 10)?;
    let mut symbols = Vec::with_capacity(count);
    for _ in 0..count {
        limits.check()?;
        symbols.push(symbol(&mut stream)?);
    }
    let count = stream.count("the number of functions", 2)?;
    let mut functions = Vec::with_capacity(count);
    for _ in 0..count {
        functions.push(function(&mut stream, limits)?);
    }
    if !stream.is_at_end() {
        return stream.fail("bytes follow the last function");
    }
    let ireps = stream.ireps;
    let mut by_name = FxHashMap::default();
    for (index, symbol) in symbols.iter().enumerate() {
        by_name.insert(ireps.text(symbol.name).to_owned(), index);
    }
    Ok(Binary { file: file.to_owned(), version, ireps, symbols, functions, by_name })
}

fn symbol(stream: &mut Stream<'_>) -> Result<Symbol, ReadError> {
    let (ty, value, location) = (stream.irep()?, stream.irep()?, stream.irep()?);
    let name = stream.text()?;
    let _module = stream.text()?;
    let base_name = stream.text()?;
    let _mode = stream.text()?;
    let _pretty_name = stream.text()?;
    let _ordering = stream.word("an obsolete zero")?;
    let flags = stream.word("the flags of a symbol")?;
    Ok(Symbol { ty, value, location, name, base_name, flags })
}

/// No target number.
const NONE: u64 = u32::MAX as u64;

fn function(stream: &mut Stream<'_>, limits: &Limits) -> Result<Function, ReadError> {
    let name = String::from_utf8_lossy(&stream.string()?).into_owned();
    let count = stream.count("the number of instructions", 7)?;
    let mut instructions = Vec::with_capacity(count);
    let mut numbers = FxHashMap::default();
    let mut wanted = Vec::with_capacity(count);
    for index in 0..count {
        limits.check()?;
        let code = stream.irep()?;
        let location = stream.irep()?;
        let number = stream.word("the kind of an instruction")?;
        let Some(kind) = InstructionKind::of(number) else {
            return stream.fail(format!("there is no kind {number} of instructions"));
        };
        let guard = stream.irep()?;
        let target = stream.word("a target number")?;
        if target != NONE && numbers.insert(target, index).is_some() {
            return stream.fail(format!("target {target} of '{name}' is there twice"));
        }
        let targets = stream.count("the number of targets", 1)?;
        let mut own = Vec::with_capacity(targets);
        for _ in 0..targets {
            own.push(stream.word("a target")?);
        }
        wanted.push(own);
        for _ in 0..stream.count("the number of labels", 1)? {
            stream.text()?;
        }
        instructions.push(Instruction { code, location, kind, guard, targets: Vec::new() });
    }
    for (instruction, wanted) in instructions.iter_mut().zip(wanted) {
        for target in wanted {
            match numbers.get(&target) {
                Some(index) => instruction.targets.push(*index),
                None => return stream.fail(format!("there is no target {target} in '{name}'")),
            }
        }
        let jumps =
            matches!(instruction.kind, InstructionKind::Goto | InstructionKind::StartThread);
        if jumps && instruction.targets.len() != 1 {
            return stream.fail(format!("a jump of '{name}' has not one target"));
        }
    }
    Ok(Function { name, instructions })
}
