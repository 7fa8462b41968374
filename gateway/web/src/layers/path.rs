//! Paths: each page has one address.

use axum::extract::Request;
use axum::middleware::Next;
use axum::response::Response;
use http::Uri;

use crate::render::moved;

/// Leads from a path with a slash at its end to the page without it.
pub async fn check(request: Request, next: Next) -> Response {
    match without_slash(request.uri()) {
        Some(address) => moved(&address),
        None => next.run(request).await,
    }
}

/// Path and query without slashes at the end of the path. None if it has none, or if the rest begins like the address of another site.
fn without_slash(uri: &Uri) -> Option<String> {
    let path = uri.path().strip_suffix('/')?.trim_end_matches('/');
    let is_of_site = path
        .strip_prefix('/')
        .is_some_and(|rest| !rest.starts_with(['/', '\\']));
    let address = match uri.query() {
        Some(query) => format!("{path}?{query}"),
        None => path.to_owned(),
    };
    (is_of_site && address.is_ascii()).then_some(address)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slash_at_the_end_is_no_part_of_an_address() {
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
