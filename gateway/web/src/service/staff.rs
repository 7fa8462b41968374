//! web.v1.StaffService: staff end the second factor of a person who has lost phone and recovery codes.

use contracts::common::v1::{ListAuditRequest, ListAuditResponse};
use contracts::web::v1 as proto;
use contracts::web::v1::staff_service_server::StaffService;
use kit::audit::{self, Audit, Subject};
use kit::bad_fields::BadFields;
use kit::{Fault, timestamp};
use serde_json::json;
use sqlx::PgConnection;
use tonic::{Request, Response, Status};

use crate::app::App;
use crate::domain::email;
use crate::domain::staff_action::{AuthorizedAction, StaffAction};
use crate::people::lost_phone::{self, Requester};
use crate::store::people::{self, Person};
use crate::store::{SCHEMA, factor_ends, members};

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

    async fn cancel_end_of_second_factor(
        &self,
        request: Request<proto::CancelEndOfSecondFactorRequest>,
    ) -> Result<Response<proto::CancelEndOfSecondFactorResponse>, Status> {
        let on = ("person", request.get_ref().email.as_str());
        let action = StaffAction::CancelEndOfSecondFactor;
        let by = self.audit.admit(&request, action, on).await?;
        let person = self.keep_factor(&by, &request.into_inner()).await?;
        Ok(Response::new(proto::CancelEndOfSecondFactorResponse {
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
        let ends_at = factor_ends::ends_at(&mut *transaction, &person).await?;
        // A repeated call sends no mails again, and does not begin another day.
        if ends_at.is_none() {
            lost_phone::begin(&mut transaction, &self.app, Requester::Staff, &person).await?;
            self.record(&mut transaction, by, &person, &reason).await?;
        }
        let person = message(&mut transaction, &person).await?;
        transaction.commit().await?;
        Ok(person)
    }

    async fn keep_factor(
        &self,
        by: &AuthorizedAction,
        request: &proto::CancelEndOfSecondFactorRequest,
    ) -> Result<proto::Person, Fault> {
        let (address, reason) = address_and_reason(&request.email, &request.reason)?;
        let mut transaction = self.app.pool.begin().await?;
        let person = lock(&mut transaction, &address).await?;
        if !lost_phone::stop_in(&mut transaction, &self.app, &person, None).await? {
            return Err(Fault::not_found(
                "Nobody asked for the end of this second factor, or it was stopped, or the second factor has ended: `staff person show` says which.",
            ));
        }
        self.record(&mut transaction, by, &person, &reason).await?;
        let person = message(&mut transaction, &person).await?;
        transaction.commit().await?;
        Ok(person)
    }

    async fn record(
        &self,
        connection: &mut PgConnection,
        by: &AuthorizedAction,
        person: &Person,
        reason: &str,
    ) -> Result<(), sqlx::Error> {
        let subject = Subject {
            entity: "person",
            name: person.email.clone(),
            details: json!({ "reason": reason, "person": person.id }),
        };
        let now = self.app.clock.now();
        by.record(connection, SCHEMA, subject, now).await
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

/// Reads a person and locks it until the transaction ends.
async fn lock(connection: &mut PgConnection, address: &str) -> Result<Person, Fault> {
    let person = people::by_email(&mut *connection, address).await?;
    let person = person.ok_or_else(|| unknown(address))?;
    if people::lock(connection, &person).await? {
        Ok(person)
    } else {
        Err(Fault::unavailable(
            "the credentials of a person have just changed",
        ))
    }
}

fn unknown(address: &str) -> Fault {
    Fault::not_found(format!(
        "No person signs in with {address}. The person may have another address, or was deleted."
    ))
}

async fn message(connection: &mut PgConnection, person: &Person) -> Result<proto::Person, Fault> {
    let ends_at = factor_ends::ends_at(&mut *connection, person).await?;
    let owners = members::other_owners(connection, person.id).await?;
    Ok(proto::Person {
        id: person.id.to_string(),
        email: person.email.clone(),
        has_second_factor: person.totp_secret.is_some(),
        second_factor_ends_at: ends_at.map(timestamp::encode),
        other_owners: owners.len().try_into().unwrap_or(u32::MAX),
    })
}
