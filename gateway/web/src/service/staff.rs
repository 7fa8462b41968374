//! web.v1.StaffService: staff invite the first owner of an account, read who belongs to it, and end the second factor of a person who has
//! lost phone and recovery codes.

use contracts::common::v1::{ListAuditRequest, ListAuditResponse};
use contracts::web::v1 as proto;
use contracts::web::v1::staff_service_server::StaffService;
use kit::api::bad_fields::BadFields;
use kit::api::timestamp;
use kit::audit::{self, Audit, Subject};
use kit::{Fault, ids};
use pages::Language;
use pages::mails::MailText;
use serde_json::json;
use sqlx::PgConnection;
use tonic::{Request, Response, Status};

use crate::account::team::{MAX_TEAM, is_full};
use crate::app::App;
use crate::domain::action::Action;
use crate::domain::email;
use crate::domain::role::Role;
use crate::domain::staff_action::{AuthorizedAction, StaffAction};
use crate::people::link_mail::{LinkMail, send_link};
use crate::person_mail::{self, Reader};
use crate::store::activity::{self, NewEntry};
use crate::store::links::{self, Link, LinkTarget};
use crate::store::people::{self, Person};
use crate::store::{SCHEMA, members, sessions};

pub struct Staff {
    pub app: App,
    /// Authorizes calls and records them.
    pub audit: Audit,
}

#[tonic::async_trait]
impl StaffService for Staff {
    async fn get_person(
        &self,
        request: Request<proto::GetPersonRequest>,
    ) -> Result<Response<proto::GetPersonResponse>, Status> {
        let on = ("person", request.get_ref().email.as_str());
        self.audit.admit(&request, StaffAction::Look, on).await?;
        let person = self.find(&request.into_inner().email).await?;
        Ok(Response::new(proto::GetPersonResponse { person: Some(person) }))
    }

    async fn end_second_factor(
        &self,
        request: Request<proto::EndSecondFactorRequest>,
    ) -> Result<Response<proto::EndSecondFactorResponse>, Status> {
        let on = ("person", request.get_ref().email.as_str());
        let action = StaffAction::EndSecondFactor;
        let by = self.audit.admit(&request, action, on).await?;
        let person = self.end_factor(&by, &request.into_inner()).await?;
        Ok(Response::new(proto::EndSecondFactorResponse { person: Some(person) }))
    }

    async fn list_account_people(
        &self,
        request: Request<proto::ListAccountPeopleRequest>,
    ) -> Result<Response<proto::ListAccountPeopleResponse>, Status> {
        let on = ("account", request.get_ref().account_id.as_str());
        self.audit.admit(&request, StaffAction::ReadTeam, on).await?;
        let people = self.people_of(&request.into_inner().account_id).await?;
        Ok(Response::new(proto::ListAccountPeopleResponse { people }))
    }

    async fn list_person_accounts(
        &self,
        request: Request<proto::ListPersonAccountsRequest>,
    ) -> Result<Response<proto::ListPersonAccountsResponse>, Status> {
        let on = ("person", request.get_ref().email.as_str());
        self.audit.admit(&request, StaffAction::ReadTeam, on).await?;
        let account_ids = self.accounts_of(&request.into_inner().email).await?;
        Ok(Response::new(proto::ListPersonAccountsResponse { account_ids }))
    }

    async fn invite_owner(
        &self,
        request: Request<proto::InviteOwnerRequest>,
    ) -> Result<Response<proto::InviteOwnerResponse>, Status> {
        let on = ("account", request.get_ref().account_id.as_str());
        let action = StaffAction::InviteOwner;
        let by = self.audit.admit(&request, action, on).await?;
        let person = self.invite(&by, &request.into_inner()).await?;
        Ok(Response::new(proto::InviteOwnerResponse { person: Some(person) }))
    }

