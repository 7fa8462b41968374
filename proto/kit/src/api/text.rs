//! Text as it is stored: trimmed, in Unicode NFC, within its maximum length, without control characters (§4.3).

use std::borrow::Cow;

use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::is_combining_mark;

/// Normalizes and checks one line of at most `max_chars` characters. Accepts an empty text.
///
/// # Errors
/// A sentence that says how to correct the text.
pub fn line(raw: &str, max_chars: usize) -> Result<String, String> {
    let text = normalize(raw);
    if text.contains(['\n', '\r', '\u{2028}', '\u{2029}']) {
        return Err("Keep it on one line: line breaks are not allowed here.".to_owned());
    }
    if let Some(bad) = text.chars().find(|c| is_forbidden_in_line(*c)) {
        return Err(remove_message("character", bad));
    }
    check(text, max_chars, |_| false)
}

/// Normalizes and checks a text of several lines. A line ends with `\n`, on every system.
///
/// # Errors
/// A sentence that says how to correct the text.
pub fn paragraphs(raw: &str, max_chars: usize) -> Result<String, String> {
    check(normalize(raw), max_chars, |c| matches!(c, '\n' | '\t'))
}

/// The text as [`line()`] and [`paragraphs`] store it, if they accept it.
pub(crate) fn normalize(raw: &str) -> String {
    let text: String = raw.replace("\r\n", "\n").trim().nfc().collect();
    if is_blank(&text) {
        return String::new();
    }
    text
}

/// Whether a reader sees nothing of a text. [`line()`] and [`paragraphs`] store such a text as the empty one.
pub fn is_blank(text: &str) -> bool {
    text.chars().all(is_invisible)
}

/// The beginning of a text, of at most `max` bytes. An ellipsis shows that it was cut.
pub fn clip(text: &str, max: usize) -> Cow<'_, str> {
    const ELLIPSIS: char = '…';
    if text.len() <= max {
        return text.into();
    }
    let end = text.floor_char_boundary(max - ELLIPSIS.len_utf8());
    let mut clipped = text[..end].to_owned();
    clipped.push(ELLIPSIS);
    clipped.into()
}

fn check(
    text: String,
    max_chars: usize,
    is_allowed: impl Fn(char) -> bool,
) -> Result<String, String> {
    let mut controls = text.chars().filter(|c| c.is_control());
    if let Some(bad) = controls.find(|c| !is_allowed(*c)) {
        return Err(remove_message("control character", bad));
    }
    if text.contains(char::REPLACEMENT_CHARACTER) {
        return Err(
            "The text was damaged on its way: it has U+FFFD where a character was lost. Save the file as UTF-8."
                .to_owned(),
        );
    }
    let length = text.chars().count();
    if length > max_chars {
        return Err(format!(
            "Shorten it: it has {length} characters, and the maximum is {max_chars}."
        ));
    }
    Ok(text)
}

fn remove_message(what: &str, bad: char) -> String {
    format!("Remove the {what} U+{:04X}.", u32::from(bad))
}

/// Characters that display differently on each system, or that change the text around them: bidirectional embeddings, overrides, isolates
/// and their deprecated relatives, the byte order mark, private use, and noncharacters.
fn is_forbidden_in_line(c: char) -> bool {
    matches!(c,
        '\u{202A}'..='\u{202E}'
        | '\u{2066}'..='\u{206F}'
        | '\u{FEFF}'
        | '\u{E000}'..='\u{F8FF}'
        | '\u{F0000}'..='\u{10FFFF}'
        | '\u{FDD0}'..='\u{FDEF}'
    ) || u32::from(c) & 0xFFFE == 0xFFFE
}

/// Whitespace, marks without a letter, and characters that have no shape of their own.
fn is_invisible(c: char) -> bool {
    const BLANK_BRAILLE: char = '\u{2800}';
    c.is_whitespace() || is_combining_mark(c) || is_default_ignorable(c) || c == BLANK_BRAILLE
}

