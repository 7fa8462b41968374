//! A route: its path, its requirements on callers, and its handlers.

use futures::future::BoxFuture;
use http::Method;

use crate::domain::access::{Effect, Requirements};
use crate::envelope::ApiResponse;
use crate::errors::ApiError;
use crate::extract::call::Call;

/// A row of the table of routes. What a call requires follows from it and from the method.
#[derive(Debug)]
pub struct Route {
    /// The pattern of the path; also a label in logs and metrics.
    pub pattern: &'static str,
    /// The requirements of a read from a server.
    pub requirements: Requirements,
    /// A route without any is a 404.
    pub methods: Vec<MethodHandler>,
}

/// A method that a route takes. HEAD goes with GET.
#[derive(Debug)]
pub struct MethodHandler {
    pub method: Method,
    pub effect: Effect,
    /// Whether catalogue-svc responds: such a read shows every earlier write, and its response may be cached.
    pub reads_catalogue: bool,
    pub handler: Handler,
}

/// Responds to a call that has passed the checks.
pub type Handler = fn(Call) -> BoxFuture<'static, Result<ApiResponse, ApiError>>;

impl MethodHandler {
    /// A read that catalogue-svc answers.
    pub const fn catalogue(handler: Handler) -> Self {
        let mut method = Self::read(handler);
        method.reads_catalogue = true;
        method
    }

    /// A read that another service answers.
    pub const fn read(handler: Handler) -> Self {
        Self::new(Method::GET, Effect::Read, handler)
    }

    /// Submits a listing.
    pub const fn submit(handler: Handler) -> Self {
        Self::new(Method::POST, Effect::Submit, handler)
    }

    /// Edits a listing.
    pub const fn edit(handler: Handler) -> Self {
        Self::new(Method::PATCH, Effect::Edit, handler)
    }

    /// Records a report or a tip.
    pub const fn record(handler: Handler) -> Self {
        Self::new(Method::POST, Effect::Record, handler)
    }

    const fn new(method: Method, effect: Effect, handler: Handler) -> Self {
        Self { method, effect, reads_catalogue: false, handler }
    }
}

impl Route {
    /// The handler of a method.
    pub fn method(&self, method: &Method) -> Option<&MethodHandler> {
        let method = if *method == Method::HEAD { &Method::GET } else { method };
        self.methods.iter().find(|it| it.method == *method)
    }

    /// The requirements of a call with this method, which [`crate::domain::access`] checks. A method without a handler requires what a
    /// read does.
    pub fn requirements(&self, method: &Method, from_browser: bool) -> Requirements {
        let effect = self.method(method).map_or(Effect::Read, |it| it.effect);
        Requirements { effect, from_browser, ..self.requirements }
    }

    /// Why the route has no handler for a method.
    pub(super) fn no_handler(&self) -> ApiError {
        if self.methods.is_empty() {
            ApiError::path_not_found()
        } else {
            ApiError::method_not_allowed(self.allow())
        }
    }

    /// The value of the header `Allow`.
    fn allow(&self) -> String {
        let methods = self.methods.iter().map(|it| match it.method {
            Method::GET => "GET, HEAD",
            ref other => other.as_str(),
        });
        methods.collect::<Vec<_>>().join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn head_is_handled_like_get_and_each_method_has_its_effect() {
        let handler: Handler = |_| Box::pin(async { Err(ApiError::path_not_found()) });
        let games = Route {
            pattern: "/v1/games",
            requirements: Requirements::ANY,
            methods: vec![MethodHandler::catalogue(handler), MethodHandler::submit(handler)],
        };
        assert_eq!(games.no_handler().allow.unwrap(), "GET, HEAD, POST");
        let read = games.method(&Method::HEAD).unwrap();
        assert!(read.reads_catalogue && read.effect == Effect::Read);
        let effect = |method| games.requirements(&method, false).effect;
        assert_eq!(effect(Method::POST), Effect::Submit);
        assert!(games.method(&Method::PATCH).is_none());
        assert_eq!(effect(Method::PATCH), Effect::Read);
    }
}
