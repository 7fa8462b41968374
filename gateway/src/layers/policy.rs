//! The policy of a route: its requirements on callers.

use http::Method;

use crate::domain::access::{AllowedKeys, Effect, Requirements};
use crate::domain::switch::Switch;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Policy {
    /// The requirements of a read from a server.
    required: Requirements,
    /// Whether catalogue-svc answers the reads.
    catalogue: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Route {
    /// The pattern of the path; also a label in logs and metrics.
    pub pattern: &'static str,
    pub policy: Policy,
    /// The methods that have a handler. A route without any is a 404.
    pub methods: Vec<Method>,
}

/// How a request that passes the checks is handled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RouteKind {
    /// A read that catalogue-svc answers.
    CatalogueRead,
    /// A read that another service answers.
    OtherRead,
    Write,
    /// The route has no handler for the method.
    NoMethod,
    /// The route has no handler at all.
    NotFound,
}

impl Policy {
    /// An endpoint that a plan may lack. Any key may call it.
    pub const fn endpoint(name: &'static str) -> Self {
        let mut policy = Self::account();
        policy.required.endpoint = Some(name);
        policy
    }

    /// A route that every plan has: one about the caller's own account, or an unknown path.
    pub const fn account() -> Self {
        Self {
            required: Requirements {
                keys: AllowedKeys::Any,
                module: None,
                endpoint: None,
                webhook_events: false,
                effect: Effect::Read,
                from_browser: false,
            },
            catalogue: false,
        }
    }

    /// Lets catalogue-svc answer the reads: they show every earlier write.
    #[must_use]
    pub const fn catalogue(mut self) -> Self {
        self.catalogue = true;
        self
    }

    /// Allows these keys only.
    #[must_use]
    pub const fn keys(mut self, keys: AllowedKeys) -> Self {
        self.required.keys = keys;
        self
    }

    /// Requires a plan with real webhook events of live keys.
    #[must_use]
    pub const fn webhook_events(mut self) -> Self {
        self.required.webhook_events = true;
        self
    }

    /// Puts the route behind the switch of a module.
    #[must_use]
    pub const fn module(mut self, switch: Switch) -> Self {
        self.required.module = Some(switch);
        self
    }
}

impl Route {
    /// How a request with this method is handled.
    pub fn kind(&self, method: &Method) -> RouteKind {
        if self.methods.is_empty() {
            RouteKind::NotFound
        } else if !self.methods.contains(method) {
            RouteKind::NoMethod
        } else if !matches!(*method, Method::GET | Method::HEAD) {
            RouteKind::Write
        } else if self.policy.catalogue {
            RouteKind::CatalogueRead
        } else {
            RouteKind::OtherRead
        }
    }

    /// The requirements of a request with this method, which [`crate::domain::access`] checks.
    pub fn requirements(&self, method: &Method, from_browser: bool) -> Requirements {
        let required = self.policy.required;
        let effect = match (self.kind(method), required.module) {
            (RouteKind::Write, Some(_)) => Effect::Record,
            (RouteKind::Write, None) if *method == Method::POST => Effect::Submit,
            (RouteKind::Write, None) => Effect::Edit,
            _ => Effect::Read,
        };
        let writes = matches!(effect, Effect::Submit | Effect::Edit);
        let module = required.module;
        Requirements {
            module: module.or_else(|| writes.then_some(Switch::ApiWrites)),
            effect,
            from_browser,
            ..required
        }
    }

    /// The value of the header `Allow`.
    pub fn allow(&self) -> String {
        let methods: Vec<&str> = self.methods.iter().map(Method::as_str).collect();
        methods.join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn route(policy: Policy, methods: &[Method]) -> Route {
        Route {
            pattern: "/v1/games",
            policy,
            methods: methods.to_vec(),
        }
    }

    #[test]
    fn each_method_has_a_route_kind() {
        let games = Policy::endpoint("games").catalogue();
        let submit = route(games, &[Method::POST]);
        assert_eq!(submit.kind(&Method::HEAD), RouteKind::NoMethod);
        assert_eq!(submit.kind(&Method::POST), RouteKind::Write);
        assert_eq!(submit.kind(&Method::PATCH), RouteKind::NoMethod);
        assert_eq!(submit.allow(), "POST");

        let methods = [Method::GET, Method::HEAD, Method::POST];
        let both = route(games, &methods);
        assert_eq!(both.kind(&Method::HEAD), RouteKind::CatalogueRead);
        assert_eq!(both.allow(), "GET, HEAD, POST");
        let me = route(Policy::account(), &methods);
        assert_eq!(me.kind(&Method::GET), RouteKind::OtherRead);
        let nowhere = route(Policy::account(), &[]);
        assert_eq!(nowhere.kind(&Method::GET), RouteKind::NotFound);
    }

    #[test]
    fn each_method_has_an_operation() {
        let methods = [Method::GET, Method::POST, Method::PATCH];
        let effect = |policy, method| route(policy, &methods).requirements(&method, false).effect;
        let games = Policy::endpoint("games");
        assert_eq!(effect(games, Method::POST), Effect::Submit);
        assert_eq!(effect(games, Method::PATCH), Effect::Edit);
        assert_eq!(effect(games, Method::GET), Effect::Read);
        assert_eq!(effect(games, Method::DELETE), Effect::Read);
        let tips = Policy::endpoint("tips").module(Switch::Economy);
        assert_eq!(effect(tips, Method::POST), Effect::Record);
    }
}
