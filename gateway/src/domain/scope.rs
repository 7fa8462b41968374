//! The scopes of tokens for the account API (§10.18).

use strum::VariantArray;

/// A permission of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq, VariantArray)]
pub enum Scope {
    KeysRead,
    KeysWrite,
    EndpointsRead,
    EndpointsWrite,
    DeliveriesRead,
    DeliveriesWrite,
    UsageRead,
}

/// The scopes of a token. An API key has none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Scopes(u8);

impl Scope {
    /// Those that change nothing.
    pub const READS: [Self; 4] = [
        Self::KeysRead,
        Self::EndpointsRead,
        Self::DeliveriesRead,
        Self::UsageRead,
    ];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::KeysRead => "keys:read",
            Self::KeysWrite => "keys:write",
            Self::EndpointsRead => "endpoints:read",
            Self::EndpointsWrite => "endpoints:write",
            Self::DeliveriesRead => "deliveries:read",
            Self::DeliveriesWrite => "deliveries:write",
            Self::UsageRead => "usage:read",
        }
    }

    const fn bit(self) -> u8 {
        1 << self as u8
    }
}

impl Scopes {
    /// The scopes with these names. Names that this version does not know, as a newer version may have stored, grant nothing.
    pub fn from_names(names: &[String]) -> Self {
        let mut scopes = Scope::VARIANTS.to_vec();
        scopes.retain(|scope| names.iter().any(|name| name == scope.as_str()));
        Self::of(&scopes)
    }

    pub fn of(scopes: &[Scope]) -> Self {
        Self(scopes.iter().fold(0, |all, scope| all | scope.bit()))
    }

    /// The scopes that a person has chosen.
    ///
    /// # Errors
    /// A sentence: there is none, or one is unknown.
    pub fn parse(names: &[String]) -> Result<Self, String> {
        let all: Vec<&str> = Scope::VARIANTS.iter().map(|it| it.as_str()).collect();
        if names.is_empty() || !names.iter().all(|name| all.contains(&name.as_str())) {
            return Err(format!("Give one or more of: {}.", all.join(", ")));
        }
        Ok(Self::from_names(names))
    }

    pub const fn contains(self, scope: Scope) -> bool {
        self.0 & scope.bit() != 0
    }

    /// In the order of the variants of [`Scope`].
    pub fn names(self) -> Vec<String> {
        let granted = Scope::VARIANTS
            .iter()
            .filter(|scope| self.contains(**scope));
        granted.map(|scope| scope.as_str().to_owned()).collect()
    }
}

impl From<Vec<String>> for Scopes {
    /// The scopes in a column.
    fn from(names: Vec<String>) -> Self {
        Self::from_names(&names)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(names: &[&str]) -> Vec<String> {
        names.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn scopes_are_what_was_chosen() {
        for &scope in Scope::VARIANTS {
            let scopes = Scopes::parse(&names(&[scope.as_str()])).unwrap();
            for &other in Scope::VARIANTS {
                assert_eq!(scopes.contains(other), scope == other);
            }
        }
        let twice = Scopes::parse(&names(&["usage:read", "keys:read", "usage:read"])).unwrap();
        assert_eq!(twice.names(), ["keys:read", "usage:read"]);
        for bad in [&[][..], &["keys"], &["keys:read", "all"], &["KEYS:READ"]] {
            assert!(Scopes::parse(&names(bad)).is_err(), "{bad:?}");
        }
        assert_eq!(Scopes::from_names(&names(&["later"])), Scopes::default());
    }
}
