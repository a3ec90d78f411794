//! `sapa lsp`, driven over pipes as an editor does it. Where a check has to go on until it is cancelled, the program
//! includes a pipe that nobody writes to.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use serde_json::{Value, json};

/// Nothing takes so long, unless it does not come at all.
const LONG: Duration = Duration::from_secs(120);

/// An editor.
struct Editor {
    server: Child,
    input: Option<ChildStdin>,
    messages: Receiver<Value>,
    /// What came while something else was waited for.
    before: VecDeque<Value>,
    errors: JoinHandle<String>,
    requests: u64,
    folder: tempfile::TempDir,
}

/// The next message of a server; `None` at the end.
fn message(output: &mut impl BufRead) -> Option<Value> {
    let mut header = String::new();
    output.read_line(&mut header).expect("a header");
    if header.is_empty() {
        return None;
    }
    let length = header.trim().strip_prefix("Content-Length: ").expect("a length");
    let mut body = vec![0; length.parse::<usize>().expect("a number") + 2];
    output.read_exact(&mut body).expect("a body");
    Some(serde_json::from_slice(&body[2..]).expect("JSON"))
}

impl Editor {
    /// Starts a server. Nothing was said yet.
    fn silent() -> Self {
        let mut server = Command::new(sapa_tests::tools::programs().join("sapa"))
            .args(["lsp", "--stdio"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the server starts");
        let mut output = BufReader::new(server.stdout.take().expect("a pipe"));
        let (sender, messages) = channel();
        thread::spawn(move || {
            while let Some(message) = message(&mut output) {
                let _ = sender.send(message);
            }
        });
        let mut errors = server.stderr.take().expect("a pipe");
        let errors = thread::spawn(move || {
            let mut said = String::new();
            errors.read_to_string(&mut said).expect("text");
            said
        });
        let folder = tempfile::tempdir().expect("a folder");
        let (input, before) = (server.stdin.take(), VecDeque::new());
        Self { server, input, messages, before, errors, requests: 0, folder }
    }

    /// Starts a server and introduces an editor with these abilities.
    fn with(capabilities: Value, options: Value) -> (Self, Value) {
        let mut editor = Self::silent();
        let params = json!({ "processId": null, "rootUri": null, "capabilities": capabilities, "initializationOptions": options });
        let answer = editor.request("initialize", params);
        editor.notify("initialized", json!({}));
        (editor, answer)
    }

    fn raw(&mut self, bytes: &[u8]) {
        let input = self.input.as_mut().expect("the input is open");
        input.write_all(bytes).and_then(|()| input.flush()).expect("the server reads");
    }

    fn send(&mut self, message: &Value) {
        let text = message.to_string();
        self.raw(format!("Content-Length: {}\r\n\r\n{text}", text.len()).as_bytes());
    }

    fn notify(&mut self, method: &str, params: Value) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    /// The first message from now on that is wanted.
    fn wait(&mut self, what: &str, is_wanted: impl Fn(&Value) -> bool) -> Value {
        if let Some(at) = self.before.iter().position(&is_wanted) {
            return self.before.remove(at).expect("it is there");
        }
        loop {
            let next = self.messages.recv_timeout(LONG);
            let next = next.unwrap_or_else(|_| panic!("no {what}, but {:#?}", self.before));
            if is_wanted(&next) {
                return next;
            }
            self.before.push_back(next);
        }
    }

    /// The response to a request.
    fn request(&mut self, method: &str, params: Value) -> Value {
        self.requests += 1;
        let id = self.requests;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        self.wait(method, |message| message["id"] == id && message.get("method").is_none())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.path(name), text).expect("it is written");
    }

    fn uri(&self, name: &str) -> String {
        format!("file://{}", self.path(name).display()).replace(' ', "%20")
    }

    /// Writes a file and opens it.
    fn open(&mut self, name: &str, text: &str) {
        self.write(name, text);
        let document =
            json!({ "uri": self.uri(name), "languageId": "c", "version": 1, "text": text });
        self.notify("textDocument/didOpen", json!({ "textDocument": document }));
    }

    /// Changes a file and saves it.
    fn save(&mut self, name: &str, text: &str) {
        self.write(name, text);
        let document = json!({ "uri": self.uri(name), "version": 2 });
        self.notify(
            "textDocument/didChange",
            json!({ "textDocument": document, "contentChanges": [{ "text": text }] }),
        );
        self.notify("textDocument/didSave", json!({ "textDocument": { "uri": self.uri(name) } }));
    }

    /// The next diagnostics of a file.
    fn diagnostics(&mut self, name: &str) -> Vec<Value> {
        let uri = self.uri(name);
        let message = self.wait(&format!("diagnostics of {name}"), |message| {
            message["method"] == "textDocument/publishDiagnostics"
                && message["params"]["uri"] == uri
        });
        message["params"]["diagnostics"].as_array().expect("diagnostics").clone()
    }

    /// Titles and lines of the lenses of a file.
    fn lenses(&mut self, name: &str) -> Vec<(String, u64)> {
        let params = json!({ "textDocument": { "uri": self.uri(name) } });
        let answer = self.request("textDocument/codeLens", params);
        let lenses = answer["result"].as_array().expect("lenses").iter();
        lenses
            .map(|lens| {
                let title = lens["command"]["title"].as_str().expect("a title");
                (title.to_owned(), lens["range"]["start"]["line"].as_u64().expect("a line"))
            })
            .collect()
    }

    /// A header that nobody can read to its end: a pipe.
    fn endless_header(&self, name: &str) {
        let made = Command::new("mkfifo").arg(self.path(name)).status().expect("mkfifo runs");
        assert!(made.success());
    }

    /// Waits for the server's end, which the editor has asked for; its exit code and what it said.
    fn ended(mut self) -> (Option<i32>, String) {
        self.input = None;
        let status = self.server.wait().expect("it ends");
        let said = self.errors.join().expect("its messages");
        assert!(!said.contains("panicked"), "{said}");
        (status.code(), said)
    }

    fn shut_down(mut self) {
        assert_eq!(self.request("shutdown", Value::Null)["result"], Value::Null);
        self.notify("exit", Value::Null);
        assert_eq!(self.ended(), (Some(0), String::new()));
    }
}

/// The command line of a process; empty if there is none.
fn command_line(process: &Path) -> String {
    let words = std::fs::read(process.join("cmdline")).unwrap_or_default();
    String::from_utf8_lossy(&words).replace('\0', " ")
}

/// Waits for the end of the processes whose command lines name a folder: checks and preprocessors of its files. What is
/// killed may take a moment to end.
fn none_is_left(folder: &Path) {
    let name = folder.to_str().expect("a name in UTF-8");
    let is_of_folder = |entry: std::fs::DirEntry| command_line(&entry.path()).contains(name);
    for _ in 0..1200 {
        let mut processes = std::fs::read_dir("/proc").expect("the processes").flatten();
        if !processes.any(is_of_folder) {
            return;
        }
        thread::sleep(LONG / 1200);
    }
    panic!("a process of {name} is left");
}

/// A counter without a lock.
const BROKEN: &str = "#include <pthread.h>
#include <assert.h>
int x;
void *worker(void *a) { x = 3; return 0; }
int main(void)
{
  pthread_t t;
  pthread_create(&t, 0, worker, 0);
  /* \u{1d11e} */ assert(x == 0);
}
";

fn all_abilities() -> Value {
    json!({
        "textDocument": { "publishDiagnostics": { "relatedInformation": true } },
        "window": { "workDoneProgress": true },
        "workspace": { "codeLens": { "refreshSupport": true } },
    })
}

#[test]
fn a_failure_is_shown_with_its_steps_until_it_is_mended() {
    let (mut editor, answer) = Editor::with(all_abilities(), Value::Null);
    let able = &answer["result"]["capabilities"];
    assert_eq!(able["positionEncoding"], "utf-16", "{answer}");
    assert_eq!(able["textDocumentSync"]["save"]["includeText"], false, "{answer}");
    editor.open("a file.c", BROKEN);
    let created = editor.wait("progress", |m| m["method"] == "window/workDoneProgress/create");
    editor.send(&json!({ "jsonrpc": "2.0", "id": created["id"], "result": null }));
    let found = editor.diagnostics("a file.c");
    let [failure] = found.as_slice() else { panic!("{found:?}") };
    assert_eq!(
        (&failure["severity"], &failure["source"]),
        (&json!(1), &json!("sapa")),
        "{failure}"
    );
    assert_eq!(failure["code"], "assertions");
    // The sign before is two units of UTF-16 and four bytes.
    let range =
        json!({ "start": { "line": 8, "character": 11 }, "end": { "line": 8, "character": 26 } });
    assert_eq!(failure["range"], range);
    let text = failure["message"].as_str().expect("a message");
    assert!(text.starts_with("Failed assertion: x == 0\n"), "{text}");
    assert!(text.contains("sequential consistency"), "{text}");
    let steps = failure["relatedInformation"].as_array().expect("steps");
    let write = steps.iter().find(|step| {
        step["message"].as_str().is_some_and(|m| m.ends_with("thread 1 (worker): wrote x = 3"))
    });
    let write = write.unwrap_or_else(|| panic!("{steps:#?}"));
    assert_eq!(write["location"]["uri"], editor.uri("a file.c"));
    assert_eq!(write["location"]["range"]["start"], json!({ "line": 3, "character": 24 }));
    assert!(
        steps[0]["message"].as_str().is_some_and(|m| m.starts_with("step 1, thread 0 (main): "))
    );
    editor.wait("refresh", |m| m["method"] == "workspace/codeLens/refresh");
    let lenses = editor.lenses("a file.c");
    assert_eq!(
        lenses,
        [
            ("sapa: VERIFICATION FAILED".to_owned(), 4),
            ("check".to_owned(), 4),
            ("sapa: fails".to_owned(), 8)
        ]
    );

    editor.save("a file.c", &BROKEN.replace("x == 0", "x == 0 || x == 3"));
    assert_eq!(editor.diagnostics("a file.c"), Vec::<Value>::new());
    let lenses = editor.lenses("a file.c");
    assert_eq!(lenses[0].0, "sapa: VERIFICATION SUCCESSFUL · 1 assumption");
    assert_eq!(lenses[2], ("sapa: holds".to_owned(), 8));
    let params = json!({ "textDocument": { "uri": editor.uri("a file.c") }, "position": { "line": 4, "character": 1 } });
    let hover = editor.request("textDocument/hover", params);
    let text = hover["result"]["contents"]["value"].as_str().expect("a text");
    assert!(
        text.contains("\nassuming that thread creation succeeds\n")
            && text.contains("not checked: "),
        "{text}"
    );

    // Unsaved text is not what the verdict is about, and lenses move with `main`.
    let document = json!({ "uri": editor.uri("a file.c"), "version": 3 });
    let text = format!("\n{BROKEN}");
    editor.notify(
        "textDocument/didChange",
        json!({ "textDocument": document, "contentChanges": [{ "text": text }] }),
    );
    let lenses = editor.lenses("a file.c");
    assert_eq!(
        lenses[0],
        ("sapa: VERIFICATION SUCCESSFUL · 1 assumption · of the saved text".to_owned(), 5)
    );
    assert_eq!(lenses.len(), 2, "{lenses:?}");
    let begun = editor.wait("progress", |m| m["params"]["value"]["kind"] == "begin");
    assert_eq!(begun["params"]["value"]["title"], "sapa check a file.c");
    let ended = editor.wait("progress", |m| m["params"]["value"]["kind"] == "end");
    assert_eq!(ended["params"]["value"]["message"], "sapa: VERIFICATION FAILED");
    editor.shut_down();
}

#[test]
fn an_editor_that_shows_text_alone_gets_the_steps_in_it() {
    let abilities = json!({ "general": { "positionEncodings": ["utf-32", "utf-8"] } });
    let (mut editor, answer) = Editor::with(
        abilities,
        json!({ "checkOnOpen": false, "arguments": ["--atomicity", "statement"] }),
    );
    assert_eq!(answer["result"]["capabilities"]["positionEncoding"], "utf-8");
    editor.open("a.c", BROKEN);
    assert_eq!(editor.lenses("a.c"), [("sapa: check".to_owned(), 4)]);
    let arguments = json!({ "command": "sapa.check", "arguments": [editor.uri("a.c")] });
    let answer = editor.request("workspace/executeCommand", arguments);
    assert_eq!(answer["result"], Value::Null, "{answer}");
    let found = editor.diagnostics("a.c");
    assert_eq!(found[0]["range"]["start"], json!({ "line": 8, "character": 13 }));
    let text = found[0]["message"].as_str().expect("a message");
    assert!(text.contains("thread 1 (worker): wrote x = 3 ("), "{text}");
    assert!(text.contains("\nstatement atomicity\n"), "{text}");
    assert_eq!(found[0].get("relatedInformation"), None);
    assert_eq!(editor.before.len(), 0, "neither progress nor refresh: {:?}", editor.before);
    // What a verdict holds for, on demand.
    editor.request("workspace/executeCommand", json!({ "command": "sapa.details" }));
    let shown = editor.wait("a message", |m| m["method"] == "window/showMessage");
    assert!(
        shown["params"]["message"].as_str().is_some_and(|m| m.contains("Failed assertion at "))
    );
    for wrong in [
        json!({ "command": "sapa.other", "arguments": [editor.uri("a.c")] }),
        json!({ "command": "sapa.check", "arguments": ["untitled:1"] }),
        json!({ "command": "sapa.check", "arguments": [1] }),
        json!({ "command": 1 }),
    ] {
        assert_eq!(editor.request("workspace/executeCommand", wrong)["error"]["code"], -32602);
    }
    editor.shut_down();
}

#[test]
fn errors_stand_in_the_files_they_are_in() {
    let (mut editor, _) = Editor::with(json!({}), json!({ "timeout": 100 }));
    editor.write("part.h", "int f(void) { return 1 }\n");
    editor.open("a.c", "#include \"part.h\"\nint main(void) { return f(); }\n");
    let found = editor.diagnostics("part.h");
    assert_eq!(found[0]["severity"], 1, "{found:?}");
    assert!(found[0]["message"].as_str().is_some_and(|m| m.contains("expected ';'")), "{found:?}");
    assert_eq!(
        found[0]["range"],
        json!({ "start": { "line": 0, "character": 23 }, "end": { "line": 0, "character": 24 } })
    );
    assert_eq!(editor.lenses("a.c")[0].0, "sapa: the input has errors");
    // The header is mended, and its diagnostics go; the program has no assertion, which the lens says.
    editor.write("part.h", "int f(void) { return 1; }\n");
    editor
        .notify("textDocument/didSave", json!({ "textDocument": { "uri": editor.uri("part.h") } }));
    for name in ["part.h", "a.c", "a.c"] {
        assert_eq!(editor.diagnostics(name), Vec::<Value>::new());
    }
    assert_eq!(editor.lenses("a.c")[0].0, "sapa: VERIFICATION SUCCESSFUL · no assertion");
    // What cannot be decided says why and what may help, and is no error.
    editor.save(
        "a.c",
        "double sin(double);\nint main(void) {\n  __CPROVER_assert(sin(1.0) < 0.9, \"low\");\n}\n",
    );
    let found = editor.diagnostics("a.c");
    let warnings = found.iter().filter(|d| d["severity"] == 2).count();
    let reasons: Vec<_> = found.iter().filter(|d| d["severity"] == 3).collect();
    assert_eq!((warnings, warnings + reasons.len()), (1, found.len()), "{found:?}");
    assert_eq!(reasons[0]["range"]["start"]["line"], 2, "{found:?}");
    let help = "What may help: a definition of the function";
    assert!(reasons[0]["message"].as_str().is_some_and(|m| m.contains(help)), "{found:?}");
    // A file without `main` is no error, but a remark.
    editor.open("library.c", "int g(void) { return 1; }\n");
    let found = editor.diagnostics("library.c");
    assert_eq!(found[0]["severity"], 3, "{found:?}");
    assert!(found[0]["message"].as_str().is_some_and(|m| m.contains("sapa.toml")), "{found:?}");
    // A closed file has nothing shown.
    editor.notify("textDocument/didClose", json!({ "textDocument": { "uri": editor.uri("a.c") } }));
    assert_eq!(editor.diagnostics("a.c"), Vec::<Value>::new());
    editor.shut_down();
}

#[test]
fn a_program_is_checked_as_its_configuration_says() {
    let (mut editor, _) = Editor::with(all_abilities(), Value::Null);
    let config = "files = [\"main.c\", \"part.c\"]\ndefines = { LIMIT = 3 }\nall = true\n";
    editor.write("sapa.toml", &format!("{config}output = \"written.sarif\"\n"));
    editor.write("main.c", "#include <assert.h>\nint f(void), __VERIFIER_nondet_int(void);\nint main(void) {\n  if (__VERIFIER_nondet_int())\n    assert(f() == LIMIT);\n  else\n    assert(f() == 3);\n}\n");
    editor.open("part.c", "int f(void) { return 2; }\n");
    let found = editor.diagnostics("main.c");
    let lines: Vec<_> = found
        .iter()
        .map(|d| (d["range"]["start"]["line"].as_u64(), d["severity"].as_u64()))
        .collect();
    assert_eq!(lines, [(Some(4), Some(1)), (Some(6), Some(1))], "{found:#?}");
    editor.save("part.c", "int f(void) { return 3; }\n");
    assert_eq!(editor.diagnostics("main.c"), Vec::<Value>::new());
    assert!(!editor.path("written.sarif").exists(), "nobody has asked for it who opens a file");
    // What is wrong with the configuration stands there, and is looked at again when that is saved.
    editor.write("sapa.toml", "files = [\"main.c\", \"part.c\"]\nthread = 3\n");
    editor.save("part.c", "int f(void) { return 3; }\n");
    let found = editor.diagnostics("sapa.toml");
    assert!(
        found[0]["message"].as_str().is_some_and(|m| m.contains("unknown key 'thread'")),
        "{found:?}"
    );
    assert_eq!(found[0]["range"]["start"]["line"], 1);
    editor.write("sapa.toml", "files = [\"main.c\", \"part.c\"]\ndefines = [\"LIMIT=3\"]\n");
    let saved = json!({ "textDocument": { "uri": editor.uri("sapa.toml") } });
    editor.notify("textDocument/didSave", saved);
    assert_eq!(editor.diagnostics("sapa.toml"), Vec::<Value>::new());
    let found = editor.diagnostics("main.c");
    assert!(found.is_empty(), "{found:?}");
    editor.shut_down();
}

#[test]
fn a_check_is_cancelled_by_the_next_one() {
    let (mut editor, _) =
        Editor::with(all_abilities(), json!({ "timeout": 1000, "checksAtOnce": 1 }));
    editor.endless_header("pipe.h");
    editor.open("a.c", "#include \"pipe.h\"\nint main(void) { return 0; }\n");
    let created = editor.wait("progress", |m| m["method"] == "window/workDoneProgress/create");
    editor.send(&json!({ "jsonrpc": "2.0", "id": created["id"], "result": null }));
    editor.wait("progress", |m| m["params"]["value"]["kind"] == "begin");
    assert_eq!(editor.lenses("a.c"), [("sapa: checking …".to_owned(), 1)]);
    // Another file waits until there is room.
    editor.open("b.c", BROKEN);
    editor.save("a.c", BROKEN);
    for name in ["b.c", "a.c"] {
        // What the cancelled check has to say is not shown.
        let found = editor.diagnostics(name);
        assert_eq!((found.len(), &found[0]["severity"]), (1, &json!(1)), "{found:?}");
    }
    let ended = editor.wait("progress", |m| m["params"]["value"]["kind"] == "end");
    assert_eq!(ended["params"]["token"], created["id"]);
    none_is_left(editor.folder.path());
    // The user can cancel, too.
    editor.before.clear();
    editor.save("a.c", "#include \"pipe.h\"\nint main(void) { return 0; }\n");
    let created = editor.wait("progress", |m| m["method"] == "window/workDoneProgress/create");
    editor.send(&json!({ "jsonrpc": "2.0", "id": created["id"], "result": null }));
    editor.wait("progress", |m| m["params"]["value"]["kind"] == "begin");
    editor.notify("window/workDoneProgress/cancel", json!({ "token": created["id"] }));
    let ended = editor.wait("progress", |m| m["params"]["value"]["kind"] == "end");
    assert_eq!(ended["params"]["value"]["message"], "cancelled");
    editor.shut_down();
}

/// The processes that a process has started and that did not end.
fn children(parent: u32) -> Vec<u32> {
    let processes = std::fs::read_dir("/proc").expect("the processes").flatten();
    let numbers = processes.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    numbers
        .filter(|process: &u32| {
            let status = std::fs::read_to_string(format!("/proc/{process}/stat"));
            // Behind the name, which may hold anything: the state and the parent.
            let status = status.ok();
            let words = status.as_deref().and_then(|text| text.rsplit_once(')'));
            let parents = words.and_then(|(_, words)| words.split_whitespace().nth(1));
            parents.is_some_and(|found| found == parent.to_string())
        })
        .collect()
}

/// What ends a check ends the check alone.
#[test]
fn limits_and_crashes_of_a_check_are_said() {
    let (mut editor, _) = Editor::with(all_abilities(), json!({ "timeout": 0.5 }));
    editor.endless_header("pipe.h");
    let endless = "#include \"pipe.h\"\nint main(void) { return 0; }\n";
    editor.open("a.c", endless);
    let found = editor.diagnostics("a.c");
    assert_eq!((found.len(), &found[0]["severity"]), (1, &json!(3)), "{found:?}");
    let said = |found: &[Value], words: &str| {
        let message = found[0]["message"].as_str().expect("a message");
        assert!(message.contains(words), "{message}");
    };
    said(&found, "Not decided: out of time");
    said(&found, "\nWhat may help: a longer --timeout");
    assert_eq!(found[0]["range"]["start"]["line"], 1, "where 'main' is");
    editor.shut_down();

    let (mut editor, _) = Editor::with(all_abilities(), json!({ "timeout": 1000 }));
    editor.endless_header("pipe.h");
    editor.open("a.c", endless);
    editor.wait("progress", |m| m["method"] == "window/workDoneProgress/create");
    let checks = children(editor.server.id());
    let [check] = checks.as_slice() else { panic!("{checks:?}") };
    // The preprocessor, of which nobody would know any more, is a process group, once it is that program.
    let is_running =
        |process: &u32| command_line(&PathBuf::from(format!("/proc/{process}"))).contains(" -E ");
    let preprocessor = (0..1200).find_map(|_| {
        let found = children(*check).into_iter().find(is_running);
        if found.is_none() {
            thread::sleep(LONG / 1200);
        }
        found
    });
    let preprocessor = preprocessor.expect("a preprocessor");
    let processes = [check.to_string(), format!("-{preprocessor}")];
    let killed = Command::new("kill").args(["-KILL", "--"]).args(processes).status();
    assert!(killed.expect("kill runs").success());
    let found = editor.diagnostics("a.c");
    said(&found, "the check ended without a report (signal: 9 (SIGKILL))");
    assert_eq!(found[0]["severity"], 2);
    assert_eq!(editor.lenses("a.c")[0].0, "sapa: the check ended without an answer");
    editor.save("a.c", BROKEN);
    said(&editor.diagnostics("a.c"), "Failed assertion: x == 0");
    editor.shut_down();
}

/// However the server ends, its checks end with it.
#[test]
fn the_server_ends_with_its_children() {
    for ending in ["shutdown", "exit", "end of input", "malformed header", "signal"] {
        let (mut editor, _) = Editor::with(all_abilities(), json!({ "timeout": 1000 }));
        editor.endless_header("pipe.h");
        editor.open("a.c", "#include \"pipe.h\"\nint main(void) { return 0; }\n");
        editor.wait("progress", |m| m["method"] == "window/workDoneProgress/create");
        let code = match ending {
            "shutdown" => {
                editor.request("shutdown", Value::Null);
                let late = editor.request("textDocument/hover", json!({}));
                assert_eq!(late["error"]["code"], -32600);
                editor.notify("exit", Value::Null);
                0
            }
            "exit" => {
                editor.notify("exit", Value::Null);
                1
            }
            "malformed header" => {
                editor.raw(b"Content-Length: 99999999999999999999\r\n\r\n{}");
                let answer = editor.wait("an error", |m| m["error"]["code"] == -32700);
                assert_eq!(answer["id"], Value::Null);
                1
            }
            "signal" => {
                let pid = editor.server.id().to_string();
                let sent = Command::new("kill").args(["-TERM", &pid]).status().expect("kill runs");
                assert!(sent.success());
                1
            }
            _ => 1,
        };
        if ending == "signal" {
            // The input stays open.
            let status = editor.server.wait().expect("it ends");
            assert_eq!(status.code(), Some(1));
        }
        let folder = std::mem::replace(&mut editor.folder, tempfile::tempdir().expect("a folder"));
        let (found, said) = editor.ended();
        assert_eq!(found, Some(code), "{ending}: {said}");
        assert_eq!(said.is_empty(), ending != "malformed header", "{ending}: {said}");
        none_is_left(folder.path());
    }
}

#[test]
fn what_is_no_message_is_answered_with_an_error() {
    let mut editor = Editor::silent();
    let early = editor.request("textDocument/hover", json!({}));
    assert_eq!(early["error"]["code"], -32002);
    let answer = editor.request(
        "initialize",
        json!({ "capabilities": 3, "initializationOptions": { "timeOut": 3 } }),
    );
    assert_eq!(answer["result"]["serverInfo"]["name"], "sapa");
    let shown = editor.wait("a warning", |m| m["method"] == "window/showMessage");
    assert!(shown["params"]["message"].as_str().is_some_and(|m| m.contains("timeOut")), "{shown}");
    for (body, code) in
        [("{", -32700), ("[]", -32600), ("{\"id\":[],\"method\":\"shutdown\"}", -32600)]
    {
        editor.raw(format!("Content-Length: {}\r\n\r\n{body}", body.len()).as_bytes());
        let answer = editor.wait("an error", |m| m["id"].is_null() && m.get("error").is_some());
        assert_eq!(answer["error"]["code"], code, "{body}");
    }
    assert_eq!(editor.request("initialize", json!({}))["error"]["code"], -32600);
    assert_eq!(editor.request("textDocument/rename", json!({}))["error"]["code"], -32601);
    assert_eq!(
        editor.request("textDocument/codeLens", json!({ "textDocument": 1 }))["error"]["code"],
        -32602
    );
    // These have no answer, and the server goes on.
    editor.notify("textDocument/didOpen", json!([1]));
    editor.notify("textDocument/didSave", json!({ "textDocument": { "uri": "not a uri" } }));
    editor.notify("textDocument/didClose", json!({ "textDocument": { "uri": "untitled:1" } }));
    editor.notify("$/unknown", Value::Null);
    editor.send(&json!({ "jsonrpc": "2.0", "id": 99, "result": null }));
    let missing = json!({ "textDocument": { "uri": editor.uri("missing.c") } });
    assert_eq!(editor.request("textDocument/codeLens", missing)["result"], json!([]));
    editor.request("shutdown", Value::Null);
    editor.notify("exit", Value::Null);
    let (code, said) = editor.ended();
    assert_eq!(code, Some(0));
    assert!(said.contains("'textDocument/didOpen' is passed over"), "{said}");
}
