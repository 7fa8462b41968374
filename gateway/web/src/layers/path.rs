//! Paths: each is text in UTF-8, and each page has one address, to which other spellings lead.

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use http::{HeaderMap, Method, StatusCode, Uri};
use pages::site::Language;
use percent_encoding::percent_decode_str;

use crate::domain::listing_kind::is_listing_name;
use crate::page_error::{PageError, PageResult};
use crate::render::{moved, see_other};
use crate::visit::Visit;

/// Lists whose rows have pages of their own.
const LISTS: [&str; 5] = ["games", "creators", "events", "countries", "cities"];

/// The pages to which [`check`] leads.
#[derive(Clone, Copy)]
pub struct KnownPaths {
    /// Whether there is a page at a path without parameters.
    pub is_page: fn(&str) -> bool,
}

/// Leads from a path with a slash at its end to the page without it, and from one with capitals, where nothing is, to the page without them.
///
/// A path that is not UTF-8 has no page, and no handler sees it.
pub async fn check(State(known): State<KnownPaths>, request: Request, next: Next) -> Response {
    let path = percent_decode_str(request.uri().path());
    if path.decode_utf8().is_err() {
        let visit = Visit::of(request.uri(), request.headers());
        return PageError::not_found().on_site(visit).into_response();
    }
    if let Some(address) = without_slash(request.uri()) {
        return moved(&address);
    }
    let lowered = lowered(request.uri());
    let response = next.run(request).await;
    let lowered = lowered.filter(|_| response.status() == StatusCode::NOT_FOUND);
    let Some((path, address)) = lowered else {
        return response;
    };
    if known.may_have(&path) {
        moved(&address)
    } else {
        response
    }
}

/// Leads from an address with empty parameters, to which a form with open choices leads, to the same page without them.
pub async fn without_empty_parameters(request: Request, next: Next) -> Response {
    let is_read = matches!(*request.method(), Method::GET | Method::HEAD);
    match without_empty(request.uri()).filter(|_| is_read) {
        Some(address) => see_other(&address),
        None => next.run(request).await,
    }
}

/// Leads from a page below a language to its one address, since it is there in English only.
pub async fn without_language(uri: Uri, headers: HeaderMap) -> PageResult {
    let (_, path) = Language::split(uri.path());
    let missing = || PageError::not_found().on_site(Visit::of(&uri, &headers));
    let address = address(path, uri.query()).ok_or_else(missing)?;
    Ok(moved(&address))
}

impl KnownPaths {
    /// Whether a page of the site or of a listing is at this path. The catalogue is not asked: a page that is not there says so at either
    /// address, and calls that nobody counts could be caused by any number of addresses.
    fn may_have(self, path: &str) -> bool {
        let (_, of_site) = Language::split(path);
        let parts = of_site.strip_prefix('/').and_then(|it| it.split_once('/'));
        let is_listing =
            parts.is_some_and(|(list, name)| LISTS.contains(&list) && is_listing_name(name));
        is_listing || (self.is_page)(path)
    }
}

/// The path without capitals, and the address with this path. `None`: it has none, or it has letters that a header cannot carry.
fn lowered(uri: &Uri) -> Option<(String, String)> {
    let path = uri.path().to_ascii_lowercase();
    let address = address(&path, uri.query())?;
    (path != uri.path()).then_some((path, address))
}

/// Path and query without the parameters that have a name and no value. `None`: there is none of these, or the address begins like that of
/// another site, or has letters that a header cannot carry.
fn without_empty(uri: &Uri) -> Option<String> {
    let (path, query) = (uri.path(), uri.query()?);
    let is_empty = |pair: &&str| {
        pair.split_once('=')
            .is_some_and(|(_, value)| value.is_empty())
    };
    if !query.split('&').any(|pair| is_empty(&pair)) || path.starts_with("//") {
        return None;
    }
    let kept = query.split('&').filter(|pair| !is_empty(pair));
    let kept = kept.collect::<Vec<_>>().join("&");
    address(path, Some(kept.as_str()).filter(|kept| !kept.is_empty()))
}

/// Path and query without slashes at the end of the path. `None`: the path has no such slash, the rest begins like the address of another
/// site, or it has letters that a header cannot carry.
fn without_slash(uri: &Uri) -> Option<String> {
    let path = uri.path().strip_suffix('/')?.trim_end_matches('/');
    let is_of_site = path
        .strip_prefix('/')
        .is_some_and(|rest| !rest.starts_with(['/', '\\']));
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
    fn a_path_has_no_capitals() {
        for (address, expected) in [
            ("/Games", Some("/games")),
            ("/FR/Games/Okoto?Q=A", Some("/fr/games/okoto?Q=A")),
            ("/games?Q=A", None),
            ("/", None),
        ] {
            let uri: Uri = address.parse().unwrap();
            let found = lowered(&uri).map(|(_, address)| address);
            assert_eq!(found.as_deref(), expected, "{address}");
        }
    }

    #[test]
    fn open_choices_are_not_in_an_address() {
        for (address, expected) in [
            ("/games?genre=&q=a%3D&stage=", Some("/games?q=a%3D")),
            ("/fr/games?genre=", Some("/fr/games")),
            ("/search?q=", Some("/search")),
            ("/search?q=a==", None),
            ("/search?q==", None),
            ("/games?a&b=1", None),
            ("/games", None),
            ("/games?", None),
            ("//evil.example/?q=", None),
        ] {
            let uri: Uri = address.parse().unwrap();
            assert_eq!(without_empty(&uri).as_deref(), expected, "{address}");
        }
    }

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
