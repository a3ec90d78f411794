//! `sapa-benchmarks … | head -1` ends without a panic.

use std::process::Command;

#[test]
fn a_closed_pipe_ends_the_measurement() {
    let (reader, output) = std::io::pipe().expect("a pipe");
    drop(reader);
    for arguments in [&["generate", "1"][..], &["programs", "--filter", "no such program"]] {
        let run = Command::new(env!("CARGO_BIN_EXE_sapa-benchmarks"))
            .args(arguments)
            .stdout(output.try_clone().expect("a copy"))
            .output()
            .expect("it runs");
        let errors = String::from_utf8_lossy(&run.stderr);
        assert!(run.status.success(), "{arguments:?}: {errors}");
        assert!(errors.is_empty(), "{arguments:?}: {errors}");
    }
}
