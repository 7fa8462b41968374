//! Paths: each is text in UTF-8, and has one spelling.

use axum::extract::Request;
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use http::Uri;
use pages::Language;
use percent_encoding::percent_decode_str;

use crate::page_error::{PageError, PageResult};
use crate::render::moved;

/// The pages of countries.
const COUNTRIES: &str = "/countries/";

/// Redirects another spelling of a path to the one that the page has. A path that is not UTF-8 has
/// no page.
pub async fn check(request: Request, next: Next) -> Response {
    let path = percent_decode_str(request.uri().path());
    if path.decode_utf8().is_err() {
        return PageError::not_found().into_response();
    }
    match other_spelling(request.uri()) {
        Some(address) => moved(&address),
        None => next.run(request).await,
    }
}

/// Redirects a page below a language to its one address, since it exists in English only.
pub async fn without_language(uri: Uri) -> PageResult {
    let (_, path) = Language::split(uri.path());
    let address = address(path, uri.query()).ok_or_else(PageError::not_found)?;
    Ok(moved(&address))
}

/// The one spelling of a path, with the query, if the request has another one: no slash at the end,
/// the code of a country in capitals, and percent-encoding only where a path needs it. Otherwise a
/// page would be made, and stored, once for each spelling.
///
/// `None` also for an address that a redirect cannot name: that of another site, or one with
/// letters that a header cannot carry.
fn other_spelling(uri: &Uri) -> Option<String> {
    let path = with_capitals_of_country(with_plain_letters(uri.path())?);
    let path = match path.trim_end_matches('/') {
        "" => "/",
        path => path,
    };
    let is_of_site = path.strip_prefix('/').is_some_and(|rest| !rest.starts_with(['/', '\\']));
    let address = address(path, uri.query());
    address.filter(|_| is_of_site && path != uri.path())
}

/// Decodes the letters that mean the same with and without encoding (RFC 3986, 6.2.2), and writes
/// other encoded ones in capitals. `None`: a percent sign begins no encoded letter.
fn with_plain_letters(path: &str) -> Option<String> {
    let mut pieces = path.split('%');
    let mut plain = pieces.next()?.to_owned();
    for piece in pieces {
        let (digits, rest) = piece.split_at_checked(2)?;
        let is_hex = digits.bytes().all(|digit| digit.is_ascii_hexdigit());
        let byte = u8::from_str_radix(digits, 16).ok().filter(|_| is_hex)?;
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            plain.push(char::from(byte));
        } else {
            plain.push('%');
            plain.push_str(&digits.to_ascii_uppercase());
        }
        plain.push_str(rest);
    }
    Some(plain)
}

/// catalogue-svc knows a country by its code in any letters.
fn with_capitals_of_country(path: String) -> String {
    let (_, page) = Language::split(&path);
    match page.strip_prefix(COUNTRIES) {
        Some(code) => {
            let before = path.len() - code.len();
            let code = code.to_ascii_uppercase();
            path.get(..before).unwrap_or_default().to_owned() + &code
        }
        None => path,
    }
}

/// The address with this path and query; `None`: it has letters that a header cannot carry.
fn address(path: &str, query: Option<&str>) -> Option<String> {
    let address = match query {
        Some(query) => format!("{path}?{query}"),
        None => path.to_owned(),
    };
    address.is_ascii().then_some(address)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_has_one_spelling() {
        for (address, expected) in [
            ("/games/", Some("/games")),
            ("/fr/", Some("/fr")),
            ("/games/okoto//?a=%2F&b=/", Some("/games/okoto?a=%2F&b=/")),
            ("/games/%6fkoto?q=%6f", Some("/games/okoto?q=%6f")),
            ("/%66r/sitemap/g%61mes%2D1%2exml/", Some("/fr/sitemap/games-1.xml")),
            ("/countries/nG?a=b", Some("/countries/NG?a=b")),
            ("/fr/countries/%6eg", Some("/fr/countries/NG")),
            // What must stay encoded has one spelling, too.
            ("/games/a%2fb%c3%a9", Some("/games/a%2Fb%C3%A9")),
            ("/%5cevil%2eexample", Some("/%5Cevil.example")),
            ("/games/a%2Fb%C3%A9%25%36f", Some("/games/a%2Fb%C3%A9%256f")),
            ("/", None),
            ("/?a=/", None),
            ("//", Some("/")),
            ("/games", None),
            ("/games?a=/", None),
            ("/countries/NG", None),
            ("/countries", None),
            ("/pictures/drawn/1/games/ng/okoto.svg", None),
            ("//evil.example/", None),
            ("//evil%2eexample", None),
            ("///evil.example/", None),
            ("/\\evil.example/", None),
            // The letters after these signs would be encoded ones.
            ("/games/%%36f", None),
            ("/games/%6", None),
            ("/games/%+6f", None),
        ] {
            let uri: Uri = address.parse().unwrap();
            let found = other_spelling(&uri);
            assert_eq!(found.as_deref(), expected, "{address}");
            if let Some(found) = found {
                assert_eq!(other_spelling(&found.parse().unwrap()), None, "{found}");
            }
        }
    }
}
