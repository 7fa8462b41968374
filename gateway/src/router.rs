//! Every route of the public port: its path, its handlers and its policy. The checks themselves are in [`crate::layers::route_checks`],
//! in their order.

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use axum::middleware::{Next, from_fn, from_fn_with_state};
use axum::response::Response;
use axum::routing::{MethodRouter, any, any_service, get, post};
use futures::FutureExt as _;
use http::header::ALLOW;
use http::{Extensions, HeaderMap, Method, StatusCode, Version};
use tower::{Layer as _, ServiceExt as _};
use tower_http::compression::CompressionLayer;
use tower_http::compression::predicate::{Predicate, SizeAbove};

use crate::app::App;
use crate::context::Context;
use crate::domain::access::AllowedKeys;
use crate::domain::switch::Switch;
use crate::layers::panic;
use crate::layers::policy::{Policy, Route, RouteKind};
use crate::layers::request_context::request_context;
use crate::layers::response_cache::ResponseCache;
use crate::layers::route_checks::{self, RouteChecks};
use crate::openapi::Api;
use crate::routes::{
    creators, currencies, events, games, history, me, messages, openapi, places, rankings, rates,
    reports, search, tips,
};

/// A route of the API. Without handlers, a request that passes the checks is answered 404.
type RouteEntry = (&'static str, MethodRouter<App>, Policy);

#[rustfmt::skip]
fn routes() -> [RouteEntry; 22] {
    let endpoint = Policy::endpoint;
    let catalogue = |name| endpoint(name).catalogue();
    let economy = endpoint("economy").module(Switch::Economy).keys(AllowedKeys::Secret);
    let no_route = Policy::account().module(Switch::Economy).keys(AllowedKeys::Secret);
    let tip = endpoint("tips").module(Switch::Economy).keys(AllowedKeys::Game);
    let pulled = Policy::account().keys(AllowedKeys::NotPublic).webhook_events();
    let no_handler = MethodRouter::new;
    [
        ("/v1/games",                   get(games::list).post(games::create),   catalogue("games")),
        ("/v1/games/{slug}",            get(games::get).patch(games::update),   catalogue("games")),
        ("/v1/events",                  get(events::list).post(events::create), catalogue("events")),
        ("/v1/events/{slug}",           get(events::get).patch(events::update), catalogue("events")),
        ("/v1/creators",                get(creators::list),                    catalogue("creators")),
        ("/v1/creators/{handle}",       get(creators::get),                     catalogue("creators")),
        ("/v1/genres",                  get(places::genres),                    catalogue("genres")),
        ("/v1/countries",               get(places::countries),                 catalogue("countries")),
        ("/v1/countries/{code}",        get(places::country),                   catalogue("countries")),
        ("/v1/cities",                  get(places::cities),                    catalogue("cities")),
        ("/v1/search",                  get(search::list),                      catalogue("search")),
        ("/v1/rankings/{kind}/{board}", get(rankings::list),                    catalogue("rankings")),
        ("/v1/me",                      get(me::get),                           Policy::account()),
        ("/v1/me/listings",             get(me::listings),                      Policy::account().keys(AllowedKeys::NotPublic)),
        ("/v1/webhooks/messages",       get(messages::list),                    pulled),
        ("/v1/play/tips",               post(tips::send),                       tip),
        ("/v1/economy/report",          post(reports::submit),                  economy),
        ("/v1/economy/rates",           get(rates::list),                       economy),
        ("/v1/economy/currencies",      get(currencies::list),                  economy),
        ("/v1/economy/history",         get(history::list),                     economy),
        ("/v1/economy/",                no_handler(),                           no_route),
        ("/v1/economy/{*path}",         no_handler(),                           no_route),
    ]
}

/// The description of the API has no checks: it is for everybody. Its handler answers every method.
const OPENAPI: &str = "/v1/openapi.json";

/// The router of the public port.
pub fn router(app: &App) -> Router {
    let responses = Arc::new(ResponseCache::default());
    let api = routes_with_methods(app).fold(Router::new(), |router, (route, handlers)| {
        router.route(route.pattern, checked(app, &responses, route, handlers))
    });
    let not_found = Route {
        pattern: "none",
        policy: Policy::account(),
        methods: Vec::new(),
    };
    let openapi = any(openapi::get).layer(from_fn(without_checks));
    api.route(OPENAPI, openapi)
        .with_state(Arc::clone(app))
        .fallback_service(checked(app, &responses, not_found, MethodRouter::new()))
        .layer(from_fn_with_state(Arc::clone(app), request_context))
        .layer(CompressionLayer::new().compress_when(compressible()))
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

/// The patterns of all reads that catalogue-svc answers.
pub fn catalogue_reads(app: &App) -> impl Iterator<Item = &'static str> {
    let reads = routes_with_methods(app)
        .filter(|(route, _)| route.kind(&Method::GET) == RouteKind::CatalogueRead);
    reads.map(|(route, _)| route.pattern)
}

/// The methods and patterns of all routes of the API that have handlers. HEAD goes with GET.
pub fn operations(app: &App) -> impl Iterator<Item = (Method, &'static str)> {
    routes_with_methods(app).flat_map(|(route, _)| {
        let methods = route.methods.into_iter();
        let methods = methods.filter(|method| *method != Method::HEAD);
        methods.map(move |method| (method, route.pattern))
    })
}

/// All routes of the API with the methods that they take, and their handlers.
fn routes_with_methods(app: &App) -> impl Iterator<Item = (Route, MethodRouter)> {
    routes().into_iter().map(|(pattern, handlers, policy)| {
        let handlers = handlers.with_state(Arc::clone(app));
        let methods = methods(&handlers);
        let route = Route {
            pattern,
            policy,
            methods,
        };
        (route, handlers)
    })
}

/// Puts the checks of a route in front of its handlers. They run before axum dispatches by method, since axum would add an `Allow`
/// header of its own to the response of a failed check.
fn checked<S>(
    app: &App,
    responses: &Arc<ResponseCache>,
    route: Route,
    handlers: MethodRouter,
) -> MethodRouter<S>
where
    S: Clone + Send + Sync + 'static,
{
    let checks = RouteChecks {
        app: Arc::clone(app),
        route: Arc::new(route),
        responses: Arc::clone(responses),
    };
    any_service(from_fn_with_state(checks, route_checks::run).layer(handlers))
}

/// The methods that have a handler. axum lists them in the `Allow` header of its response to any other method.
fn methods(handlers: &MethodRouter) -> Vec<Method> {
    let mut other = Request::new(Body::empty());
    *other.method_mut() = Method::TRACE;
    let response = handlers.clone().oneshot(other).now_or_never();
    let Some(Ok(response)) = response else {
        return Vec::new();
    };
    let allow = response
        .headers()
        .get(ALLOW)
        .and_then(|allow| allow.to_str().ok());
    let allow = allow.unwrap_or_default().split(',');
    allow.filter_map(|method| method.parse().ok()).collect()
}

/// The API, for its OpenAPI document.
pub const API: Api = Api {
    operations: crate::routes::operations,
    policy,
};

/// The policy of the route with this pattern.
pub fn policy(pattern: &str) -> Option<Policy> {
    let mut routes = routes().into_iter();
    routes.find(|route| route.0 == pattern).map(|route| route.2)
}

/// The layer of the route that has no checks.
async fn without_checks(request: Request, next: Next) -> Response {
    if let Some(context) = Context::from_request(&request) {
        context.set_route(OPENAPI);
    }
    panic::caught(next.run(request)).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_error_of_an_unknown_path_names_every_path_but_those_of_items() {
        let message = crate::errors::PATH_NOT_FOUND;
        assert!(message.contains(OPENAPI), "{message}");
        let names: Vec<&str> = message
            .split(' ')
            .map(|word| word.trim_end_matches([',', '.']))
            .filter(|word| word.starts_with("/v1/"))
            .collect();
        for (pattern, ..) in routes() {
            let is_item = ["{slug}", "{handle}", "{code}"]
                .iter()
                .any(|name| pattern.ends_with(name));
            let has_handlers = !pattern.ends_with('/') && !pattern.contains("{*");
            if !is_item {
                assert_eq!(names.contains(&pattern), has_handlers, "{pattern}");
            }
        }
    }

    #[test]
    fn the_methods_of_a_route_are_those_of_its_handlers() {
        let of = |handlers: MethodRouter| methods(&handlers);
        let handler = async || ();
        assert!(of(MethodRouter::new()).is_empty());
        assert_eq!(of(get(handler)), [Method::GET, Method::HEAD]);
        let both = [Method::GET, Method::HEAD, Method::PATCH];
        assert_eq!(of(get(handler).patch(handler)), both);
    }
}
