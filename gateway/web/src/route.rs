//! An entry of the router's table: a path with its handlers.

use std::sync::Arc;

use axum::extract::{DefaultBodyLimit, Request};
use axum::handler::Handler;
use axum::response::Response;
use axum::routing::{MethodRouter, get, post};
use futures::FutureExt as _;
use futures::future::BoxFuture;
use http::Method;

use crate::app::App;
use crate::form_body;
use crate::layers::access::Access;
use crate::visit::Parameter;

/// Which layers run around a handler. They decide against which limit a request counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PathKind {
    /// A file that is the same for everybody, in a few forms: not counted.
    Asset,
    /// A picture of a listing, or a drawing in its place: counted as a picture.
    Picture,
    /// A page of the public site, in each language. It sets no cookie and asks for no session (`layers/public.rs`).
    Public,
    /// A file of the public site, for machines: counted as a page, and in no language.
    File,
    /// A page of the documentation: in English at one address, and counted as a page.
    Docs,
    /// A page or a form of the dashboard. With a session, a page counts for the person, and a form against the person's limit of forms. Without
    /// one, only paths of [`Access::Anyone`] count, for the network (`layers/access.rs`).
    Dashboard(Access),
}

/// A path of the site.
pub struct Route {
    pub path: &'static str,
    pub kind: PathKind,
    pub methods: Vec<Method>,
    /// The parameters of the query on which a public page depends, in the order of its address. The layers remove all others.
    pub query: Vec<Parameter>,
    /// Whether a public page is about currencies or rates, so that a stored page is used for one
    /// version of them. The page of a game is not, and shows the currency of its second:
    /// economy-svc is not asked for each visitor of a busy game.
    pub shows_currencies: bool,
    /// The longest body of its form.
    pub body_limit: usize,
    pub handlers: MethodRouter<App>,
}

/// A handler of any type, so that axum's code is compiled once for all handlers.
#[derive(Clone)]
struct AnyHandler(Arc<dyn Fn(Request, App) -> BoxFuture<'static, Response> + Send + Sync>);

impl AnyHandler {
    fn new<H, T>(handler: H) -> Self
    where
        H: Handler<T, App>,
    {
        Self(Arc::new(move |request, app| handler.clone().call(request, app).boxed()))
    }
}

impl Handler<(), App> for AnyHandler {
    type Future = BoxFuture<'static, Response>;

    fn call(self, request: Request, app: App) -> Self::Future {
        (self.0)(request, app)
    }
}

impl Route {
    fn new(
        path: &'static str,
        kind: PathKind,
        methods: Vec<Method>,
        handlers: MethodRouter<App>,
    ) -> Self {
        Self {
            path,
            kind,
            methods,
            query: Vec::new(),
            shows_currencies: false,
            body_limit: form_body::DEFAULT_LIMIT,
            handlers,
        }
    }

    /// The same path, for a page that depends on these parameters as well.
    #[must_use]
    pub fn reads(mut self, parameters: &[&'static str]) -> Self {
        let any = |name: &&'static str| Parameter { name, values: &[] };
        self.query.extend(parameters.iter().map(any));
        self
    }

    /// The same path, for a page that depends on this parameter if it has one of these values.
    #[must_use]
    pub fn reads_one_of(mut self, name: &'static str, values: &'static [&'static str]) -> Self {
        self.query.push(Parameter { name, values });
        self
    }
}

/// A route of a page that is about currencies.
pub fn with_currencies(route: Route) -> Route {
    Route { shows_currencies: true, ..route }
}

/// The routes of a kind.
impl PathKind {
    pub fn page<H, T>(self, path: &'static str, show: H) -> Route
    where
        H: Handler<T, App>,
        T: 'static,
    {
        let handlers = get(AnyHandler::new(show));
        Route::new(path, self, vec![Method::GET], handlers)
    }

    pub fn action<H, T>(self, path: &'static str, send: H) -> Route
    where
        H: Handler<T, App>,
        T: 'static,
    {
        let handlers = post(AnyHandler::new(send));
        Route::new(path, self, vec![Method::POST], handlers)
    }

    /// A page with a form that is sent to the same path.
    pub fn form<S, T, P, U>(self, path: &'static str, show: S, send: P) -> Route
    where
        S: Handler<T, App>,
        T: 'static,
        P: Handler<U, App>,
        U: 'static,
    {
        let handlers = get(AnyHandler::new(show)).post(AnyHandler::new(send));
        Route::new(path, self, vec![Method::GET, Method::POST], handlers)
    }
}

/// The same path with a longer body.
pub fn with_body(route: Route, most: usize) -> Route {
    Route {
        body_limit: most.min(form_body::MAX_LIMIT),
        handlers: route.handlers.layer(DefaultBodyLimit::max(most)),
        ..route
    }
}
