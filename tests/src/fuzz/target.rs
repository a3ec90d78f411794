//! What is fuzzed, and the good inputs to start from.

use std::io;
use std::path::{Path, PathBuf};

use sapa_frontend::c::preprocess::{PreprocessorArgument, PreprocessorOptions, preprocess_text};
use sapa_frontend::goto_binary;
use sapa_ir::goto::{binary, generate::generate, print, read};
use sapa_limits::Limits;

/// A reader of outside data.
#[derive(Clone, Copy)]
pub struct Target {
    /// Its name on the command line.
    pub name: &'static str,
    /// Reads an input; whether it was accepted. Must not panic.
    pub run: fn(&[u8]) -> bool,
    /// Words that mean something in the input.
    pub dictionary: &'static [&'static str],
    seeds: fn() -> io::Result<Vec<Vec<u8>>>,
}

impl Target {
    /// The good inputs to start from.
    ///
    /// # Errors
    /// If the seed corpus cannot be read.
    pub fn seeds(&self) -> io::Result<Vec<Vec<u8>>> {
        (self.seeds)()
    }
}

/// All targets.
pub const TARGETS: &[Target] = &[
    Target { name: "ir-text", run: ir_text, dictionary: IR_WORDS, seeds: ir_text_seeds },
    Target { name: "ir-binary", run: ir_binary, dictionary: &[], seeds: ir_binary_seeds },
    Target { name: "c", run: c, dictionary: C_WORDS, seeds: c_seeds },
    Target { name: "goto", run: goto, dictionary: GOTO_WORDS, seeds: goto_seeds },
];

fn ir_text(input: &[u8]) -> bool {
    let Ok(module) = read(input, "input") else { return false };
    // What is read can be written and read again.
    let text = print(&module);
    assert!(read(text.as_bytes(), "printed").is_ok_and(|again| again == module));
    true
}

fn ir_binary(input: &[u8]) -> bool {
    let sealed = binary::seal(input);
    read(&sealed, "input").is_ok() | read(input, "input").is_ok()
}

fn c(input: &[u8]) -> bool {
    let Ok(parsed) = sapa_frontend::c::parser::parse("input.c", input) else { return false };
    let options = sapa_frontend::c::lower::Options::default();
    let lowered = sapa_frontend::stack::on_deep_stack(|| {
        sapa_frontend::c::lower::lower(vec![parsed.unit], &options)
    });
    match lowered {
        Ok(Ok((module, _))) => {
            // What comes out is sound.
            if let Err(errors) = sapa_ir::goto::verify(&module) {
                panic!("{errors}");
            }
            true
        }
        _ => false,
    }
}

fn goto(input: &[u8]) -> bool {
    let Ok(found) = goto_binary::binaries("input", input) else { return false };
    let mut binaries = Vec::new();
    for part in &found {
        match goto_binary::read(&part.name, part.bytes, part.offset) {
            Ok(binary) => binaries.push(binary),
            Err(_) => return false,
        }
    }
    for binary in &binaries {
        let _ = goto_binary::list(binary);
    }
    match sapa_frontend::compile_binaries(binaries, &sapa_frontend::Options::default()) {
        Ok(compiled) => {
            if let Err(errors) = sapa_ir::goto::verify(&compiled.module) {
                panic!("{errors}");
            }
            true
        }
        Err(_) => false,
    }
}

fn ir_text_seeds() -> io::Result<Vec<Vec<u8>>> {
    let mut seeds: Vec<_> = (0..40).map(|seed| print(&generate(seed)).into_bytes()).collect();
    seeds.extend(files(&root().join("tests/files"), "gir")?);
    Ok(seeds)
}

fn ir_binary_seeds() -> io::Result<Vec<Vec<u8>>> {
    Ok((0..60).map(|seed| binary::encode(&generate(seed)).split_off(binary::HEADER)).collect())
}

