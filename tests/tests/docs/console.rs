//! Commands on pages do what the pages say.
//!
//! A block ```` ```console ```` is what a terminal shows: a line `$ COMMAND`, and below it what the command prints. A line
//! `...` stands for any lines, also none, and a line that ends in ` ...` for one that goes on. A command that ends in `\` goes
//! on in the next line. Commands are run by `sh`, with the tools first in `PATH`, in the page's folder in a copy of the pages; one
//! after the other, so that one may read what another has written. A block ```` ```c ```` is there as the file `example.c` until the next one.
//!
//! A block ```` ```sh ```` has commands that are not run, as they build or install.
//!
//! `SAPA_BLESS=1 cargo test -p sapa-tests --test docs` writes what is printed into the pages, which the diff must then show to be right.
//! As many lines before and after `...` are taken as stand there; where there are several `...`, it is left to people.

use std::path::Path;
use std::process::Command;

use rayon::prelude::*;

use crate::page::{Page, files, pages, root};

/// A command, with what it is to print and where it stands.
struct Example {
    line: usize,
    command: String,
    expected: Vec<String>,
}

/// The commands of a block whose first fence is at `line`.
fn examples(line: usize, text: &str) -> Vec<Example> {
    let mut found: Vec<Example> = Vec::new();
    for (number, text) in text.lines().enumerate() {
        match (text.strip_prefix("$ "), found.last_mut()) {
            (Some(command), _) => found.push(Example {
                line: line + 1 + number,
                command: command.to_owned(),
                expected: Vec::new(),
            }),
            (None, Some(last)) if last.expected.is_empty() && last.command.ends_with('\\') => {
                last.command.push('\n');
                last.command += text;
            }
            (None, Some(last)) => last.expected.push(text.to_owned()),
            (None, None) => panic!("line {}: a console block begins with a command", line + 1),
        }
    }
    found
}

/// Whether a line is what is expected.
fn line_agrees(expected: &str, found: &str) -> bool {
    match expected.strip_suffix(" ...") {
        Some(beginning) => found.starts_with(beginning),
        None => found == expected,
    }
}

/// Whether the lines are what is expected, where `...` stands for any lines.
fn agrees(expected: &[String], found: &[&str]) -> bool {
    let begins = |part: &[String], found: &[&str]| {
        part.len() <= found.len() && part.iter().zip(found).all(|(e, f)| line_agrees(e, f))
    };
    let mut parts = expected.split(|line| line == "...");
    let first = parts.next().unwrap_or(&[]);
    if !begins(first, found) {
        return false;
    }
    let mut rest = &found[first.len()..];
    let mut parts: Vec<&[String]> = parts.collect();
    let Some(last) = parts.pop() else {
        return rest.is_empty();
    };
    for part in parts {
        let Some(at) = (0..=rest.len()).find(|&at| begins(part, &rest[at..])) else {
            return false;
        };
        rest = &rest[at + part.len()..];
    }
    rest.len() >= last.len() && begins(last, &rest[rest.len() - last.len()..])
}

/// What is printed, with lines left out as in what is expected, if that can be told.
fn blessed(expected: &[String], found: &[&str]) -> Option<Vec<String>> {
    let parts: Vec<&[String]> = expected.split(|line| line == "...").collect();
    let take = |expected: &[String], found: &[&str]| -> Vec<String> {
        let found = found.iter().enumerate();
        found
            .map(|(at, &line)| match expected.get(at) {
                Some(short) if line_agrees(short, line) => short.clone(),
                _ => line.to_owned(),
            })
            .collect()
    };
    match parts[..] {
        [all] => Some(take(all, found)),
        [first, last] => {
            let last_at = found.len().checked_sub(last.len()).filter(|&at| at >= first.len())?;
            let mut lines = take(first, &found[..first.len()]);
            lines.push("...".to_owned());
            lines.extend(take(last, &found[last_at..]));
            Some(lines)
        }
        _ => None,
    }
}

/// A folder with the pages, the files beside them, and the programs that they name.
fn copy() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder can be made");
    for extension in ["md", "c", "bp", "txt"] {
        for path in files(Path::new("docs"), extension) {
            let to = folder.path().join(&path);
            std::fs::create_dir_all(to.parent().expect("a folder")).expect("it can be made");
            std::fs::copy(root().join(&path), to).expect("it can be copied");
        }
    }
    for name in ["benchmarks", "tests"] {
        let from = root().join(name).canonicalize().expect("a folder of the repository");
        std::os::unix::fs::symlink(from, folder.path().join(name)).expect("it can be linked");
    }
    folder
}

