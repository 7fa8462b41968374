//! Every route of the public port: its path, its requirements and its handlers. [`crate::pipeline`] checks and runs a request.

use std::sync::Arc;

use axum::Router;
use axum::extract::Request;
use axum::routing::any;
use http::{Extensions, HeaderMap, Method, StatusCode, Version};
use tower_http::compression::CompressionLayer;
use tower_http::compression::predicate::{Predicate, SizeAbove};

use crate::app::App;
use crate::domain::access::{AllowedKeys, Requirements};
use crate::domain::switch::Switch;
use crate::openapi::Api;
use crate::overload::admission::LoadLimits;
use crate::pipeline::route::{MethodHandler, Route};
use crate::pipeline::{Pipeline, Target};
use crate::routes::{
    creators, currencies, events, games, history, me, messages, openapi, places, rankings, rates,
    reports, search, tips,
};

/// Makes routes of rows: the pattern, the requirements, and the kind and the handler of each method.
macro_rules! table {
    ($($pattern:literal, $requirements:expr => $($kind:ident $handler:path),*;)*) => {
        vec![$(Route {
            pattern: $pattern,
            requirements: $requirements,
            methods: vec![$(MethodHandler::$kind(|call| Box::pin($handler(call)))),*],
        }),*]
    };
}

/// What each call requires, and who answers it. A route without handlers is a 404 that has the checks of its module.
#[rustfmt::skip]
pub fn routes() -> Vec<Route> {
    let endpoint = Requirements::endpoint;
    let economy = Requirements { keys: AllowedKeys::Secret, module: Some(Switch::Economy), ..endpoint("economy") };
    let tips = Requirements { keys: AllowedKeys::Game, module: Some(Switch::Economy), ..endpoint("tips") };
    let no_route = Requirements { endpoint: None, ..economy };
    let own = Requirements { keys: AllowedKeys::NotPublic, ..Requirements::ANY };
    let pulled = Requirements { webhook_events: true, ..own };
    table! {
        "/v1/games",                   endpoint("games")     => catalogue games::list, submit games::create;
        "/v1/games/{slug}",            endpoint("games")     => catalogue games::get, edit games::update;
        "/v1/events",                  endpoint("events")    => catalogue events::list, submit events::create;
        "/v1/events/{slug}",           endpoint("events")    => catalogue events::get, edit events::update;
        "/v1/creators",                endpoint("creators")  => catalogue creators::list;
        "/v1/creators/{handle}",       endpoint("creators")  => catalogue creators::get;
        "/v1/genres",                  endpoint("genres")    => catalogue places::genres;
        "/v1/countries",               endpoint("countries") => catalogue places::countries;
        "/v1/countries/{code}",        endpoint("countries") => catalogue places::country;
        "/v1/cities",                  endpoint("cities")    => catalogue places::cities;
        "/v1/search",                  endpoint("search")    => catalogue search::list;
        "/v1/rankings/{kind}/{board}", endpoint("rankings")  => catalogue rankings::list;
        "/v1/me",                      Requirements::ANY     => read me::get;
        "/v1/me/listings",             own                   => read me::listings;
        "/v1/webhooks/messages",       pulled                => read messages::list;
        "/v1/play/tips",               tips                  => record tips::send;
        "/v1/economy/report",          economy               => record reports::submit;
        "/v1/economy/rates",           economy               => read rates::list;
        "/v1/economy/currencies",      economy               => read currencies::list;
        "/v1/economy/history",         economy               => read history::list;
        "/v1/economy/",                no_route              => ;
        "/v1/economy/{*path}",         no_route              => ;
    }
}

/// The router of the public port.
pub fn router(app: &App, limits: LoadLimits) -> Router {
    let pipeline = Arc::new(Pipeline::new(app, limits));
    let served = |target| {
        let served = Arc::new((Arc::clone(&pipeline), target));
        any(move |request: Request| {
            let served = Arc::clone(&served);
            async move { served.0.respond(&served.1, request).await }
        })
    };
    let not_found = Route { pattern: "none", requirements: Requirements::ANY, methods: Vec::new() };
    let api = routes().into_iter().fold(Router::new(), |router, route| {
        router.route(route.pattern, served(Target::Route(route)))
    });
    // Nothing is compressed for a client without a key: the document exists in each coding, and
    // errors are not compressed.
    api.layer(CompressionLayer::new().compress_when(compressible()))
        .route(openapi::PATTERN, served(Target::Document))
        .fallback_service(served(Target::Route(not_found)))
}

/// Up to this many bytes, a response fits into one packet with or without compression.
const MAX_UNCOMPRESSED: u16 = 1_024;

/// Which responses are compressed (§10.8). Errors and 304 are sent as they are.
fn compressible() -> impl Predicate {
    fn is_success(status: StatusCode, _: Version, _: &HeaderMap, _: &Extensions) -> bool {
        status == StatusCode::OK
    }
    SizeAbove::new(MAX_UNCOMPRESSED + 1).and(is_success)
}

/// The API, for its OpenAPI document.
pub const API: Api = Api { operations: crate::routes::operations, requirements };

/// The requirements of a call from a server, by its method and the pattern of its route.
fn requirements(method: &Method, pattern: &str) -> Option<Requirements> {
    let routes = routes();
    let route = routes.iter().find(|route| route.pattern == pattern)?;
    Some(route.requirements(method, false))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_error_of_an_unknown_path_names_every_list_path() {
        let message = crate::errors::PATH_NOT_FOUND;
        assert!(message.contains(openapi::PATTERN), "{message}");
        let names: Vec<&str> = message
            .split(' ')
            .map(|word| word.trim_end_matches([',', '.']))
            .filter(|word| word.starts_with("/v1/"))
            .collect();
        for route in routes() {
            let pattern = route.pattern;
            let is_item =
                ["{slug}", "{handle}", "{code}"].iter().any(|name| pattern.ends_with(name));
            if !is_item {
                let is_served = !route.methods.is_empty();
                assert_eq!(names.contains(&pattern), is_served, "{pattern}");
            }
        }
    }
}