fn c_seeds() -> io::Result<Vec<Vec<u8>>> {
    let mut seeds = files(&root().join("tests"), "c")?;
    seeds.extend(files(&root().join("benchmarks/programs"), "c")?);
    // Small headers leave more of the input to the program than the system's.
    let headers = root().join("tests/src/fuzz/headers");
    let options = PreprocessorOptions {
        arguments: vec![PreprocessorArgument::Include(headers)],
        ..PreprocessorOptions::default()
    };
    let preprocessed = seeds.iter().filter_map(|seed| {
        preprocess_text("input.c".to_owned(), seed, &options, &Limits::default())
            .ok()
            .map(|source| source.text)
    });
    Ok(preprocessed.collect())
}

fn goto_seeds() -> io::Result<Vec<Vec<u8>>> {
    let folder = root().join("tests/fixtures/goto");
    let mut seeds = files(&folder, "gb")?;
    seeds.extend(files(&folder, "o")?);
    Ok(seeds)
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The contents of all files below a folder whose names end so, in the order of their names.
fn files(folder: &Path, extension: &str) -> io::Result<Vec<Vec<u8>>> {
    let mut entries: Vec<_> = std::fs::read_dir(folder)?
        .map(|entry| entry.map(|e| e.path()))
        .collect::<Result<_, _>>()?;
    entries.sort();
    let mut contents = Vec::new();
    for path in entries {
        if path.is_dir() {
            contents.extend(files(&path, extension)?);
        } else if path.extension().is_some_and(|e| e == extension) {
            contents.push(std::fs::read(path)?);
        }
    }
    Ok(contents)
}

const IR_WORDS: &[&str] = &[
    "gir 1",
    "target",
    "struct",
    "global",
    "function",
    "entry",
    "predicate",
    "cube",
    "note",
    "i1",
    "i8",
    "i32",
    "i64",
    "i128",
    "i129",
    "i0",
    "ptr",
    "[4 x i32]",
    "load",
    "store",
    "add",
    "call",
    "spawn",
    "join",
    "nondet",
    "assume",
    "assert",
    "jump",
    "branch",
    "switch",
    "return",
    "%0",
    "%1",
    "@0",
    "null",
    "block0",
    "(",
    ")",
    "{",
    "}",
    ",",
    ":",
    "=",
    "\"",
    "#",
    "!",
    "\n",
];

const GOTO_WORDS: &[&str] = &[
    "symbol",
    "constant",
    "typecast",
    "address_of",
    "dereference",
    "index",
    "member",
    "if",
    "and",
    "or",
    "not",
    "struct",
    "array",
    "union",
    "with",
    "array_of",
    "side_effect",
    "nondet",
    "bool",
    "signedbv",
    "unsignedbv",
    "pointer",
    "c_bool",
    "struct_tag",
    "floatbv",
    "empty",
    "code",
    "type",
    "width",
    "identifier",
    "value",
    "nil",
    "+",
    "-",
    "*",
    "/",
    "mod",
    "shl",
    "ashr",
    "=",
    "<",
    "S",
    "N",
    "\u{1}",
    "\u{2}",
    "\u{3}",
    "main",
    "overflow-+",
    "byte_extract_little_endian",
    "FF",
];

const C_WORDS: &[&str] = &[
    "int",
    "unsigned",
    "char",
    "long",
    "struct",
    "union",
    "enum",
    "typedef",
    "static",
    "extern",
    "_Atomic",
    "_Bool",
    "void",
    "const",
    "volatile",
    "sizeof",
    "if",
    "else",
    "while",
    "do",
    "for",
    "switch",
    "case",
    "default",
    "break",
    "continue",
    "goto",
    "return",
    "__attribute__",
    "__extension__",
    "asm",
    "typeof",
    "_Generic",
    "_Static_assert",
    "__builtin_offsetof",
    "float",
    "pthread_create",
    "pthread_join",
    "malloc",
    "free",
    "assert",
    "__VERIFIER_atomic_begin",
    "__VERIFIER_atomic_end",
    "__VERIFIER_nondet_int",
    "main",
    "x",
    "*",
    "&",
    "&&",
    "||",
    "->",
    ".",
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    ";",
    ",",
    "=",
    "==",
    "+",
    "-",
    "<<",
    ">>",
    "?",
    ":",
    "...",
    "1",
    "0",
    "0x7fffffff",
    "'a'",
    "\"s\"",
    "++",
    "--",
    "~",
    "!",
    "# 1 \"f.c\"\n",
    "(int)",
];
