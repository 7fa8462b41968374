//! The names of picture files.

/// Whether a text is the name of a picture file: 64 hexadecimal digits, `-small` for the small size, and an extension.
pub fn is_file_name(name: &str) -> bool {
    let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    let hash = name.strip_suffix(".jpg").unwrap_or_default();
    let hash = hash.strip_suffix("-small").unwrap_or(hash);
    hash.len() == 64 && hash.bytes().all(is_digit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_files_of_ours_are_shown() {
        let hash = "0a".repeat(32);
        assert!(is_file_name(&format!("{hash}.jpg")));
        assert!(is_file_name(&format!("{hash}-small.jpg")));
        for other in [hash.as_str(), "x.jpg", "", &format!("{}.jpg", hash.to_uppercase())] {
            assert!(!is_file_name(other), "{other}");
        }
    }
}
