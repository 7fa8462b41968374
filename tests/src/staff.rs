//! Calls of staff, which create accounts, keys and listings for tests.

use contracts::common::v1::Mode;
use contracts::economy::v1::SetCurrencyRequest;
use contracts::economy::v1::staff_service_client::StaffServiceClient as OfEconomy;
use contracts::gateway::v1::staff_service_client::StaffServiceClient;
use contracts::gateway::v1::{self as proto, Account, CreateAccountRequest, CreateKeyRequest, Key};
use contracts::listings::v1::import_request::Message;
use contracts::listings::v1::staff_import_service_client::StaffImportServiceClient;
use contracts::listings::v1::staff_page_service_client::StaffPageServiceClient;
use contracts::listings::v1::staff_review_service_client::StaffReviewServiceClient;
use contracts::listings::v1::{
    AddOwnerRequest, DecideItem, DecideRequest, Decision, EditRequest, GetReviewRequest, ImportEnd,
    ImportHeader, ImportLines, ImportRequest, ListingName,
};
use kit::Fault;
use kit::rpc::client::Client as Channel;

use serde_json::{Value, json};

use crate::{Client, Fleet, dial, eventually};

/// Clients of the staff services.
#[derive(Clone)]
pub struct Staff {
    pub gateway: StaffServiceClient<Channel>,
    pages: StaffPageServiceClient<Channel>,
    pub(crate) imports: StaffImportServiceClient<Channel>,
    economy: OfEconomy<Channel>,
    pub(crate) reviews: StaffReviewServiceClient<Channel>,
}

#[derive(Debug, Clone)]
pub struct NewAccount {
    pub account: Account,
}

#[derive(Debug, Clone, Default)]
pub struct KeyRequest {
    /// `live`, or `test` if empty.
    pub mode: &'static str,
    /// `account` if empty.
    pub kind: &'static str,
    /// The game of a secret or public key.
    pub game: Option<String>,
    pub may_write: bool,
}

impl KeyRequest {
    /// A live key of an account, which may only read.
    pub fn live() -> Self {
        Self { mode: "live", ..Self::default() }
    }
}

impl Staff {
    /// Connects to the staff services of `fleet`.
    pub async fn new(fleet: &Fleet) -> Self {
        let token = fleet.staff_token.clone().into();
        let channel = dial(&fleet.service("gateway").grpc, &token).await;
        let listings = dial(&fleet.service("listings-svc").grpc, &token).await;
        let economy = dial(&fleet.service("economy-svc").grpc, &token).await;
        Self {
            gateway: StaffServiceClient::new(channel),
            economy: OfEconomy::new(economy),
            pages: StaffPageServiceClient::new(listings.clone()),
            imports: StaffImportServiceClient::new(listings.clone()),
            reviews: StaffReviewServiceClient::new(listings),
        }
    }

    /// Creates or renames the currency of a game.
    pub async fn currency(&self, game: &str, name: &str) -> Result<(), Fault> {
        let request = SetCurrencyRequest { game: game.to_owned(), name: name.to_owned() };
        self.economy.clone().set_currency(request).await?;
        Ok(())
    }

    /// Gives a game its first currency, once economy-svc knows the game.
    pub async fn new_currency(&self, game: &str) {
        eventually("economy-svc knows the game", async || self.currency(game, "Cowrie").await.ok())
            .await;
    }

    /// Publishes a listing that waits for review.
    pub async fn approve(&self, kind: &str, name: &str) {
        self.decide(Decision::Approve, kind, name, "").await;
    }

    pub async fn take_down(&self, kind: &str, name: &str) {
        self.decide(Decision::TakeDown, kind, name, "A test").await;
    }

    /// Publishes a listing again that was taken down.
    pub async fn restore(&self, kind: &str, name: &str) {
        self.decide(Decision::Restore, kind, name, "").await;
    }

    async fn decide(&self, decision: Decision, kind: &str, name: &str, reason: &str) {
        let name_of = || Some(named(kind, name));
        let revision = match decision {
            // Only an approval is of a revision.
            Decision::Approve => {
                let request = GetReviewRequest { name: name_of(), revision: 0 };
                let read = self.reviews.clone().get_review(request).await;
                read.unwrap().into_inner().item.map(|item| item.revision)
            }
            _ => None,
        };
        let item = DecideItem { name: name_of(), revision };
        let request = DecideRequest {
            decision: decision.into(),
            items: vec![item],
            reason: reason.to_owned(),
        };
        let decided = self.reviews.clone().decide(request).await;
        let results = decided.unwrap().into_inner().results;
        assert_eq!(results[0].problem, "", "{kind} {name}");
    }

    /// Changes fields of a published listing, which webhooks announce.
    pub async fn edit(&self, kind: &str, name: &str, changes: &Value) {
        let request = edit_request(kind, name, changes);
        self.reviews.clone().edit(request).await.unwrap();
    }

    /// Imports rows. All must be valid and new.
    pub async fn import(&self, entity: &str, rows: &[Value]) {
        let messages = import_messages(entity, rows);
        let mut imports = self.imports.clone();
        let report = imports.import(futures::stream::iter(messages)).await.unwrap().into_inner();
        assert_eq!((report.created, report.refused), (rows.len() as u64, vec![]));
    }

