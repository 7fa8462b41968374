//! The settings of the gateway that callers notice: the extension `x-settings` of the OpenAPI document (§10.16).

use serde::{Deserialize, Serialize};

/// What the operator has set, for the documentation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ApiSettings {
    /// The beginning of every key, such as `svc_`.
    pub key_prefix: String,
    /// Percent of the calls of a month that the public keys of an account may make together.
    pub public_share_percent: u8,
    /// Tips of a player to a game.
    pub tips_per_minute: u32,
    /// Calls from an IPv4 address or an IPv6 /64 that get 401 or 403. A /48 may make five times as many.
    pub refused_calls_per_minute: u32,
    /// The time until the head of the first request of a connection.
    pub head_seconds: u64,
    /// The time for sending the body of a request.
    pub body_seconds: u64,
    /// The time after which a connection without a request is closed.
    pub idle_seconds: u64,
    /// Cheapest first.
    pub plans: Vec<ApiPlan>,
}

/// A plan. A limit that is absent or null means no limit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ApiPlan {
    /// Such as `free`.
    pub name: String,
    /// For people, such as `Free`.
    pub title: String,
    /// Calls of a key.
    pub calls_per_minute: Option<u32>,
    /// Calls of all live keys together.
    pub calls_per_month: Option<u64>,
    /// Live keys that work at the same time.
    pub working_keys: Option<u32>,
    /// Accepted live writes per UTC day.
    pub writes_per_day: Option<u32>,
    /// Addresses of webhooks.
    pub webhook_endpoints: Option<u32>,
    /// Whether webhooks get real events besides test events.
    pub webhook_events: bool,
    /// Whether it is announced and not sold yet.
    pub coming: bool,
    /// Endpoints that live keys may not call, such as `economy`.
    pub lacks: Vec<String>,
}

impl ApiSettings {
    /// The name of the extension.
    pub const EXTENSION: &'static str = "x-settings";

    /// The plan of new accounts: the cheapest that is sold.
    pub fn plan_of_new_accounts(&self) -> Option<&ApiPlan> {
        let sold = self.plans.iter().find(|plan| !plan.coming);
        sold.or_else(|| self.plans.first())
    }
}
