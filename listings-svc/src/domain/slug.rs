//! Slugs and handles: ASCII kebab case.

use deunicode::deunicode;

pub const MAX_LENGTH: usize = 100;

/// Makes a slug from a title: transliterated to ASCII, in lower case, words joined by hyphens. `None` when no character of the title can
/// be transliterated.
///
/// Apostrophes are dropped (`N'zeto` becomes `nzeto`); every other character that is neither a letter nor a digit separates words.
pub fn from_title(title: &str) -> Option<String> {
    let mut slug = String::new();
    for c in deunicode(title).chars() {
        match c.to_ascii_lowercase() {
            c if c.is_ascii_alphanumeric() => slug.push(c),
            '\'' | '`' => {}
            _ if slug.is_empty() || slug.ends_with('-') => {}
            _ => slug.push('-'),
        }
        if slug.len() > MAX_LENGTH {
            break;
        }
    }
    if slug.len() > MAX_LENGTH {
        // Cut after a whole word, if there is more than one.
        let end = slug.rfind('-').unwrap_or(MAX_LENGTH);
        slug.truncate(end);
    }
    slug.truncate(slug.trim_end_matches('-').len());
    (!slug.is_empty()).then_some(slug)
}

/// The `n`th slug with the same base: the base, `-2`, `-3` and so on, within the maximum length.
pub fn numbered(base: &str, n: usize) -> String {
    if n <= 1 {
        return base.to_owned();
    }
    let number = format!("-{n}");
    // A base is ASCII, so every index is a character boundary.
    let base = base.get(..MAX_LENGTH - number.len()).unwrap_or(base);
    format!("{}{number}", base.trim_end_matches('-'))
}

pub fn is_valid(text: &str) -> bool {
    text.len() <= MAX_LENGTH
        && text.split('-').all(|word| {
            !word.is_empty() && word.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit())
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn titles_become_slugs() {
        for (title, slug) in [
            ("Aurion: Legacy of the Kori-Odan", "aurion-legacy-of-the-kori-odan"),
            ("Crève Coeur", "creve-coeur"),
            ("N’djamena", "ndjamena"),
            ("ገበጣ", "gabathaa"),
            ("  --2048-- ", "2048"),
        ] {
            let made = from_title(title).unwrap();
            assert!(is_valid(&made), "{made}");
            assert_eq!(made, slug);
        }
        assert_eq!(from_title("!!!"), None);
        assert_eq!(from_title(""), None);
    }

    #[test]
    fn a_long_title_is_cut_between_words() {
        let slug = from_title(&"savanna ".repeat(20)).unwrap();
        assert!(slug.len() <= MAX_LENGTH && slug.ends_with("savanna"), "{slug}");
        assert_eq!(from_title(&"a".repeat(500)).unwrap().len(), MAX_LENGTH);
    }

    proptest! {
        #[test]
        fn any_title_gives_a_slug_or_none(title in "\\PC{0,120}") {
            if let Some(slug) = from_title(&title) {
                prop_assert!(is_valid(&slug), "{slug}");
                // The slug of a slug is the slug, so that a city is found by its name or its slug.
                prop_assert_eq!(from_title(&slug), Some(slug));
            }
        }

        #[test]
        fn numbered_slugs_are_valid_and_distinct(title in "[a-zA-Z0-9 ]{1,120}", n in 1..100_000_usize) {
            if let Some(base) = from_title(&title) {
                let (this, next) = (numbered(&base, n), numbered(&base, n + 1));
                prop_assert!(is_valid(&this), "{this}");
                prop_assert_ne!(this, next);
            }
        }

        #[test]
        fn letters_and_digits_always_give_a_slug(title in "[a-zA-Z0-9éçñŋሀ-ሎ]{1,120}") {
            prop_assert!(from_title(&title).is_some());
        }
    }
}
