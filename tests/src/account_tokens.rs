//! Tokens for the account API (§10.18), made as in the dashboard.

use contracts::gateway::v1 as proto;
use contracts::gateway::v1::accounts_service_client::AccountsServiceClient;
use kit::rpc::client::Client as Channel;

use crate::{Fleet, NewAccount};

/// The dashboard's calls for account tokens.
#[derive(Clone)]
pub struct AccountTokens {
    /// The gateway's service for the dashboard.
    pub accounts: AccountsServiceClient<Channel>,
}

/// A new token.
#[derive(Debug, Clone)]
pub struct NewToken {
    /// Its id.
    pub id: String,
    /// What a caller sends.
    pub secret: String,
}

impl AccountTokens {
    /// Every scope.
    pub const ALL_SCOPES: [&str; 7] = [
        "keys:read",
        "keys:write",
        "endpoints:read",
        "endpoints:write",
        "deliveries:read",
        "deliveries:write",
        "usage:read",
    ];

    /// Tokens of `fleet`.
    pub async fn of(fleet: &Fleet) -> Self {
        let channel = fleet.rpc_client("gateway").await;
        Self {
            accounts: AccountsServiceClient::new(channel),
        }
    }

    /// A person of an account, for the audit.
    pub fn actor() -> proto::Actor {
        proto::Actor {
            person_id: kit::ids::row_id().to_string(),
            address: "192.0.2.7".to_owned(),
            token: None,
        }
    }

    /// A new token of an account, named `terraform`.
    pub async fn create(&mut self, account: &NewAccount, scopes: &[&str]) -> NewToken {
        let request = proto::AccountsServiceCreateTokenRequest {
            actor: Some(Self::actor()),
            account_id: account.account.id.clone(),
            name: "terraform".to_owned(),
            scopes: scopes.iter().map(ToString::to_string).collect(),
            expires_at: None,
        };
        let made = self.accounts.create_token(request).await.unwrap();
        let made = made.into_inner();
        NewToken {
            id: made.token.unwrap().id,
            secret: made.secret,
        }
    }
}
