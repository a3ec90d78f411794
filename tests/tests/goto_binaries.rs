//! CBMC goto binaries: the fixtures in all containers, damaged ones, linking.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use rayon::prelude::*;
use sapa_backend::cegar::{Silent, Verdict};
use sapa_backend::check::{ThreadBound, explicit};
use sapa_driver::Program;
use sapa_frontend::goto_binary::{self, Binary, ReadError, binaries, read, write};
use sapa_frontend::{Options, compile, compile_binaries, compile_bytes};
use sapa_ir::goto::{Module, print, verify};
use sapa_limits::Limits;

const NAMES: [&str; 9] = [
    "alloc",
    "asm_fence",
    "atomics",
    "bits",
    "control",
    "funptr",
    "loop",
    "pthread_mutex",
    "struct_ptr",
];

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/goto").join(name)
}

fn bytes(name: &str) -> Vec<u8> {
    std::fs::read(fixture(name)).expect("the fixture is there")
}

fn parse(name: &str) -> Binary {
    read(name, &bytes(name), 0).expect("the fixture is sound")
}

fn module(path: &Path) -> Module {
    let compiled = compile(&[path.to_owned()], &Options::default());
    let module = compiled.unwrap_or_else(|e| panic!("{}: {e:?}", path.display())).module;
    verify(&module).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    module
}

/// The text of a module without what names its file.
fn text(bytes: &[u8]) -> String {
    let compiled = compile_bytes("x", bytes, &Options::default());
    print(&compiled.unwrap_or_else(|e| panic!("{e:?}")).module)
}

#[test]
fn every_fixture_becomes_the_same_module_from_every_container() {
    for name in NAMES {
        let object = text(&bytes(&format!("{name}.obj.gb")));
        assert_eq!(text(&bytes(&format!("{name}.hybrid.o"))), object, "{name}");
        verify(&module(&fixture(&format!("{name}.gb")))).expect("it is sound");
        // Written and read again it means the same.
        let again = write(&parse(&format!("{name}.obj.gb")));
        assert_eq!(text(&again), object, "{name}");
    }
}

#[test]
fn every_fixture_has_one_verdict() {
    NAMES.par_iter().for_each(|&name| {
        let forms = [".c", ".gb", ".obj.gb", ".hybrid.o"].map(|form| {
            let file = fixture(&format!("{name}{form}"));
            let program = Program::compile(&[file], &sapa_driver::Options::default());
            let program = program.unwrap_or_else(|e| panic!("{e}"));
            // The time begins here: it is not for compilers.
            let options = sapa_driver::Options {
                threads: ThreadBound::Bounded(2),
                engine: &explicit::ENGINE,
                iterations: 20,
                limits: Limits::time(Duration::from_secs(5)),
                ..sapa_driver::Options::default()
            };
            // A limit that ends a run says nothing of the form.
            let limits = options.limits.clone();
            let is_cut_off = || limits.stopped().is_some();
            match program.check(&options, &mut Silent).map(|checked| checked.report.verdict) {
                Ok(Verdict::Successful(_)) => "successful",
                Ok(Verdict::Failed(_)) => "failed",
                Ok(Verdict::Inconclusive(_)) | Err(_) if is_cut_off() => "cut off",
                Ok(Verdict::Inconclusive(_)) | Err(_) => "inconclusive",
            }
        });
        let answers: Vec<&str> = forms.into_iter().filter(|form| *form != "cut off").collect();
        assert!(answers.iter().all(|answer| *answer == answers[0]), "{name}: {forms:?}");
        // What CBMC says of the linked files is never contradicted.
        let fails = matches!(name, "atomics" | "pthread_mutex");
        let wrong = if fails { "successful" } else { "failed" };
        assert!(!answers.contains(&wrong), "{name}: {forms:?}");
    });
}

