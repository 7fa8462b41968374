//! Text of strangers, fit for a terminal.

/// The text with nothing in it that steers a terminal.
pub(crate) fn plain(text: &str) -> String {
    let steers = |c: char| {
        c.is_control()
            || matches!(c, '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
    };
    let replaced = |c| {
        if steers(c) {
            char::REPLACEMENT_CHARACTER
        } else {
            c
        }
    };
    text.chars().map(replaced).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_strangers_write_does_not_steer_the_terminal() {
        assert_eq!(plain("a\u{1b}[2J\u{202E}b"), "a\u{FFFD}[2J\u{FFFD}b");
    }
}
