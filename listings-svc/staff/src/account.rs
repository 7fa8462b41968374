//! Accounts: their ids, and their names for people.

use std::collections::HashMap;

use contracts::gateway::v1 as proto;
use contracts::gateway::v1::staff_service_client::StaffServiceClient;
use kit::rpc::client::Client;
use tonic::{Code, Status};

use crate::error::Error;
use crate::fleet::Fleet;
use crate::output;

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

    /// The name and e-mail address of an account.
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

async fn get(
    gateway: &mut StaffServiceClient<Client>,
    account: String,
) -> Result<Option<proto::Account>, Status> {
    let request = proto::GetAccountRequest { account };
    Ok(gateway.get_account(request).await?.into_inner().account)
}
