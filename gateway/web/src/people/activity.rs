//! The activity of a person outside of accounts, newest first: sign-ins, and changes of address, password and second factor.

use axum::Extension;
use axum::extract::{Query, State};
use pages::people::{PersonActivityPage, PersonActivityRow};
use pages::when;
use serde::Deserialize;
use uuid::Uuid;

use crate::app::App;
use crate::domain::agent;
use crate::page_error::PageResult;
use crate::render::ok;
use crate::store::activity::{self, Activity};
use crate::viewer::Viewer;

/// Rows of a page.
const ROWS: usize = 100;
/// Reads one row more, to see whether there is a next page.
const READ: i64 = 101;

#[derive(Debug, Default, Deserialize)]
pub struct Before {
    #[serde(default)]
    before: String,
}

pub async fn show(
    State(app): State<App>,
    Extension(viewer): Extension<Viewer>,
    Query(before): Query<Before>,
) -> PageResult {
    let before: Option<Uuid> = before.before.parse().ok();
    let mut found = activity::of_person(&app.pool, viewer.person.id, before, READ).await?;
    let has_more = found.len() > ROWS;
    found.truncate(ROWS);
    let last = found.last().filter(|_| has_more);
    let next = last.map(|last| format!("/you/activity?before={}", last.id));
    Ok(ok(&PersonActivityPage {
        shell: viewer.shell(),
        rows: found.iter().map(row).collect(),
        next,
    }))
}

fn row(entry: &Activity) -> PersonActivityRow {
    PersonActivityRow {
        at: when::minute(entry.at),
        what: words(&entry.action).to_owned(),
        address: entry.address.clone(),
        agent: agent::name(&entry.agent),
    }
}

/// An action in words.
fn words(action: &str) -> &str {
    match action {
        "signed_in" => "signed in",
        "password_changed" => "changed the password",
        "password_reset" => "set a new password with a link",
        "email_change_asked" => "asked for another address",
        "email_changed" => "changed the address",
        "totp_on" => "turned the second factor on",
        "totp_off" => "turned the second factor off",
        "sessions_ended" => "ended all other sessions",
        // A newer version has recorded this.
        other => other,
    }
}