    /// Creates a published page that `account` owns.
    pub async fn page(&mut self, account: &NewAccount, handle: &str) {
        let row = json!({"handle": handle, "name": "A Studio", "kind": "studio", "country_code": "NG", "city": "Lagos"});
        self.import("page", &[row]).await;
        self.add_owner(account, handle).await;
    }

    pub async fn add_owner(&mut self, account: &NewAccount, handle: &str) {
        let request =
            AddOwnerRequest { handle: handle.to_owned(), account_id: account.account.id.clone() };
        self.pages.add_owner(request).await.unwrap();
    }

    /// Creates an account on `plan`. Use `unlimited` unless the test is about the limits of the plan.
    pub async fn account(&mut self, plan: &str) -> NewAccount {
        self.try_account(plan).await.unwrap()
    }

    pub(crate) async fn try_account(&mut self, plan: &str) -> Result<NewAccount, Fault> {
        let unique = uuid::Uuid::from_bytes(*kit::ids::row_id().as_bytes());
        let request = CreateAccountRequest {
            name: format!("Test {unique}"),
            plan: plan.to_owned(),
            id: String::new(),
        };
        let made = self.gateway.create_account(request).await?;
        let account = made.into_inner().account.unwrap();
        Ok(NewAccount { account })
    }

    /// Creates a key of `account`; returns it with its secret.
    pub async fn key(&mut self, account: &NewAccount, wanted: KeyRequest) -> (Key, String) {
        self.try_key(account, wanted).await.unwrap()
    }

    /// Like [`key`](Self::key), but may be refused.
    pub async fn try_key(
        &mut self,
        account: &NewAccount,
        wanted: KeyRequest,
    ) -> Result<(Key, String), Fault> {
        let mode = match wanted.mode {
            "" => "test",
            mode => mode,
        };
        let kind = format!("KEY_KIND_{}", wanted.kind.to_uppercase());
        let kind = proto::KeyKind::from_str_name(&kind);
        let request = CreateKeyRequest {
            account_id: account.account.id.clone(),
            name: "of a test".to_owned(),
            mode: mode.parse::<kit::Mode>().unwrap().into(),
            kind: kind.map_or(0, Into::into),
            may_write: wanted.may_write,
            game: wanted.game,
        };
        let made = self.gateway.create_key(request).await?.into_inner();
        Ok((made.key.unwrap(), made.secret))
    }

    /// Creates a key of a game once the gateway knows the game and its owner; returns the secret.
    pub async fn key_of_game(
        &self,
        account: &NewAccount,
        mode: &'static str,
        kind: &'static str,
        game: &str,
    ) -> String {
        let wanted = KeyRequest { mode, kind, game: Some(game.to_owned()), may_write: false };
        let made = eventually("the gateway knows the game", async || {
            let mut staff = self.clone();
            staff.try_key(account, wanted.clone()).await.ok()
        });
        made.await.1
    }

    /// A client with a new live key of a new account on `plan`.
    pub async fn caller(&mut self, fleet: &Fleet, plan: &str) -> Client {
        let account = self.account(plan).await;
        let (_, secret) = self.key(&account, KeyRequest::live()).await;
        Client::new(fleet, &secret)
    }

    /// A client with a new key of `account` that may write. `mode` is `live` or `test`.
    pub async fn writer(
        &mut self,
        fleet: &Fleet,
        account: &NewAccount,
        mode: &'static str,
    ) -> Client {
        let wanted = KeyRequest { mode, may_write: true, ..KeyRequest::default() };
        let (_, secret) = self.key(account, wanted).await;
        Client::new(fleet, &secret)
    }

    pub async fn revoke(&mut self, key: &Key) {
        let request = proto::RevokeKeyRequest { id: key.id.clone() };
        self.gateway.revoke_key(request).await.unwrap();
    }

    /// Rotates a key; returns the new secret.
    pub async fn rotate(&mut self, key: &Key) -> String {
        let request = proto::RotateKeyRequest { id: key.id.clone() };
        let rotated = self.gateway.rotate_key(request).await;
        rotated.unwrap().into_inner().secret
    }
}

/// The messages that import rows as live listings.
pub(crate) fn import_messages(entity: &str, rows: &[Value]) -> [ImportRequest; 3] {
    let header = ImportHeader {
        entity: entity.to_owned(),
        mode: Mode::Live.into(),
        file_name: "rows of a test".to_owned(),
    };
    let lines = ImportLines { lines: rows.iter().map(Value::to_string).collect() };
    let messages = [Message::Header(header), Message::Lines(lines), Message::End(ImportEnd {})];
    messages.map(|message| ImportRequest { message: Some(message) })
}

/// A request of staff to change fields of a live listing.
pub(crate) fn edit_request(kind: &str, name: &str, changes: &Value) -> EditRequest {
    EditRequest {
        name: Some(named(kind, name)),
        changes: changes.to_string(),
        ..EditRequest::default()
    }
}

/// The name of a live listing.
pub fn named(kind: &str, name: &str) -> ListingName {
    ListingName { kind: kind.to_owned(), mode: Mode::Live.into(), name: name.to_owned() }
}
