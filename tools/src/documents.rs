//! What is made of a tool's command line for its package: scripts that complete it in shells (`--completions
//! SHELL`), and pages of the manual (`--man FOLDER`). Every tool has both options, as [`parse`] adds them.
//!
//! [`parse`]: crate::arguments::parse

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use clap::{Arg, ArgMatches, Command, value_parser};
use clap_complete::Shell;
use clap_mangen::Man;

use crate::failure::{Failure, Message};
use crate::{input, output, version};

const COMPLETIONS: &str = "completions";
const MAN: &str = "man";

/// A tool with the two options.
#[must_use]
pub fn added_to(tool: Command) -> Command {
    options().into_iter().fold(tool, Command::arg)
}

fn options() -> [Arg; 2] {
    [
        Arg::new(COMPLETIONS)
            .long(COMPLETIONS)
            .value_name("SHELL")
            .value_parser(value_parser!(Shell))
            .exclusive(true)
            .help("Print a script that completes this command line in a shell"),
        Arg::new(MAN)
            .long(MAN)
            .value_name("FOLDER")
            .value_parser(value_parser!(PathBuf))
            .exclusive(true)
            .help("Write the pages of the manual to a folder"),
    ]
}

/// The words of a command line, if it asks for scripts or pages: one of the options is its first word, where no
/// command and no file can stand.
#[must_use]
pub fn asked(words: &[OsString]) -> bool {
    let Some(word) = words.get(1).and_then(|word| word.to_str()) else { return false };
    let name = word.strip_prefix("--").map(|option| option.split('=').next().unwrap_or(option));
    name.is_some_and(|name| [COMPLETIONS, MAN].contains(&name))
}

/// Does what a command line asks for: prints a script, or writes pages.
///
/// # Errors
/// What is wrong with the command line, as clap has it; and, inside, what cannot be written.
pub fn made(tool: Command, words: &[OsString]) -> Result<Result<(), Failure>, clap::Error> {
    let name = tool.get_name().to_owned();
    let given = Command::new(name).args(options()).try_get_matches_from(words)?;
    Ok(make(tool, &given))
}

fn make(mut tool: Command, given: &ArgMatches) -> Result<(), Failure> {
    if let Some(shell) = given.get_one::<Shell>(COMPLETIONS) {
        let (name, mut script) = (tool.get_name().to_owned(), Vec::new());
        clap_complete::generate(*shell, &mut tool, name, &mut script);
        return written(Path::new("<stdout>"), output::print(&script));
    }
    let Some(folder) = given.get_one::<PathBuf>(MAN) else { return Ok(()) };
    written(folder, fs::create_dir_all(folder))?;
    let mut tool = tool.disable_help_subcommand(true);
    tool.build();
    for (name, page) in pages(&tool) {
        let path = folder.join(name);
        written(&path, input::write_file(&path, &page))?;
    }
    Ok(())
}

/// The pages of a tool and of its commands, each with the name of its file.
fn pages(tool: &Command) -> Vec<(String, Vec<u8>)> {
    let page = |command: &Command, name: String| {
        let command = command.clone().name(name.clone()).display_name(name.clone());
        // The day on which it was made would make each build another. An empty word would be none.
        let man = Man::new(command).date(version::date().unwrap_or(" ")).manual("sapa");
        let mut text = Vec::new();
        // Nothing fails that is written to memory.
        let _ = man.render(&mut text);
        (format!("{name}.1"), text)
    };
    let name = tool.get_name();
    let commands = tool.get_subcommands();
    std::iter::once(page(tool, name.to_owned()))
        .chain(commands.map(|command| page(command, format!("{name}-{}", command.get_name()))))
        .collect()
}

fn written(path: &Path, result: std::io::Result<()>) -> Result<(), Failure> {
    result.map_err(|error| {
        let text = format!("cannot write {}: {error}", path.display());
        Failure::bad_input([Message::error(text)])
    })
}
