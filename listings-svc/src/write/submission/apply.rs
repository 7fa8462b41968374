//! Applies submissions of accounts (§4.3): load, decide, save. A live one is applied once per `Idempotency-Key` (§10.4).

use std::collections::HashSet;

use kit::feed::NewChange;
use kit::{Clock, Fault};
use sqlx::{PgConnection, PgPool};
use time::OffsetDateTime;

use super::decide::{Accepted, decide};
use super::{Receipt, Submission, Target, load};
use crate::SCHEMA;
use crate::domain::entity::Entity;
use crate::domain::listing::Listing;
use crate::domain::mode::Mode;
use crate::domain::slug;
use crate::feed::{PublicUrl, listing_change};
use crate::pictures::FIELD;
use crate::store::page_owners::{self, GrantSource};
use crate::store::{accounts, imports, listings};
use crate::write::CommandDependencies;
use crate::write::record_change::{self, Actor};

/// Slugs with the same base in the first query; each further query doubles the number.
const FIRST_WINDOW: usize = 8;

/// How often a submission begins because its game moves to another page meanwhile.
const MAX_ATTEMPTS: usize = 5;

/// Applies a submission.
pub async fn apply(
    commands: &CommandDependencies,
    submission: &Submission,
) -> Result<Receipt, Fault> {
    for _ in 0..MAX_ATTEMPTS {
        // The future is large, and every caller contains it.
        if let Some(receipt) = Box::pin(attempt(commands, submission)).await? {
            return Ok(receipt);
        }
    }
    Err(always_moves())
}

fn always_moves() -> Fault {
    Fault::unavailable("a game that others move to another page all the time")
}

/// Applies a submission; `None` if its game has moved to another page meanwhile.
async fn attempt(
    commands: &CommandDependencies,
    submission: &Submission,
) -> Result<Option<Receipt>, Fault> {
    let mut transaction = commands.producer.begin().await?;
    let now = transaction.now;
    let connection = &mut *transaction;
    if let Some(key) = &submission.idempotency_key {
        // A call with the same key comes first. A replayed call does not count as a write.
        accounts::lock(connection, submission.author.account, now.date(), 0).await?;
        let stored: Option<Receipt> = key.replay(&mut *connection, SCHEMA, now).await?;
        if let Some(receipt) = stored {
            transaction.commit(&[]).await?;
            return Ok(Some(Receipt { replayed: true, ..receipt }));
        }
    }
    let loaded = load::lock(connection, submission, &commands.public_url, now).await?;
    let Some(loaded) = loaded else {
        transaction.rollback().await?;
        return Ok(None);
    };
    let mut accepted = decide(submission, &loaded, commands.max_pending)?;
    let change = save(connection, submission, loaded.before.as_ref(), &mut accepted, now).await?;
    let receipt = receipt(accepted, &commands.public_url);
    if let Some(key) = &submission.idempotency_key {
        key.store(&mut *connection, SCHEMA, &receipt, now).await?;
    }
    transaction.commit(change.as_slice()).await?;
    Ok(Some(receipt))
}

/// Makes the same decision as [`apply`] on rows that are not locked, for test keys and dry runs (§4.3, §10.3). Writes nothing.
///
/// Does not run the call and roll it back: the locks would delay live writes.
///
/// # Errors
/// Those of the call.
pub async fn check(
    pool: &PgPool,
    clock: &Clock,
    submission: &Submission,
    commands: &CommandDependencies,
) -> Result<Receipt, Fault> {
    let mut connection = pool.acquire().await?;
    let now = kit::pg::now(&mut *connection, clock).await?;
    let loaded = load::read(&mut connection, submission, &commands.public_url, now).await?;
    let loaded = loaded.ok_or_else(always_moves)?;
    let accepted = decide(submission, &loaded, commands.max_pending)?;
    Ok(receipt(accepted, &commands.public_url))
}

/// Saves an accepted submission; returns the change to publish.
async fn save(
    connection: &mut PgConnection,
    submission: &Submission,
    before: Option<&Listing>,
    accepted: &mut Accepted,
    now: OffsetDateTime,
) -> Result<Option<NewChange>, Fault> {
    let author = submission.author.account;
    if accepted.is_uncounted_write {
        accounts::lock(connection, author, now.date(), 1).await?;
    }
    if !accepted.is_changed {
        return Ok(None);
    }
    let after = &mut accepted.listing;
    let entity = after.entity();
    if after.name().is_empty() {
        let base =
            slug::from_title(after.content.title()).unwrap_or_else(|| entity.as_str().to_owned());
        let name = free_slug(connection, entity, &base).await?;
        after.content.set_name(name);
    }
    let revision = record_change::revision(before, after, Actor::Account(author), None)?;
    let saved = record_change::save(connection, after, revision, now).await;
    saved.map_err(|fault| at_form_field(submission, fault))?;
    if entity != Entity::Page {
        return Ok(Some(listing_change(before, after, &[])));
    }
    if before.is_none() {
        let source = GrantSource::Submission;
        page_owners::add(connection, after.id, author, source, now).await?;
    }
    let owners = listings::owners(connection, after.id).await?;
    Ok(Some(listing_change(before, after, &owners)))
}

/// A change of pictures has no fields of the listing: the form has one, with the file.
fn at_form_field(submission: &Submission, fault: Fault) -> Fault {
    let is_about_pictures = matches!(submission.target, Target::Pictures(..));
    match fault.fields.first_key_value().filter(|_| is_about_pictures) {
        Some((_, reason)) => Fault::invalid_field(FIELD, reason.as_str()),
        None => fault,
    }
}

/// The first free slug with this base. It stays free until the transaction ends: one transaction at a time names listings of a kind, and an
/// import is one of them.
async fn free_slug(
    connection: &mut PgConnection,
    entity: Entity,
    base: &str,
) -> Result<String, Fault> {
    imports::lock_kind(connection, entity, Mode::Live).await?;
    let (mut first, mut window) = (1, FIRST_WINDOW);
    loop {
        let slugs: Vec<String> =
            (first..first + window).map(|number| slug::numbered(base, number)).collect();
        let taken: HashSet<String> =
            listings::names(connection, entity, Mode::Live, &slugs).await?.into_iter().collect();
        if let Some(free) = slugs.into_iter().find(|slug| !taken.contains(slug)) {
            return Ok(free);
        }
        first += window;
        window *= 2;
    }
}

/// What the account learns.
fn receipt(accepted: Accepted, public_url: &PublicUrl) -> Receipt {
    let Accepted { listing, note, .. } = accepted;
    Receipt {
        slug: listing.name().to_owned(),
        state: listing.state,
        url: public_url.listing(listing.entity(), listing.name()),
        revision: listing.revision,
        note,
        replayed: false,
    }
}
