//! Reports in a real browser: a headless Chromium lays pages out, wide and narrow, and measures them. Where there is none (Debian's package
//! `chromium`), the tests are reported as ignored, unless `SAPA_REQUIRE_BROWSER` is set. `SAPA_SCREENSHOTS=FOLDER` keeps the pictures.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use libtest_mimic::Arguments;
use sapa_tests::peers;
use serde_json::Value;

/// The page that measures.
const MEASURE: &str = include_str!("measure.html");

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let names = ["chromium", "chromium-browser", "google-chrome"];
    let browser = names.into_iter().find(|name| {
        let mut command = Command::new(name);
        command.arg("--version");
        peers::is_there(command)
    });
    let trials = TESTS.map(|(name, test)| {
        let run = peers::trial(name, move || test(browser.unwrap_or("chromium")));
        let is_wanted = browser.is_some() || std::env::var_os("SAPA_REQUIRE_BROWSER").is_some();
        if is_wanted { run } else { run.with_kind("chromium is missing").with_ignored_flag(true) }
    });
    libtest_mimic::run(&arguments, trials.into()).exit_code()
}

type Test = (&'static str, fn(&str));

const TESTS: [Test; 3] = [
    ("stores_that_wait", stores_that_wait),
    ("locks_and_values", locks_and_values),
    ("what_is_from_outside_is_text", what_is_from_outside_is_text),
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The report on a program as a page.
fn report(folder: &Path, file: &Path, options: &[&str]) -> String {
    let page = folder.join("report.html");
    let sapa = sapa_tests::tools::programs().join("sapa");
    let mut command = Command::new(sapa);
    command.args(["check", "-q", "--report"]).arg(&page).args(options).arg(file);
    let output = command.current_dir(root()).output().expect("sapa runs");
    assert_eq!(output.status.code(), Some(10), "{output:?}");
    std::fs::read_to_string(page).expect("it is written")
}

/// Runs the browser on a page; what it prints.
fn browse(browser: &str, folder: &Path, page: &Path, options: &[&str]) -> String {
    let mut command = Command::new(browser);
    command
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"])
        .args(["--no-first-run", "--disable-extensions", "--virtual-time-budget=5000"])
        .arg(format!("--user-data-dir={}", folder.join("profile").display()))
        .args(options)
        .arg(format!("file://{}", page.display()));
    let output = command.output().expect("the browser runs");
    assert!(output.status.success(), "{output:?}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// What a page measures at a width.
fn measure(browser: &str, folder: &Path, report: &str, width: u32) -> Value {
    // As a string of a script, which must not end there.
    let text = serde_json::to_string(report)
        .expect("a string")
        .replace("</", "<\\/")
        .replace("<!--", "<\\!--");
    let page = folder.join("measure.html");
    let filled = MEASURE.replace("WIDTH", &width.to_string()).replace("REPORT", &text);
    std::fs::write(&page, filled).expect("written");
    let printed = browse(browser, folder, &page, &["--window-size=1400,1000", "--dump-dom"]);
    let result = printed.split_once("RESULT").and_then(|(_, rest)| rest.split_once("END"));
    let result = result.unwrap_or_else(|| panic!("nothing was measured: {printed}")).0;
    let result = result.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&");
    serde_json::from_str(&result).unwrap_or_else(|error| panic!("{error}: {result}"))
}

/// Lays a page out wide and narrow, and takes a picture of it.
fn laid_out(browser: &str, name: &str, file: &Path, options: &[&str]) -> Value {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let report = report(folder, file, options);
    let mut last = Value::Null;
    for width in [400, 1200] {
        last = measure(browser, folder, &report, width);
        assert_eq!(last["wrong"], serde_json::json!([]), "at {width} pixels");
    }
    let picture = folder.join("picture.png");
    let option = format!("--screenshot={}", picture.display());
    browse(browser, folder, &folder.join("report.html"), &[&option, "--window-size=1200,1300"]);
    let bytes = std::fs::read(&picture).expect("a picture");
    // A blank page of this size has some 10 kB.
    assert!(bytes.starts_with(b"\x89PNG") && bytes.len() > 30_000, "{} bytes", bytes.len());
    if let Some(kept) = std::env::var_os("SAPA_SCREENSHOTS") {
        std::fs::copy(&picture, Path::new(&kept).join(format!("{name}.png"))).expect("kept");
    }
    last
}

fn texts<'v>(result: &'v Value, of: &str) -> Vec<&'v str> {
    result[of].as_array().expect("a list").iter().filter_map(Value::as_str).collect()
}

fn stores_that_wait(browser: &str) {
    let file = Path::new("tests/files/memory/store_buffering.c");
    let result = laid_out(browser, "store_buffering", file, &["--mm", "tso"]);
    assert_eq!(result["verdict"], "VERIFICATION FAILED");
    let steps = texts(&result, "steps");
    assert_eq!(result["boxes"], steps.len());
    assert!(steps.last().is_some_and(|step| step.ends_with("fails")), "{steps:?}");
    assert!(result["waits"].as_u64() >= Some(2), "stores wait: {result}");
    assert!(result["arrows"].as_u64() >= Some(2), "what they wrote is read: {result}");
}

fn locks_and_values(browser: &str) {
    let file = Path::new("tests/files/traces/early_unlock.c");
    let result = laid_out(browser, "early_unlock", file, &[]);
    assert_eq!(texts(&result, "sections")[..3], ["Verdict", "Lanes and source", "Steps"]);
    assert!(result["bars"].as_u64() >= Some(3), "locks are held: {result}");
    let reads = |step: &&str| step.contains("read hall.seats = -1 \u{2190} step");
    assert!(texts(&result, "steps").iter().any(reads), "{result}");
}

fn what_is_from_outside_is_text(browser: &str) {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("<script>alert(1)<\\script>&\"'.c");
    let text = "int x; int main(void) { x = 1; __CPROVER_assert(x == 2, \"</code><script>alert(1)</script>\"); }";
    std::fs::write(&file, text).expect("written");
    let result = laid_out(browser, "outside", &file, &[]);
    assert_eq!(result["script"], 0, "{result}");
}
