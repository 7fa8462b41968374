//! Tokens for the account API: the list with the form of a new one, and the secret that is shown once.

use askama::Template;

use crate::field::{Field, Fields};
use crate::keys::KeyState;
use crate::shell::Shell;

#[derive(Debug, Template)]
#[template(path = "token/list.html")]
pub struct ListPage {
    pub shell: Shell,
    pub errors: Fields,
    pub account: String,
    pub tokens: Vec<TokenRow>,
    pub may_change: bool,
    /// Marks the form, so that sending it twice makes one token.
    pub form: String,
    pub name: Field,
    pub scopes: Vec<ScopeChoice>,
    pub expires: Field,
}

#[derive(Debug)]
pub struct TokenRow {
    pub id: String,
    pub name: String,
    /// For example `…YgCX`.
    pub shown: String,
    pub scopes: String,
    pub created: String,
    /// The address of the person who made it.
    pub maker: String,
    pub last_used: Option<String>,
    pub state: KeyState,
    pub is_revoked: bool,
}

/// A scope that a new token may have.
#[derive(Debug)]
pub struct ScopeChoice {
    pub name: &'static str,
    pub description: &'static str,
    pub is_ticked: bool,
}

/// A new secret, the only time that it is shown.
#[derive(Debug, Template)]
#[template(path = "token/secret.html")]
pub struct TokenSecretPage {
    pub shell: Shell,
    pub account: String,
    pub secret: String,
    pub name: String,
    /// The base URL of the API, with the version.
    pub api_url: String,
    /// A path that the token may read, for the first call.
    pub first_path: &'static str,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(tokens: Vec<TokenRow>) -> String {
        let page = ListPage {
            shell: Shell::default(),
            errors: Fields::default(),
            account: "a".to_owned(),
            tokens,
            may_change: true,
            form: "f".to_owned(),
            name: Field::text("name", "Name"),
            scopes: vec![ScopeChoice {
                name: "keys:read",
                description: "list keys",
                is_ticked: true,
            }],
            expires: Field::date("expires", "Last day"),
        };
        page.render().unwrap()
    }

    #[test]
    fn a_list_shows_what_is_there_and_escapes_it() {
        assert!(page(Vec::new()).contains("No token yet"));
        let html = page(vec![TokenRow {
            id: "t".to_owned(),
            name: "<img src=x>".to_owned(),
            shown: "…abcd".to_owned(),
            scopes: "keys:read".to_owned(),
            created: "2026-11-23".to_owned(),
            maker: "<ada@studio.example>".to_owned(),
            last_used: None,
            state: KeyState {
                text: "works".to_owned(),
                works: true,
            },
            is_revoked: false,
        }]);
        assert!(html.contains("/accounts/a/tokens/t/revoke") && !html.contains("<img"));
        assert!(html.contains("ada@studio.example") && !html.contains("<ada@"));
        assert!(html.contains("<bdi>&#60;img src=x&#62;</bdi>"), "{html}");
        assert!(html.contains("value=\"keys:read\" checked"), "{html}");
    }
}
