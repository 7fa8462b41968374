//! The paths of the public site.

use axum::Router;
use axum::middleware::from_fn_with_state;
use axum::routing::{MethodRouter, get};
use http::Method;
use pages::Language;

use crate::app::App;
use crate::layers::public::{CacheState, RouteState};
use crate::layers::{path, public};
use crate::route::{PathKind, Route, with_currencies};
use crate::site::docs::{guide, reference, show_document};
use crate::site::{
    articles, boards, calendar, creators, drawn, economy, events, feeds, games, picture, places,
    robots, search, sitemap, start, vote,
};

/// The parameter of the further pages of a list.
const CURSOR: &[&str] = &["cursor"];

/// The public site. Each path also exists below `/en` and `/fr`.
pub(super) fn routes() -> Vec<Route> {
    use PathKind::{File, Picture, Public};
    vec![
        Public.page("/", start::show).reads_one_of("done", &start::NOTICES),
        Picture.page("/pictures/{name}", picture::show),
        Picture.page("/pictures/drawn/{version}/{kind}/{country}/{file}", drawn::show),
        Public.page("/search", search::show).reads(&search::PARAMETERS).reads(CURSOR),
        Public.page("/games", games::list).reads(&games::FILTERS).reads(CURSOR),
        Public.page("/games/{slug}", games::show),
        Public.page("/creators", creators::list).reads(&creators::FILTERS).reads(CURSOR),
        Public.page("/creators/{handle}", creators::show),
        Public.page("/events", events::list).reads(&events::FILTERS).reads(CURSOR),
        Public.page("/events/{slug}", events::show),
        Public.page("/games/feed.xml", feeds::games),
        Public.page("/events/calendar.ics", calendar::show).reads(&["country"]),
        Public.page("/events/{slug}/calendar.ics", calendar::event),
        Public.page("/countries", places::countries),
        Public.page("/countries/{code}", places::country),
        Public.page("/cities", places::cities).reads(&places::CITY_FILTERS).reads(CURSOR),
        Public.page("/cities/{slug}", places::city),
        Public.page("/rankings", boards::list),
        Public.page("/rankings/{kind}/{board}", boards::show).reads(CURSOR),
        Public.form("/vote", vote::show, vote::cast).reads(&["done"]),
        Public.form("/vote/creators", vote::show, vote::cast).reads(&["done"]),
        with_currencies(Public.page("/economy", economy::list).reads(&["from", "after"])),
        with_currencies(Public.page("/economy/{game}", economy::currency).reads(&["after"])),
        Public.page("/about/rates", articles::show),
        Public.page("/about/boards", articles::show),
        Public.page("/credits", articles::show),
        Public.page("/terms", articles::show),
        Public.page("/privacy", articles::show),
        File.page("/robots.txt", robots::show),
        File.page("/sitemap.xml", sitemap::index),
        with_currencies(File.page("/sitemap/{name}", sitemap::file)),
    ]
}

/// The documentation, in English at one address.
pub(super) fn docs_routes() -> Vec<Route> {
    use PathKind::{Docs, File};
    vec![
        Docs.page("/docs", guide::index),
        Docs.page("/docs/all", show_document),
        Docs.page("/docs/{page}", guide::show),
        Docs.page("/docs/reference", reference::show),
        Docs.page("/docs/reference.md", reference::show),
        Docs.page("/docs/reference/{operation}", reference::show),
        Docs.page("/docs/reference/webhooks/{event}", reference::show),
        File.page("/llms.txt", show_document),
        File.page("/llms-full.txt", show_document),
    ]
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

/// The handlers of a public path with their layers.
pub(super) fn counted(route: Route, app: &App) -> MethodRouter<App> {
    let is_cached = match route.kind {
        // A page with a form differs for each visitor.
        PathKind::Public => route.methods == [Method::GET],
        // A file of the sitemap reads all listings of a kind up to its last row, the index those of all kinds.
        _ => route.path.starts_with("/sitemap"),
    };
    let mut handlers = route.handlers;
    if is_cached {
        let shows_currencies = route.shows_currencies;
        let state = CacheState { app: App::clone(app), shows_currencies };
        handlers = handlers.layer(from_fn_with_state(state, public::cache));
    }
    let state = RouteState { app: App::clone(app), query: route.query.into() };
    handlers.layer(from_fn_with_state(state, public::admit))
}
