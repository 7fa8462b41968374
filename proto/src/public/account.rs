//! The account API (§10.18).

use serde::{Deserialize, Serialize};

use utoipa::ToSchema;

use super::{
    AccountKeyState, Day, DeliveryState, EndpointState, KeyKind, KeyMode, SampleEvent, Timestamp,
};

/// A key of the account, or a request for a live key.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(example = json!({
    "id": "0199f3a2-6b1e-7d40-8c2a-51f0a9c3d277", "name": "nightly mirror", "state": "working", "mode": "test", "kind": "account",
    "may_write": false, "game": null, "last4": "x7Kq", "reason": null, "created_at": "2026-03-01T08:00:00.000Z",
    "last_used_at": null, "expires_at": null, "grace_until": null, "revoked_at": null,
}))]
pub struct AccountKey {
    /// A UUID. A revealed key has the id of its request.
    #[schema(format = "uuid")]
    pub id: String,
    /// What it is for.
    pub name: String,
    /// `requested`, `approved`, `rejected`, `working`, `rotated` (its grace lasts), `expired`, `revoked`, `game_gone` (its game is not
    /// published) or `not_owned` (the account does not own the page of its game).
    #[schema(value_type = AccountKeyState)]
    pub state: String,
    /// `test` or `live`.
    #[schema(value_type = KeyMode)]
    pub mode: String,
    /// `account`, `secret` or `public`.
    #[schema(value_type = KeyKind)]
    pub kind: String,
    /// Whether it may write.
    pub may_write: bool,
    /// The slug of its game.
    #[schema(required)]
    pub game: Option<String>,
    /// The last four characters; null for a request.
    #[schema(required)]
    pub last4: Option<String>,
    /// Why a request was rejected.
    #[schema(required)]
    pub reason: Option<String>,
    /// When it was created, or requested.
    #[schema(required)]
    pub created_at: Option<Timestamp>,
    /// When it was last used; may be some seconds late.
    #[schema(required)]
    pub last_used_at: Option<Timestamp>,
    /// When it expires.
    #[schema(required)]
    pub expires_at: Option<Timestamp>,
    /// The end of its grace period after a rotation.
    #[schema(required)]
    pub grace_until: Option<Timestamp>,
    /// When it was revoked.
    #[schema(required)]
    pub revoked_at: Option<Timestamp>,
}

/// A new key with its secret, which is shown once.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct NewAccountKey {
    /// The key.
    pub key: AccountKey,
    /// Null for a request.
    #[schema(required, example = "svc_test_…")]
    pub secret: Option<String>,
}

/// The two keys of a rotation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(example = json!({
    "key": {
        "id": "0199f3a2-8e4d-7c19-a7f3-0b6d92e1c455", "name": "nightly mirror", "state": "working", "mode": "test", "kind": "account",
        "may_write": false, "game": null, "last4": "m2Vd", "reason": null, "created_at": "2026-03-02T08:00:00.000Z",
        "last_used_at": null, "expires_at": null, "grace_until": null, "revoked_at": null,
    },
    "secret": "svc_test_…",
    "old_key": {
        "id": "0199f3a2-6b1e-7d40-8c2a-51f0a9c3d277", "name": "nightly mirror", "state": "rotated", "mode": "test", "kind": "account",
        "may_write": false, "game": null, "last4": "x7Kq", "reason": null, "created_at": "2026-03-01T08:00:00.000Z",
        "last_used_at": "2026-03-02T07:59:00.000Z", "expires_at": null, "grace_until": "2026-03-03T08:00:00.000Z", "revoked_at": null,
    },
}))]
pub struct RotatedAccountKey {
    /// The key.
    pub key: AccountKey,
    /// Of the new key.
    pub secret: String,
    /// The rotated one.
    pub old_key: AccountKey,
}

