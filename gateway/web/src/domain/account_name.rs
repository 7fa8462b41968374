//! The name of an account. The gateway has the same rule; a form that it would refuse is refused before its password is hashed.

use kit::api::text;

/// The most characters.
const MAX: usize = 120;

/// # Errors
/// The key of the text that says what to do.
pub fn check(name: &str) -> Result<(), &'static str> {
    let name = name.trim();
    if text::is_blank(name) {
        Err("account-name-empty")
    } else if name.chars().count() > MAX {
        Err("account-name-long")
    } else if name.chars().any(char::is_control) {
        Err("account-name-control")
    } else {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use gateway::domain::fields;
    use kit::api::bad_fields::BadFields;

    use super::*;

    #[test]
    fn names_are_accepted_exactly_if_the_gateway_accepts_them() {
        let longest = "ọ".repeat(MAX);
        let too_long = "ọ".repeat(MAX + 1);
        for name in ["", " \t", "\u{3164}", "Savanna", " Savanna\n", "a\u{7}b", &longest, &too_long]
        {
            let mut bad = BadFields::default();
            fields::name(&mut bad, "name", name);
            assert_eq!(check(name).is_ok(), bad.is_empty(), "{name:?}");
        }
    }
}
