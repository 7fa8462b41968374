//! Cookies: that of a session, and those of voters.

use http::header::COOKIE;
use http::{HeaderMap, HeaderValue};
use time::Duration;

use crate::domain::session_token::Token;

/// The cookie of a session.
const SESSION: &str = "session";

/// How cookies look. Browsers accept the prefix `__Host-` only from this very host and over HTTPS.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CookieStyle {
    /// `__Host-session` and so on, for HTTPS.
    Secure,
    /// `session` and so on, for a local fleet without TLS, where not every browser stores a secure cookie.
    Local,
}

impl CookieStyle {
    /// The style for this address of the site.
    pub fn of(public_url: &str) -> Self {
        if public_url.starts_with("https:") {
            Self::Secure
        } else {
            Self::Local
        }
    }

    /// The token in the cookie of a request.
    pub fn token(self, headers: &HeaderMap) -> Option<Token> {
        Token::parse(self.value(headers, SESSION)?)
    }

    /// The header that stores a token for this time.
    pub fn set(self, token: &Token, age: Duration) -> Option<HeaderValue> {
        self.set_value(SESSION, &token.text(), age)
    }

    /// The header that removes the cookie of a session.
    pub fn clear(self) -> Option<HeaderValue> {
        self.set_value(SESSION, "", Duration::ZERO)
    }

    fn name(self, name: &str) -> String {
        match self {
            Self::Secure => format!("__Host-{name}"),
            Self::Local => name.to_owned(),
        }
    }

    /// The value of a cookie of a request.
    pub fn value<'h>(self, headers: &'h HeaderMap, name: &str) -> Option<&'h str> {
        let name = self.name(name);
        let lines = headers.get_all(COOKIE).iter();
        let mut pairs = lines
            .filter_map(|line| line.to_str().ok())
            .flat_map(|line| line.split(';'))
            .filter_map(|pair| pair.trim().split_once('='));
        // Of several, the first: browsers send the one with the longest path first.
        let (_, value) = pairs.find(|(it, _)| *it == name)?;
        Some(value)
    }

    /// The header that stores a cookie for this time.
    pub fn set_value(self, name: &str, value: &str, age: Duration) -> Option<HeaderValue> {
        let secure = match self {
            Self::Secure => "; Secure",
            Self::Local => "",
        };
        let (name, seconds) = (self.name(name), age.whole_seconds());
        let cookie =
            format!("{name}={value}; Path=/; Max-Age={seconds}; HttpOnly; SameSite=Lax{secure}");
        cookie.parse().ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cookie_is_read_as_it_was_set() {
        let token = Token::generate();
        let style = CookieStyle::of("https://mchezo.example");
        let set = style.set(&token, Duration::DAY).unwrap();
        let set = set.to_str().unwrap();
        assert!(set.starts_with("__Host-session="), "{set}");
        for part in [
            "Path=/",
            "HttpOnly",
            "SameSite=Lax",
            "Secure",
            "Max-Age=86400",
        ] {
            assert!(set.contains(part), "{part} in {set}");
        }
        assert!(!set.contains("Domain"), "{set}");
        let mut headers = HeaderMap::new();
        let sent = format!("theme=dark; {}", set.split(';').next().unwrap());
        headers.insert(COOKIE, sent.parse().unwrap());
        assert_eq!(style.token(&headers), Some(token));
        assert_eq!(CookieStyle::Local.token(&headers), None);
    }

    #[test]
    fn a_local_cookie_is_stored_without_tls() {
        let style = CookieStyle::of("http://127.0.0.1:8081");
        let cleared = style.clear().unwrap();
        assert!(!cleared.to_str().unwrap().contains("Secure"));
    }
}