#[test]
fn old_versions_are_read_or_refused_by_name() {
    let v5 = read("v5.gb", &bytes("old/v5.gb"), 0).expect("version 5 is read");
    let options = Options { entry: Some("bar".to_owned()), ..Options::default() };
    let compiled = compile_binaries(vec![v5], &options).expect("it compiles");
    verify(&compiled.module).expect("it is sound");
    match read("v4.gb", &bytes("old/v4.gb"), 0) {
        Err(error @ ReadError::Version { version: 4, .. }) => {
            assert!(error.to_string().contains("version 4"), "{error}");
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_truncated_binary_is_an_error_with_an_offset() {
    for name in ["loop.gb", "control.obj.gb"] {
        let whole = bytes(name);
        for length in 0..whole.len() {
            let error = match read(name, &whole[..length], 0) {
                Err(error) => error.to_string(),
                Ok(_) => panic!("{name} cut off at {length} is accepted"),
            };
            assert!(error.contains("offset"), "{name} cut off at {length}: {error}");
        }
    }
}

#[test]
fn a_flipped_bit_is_an_error_with_an_offset_or_another_program() {
    let whole = bytes("loop.gb");
    for place in 0..whole.len() * 8 {
        let mut damaged = whole.clone();
        damaged[place / 8] ^= 1 << (place % 8);
        match read("loop.gb", &damaged, 0) {
            Err(error) => assert!(error.to_string().contains("offset"), "{place}: {error}"),
            // Compiling takes longer, and is fuzzed.
            Ok(binary) if place % 37 == 0 => {
                if let Ok(compiled) = compile_binaries(vec![binary], &Options::default()) {
                    verify(&compiled.module).unwrap_or_else(|e| panic!("bit {place}: {e}"));
                }
            }
            Ok(_) => {}
        }
    }
}

#[test]
fn damaged_containers_are_errors() {
    let whole = bytes("loop.hybrid.o");
    for length in (0..whole.len()).step_by(7) {
        // A cut that leaves the section whole leaves the program whole.
        let found = binaries("loop.o", &whole[..length]);
        if let Ok(found) = found {
            assert_eq!(found.len(), 1, "cut off at {length}");
        }
    }
    let plain = binaries("a.o", b"\x7fELF\x02\x01\x01 and no more");
    assert!(plain.expect_err("no ELF file").to_string().contains("a.o"));
}

#[test]
fn archives_hold_several_binaries() {
    let folder = tempfile::tempdir().expect("a folder");
    let archive = folder.path().join("lib.a");
    let made = Command::new("ar")
        .arg("rc")
        .arg(&archive)
        .args([fixture("loop.hybrid.o"), fixture("loop.c"), fixture("control.obj.gb")])
        .status()
        .expect("ar runs");
    assert!(made.success());
    let bytes = std::fs::read(&archive).expect("the archive");
    let found = binaries("lib.a", &bytes).expect("it is an archive");
    let names: Vec<_> = found.iter().map(|part| part.name.as_str()).collect();
    assert_eq!(names, ["lib.a(loop.hybrid.o)", "lib.a(control.obj.gb)"]);
    // Both have a main.
    let errors = compile(&[archive], &Options::default()).expect_err("two of a name");
    assert!(errors[0].message.contains("'main' is defined more than once"), "{errors:?}");
}

/// A Mach-O object with one section `goto-cc`, as `ld -r -sectcreate` makes it.
fn mach_o(content: &[u8]) -> Vec<u8> {
    let mut file = Vec::new();
    let words = |file: &mut Vec<u8>, words: &[u32]| {
        words.iter().for_each(|word| file.extend(word.to_le_bytes()));
    };
    // Header: magic, x86-64, object, one command of 152 bytes.
    words(&mut file, &[0xfeed_facf, 0x0100_0007, 3, 1, 1, 152, 0, 0]);
    words(&mut file, &[0x19, 152]);
    file.extend(b"__TEXT\0\0\0\0\0\0\0\0\0\0");
    let size = content.len() as u64;
    let start = 32 + 152u64;
    [0, size, start, size].iter().for_each(|word| file.extend(word.to_le_bytes()));
    words(&mut file, &[7, 7, 1, 0]);
    file.extend(b"goto-cc\0\0\0\0\0\0\0\0\0");
    file.extend(b"__TEXT\0\0\0\0\0\0\0\0\0\0");
    [0, size].iter().for_each(|word| file.extend(word.to_le_bytes()));
    words(&mut file, &[start as u32, 0, 0, 0, 0, 0, 0, 0]);
    file.extend(content);
    file
}

#[test]
fn mach_o_objects_hold_binaries() {
    let content = bytes("loop.obj.gb");
    let object = mach_o(&content);
    assert_eq!(text(&object), text(&content));
    // Universal: the binary is an architecture of its own (HPPA 7100LC).
    let mut fat = Vec::new();
    let offset = 4096u32;
    let size = u32::try_from(content.len()).expect("small");
    for word in [0xcafe_babe, 1, 11, 1, offset, size, 12] {
        fat.extend(u32::to_be_bytes(word));
    }
    fat.resize(offset as usize, 0);
    fat.extend(&content);
    assert_eq!(text(&fat), text(&content));
}

/// `pthread_mutex.c` as two files: one with `worker`, one with the rest.
#[test]
fn binaries_are_linked() {
    let whole = parse("pthread_mutex.obj.gb");
    let without = |function: &str| {
        let mut part = whole.clone();
        let nil = part.ireps.add_text("nil");
        let nil = part.ireps.add(nil, &[], &[]);
        part.functions.retain(|f| f.name != function);
        let names: Vec<_> =
            part.symbols.iter().map(|s| part.ireps.text(s.name).to_owned()).collect();
        for (symbol, name) in part.symbols.iter_mut().zip(names) {
            let is_object = ["m", "safe", "racy"].contains(&name.as_str());
            if name == function {
                symbol.value = nil;
            } else if function == "main" && is_object {
                // Declared `extern` in the file of `worker`.
                symbol.value = nil;
                symbol.flags |= 2;
            }
        }
        read("part", &write(&part), 0).expect("it is sound")
    };
    let (main, worker) = (without("worker"), without("main"));
    let alone = compile_binaries(vec![main.clone()], &Options::default());
    assert!(alone.is_ok_and(|compiled| {
        compiled
            .module
            .function_by_name("worker")
            .is_some_and(|id| !compiled.module.function(id).is_defined())
    }));
    let both = compile_binaries(vec![main, worker], &Options::default()).expect("they link");
    let one = compile_binaries(vec![whole], &Options::default()).expect("it compiles");
    for module in [&both.module, &one.module] {
        verify(module).unwrap_or_else(|e| panic!("{e}"));
    }
    let shape = |module: &Module| {
        let functions = module.functions.iter().map(|f| (f.name.clone(), f.blocks.len()));
        let globals = module.globals.iter().map(|g| g.name.clone());
        (functions.collect::<Vec<_>>(), globals.collect::<Vec<_>>())
    };
    assert_eq!(shape(&both.module), shape(&one.module));
}

#[test]
fn entries_are_found() {
    let binary = parse("control.gb");
    let options = Options { entry: Some("nothing".to_owned()), ..Options::default() };
    let errors = compile_binaries(vec![binary], &options).expect_err("no such function");
    assert_eq!(errors[0].message, "the entry function 'nothing' is not defined");
    let binary = parse("atomics.gb");
    let options = Options { entry: Some("thr".to_owned()), ..Options::default() };
    let module = compile_binaries(vec![binary], &options).expect("it is there").module;
    assert_eq!(module.entry.map(|id| module.function(id).name.clone()).as_deref(), Some("thr"));
}

#[test]
fn what_is_in_a_binary_is_listed() {
    let list = goto_binary::list(&parse("atomics.gb"));
    for line in [
        "goto binary, version 6",
        "  main (",
        "thread starts: 2",
        "  in main: a block of its own (atomics.c:42)",
    ] {
        assert!(list.contains(line), "{line} is not in\n{list}");
    }
    let list = goto_binary::list(&parse("pthread_mutex.gb"));
    assert!(list.contains("  in main: pthread_create (pthread_mutex.c:19)"), "{list}");
    assert!(list.contains("  racy: object (pthread_mutex.c:5)"), "{list}");
}

/// An irep that is not understood is named with function, line and id.
#[test]
fn unknown_ireps_are_named() {
    let mut binary = parse("loop.gb");
    let text = binary.ireps.add_text("quaternion_product");
    let ty = binary.symbol("sum").expect("a symbol").ty;
    let key = binary.ireps.add_text("type");
    let odd = binary.ireps.add(text, &[], &[(key, ty)]);
    let main = binary.functions.iter_mut().find(|f| f.name == "main").expect("main");
    let assign = main
        .instructions
        .iter_mut()
        .find(|i| i.kind == goto_binary::InstructionKind::Assign)
        .expect("an assignment");
    let code = assign.code;
    let target = binary.ireps.operand(code, 0).expect("a target");
    let id = binary.ireps.id_text(code);
    let named = binary.ireps.named(code).to_vec();
    let changed = binary.ireps.add(id, &[target, odd], &named);
    let main = binary.functions.iter_mut().find(|f| f.name == "main").expect("main");
    for instruction in &mut main.instructions {
        if instruction.code == code {
            instruction.code = changed;
        }
    }
    let errors = compile_binaries(vec![binary], &Options::default()).expect_err("not known");
    let error = errors[0].to_string();
    assert!(error.contains("loop.c:"), "{error}");
    assert!(error.contains("function 'main': irep 'quaternion_product'"), "{error}");
}
