//! `sapa lsp`: a server of the Language Server Protocol (3.17) over the standard input and output. It checks a C file when
//! it is opened and when it is saved, and shows the verdict in the editor (`docs/editor.md`).
//!
//! ```text
//!  editor ──stdin──► reader thread ──┐                       ┌──► stdout ──► editor
//!                                    ├─ Event ─► Server::run ┤
//!  sapa check ──pipe──► run thread ──┤        (one loop)     └──► starts, asks, kills ──► sapa check
//!  SIGTERM, SIGINT ──► signal thread ┘
//! ```
//!
//! One loop owns all state and writes all messages; threads only wait for something and send it as an `Event`.
//! Nothing is computed here that may take long: each check is a child process of the same executable (`run.rs`), so that
//! no error, limit or cancellation of a check is one of the server's. What is checked together is a *unit* (`unit.rs`); a
//! unit has at most one run. When it is to be checked again, its run is cancelled, and the next one begins when that has
//! ended. A run's number says which answer is the last one's; what a cancelled run answers is dropped.
//!
//! Only saved text is checked, as the compiler's preprocessor reads files. The text in the editor serves to find where
//! lenses stand. Messages are read leniently (`wire.rs`): one that is wrong is answered with an error, or said on the
//! standard error, and the next one is read; only after a header that is wrong, nobody knows where the next one begins,
//! and the server ends. It ends with its input, too, and in each case its children end before it.

use std::io::{self, Read};
use std::os::unix::net::UnixStream;
use std::sync::mpsc::channel;
use std::thread;

use signal_hook::consts::{SIGINT, SIGTERM};

mod answer;
mod checks;
mod client;
mod diagnostics;
mod documents;
mod lenses;
mod place;
mod progress;
mod run;
mod server;
mod settings;
mod unit;
mod uri;
mod wire;

use run::Ended;
use server::Server;
use wire::Incoming;

/// The words of `sapa lsp`.
#[derive(Clone, Copy, Debug, clap::Args)]
pub struct LspArguments {
    /// Speak over the standard input and output, which the server always does; some editors say it.
    #[arg(long)]
    pub stdio: bool,
}

/// The name of the command.
pub const COMMAND: &str = "lsp";

/// What the loop waits for.
#[derive(Debug)]
enum Event {
    /// The client sent something.
    Client(Incoming),
    /// A check has ended.
    Ended(Ended),
    /// Somebody asked the server to end.
    Asked,
}

/// Serves until the client says `exit`, its messages end, or a signal asks for the end; how the process is to end: 0
/// after a `shutdown`, else 1.
///
/// # Errors
/// The system refuses a thread or a signal handler.
pub fn serve() -> io::Result<u8> {
    let (sender, events) = channel();
    let to_client = sender.clone();
    let read = move || {
        let mut input = io::stdin().lock();
        loop {
            let message = wire::read(&mut input);
            let is_last = matches!(message, Incoming::End(_));
            if to_client.send(Event::Client(message)).is_err() || is_last {
                return;
            }
        }
    };
    thread::Builder::new().name("reader".to_owned()).spawn(read)?;
    let (mut asked, asks) = UnixStream::pair()?;
    for signal in [SIGINT, SIGTERM] {
        signal_hook::low_level::pipe::register(signal, asks.try_clone()?)?;
    }
    let to_signals = sender.clone();
    let wait = move || {
        while let Ok(1) = asked.read(&mut [0]) {
            if to_signals.send(Event::Asked).is_err() {
                return;
            }
        }
    };
    thread::Builder::new().name("signals".to_owned()).spawn(wait)?;
    Ok(Server::new(sender).run(&events))
}
