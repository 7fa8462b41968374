//! `staff account …`

mod show;

use std::collections::HashMap;

use clap::Subcommand;
use contracts::common::v1::PageRequest;
use contracts::gateway::v1 as proto;
use contracts::gateway::v1::staff_service_client::StaffServiceClient;
use contracts::web::v1::AccountPerson;
use kit::rpc::client::Client;
use tonic::{Code, Status};

use crate::error::Error;
use crate::fleet::Fleet;
use crate::output::{self, Output};
use crate::rows;
use crate::table::Column;
use crate::team;

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Create an account, and invite its first owner by e-mail
    Create {
        /// The name of the person or company
        #[arg(long)]
        name: String,
        /// The e-mail address of the first owner
        #[arg(long)]
        email: String,
        /// The plan; `staff plan list` lists them. Without it, the cheapest that is sold
        #[arg(long, default_value = "", hide_default_value = true)]
        plan: String,
    },
    /// Invite a person to an account as owner, by e-mail; an earlier invitation of the address ends
    Invite {
        /// The id of the account
        account: String,
        /// The e-mail address of the person
        email: String,
    },
    /// List all accounts
    List,
    /// Show an account with its plan, and what it has used of it
    ///
    /// The gateway knows the calls and keys, web the people, listings-svc the writes, and webhook-svc the endpoints: all four must answer.
    Show {
        /// The id of the account, or the e-mail address of a person who belongs to no other one
        account: String,
    },
    /// Move an account to another plan
    SetPlan {
        /// The id of the account, or the e-mail address of a person who belongs to no other one
        account: String,
        /// The plan; `staff plan list` lists them
        plan: String,
    },
}

const COLUMNS: &[Column<proto::Account>] = &[
    ("id", |it| it.id.clone()),
    ("name", |it| it.name.clone()),
    ("plan", |it| it.plan.clone()),
    ("created", |it| output::format_time(it.created_at)),
];

const PERSON_COLUMNS: &[Column<AccountPerson>] = &[
    ("e-mail", |it| it.email.clone()),
    ("role", |it| it.role.clone()),
    ("invited until", |it| output::format_time(it.invited_until)),
];

pub(crate) async fn run(command: Command, fleet: &Fleet, output: Output) -> Result<(), Error> {
    let mut gateway = StaffServiceClient::new(fleet.gateway().await?);
    match command {
        Command::Create { name, email, plan } => {
            let id = String::new();
            let request = proto::CreateAccountRequest { name, plan, id };
            let response = gateway.create_account(request).await?.into_inner();
            let account = response.account.unwrap_or_default();
            let invited = team::invite(fleet, account.id.clone(), email).await;
            invited.map_err(|error| {
                error.preceded_by(&format!(
                    "the account {} is created, and `staff account invite` can invite its owner",
                    account.id
                ))
            })?;
            print(Some(account), output)
        }
        Command::Invite { account, email } => {
            let person = team::invite(fleet, account, email).await?;
            output.row("person", &person, PERSON_COLUMNS)
        }
        Command::List => {
            let read = async |page: PageRequest| {
                let request = proto::ListAccountsRequest {
                    limit: page.limit,
                    cursor: page.cursor,
                };
                let response = gateway.clone().list_accounts(request).await?.into_inner();
                Ok((response.accounts, response.next_cursor.unwrap_or_default()))
            };
            output.rows("accounts", &rows::read_all(read).await?, COLUMNS)
        }
        Command::Show { account } => {
            let account_id = id(fleet, account).await?;
            let request = proto::GetAccountRequest { account_id };
            let found = gateway.get_account(request).await?.into_inner();
            show::print(found, fleet, output).await
        }
        Command::SetPlan { account, plan } => {
            let account_id = id(fleet, account).await?;
            let request = proto::SetAccountPlanRequest { account_id, plan };
            let response = gateway.set_account_plan(request).await?.into_inner();
            print(response.account, output)
        }
    }
}

/// The id of an account, given its id or the e-mail address of a person who belongs to no other one.
///
/// The gateway looks an id up. When the gateway is not available to the caller, an id is used unchecked.
pub(crate) async fn id(fleet: &Fleet, account: String) -> Result<String, Error> {
    if account.contains('@') {
        return team::account_of(fleet, account).await;
    }
    let is_id = uuid::Uuid::parse_str(&account).is_ok();
    let lookup = async {
        let mut gateway = StaffServiceClient::new(fleet.gateway().await?);
        match get(&mut gateway, account.clone()).await {
            Ok(found) => Ok(found),
            Err(status) if is_id && status.code() == Code::Unauthenticated => {
                Err(Error::usage("the gateway does not accept this token"))
            }
            Err(status) => Err(status.into()),
        }
    };
    match lookup.await {
        Ok(Some(found)) => Ok(found.id),
        Ok(None) => Err(Error::Refused(
            "the gateway answered without an account".to_owned(),
        )),
        Err(Error::Usage(why)) if is_id => {
            output::note(&format!("the account {account} was not checked: {why}"));
            Ok(account)
        }
        Err(error) => Err(error),
    }
}

/// Looks up names of accounts for people, and remembers them. Accounts are shown by id when the gateway does not answer or rejects the
/// token.
#[derive(Debug)]
pub(crate) struct AccountNames {
    /// `None` once a look-up has failed.
    gateway: Option<StaffServiceClient<Client>>,
    /// By id; `None` for an account whose name was not found.
    cache: HashMap<String, Option<String>>,
}

impl AccountNames {
    pub(crate) async fn new(fleet: &Fleet) -> Self {
        Self {
            gateway: fleet.gateway().await.ok().map(StaffServiceClient::new),
            cache: HashMap::new(),
        }
    }

    /// The name of an account with its id, or the id alone.
    pub(crate) async fn name_or_id(&mut self, id: &str) -> String {
        match self.find(id).await {
            Some(name) => format!("{name} {id}"),
            None => id.to_owned(),
        }
    }

    async fn find(&mut self, id: &str) -> Option<String> {
        if let Some(name) = self.cache.get(id) {
            return name.clone();
        }
        let name = self.look_up(id).await;
        self.cache.insert(id.to_owned(), name.clone());
        name
    }

    async fn look_up(&mut self, id: &str) -> Option<String> {
        let gateway = self.gateway.as_mut().filter(|_| !id.is_empty())?;
        match get(gateway, id.to_owned()).await {
            Ok(account) => account.map(|it| it.name),
            Err(status) => {
                if status.code() != Code::NotFound {
                    self.gateway = None;
                }
                None
            }
        }
    }
}

/// In an answer for people, puts the name of each account before its id.
pub(crate) async fn prefix_with_names<'i>(
    ids: impl IntoIterator<Item = &'i mut String>,
    fleet: &Fleet,
    output: Output,
) {
    if output.is_json() {
        return;
    }
    let mut names = AccountNames::new(fleet).await;
    for id in ids {
        *id = names.name_or_id(id).await;
    }
}

async fn get(
    gateway: &mut StaffServiceClient<Client>,
    account_id: String,
) -> Result<Option<proto::Account>, Status> {
    let request = proto::GetAccountRequest { account_id };
    Ok(gateway.get_account(request).await?.into_inner().account)
}

fn print(account: Option<proto::Account>, output: Output) -> Result<(), Error> {
    output.row("account", &account.unwrap_or_default(), COLUMNS)
}
