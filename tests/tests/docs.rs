//! The programs of `docs/` parse, print back, and have the verdicts they claim; the commands of the README
//! print what it says.

use std::path::Path;
use std::process::Command;

use sapa_backend::check::recursion::check_recursive;
use sapa_backend::check::{
    Answer, CheckOptions, ThreadBound, auto, check, explicit, symbolic::counter, symbolic::plain,
};
use sapa_ir::boolean::flatten::{FlattenOptions, flatten, is_recursive};
use sapa_ir::boolean::parser;
use sapa_passes::Pipeline;

/// The fenced blocks of a language in a page.
fn blocks<'p>(page: &'p str, language: &str) -> Vec<&'p str> {
    let fence = format!("```{language}\n");
    page.split(fence.as_str()).skip(1).filter_map(|rest| rest.split("```").next()).collect()
}

#[test]
fn the_programs_of_the_page_have_their_verdicts() {
    let page = include_str!("../../docs/boolean-programs.md");
    let programs = blocks(page, "bp");
    assert!(programs.len() >= 3);
    for text in programs {
        let heading = text.lines().next().expect("a first line");
        let mut words = heading.trim_start_matches("// ").split(" with ");
        let expected = words.next().expect("a verdict");
        let threads = words.next().and_then(|w| w.split(' ').next()).expect("a number");
        let bound = ThreadBound::Bounded(threads.parse().expect("a number"));
        let program = parser::parse(text).unwrap_or_else(|e| panic!("{}", e.in_file("page")));
        let printed = program.to_string();
        let again = parser::parse(&printed).unwrap_or_else(|e| panic!("{}", e.in_file("print")));
        assert_eq!(again.to_string(), printed);
        let (reading, options) = (FlattenOptions::default(), CheckOptions::new(bound));
        let (flat, engines) = match is_recursive(&program) {
            true => (None, &[&auto::ENGINE][..]),
            false => (
                Some(flatten(&program, &reading).expect("it flattens")),
                &[&explicit::ENGINE, &counter::ENGINE, &plain::ENGINE][..],
            ),
        };
        for &engine in engines {
            let outcome = match &flat {
                Some(flat) => check(engine, flat, &options, &mut |_| {}),
                None => {
                    check_recursive(engine, &program, &reading, &options, &mut |_| {})
                        .expect("it flattens")
                        .outcome
                }
            };
            let found = match outcome.answer {
                Answer::Safe { .. } => "SUCCESSFUL",
                Answer::Failing { .. } => "FAILED",
                Answer::Imprecise(_) | Answer::Unknown(_) => "INCONCLUSIVE",
            };
            assert_eq!(found, expected, "{engine:?}\n{text}");
        }
    }
}

#[test]
fn the_module_of_the_ir_page_is_sound() {
    let page = include_str!("../../docs/goto-ir.md");
    let modules = blocks(page, "gir");
    assert_eq!(modules.len(), 1);
    for text in modules {
        let module = sapa_ir::goto::read(text.as_bytes(), "page").expect("it is sound");
        assert_eq!(sapa_ir::goto::print(&module), text);
    }
}

#[test]
fn the_commands_of_the_readme_print_what_it_says() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let page = include_str!("../../README.md");
    let commands = page.split("```\n").skip(1).filter_map(|block| {
        let (command, expected) = block.split_once('\n')?;
        let (_, arguments) = command.strip_prefix("$ ")?.split_once("--bin sapa -- ")?;
        Some((arguments, expected))
    });
    let mut examples = 0;
    for (arguments, expected) in commands {
        examples += 1;
        let output = Command::new(sapa_tests::tools::programs().join("sapa"))
            .args(arguments.split_whitespace())
            .current_dir(&root)
            .output()
            .expect("sapa runs");
        assert_eq!(String::from_utf8_lossy(&output.stdout), expected, "sapa {arguments}");
    }
    assert!(examples > 0, "the page has no example");
}

/// The examples of the page about missing verdicts end as it says: a program, and the command behind it.
#[test]
fn the_examples_of_inconclusive_runs_end_as_the_page_says() {
    let page = include_str!("../../docs/inconclusive.md");
    let folder = tempfile::tempdir().expect("a folder can be made");
    let mut examples = 0;
    for example in page.split("```c\n").skip(1) {
        let (program, rest) = example.split_once("```\n").expect("a program ends");
        let (_, rest) = rest.split_once("```\n$ sapa ").expect("a command");
        let (arguments, expected) = rest.split_once('\n').expect("a line");
        let expected = expected.split("```").next().expect("an end");
        std::fs::write(folder.path().join("example.c"), program).expect("it can be written");
        let output = Command::new(sapa_tests::tools::programs().join("sapa"))
            .args(arguments.split_whitespace())
            .current_dir(folder.path())
            .output()
            .expect("sapa runs");
        assert_eq!(String::from_utf8_lossy(&output.stdout), expected, "sapa {arguments}");
        examples += 1;
    }
    assert!(examples >= 8, "{examples} examples");
}

/// What stands behind `-p` and `--passes` on a page: a word, or what is between quotes.
fn pipelines(page: &str) -> Vec<&str> {
    let options = ["sapa-opt -p ", "--passes "];
    let behind = options.iter().flat_map(|option| page.split(option).skip(1));
    behind
        .filter_map(|rest| match rest.strip_prefix('\'') {
            Some(quoted) => quoted.split('\'').next(),
            None => rest.split([' ', '\n', '`']).next(),
        })
        .collect()
}

/// Pages name pipelines that there are, and none repeats the passes of `sapa check`.
#[test]
fn the_pipelines_of_the_pages_are_pipelines() {
    let pages = [
        include_str!("../../README.md"),
        include_str!("../../docs/goto-ir.md"),
        include_str!("../../tools/src/bin/sapa-abstract.rs"),
        include_str!("../../tools/src/bin/sapa.rs"),
        include_str!("../../benchmarks/README.md"),
    ];
    let mut count = 0;
    for text in pages.into_iter().flat_map(pipelines) {
        let text = text.trim_end_matches('.');
        let pipeline = Pipeline::parse(text).unwrap_or_else(|error| panic!("{error}"));
        assert!(pipeline.steps.len() < 4 || text.contains("default"), "{text}");
        count += 1;
    }
    assert!(count >= 3, "the test reads nothing");
}
