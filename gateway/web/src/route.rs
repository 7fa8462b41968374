//! A path of the site with its handlers, as the table of the router has it.

use axum::extract::DefaultBodyLimit;
use axum::handler::Handler;
use axum::routing::{MethodRouter, get, post};
use http::Method;

use crate::app::App;
use crate::form_body;
use crate::layers::access::Access;

/// A path of the site.
pub struct Route {
    pub path: &'static str,
    pub access: Access,
    pub methods: Vec<Method>,
    /// Whether the access layer refuses its forms while everything is read-only.
    pub closes: bool,
    /// The longest body of its form.
    pub body_limit: usize,
    pub handlers: MethodRouter<App>,
}

pub fn page<H, T>(path: &'static str, access: Access, show: H) -> Route
where
    H: Handler<T, App>,
    T: 'static,
{
    Route {
        path,
        access,
        methods: vec![Method::GET],
        closes: true,
        body_limit: form_body::DEFAULT_LIMIT,
        handlers: get(show),
    }
}

pub fn action<H, T>(path: &'static str, access: Access, send: H) -> Route
where
    H: Handler<T, App>,
    T: 'static,
{
    Route {
        path,
        access,
        methods: vec![Method::POST],
        closes: true,
        body_limit: form_body::DEFAULT_LIMIT,
        handlers: post(send),
    }
}

/// A page with a form that is sent to the same path.
pub fn form<S, T, P, U>(path: &'static str, access: Access, show: S, send: P) -> Route
where
    S: Handler<T, App>,
    T: 'static,
    P: Handler<U, App>,
    U: 'static,
{
    Route {
        path,
        access,
        methods: vec![Method::GET, Method::POST],
        closes: true,
        body_limit: form_body::DEFAULT_LIMIT,
        handlers: get(show).post(send),
    }
}

/// The same path, but the access layer lets its forms pass while everything is read-only: the handler refuses them, and shows the typed
/// text, or it accepts them even then.
pub fn open(route: Route) -> Route {
    Route {
        closes: false,
        ..route
    }
}

pub fn all_open(routes: Vec<Route>) -> Vec<Route> {
    routes.into_iter().map(open).collect()
}

/// The same path with a longer body.
pub fn with_body(route: Route, most: usize) -> Route {
    Route {
        body_limit: most.min(form_body::MAX_LIMIT),
        handlers: route.handlers.layer(DefaultBodyLimit::max(most)),
        ..route
    }
}
