//! Text in XML and HTML.

use std::fmt;

/// A text as the contents of an element or an attribute in double or single quotes, of XML and of HTML: whatever it holds, it is
/// text there. What XML cannot have in a document is shown as U+FFFD.
#[derive(Clone, Copy, Debug)]
pub struct Escaped<'t>(pub &'t str);

impl fmt::Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use fmt::Write as _;
        for c in self.0.chars() {
            match c {
                '&' => f.write_str("&amp;")?,
                '<' => f.write_str("&lt;")?,
                '>' => f.write_str("&gt;")?,
                '"' => f.write_str("&quot;")?,
                '\'' => f.write_str("&#39;")?,
                '\t' | '\n' => f.write_char(c)?,
                '\u{fffe}' | '\u{ffff}' => f.write_char('\u{fffd}')?,
                c if c.is_control() => f.write_char('\u{fffd}')?,
                c => f.write_char(c)?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_of_a_text_is_markup() {
        let text = "<script>alert(\"&\")</script>' \u{1b}[0m\u{0}\u{ffff}";
        let escaped = Escaped(text).to_string();
        assert!(
            !escaped.contains(['<', '>', '"', '\'', '\u{1b}', '\u{0}', '\u{ffff}']),
            "{escaped}"
        );
        assert!(escaped.starts_with("&lt;script&gt;alert(&quot;&amp;&quot;)"), "{escaped}");
    }
}
