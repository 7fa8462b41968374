//! Secrets, and the tokens of the internal ports.

use subtle::{Choice, ConstantTimeEq as _};

/// A value that is never printed.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// The value itself.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl From<String> for Secret {
    fn from(value: String) -> Self {
        Self(value)
    }
}

impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("…")
    }
}

/// The tokens of one purpose. There are several while one replaces another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tokens {
    /// The token that calls carry.
    pub first: Secret,
    /// The other tokens that are accepted.
    pub others: Vec<Secret>,
}

impl Tokens {
    /// All of them, the first one first.
    pub fn all(&self) -> impl Iterator<Item = &Secret> {
        std::iter::once(&self.first).chain(&self.others)
    }

    /// Whether a caller sent one of them. The time does not depend on which.
    pub fn accepts(&self, sent: &[u8]) -> bool {
        let found = self
            .all()
            .fold(Choice::from(0), |found, token| found | token.expose().as_bytes().ct_eq(sent));
        found.into()
    }
}

impl From<Secret> for Tokens {
    fn from(first: Secret) -> Self {
        let others = Vec::new();
        Self { first, others }
    }
}

/// Comparing a sent token takes time for each of them.
const MAX_TOKENS: usize = 8;

pub(crate) fn tokens(value: &str) -> Result<Tokens, String> {
    let mut tokens = value.split(',').map(|text| token(text.trim()));
    let first = tokens.next().unwrap_or_else(|| token(""))?;
    let others: Vec<Secret> = tokens.collect::<Result<_, _>>()?;
    if others.len() >= MAX_TOKENS {
        return Err(format!("it must have {MAX_TOKENS} tokens or fewer"));
    }
    Ok(Tokens { first, others })
}

fn token(value: &str) -> Result<Secret, String> {
    if value.chars().count() < 32 {
        return Err("each token must have 32 characters or more".to_owned());
    }
    if !value.bytes().all(|b| b.is_ascii_graphic()) {
        return Err("each token must have only visible ASCII characters".to_owned());
    }
    Ok(Secret(value.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const FLEET: &str = "fleet-token-fleet-token-fleet-token";
    const STAFF: &str = "staff-token-staff-token-staff-token";

    #[test]
    fn tokens_are_a_list_of_which_the_first_is_sent() {
        let new = "new-token-new-token-new-token-new-token";
        let list = tokens(&format!("{FLEET}, {new}")).unwrap();
        assert_eq!(list.first.expose(), FLEET);
        for token in [FLEET, new] {
            assert!(list.accepts(token.as_bytes()));
            assert_eq!(tokens(token), Ok(Tokens::from(Secret(token.to_owned()))));
        }
        for other in ["", STAFF, &FLEET[1..], &format!("{FLEET},{new}")] {
            assert!(!list.accepts(other.as_bytes()), "{other}");
        }
        assert!(tokens(&[FLEET; MAX_TOKENS].join(",")).is_ok());
        for bad in [
            "",
            "short",
            &format!("{FLEET},"),
            &format!(",{FLEET}"),
            &format!("{FLEET},short"),
            &format!("{FLEET},{new} {new}"),
            &[FLEET; MAX_TOKENS + 1].join(","),
        ] {
            assert!(tokens(bad).is_err(), "{bad}");
        }
    }
}
