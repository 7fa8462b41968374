//! Text inside XML.

/// Appends a text as the content of an element or of an attribute. Characters that XML 1.0 cannot have at all are left out.
pub(super) fn push_text(xml: &mut String, text: &str) {
    for c in text.chars() {
        match c {
            '&' => xml.push_str("&amp;"),
            '<' => xml.push_str("&lt;"),
            '>' => xml.push_str("&gt;"),
            '"' => xml.push_str("&quot;"),
            '\'' => xml.push_str("&apos;"),
            c if is_allowed(c) => xml.push(c),
            _ => {}
        }
    }
}

/// The characters of XML 1.0 (section 2.2).
fn is_allowed(c: char) -> bool {
    matches!(c, '\t' | '\n' | '\r' | ' '..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..)
}

/// A text without the characters that XML 1.0 cannot have; templates escape the others.
pub(super) fn plain(text: &str) -> String {
    text.chars().filter(|c| is_allowed(*c)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_becomes_text() {
        let mut xml = String::new();
        push_text(&mut xml, "<a b=\"c\">&'\u{0}\u{b}\u{ffff}ɛ😀\n");
        assert_eq!(xml, "&lt;a b=&quot;c&quot;&gt;&amp;&apos;ɛ😀\n");
        assert_eq!(plain("a\u{1f}<\u{fffe}"), "a<");
    }
}
