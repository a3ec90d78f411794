//! What the command-line programs share.
//!
//! * [`verdict`] – verdict lines and exit codes.
//! * [`all`] – a verdict for each assertion.
//! * [`arguments`] – the shared words of the command lines.
//! * [`boolean`] – checking Boolean programs.
//! * [`certificate`] – certificates of Boolean programs.
//! * [`checked`] – what the loop answers, as a report.
//! * [`compiler`] – options of the C compiler, as build lines have them.
//! * [`counterexample`] – counterexamples as text.
//! * [`dump`] – every intermediate of a run as files.
//! * [`excerpt`] – lines of sources as messages show them.
//! * [`failure`] – warnings and errors as data, and how they are shown.
//! * [`fences`] – `sapa fences`; [`fence_sets`] – its answer; [`patch`] – fences as patches of the sources.
//! * [`formats`] – the formats of `--output`, for other tools.
//! * [`input`] – reading inputs, writing products.
//! * [`loop_arguments`] – the words of the commands that run the loop.
//! * [`property`] – what `--property` asks for.
//! * [`progress`] – how far an engine has come.
//! * [`report`] – what is answered, for people and for programs.
//! * [`run`] – how the tools run and end.
//! * [`source`] – programs as arguments.
//! * [`watchdog`] – limits and signals end every run.
//! * [`output`] – writing to the standard output and the standard error.
//! * [`statements`] – sources to quote: lines and statements, by place.
//! * [`trace`] – executions as lines for people.
//! * [`transition_system`] – checking thread transition systems.
//! * [`watch`] – how far `sapa check` has come.
//! * [`observe`] – what `sapa-opt` shows of a pipeline.

#![warn(clippy::print_stdout, clippy::print_stderr)]

pub mod all;
pub mod arguments;
pub mod boolean;
pub mod certificate;
pub mod checked;
pub mod compiler;
pub mod counterexample;
pub mod dump;
pub mod excerpt;
pub mod failure;
pub mod fence_sets;
pub mod fences;
pub mod formats;
pub mod input;
pub mod loop_arguments;
pub mod observe;
pub mod output;
pub mod patch;
pub mod progress;
pub mod property;
pub mod report;
pub mod run;
pub mod source;
pub mod statements;
pub mod trace;
pub mod transition_system;
pub mod verdict;
pub mod watch;
pub mod watchdog;
