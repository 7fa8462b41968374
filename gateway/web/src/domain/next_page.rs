//! Where a person goes after signing in.

use pages::Language;
use serde::Deserialize;

use super::listing_kind::is_listing_name;
use super::percent::encoded;

/// What paths of claims begin with.
const CLAIM: &str = "/claim/";
const ADD_GAME: &str = "/add-game";
/// The default page.
const HOME: &str = "/accounts";

/// The parameter of an address that has the page. Anybody may have written it.
#[derive(Debug, Default, Deserialize)]
pub struct NextPage {
    #[serde(default)]
    pub next: String,
}

/// `text` if it is a path of this site, and the list of accounts otherwise: a link to the sign-in page leads to no other site, and not back
/// to signing in.
pub fn path(text: &str) -> &str {
    let is_ours = text.starts_with('/')
        // `//host` and `/\host` lead to another site.
        && !text[1..].starts_with(['/', '\\'])
        && !Language::split(text).1.starts_with("/sign-in")
        && text.len() <= 500
        && text.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'\\');
    if is_ours { text } else { HOME }
}

/// `text` if the link of a sign-up mail may lead to it: the claim of a page, or the form of a new game. No other text gets into mails,
/// since anyone can cause a mail.
pub fn after_sign_up(text: &str) -> Option<&str> {
    let is_claim = text.strip_prefix(CLAIM).is_some_and(is_listing_name);
    (is_claim || text == ADD_GAME).then_some(text)
}

/// The address of the sign-up page that leads to this page, without a language.
pub fn sign_up(next: Option<&str>) -> String {
    match next {
        Some(next) => format!("/sign-up?next={}", encoded(next)),
        None => "/sign-up".to_owned(),
    }
}

/// The text that says why somebody who opens this page has to sign in first.
pub fn reason(text: &str) -> Option<&'static str> {
    let after = after_sign_up(text)?;
    let key = if after == ADD_GAME { "sign-in-to-add-game" } else { "sign-in-to-claim" };
    Some(key)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sign_up_leads_only_to_a_claim_or_a_new_game() {
        assert_eq!(after_sign_up("/claim/a-studio"), Some("/claim/a-studio"));
        assert_eq!(after_sign_up("/add-game"), Some("/add-game"));
        for other in [
            "",
            "/",
            "/accounts",
            "/claim/",
            "/claim/a/b",
            "/claim/../you",
            "/claim/a?b=c",
            "/claim/A",
            "//claim/a",
            "/add-game/",
            "/add-game?a=b",
            "https://evil.example/claim/a",
        ] {
            assert_eq!(after_sign_up(other), None, "{other}");
        }
    }

    #[test]
    fn only_paths_of_this_site_are_followed() {
        for good in ["/", "/accounts/1/keys?page=2", "/you", "/fr/link/a"] {
            assert_eq!(path(good), good);
        }
        for bad in [
            "",
            "accounts",
            "https://evil.example/",
            "//evil.example",
            "/\\evil.example",
            "/a\\b",
            "///evil.example",
            "\\\\evil.example",
            "/\t/evil.example",
            "/\n/evil.example",
            "/\0/evil.example",
            "/a\r\nSet-Cookie: b",
            "https:evil.example",
            "https:/evil.example",
            "HTTPS://mchezo.example@evil.example",
            "javascript:alert(1)",
            "data:text/html,<script>alert(1)</script>",
            " //evil.example",
            "\u{2028}//evil.example",
            "/\u{ff0f}evil.example",
            "/é",
            "/sign-in",
            "/fr/sign-in",
            "/sign-in?next=/you",
            "/sign-in/code?next=%2Fyou",
        ] {
            assert_eq!(path(bad), HOME, "{bad:?}");
        }
    }
}
