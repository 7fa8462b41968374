//! A row of the table: what the path takes, and its handlers behind their gate.

use std::sync::Arc;

use axum::extract::Request;
use axum::handler::Handler;
use axum::middleware::{Next, from_fn, from_fn_with_state};
use axum::routing::{MethodFilter, MethodRouter, any, any_service};
use http::Method;
use tower::Layer as _;

use crate::app::App;
use crate::context::Context;
use crate::domain::access::Keys;
use crate::domain::switch::Switch;
use crate::layers::gate::{Gate, gate};
use crate::layers::panic;
use crate::layers::policy::{Policy, Step};

/// A row of the table while it is written.
pub(super) struct Path {
    policy: Policy,
    handlers: MethodRouter<App>,
}

impl Path {
    pub(super) fn at(pattern: &'static str) -> Self {
        Self {
            policy: Policy {
                pattern,
                endpoint: None,
                keys: Keys::Any,
                behind: None,
                reads: Step::NoMethod,
                write: None,
                others: Step::NoMethod,
            },
            handlers: MethodRouter::new(),
        }
    }

    /// Every path that is not in the table.
    pub(super) fn nowhere() -> Self {
        Self::at("none").absent()
    }

    /// Nobody serves it yet: nothing is there, once the checks before that are passed.
    pub(super) fn absent(mut self) -> Self {
        self.policy.reads = Step::NoPath;
        self.policy.others = Step::NoPath;
        self
    }

    /// The endpoint as plans name it.
    pub(super) fn endpoint(mut self, name: &'static str) -> Self {
        self.policy.endpoint = Some(name);
        self
    }

    /// GET and HEAD.
    pub(super) fn read<T: 'static>(mut self, handler: impl Handler<T, App>) -> Self {
        self.policy.reads = Step::Read;
        self.handlers = self.handlers.get(handler);
        self
    }

    /// GET and HEAD of something that shows where the caller stands.
    pub(super) fn read_standing<T: 'static>(mut self, handler: impl Handler<T, App>) -> Self {
        self.policy.reads = Step::ReadStanding;
        self.handlers = self.handlers.get(handler);
        self
    }

    /// GET and HEAD of what the caller has at listings-svc.
    pub(super) fn read_own<T: 'static>(mut self, handler: impl Handler<T, App>) -> Self {
        self.policy.reads = Step::ReadOwn;
        self.handlers = self.handlers.get(handler);
        self
    }

    /// A write: of games or events, behind their switch, or on a path that is behind one of its own.
    pub(super) fn write<T: 'static>(
        mut self,
        method: Method,
        handler: impl Handler<T, App>,
    ) -> Self {
        // What is no method for a handler finds none, and is answered by the gate.
        if let Ok(filter) = MethodFilter::try_from(method.clone()) {
            self.handlers = self.handlers.on(filter, handler);
        }
        self.unserved(method)
    }

    /// A write that nobody serves yet: what is not served is off.
    pub(super) fn unserved(mut self, method: Method) -> Self {
        self.policy.write = Some(method);
        self
    }

    /// For some keys only.
    pub(super) fn keys(mut self, keys: Keys) -> Self {
        self.policy.keys = keys;
        self
    }

    /// All of it behind a switch, for some keys only.
    pub(super) fn behind(mut self, switch: Switch, keys: Keys) -> Self {
        self.policy.behind = Some(switch);
        self.keys(keys)
    }

    pub(super) fn pattern(&self) -> &'static str {
        self.policy.pattern
    }

    /// Whether catalogue-svc answers a GET of it.
    pub(super) fn is_read(&self) -> bool {
        self.policy.reads == Step::Read
    }

    /// The handlers behind the gate. It stands before axum's choice by method, which would add an `Allow` of its own to what the gate
    /// answers.
    pub(super) fn gated(self, app: &App) -> MethodRouter<App> {
        let gate_of_path = Gate {
            app: Arc::clone(app),
            policy: Arc::new(self.policy),
        };
        let handlers = self.handlers.with_state(Arc::clone(app));
        any_service(from_fn_with_state(gate_of_path, gate).layer(handlers))
    }
}

/// A row of the table that is open to everybody: its handler answers every method, and checks what there is to be checked.
pub(super) struct Open {
    pattern: &'static str,
    handler: MethodRouter<App>,
}

impl Open {
    pub(super) fn at<T: 'static>(pattern: &'static str, handler: impl Handler<T, App>) -> Self {
        Self {
            pattern,
            handler: any(handler),
        }
    }

    pub(super) fn pattern(&self) -> &'static str {
        self.pattern
    }

    /// The handler, once the log knows the path.
    pub(super) fn named(self, app: &App) -> MethodRouter<App> {
        let pattern = self.pattern;
        let handler = self.handler.with_state(Arc::clone(app));
        let name = from_fn(move |request: Request, next: Next| async move {
            if let Some(context) = Context::of(&request) {
                context.found_route(pattern);
            }
            panic::caught(next.run(request)).await
        });
        any_service(name.layer(handler))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::access::Effect;

    #[test]
    fn each_method_has_its_step() {
        let events = Path::at("/v1/events").unserved(Method::POST).policy;
        assert_eq!(events.step(&Method::HEAD), Step::NoMethod);
        assert_eq!(events.step(&Method::POST), Step::Write);
        assert_eq!(events.step(&Method::PATCH), Step::NoMethod);
        assert_eq!(events.allow(), "POST");

        let games = Path::at("/v1/games")
            .read(async || ())
            .write(Method::POST, async || ());
        assert_eq!(games.policy.step(&Method::HEAD), Step::Read);
        assert_eq!(games.policy.allow(), "GET, HEAD, POST");
        assert_eq!(Path::nowhere().policy.step(&Method::POST), Step::NoPath);
    }

    #[test]
    fn each_write_has_its_effect() {
        let effect = |path: Path, step| path.policy.call(step, false).effect;
        let games = || Path::at("/v1/games").read(async || ());
        assert_eq!(
            effect(games().unserved(Method::POST), Step::Write),
            Effect::Submits
        );
        assert_eq!(
            effect(games().unserved(Method::PATCH), Step::Write),
            Effect::Edits
        );
        assert_eq!(
            effect(games().unserved(Method::POST), Step::Read),
            Effect::None
        );
        let tips = Path::at("/v1/play/tips").behind(Switch::Economy, Keys::OfGame);
        assert_eq!(
            effect(tips.unserved(Method::POST), Step::Write),
            Effect::Books
        );
    }
}