/// An endpoint of webhooks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(example = json!({
    "id": "0199f3a2-7c2f-7e51-9d3b-62a1bad4e388", "url": "https://hooks.example/mchezo", "events": ["listing.published"], "state": "on",
    "reason": "", "rate_limit": null, "created_at": "2026-03-01T08:00:00.000Z", "rotating_until": null, "queued": 0, "failures": 0,
    "last_success_at": "2026-03-02T08:00:00.000Z",
}))]
pub struct AccountEndpoint {
    /// A UUID.
    #[schema(format = "uuid")]
    pub id: String,
    /// Where messages are sent.
    pub url: String,
    /// The events that it receives.
    #[schema(value_type = Vec<SampleEvent>)]
    pub events: Vec<String>,
    /// `on`, `paused`, or `off`: the service has disabled it.
    #[schema(value_type = EndpointState)]
    pub state: String,
    /// Why the service has disabled it; else empty.
    pub reason: String,
    /// Deliveries per second; null: no limit.
    #[schema(required)]
    pub rate_limit: Option<u32>,
    /// When it was added.
    #[schema(required)]
    pub created_at: Option<Timestamp>,
    /// While its secret is rotated: until when the old secret signs.
    #[schema(required)]
    pub rotating_until: Option<Timestamp>,
    /// Deliveries that wait, counted up to 10,000.
    pub queued: u64,
    /// Failed deliveries since the last success.
    pub failures: u32,
    /// Accurate to the minute.
    #[schema(required)]
    pub last_success_at: Option<Timestamp>,
}

/// An endpoint with a new secret, which is shown once.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct NewAccountEndpoint {
    /// The endpoint.
    pub endpoint: AccountEndpoint,
    /// Signs what is sent to the endpoint.
    #[schema(example = "svc_whsec_…")]
    pub secret: String,
}

/// An endpoint that was removed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(example = json!({"id": "0199f3a2-7c2f-7e51-9d3b-62a1bad4e388", "removed": true}))]
pub struct RemovedEndpoint {
    /// A UUID.
    #[schema(format = "uuid")]
    pub id: String,
    /// Always true.
    pub removed: bool,
}

/// A delivery of a message to an endpoint.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(example = json!({
    "id": "0199f3a2-8d30-7f62-8e4c-73b2cbe5f499", "endpoint": "0199f3a2-7c2f-7e51-9d3b-62a1bad4e388",
    "message_id": "0199f3a2-9d44-7a05-b6c1-2e8f74d0a913", "event": "listing.published", "state": "delivered",
    "created_at": "2026-03-01T08:00:00.000Z", "tries": 1, "due_at": null,
    "last_attempt": {
        "number": 1, "at": "2026-03-01T08:00:00.100Z", "duration_ms": 84, "status": 204, "reason": "", "answer": "",
    },
}))]
pub struct AccountDelivery {
    /// Unique among those of the endpoint.
    pub id: String,
    /// The id of the endpoint.
    #[schema(format = "uuid")]
    pub endpoint: String,
    /// The `id` of the body.
    #[schema(format = "uuid")]
    pub message_id: String,
    /// The event of the message.
    #[schema(value_type = SampleEvent)]
    pub event: String,
    /// `waiting`, `delivered`, `failed` or `cancelled`.
    #[schema(value_type = DeliveryState)]
    pub state: String,
    /// When it was queued.
    #[schema(required)]
    pub created_at: Option<Timestamp>,
    /// Attempts so far.
    pub tries: u32,
    /// The time of the next attempt.
    #[schema(required)]
    pub due_at: Option<Timestamp>,
    /// Null before the first one.
    #[schema(required)]
    pub last_attempt: Option<AccountAttempt>,
}

