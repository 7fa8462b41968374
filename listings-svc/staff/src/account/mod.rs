//! `staff account …`

mod show;

use std::collections::HashMap;

use clap::Subcommand;
use contracts::common::v1::PageRequest;
use contracts::gateway::v1 as proto;
use contracts::gateway::v1::staff_service_client::StaffServiceClient;
use kit::rpc::client::Client;
use tonic::{Code, Status};

use crate::error::Error;
use crate::fleet::Fleet;
use crate::output::{self, Output};
use crate::rows;
use crate::table::Column;

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Create an account
    Create {
        /// The name of the person or company
        #[arg(long)]
        name: String,
        /// The e-mail address, which identifies the account as its id does
        #[arg(long)]
        email: String,
        /// The plan; `staff plan list` lists them. Without it, the cheapest that is sold
        #[arg(long, default_value = "", hide_default_value = true)]
        plan: String,
    },
    /// List all accounts
    List,
    /// Show an account with its plan, and what it has used of it
    ///
    /// The gateway knows the calls and keys, listings-svc the writes, and webhook-svc the endpoints: all three must answer.
    Show {
        /// The id or e-mail address of the account
        account: String,
    },
    /// Move an account to another plan
    SetPlan {
        /// The id or e-mail address of the account
        account: String,
        /// The plan; `staff plan list` lists them
        plan: String,
    },
}

const COLUMNS: &[Column<proto::Account>] = &[
    ("id", |it| it.id.clone()),
    ("name", |it| it.name.clone()),
    ("e-mail", |it| it.email.clone()),
    ("plan", |it| it.plan.clone()),
    ("created", |it| output::format_time(it.created_at)),
];

pub(crate) async fn run(command: Command, fleet: &Fleet, output: Output) -> Result<(), Error> {
    let mut gateway = StaffServiceClient::new(fleet.gateway().await?);
    match command {
        Command::Create { name, email, plan } => {
            let request = proto::CreateAccountRequest { name, email, plan };
            let response = gateway.create_account(request).await?.into_inner();
            print(response.account, output)
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
            let request = proto::GetAccountRequest { account };
            let found = gateway.get_account(request).await?.into_inner();
            show::print(found, fleet, output).await
        }
        Command::SetPlan { account, plan } => {
            let request = proto::SetAccountPlanRequest { account, plan };
            let response = gateway.set_account_plan(request).await?.into_inner();
            print(response.account, output)
        }
    }
}

/// The id of an account, given its id or its e-mail address.
///
/// The gateway looks the account up. When the gateway is not available to the caller, an id is used unchecked.
pub(crate) async fn id(fleet: &Fleet, account: String) -> Result<String, Error> {
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

    /// The name and e-mail address of an account, or its id.
    pub(crate) async fn name_or_id(&mut self, id: &str) -> String {
        self.find(id).await.unwrap_or_else(|| id.to_owned())
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

/// In an answer for people, puts the name and e-mail address of each account before its id.
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

fn print(account: Option<proto::Account>, output: Output) -> Result<(), Error> {
    output.row("account", &account.unwrap_or_default(), COLUMNS)
}
