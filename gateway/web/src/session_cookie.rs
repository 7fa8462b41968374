//! Cookies: that of a session, the hint that there is one, and those of devices and voters.

use http::header::{COOKIE, SET_COOKIE};
use http::{HeaderMap, HeaderValue};
use time::Duration;

use crate::domain::session_token::Token;

/// The cookie of a session.
const SESSION: &str = "session";
/// The cookie that says that somebody is signed in. It grants nothing, and is the only one that the script reads: public pages are the same
/// for everybody, and the script puts the link to the dashboard into them.
const SIGNED_IN: &str = "signed_in";

/// Cookie attributes by deployment. Browsers accept the prefix `__Host-` only from this very host and over HTTPS.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CookieStyle {
    /// `__Host-session` and so on, for HTTPS.
    Secure,
    /// `session` and so on, for a local fleet without TLS, where not every browser stores a secure cookie.
    Local,
}

impl CookieStyle {
    /// The style for this address of the site.
    pub fn for_url(public_url: &str) -> Self {
        if public_url.starts_with("https:") { Self::Secure } else { Self::Local }
    }

    /// The token in the cookie of a request.
    pub fn token(self, headers: &HeaderMap) -> Option<Token> {
        Token::parse(self.value(headers, SESSION)?)
    }

    /// Adds the headers that store a token for this time, and whether its person is signed in.
    pub fn store(self, token: &Token, is_signed_in: bool, age: Duration, headers: &mut HeaderMap) {
        let hint = if is_signed_in {
            self.cookie(SIGNED_IN, "1", age, "")
        } else {
            self.cookie(SIGNED_IN, "", Duration::ZERO, "")
        };
        append(headers, self.set_value(SESSION, &token.text(), age));
        append(headers, hint);
    }

    /// Adds the headers that remove the cookies of a session.
    pub fn clear(self, headers: &mut HeaderMap) {
        append(headers, self.set_value(SESSION, "", Duration::ZERO));
        append(headers, self.cookie(SIGNED_IN, "", Duration::ZERO, ""));
    }

    fn name(self, name: &str) -> String {
        match self {
            Self::Secure => format!("__Host-{name}"),
            Self::Local => name.to_owned(),
        }
    }

    /// The value of a cookie of a request. Other pages of the domain set cookies with bytes beyond ASCII, in any encoding, and browsers send
    /// them as they are.
    pub fn value<'h>(self, headers: &'h HeaderMap, name: &str) -> Option<&'h str> {
        let name = self.name(name);
        let lines = headers.get_all(COOKIE).iter();
        let mut pairs = lines.flat_map(|line| line.as_bytes().split(|byte| *byte == b';'));
        // Of several, the first: browsers send the one with the longest path first.
        pairs.find_map(|pair| {
            let pair = pair.trim_ascii().strip_prefix(name.as_bytes())?;
            str::from_utf8(pair.strip_prefix(b"=")?).ok()
        })
    }

    /// The header that stores a cookie for this time, which no script can read.
    pub fn set_value(self, name: &str, value: &str, age: Duration) -> Option<HeaderValue> {
        self.cookie(name, value, age, "; HttpOnly")
    }

    fn cookie(self, name: &str, value: &str, age: Duration, scripts: &str) -> Option<HeaderValue> {
        let secure = match self {
            Self::Secure => "; Secure",
            Self::Local => "",
        };
        let (name, seconds) = (self.name(name), age.whole_seconds());
        let cookie =
            format!("{name}={value}; Path=/; Max-Age={seconds}{scripts}; SameSite=Lax{secure}");
        cookie.parse().ok()
    }
}

fn append(headers: &mut HeaderMap, cookie: Option<HeaderValue>) {
    if let Some(cookie) = cookie {
        headers.append(SET_COOKIE, cookie);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cookie_is_read_as_it_was_set() {
        let token = Token::generate();
        let style = CookieStyle::for_url("https://mchezo.example");
        let cookies = set_by(|headers| style.store(&token, true, Duration::DAY, headers));
        let (set, hint) = (&cookies[0], &cookies[1]);
        assert!(set.starts_with("__Host-session="), "{set}");
        for part in ["Path=/", "HttpOnly", "SameSite=Lax", "Secure", "Max-Age=86400"] {
            assert!(set.contains(part), "{part} in {set}");
        }
        assert!(!set.contains("Domain"), "{set}");
        let hint_only = "__Host-signed_in=1; Path=/; Max-Age=86400; SameSite=Lax; Secure";
        assert_eq!(hint, hint_only);
        let mut headers = HeaderMap::new();
        let sent = format!("theme=dark; {}", set.split(';').next().unwrap());
        headers.insert(COOKIE, sent.parse().unwrap());
        assert_eq!(style.token(&headers), Some(token));
        assert_eq!(CookieStyle::Local.token(&headers), None);
    }

    #[test]
    fn before_the_second_factor_and_after_the_session_nobody_is_signed_in() {
        let (style, token) = (CookieStyle::Local, Token::generate());
        let half = set_by(|headers| style.store(&token, false, Duration::DAY, headers));
        let ended = set_by(|headers| style.clear(headers));
        for cookies in [half, ended] {
            let hint = "signed_in=; Path=/; Max-Age=0; SameSite=Lax";
            assert_eq!(cookies[1], hint, "{cookies:?}");
        }
    }

    #[test]
    fn foreign_cookies_do_not_hide_the_session_cookie() {
        let token = Token::generate();
        let (style, text) = (CookieStyle::Secure, token.text());
        let cookie = format!("__Host-session={text}");
        let ours = cookie.as_bytes();
        let foreign: [&[u8]; 6] = [
            "utm=Été".as_bytes(),
            b"utm=\xc9t\xe9",
            "été=1".as_bytes(),
            b"__Host-session\xe9=1",
            b"__Host-session_of=1; __Host-session",
            b"__Host-session=\xe9",
        ];
        for other in foreign {
            let lines = [
                vec![[other, ours].join(&b"; "[..])],
                vec![[ours, other].join(&b";"[..])],
                vec![other.to_vec(), ours.to_vec()],
            ];
            for lines in lines {
                let mut headers = HeaderMap::new();
                for line in &lines {
                    headers.append(COOKIE, HeaderValue::from_bytes(line).unwrap());
                }
                assert_eq!(style.token(&headers), Some(token.clone()), "{headers:?}");
            }
        }
    }

    #[test]
    fn a_local_cookie_is_stored_without_tls() {
        let style = CookieStyle::for_url("http://127.0.0.1:8081");
        let cleared = set_by(|headers| style.clear(headers));
        assert!(cleared.iter().all(|cookie| !cookie.contains("Secure")));
    }

    fn set_by(act: impl FnOnce(&mut HeaderMap)) -> Vec<String> {
        let mut headers = HeaderMap::new();
        act(&mut headers);
        let set = headers.get_all(SET_COOKIE).iter();
        set.map(|it| it.to_str().unwrap().to_owned()).collect()
    }
}
