//! Records a change of a listing: the listing, its revision and, for a change by staff, the audit entry.

use std::collections::{BTreeSet, HashSet};

use kit::Fault;
use kit::audit::{AuthorizedAction, Subject};
use kit::rpc::staff::Member;
use serde_json::json;
use sqlx::PgConnection;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::SCHEMA;
use crate::domain::audit_action::AuditAction;
use crate::domain::difference;
use crate::domain::field_reader::Problems;
use crate::domain::listing::{Content, Listing};
use crate::domain::pictures::FileName;
use crate::store::constraints;
use crate::store::listings::{self, Revision};
use crate::store::{history, pictures};

/// The fields that name pictures.
const PICTURE_FIELDS: [&str; 3] = ["avatar_url", "cover_url", "screenshots"];

/// Who changed a listing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Actor {
    /// An import of this file.
    Import(String),
    /// This member of the staff.
    Staff(String),
    /// This account.
    Account(Uuid),
}

/// The revision that a change makes; `before` is `None` for a new listing.
pub(super) fn revision(
    before: Option<&Listing>,
    after: &Listing,
    actor: Actor,
    reason: Option<String>,
) -> Result<Revision, Fault> {
    let stored = |listing| difference::stored(listing).map_err(|error| Fault::internal(&error));
    let before = before.map(stored).transpose()?;
    let (before, fields) = difference::changed_fields(before, stored(after)?);
    let (actor_kind, actor) = match actor {
        Actor::Import(file) => ("import", file),
        Actor::Staff(member) => ("staff", member),
        Actor::Account(id) => ("account", id.to_string()),
    };
    Ok(Revision {
        id: after.id,
        number: after.revision,
        actor_kind,
        actor,
        before,
        after: fields,
        reason,
    })
}

/// Saves a new listing or a change of one, with its revision.
pub(super) async fn save(
    connection: &mut PgConnection,
    after: &Listing,
    revision: Revision,
    now: OffsetDateTime,
) -> Result<(), Fault> {
    save_all(connection, std::slice::from_ref(after), &[revision], now).await
}

/// Saves new or changed listings of one kind, with their revisions.
pub(super) async fn save_all(
    connection: &mut PgConnection,
    listings: &[Listing],
    revisions: &[Revision],
    now: OffsetDateTime,
) -> Result<(), Fault> {
    let Some(first) = listings.first() else {
        return Ok(());
    };
    let saved = listings::save(connection, listings, revisions, now).await;
    saved.map_err(|error| match constraints::field_errors(&error, first.entity()) {
        Some(problems) => Fault::invalid(problems),
        None => error.into(),
    })?;
    save_pictures(connection, listings, revisions).await
}

/// Stores which uploaded pictures these listings name, as far as the revisions change it.
async fn save_pictures(
    connection: &mut PgConnection,
    listings: &[Listing],
    revisions: &[Revision],
) -> Result<(), Fault> {
    let is_changed = |listing: &&Listing| {
        let mut revisions = revisions.iter().filter(|revision| revision.id == listing.id);
        revisions.any(|revision| {
            let is_new = revision.before.is_none() && listing.content.pictures().next().is_none();
            !is_new && PICTURE_FIELDS.iter().any(|field| revision.after.get(field).is_some())
        })
    };
    let changed: Vec<&Listing> = listings.iter().filter(is_changed).collect();
    if changed.is_empty() {
        return Ok(());
    }
    let changed_ids: Vec<Uuid> = changed.iter().map(|listing| listing.id).collect();
    let named: BTreeSet<(Uuid, FileName)> = (changed.iter())
        .flat_map(|listing| listing.content.pictures().map(|name| (listing.id, name)))
        .collect();
    let (ids, hashes): (Vec<Uuid>, Vec<String>) =
        (named.iter()).map(|(id, name)| (*id, name.hash().to_owned())).unzip();
    let absent = pictures::set_named(connection, &changed_ids, (&ids, &hashes)).await?;
    let absent: HashSet<String> = absent.into_iter().collect();
    let is_absent = |name: &FileName| absent.contains(name.hash());
    let problems = changed.iter().flat_map(|listing| absent_pictures(&listing.content, is_absent));
    let problems: Problems = problems.collect();
    if problems.is_empty() { Ok(()) } else { Err(Fault::invalid(problems)) }
}

/// The fields that name pictures which do not exist, each with the reason.
pub(super) fn absent_pictures(
    content: &Content,
    is_absent: impl Fn(&FileName) -> bool,
) -> impl Iterator<Item = (String, String)> {
    let absent = content.picture_fields().filter(move |(_, name)| is_absent(name));
    absent.map(|(field, name)| {
        let reason = format!("There is no picture {name}: upload it again, or leave it out.");
        (field, reason)
    })
}

/// A change by staff.
#[derive(Debug, Clone, Copy)]
pub(super) struct StaffChange<'a> {
    pub(super) by: &'a Member,
    pub(super) action: AuditAction,
    /// May be empty.
    pub(super) reason: &'a str,
    pub(super) now: OffsetDateTime,
}

/// Records a change by staff.
pub(super) async fn update_by_staff(
    connection: &mut PgConnection,
    before: &Listing,
    after: &Listing,
    change: StaffChange<'_>,
) -> Result<(), Fault> {
    let actor = Actor::Staff(change.by.name.clone());
    let reason = Some(change.reason.to_owned()).filter(|reason| !reason.is_empty());
    let revision = revision(Some(before), after, actor, reason)?;
    let (old, new) =
        (revision.before.as_ref().map(difference::content), difference::content(&revision.after));
    let mut changed = difference::changed_paths(&old.unwrap_or_default(), &new);
    let mut details = json!({
        "mode": after.mode,
        "title": after.content.title(),
        "revision": after.revision,
        "state": after.state,
        "reason": change.reason,
    });
    if before.submitter != after.submitter {
        changed.push(difference::ACCOUNT.to_owned());
        details["former_account"] = json!(before.submitter);
        details["account"] = json!(after.submitter);
    }
    if let Some([former, now]) = difference::moved_pages(revision.before.as_ref(), &revision.after)
    {
        let handles = history::handles(&mut *connection, &[former, now]).await?;
        details["former_page"] = json!(handles.get(&former));
        details["former_page_id"] = json!(former);
        details["page"] = json!(handles.get(&now));
        details["page_id"] = json!(now);
    }
    details["changed"] = json!(changed);
    save(connection, after, revision, change.now).await?;
    let subject =
        Subject { entity: after.entity().as_str(), name: after.name().to_owned(), details };
    let done = AuthorizedAction { member: change.by.clone(), action: change.action };
    done.record(connection, SCHEMA, subject, change.now).await?;
    Ok(())
}

/// Refuses a decision on a revision that is no longer current.
pub(super) fn check_revision(seen: Option<i64>, current: i64) -> Option<Fault> {
    let seen = seen.filter(|seen| *seen != current)?;
    Some(Fault::invalid_field(
        "revision",
        format!(
            "The listing has changed: its revision is {current}, not {seen}. Read it again, then decide."
        ),
    ))
}
