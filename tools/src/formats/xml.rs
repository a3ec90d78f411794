//! Writing XML: elements as closures, one below the other.

use std::io;

use quick_xml::Writer;
use quick_xml::events::{BytesDecl, BytesText, Event};

/// A document that is being written.
pub type Xml = Writer<Vec<u8>>;

/// A whole document, made by `content`, with the end of its last line.
///
/// # Errors
/// None that is known, as memory is written to.
pub fn document(content: impl FnOnce(&mut Xml) -> io::Result<()>) -> Result<String, String> {
    let mut xml = Writer::new_with_indent(Vec::new(), b' ', 2);
    let written = xml
        .write_event(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None)))
        .and_then(|()| content(&mut xml));
    written.map_err(|error| error.to_string())?;
    let mut text = String::from_utf8(xml.into_inner()).map_err(|error| error.to_string())?;
    text.push('\n');
    Ok(text)
}

/// Writes an element with others in it.
///
/// # Errors
/// Those of `content`.
pub fn element(
    xml: &mut Xml,
    name: &str,
    attributes: &[(&str, &str)],
    content: impl FnOnce(&mut Xml) -> io::Result<()>,
) -> io::Result<()> {
    let attributes: Vec<(&str, String)> =
        attributes.iter().map(|(name, value)| (*name, legal(value))).collect();
    let attributes = attributes.iter().map(|(name, value)| (*name, value.as_str()));
    xml.create_element(name).with_attributes(attributes).write_inner_content(content)?;
    Ok(())
}

/// Writes an element with a text in it, or with nothing.
///
/// # Errors
/// None that is known.
pub fn leaf(xml: &mut Xml, name: &str, attributes: &[(&str, &str)], text: &str) -> io::Result<()> {
    let attributes: Vec<(&str, String)> =
        attributes.iter().map(|(name, value)| (*name, legal(value))).collect();
    let attributes = attributes.iter().map(|(name, value)| (*name, value.as_str()));
    let element = xml.create_element(name).with_attributes(attributes);
    match text {
        "" => element.write_empty()?,
        text => element.write_text_content(BytesText::new(&legal(text)))?,
    };
    Ok(())
}

/// A text without the characters that XML 1.0 has no way to say: control characters but tab and line ends.
fn legal(text: &str) -> String {
    let is_legal = |c: char| matches!(c, '\t' | '\n' | '\r' | '\u{20}'..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..);
    text.chars().map(|c| if is_legal(c) { c } else { '\u{fffd}' }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_xml_cannot_say_is_replaced_and_the_rest_escaped() {
        let text =
            document(|xml| leaf(xml, "a", &[("b", "<\"&\u{1}")], "x < y && \u{0}z")).expect("");
        assert!(text.contains("x &lt; y &amp;&amp; \u{fffd}z"), "{text}");
        assert!(text.contains("b=\"&lt;&quot;&amp;\u{fffd}\""), "{text}");
    }
}
