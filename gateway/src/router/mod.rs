//! THE table: every path, what it takes and who answers. What stands between a path and its handler is in [`crate::layers`].

mod path;

use std::sync::Arc;

use axum::Router;
use axum::middleware::from_fn_with_state;
use http::Method;

use crate::app::App;
use crate::domain::access::Keys;
use crate::domain::switch::Switch;
use crate::layers::outermost::outermost;
use crate::routes::{creators, events, games, me, pictures, places, search};
use path::{Open, Path};

/// The patterns of all reads that catalogue-svc answers.
pub fn reads() -> impl Iterator<Item = &'static str> {
    let reads = table().into_iter().filter(Path::is_read);
    reads.map(|path| path.pattern())
}

/// The paths of the API.
fn table() -> Vec<Path> {
    vec![
        Path::at("/v1/games")
            .endpoint("games")
            .read(games::list)
            .write(Method::POST, games::create),
        Path::at("/v1/games/{slug}")
            .endpoint("games")
            .read(games::one)
            .write(Method::PATCH, games::update),
        Path::at("/v1/events")
            .endpoint("events")
            .read(events::list)
            .write(Method::POST, events::create),
        Path::at("/v1/events/{slug}")
            .endpoint("events")
            .read(events::one)
            .write(Method::PATCH, events::update),
        Path::at("/v1/creators")
            .endpoint("creators")
            .read(creators::list),
        Path::at("/v1/creators/{handle}")
            .endpoint("creators")
            .read(creators::one),
        Path::at("/v1/genres")
            .endpoint("genres")
            .read(places::genres),
        Path::at("/v1/countries")
            .endpoint("countries")
            .read(places::countries),
        Path::at("/v1/countries/{code}")
            .endpoint("countries")
            .read(places::country),
        Path::at("/v1/cities")
            .endpoint("cities")
            .read(places::cities),
        Path::at("/v1/search").endpoint("search").read(search::list),
        Path::at("/v1/rankings/{kind}/{board}")
            .endpoint("rankings")
            .absent(),
        Path::at("/v1/me").read_standing(me::show),
        Path::at("/v1/me/listings")
            .keys(Keys::NotPublic)
            .read_own(me::listings),
        Path::at("/v1/play/tips")
            .endpoint("tips")
            .behind(Switch::Economy, Keys::OfGame)
            .unserved(Method::POST),
        Path::at("/v1/economy/report")
            .endpoint("economy")
            .behind(Switch::Economy, Keys::Secret)
            .unserved(Method::POST),
        Path::at("/v1/economy/")
            .endpoint("economy")
            .behind(Switch::Economy, Keys::Secret),
        Path::at("/v1/economy/{*path}")
            .endpoint("economy")
            .behind(Switch::Economy, Keys::Secret),
    ]
}

/// The public interface.
pub fn router(app: &App) -> Router {
    let routes = table().into_iter().fold(Router::new(), |router, path| {
        router.route(path.pattern(), path.gated(app))
    });
    // For browsers, without a key.
    let routes = [Open::at("/pictures/{name}", pictures::one)]
        .into_iter()
        .fold(routes, |router, path| {
            router.route(path.pattern(), path.named(app))
        });
    routes
        .fallback_service(Path::nowhere().gated(app).with_state(Arc::clone(app)))
        .layer(from_fn_with_state(Arc::clone(app), outermost))
        .with_state(Arc::clone(app))
}
