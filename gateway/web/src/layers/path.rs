//! Paths: each is text in UTF-8, and has no slash at its end.

use axum::extract::Request;
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use http::Uri;
use pages::Language;
use percent_encoding::percent_decode_str;

use crate::page_error::{PageError, PageResult};
use crate::render::moved;

/// Redirects a path with a slash at its end to the page without it. A path that is not UTF-8 has no page.
pub async fn check(request: Request, next: Next) -> Response {
    let path = percent_decode_str(request.uri().path());
    if path.decode_utf8().is_err() {
        return PageError::not_found().into_response();
    }
    match without_slash(request.uri()) {
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

/// Path and query without slashes at the end of the path. `None`: the path has no such slash, the rest begins like the address of another
/// site, or it has letters that a header cannot carry.
fn without_slash(uri: &Uri) -> Option<String> {
    let path = uri.path().strip_suffix('/')?.trim_end_matches('/');
    let is_of_site = path.strip_prefix('/').is_some_and(|rest| !rest.starts_with(['/', '\\']));
    let address = address(path, uri.query());
    address.filter(|_| is_of_site)
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
    fn trailing_slashes_are_removed() {
        for (address, expected) in [
            ("/games/", Some("/games")),
            ("/fr/", Some("/fr")),
            ("/games/okoto//?a=%2F&b=/", Some("/games/okoto?a=%2F&b=/")),
            ("/", None),
            ("/?a=/", None),
            ("//", None),
            ("/games", None),
            ("/games?a=/", None),
            ("//evil.example/", None),
            ("///evil.example/", None),
            ("/\\evil.example/", None),
        ] {
            let uri: Uri = address.parse().unwrap();
            assert_eq!(without_slash(&uri).as_deref(), expected, "{address}");
        }
    }
}
