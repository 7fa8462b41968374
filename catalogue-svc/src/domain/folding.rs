//! Letters folded to what people type: lower case, without diacritics, and one letter for those that stand for each other.

/// The Arabic stretch of a line, which is no letter.
pub(super) const TATWEEL: char = '\u{640}';

/// Appends a folded letter or digit of a text in NFKD.
pub(super) fn fold(letter: char, to: &mut String) {
    if letter.is_ascii() {
        to.push(letter.to_ascii_lowercase());
        return;
    }
    match deunicode::deunicode_char(letter).filter(|_| is_latin(letter)) {
        Some(nearest) => {
            let letters = nearest.chars().filter(char::is_ascii_alphanumeric);
            to.extend(letters.map(|letter| letter.to_ascii_lowercase()));
        }
        None => to.extend(letter.to_lowercase().map(one_of_equals)),
    }
}

/// Whether a letter is in one of Unicode's Latin blocks.
fn is_latin(letter: char) -> bool {
    matches!(letter,
        '\u{00c0}'..='\u{02af}' | '\u{1d00}'..='\u{1dbf}' | '\u{1e00}'..='\u{1eff}' | '\u{2c60}'..='\u{2c7f}'
        | '\u{a720}'..='\u{a7ff}' | '\u{ab30}'..='\u{ab6f}')
}

/// The letter that stands for this one and for those that people write in its place.
fn one_of_equals(letter: char) -> char {
    let moved = |from: char, to: char| {
        let code = u32::from(letter) - u32::from(from) + u32::from(to);
        char::from_u32(code).unwrap_or(letter)
    };
    match letter {
        // Greek: sigma at the end of a word.
        'ς' => 'σ',
        // Arabic: alef maksura and yeh, teh marbuta and heh.
        'ى' => 'ي',
        'ة' => 'ه',
        '\u{660}'..='\u{669}' => moved('\u{660}', '0'),
        '\u{6f0}'..='\u{6f9}' => moved('\u{6f0}', '0'),
        // Ethiopic, the seven vowels of each consonant: Amharic says these letters alike. The first and the fourth vowel sound the same after h
        // and after the glottal stop.
        'ሃ' | 'ሐ' | 'ሓ' | 'ኀ' | 'ኃ' => 'ሀ',
        'ሐ'..='ሖ' => moved('ሐ', 'ሀ'),
        'ኀ'..='ኆ' => moved('ኀ', 'ሀ'),
        'ሠ'..='ሦ' => moved('ሠ', 'ሰ'),
        'ኣ' | 'ዐ' | 'ዓ' => 'አ',
        'ዐ'..='ዖ' => moved('ዐ', 'አ'),
        'ፀ'..='ፆ' => moved('ፀ', 'ጸ'),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use unicode_normalization::UnicodeNormalization as _;

    use super::*;

    #[test]
    fn letters_that_people_interchange_are_folded_to_one() {
        for (letters, folded) in [
            ("ΣσςάΆ", "σσσαα"),
            ("يىئ", "ييي"),
            ("هة", "هه"),
            ("٠١٢٣٤٥٦٧٨٩", "0123456789"),
            ("۰۱۲۳۴۵۶۷۸۹", "0123456789"),
            ("ሀሃሐሓኀኃ", "ሀሀሀሀሀሀ"),
            ("ሁሑኁ ሂሒኂ ሄሔኄ ህሕኅ ሆሖኆ", "ሁሁሁ ሂሂሂ ሄሄሄ ህህህ ሆሆሆ"),
            ("ሰሠ ሱሡ ሲሢ ሳሣ ሴሤ ስሥ ሶሦ", "ሰሰ ሱሱ ሲሲ ሳሳ ሴሴ ስስ ሶሶ"),
            ("አኣዐዓ ኡዑ ኢዒ ኤዔ እዕ ኦዖ", "አአአአ ኡኡ ኢኢ ኤኤ እእ ኦኦ"),
            ("ጸፀ ጹፁ ጺፂ ጻፃ ጼፄ ጽፅ ጾፆ", "ጸጸ ጹጹ ጺጺ ጻጻ ጼጼ ጽጽ ጾጾ"),
            // Latin letters that do not decompose fold to their nearest ASCII letters.
            ("ƘƊŁŋø", "kdlngo"),
        ] {
            let mut found = String::new();
            let decomposed = letters
                .nfkd()
                .filter(|letter| !unicode_normalization::char::is_combining_mark(*letter));
            decomposed.for_each(|letter| fold(letter, &mut found));
            assert_eq!(found, folded, "{letters}");
        }
    }
}
