//! The paths of the public site.

use std::collections::HashSet;
use std::sync::LazyLock;

use axum::Router;
use axum::middleware::{from_fn, from_fn_with_state};
use axum::routing::get;
use pages::site::Language;

use crate::app::App;
use crate::layers::access::Access;
use crate::layers::{path, visit};
use crate::route::{Route, form, page};
use crate::site::docs::{all, changelog, guide, llms, reference, search as docs_search};
use crate::site::{
    article, boards, calendar, creators, design, drawn, economy, embed, events, feeds, games, note,
    oembed, picture, places, robots, search, share_card, sitemap, start, vote,
};

/// The public site. Each path is there a second time below `/en` and `/fr`.
pub(super) fn routes() -> Vec<Route> {
    use Access::{Asset, File, Public};
    vec![
        page("/", Public, start::show),
        page("/pictures/{name}", Asset, picture::show),
        page(
            "/pictures/drawn/{version}/{kind}/{country}/{file}",
            Asset,
            drawn::show,
        ),
        page("/search", Public, search::show),
        page("/games", Public, games::list),
        page("/games/{slug}", Public, games::show),
        page("/creators", Public, creators::list),
        page("/creators/{handle}", Public, creators::show),
        page("/events", Public, events::list),
        page("/events/{slug}", Public, events::show),
        page("/games/feed.xml", Public, feeds::games),
        page("/events/feed.xml", Public, feeds::events),
        page("/events/calendar.ics", Public, calendar::show),
        page("/events/{slug}/calendar.ics", Public, calendar::event),
        page("/countries", Public, places::countries),
        page("/countries/{code}", Public, places::country),
        page("/cities", Public, places::cities),
        page("/cities/{slug}", Public, places::city),
        form("/correct/{kind}/{name}", Public, note::show, note::send),
        form("/report/{kind}/{name}", Public, note::show, note::send),
        page("/rankings", Public, boards::list),
        page("/rankings/{kind}/{board}", Public, boards::show),
        form("/vote", Public, vote::show, vote::cast),
        form("/vote/creators", Public, vote::show, vote::cast),
        page("/economy", Public, economy::list),
        page("/economy/{game}", Public, economy::currency),
        page("/economy/{game}/{other}", Public, economy::pair),
        page("/about/rates", Public, economy::method),
        page("/about/boards", Public, article::show),
        page("/credits", Public, article::show),
        page("/terms", Public, article::show),
        page("/privacy", Public, article::show),
        page("/card.jpg", File, share_card::site),
        page("/games/{slug}/card.jpg", File, share_card::game),
        page("/creators/{handle}/card.jpg", File, share_card::creator),
        page("/events/{slug}/card.jpg", File, share_card::event),
        page("/embed/games/{slug}", Public, embed::game),
        page("/oembed", File, oembed::show),
        page("/robots.txt", File, robots::show),
        page("/sitemap.xml", File, sitemap::index),
        page("/sitemap/{name}", File, sitemap::file),
    ]
}

/// The documentation, in English at one address.
pub(super) fn docs_routes() -> Vec<Route> {
    use Access::{Docs, File};
    vec![
        page("/docs", Docs, guide::index),
        page("/docs/all", Docs, all::show),
        page("/docs/search", Docs, docs_search::show),
        page("/docs/{page}", Docs, guide::show),
        page("/docs/reference", Docs, reference::show),
        page("/docs/reference.md", Docs, reference::show),
        page("/docs/reference/{operation}", Docs, reference::show),
        page("/docs/reference/webhooks/{event}", Docs, reference::show),
        page("/docs/changelog/feed.xml", Docs, changelog::feed),
        page("/about/design", Docs, design::show),
        page("/llms.txt", File, llms::index),
        page("/llms-full.txt", File, llms::full),
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
    let counted = route
        .handlers
        .layer(from_fn_with_state(App::clone(app), visit::admit))
        .layer(from_fn(path::without_empty_parameters));
    for language in Language::ALL {
        let below = route.path.trim_end_matches('/');
        let path = format!("{}{below}", language.prefix());
        router = router.route(&path, counted.clone());
    }
    router.route(route.path, counted)
}

/// Adds the documentation below each language, from which visitors come to its one address.
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
    let counted = route
        .handlers
        .layer(from_fn_with_state(App::clone(app), visit::admit));
    router.route(route.path, counted)
}
