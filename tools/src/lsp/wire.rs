//! Messages of JSON-RPC 2.0 as the protocol frames them: lines of a header, an empty line, and as many bytes of JSON as
//! `Content-Length` says. What a client sends is outside data: nothing of it is trusted to be right or to be short.

use std::io::{self, BufRead, Read};

use serde_json::{Map, Value, json};

use crate::{message, output};

/// Longer lines of a header are none.
const LONGEST_LINE: u64 = 8 << 10;

/// Headers with more lines are none.
const MOST_LINES: usize = 100;

/// Longer bodies are passed over. Editors send a whole document in one message.
const LONGEST_BODY: u64 = 64 << 20;

/// The codes of errors, of JSON-RPC and of the protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorCode {
    /// The body is no JSON.
    Parse = -32700,
    /// It is no message, or none that can be sent now.
    InvalidRequest = -32600,
    /// Nobody knows the method.
    MethodNotFound = -32601,
    /// The method has no such parameters.
    InvalidParams = -32602,
    /// `initialize` comes first.
    NotInitialized = -32002,
}

/// Something that the client has sent.
#[derive(Clone, Debug, PartialEq)]
pub enum Incoming {
    /// It wants a response.
    Request {
        /// To be sent back: a number or a string.
        id: Value,
        /// What it wants.
        method: String,
        /// Of the method.
        params: Value,
    },
    /// It wants none.
    Notification {
        /// What it says.
        method: String,
        /// Of the method.
        params: Value,
    },
    /// The answer to a request of ours.
    Response {
        /// That of the request.
        id: Value,
        /// Whether it did what was asked.
        is_ok: bool,
    },
    /// It is none of these; what follows can be read.
    Malformed {
        /// That of the request that it may have been meant as, or null.
        id: Value,
        /// What kind of error it is.
        code: ErrorCode,
        /// What is wrong.
        why: String,
    },
    /// Nothing more comes: the input ended, or (with the reason) nobody can say where the next message begins.
    End(Option<String>),
}

/// The next message of a client.
pub fn read(input: &mut impl BufRead) -> Incoming {
    match body(input) {
        Ok(Some(Ok(bytes))) => parse(&bytes),
        Ok(Some(Err(length))) => Incoming::Malformed {
            id: Value::Null,
            code: ErrorCode::InvalidRequest,
            why: format!(
                "a message of {length} bytes is too long; at most {LONGEST_BODY} are read"
            ),
        },
        Ok(None) => Incoming::End(None),
        Err(error) => Incoming::End(Some(error.to_string())),
    }
}

/// The bytes of the next message, or how many there were, if they are too many; `None` at the end.
fn body(input: &mut impl BufRead) -> io::Result<Option<Result<Vec<u8>, u64>>> {
    let wrong = |why: String| io::Error::new(io::ErrorKind::InvalidData, why);
    let mut length: Option<u64> = None;
    for number in 0..=MOST_LINES {
        let mut line = Vec::new();
        input.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut line)?;
        if line.is_empty() && number == 0 {
            return Ok(None);
        }
        let text = String::from_utf8_lossy(&line);
        let Some(text) = text.strip_suffix('\n') else {
            return Err(wrong(format!("the header line '{}' has no end", start(&text))));
        };
        let text = text.trim_end_matches('\r');
        if text.is_empty() {
            let length =
                length.ok_or_else(|| wrong("the header has no Content-Length".to_owned()))?;
            return of_length(input, length).map(Some);
        }
        let (name, value) = text
            .split_once(':')
            .ok_or_else(|| wrong(format!("'{}' is no line of a header", start(text))))?;
        if name.trim().eq_ignore_ascii_case("Content-Length") {
            let number = value.trim().parse();
            length = Some(
                number.map_err(|_| wrong(format!("'{}' has no number of bytes", start(text))))?,
            );
        }
    }
    Err(wrong(format!("the header has more than {MOST_LINES} lines")))
}

