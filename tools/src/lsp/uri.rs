//! Files as URIs (RFC 8089, RFC 3986).

use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

/// The file that a URI names; `None` where it names none of this machine, such as a text that was never saved.
#[must_use]
pub fn path(uri: &str) -> Option<PathBuf> {
    let (scheme, rest) = uri.split_once("://")?;
    let at = rest.find('/')?;
    let (host, path) = rest.split_at_checked(at)?;
    if !scheme.eq_ignore_ascii_case("file")
        || !(host.is_empty() || host.eq_ignore_ascii_case("localhost"))
    {
        return None;
    }
    let path = path.split(['?', '#']).next()?;
    let bytes = decoded(path.as_bytes())?;
    (!bytes.contains(&0)).then(|| OsString::from_vec(bytes).into())
}

/// Bytes with what stands for others replaced by these; `None` if a `%` is not followed by two digits.
fn decoded(text: &[u8]) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut rest = text;
    while let Some((&first, behind)) = rest.split_first() {
        rest = behind;
        if first != b'%' {
            bytes.push(first);
            continue;
        }
        let (digits, behind) = rest.split_first_chunk::<2>()?;
        let digit = |byte: u8| char::from(byte).to_digit(16);
        let number = digit(digits[0])? * 16 + digit(digits[1])?;
        bytes.push(u8::try_from(number).ok()?);
        rest = behind;
    }
    Some(bytes)
}

/// The URI of a file by its path from the root.
#[must_use]
pub fn of(path: &Path) -> String {
    let mut uri = String::from("file://");
    for &byte in path.as_os_str().as_bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                uri.push(byte.into());
            }
            _ => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_becomes_a_uri_and_back() {
        let bytes: Vec<u8> = (1..=255).collect();
        for name in [
            b"/a b/c%20.c".as_slice(),
            "/\u{e4}/\u{4e2d}.c".as_bytes(),
            &[b"/", bytes.as_slice()].concat(),
        ] {
            let wanted = PathBuf::from(OsString::from_vec(name.to_vec()));
            let uri = of(&wanted);
            assert!(uri.is_ascii(), "{uri}");
            assert_eq!(path(&uri), Some(wanted));
        }
        assert_eq!(of(Path::new("/a b#c.c")), "file:///a%20b%23c.c");
    }

    #[test]
    fn what_is_no_file_here_has_no_path() {
        assert_eq!(path("file:///a%3a/b%2B.c"), Some("/a:/b+.c".into()));
        assert_eq!(path("FILE://localhost/a.c?q#f"), Some("/a.c".into()));
        for other in [
            "untitled:Untitled-1",
            "file://host/a.c",
            "file:///a%2",
            "file:///%zz",
            "file:///a%00",
            "http:///a",
            "",
            "file://",
        ] {
            assert_eq!(path(other), None, "{other}");
        }
    }
}
