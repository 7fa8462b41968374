//! Every route of the public port: its path, its handlers, and the policy that they stand behind. The checks themselves, in their
//! order, are in [`crate::layers::gate`].

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use axum::middleware::{Next, from_fn, from_fn_with_state};
use axum::response::Response;
use axum::routing::{MethodRouter, any, any_service, get, post};
use futures::FutureExt as _;
use http::Method;
use http::header::ALLOW;
use tower::{Layer as _, ServiceExt as _};

use crate::app::App;
use crate::context::Context;
use crate::domain::access::Keys;
use crate::domain::switch::Switch;
use crate::layers::gate::{Gate, gate};
use crate::layers::outermost::outermost;
use crate::layers::panic;
use crate::layers::policy::{Policy, Route, RouteKind};
use crate::routes::{
    changes, creators, currencies, events, games, history, me, methodology, pictures, places,
    rankings, rates, reports, search, tips,
};

/// A route of the API. Without handlers nothing is there: a call that passes the checks is answered 404.
type Row = (&'static str, MethodRouter<App>, Policy);

/// The routes of the API, a line each.
#[rustfmt::skip]
fn routes() -> [Row; 23] {
    let endpoint = Policy::endpoint;
    let economy = endpoint("economy").behind(Switch::Economy).keys(Keys::Secret);
    let nothing = Policy::account().behind(Switch::Economy).keys(Keys::Secret);
    let tip = endpoint("tips").behind(Switch::Economy).keys(Keys::OfGame);
    let nowhere = MethodRouter::new;
    [
        ("/v1/games",                   get(games::list).post(games::create),   endpoint("games")),
        ("/v1/games/{slug}",            get(games::one).patch(games::update),   endpoint("games")),
        ("/v1/events",                  get(events::list).post(events::create), endpoint("events")),
        ("/v1/events/{slug}",           get(events::one).patch(events::update), endpoint("events")),
        ("/v1/creators",                get(creators::list),                    endpoint("creators")),
        ("/v1/creators/{handle}",       get(creators::one),                     endpoint("creators")),
        ("/v1/genres",                  get(places::genres),                    endpoint("genres")),
        ("/v1/countries",               get(places::countries),                 endpoint("countries")),
        ("/v1/countries/{code}",        get(places::country),                   endpoint("countries")),
        ("/v1/cities",                  get(places::cities),                    endpoint("cities")),
        ("/v1/search",                  get(search::list),                      endpoint("search")),
        ("/v1/changes",                 get(changes::list),                     endpoint("changes")),
        ("/v1/rankings/{kind}/{board}", get(rankings::list),                    endpoint("rankings")),
        ("/v1/me",                      get(me::show),                          Policy::account()),
        ("/v1/me/listings",             get(me::listings),                      Policy::account().keys(Keys::NotPublic)),
        ("/v1/play/tips",               post(tips::send),                       tip),
        ("/v1/economy/report",          post(reports::submit),                  economy),
        ("/v1/economy/rates",           get(rates::list),                       economy),
        ("/v1/economy/currencies",      get(currencies::list),                  economy),
        ("/v1/economy/history",         get(history::list),                     economy),
        ("/v1/economy/methodology",     get(methodology::show),                 economy),
        ("/v1/economy/",                nowhere(),                              nothing),
        ("/v1/economy/{*path}",         nowhere(),                              nothing),
    ]
}

/// Pictures, for browsers: no key, no checks, and the handler answers every method.
const PICTURE: &str = "/pictures/{name}";

/// The public interface.
pub fn router(app: &App) -> Router {
    let api = ready(app).fold(Router::new(), |router, (route, handlers)| {
        router.route(route.pattern, gated(app, route, handlers))
    });
    let nowhere = Route {
        pattern: "none",
        policy: Policy::account(),
        methods: Vec::new(),
    };
    api.route(PICTURE, any(pictures::one).layer(from_fn(ungated)))
        .with_state(Arc::clone(app))
        .fallback_service(gated(app, nowhere, MethodRouter::new()))
        .layer(from_fn_with_state(Arc::clone(app), outermost))
}

/// The patterns of all reads that catalogue-svc answers.
pub fn reads(app: &App) -> impl Iterator<Item = &'static str> {
    let reads =
        ready(app).filter(|(route, _)| route.kind(&Method::GET) == RouteKind::CatalogueRead);
    reads.map(|(route, _)| route.pattern)
}

/// The routes of the API as the gate sees them, and their handlers with all that they need.
fn ready(app: &App) -> impl Iterator<Item = (Route, MethodRouter)> {
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

/// The handlers of a route behind its gate. The gate stands before axum's choice by method, which would add an `Allow` of its own to
/// what the gate answers.
fn gated<S>(app: &App, route: Route, handlers: MethodRouter) -> MethodRouter<S>
where
    S: Clone + Send + Sync + 'static,
{
    let gate_of_route = Gate {
        app: Arc::clone(app),
        route: Arc::new(route),
    };
    any_service(from_fn_with_state(gate_of_route, gate).layer(handlers))
}

/// The methods that have a handler. axum tells them in the `Allow` of its answer to any other method.
fn methods(handlers: &MethodRouter) -> Vec<Method> {
    let mut other = Request::new(Body::empty());
    *other.method_mut() = Method::TRACE;
    let answer = handlers.clone().oneshot(other).now_or_never();
    let Some(Ok(answer)) = answer else {
        return Vec::new();
    };
    let allow = answer
        .headers()
        .get(ALLOW)
        .and_then(|allow| allow.to_str().ok());
    let allow = allow.unwrap_or_default().split(',');
    allow.filter_map(|method| method.parse().ok()).collect()
}

/// Around a route that has no gate.
async fn ungated(request: Request, next: Next) -> Response {
    if let Some(context) = Context::of(&request) {
        context.found_route(PICTURE);
    }
    panic::caught(next.run(request)).await
}

#[cfg(test)]
mod tests {
    use super::*;

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
