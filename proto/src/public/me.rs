//! `GET /me` (§10.1).

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{KeyKind, KeyMode, Slug, Timestamp};

/// About the key of the call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(example = json!({
    "account": {"id": "0199f3a2-5d0c-7c57-9d1f-0f3a3f0f8f11", "name": "Savanna Games", "plan": {"name": "free", "title": "Free"}},
    "key": {
        "id": "0199f3a2-6b1e-7d40-8c2a-51f0a9c3d277", "name": "nightly mirror", "mode": "test", "kind": "account", "may_write": false,
        "game": null, "expires_at": null, "last4": "x7Kq",
    },
    "minute": {"limit": 60, "remaining": 59, "resets_at": "2026-03-01T08:01:00.000Z"},
    "month": {"limit": 50_000, "used": 1_204, "remaining": 48_796, "resets_at": "2026-04-01T00:00:00.000Z"},
}))]
pub struct Me {
    /// Whose key it is; left out for a public key, which anybody may know.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = MeAccount)]
    pub account: Option<MeAccount>,
    /// The key itself.
    pub key: MeKey,
    /// The key's minute.
    pub minute: MeMinute,
    /// The account's month, for a public key that of the account's public keys; null while the counter cannot be read.
    #[schema(required)]
    pub month: Option<MeMonth>,
}

/// The account of a key.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct MeAccount {
    /// Its id.
    #[schema(format = "uuid")]
    pub id: String,
    /// Its name.
    pub name: String,
    /// Its plan.
    pub plan: MePlan,
}

/// A plan, in short.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct MePlan {
    /// Its key, for example `free`.
    pub name: String,
    /// Its name for people, for example `Free`.
    pub title: String,
}

/// A key and what it may do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct MeKey {
    /// Its id.
    #[schema(format = "uuid")]
    pub id: String,
    /// What its owner calls it.
    pub name: String,
    /// `test` or `live`.
    #[schema(value_type = KeyMode)]
    pub mode: String,
    /// `account`, or `secret` or `public`: these belong to one game.
    #[schema(value_type = KeyKind)]
    pub kind: String,
    /// Whether it may write.
    pub may_write: bool,
    /// Slug of its game; null for an account's key.
    #[schema(required, value_type = Option<Slug>)]
    pub game: Option<String>,
    /// When it stops, after a rotation; null when it does not.
    #[schema(required)]
    pub expires_at: Option<Timestamp>,
    /// The last four characters of its secret.
    pub last4: String,
}

/// Calls by the key in its minute, this one included.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct MeMinute {
    /// Calls allowed; null: no limit.
    #[schema(required)]
    pub limit: Option<u32>,
    /// Calls left; null: no limit.
    #[schema(required)]
    pub remaining: Option<u32>,
    /// When the next minute begins.
    pub resets_at: Timestamp,
}

/// Calls by the account's live keys in the calendar month; for a public key, by the account's public keys.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct MeMonth {
    /// Calls allowed; null: no limit.
    #[schema(required)]
    pub limit: Option<u64>,
    /// Calls made.
    pub used: u64,
    /// Calls left; null: no limit.
    #[schema(required)]
    pub remaining: Option<u64>,
    /// When the next month begins.
    pub resets_at: Timestamp,
}
