//! The people of accounts. web knows them, and the gateway knows the accounts.

use contracts::web::v1 as proto;
use contracts::web::v1::staff_service_client::StaffServiceClient;

use crate::error::Error;
use crate::fleet::Fleet;
use crate::output;

/// The only account of the person with an address.
pub(crate) async fn account_of(fleet: &Fleet, email: String) -> Result<String, Error> {
    let mut web = StaffServiceClient::new(fleet.web().await?);
    let request = proto::ListPersonAccountsRequest {
        email: email.clone(),
    };
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

/// Invites a person to an account as owner.
pub(crate) async fn invite(
    fleet: &Fleet,
    account_id: String,
    email: String,
) -> Result<proto::AccountPerson, Error> {
    let mut web = StaffServiceClient::new(fleet.web().await?);
    let request = proto::InviteOwnerRequest { account_id, email };
    let response = web.invite_owner(request).await?.into_inner();
    Ok(response.person.unwrap_or_default())
}

/// The members of an account, and those who are invited.
pub(crate) async fn people(
    fleet: &Fleet,
    account_id: String,
) -> Result<Vec<proto::AccountPerson>, Error> {
    let mut web = StaffServiceClient::new(fleet.web().await?);
    let request = proto::ListAccountPeopleRequest { account_id };
    let response = web.list_account_people(request).await?.into_inner();
    Ok(response.people)
}

/// People in words.
pub(crate) fn in_words(people: &[proto::AccountPerson]) -> String {
    let people = people.iter().map(|person| {
        let (email, role) = (&person.email, &person.role);
        match person.invited_until {
            None => format!("{email} ({role})"),
            until => format!(
                "{email} ({role}, invited until {})",
                output::format_time(until)
            ),
        }
    });
    people.collect::<Vec<_>>().join(", ")
}
