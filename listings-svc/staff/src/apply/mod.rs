//! `staff apply`: brings accounts, keys, pages, currencies and listings to the state that files describe.
//!
//! It only adds and changes: what no file names stays. A second run changes nothing.

mod file;
mod secrets;

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use contracts::economy::v1::SetCurrencyRequest;
use contracts::economy::v1::staff_service_client::StaffServiceClient as Economy;
use contracts::gateway::v1 as proto;
use contracts::gateway::v1::staff_service_client::StaffServiceClient;
use contracts::listings::v1::staff_page_service_client::StaffPageServiceClient;
use contracts::listings::v1::{AddOwnerRequest, ListOwnersRequest};
use kit::rpc::client::Client;
use serde::Serialize;
use tonic::{Code, Response, Status};

use self::file::{Account, Currency, Desired, Key};
use self::secrets::Secrets;
use crate::error::Error;
use crate::fleet::Fleet;
use crate::listing::import::{self, FileReport};
use crate::output::Output;
use crate::service::Service;

/// The most attempts of a call about a new game, and the pause between them: other services learn of the game a moment after listings-svc.
const ATTEMPTS: usize = 100;
const PAUSE: Duration = Duration::from_millis(100);

#[derive(Debug, Args)]
pub(crate) struct Apply {
    /// TOML files, applied in this order
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// A JSON file to which the secrets of new keys are added; only you can read it
    #[arg(long)]
    secrets: Option<PathBuf>,
}

/// The accounts of the files, and what was done.
#[derive(Debug, Default, Serialize)]
struct Report {
    files: Vec<serde_json::Value>,
    accounts: Vec<AppliedAccount>,
    changes: Vec<String>,
    unchanged: usize,
}

#[derive(Debug, Serialize)]
struct AppliedAccount {
    id: String,
    name: String,
    plan: String,
    pages: Vec<String>,
    /// The games of its keys.
    games: BTreeSet<String>,
}

pub(crate) async fn run(apply: Apply, fleet: &Fleet, output: Output) -> Result<(), Error> {
    let files =
        apply.files.iter().map(|file| Desired::read(file)).collect::<Result<Vec<_>, _>>()?;
    let mut session = Session {
        fleet,
        output,
        secrets: Secrets::open(apply.secrets)?,
        report: Report::default(),
    };
    for desired in files {
        session.apply(desired).await?;
    }
    let report = session.report;
    let (changes, unchanged) = (report.changes.len(), report.unchanged);
    output.print(&format!("{changes} changed, {unchanged} unchanged"));
    if output.is_json() {
        output.line(&report, "")?;
    }
    Ok(())
}

struct Session<'f> {
    fleet: &'f Fleet,
    output: Output,
    secrets: Secrets,
    report: Report,
}