/// Runs the commands of a page; says how many there are, and which print something else.
fn run(page: &Page, programs: &Path) -> (usize, Vec<String>) {
    let blocks = page.blocks();
    if blocks.iter().all(|block| block.language != "console") {
        return (0, Vec::new());
    }
    let path = std::env::var("PATH").expect("there is a PATH");
    let path = format!("{}:{path}", programs.display());
    let root = copy();
    let folder = root.path().join(page.path.parent().expect("a folder"));
    let mut lines: Vec<String> = page.text.lines().map(str::to_owned).collect();
    let bless = std::env::var_os("SAPA_BLESS").is_some();
    let (mut count, mut wrong, mut moved) = (0, Vec::new(), 0);
    for block in blocks {
        if block.language == "c" {
            std::fs::write(folder.join("example.c"), &block.text).expect("it can be written");
        }
        if block.language != "console" {
            continue;
        }
        for example in examples(block.line, &block.text) {
            let output = Command::new("sh")
                .args(["-c", &format!("exec 2>&1\n{}", example.command)])
                .current_dir(&folder)
                .env("PATH", &path)
                .env_remove("COLUMNS")
                .output()
                .expect("sh runs");
            let output = String::from_utf8_lossy(&output.stdout);
            let found: Vec<&str> = output.lines().collect();
            let new = (bless && !agrees(&example.expected, &found))
                .then(|| blessed(&example.expected, &found))
                .flatten();
            if let Some(new) = new {
                // Lines of the page count from 1, and those before may have become more or fewer.
                let first = example.line + example.command.lines().count() - 1;
                let first = first.checked_add_signed(moved).expect("a line of the page");
                moved += new.len().cast_signed() - example.expected.len().cast_signed();
                lines.splice(first..first + example.expected.len(), new);
            } else if !agrees(&example.expected, &found) {
                let (page, line, command) = (page.path.display(), example.line, &example.command);
                let expected = example.expected.join("\n");
                let difference = similar::TextDiff::from_lines(expected.as_str(), &output);
                let difference = difference.unified_diff().to_string();
                wrong.push(format!("{page}:{line}: $ {command}\n{difference}"));
            }
            count += 1;
        }
    }
    if bless {
        let text = lines.join("\n") + "\n";
        std::fs::write(crate::page::root().join(&page.path), text).expect("it can be written");
    }
    (count, wrong)
}

#[test]
fn the_commands_of_the_pages_print_what_they_say() {
    let programs = sapa_tests::tools::programs();
    let results: Vec<_> = pages().par_iter().map(|page| run(page, &programs)).collect();
    let count: usize = results.iter().map(|(count, _)| count).sum();
    let wrong: Vec<String> = results.into_iter().flat_map(|(_, wrong)| wrong).collect();
    let hint =
        "to take what is printed for right: SAPA_BLESS=1 cargo test -p sapa-tests --test docs";
    let (number, wrong) = (wrong.len(), wrong.join("\n"));
    assert!(number == 0, "{number} of {count} commands:\n{wrong}\n{hint}");
    assert!(count >= 40, "only {count} commands");
}

/// A command that stands elsewhere than in a console block would not be run.
#[test]
fn all_commands_are_run() {
    for page in pages() {
        for block in page.blocks() {
            let place = format!("{}:{}", page.path.display(), block.line);
            for line in block.text.lines() {
                let word = line.split(' ').next().unwrap_or("");
                let is_command = match block.language {
                    "console" => false,
                    "sh" => sapa_tests::tools::PROGRAMS.contains(&word),
                    "" => word == "$" || sapa_tests::tools::PROGRAMS.contains(&word),
                    _ => word == "$",
                };
                assert!(!is_command, "{place}: in no console block: {line}");
            }
        }
    }
}

/// The listings of the tutorial are its programs, or parts of them.
#[test]
fn the_listings_of_the_tutorial_are_its_programs() {
    let programs: Vec<String> = files(Path::new("docs/tutorial"), "c")
        .iter()
        .map(|path| std::fs::read_to_string(root().join(path)).expect("a program"))
        .collect();
    let mut count = 0;
    for path in files(Path::new("docs/tutorial"), "md") {
        for listing in Page::read(&path).blocks_of("c") {
            let is_there = programs.iter().any(|program| program.contains(&listing));
            assert!(is_there, "{path:?}: in no program of the tutorial:\n{listing}");
            count += 1;
        }
    }
    assert!(count >= 5, "only {count} listings");
}

#[test]
fn left_out_lines_are_any() {
    let check = |expected: &str, found: &str| {
        let expected: Vec<String> = expected.lines().map(str::to_owned).collect();
        agrees(&expected, &found.lines().collect::<Vec<_>>())
    };
    assert!(check("", "") && !check("", "a") && !check("a", "") && check("...", ""));
    assert!(check("a\nb", "a\nb") && !check("a", "a\nb") && !check("b", "a\nb"));
    assert!(check("...\nb", "a\nb") && check("a\n...", "a\nb") && !check("a\n...", "b\na"));
    assert!(check("a\n...\nc\n...\ne", "a\nb\nc\ne") && !check("a\n...\ne\n...\nc", "a\nc\ne"));
    assert!(!check("a\n...\na", "a") && check("a b ...", "a b c") && !check("a b ...", "a c"));
    let bless = |expected: &str, found: &str| {
        let expected: Vec<String> = expected.lines().map(str::to_owned).collect();
        blessed(&expected, &found.lines().collect::<Vec<_>>()).map(|lines| lines.join("\n"))
    };
    assert_eq!(bless("a\nb ...", "c\nb d\ne").as_deref(), Some("c\nb ...\ne"));
    assert_eq!(bless("a\n...\nd", "b\nc\ne").as_deref(), Some("b\n...\ne"));
    assert_eq!((bless("a\n...\nd", "b"), bless("...\na\n...", "b")), (None, None));
    let block = examples(4, "$ one \\\n  two\nthree\n$ four\n");
    assert_eq!(block.iter().map(|example| example.line).collect::<Vec<_>>(), [5, 8]);
    assert_eq!((block[0].command.as_str(), block[0].expected.len()), ("one \\\n  two", 1));
}
