//! Which accounts own a page: staff change it, and every change of a page on the feed says it. Inside the writer's transaction.

use std::collections::HashMap;

use contracts::listings::v1 as proto;
use kit::Fault;
use kit::audit::{self, Action as _, Entry};
use kit::feed::{Applied, NewChange, Stop};
use kit::rpc::staff::Member;
use prost::Message as _;
use serde_json::{Value, json};
use sqlx::PgConnection;
use time::OffsetDateTime;
use uuid::Uuid;

use super::Done;
use crate::SCHEMA;
use crate::domain::deed::Deed;
use crate::domain::entity::Entity;
use crate::domain::listing::Listing;
use crate::domain::mode::Mode;
use crate::domain::page::Page;
use crate::domain::slug;
use crate::feed::{Happened, PublicUrl, Publish as _};
use crate::store::owners::{self, Way};
use crate::store::{Stored as _, claims};

/// A page that staff give to an account, or take from one.
#[derive(Debug)]
pub struct Ownership {
    /// What they do.
    pub what: What,
    /// Who of them.
    pub by: Member,
}

/// What staff do to the owners of a page.
#[derive(Debug)]
pub enum What {
    /// The page of this handle is the account's too.
    Add(String, Uuid),
    /// It is not the account's any more.
    Remove(String, Uuid),
    /// What the claim with this id says is right.
    Grant(Uuid),
}

/// Changes the owners of a page.
pub(super) async fn apply(
    connection: &mut PgConnection,
    ownership: &Ownership,
    addresses: &PublicUrl,
    now: OffsetDateTime,
) -> Result<Applied<Done>, sqlx::Error> {
    let mut task = Task {
        connection,
        by: &ownership.by,
        addresses,
        now,
    };
    Applied::of(match &ownership.what {
        What::Add(handle, account) => task.reassign(handle, *account, true).await,
        What::Remove(handle, account) => task.reassign(handle, *account, false).await,
        What::Grant(claim) => task.grant(*claim).await,
    })
}

struct Task<'a> {
    connection: &'a mut PgConnection,
    by: &'a Member,
    addresses: &'a PublicUrl,
    now: OffsetDateTime,
}

impl Task<'_> {
    async fn reassign(
        &mut self,
        handle: &str,
        account: Uuid,
        gives: bool,
    ) -> Result<(Done, Vec<NewChange>), Stop> {
        let page = self.lock(handle).await?;
        let changed = if gives {
            owners::add(self.connection, page.id, account, Way::Staff, self.now).await?
        } else {
            owners::remove(self.connection, page.id, account).await?
        };
        let mut changes = Vec::new();
        if changed {
            let details = json!({"account": account, "owner": gives});
            self.record(Deed::Reassign, handle, details).await?;
            changes.push(self.change(&page));
        }
        let owners = owners::of_page(&mut *self.connection, page.id).await?;
        Ok((Done::Owned(owners), changes))
    }

    async fn grant(&mut self, id: Uuid) -> Result<(Done, Vec<NewChange>), Stop> {
        let claim = claims::lock(self.connection, id).await?;
        let claim = claim.ok_or_else(no_claim)?;
        if claim.state == "granted" {
            return Ok((Done::Granted(Box::new(claim)), Vec::new()));
        }
        if claim.state != "waiting" {
            return Err(decided(&claim).into());
        }
        let (account, now) = (claim.account_id, self.now);
        let page = self.lock(&claim.handle).await?;
        claims::decide(self.connection, id, "granted", "", now).await?;
        let is_new = owners::add(self.connection, page.id, account, Way::Claim, now).await?;
        let details = json!({"claim": id, "account": account, "reason": ""});
        self.record(Deed::GrantClaim, &claim.handle, details)
            .await?;
        let granted = claims::Claim {
            state: "granted".to_owned(),
            decided_at: Some(now),
            ..claim
        };
        let changes = is_new.then(|| self.change(&page)).into_iter().collect();
        Ok((Done::Granted(Box::new(granted)), changes))
    }

    /// The live page of this handle.
    async fn lock(&mut self, handle: &str) -> Result<Listing<Page>, Stop> {
        let none = || Fault::not_found("there is no page with this handle");
        // What is no slug names nothing; and PostgreSQL takes no text with a NUL in it.
        if !slug::is_valid(handle) {
            return Err(none().into());
        }
        let handles = [handle.to_owned()];
        let locked = Listing::<Page>::lock(self.connection, Mode::Live, &handles).await?;
        let pages = locked.whole().ok_or(Stop::Busy)?;
        Ok(pages.into_iter().next().ok_or_else(none)?)
    }

    fn change(&self, page: &Listing<Page>) -> NewChange {
        page.change(Happened::OwnersChanged, false, self.addresses)
    }

    async fn record(
        &mut self,
        deed: Deed,
        handle: &str,
        details: Value,
    ) -> Result<(), sqlx::Error> {
        let entry = Entry {
            member: self.by,
            action: deed.as_str(),
            entity: Entity::Page.as_str(),
            name: handle,
            refused: false,
            details,
        };
        audit::append(&mut *self.connection, SCHEMA, entry, self.now).await
    }
}

/// There is no such claim.
pub fn no_claim() -> Fault {
    Fault::not_found("there is no such claim")
}

/// The claim was decided otherwise before.
pub fn decided(claim: &claims::Claim) -> Fault {
    let problem = format!(
        "This claim was {} before; owners are added and removed by name.",
        claim.state
    );
    Fault::invalid_field("id", problem)
}

/// Adds the owners to changes of pages. They are appended as one more field of the message, which protobuf defines to be the same as
/// encoding it together with the others.
pub(super) async fn add_owners(
    connection: &mut PgConnection,
    changes: &mut [NewChange],
) -> Result<(), sqlx::Error> {
    let page_id = |change: &NewChange| {
        let is_page = change.entity == Entity::Page.as_str();
        is_page.then(|| change.id.parse::<Uuid>().ok()).flatten()
    };
    let pages: Vec<Uuid> = changes.iter().filter_map(page_id).collect();
    if pages.is_empty() {
        return Ok(());
    }
    let owners: HashMap<Uuid, Vec<Uuid>> = owners::of_pages(connection, &pages)
        .await?
        .into_iter()
        .collect();
    for change in changes {
        let Some(accounts) = page_id(change).and_then(|id| owners.get(&id)) else {
            continue;
        };
        let only_owners = proto::Page {
            owners: accounts.iter().map(Uuid::to_string).collect(),
            ..proto::Page::default()
        };
        change.state.extend(only_owners.encode_to_vec());
    }
    Ok(())
}
