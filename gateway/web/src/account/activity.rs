//! Who did what in an account, newest first.

use axum::Extension;
use axum::extract::{Query, State};
use pages::teams::{ActivityPage, ActivityRow};
use pages::when;
use serde::Deserialize;
use uuid::Uuid;

use super::shell;
use crate::app::App;
use crate::domain::agent;
use crate::page_error::PageResult;
use crate::render::ok;
use crate::store::activity::{self, Activity};
use crate::viewer::{AccountScope, Section, Viewer};

/// Rows of a page.
const ROWS: u8 = 100;

#[derive(Debug, Default, Deserialize)]
pub struct Before {
    #[serde(default)]
    before: String,
}

pub async fn show(
    State(app): State<App>,
    Extension(viewer): Extension<Viewer>,
    Extension(scope): Extension<AccountScope>,
    Query(before): Query<Before>,
) -> PageResult {
    let before: Option<Uuid> = before.before.parse().ok();
    let entries = activity::of_account(&app.pool, scope.id, before, i64::from(ROWS) + 1).await?;
    let has_more = entries.len() > usize::from(ROWS);
    let shown = &entries[..entries.len().min(ROWS.into())];
    let last = shown.last().filter(|_| has_more);
    let next = last.map(|last| format!("/accounts/{}/activity?before={}", scope.id, last.id));
    Ok(ok(&ActivityPage {
        shell: shell(&app, &viewer, &scope, Section::Activity).await,
        rows: shown.iter().map(row).collect(),
        next,
    }))
}

fn row(entry: &Activity) -> ActivityRow {
    ActivityRow {
        at: when::minute(entry.at),
        person: entry.email.clone(),
        what: words(&entry.action, &entry.subject),
        address: entry.address.clone(),
        agent: agent::name(&entry.agent),
    }
}

/// An action in words.
fn words(action: &str, subject: &str) -> String {
    match action {
        "account_created" => "created the account".to_owned(),
        "account_changed" => format!("changed name or address of the account: {subject}"),
        "key_created" => format!("made the key {subject}"),
        "key_asked" => format!("asked for the live key {subject}"),
        "key_revealed" => format!("revealed the key {subject}"),
        "key_rotated" => format!("rotated the key {subject}"),
        "key_revoked" => format!("revoked the key {subject}"),
        "token_created" => format!("made the account token {subject}"),
        "token_revoked" => format!("revoked the account token {subject}"),
        "webhook_added" => format!("added a webhook at {subject}"),
        "webhook_changed" => format!("changed the webhook at {subject}"),
        "webhook_paused" => format!("paused the webhook at {subject}"),
        "webhook_resumed" => format!("resumed the webhook at {subject}"),
        "webhook_secret_rotated" => format!("made a new signing secret for {subject}"),
        "webhook_secret_switched" => format!("switched to the new signing secret of {subject}"),
        "webhook_removed" => format!("removed the webhook at {subject}"),
        "webhook_tested" => format!("sent the test event {subject}"),
        "webhook_sent_again" => format!("sent a delivery again to {subject}"),
        "webhook_recovered" => format!("sent failed deliveries again to {subject}"),
        "webhook_checked" => format!("checked the receiver at {subject}"),
        "invited" => format!("invited {subject}"),
        "invite_withdrawn" => format!("withdrew the invitation of {subject}"),
        "joined" => format!("joined as {subject}"),
        "role_changed" => format!("changed a role: {subject}"),
        "member_removed" => format!("removed {subject}"),
        "left" => "left the team".to_owned(),
        "listing_submitted" => format!("submitted {subject}"),
        "listing_changed" => format!("changed {subject}"),
        "listing_withdrawn" => format!("withdrew {subject}"),
        "pictures_changed" => format!("changed the pictures of {subject}"),
        "takedown_asked" => format!("asked for the takedown of {subject}"),
        "correction_done" => format!("marked a correction of {subject} as done"),
        "correction_dismissed" => format!("dismissed a correction of {subject}"),
        "page_claimed" => format!("claimed the page {subject}"),
        "currency_named" => format!("named the currency of {subject}"),
        // What a newer version has recorded.
        other => format!("{other}: {subject}"),
    }
}
