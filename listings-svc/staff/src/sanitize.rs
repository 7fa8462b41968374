//! Text of strangers, made safe for a terminal.

/// Replaces control characters and characters that change the direction of text, which would let a stranger steer the terminal.
pub(crate) fn sanitize(text: &str) -> String {
    let is_unsafe = |c: char| {
        c.is_control()
            || matches!(c, '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
    };
    let replace = |c| {
        if is_unsafe(c) { char::REPLACEMENT_CHARACTER } else { c }
    };
    text.chars().map(replace).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_and_direction_characters_are_replaced() {
        assert_eq!(sanitize("a\u{1b}[2J\u{202E}b"), "a\u{FFFD}[2J\u{FFFD}b");
    }
}
