//! web.v1.StaffService: staff end the second factor of a person who has lost phone and recovery codes.

use contracts::common::v1::{ListAuditRequest, ListAuditResponse};
use contracts::web::v1 as proto;
use contracts::web::v1::staff_service_server::StaffService;
use kit::Fault;
use kit::audit::{self, Audit, Subject};
use kit::bad_fields::BadFields;
use pages::mails::MailText;
use serde_json::json;
use sqlx::PgConnection;
use tonic::{Request, Response, Status};

use crate::app::App;
use crate::domain::email;
use crate::domain::staff_action::{AuthorizedAction, StaffAction};
use crate::person_mail::{self, Reader};
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
        Ok(Response::new(proto::GetPersonResponse {
            person: Some(person),
        }))
    }

    async fn end_second_factor(
        &self,
        request: Request<proto::EndSecondFactorRequest>,
    ) -> Result<Response<proto::EndSecondFactorResponse>, Status> {
        let on = ("person", request.get_ref().email.as_str());
        let action = StaffAction::EndSecondFactor;
        let by = self.audit.admit(&request, action, on).await?;
        let person = self.end_factor(&by, &request.into_inner()).await?;
        Ok(Response::new(proto::EndSecondFactorResponse {
            person: Some(person),
        }))
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
        let address = email::parse(address);
        let address = address.map_err(|reason| Fault::invalid_field("email", reason))?;
        let mut connection = self.app.pool.acquire().await?;
        let person = people::by_email(&mut *connection, &address).await?;
        let person = person.ok_or_else(|| unknown(&address))?;
        message(&mut connection, &person).await
    }

    async fn end_factor(
        &self,
        by: &AuthorizedAction,
        request: &proto::EndSecondFactorRequest,
    ) -> Result<proto::Person, Fault> {
        let (address, reason) = address_and_reason(&request.email, &request.reason)?;
        let mut transaction = self.app.pool.begin().await?;
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
        let ended = Person {
            totp_secret: None,
            ..person
        };
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
        person_mail::queue(&mut *connection, Reader::of(person), &text, now).await?;
        let text = MailText::new("factor-of-member-ended")
            .with("email", person.email.as_str())
            .with("contact", contact);
        for owner in members::other_owners(&mut *connection, person.id).await? {
            let reader = Reader {
                address: &owner.email,
                language: owner.language,
            };
            person_mail::queue(&mut *connection, reader, &text, now).await?;
        }
        Ok(())
    }
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
    let found = people::by_email(&mut *connection, address).await?;
    let found = found.ok_or_else(|| unknown(address))?;
    let locked = people::lock(connection, found.id).await?;
    // The address may have changed meanwhile.
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
