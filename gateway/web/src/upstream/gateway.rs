//! The gateway: accounts, keys and their use.

use std::collections::HashMap;
use std::time::Duration;

use contracts::gateway::v1 as proto;
use kit::rpc::client::Client;
use kit::{Code, Fault};
use time::OffsetDateTime;
use uuid::Uuid;

use super::call::{Calls, required, rpcs};
use super::time_of;

/// Rows of a page of a list that is read to its end.
const PAGE: u32 = 500;

/// The person who makes a change, for the audit of the gateway.
#[derive(Debug, Clone)]
pub struct Actor {
    pub person: Uuid,
    pub address: String,
}

impl From<&Actor> for Option<proto::Actor> {
    fn from(actor: &Actor) -> Self {
        Some(proto::Actor { person_id: actor.person.to_string(), address: actor.address.clone() })
    }
}

/// Nothing can be changed (§7.3).
pub const READ_ONLY: &str =
    "Everything is read-only for a while: nothing can be changed now. Try again later.";

/// The effects of the switches (§7.3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Switches {
    /// Nothing can be changed.
    pub is_read_only: bool,
    /// No new games and events.
    pub submissions_are_paused: bool,
}

impl Switches {
    pub fn of(switches: &[proto::Switch]) -> Self {
        let is_on = |name: &str| {
            let switch = switches.iter().find(|switch| switch.name == name);
            switch.map(|switch| switch.on)
        };
        Self {
            is_read_only: is_on("read_only").unwrap_or(false),
            submissions_are_paused: !is_on("submissions").unwrap_or(true),
        }
    }
}

/// Whether a key is neither revoked nor past its grace period. Its game may keep it from working now, and not later.
pub fn may_revoke(key: &proto::Key, now: OffsetDateTime) -> bool {
    key.revoked_at.is_none() && time_of(key.grace_until).is_none_or(|until| until > now)
}

/// A key to make or to request.
#[derive(Debug, Clone)]
pub struct NewKey {
    pub name: String,
    pub kind: proto::KeyKind,
    pub may_write: bool,
    pub game: Option<String>,
}

/// The new key of a rotation, with its secret, and the old one.
#[derive(Debug, Clone)]
pub struct RotatedKey {
    pub key: proto::Key,
    pub secret: String,
    pub old_key: proto::Key,
}

#[derive(Debug, Clone)]
pub struct Gateway(Calls);

impl Gateway {
    pub fn new(client: Client, deadline: Duration) -> Self {
        Self(Calls { client, deadline })
    }

    /// The name of an account, for a page that is shown while the gateway is unavailable too.
    pub async fn account_name(&self, account: Uuid) -> Option<String> {
        self.account_names(&[account]).await.remove(&account)
    }

    /// The names of accounts, which one call reads; none while the gateway is unavailable.
    pub async fn account_names(&self, accounts: &[Uuid]) -> HashMap<Uuid, String> {
        let account_ids = accounts.iter().map(Uuid::to_string).collect();
        let listed = self.0.idempotent(proto::ListAccountNamesRequest { account_ids }).await;
        let names = listed.map(|listed| listed.accounts).unwrap_or_default().into_iter();
        names.filter_map(|it| Some((it.account_id.parse().ok()?, it.name))).collect()
    }

    pub async fn switches(&self) -> Result<Switches, Fault> {
        let listed = self.0.idempotent(proto::AccountsServiceListSwitchesRequest {}).await?;
        Ok(Switches::of(&listed.switches))
    }

    /// Lets a change of the dashboard pass, unless the site is read-only.
    ///
    /// # Errors
    /// `closed`, or the fault of an unavailable gateway: nobody knows then whether the site is read-only.
    pub async fn admit_change(&self) -> Result<(), Fault> {
        if self.switches().await?.is_read_only {
            return Err(Fault::new(Code::Closed, READ_ONLY));
        }
        Ok(())
    }

    /// The reason why forms are closed, for their pages; none while the gateway is unavailable.
    pub async fn read_only(&self) -> Option<&'static str> {
        let switches = self.switches().await.unwrap_or_default();
        switches.is_read_only.then_some(READ_ONLY)
    }

    /// The key of an account with this id.
    pub async fn key(&self, account: Uuid, id: &str) -> Result<proto::Key, Fault> {
        let keys = self.keys(account).await?;
        let key = keys.into_iter().find(|key| key.id == id);
        key.ok_or_else(|| Fault::not_found("There is no such key."))
    }

    /// The last call of a key, if the log of calls has one.
    pub async fn last_call(&self, account: Uuid, key: &str) -> Result<Option<proto::Call>, Fault> {
        let newest = proto::AccountsServiceListCallsRequest {
            account_id: account.to_string(),
            key_id: key.to_owned(),
            limit: 1,
            ..proto::AccountsServiceListCallsRequest::default()
        };
        Ok(self.calls(newest).await?.calls.into_iter().next())
    }

    /// A page of the log of calls, newest first.
    pub async fn calls(
        &self,
        request: proto::AccountsServiceListCallsRequest,
    ) -> Result<proto::AccountsServiceListCallsResponse, Fault> {
        self.0.idempotent(request).await
    }
}

