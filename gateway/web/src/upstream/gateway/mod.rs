//! The gateway: accounts, keys and their use.

mod test_calls;
mod tokens;

use std::time::Duration;

use contracts::gateway::v1 as proto;
use kit::rpc::client::Client;
use kit::{Code, Fault, timestamp};
use time::OffsetDateTime;
use uuid::Uuid;

use super::call::{Calls, incomplete};
use super::clients::Accounts;

/// The person who makes a change, for the audit of the gateway.
#[derive(Debug, Clone)]
pub struct Actor {
    pub person: Uuid,
    pub address: String,
}

impl From<&Actor> for proto::Actor {
    fn from(actor: &Actor) -> Self {
        Self {
            person_id: actor.person.to_string(),
            address: actor.address.clone(),
            token: None,
        }
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

/// A key to make or to request.
#[derive(Debug, Clone)]
pub struct NewKey {
    pub name: String,
    pub kind: String,
    pub may_write: bool,
    pub game: Option<String>,
    pub expires_at: Option<prost_types::Timestamp>,
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

    /// Creates an account. A repeated call with the same id changes nothing.
    pub async fn create_account(
        &self,
        actor: &Actor,
        id: Uuid,
        name: &str,
        email: &str,
    ) -> Result<proto::Account, Fault> {
        let request = proto::AccountsServiceCreateAccountRequest {
            actor: Some(actor.into()),
            account_id: id.to_string(),
            name: name.to_owned(),
            email: email.to_owned(),
        };
        let created = self.0.read(Accounts::create_account, request).await?;
        created.account.ok_or_else(incomplete)
    }

    pub async fn account(
        &self,
        account: Uuid,
    ) -> Result<proto::AccountsServiceGetAccountResponse, Fault> {
        let request = proto::AccountsServiceGetAccountRequest {
            account_id: account.to_string(),
            email: String::new(),
        };
        self.0.read(Accounts::get_account, request).await
    }

    /// The account with this address, which its caller has verified.
    pub async fn account_by_email(&self, email: &str) -> Result<Option<Uuid>, Fault> {
        let request = proto::AccountsServiceGetAccountRequest {
            account_id: String::new(),
            email: email.to_owned(),
        };
        let found = self.0.read(Accounts::get_account, request).await;
        match found {
            Ok(found) => {
                let account = found.account.ok_or_else(incomplete)?;
                account.id.parse().map(Some).map_err(|_id| incomplete())
            }
            Err(fault) if fault.code == Code::NotFound => Ok(None),
            Err(fault) => Err(fault),
        }
    }

    pub async fn switches(&self) -> Result<Switches, Fault> {
        let request = proto::AccountsServiceListSwitchesRequest {};
        let listed = self.0.read(Accounts::list_switches, request).await?;
        let is_on = |name: &str| {
            let switch = listed.switches.iter().find(|switch| switch.name == name);
            switch.map(|switch| switch.on)
        };
        Ok(Switches {
            is_read_only: is_on("read_only").unwrap_or(false),
            submissions_are_paused: !is_on("submissions").unwrap_or(true),
        })
    }

    /// Lets a change of the dashboard pass, unless the site is read-only. While the gateway is away, that is unknown, and the service that
    /// makes the change decides.
    ///
    /// # Errors
    /// `closed`.
    pub async fn admit_change(&self) -> Result<(), Fault> {
        match self.switches().await {
            Ok(switches) if switches.is_read_only => Err(Fault::new(Code::Closed, READ_ONLY)),
            Ok(_) | Err(_) => Ok(()),
        }
    }

    /// The reason why forms are closed, for their pages. The handlers of forms check it again.
    pub async fn read_only(&self) -> Option<&'static str> {
        let switches = self.switches().await.unwrap_or_default();
        switches.is_read_only.then_some(READ_ONLY)
    }

    /// Changes the name of an account, if there is a new one, and its contact address.
    pub async fn change_account(
        &self,
        actor: &Actor,
        account: Uuid,
        name: Option<&str>,
        email: &str,
    ) -> Result<(), Fault> {
        let request = proto::AccountsServiceChangeAccountRequest {
            actor: Some(actor.into()),
            account_id: account.to_string(),
            name: name.map(ToOwned::to_owned),
            email: Some(email.to_owned()),
        };
        self.0.read(Accounts::change_account, request).await?;
        Ok(())
    }

    /// The keys of an account, oldest first: all working keys, and the newest ended ones. The response says whether older ones are left
    /// out.
    pub async fn list_keys(&self, account: Uuid) -> Result<proto::ListKeysResponse, Fault> {
        let request = proto::AccountsServiceListKeysRequest {
            account_id: account.to_string(),
        };
        self.0.read(Accounts::list_keys, request).await
    }

    /// The same keys alone.
    pub async fn keys(&self, account: Uuid) -> Result<Vec<proto::Key>, Fault> {
        Ok(self.list_keys(account).await?.keys)
    }

    /// A page of the keys of all accounts that expire until a moment.
    pub async fn expiring_keys(
        &self,
        until: OffsetDateTime,
        cursor: &str,
    ) -> Result<proto::AccountsServiceListExpiringKeysResponse, Fault> {
        let request = proto::AccountsServiceListExpiringKeysRequest {
            until: Some(timestamp::encode(until)),
            limit: 500,
            cursor: cursor.to_owned(),
        };
        self.0.read(Accounts::list_expiring_keys, request).await
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

    /// The key of an account with this id.
    pub async fn key(&self, account: Uuid, id: &str) -> Result<proto::Key, Fault> {
        let keys = self.keys(account).await?;
        let key = keys.into_iter().find(|key| key.id == id);
        key.ok_or_else(|| Fault::not_found("There is no such key."))
    }

    /// The requests for keys, newest first. An approved one may be older than any number of others.
    pub async fn key_requests(&self, account: Uuid) -> Result<Vec<proto::KeyRequest>, Fault> {
        let (mut requests, mut cursor) = (Vec::new(), String::new());
        loop {
            let request = proto::AccountsServiceListKeyRequestsRequest {
                account_id: account.to_string(),
                limit: 500,
                cursor,
            };
            let listed = self.0.read(Accounts::list_key_requests, request).await?;
            requests.extend(listed.requests);
            match listed.next_cursor {
                Some(next) => cursor = next,
                None => return Ok(requests),
            }
        }
    }

    /// Makes a test key; returns its secret.
    pub async fn create_key(
        &self,
        actor: &Actor,
        account: Uuid,
        key: NewKey,
    ) -> Result<String, Fault> {
        let request = proto::AccountsServiceCreateKeyRequest {
            actor: Some(actor.into()),
            account_id: account.to_string(),
            name: key.name,
            kind: key.kind,
            may_write: key.may_write,
            game: key.game,
            expires_at: key.expires_at,
        };
        Ok(self.0.write(Accounts::create_key, request).await?.secret)
    }

    /// Requests a live key, which staff review.
    pub async fn request_key(
        &self,
        actor: &Actor,
        account: Uuid,
        key: NewKey,
    ) -> Result<(), Fault> {
        let request = proto::AccountsServiceRequestKeyRequest {
            actor: Some(actor.into()),
            account_id: account.to_string(),
            name: key.name,
            kind: key.kind,
            may_write: key.may_write,
            game: key.game,
            expires_at: key.expires_at,
        };
        self.0.write(Accounts::request_key, request).await?;
        Ok(())
    }

    /// Makes the key of an approved request; returns it with its secret.
    pub async fn reveal_key(
        &self,
        actor: &Actor,
        account: Uuid,
        request: &str,
    ) -> Result<(proto::Key, String), Fault> {
        let request = proto::AccountsServiceRevealKeyRequest {
            actor: Some(actor.into()),
            account_id: account.to_string(),
            id: request.to_owned(),
        };
        let revealed = self.0.write(Accounts::reveal_key, request).await?;
        Ok((revealed.key.ok_or_else(incomplete)?, revealed.secret))
    }

    /// Withdraws the requests for keys whose keys have not been revealed.
    pub async fn withdraw_key_requests(&self, actor: &Actor, account: Uuid) -> Result<(), Fault> {
        let request = proto::AccountsServiceWithdrawKeyRequestsRequest {
            actor: Some(actor.into()),
            account_id: account.to_string(),
        };
        self.0
            .read(Accounts::withdraw_key_requests, request)
            .await?;
        Ok(())
    }

    /// Makes a new key, which expires when the old one does or at `expires_at`. The old key works for `grace` seconds more.
    pub async fn rotate_key(
        &self,
        actor: &Actor,
        account: Uuid,
        key: &str,
        grace: u32,
        expires_at: Option<prost_types::Timestamp>,
    ) -> Result<RotatedKey, Fault> {
        let request = proto::AccountsServiceRotateKeyRequest {
            actor: Some(actor.into()),
            account_id: account.to_string(),
            id: key.to_owned(),
            grace_seconds: Some(grace),
            expires_at,
        };
        let rotated = self.0.write(Accounts::rotate_key, request).await?;
        Ok(RotatedKey {
            key: rotated.key.ok_or_else(incomplete)?,
            secret: rotated.secret,
            old_key: rotated.old_key.ok_or_else(incomplete)?,
        })
    }

    pub async fn revoke_key(
        &self,
        actor: &Actor,
        account: Uuid,
        key: &str,
    ) -> Result<proto::Key, Fault> {
        let request = proto::AccountsServiceRevokeKeyRequest {
            actor: Some(actor.into()),
            account_id: account.to_string(),
            id: key.to_owned(),
        };
        let revoked = self.0.read(Accounts::revoke_key, request).await?;
        revoked.key.ok_or_else(incomplete)
    }

    /// All plans, cheapest first.
    pub async fn plans(&self) -> Result<Vec<proto::Plan>, Fault> {
        let request = proto::AccountsServiceListPlansRequest {};
        Ok(self.0.read(Accounts::list_plans, request).await?.plans)
    }

    /// The calls of the last days by day and route.
    pub async fn use_of(
        &self,
        account: Uuid,
        days: u32,
    ) -> Result<proto::AccountsServiceListUseResponse, Fault> {
        let request = proto::AccountsServiceListUseRequest {
            account_id: account.to_string(),
            days,
        };
        self.0.read(Accounts::list_use, request).await
    }

    /// A page of the log of calls, newest first.
    pub async fn calls(
        &self,
        request: proto::AccountsServiceListCallsRequest,
    ) -> Result<proto::AccountsServiceListCallsResponse, Fault> {
        self.0.read(Accounts::list_calls, request).await
    }

    /// A page of the accounts that have used a share of their month, in percent, or made so many calls without a limit (0: none of these).
    pub async fn month_uses(
        &self,
        percent: u8,
        unlimited_calls: u64,
        cursor: &str,
    ) -> Result<proto::AccountsServiceListMonthUseResponse, Fault> {
        let request = proto::AccountsServiceListMonthUseRequest {
            percent: percent.into(),
            limit: 500,
            cursor: cursor.to_owned(),
            unlimited_calls,
        };
        self.0.read(Accounts::list_month_use, request).await
    }
}