/// The property `Default_Ignorable_Code_Point` of Unicode 16.
fn is_default_ignorable(c: char) -> bool {
    matches!(c,
        '\u{AD}'
        | '\u{34F}'
        | '\u{61C}'
        | '\u{115F}'..='\u{1160}'
        | '\u{17B4}'..='\u{17B5}'
        | '\u{180B}'..='\u{180F}'
        | '\u{200B}'..='\u{200F}'
        | '\u{202A}'..='\u{202E}'
        | '\u{2060}'..='\u{206F}'
        | '\u{3164}'
        | '\u{FE00}'..='\u{FE0F}'
        | '\u{FEFF}'
        | '\u{FFA0}'
        | '\u{FFF0}'..='\u{FFF8}'
        | '\u{1BCA0}'..='\u{1BCA3}'
        | '\u{1D173}'..='\u{1D17A}'
        | '\u{E0000}'..='\u{E0FFF}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const MAX_TITLE: usize = 120;
    const MAX_DESCRIPTION: usize = 10_000;

    #[test]
    fn text_is_trimmed_and_composed() {
        assert_eq!(line("  Cafe\u{301} Bantu \t", MAX_TITLE), Ok("Café Bantu".to_owned()));
    }

    #[test]
    fn a_text_that_shows_nothing_is_empty() {
        for blank in [
            " ",
            "\u{A0}",
            "\u{3000}",
            "\u{200B} \u{FEFF}",
            "\u{3164}",
            "\u{FFA0}",
            "\u{115F}\u{1160}",
            "\u{2800}",
            "\u{301}",
            "\u{FE0F}",
            "\u{E0001}",
            "\u{180E}",
            "\u{2800} \u{3164}\u{34F}",
        ] {
            assert_eq!(line(blank, MAX_TITLE), Ok(String::new()), "{blank:?}");
            assert_eq!(paragraphs(blank, MAX_TITLE), Ok(String::new()), "{blank:?}");
        }
        for visible in ["x", "\u{3164}x", ".", "👩\u{200D}🎤", "ㅤㄱ", "⠁"] {
            assert_eq!(line(visible, MAX_TITLE), Ok(visible.to_owned()));
        }
    }

    #[test]
    fn length_is_counted_in_characters_after_composing() {
        assert!(line(&"ጨ".repeat(MAX_TITLE), MAX_TITLE).is_ok());
        assert!(line(&"e\u{301}".repeat(MAX_TITLE), MAX_TITLE).is_ok());
        assert!(line(&"a".repeat(MAX_TITLE + 1), MAX_TITLE).is_err());
    }

    #[test]
    fn only_paragraphs_have_line_breaks() {
        assert!(line("one\ntwo", MAX_TITLE).is_err());
        assert_eq!(paragraphs("one\r\ntwo\n", MAX_DESCRIPTION), Ok("one\ntwo".to_owned()));
        for bad in ["a\u{0}b", "a\u{1B}[31mb", "a\u{85}b", "a\rb"] {
            assert!(paragraphs(bad, MAX_DESCRIPTION).is_err(), "{bad:?}");
            assert!(line(bad, MAX_TITLE).is_err(), "{bad:?}");
        }
        assert!(line("a\tb", MAX_TITLE).is_err());
        let columns = "Map\tPlayers\nAba\t4";
        assert_eq!(paragraphs(columns, MAX_DESCRIPTION), Ok(columns.to_owned()));
        assert!(line("lost \u{FFFD}", MAX_TITLE).is_err());
    }

    #[test]
    fn a_line_has_no_characters_that_show_it_as_another() {
        for bad in [
            '\u{202A}',
            '\u{202E}',
            '\u{2066}',
            '\u{2069}',
            '\u{206A}',
            '\u{2028}',
            '\u{2029}',
            '\u{FEFF}',
            '\u{E000}',
            '\u{F8FF}',
            '\u{FDD0}',
            '\u{FFFE}',
            '\u{FFFF}',
            '\u{1FFFE}',
            '\u{F0000}',
            '\u{10FFFD}',
            '\u{10FFFF}',
        ] {
            let text = format!("Kalaha{bad}gnp.exe");
            let problem = line(&text, MAX_TITLE).unwrap_err();
            let named = format!("U+{:04X}", u32::from(bad));
            assert!(problem.contains(&named) || problem.contains("one line"), "{problem}");
        }
        // Invisible marks that Arabic and Indic scripts and emoji need.
        for good in ["\u{200F}لعبة", "ن\u{200C}ه", "👩\u{200D}🎤", "Ọ̀yọ́", "ⵜⴰⵎⴰⵣⵉⵖⵜ"]
        {
            assert!(line(good, MAX_TITLE).is_ok(), "{good}");
        }
    }

    proptest! {
        #[test]
        fn any_paragraphs_are_read_once(raw in "(\\PC|[\r\n\t\u{85}]){0,200}") {
            if let Ok(text) = paragraphs(&raw, MAX_DESCRIPTION) {
                prop_assert_eq!(paragraphs(&text, MAX_DESCRIPTION), Ok(text.clone()));
                prop_assert!(!text.contains('\r'));
            }
        }

        #[test]
        fn reading_is_idempotent(raw in ".{0,200}") {
            if let Ok(text) = line(&raw, MAX_TITLE) {
                prop_assert_eq!(line(&text, MAX_TITLE), Ok(text.clone()));
                prop_assert!(text.chars().count() <= MAX_TITLE);
                prop_assert!(!text.chars().any(char::is_control));
            }
        }
    }
}
