//! The paths of the public site.

use std::collections::HashSet;
use std::sync::LazyLock;

use axum::Router;
use axum::middleware::from_fn_with_state;
use axum::routing::get;
use http::Method;
use pages::Language;

use crate::app::App;
use crate::layers::access::Access;
use crate::layers::{path, public};
use crate::route::Route;
use crate::site::docs::{all, guide, llms, reference};
use crate::site::{
    articles, boards, calendar, creators, drawn, economy, events, feeds, games, picture, places,
    robots, search, sitemap, start, vote,
};

/// The public site. Each path also exists below `/en` and `/fr`.
pub(super) fn routes() -> Vec<Route> {
    use Access::{Asset, File, Public};
    vec![
        Public.page("/", start::show),
        Asset.page("/pictures/{name}", picture::show),
        Asset.page(
            "/pictures/drawn/{version}/{kind}/{country}/{file}",
            drawn::show,
        ),
        Public.page("/search", search::show),
        Public.page("/games", games::list),
        Public.page("/games/{slug}", games::show),
        Public.page("/creators", creators::list),
        Public.page("/creators/{handle}", creators::show),
        Public.page("/events", events::list),
        Public.page("/events/{slug}", events::show),
        Public.page("/games/feed.xml", feeds::games),
        Public.page("/events/calendar.ics", calendar::show),
        Public.page("/events/{slug}/calendar.ics", calendar::event),
        Public.page("/countries", places::countries),
        Public.page("/countries/{code}", places::country),
        Public.page("/cities", places::cities),
        Public.page("/cities/{slug}", places::city),
        Public.page("/rankings", boards::list),
        Public.page("/rankings/{kind}/{board}", boards::show),
        Public.form("/vote", vote::show, vote::cast),
        Public.form("/vote/creators", vote::show, vote::cast),
        Public.page("/economy", economy::list),
        Public.page("/economy/{game}", economy::currency),
        Public.page("/about/rates", articles::show),
        Public.page("/about/boards", articles::show),
        Public.page("/credits", articles::show),
        Public.page("/terms", articles::show),
        Public.page("/privacy", articles::show),
        File.page("/robots.txt", robots::show),
        File.page("/sitemap.xml", sitemap::index),
        File.page("/sitemap/{name}", sitemap::file),
    ]
}

/// The documentation, in English at one address.
pub(super) fn docs_routes() -> Vec<Route> {
    use Access::{Docs, File};
    vec![
        Docs.page("/docs", guide::index),
        Docs.page("/docs/all", all::show),
        Docs.page("/docs/{page}", guide::show),
        Docs.page("/docs/reference", reference::show),
        Docs.page("/docs/reference.md", reference::show),
        Docs.page("/docs/reference/{operation}", reference::show),
        Docs.page("/docs/reference/webhooks/{event}", reference::show),
        File.page("/llms.txt", llms::index),
        File.page("/llms-full.txt", llms::full),
    ]
}

/// The first segments of the paths of the public site. No path of the dashboard begins with one of them.
static FIRST_PARTS: LazyLock<HashSet<&'static str>> = LazyLock::new(|| {
    let routes = routes().into_iter().chain(docs_routes());
    let public = routes.filter(|route| route.access != Access::Asset);
    public.map(|route| first_part(route.path)).collect()
});

fn first_part(path: &str) -> &str {
    let path = path.split('?').next().unwrap_or_default();
    path.split('/').nth(1).unwrap_or_default()
}

/// Whether a path without a language is one of the public site.
pub(super) fn is_public(path: &str) -> bool {
    FIRST_PARTS.contains(first_part(path))
}

/// Adds a public path: for the language that the browser prefers, and for each language.
pub(super) fn add(mut router: Router<App>, route: Route, app: &App) -> Router<App> {
    let mut handlers = route.handlers;
    // A page with a form differs for each visitor.
    if route.methods == [Method::GET] {
        handlers = handlers.layer(from_fn_with_state(App::clone(app), public::cache));
    }
    let counted = handlers.layer(from_fn_with_state(App::clone(app), public::admit));
    for language in Language::ALL {
        let below = route.path.trim_end_matches('/');
        let path = format!("{}{below}", language.prefix());
        router = router.route(&path, counted.clone());
    }
    router.route(route.path, counted)
}

/// Redirects from the documentation below a language to its one address.
pub(super) fn add_docs_of_languages(mut router: Router<App>) -> Router<App> {
    for language in Language::ALL {
        for below in ["/docs", "/docs/{*page}"] {
            let path = format!("{}{below}", language.prefix());
            router = router.route(&path, get(path::without_language));
        }
    }
    router
}

/// Adds a file of the public site, or a page of the documentation: it has one address.
pub(super) fn add_once(router: Router<App>, route: Route, app: &App) -> Router<App> {
    let mut handlers = route.handlers;
    // A file of the sitemap reads all listings of a kind up to its last row, the index those of all kinds.
    if route.path.starts_with("/sitemap") {
        handlers = handlers.layer(from_fn_with_state(App::clone(app), public::cache));
    }
    let counted = handlers.layer(from_fn_with_state(App::clone(app), public::admit));
    router.route(route.path, counted)
}
