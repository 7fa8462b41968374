//! Accounts: `staff account create`, their ids, and their names for people. The gateway knows the accounts, and web their people.

use std::collections::HashMap;

use clap::{Args, Subcommand};
use contracts::gateway::v1 as proto;
use contracts::gateway::v1::staff_service_client::StaffServiceClient;
use contracts::web::v1 as web;
use contracts::web::v1::staff_service_client::StaffServiceClient as WebClient;
use kit::rpc::client::Client;
use tonic::{Code, Status};

use crate::error::Error;
use crate::fleet::Fleet;
use crate::output::{self, Output};
use crate::service::Service;

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Creates an account, and invites its first owner by e-mail
    Create(Create),
}

#[derive(Debug, Args)]
pub(crate) struct Create {
    /// The name of the person or company
    #[arg(long)]
    name: String,
    /// The e-mail address of the first owner
    #[arg(long)]
    email: String,
    /// The plan; `staff plan list` lists them. Without it, the cheapest that is sold
    #[arg(long, default_value = "", hide_default_value = true)]
    plan: String,
}

pub(crate) async fn run(command: Command, fleet: &Fleet, output: Output) -> Result<(), Error> {
    let Command::Create(Create { name, email, plan }) = command;
    let mut gateway = StaffServiceClient::new(fleet.gateway().await?);
    let id = String::new();
    let request = proto::CreateAccountRequest { name, plan, id };
    let created = gateway.create_account(request).await?.into_inner().account;
    let account = created.unwrap_or_default();
    let invited = invite(fleet, account.id.clone(), email.clone()).await;
    // The account is there: the command again would make a second one.
    let again = format!("staff account invite {} {email}", account.id);
    invited.map_err(|error| error.followed_by(&format!("the account is made; {again} invites")))?;
    let document = serde_json::json!({
        "account": {"id": account.id, "name": account.name, "plan": account.plan},
        "invited": email,
    });
    let line = format!(
        "{} ({}) is on the plan {}; {email} is invited",
        account.name, account.id, account.plan
    );
    output.line(&document, &line)
}

/// Invites a person to an account as owner.
async fn invite(fleet: &Fleet, account_id: String, email: String) -> Result<(), Error> {
    let mut web = WebClient::new(fleet.client(Service::Web).await?);
    let request = web::InviteOwnerRequest { account_id, email };
    web.invite_owner(request).await?;
    Ok(())
}

/// The only account of the person with an address.
async fn for_person(fleet: &Fleet, email: String) -> Result<String, Error> {
    let mut web = WebClient::new(fleet.client(Service::Web).await?);
    let request = web::ListPersonAccountsRequest { email: email.clone() };
    let response = web.list_person_accounts(request).await?.into_inner();
    match &response.account_ids[..] {
        [account] => Ok(account.clone()),
        [] => Err(Error::Refused(format!("{email} belongs to no account"))),
        several => Err(Error::usage(format!(
            "{email} belongs to several accounts; give the id of one: {}",
            several.join(", ")
        ))),
    }
}

/// The id of an account, given its id or the e-mail address of a person who belongs to no other one.
///
/// The gateway looks an id up. When the gateway is not available to the caller, an id is used unchecked.
pub(crate) async fn id(fleet: &Fleet, account: String) -> Result<String, Error> {
    if account.contains('@') {
        return for_person(fleet, account).await;
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
        Ok(None) => Err(Error::Refused("the gateway answered without an account".to_owned())),
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

    /// The name of an account, or its id.
    pub(crate) async fn name_or_id(&mut self, id: &str) -> String {
        self.find(id).await.unwrap_or_else(|| id.to_owned())
    }

    /// The name of an account.
    pub(crate) async fn find(&mut self, id: &str) -> Option<String> {
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

async fn get(
    gateway: &mut StaffServiceClient<Client>,
    account_id: String,
) -> Result<Option<proto::Account>, Status> {
    let request = proto::GetAccountRequest { account_id };
    Ok(gateway.get_account(request).await?.into_inner().account)
}
