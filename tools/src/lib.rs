//! What the command-line programs share.
//!
//! * [`verdict`] – verdict lines and exit codes.
//! * [`all`] – a verdict for each assertion.
//! * [`apart`] – several properties, one after the other.
//! * [`arguments`] – the shared words of the command lines.
//! * [`boolean`] – checking Boolean programs.
//! * [`certificate`] – certificates of Boolean programs.
//! * [`checked`] – what the loop answers, as a report.
//! * [`compile_commands`] – `compile_commands.json`.
//! * [`compiler`] – options of the C compiler, as build lines have them.
//! * [`configuration`] – `sapa.toml`.
//! * [`counterexample`] – counterexamples as text.
//! * [`documents`] – scripts for shells and pages of the manual.
//! * [`dump`] – every intermediate of a run as files.
//! * [`excerpt`] – lines of sources as messages show them.
//! * [`failure`] – warnings and errors as data, and how they are shown.
//! * [`fences`] – `sapa fences`; [`fence_sets`] – its answer; [`patch`] – fences as patches of the sources.
//! * [`formats`] – the formats of `--output`, for other tools.
//! * [`input`] – reading inputs, writing products.
//! * [`lanes`] – executions as lanes, one for each thread: as text and as drawings.
//! * [`lsp`] – `sapa lsp`, the server of editors.
//! * [`loop_arguments`] – the words of the commands that run the loop.
//! * [`macros`] – which macros a source has.
//! * [`markup`] – text in XML and HTML.
//! * [`page`] – a report as a page.
//! * [`property`] – what `--property` asks for.
//! * [`progress`] – how far an engine has come.
//! * [`read_files`] – which files a program was read from.
//! * [`reduce`] – shrinking a text while something stays true of it.
//! * [`report`] – what is answered, for people and for programs.
//! * [`products`] – the files that a run makes, before it makes them.
//! * [`report_file`] – what is answered, as a file for people.
//! * [`reproducer`] – failing runs as programs that fail.
//! * [`run`] – how the tools run and end.
//! * [`source`] – programs as arguments.
//! * [`watchdog`] – limits and signals end every run.
//! * [`version`] – what `--version` prints.
//! * [`output`] – writing to the standard output and the standard error.
//! * [`statements`] – sources to quote: lines and statements, by place.
//! * [`trace`] – executions as lines for people.
//! * [`transition_system`] – checking thread transition systems.
//! * [`watch`] – how far `sapa check` has come.
//! * [`observe`] – what `sapa-opt` shows of a pipeline.

#![warn(clippy::print_stdout, clippy::print_stderr)]

pub mod all;
pub mod apart;
pub mod arguments;
pub mod boolean;
pub mod certificate;
pub mod checked;
pub mod compile_commands;
pub mod compiler;
pub mod configuration;
pub mod counterexample;
pub mod documents;
pub mod dump;
pub mod excerpt;
pub mod failure;
pub mod fence_sets;
pub mod fences;
pub mod formats;
pub mod input;
pub mod lanes;
pub mod loop_arguments;
pub mod lsp;
pub mod macros;
pub mod markup;
pub mod observe;
pub mod output;
pub mod page;
pub mod patch;
pub mod products;
pub mod progress;
pub mod property;
pub mod read_files;
pub mod reduce;
pub mod report;
pub mod report_file;
pub mod reproducer;
pub mod run;
pub mod source;
pub mod statements;
pub mod trace;
pub mod transition_system;
pub mod verdict;
pub mod version;
pub mod watch;
pub mod watchdog;
