//! The activity of a person outside of accounts, newest first: sign-ins, and changes of address, password and second factor.

use axum::extract::Query;
use pages::people::{PersonActivityPage, PersonActivityRow};
use pages::site::Texts;
use pages::when;
use serde::Deserialize;
use uuid::Uuid;

use crate::domain::{action, agent};
use crate::page_error::PageResult;
use crate::person_request::PersonRequest;
use crate::render::ok;
use crate::store::activity::{self, Activity};

/// Rows of a page.
const ROWS: usize = 100;
/// Reads one row more, to see whether there is a next page.
const READ: i64 = 101;

#[derive(Debug, Default, Deserialize)]
pub struct Before {
    #[serde(default)]
    before: String,
}

pub async fn show(request: PersonRequest, Query(before): Query<Before>) -> PageResult {
    let (pool, person) = (&request.app.pool, request.person().id);
    let texts = request.language().texts();
    let before: Option<Uuid> = before.before.parse().ok();
    let mut found = activity::of_person(pool, person, before, READ).await?;
    let has_more = found.len() > ROWS;
    found.truncate(ROWS);
    let last = found.last().filter(|_| has_more);
    let next = last.map(|last| format!("/you/activity?before={}", last.id));
    Ok(ok(&PersonActivityPage {
        shell: request.viewer.shell(),
        rows: found.iter().map(|entry| row(entry, texts)).collect(),
        next,
    }))
}

fn row(entry: &Activity, texts: &Texts) -> PersonActivityRow {
    // An action of staff has no address, and then no browser either.
    let agent = if entry.address.is_empty() {
        String::new()
    } else {
        agent::name(texts, &entry.agent)
    };
    PersonActivityRow {
        at: when::minute(texts, entry.at),
        what: action::text(texts, &entry.action, &entry.subject),
        address: entry.address.clone(),
        agent,
    }
}