/// The beginning of a text, to be quoted.
fn start(text: &str) -> String {
    text.chars().take(60).map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// So many bytes, or their number, if they are too many. Room is made for what comes, and not for what is announced.
fn of_length(input: &mut impl BufRead, length: u64) -> io::Result<Result<Vec<u8>, u64>> {
    let mut rest = input.take(length);
    let mut bytes = Vec::new();
    let read = match length > LONGEST_BODY {
        true => io::copy(&mut rest, &mut io::sink())?,
        false => rest.read_to_end(&mut bytes)? as u64,
    };
    if read < length {
        let why = format!("a message of {length} bytes ended after {read}");
        return Err(io::Error::new(io::ErrorKind::UnexpectedEof, why));
    }
    Ok(if length > LONGEST_BODY { Err(length) } else { Ok(bytes) })
}

/// What a body says.
fn parse(bytes: &[u8]) -> Incoming {
    let malformed =
        |id, code, why: &str| Incoming::Malformed { id, code, why: format!("the message {why}") };
    let mut fields: Map<String, Value> = match serde_json::from_slice(bytes) {
        Ok(Value::Object(fields)) => fields,
        Ok(_) => {
            return malformed(Value::Null, ErrorCode::InvalidRequest, "is no JSON object");
        }
        Err(error) => {
            return malformed(Value::Null, ErrorCode::Parse, &format!("is no JSON: {error}"));
        }
    };
    let id = fields.remove("id");
    let known = id.clone().filter(|id| id.is_number() || id.is_string());
    let params = fields.remove("params").unwrap_or(Value::Null);
    match (fields.remove("method"), known) {
        (Some(Value::String(method)), Some(id)) => Incoming::Request { id, method, params },
        (Some(Value::String(method)), None) if id.is_none() => {
            Incoming::Notification { method, params }
        }
        (None, Some(id)) if fields.contains_key("result") || fields.contains_key("error") => {
            Incoming::Response { id, is_ok: !fields.contains_key("error") }
        }
        (method, known) => {
            let why = match method {
                Some(Value::String(_)) => "has an 'id' that is neither a number nor a string",
                Some(_) => "has a 'method' that is no string",
                None => "has neither a 'method' nor the result of a request",
            };
            malformed(known.unwrap_or(Value::Null), ErrorCode::InvalidRequest, why)
        }
    }
}

/// Sends a message.
fn send(mut message: Value) {
    if let Some(fields) = message.as_object_mut() {
        fields.insert("jsonrpc".to_owned(), "2.0".into());
    }
    let text = message.to_string();
    let framed = format!("Content-Length: {}\r\n\r\n{text}", text.len());
    // Who has closed the pipe wants no more messages, and closes ours soon.
    if let Err(error) = output::print(framed) {
        message!("sapa lsp: a message cannot be sent: {error}");
    }
}

/// Sends a notification.
pub fn notify(method: &str, params: impl serde::Serialize) {
    send(json!({ "method": method, "params": params }));
}

/// Sends a request.
pub fn request(id: &str, method: &str, params: impl serde::Serialize) {
    send(json!({ "id": id, "method": method, "params": params }));
}

/// Answers a request.
pub fn respond(id: &Value, result: Result<Value, (ErrorCode, String)>) {
    send(match result {
        Ok(result) => json!({ "id": id, "result": result }),
        Err((code, message)) => {
            json!({ "id": id, "error": { "code": code as i32, "message": message } })
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(text: &str) -> Vec<Incoming> {
        let mut input = text.as_bytes();
        let mut found = Vec::new();
        loop {
            let next = read(&mut input);
            let is_end = matches!(next, Incoming::End(_));
            found.push(next);
            if is_end {
                return found;
            }
        }
    }

    fn framed(text: &str) -> String {
        format!("Content-Length: {}\r\n\r\n{text}", text.len())
    }

    #[test]
    fn messages_follow_each_other() {
        let first = framed(r#"{"jsonrpc":"2.0","id":3000000000,"method":"a","params":{"x":1}}"#);
        let text = format!(
            "{first}content-length:27\nContent-Type: x\n\n{}{}",
            r#"{"method":"b","params":[2]}"#,
            framed(r#"{"id":"s","error":{}}"#)
        );
        let wanted = [
            Incoming::Request {
                id: 3_000_000_000_u64.into(),
                method: "a".to_owned(),
                params: json!({ "x": 1 }),
            },
            Incoming::Notification { method: "b".to_owned(), params: json!([2]) },
            Incoming::Response { id: "s".into(), is_ok: false },
            Incoming::End(None),
        ];
        assert_eq!(all(&text), wanted);
    }

    #[test]
    fn a_wrong_body_is_passed_over() {
        let bodies =
            ["{", "[]", "\u{fffd}", "{}", r#"{"id":null,"method":"m"}"#, r#"{"id":7,"method":1}"#];
        let text: String = bodies.into_iter().map(framed).collect();
        let found = all(&(text + &framed(r#"{"method":"m"}"#)));
        assert_eq!(found.len(), bodies.len() + 2);
        for wrong in found.iter().take(bodies.len()) {
            assert!(matches!(wrong, Incoming::Malformed { .. }), "{wrong:?}");
        }
        assert!(matches!(&found[5], Incoming::Malformed { id, .. } if *id == json!(7)));
        assert!(matches!(&found[6], Incoming::Notification { .. }));
    }

    #[test]
    fn after_a_wrong_header_nothing_is_read() {
        let long = format!("{}\r\n\r\n", "x".repeat(1 << 20));
        let many = "a: b\r\n".repeat(1000);
        for wrong in [
            "nonsense\r\n\r\n{}",
            "Content-Length: x\r\n\r\n",
            "Content-Length: -1\r\n\r\n",
            "Content-Length: 99999999999999999999999\r\n\r\n",
            "Content-Length: 18446744073709551615\r\n\r\n{}",
            "Content-Length: 1000000000000\r\n\r\n{}",
            "Content-Length: 5\r\n\r\n{}",
            "Content-Length: 5\r\n",
            "Content-Type: a\r\n\r\n{}",
            "\r\n\r\n",
            &long,
            &many,
        ] {
            let found = all(wrong);
            assert!(matches!(found.as_slice(), [Incoming::End(Some(_))]), "{wrong:.40}: {found:?}");
        }
    }
}
