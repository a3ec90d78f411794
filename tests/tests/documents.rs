//! Every tool writes pages of the manual and completions of its command line, and these name every option and
//! every command that its help names.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Command, Output};

use sapa_tests::tools::PROGRAMS;

fn run(tool: &str, words: &[&str]) -> Output {
    let program = sapa_tests::tools::programs().join(tool);
    Command::new(program).args(words).output().expect("the tool runs")
}

/// What a tool prints that has nothing to complain of.
fn printed(tool: &str, words: &[&str]) -> String {
    let output = run(tool, words);
    assert!(output.status.success(), "{tool} {words:?}: {output:?}");
    String::from_utf8(output.stdout).expect("text")
}

/// The options that a help text has a line for.
fn options(help: &str) -> BTreeSet<String> {
    let lines = help.lines().filter(|line| line.trim_start().starts_with('-'));
    let words = lines.flat_map(|line| line.split_whitespace().take(2));
    let names = words.filter(|word| word.starts_with("--"));
    names.map(|name| name.trim_end_matches(',').to_owned()).collect()
}

/// The commands of a tool, by its help.
fn commands(help: &str) -> Vec<String> {
    let listed = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let lines = listed.take_while(|line| !line.is_empty());
    let named = lines.filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    let names = named.filter_map(|line| line.split_whitespace().next());
    names.filter(|name| *name != "help").map(str::to_owned).collect()
}

/// The page of a command, with the marks of troff that stand within words taken out.
fn page(folder: &Path, name: &str) -> String {
    let text = std::fs::read_to_string(folder.join(format!("{name}.1"))).expect(name);
    text.replace("\\fB", "").replace("\\fR", "").replace("\\-", "-")
}

#[test]
fn manual_and_completions_name_all_options_and_commands() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().to_str().expect("a name in UTF-8");
    let mut pages = 0;
    for tool in PROGRAMS {
        printed(tool, &["--man", path]);
        let scripts: Vec<String> = ["bash", "zsh", "fish"]
            .iter()
            .map(|shell| printed(tool, &["--completions", shell]))
            .collect();
        let help = printed(tool, &["--help"]);
        let commands = commands(&help);
        assert_eq!(commands.is_empty(), tool != "sapa", "{commands:?}");
        let of_commands = commands
            .iter()
            .map(|command| (format!("{tool}-{command}"), printed(tool, &[command, "--help"])));
        for (name, help) in std::iter::once((tool.to_owned(), help)).chain(of_commands) {
            let page = page(folder.path(), &name);
            assert!(page.contains(&format!(".TH {name} 1 ")), "{name}: {page:.200}");
            pages += 1;
            let options = options(&help);
            assert!(options.contains("--help"), "{name}: {options:?}");
            for option in options {
                let has = |text: &str, word: &str| {
                    let is_end = |c: char| !(c.is_alphanumeric() || c == '-');
                    text.split(word).skip(1).any(|rest| rest.is_empty() || rest.starts_with(is_end))
                };
                assert!(has(&page, &option), "the page of {name} does not name {option}");
                for script in &scripts {
                    // Fish names options without their dashes.
                    let short = format!("-l {}", option.trim_start_matches('-'));
                    let named = has(script, &option) || has(script, &short);
                    assert!(named, "a script of {tool} does not name {option} of {name}");
                }
            }
        }
        for command in commands {
            assert!(scripts.iter().all(|script| script.contains(&command)), "{command}");
        }
    }
    let written = std::fs::read_dir(folder.path()).expect("the folder").count();
    assert_eq!(written, pages, "one page for each tool and command");
}

/// Bash itself completes with the script.
#[test]
fn bash_completes_options() {
    let folder = tempfile::tempdir().expect("a folder");
    let script = folder.path().join("sapa");
    std::fs::write(&script, printed("sapa", &["--completions", "bash"])).expect("written");
    let program = format!(
        "source {}; COMP_WORDS=(sapa check --atom); COMP_CWORD=2; _sapa sapa --atom check; echo \"${{COMPREPLY[@]}}\"",
        script.display()
    );
    let output = Command::new("bash").args(["-c", &program]).output().expect("bash runs");
    let completed = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(completed.trim(), "--atomicity", "{output:?}");
}

#[test]
fn versions_name_commit_and_libraries() {
    for tool in PROGRAMS {
        let (short, long) = (printed(tool, &["-V"]), printed(tool, &["--version"]));
        assert_eq!(short.lines().count(), 1, "{short}");
        assert!(short.starts_with(&format!("{tool} {}", env!("CARGO_PKG_VERSION"))), "{short}");
        assert_eq!(long.lines().next(), short.lines().next());
        for library in ["CaDiCaL 1.", "egg 0.", "goblin 0.", "bincode 2.", "petgraph 0."] {
            assert!(long.contains(library), "{tool}: {long}");
        }
    }
}

#[test]
fn what_cannot_be_written_is_said() {
    for (words, exit, said) in [
        (["--completions", "csh"], 1, "possible values: bash"),
        (["--man", "/proc/none"], 2, "cannot write /proc/none"),
    ] {
        let output = run("sapa-opt", &words);
        assert_eq!(output.status.code(), Some(exit), "{output:?}");
        assert!(String::from_utf8_lossy(&output.stderr).contains(said), "{output:?}");
    }
}
