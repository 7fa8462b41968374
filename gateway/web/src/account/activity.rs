//! The activity of an account: actions of people in the dashboard, newest first.

use axum::extract::Query;
use pages::site::Texts;
use pages::teams::{ActivityPage, ActivityRow};
use pages::when;
use serde::Deserialize;
use uuid::Uuid;

use crate::domain::action;
use crate::domain::agent;
use crate::page_error::PageResult;
use crate::render::ok;
use crate::request::{MemberRequest, Section};
use crate::store::activity::{self, Activity};

/// Rows of a page.
const ROWS: u8 = 100;

#[derive(Debug, Default, Deserialize)]
pub struct Before {
    #[serde(default)]
    before: String,
}

pub async fn show(request: MemberRequest, Query(before): Query<Before>) -> PageResult {
    let (app, account) = (&request.app, request.scope.id);
    let texts = request.language().texts();
    let before: Option<Uuid> = before.before.parse().ok();
    // Read one row more than a page has, to see whether there is a next page.
    let limit = u32::from(ROWS) + 1;
    let (entries, shell) = futures::join!(
        activity::of_account(&app.pool, account, before, limit.into()),
        request.shell(Section::Activity),
    );
    let mut entries = entries?;
    let has_more = entries.len() > usize::from(ROWS);
    entries.truncate(ROWS.into());
    let last = entries.last().filter(|_| has_more);
    let next = last.map(|last| request.path(&format!("/activity?before={}", last.id)));
    Ok(ok(&ActivityPage {
        shell,
        rows: entries.iter().map(|entry| row(texts, entry)).collect(),
        next,
    }))
}

fn row(texts: &Texts, entry: &Activity) -> ActivityRow {
    // An action of staff has no address, and then no browser either.
    let agent = if entry.address.is_empty() {
        String::new()
    } else {
        agent::name(texts, &entry.agent)
    };
    ActivityRow {
        at: when::minute(texts, entry.at),
        author: action::author(texts, &entry.email).to_owned(),
        what: action::text(texts, &entry.action, &entry.subject),
        address: entry.address.clone(),
        agent,
    }
}
