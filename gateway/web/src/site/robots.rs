//! `/robots.txt` (RFC 9309): what crawlers may read.

use std::fmt::Write as _;

use axum::response::Response;
use pages::Language;

use super::response::respond_file;
use crate::site::public_request::PublicRequest;

/// What the paths of the dashboard begin with. Some of its pages exist in each language.
const DASHBOARD: [&str; 7] =
    ["/accounts", "/you", "/link/", "/reset", "/sign-", "/claim/", "/add-game"];
/// Public pages that search engines should leave out, in each language: results of a search, and votes.
const PUBLIC: [&str; 2] = ["/search?", "/vote"];

pub async fn show(PublicRequest { app, .. }: PublicRequest) -> Response {
    respond_file("text/plain; charset=utf-8", text(&app.public_url))
}

fn text(site: &str) -> String {
    let mut text = "User-agent: *\n".to_owned();
    for prefix in std::iter::once("").chain(Language::ALL.map(Language::prefix)) {
        for path in DASHBOARD.into_iter().chain(PUBLIC) {
            // Writing to a string does not fail.
            writeln!(text, "Disallow: {prefix}{path}").ok();
        }
    }
    writeln!(text, "\nSitemap: {site}/sitemap.xml").ok();
    text
}

/// Whether crawlers may read a path without a language.
pub fn is_allowed(path: &str) -> bool {
    let mut closed = DASHBOARD.into_iter().chain(PUBLIC);
    !closed.any(|start| path.starts_with(start))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn crawlers_may_read_only_the_public_site() {
        let text = text("https://mchezo.example");
        for line in [
            "User-agent: *",
            "Disallow: /accounts",
            "Disallow: /search?",
            "Disallow: /fr/vote",
            "Disallow: /fr/sign-",
            "Disallow: /en/link/",
            "Sitemap: https://mchezo.example/sitemap.xml",
        ] {
            assert!(text.lines().any(|it| it == line), "{line}: {text}");
        }
        for (path, allowed) in [
            ("/", true),
            ("/games", true),
            ("/search", true),
            ("/search?q=a", false),
            ("/accounts/1/keys", false),
            ("/sign-in", false),
        ] {
            assert_eq!(is_allowed(path), allowed, "{path}");
        }
    }
}
