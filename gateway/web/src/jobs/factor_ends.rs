//! Ends the second factors of people who have lost phone and recovery codes, a day after they or staff have asked for it.

use std::net::IpAddr;

use anyhow::Context as _;
use pages::mails::MailText;
use time::OffsetDateTime;
use uuid::Uuid;

use super::RunResults;
use crate::app::Web;
use crate::client_info::ClientInfo;
use crate::domain::action::Action;
use crate::person_mail::{self, Reader};
use crate::store::activity::{self, NewEntry};
use crate::store::{factor_ends, links, people};

/// Ends those that are due; returns their number.
pub async fn run(app: &Web, now: OffsetDateTime) -> anyhow::Result<u64> {
    let mut results = RunResults::default();
    for person in factor_ends::due(&app.pool, now).await? {
        let ended = end(app, person, now).await.map(u64::from);
        results.add(ended.with_context(|| format!("person {person}")));
    }
    results.result()
}

/// Ends the second factor of a person, unless the credentials have changed since: who changed them can sign in.
async fn end(app: &Web, person: Uuid, now: OffsetDateTime) -> Result<bool, sqlx::Error> {
    let mut transaction = app.pool.begin().await?;
    let Some(person) = people::by_id(&mut *transaction, person).await? else {
        return Ok(false);
    };
    let is_current = people::lock(&mut *transaction, &person).await?;
    let Some(due) = factor_ends::take_due(&mut *transaction, person.id, now).await? else {
        return Ok(false);
    };
    links::remove_factor_keepers(&mut *transaction, person.id).await?;
    let is_current = is_current && due.credential_version == person.credential_version;
    if is_current {
        people::set_totp(&mut transaction, &person, None, &[]).await?;
        let page = format!("{}/you/totp", app.public_url);
        let text = MailText::new("factor-ended").with("page", page);
        person_mail::queue(&mut transaction, Reader::of(&person), &text, now).await?;
        // The client that requested it. Staff have no address here.
        let address: Option<IpAddr> = due.address.parse().ok();
        let agent = due.agent;
        let client = address.map(|ip| ClientInfo { ip, agent });
        let entry = NewEntry::new(person.id, &person.email, client.as_ref(), Action::TotpEnded);
        activity::insert(&mut *transaction, entry, now).await?;
    }
    transaction.commit().await?;
    Ok(is_current)
}
