//! What `-V` and `--version` print: the version, the commit, and the libraries of a program.

use cadical::Solver;

/// In one line: version and, where the program was built from a Git tree, the commit with its date.
#[must_use]
pub fn short() -> String {
    let version = env!("CARGO_PKG_VERSION");
    match env!("SAPA_COMMIT") {
        "" => version.to_owned(),
        commit => format!("{version} ({commit})"),
    }
}

/// The day of the commit, where it is known.
#[must_use]
pub fn date() -> Option<&'static str> {
    env!("SAPA_COMMIT").split([' ', ',']).nth(1).filter(|date| !date.is_empty())
}

/// What a report of an error should say: the version as [`short`] has it, target, profile, and libraries.
#[must_use]
pub fn long() -> String {
    let solver: Solver = Solver::new();
    let solver = solver.signature().replacen("cadical-", "CaDiCaL ", 1);
    let short = short();
    let (target, profile) = (env!("SAPA_TARGET"), env!("SAPA_PROFILE"));
    let libraries = env!("SAPA_LIBRARIES");
    format!("{short}\ntarget: {target}, profile {profile}\nlibraries: {solver}, {libraries}")
}