    async fn list_audit(
        &self,
        request: Request<ListAuditRequest>,
    ) -> Result<Response<ListAuditResponse>, Status> {
        self.audit.list::<StaffAction>(request).await
    }
}

impl Staff {
    async fn find(&self, address: &str) -> Result<proto::Person, Fault> {
        let mut connection = self.app.pool.acquire().await?;
        let person = find(&mut connection, address).await?;
        message(&mut connection, &person).await
    }

    async fn accounts_of(&self, address: &str) -> Result<Vec<String>, Fault> {
        let mut connection = self.app.pool.acquire().await?;
        let person = find(&mut connection, address).await?;
        let memberships = members::of_person(&mut *connection, person.id).await?;
        let ids = memberships.iter().map(|it| it.account.to_string());
        Ok(ids.collect())
    }

    async fn people_of(&self, account: &str) -> Result<Vec<proto::AccountPerson>, Fault> {
        let mut bad = BadFields::default();
        let account = bad.id("account_id", account);
        bad.check()?;
        let (pool, now) = (&self.app.pool, self.app.clock.now());
        let members = members::of_account(pool, account).await?.into_iter().map(|member| {
            proto::AccountPerson {
                email: member.email,
                role: member.role.as_str().to_owned(),
                invited_until: None,
            }
        });
        let invitations = links::invitations(pool, account, now).await?;
        let invited = invitations.iter().filter_map(invited_person);
        Ok(members.chain(invited).collect())
    }

    async fn invite(
        &self,
        by: &AuthorizedAction,
        request: &proto::InviteOwnerRequest,
    ) -> Result<proto::AccountPerson, Fault> {
        let mut bad = BadFields::default();
        let account = bad.id("account_id", &request.account_id);
        let address = bad.read("email", email::parse(&request.email));
        let address = bad.finish(address)?;
        let (app, now) = (&self.app, self.app.clock.now());
        // It is `not_found` if the gateway does not know it.
        app.gateway.account(account).await?;
        let mut transaction = kit::pg::begin(&app.pool).await?;
        members::lock(&mut transaction, account).await?;
        let members = members::of_account(&mut *transaction, account).await?;
        let invited = links::invitations(&mut *transaction, account, now).await?;
        if members.iter().any(|member| member.email == address) {
            let reason = "The person is a member of the account.";
            return Err(Fault::invalid_field("email", reason));
        }
        if is_full(&members, &invited, &address) {
            let reason = format!("The account has {MAX_TEAM} members and invitations.");
            return Err(Fault::invalid_field("account_id", reason));
        }
        for old in invited.iter().filter(|old| old.email == address) {
            links::withdraw(&mut *transaction, account, old.id).await?;
        }
        let person = people::by_email(&mut *transaction, &address).await?;
        let mail = LinkMail {
            id: ids::row_id(),
            address: &address,
            target: LinkTarget::Invite { by: None, account, role: Role::Owner },
            requested_from: None,
            next: None,
            language: person.as_ref().map_or(Language::English, Person::language),
            text: MailText::new("invite-by-staff"),
        };
        let expires_at = send_link(&mut transaction, app, mail).await?;
        let entry = NewEntry::of_staff(account, Action::Invited, &address);
        activity::insert(&mut *transaction, entry, now).await?;
        let subject = Subject {
            entity: "account",
            name: account.to_string(),
            details: json!({ "email": address }),
        };
        by.record(&mut *transaction, SCHEMA, subject, now).await?;
        transaction.commit().await?;
        Ok(proto::AccountPerson {
            email: address,
            role: Role::Owner.as_str().to_owned(),
            invited_until: Some(timestamp::encode(expires_at)),
        })
    }

