//! Codes as people type them: with the digits of their keyboard, in groups, and with characters that nobody sees.

use unicode_properties::{GeneralCategory, UnicodeGeneralCategory as _};

/// U+2212 is a symbol of mathematics for Unicode, and a dash for people.
const MINUS: char = '\u{2212}';

/// The characters of a code, without spaces, dashes and format characters. Decimal digits of every script are ASCII digits.
pub fn normalized(typed: &str) -> String {
    typed
        .chars()
        .filter(|&c| !is_separator(c))
        .map(|c| digit(c).unwrap_or(c))
        .collect()
}

fn is_separator(c: char) -> bool {
    let category = c.general_category();
    c.is_whitespace()
        || c == MINUS
        || matches!(
            category,
            GeneralCategory::DashPunctuation | GeneralCategory::Format
        )
}

fn is_decimal(c: char) -> bool {
    c.general_category() == GeneralCategory::DecimalNumber
}

/// The ASCII digit of a decimal digit. Unicode has the ten digits of a script one after the other, from zero on, and some sets of ten next to
/// each other.
fn digit(c: char) -> Option<char> {
    if !is_decimal(c) {
        return None;
    }
    let before = (0..u32::from(c)).rev().map_while(char::from_u32);
    let before = before.take_while(|&c| is_decimal(c)).count();
    char::from_digit(u32::try_from(before % 10).ok()?, 10)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn digits_of_every_script_are_digits() {
        for typed in [
            "123456",
            "١٢٣٤٥٦",
            "۱۲۳۴۵۶",
            "１２３４５６",
            "१२३४५६",
            "߁߂߃߄߅߆",
            "𝟏𝟐𝟑𝟒𝟓𝟔",
            "𝟷𝟸𝟹𝟺𝟻𝟼",
        ] {
            assert_eq!(normalized(typed), "123456", "{typed}");
        }
        let zeros = ['0', '٠', '۰', '०', '０', '𝟎', '𝟶'];
        assert!(zeros.iter().all(|&zero| digit(zero) == Some('0')));
        assert_eq!(normalized("9٩۹९９𝟗"), "999999");
    }

    #[test]
    fn separators_are_dropped() {
        for typed in [
            "123 456",
            "123-456",
            "123\u{2013}456",
            "123\u{2212}456",
            "\u{200f}123456",
            "123\u{a0}456\n",
            "\u{feff}123\u{200b}456",
        ] {
            assert_eq!(normalized(typed), "123456", "{typed:?}");
        }
        assert_eq!(normalized("K7mp-2x9q"), "K7mp2x9q");
        assert_eq!(normalized("½²Ⅳ"), "½²Ⅳ", "these are no decimal digits");
    }

    proptest! {
        #[test]
        fn any_text_is_normalized_once(typed in "\\PC*") {
            let once = normalized(&typed);
            prop_assert_eq!(normalized(&once), once);
        }
    }
}
