//! The policy of a route: its requirements on callers.

use http::Method;

use crate::domain::access::{AllowedKeys, Effect, Requirements};
use crate::domain::scope::Scope;
use crate::domain::switch::Switch;
use crate::extract::query::Params;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Policy {
    /// The requirements of a read from a server.
    required: Requirements,
    read_only: ReadOnly,
    /// Whether catalogue-svc answers the reads.
    catalogue: bool,
}

/// The behaviour of a write while the site is read-only.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ReadOnly {
    Closed,
    /// The write still works: for example, a leaked key can always be revoked.
    Open,
    /// The write works with `dry_run=true`, which changes nothing.
    OpenToDryRuns,
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
            read_only: ReadOnly::Closed,
            catalogue: false,
        }
    }

    /// Lets catalogue-svc answer the reads: they show every earlier write.
    #[must_use]
    pub const fn catalogue(mut self) -> Self {
        self.catalogue = true;
        self
    }

    /// A route of the account API: for tokens with one of these scopes.
    pub const fn token(read: Scope, write: Scope) -> Self {
        Self::account().keys(AllowedKeys::Token { read, write })
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

    /// Lets the writes of a token pass while the site is read-only.
    #[must_use]
    pub const fn open_while_read_only(mut self) -> Self {
        self.read_only = ReadOnly::Open;
        self
    }

    /// Lets writes with `dry_run=true` pass while the site is read-only.
    #[must_use]
    pub const fn dry_runs_while_read_only(mut self) -> Self {
        self.read_only = ReadOnly::OpenToDryRuns;
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

    /// The requirements of a request with this method and query, which [`crate::domain::access`] checks.
    pub fn requirements(
        &self,
        method: &Method,
        query: Option<&str>,
        from_browser: bool,
    ) -> Requirements {
        let required = self.policy.required;
        let stays_open = || match self.policy.read_only {
            ReadOnly::Closed => false,
            ReadOnly::Open => true,
            ReadOnly::OpenToDryRuns => Params::parse(query).flag("dry_run"),
        };
        let is_token = matches!(required.keys, AllowedKeys::Token { .. });
        let effect = match (self.kind(method), required.module) {
            (RouteKind::Write, _) if is_token && stays_open() => Effect::AlwaysOpen,
            (RouteKind::Write, _) if is_token => Effect::Record,
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
        let effect = |policy, method| {
            route(policy, &methods)
                .requirements(&method, None, false)
                .effect
        };
        let games = Policy::endpoint("games");
        assert_eq!(effect(games, Method::POST), Effect::Submit);
        assert_eq!(effect(games, Method::PATCH), Effect::Edit);
        assert_eq!(effect(games, Method::GET), Effect::Read);
        assert_eq!(effect(games, Method::DELETE), Effect::Read);
        let tips = Policy::endpoint("tips").module(Switch::Economy);
        assert_eq!(effect(tips, Method::POST), Effect::Record);
    }

    #[test]
    fn some_writes_of_tokens_pass_while_the_site_is_read_only() {
        let token = Policy::token(Scope::KeysRead, Scope::KeysWrite);
        let effect = |policy, query| {
            let requirements = route(policy, &[Method::POST]);
            let requirements = requirements.requirements(&Method::POST, query, false);
            requirements.effect
        };
        let (open, dry_runs) = (
            token.open_while_read_only(),
            token.dry_runs_while_read_only(),
        );
        assert_eq!(effect(open, None), Effect::AlwaysOpen);
        for (policy, query) in [
            (token, Some("dry_run=true")),
            (dry_runs, None),
            (dry_runs, Some("dry_run=false")),
            (dry_runs, Some("dry-run=true")),
            (dry_runs, Some("dry_run=")),
        ] {
            assert_eq!(effect(policy, query), Effect::Record, "{query:?}");
        }
        let counted = effect(dry_runs, Some("since=x&dry_run=true"));
        assert_eq!(counted, Effect::AlwaysOpen);
    }
}