    async fn end_factor(
        &self,
        by: &AuthorizedAction,
        request: &proto::EndSecondFactorRequest,
    ) -> Result<proto::Person, Fault> {
        let (address, reason) = address_and_reason(&request.email, &request.reason)?;
        let mut transaction = kit::pg::begin(&self.app.pool).await?;
        let person = lock(&mut transaction, &address).await?;
        if person.totp_secret.is_none() {
            let reason = "The person has no second factor: the password alone signs in.";
            return Err(Fault::invalid_field("email", reason));
        }
        people::set_totp(&mut transaction, person.id, None, &[]).await?;
        sessions::end_all(&mut *transaction, person.id).await?;
        self.inform(&mut transaction, &person).await?;
        let now = self.app.clock.now();
        let subject = Subject {
            entity: "person",
            name: person.email.clone(),
            details: json!({ "reason": reason, "person": person.id }),
        };
        by.record(&mut *transaction, SCHEMA, subject, now).await?;
        let ended = Person { totp_secret: None, ..person };
        let person = message(&mut transaction, &ended).await?;
        transaction.commit().await?;
        Ok(person)
    }

    /// Tells a person whose second factor staff have ended, and the other owners of the person's accounts.
    async fn inform(
        &self,
        connection: &mut PgConnection,
        person: &Person,
    ) -> Result<(), sqlx::Error> {
        let (app, now) = (&self.app, self.app.clock.now());
        let contact = app.staff_mail.as_ref().unwrap_or(&app.public_url).as_str();
        let text = MailText::new("factor-ended")
            .with("page", format!("{}/you/totp", app.public_url))
            .with("contact", contact);
        person_mail::queue(&mut *connection, Reader::from_person(person), &text, now).await?;
        let text = MailText::new("factor-of-member-ended")
            .with("email", person.email.as_str())
            .with("contact", contact);
        for owner in members::other_owners(&mut *connection, person.id).await? {
            let reader = Reader { address: &owner.email, language: owner.language };
            person_mail::queue(&mut *connection, reader, &text, now).await?;
        }
        Ok(())
    }
}

/// The person with an address.
async fn find(connection: &mut PgConnection, address: &str) -> Result<Person, Fault> {
    let address = email::parse(address).map_err(|reason| Fault::invalid_field("email", reason))?;
    let person = people::by_email(connection, &address).await?;
    person.ok_or_else(|| unknown(&address))
}

/// A person who is invited.
fn invited_person(link: &Link) -> Option<proto::AccountPerson> {
    let LinkTarget::Invite { role, .. } = &link.target else {
        return None;
    };
    Some(proto::AccountPerson {
        email: link.email.clone(),
        role: role.as_str().to_owned(),
        invited_until: Some(timestamp::encode(link.expires_at)),
    })
}

/// Parses the address and the reason of a call. Both are required.
fn address_and_reason(address: &str, reason: &str) -> Result<(String, String), Fault> {
    let mut bad = BadFields::default();
    let address = bad.read("email", email::parse(address));
    let reason = bad.take(audit::reason(reason));
    if reason.as_ref().is_some_and(String::is_empty) {
        bad.add("reason", "Say why; the audit keeps it.");
    }
    bad.finish(address.zip(reason))
}

/// Reads the person with an address, and locks the person until the transaction ends.
async fn lock(connection: &mut PgConnection, address: &str) -> Result<Person, Fault> {
    let found =
        people::by_email(&mut *connection, address).await?.ok_or_else(|| unknown(address))?;
    let locked = people::lock(connection, found.id).await?;
    // The address may have changed since then.
    let locked = locked.filter(|locked| locked.email == address);
    locked.ok_or_else(|| unknown(address))
}

fn unknown(address: &str) -> Fault {
    Fault::not_found(format!(
        "No person signs in with {address}. The person may have another address, or was deleted."
    ))
}

async fn message(connection: &mut PgConnection, person: &Person) -> Result<proto::Person, Fault> {
    let owners = members::other_owners(connection, person.id).await?;
    Ok(proto::Person {
        id: person.id.to_string(),
        email: person.email.clone(),
        has_second_factor: person.totp_secret.is_some(),
        other_owners: owners.len().try_into().unwrap_or(u32::MAX),
    })
}
