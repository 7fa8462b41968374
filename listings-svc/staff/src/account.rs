//! `staff account …`

use std::collections::HashMap;

use clap::Subcommand;
use contracts::gateway::v1 as proto;
use contracts::gateway::v1::staff_service_client::StaffServiceClient;
use contracts::public::Timestamp;
use kit::rpc::client::Client;
use serde::Serialize;
use tonic::{Code, Status};

use super::fleet::Fleet;
use super::output::{self, Output};
use super::problem::Problem;
use super::table::table;

/// Accounts asked for at once.
const PAGE: u32 = 500;

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Make an account
    Create {
        /// Of the person or company
        #[arg(long)]
        name: String,
        /// Names the account, beside its id
        #[arg(long)]
        email: String,
        /// See `staff plan list`
        #[arg(long, default_value = "free")]
        plan: String,
    },
    /// List all accounts
    List,
    /// Put an account on another plan
    Plan {
        /// Its id or e-mail address
        account: String,
        /// See `staff plan list`
        plan: String,
    },
}

#[derive(Debug, Serialize)]
struct Account {
    id: String,
    name: String,
    email: String,
    plan: String,
    created_at: Option<Timestamp>,
}

impl From<proto::Account> for Account {
    fn from(account: proto::Account) -> Self {
        Self {
            id: account.id,
            name: account.name,
            email: account.email,
            plan: account.plan,
            created_at: output::moment(account.created_at),
        }
    }
}

pub(crate) async fn run(command: Command, fleet: &Fleet, output: Output) -> Result<(), Problem> {
    let mut gateway = StaffServiceClient::new(fleet.gateway().await?);
    match command {
        Command::Create { name, email, plan } => {
            let request = proto::CreateAccountRequest { name, email, plan };
            let answer = gateway.create_account(request).await?.into_inner();
            one(answer.account, output)
        }
        Command::List => {
            let mut accounts = Vec::new();
            let mut cursor = Some(String::new());
            while let Some(page) = cursor {
                let request = proto::ListAccountsRequest {
                    limit: PAGE,
                    cursor: page,
                };
                let answer = gateway.list_accounts(request).await?.into_inner();
                accounts.extend(answer.accounts.into_iter().map(Account::from));
                cursor = answer.next_cursor;
            }
            let document = serde_json::json!({ "accounts": accounts });
            output.answer(&document, || listed(&accounts))
        }
        Command::Plan { account, plan } => {
            let request = proto::SetAccountPlanRequest { account, plan };
            let answer = gateway.set_account_plan(request).await?.into_inner();
            one(answer.account, output)
        }
    }
}

/// The id of an account that is named by it or by its e-mail address.
///
/// The gateway knows accounts. Where it does not take the caller's token, an id is taken as it is.
pub(crate) async fn id(fleet: &Fleet, account: String) -> Result<String, Problem> {
    let is_id = uuid::Uuid::parse_str(&account).is_ok();
    let asked = async {
        let mut gateway = StaffServiceClient::new(fleet.gateway().await?);
        match get(&mut gateway, account.clone()).await {
            Ok(found) => Ok(found),
            Err(status) if is_id && status.code() == Code::Unauthenticated => {
                Err(Problem::usage("the gateway does not take this token"))
            }
            Err(status) => Err(status.into()),
        }
    };
    match asked.await {
        Ok(Some(found)) => Ok(found.id),
        Ok(None) => Err(Problem::Refused(
            "the gateway answered without an account".to_owned(),
        )),
        Err(Problem::Usage(why)) if is_id => {
            output::note(&format!(
                "nobody has looked whether there is the account {account}: {why}"
            ));
            Ok(account)
        }
        Err(problem) => Err(problem),
    }
}

/// How accounts are shown to people: by name and e-mail address, or by their ids when the gateway does not tell.
///
/// If the gateway rejects the token, accounts are shown by id.
#[derive(Debug)]
pub(crate) struct Names {
    /// Until it has not told of one.
    gateway: Option<StaffServiceClient<Client>>,
    /// By id; `None` where it has not told.
    known: HashMap<String, Option<String>>,
}

impl Names {
    pub(crate) async fn new(fleet: &Fleet) -> Self {
        Self {
            gateway: fleet.gateway().await.ok().map(StaffServiceClient::new),
            known: HashMap::new(),
        }
    }

    /// The name and e-mail address of an account, or its id.
    pub(crate) async fn of(&mut self, id: &str) -> String {
        self.find(id).await.unwrap_or_else(|| id.to_owned())
    }

    async fn find(&mut self, id: &str) -> Option<String> {
        if let Some(name) = self.known.get(id) {
            return name.clone();
        }
        let name = self.ask(id).await;
        self.known.insert(id.to_owned(), name.clone());
        name
    }

    async fn ask(&mut self, id: &str) -> Option<String> {
        let gateway = self.gateway.as_mut().filter(|_| !id.is_empty())?;
        match get(gateway, id.to_owned()).await {
            Ok(account) => account.map(|it| format!("{} ({})", it.name, it.email)),
            Err(status) => {
                if status.code() != Code::NotFound {
                    self.gateway = None;
                }
                None
            }
        }
    }
}

/// For people, puts the name and e-mail address of each account before its id.
pub(crate) async fn name_beside_id<'i>(
    ids: impl IntoIterator<Item = &'i mut String>,
    fleet: &Fleet,
    output: Output,
) {
    if output.is_json() {
        return;
    }
    let mut names = Names::new(fleet).await;
    for id in ids {
        if let Some(name) = names.find(id).await {
            *id = format!("{name} {id}");
        }
    }
}

async fn get(
    gateway: &mut StaffServiceClient<Client>,
    account: String,
) -> Result<Option<proto::Account>, Status> {
    let request = proto::GetAccountRequest { account };
    Ok(gateway.get_account(request).await?.into_inner().account)
}

fn one(account: Option<proto::Account>, output: Output) -> Result<(), Problem> {
    let account = Account::from(account.unwrap_or_default());
    let document = serde_json::json!({ "account": account });
    output.answer(&document, || listed(&[account]))
}

fn listed(accounts: &[Account]) -> comfy_table::Table {
    let rows = accounts.iter().map(|account| {
        [
            account.id.clone(),
            account.name.clone(),
            account.email.clone(),
            account.plan.clone(),
            output::shown(account.created_at.as_ref()),
        ]
    });
    table(["id", "name", "e-mail", "plan", "made"], rows)
}
