//! The policy of a route: what it asks of its callers before a handler runs.

use http::Method;

use crate::domain::access::{Call, Effect, Keys};
use crate::domain::switch::Switch;

/// What a route asks of its callers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Policy {
    /// As plans name it; `None` for what every plan has.
    endpoint: Option<&'static str>,
    keys: Keys,
    /// The switch of the module that the route belongs to.
    behind: Option<Switch>,
}

/// A route, as its gate sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Route {
    /// The pattern of its path; a label in logs and metrics.
    pub pattern: &'static str,
    /// What it asks of its callers.
    pub policy: Policy,
    /// The methods that have a handler. Of a route without any nothing is there.
    pub methods: Vec<Method>,
}

/// What becomes of a call that passes the checks, by its route and method.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RouteKind {
    /// A read that catalogue-svc answers; it is sent on while the quota is asked.
    CatalogueRead,
    /// A read about the caller's account or of the economy, which is counted first.
    CountedRead,
    /// It changes something.
    Write,
    /// The route does not take the method.
    NoMethod,
    /// Nothing is there.
    NotFound,
}

impl Policy {
    /// Of an endpoint that a plan may lack. Any key may call it, and catalogue-svc answers its reads.
    pub const fn endpoint(name: &'static str) -> Self {
        Self {
            endpoint: Some(name),
            keys: Keys::Any,
            behind: None,
        }
    }

    /// Of what a caller may ask about its own account, whatever its plan.
    pub const fn account() -> Self {
        Self {
            endpoint: None,
            keys: Keys::Any,
            behind: None,
        }
    }

    /// For these keys only.
    #[must_use]
    pub const fn keys(self, keys: Keys) -> Self {
        Self { keys, ..self }
    }

    /// In a module that has a switch.
    #[must_use]
    pub const fn behind(self, switch: Switch) -> Self {
        Self {
            behind: Some(switch),
            ..self
        }
    }
}

impl Route {
    /// What becomes of a call with `method`.
    pub fn kind(&self, method: &Method) -> RouteKind {
        if self.methods.is_empty() {
            RouteKind::NotFound
        } else if !self.methods.contains(method) {
            RouteKind::NoMethod
        } else if !matches!(*method, Method::GET | Method::HEAD) {
            RouteKind::Write
        } else if self.policy.endpoint.is_some() && self.policy.behind.is_none() {
            RouteKind::CatalogueRead
        } else {
            RouteKind::CountedRead
        }
    }

    /// What a call with `method` wants of its caller.
    pub fn call(&self, method: &Method, from_page: bool) -> Call {
        let Policy {
            endpoint,
            keys,
            behind,
        } = self.policy;
        let effect = match (self.kind(method), behind) {
            (RouteKind::Write, Some(_)) => Effect::Books,
            (RouteKind::Write, None) if *method == Method::POST => Effect::Submits,
            (RouteKind::Write, None) => Effect::Edits,
            _ => Effect::None,
        };
        let writes = matches!(effect, Effect::Submits | Effect::Edits);
        Call {
            keys,
            behind: behind.or_else(|| writes.then_some(Switch::ApiWrites)),
            endpoint,
            effect,
            from_page,
        }
    }

    /// The methods it takes, as the header `Allow` lists them.
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
    fn each_method_has_its_kind() {
        let games = Policy::endpoint("games");
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
        assert_eq!(me.kind(&Method::GET), RouteKind::CountedRead);
        let nowhere = route(Policy::account(), &[]);
        assert_eq!(nowhere.kind(&Method::GET), RouteKind::NotFound);
    }

    #[test]
    fn each_write_has_its_effect() {
        let methods = [Method::GET, Method::POST, Method::PATCH];
        let effect = |policy, method| route(policy, &methods).call(&method, false).effect;
        let games = Policy::endpoint("games");
        assert_eq!(effect(games, Method::POST), Effect::Submits);
        assert_eq!(effect(games, Method::PATCH), Effect::Edits);
        assert_eq!(effect(games, Method::GET), Effect::None);
        assert_eq!(effect(games, Method::DELETE), Effect::None);
        let tips = Policy::endpoint("tips").behind(Switch::Economy);
        assert_eq!(effect(tips, Method::POST), Effect::Books);
    }
}