impl Session<'_> {
    async fn apply(&mut self, desired: Desired) -> Result<(), Error> {
        if !desired.import.is_empty() {
            let reports = import::live(desired.import, self.fleet, self.output).await?;
            self.report.files.extend(reports.iter().map(FileReport::document));
        }
        for account in desired.accounts {
            let name = format!("the account {}", account.name);
            let applied = self.account(account).await;
            applied.map_err(|error| error.preceded_by(&name))?;
        }
        for currency in desired.currencies {
            let name = format!("the currency of {}", currency.game);
            let applied = self.currency(currency).await;
            applied.map_err(|error| error.preceded_by(&name))?;
        }
        Ok(())
    }

    /// Records what was changed, and prints it.
    fn record_change(&mut self, change: String) {
        self.output.print(&change);
        self.report.changes.push(change);
    }

    async fn account(&mut self, desired: Account) -> Result<(), Error> {
        let mut gateway = StaffServiceClient::new(self.fleet.gateway().await?);
        let account = self.find_or_create(&mut gateway, &desired).await?;
        // Keys of games come after the pages: only an owner of the page can have them.
        for page in &desired.pages {
            let applied = self.owner(&account, page).await;
            applied.map_err(|error| error.preceded_by(&format!("the page {page}")))?;
        }
        let mut games = BTreeSet::new();
        let request = proto::ListKeysRequest { account_id: account.id.clone() };
        let existing = gateway.list_keys(request).await?.into_inner().keys;
        for key in desired.keys {
            games.extend(key.game.clone());
            let name = format!("the key {}", key.name);
            let applied = self.key(&mut gateway, &account, &existing, key).await;
            applied.map_err(|error| error.preceded_by(&name))?;
        }
        self.report.accounts.push(AppliedAccount {
            id: account.id,
            name: account.name,
            plan: account.plan,
            pages: desired.pages,
            games,
        });
        Ok(())
    }

    async fn find_or_create(
        &mut self,
        gateway: &mut StaffServiceClient<Client>,
        desired: &Account,
    ) -> Result<proto::Account, Error> {
        let request = proto::GetAccountRequest { account_id: desired.id.to_string() };
        let found = match gateway.get_account(request).await {
            Ok(response) => response.into_inner().account,
            Err(status) if status.code() == Code::NotFound => None,
            Err(status) => return Err(status.into()),
        };
        let (name, plan) = (&desired.name, &desired.plan);
        let account = match found {
            Some(account) if account.plan == *plan => {
                self.report.unchanged += 1;
                return Ok(account);
            }
            Some(account) => {
                let request =
                    proto::SetAccountPlanRequest { account_id: account.id, plan: plan.clone() };
                let response = gateway.set_account_plan(request).await?;
                self.record_change(format!("{name}: moved from {} to {plan}", account.plan));
                response.into_inner().account
            }
            None => {
                let request = proto::CreateAccountRequest {
                    name: name.clone(),
                    plan: plan.clone(),
                    id: desired.id.to_string(),
                };
                let response = gateway.create_account(request).await?;
                self.record_change(format!("{name}: created on {plan}"));
                response.into_inner().account
            }
        };
        account.ok_or_else(|| Error::Refused("the gateway answered without it".to_owned()))
    }

    /// Creates and revokes a key, as far as that has not been done.
    async fn key(
        &mut self,
        gateway: &mut StaffServiceClient<Client>,
        account: &proto::Account,
        existing: &[proto::Key],
        desired: Key,
    ) -> Result<(), Error> {
        let (of, name) = (&account.name, &desired.name);
        // A key that was revoked or rotated does not count where the file wants one that works. A key whose secret nobody has is no use.
        let found = existing.iter().find(|key| {
            key.name == *name
                && (desired.revoked || key.revoked_at.is_none() && key.grace_until.is_none())
                && self.secrets.may_have(&account.id, key)
        });
        let key = if let Some(key) = found {
            check(key, &desired)?;
            key.clone()
        } else {
            self.secrets.require()?;
            let request = proto::CreateKeyRequest {
                account_id: account.id.clone(),
                name: name.clone(),
                mode: desired.mode.into(),
                kind: proto::KeyKind::from(desired.kind).into(),
                may_write: desired.may_write,
                game: desired.game,
            };
            let is_of_game = request.game.is_some();
            let response = once_learned(
                |code| is_of_game && code == Code::InvalidArgument,
                async || gateway.clone().create_key(request.clone()).await,
            )
            .await?;
            self.secrets.add(&account.id, name, response.secret)?;
            self.record_change(format!("{of}: created the key {name}"));
            response.key.unwrap_or_default()
        };
        // After a rotation two keys have the name.
        let others = existing.iter().filter(|it| it.name == *name && it.id != key.id);
        let working = others.chain([&key]).filter(|it| it.revoked_at.is_none());
        let revoked: Vec<String> =
            working.filter(|_| desired.revoked).map(|it| it.id.clone()).collect();
        if !revoked.is_empty() {
            for id in revoked {
                gateway.revoke_key(proto::RevokeKeyRequest { id }).await?;
            }
            self.record_change(format!("{of}: revoked the key {name}"));
        } else if found.is_some() {
            self.report.unchanged += 1;
        }
        Ok(())
    }

    /// Makes an account an owner of a page; other owners stay.
    async fn owner(&mut self, account: &proto::Account, page: &str) -> Result<(), Error> {
        let mut pages = StaffPageServiceClient::new(self.fleet.listings().await?);
        let handle = page.to_owned();
        let request = ListOwnersRequest { handle: handle.clone() };
        let owners = pages.list_owners(request).await?.into_inner().owners;
        if owners.iter().any(|owner| owner.account_id == account.id) {
            self.report.unchanged += 1;
            return Ok(());
        }
        let request = AddOwnerRequest { handle, account_id: account.id.clone() };
        pages.add_owner(request).await?;
        self.record_change(format!("{}: owns the page {page}", account.name));
        Ok(())
    }

    async fn currency(&mut self, desired: Currency) -> Result<(), Error> {
        let economy = Economy::new(self.fleet.client(Service::Economy).await?);
        let Currency { game, name } = desired;
        let request = SetCurrencyRequest { game: game.clone(), name: name.clone() };
        let response = once_learned(
            |code| code == Code::NotFound,
            async || economy.clone().set_currency(request.clone()).await,
        )
        .await?;
        if response.unchanged {
            self.report.unchanged += 1;
        } else {
            self.record_change(format!("{game}: currency set to {name}"));
        }
        Ok(())
    }
}

/// Repeats a call while its error may only mean that the service has yet to learn of the game, or of who owns it.
async fn once_learned<T>(
    may_be_unlearned: impl Fn(Code) -> bool,
    call: impl AsyncFn() -> Result<Response<T>, Status>,
) -> Result<T, Status> {
    let mut attempts = 1..ATTEMPTS;
    loop {
        match call().await {
            Err(status) if may_be_unlearned(status.code()) && attempts.next().is_some() => {
                tokio::time::sleep(PAUSE).await;
            }
            answered => return answered.map(Response::into_inner),
        }
    }
}

/// Fails when a key has other properties than the file says, because no call changes them.
fn check(key: &proto::Key, desired: &Key) -> Result<(), Error> {
    let differs = [
        ("mode", key.mode != i32::from(desired.mode)),
        ("kind", key.kind() != desired.kind.into()),
        ("may_write", key.may_write != desired.may_write),
        ("game", key.game != desired.game),
    ];
    match differs.into_iter().find(|(_, differs)| *differs) {
        None => Ok(()),
        Some((property, _)) => Err(Error::Refused(format!(
            "it exists with another `{property}`, which cannot be changed: revoke it, or give the new key another name"
        ))),
    }
}