/// An attempt of a delivery.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(example = json!({"number": 1, "at": "2026-03-01T08:00:00.100Z", "duration_ms": 84, "status": 204, "reason": "", "answer": ""}))]
pub struct AccountAttempt {
    /// From 1.
    pub number: u32,
    /// When it was made.
    #[schema(required)]
    pub at: Option<Timestamp>,
    /// How long it took.
    pub duration_ms: u32,
    /// Null without a response.
    #[schema(required)]
    pub status: Option<u32>,
    /// Why it failed; else empty.
    pub reason: String,
    /// The first KiB of the response.
    pub answer: String,
}

/// A delivery that was sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SentDelivery {
    /// The delivery.
    pub delivery: AccountDelivery,
    /// What happens next, in words.
    #[schema(example = "One try is made now. If it fails, no other follows.")]
    pub next: String,
}

/// A delivery with its attempts and its body.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct OneDelivery {
    /// The delivery.
    pub delivery: AccountDelivery,
    /// The oldest first.
    pub attempts: Vec<AccountAttempt>,
    /// The body as it is sent.
    #[schema(
        example = "{\"id\":\"0199f3a2-9d44-7a05-b6c1-2e8f74d0a913\",\"event\":\"listing.published\",…}"
    )]
    pub body: String,
}

/// How many deliveries are, or would be, sent again. They are put back into the queue in batches after the response.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(example = json!({"deliveries": 12, "dry_run": true, "next": "They were only counted: nothing is sent."}))]
pub struct RecoveredDeliveries {
    /// Their number, counted up to 10,000.
    pub deliveries: u64,
    /// Whether they were only counted.
    pub dry_run: bool,
    /// What happens next, in words.
    pub next: String,
}

/// What the account has used.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(example = json!({
    "plan": "free", "working_keys": 2,
    "month": {"starts_at": "2026-03-01T00:00:00.000Z", "resets_at": "2026-04-01T00:00:00.000Z", "used": 1_204, "limit": 50_000},
    "first_day": "2026-03-01", "last_day": "2026-03-31",
    "rows": [{
        "day": "2026-03-01", "mode": "live", "method": "GET", "route": "/v1/games", "calls": 310, "client_errors": 2, "rate_limited": 0,
        "server_errors": 0,
    }],
}))]
pub struct AccountUsage {
    /// The name of the plan.
    pub plan: String,
    /// Live keys and requests for live keys that count against the plan.
    pub working_keys: u32,
    /// The current month.
    pub month: AccountMonth,
    /// `YYYY-MM-DD`.
    #[schema(value_type = Day)]
    pub first_day: String,
    /// `YYYY-MM-DD`.
    #[schema(value_type = Day)]
    pub last_day: String,
    /// By day, then mode, route and method.
    pub rows: Vec<RouteUsage>,
}

/// The calls of live keys in the current UTC month.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AccountMonth {
    /// The first moment of the month.
    #[schema(required)]
    pub starts_at: Option<Timestamp>,
    /// The first moment of the next month.
    #[schema(required)]
    pub resets_at: Option<Timestamp>,
    /// Calls so far.
    pub used: u64,
    /// Null: no limit.
    #[schema(required)]
    pub limit: Option<u64>,
}

/// The calls of a UTC day with one method to one route.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RouteUsage {
    /// `YYYY-MM-DD`.
    #[schema(value_type = Day)]
    pub day: String,
    /// `test` or `live`.
    #[schema(value_type = KeyMode)]
    pub mode: String,
    /// Such as `GET`.
    pub method: String,
    /// The pattern of the path.
    pub route: String,
    /// All calls, including those counted below.
    pub calls: u64,
    /// Calls that got a 4xx other than 429.
    pub client_errors: u64,
    /// Calls that got 429.
    pub rate_limited: u64,
    /// Calls that got a 5xx.
    pub server_errors: u64,
}

/// The result of an action on an endpoint.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(untagged)]
pub enum EndpointActionResult {
    /// Of `rotate-secret`.
    Rotated(NewAccountEndpoint),
    /// Of `test`.
    Tested(SentDelivery),
    /// Of all others.
    Endpoint(AccountEndpoint),
}
