//! What the README and the pages of `docs/` say is so: programs parse, print back and have the verdicts that they claim (here), commands
//! print what stands below them (`console.rs`), and links lead somewhere (`links.rs`).

mod console;
mod links;
mod page;

use std::path::Path;

use page::Page;
use sapa_backend::check::recursion::check_recursive;
use sapa_backend::check::{
    Answer, CheckOptions, ThreadBound, auto, check, explicit, symbolic::counter, symbolic::plain,
};
use sapa_ir::boolean::flatten::{FlattenOptions, flatten, is_recursive};
use sapa_ir::boolean::parser;
use sapa_passes::Pipeline;

#[test]
fn the_programs_of_the_page_have_their_verdicts() {
    let programs = Page::read(Path::new("docs/boolean-programs.md")).blocks_of("bp");
    assert!(programs.len() >= 3);
    for text in &programs {
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
    let modules = Page::read(Path::new("docs/goto-ir.md")).blocks_of("gir");
    assert_eq!(modules.len(), 1);
    for text in modules {
        let module = sapa_ir::goto::read(text.as_bytes(), "page").expect("it is sound");
        assert_eq!(sapa_ir::goto::print(&module), text);
    }
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
    let others =
        ["tools/src/bin/sapa-abstract.rs", "tools/src/bin/sapa.rs", "benchmarks/README.md"];
    let mut texts = page::pages();
    texts.extend(others.map(|path| Page::read(Path::new(path))));
    let mut count = 0;
    for text in texts.iter().flat_map(|page| pipelines(&page.text)) {
        let text = text.trim_end_matches('.');
        let pipeline = Pipeline::parse(text).unwrap_or_else(|error| panic!("{error}"));
        assert!(pipeline.steps.len() < 4 || text.contains("default"), "{text}");
        count += 1;
    }
    assert!(count >= 3, "the test reads nothing");
}
