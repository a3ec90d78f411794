//! Tests that run programs of others, which need not be there.

use std::process::Command;

use libtest_mimic::{Failed, Trial};

/// Whether a program can be run.
#[must_use]
pub fn is_there(mut command: Command) -> bool {
    command.output().is_ok()
}

/// A test.
pub fn trial(name: &str, test: impl FnOnce() + Send + 'static) -> Trial {
    Trial::test(name, move || {
        test();
        Ok(())
    })
}

/// A test that needs another program. Where that is missing, the test is reported as ignored, and
/// why; but it fails if `SAPA_REQUIRE_PEERS` is set, as in CI.
pub fn trial_with(
    peer: &str,
    is_there: bool,
    name: &str,
    test: impl FnOnce() + Send + 'static,
) -> Trial {
    let missing = format!("{peer} is missing");
    match (is_there, std::env::var_os("SAPA_REQUIRE_PEERS")) {
        (true, _) => trial(name, test),
        (false, Some(_)) => Trial::test(name, || Err(Failed::from(missing))),
        (false, None) => trial(name, test).with_kind(missing).with_ignored_flag(true),
    }
}
