//! Staff at work: accounts and keys for a test to call its own.

use contracts::gateway::v1::staff_service_client::StaffServiceClient;
use contracts::gateway::v1::{self as proto, Account, CreateAccountRequest, CreateKeyRequest, Key};
use kit::Fault;
use kit::rpc::client::{Client as Channel, dial};

use crate::{Client, Fleet};

/// Staff of a fleet.
#[derive(Clone)]
pub struct Staff {
    /// The gateway's staff service.
    pub gateway: StaffServiceClient<Channel>,
}

/// An account that staff made for one test.
#[derive(Debug, Clone)]
pub struct NewAccount {
    /// The account.
    pub account: Account,
}

/// What kind of key is wanted.
#[derive(Debug, Clone, Default)]
pub struct KeyRequest {
    /// `live` or, when empty, `test`.
    pub mode: &'static str,
    /// `account` when empty.
    pub kind: &'static str,
    /// The game of a secret or public key.
    pub game: Option<String>,
    /// Whether it may write.
    pub may_write: bool,
}

impl Staff {
    /// Staff of `fleet`.
    pub async fn of(fleet: &Fleet) -> Self {
        let token = fleet.staff_token.clone().into();
        let channel = dial(&fleet.service("gateway").grpc, &token).await.unwrap();
        Self {
            gateway: StaffServiceClient::new(channel),
        }
    }

    /// A new account on `plan`. Tests run on `unlimited` unless the plan's limits are what they test.
    pub async fn account(&mut self, plan: &str) -> NewAccount {
        let unique = uuid::Uuid::from_bytes(*kit::ids::row_id().as_bytes());
        let request = CreateAccountRequest {
            name: format!("Test {unique}"),
            email: format!("{unique}@test.example"),
            plan: plan.to_owned(),
        };
        let account = self
            .gateway
            .create_account(request)
            .await
            .unwrap()
            .into_inner()
            .account
            .unwrap();
        NewAccount { account }
    }

    /// A new key of `account`, with its secret.
    pub async fn key(&mut self, account: &NewAccount, wanted: KeyRequest) -> (Key, String) {
        self.try_key(account, wanted).await.unwrap()
    }

    /// The same, if there may be such a key.
    pub async fn try_key(
        &mut self,
        account: &NewAccount,
        wanted: KeyRequest,
    ) -> Result<(Key, String), Fault> {
        let request = CreateKeyRequest {
            account: account.account.id.clone(),
            name: "of a test".to_owned(),
            mode: if wanted.mode.is_empty() {
                "test"
            } else {
                wanted.mode
            }
            .to_owned(),
            kind: wanted.kind.to_owned(),
            may_write: wanted.may_write,
            game: wanted.game,
            expires_at: None,
        };
        let made = self.gateway.create_key(request).await?.into_inner();
        Ok((made.key.unwrap(), made.secret))
    }

    /// A caller with a new live key of a new account on `plan`.
    pub async fn caller(&mut self, fleet: &Fleet, plan: &str) -> Client {
        let account = self.account(plan).await;
        let live = KeyRequest {
            mode: "live",
            ..KeyRequest::default()
        };
        let (_, secret) = self.key(&account, live).await;
        Client::new(fleet, &secret)
    }

    /// Revokes a key.
    pub async fn revoke(&mut self, key: &Key) {
        let request = proto::RevokeKeyRequest { id: key.id.clone() };
        self.gateway.revoke_key(request).await.unwrap();
    }

    /// Rotates a key; returns the new secret.
    pub async fn rotate(&mut self, key: &Key) -> String {
        let request = proto::RotateKeyRequest { id: key.id.clone() };
        self.gateway
            .rotate_key(request)
            .await
            .unwrap()
            .into_inner()
            .secret
    }
}
