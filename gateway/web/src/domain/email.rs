//! E-mail addresses of people.

use lettre::Address;

/// The longest address of RFC 5321.
const MAX_BYTES: usize = 254;

/// Parses an address, in lower case: addresses that differ only by case are one person.
///
/// # Errors
/// A sentence that says how to correct it.
pub fn parse(text: &str) -> Result<String, &'static str> {
    let text = text.trim().to_lowercase();
    let is_good = text.len() <= MAX_BYTES
        && text.is_ascii()
        && text.parse::<Address>().is_ok()
        // The domain must be one that other mail servers can reach.
        && text.rsplit('@').next().is_some_and(|domain| domain.contains('.'));
    if is_good {
        Ok(text)
    } else {
        Err("Write an e-mail address such as ada@studio.example.")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_lowercased() {
        assert_eq!(parse(" Ada@Studio.Example ").unwrap(), "ada@studio.example");
    }

    #[test]
    fn headers_cannot_be_injected() {
        let long = format!("{}@b.example", "a".repeat(250));
        for bad in [
            "",
            "ada",
            "ada@localhost",
            "ada@b.example\r\nBcc: eve@b.example",
            "ada@b.example, eve@b.example",
            "Ada <ada@b.example>",
            "ada@b.example\0",
            "адa@b.example",
            long.as_str(),
        ] {
            assert!(parse(bad).is_err(), "{bad:?}");
        }
    }
}