rpcs! { Gateway:
    /// Creates an account. A repeated call with the same id changes nothing.
    idempotent create_account(actor: &Actor, id: Uuid, name: &str) -> proto::Account =
        proto::AccountsServiceCreateAccountRequest { actor, account_id: id, name }
        => |created| required(created.account)?;

    /// An account with its plan, its month and the switches.
    idempotent account(account: Uuid) -> proto::AccountsServiceGetAccountResponse =
        proto::AccountsServiceGetAccountRequest { account_id: account };

    idempotent rename_account(actor: &Actor, account: Uuid, name: &str) -> () =
        proto::AccountsServiceChangeAccountRequest { actor, account_id: account, name }
        => |_changed| ();

    /// Up to 200 keys of an account: those that work first, then the newest.
    idempotent keys(account: Uuid) -> Vec<proto::Key> =
        proto::AccountsServiceListKeysRequest { account_id: account }
        => |listed| listed.keys;

    /// Up to 200 requests for keys: those that may still lead to one first, then the newest.
    idempotent key_requests(account: Uuid) -> Vec<proto::KeyRequest> =
        proto::AccountsServiceListKeyRequestsRequest { account_id: account }
        => |listed| listed.requests;

    /// Makes a test key; returns it with its secret, which is empty if the form was sent before.
    idempotent create_key(actor: &Actor, account: Uuid, key: NewKey, form: Uuid) -> (proto::Key, String) =
        proto::AccountsServiceCreateKeyRequest {
            actor,
            account_id: account,
            name: key.name,
            kind: key.kind,
            may_write: key.may_write,
            game: key.game,
            form_id: form,
        }
        => |created| (required(created.key)?, created.secret);

    /// Requests a live key, which staff review.
    idempotent request_key(actor: &Actor, account: Uuid, key: NewKey, form: Uuid) -> proto::KeyRequest =
        proto::AccountsServiceRequestKeyRequest {
            actor,
            account_id: account,
            name: key.name,
            kind: key.kind,
            may_write: key.may_write,
            game: key.game,
            form_id: form,
        }
        => |requested| required(requested.request)?;

    /// Makes the key of an approved request; returns it with its secret.
    idempotent reveal_key(actor: &Actor, account: Uuid, request: &str) -> (proto::Key, String) =
        proto::AccountsServiceRevealKeyRequest { actor, account_id: account, id: request }
        => |revealed| (required(revealed.key)?, revealed.secret);

    /// Withdraws a request for a key whose key has not been revealed.
    idempotent withdraw_key_request(actor: &Actor, account: Uuid, request: &str) -> proto::KeyRequest =
        proto::WithdrawKeyRequestRequest { actor, account_id: account, id: request }
        => |withdrawn| required(withdrawn.request)?;

    /// Ends the keys and the open requests for keys of an account that has no people any more. After a failure, a repeated call continues.
    idempotent close_account(actor: &Actor, account: Uuid) -> () =
        proto::CloseAccountRequest { actor, account_id: account }
        => |_closed| ();

    /// Makes a new key, whose secret is empty if the form was sent before. The old one stops at once, or after 24 hours.
    idempotent rotate_key(actor: &Actor, account: Uuid, key: &str, revoke_old: bool, form: Uuid) -> RotatedKey =
        proto::AccountsServiceRotateKeyRequest {
            actor,
            account_id: account,
            id: key,
            revoke_old,
            form_id: form,
        }
        => |rotated| RotatedKey {
            key: required(rotated.key)?,
            secret: rotated.secret,
            old_key: required(rotated.old_key)?,
        };

    idempotent revoke_key(actor: &Actor, account: Uuid, key: &str) -> proto::Key =
        proto::AccountsServiceRevokeKeyRequest { actor, account_id: account, id: key }
        => |revoked| required(revoked.key)?;

    /// All plans, cheapest first.
    idempotent plans() -> Vec<proto::Plan> =
        proto::AccountsServiceListPlansRequest {}
        => |listed| listed.plans;

    /// The calls of the last days.
    idempotent days(account: Uuid) -> proto::AccountsServiceListUseResponse =
        proto::AccountsServiceListUseRequest { account_id: account };

    /// A page of the accounts that have used a share of their month, in percent, or made so many calls without a limit (0: none of these).
    idempotent month_uses(percent: u8, unlimited_calls: u64, cursor: &str) -> proto::AccountsServiceListMonthUseResponse =
        proto::AccountsServiceListMonthUseRequest { percent, limit: PAGE, cursor, unlimited_calls };
}
