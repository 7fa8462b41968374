//! Reads the queue, one listing with its history, and the search.

use std::collections::HashMap;

use contracts::listings::v1 as proto;
use kit::Fault;
use kit::api::bad_fields::BadFields;
use kit::api::cursor::{Binding, SortTime};
use kit::api::page::{Limits, Page};
use kit::api::timestamp;
use serde_json::{Map, Value};
use time::OffsetDateTime;
use uuid::Uuid;

use super::{Service, item, kind};
use crate::domain::difference::{self, Difference};
use crate::domain::listing_name::ListingName;
use crate::domain::mode::Mode;
use crate::domain::state::ListingState;
use crate::feed;
use crate::service::listing_name;
use crate::store::history::{self, RevisionRow, Versions};
use crate::store::queue::{self, SearchResult};
use crate::write::absent::listing_not_found;
use crate::write::staff_edit::check_exists;

const MAX_REVISIONS: i64 = 100;
/// In characters.
const MAX_TEXT: usize = 200;

impl Service {
    pub(super) async fn list_waiting(
        &self,
        request: proto::ListQueueRequest,
    ) -> Result<proto::ListQueueResponse, Fault> {
        let kind = kind(&request.kind)?;
        let mut bad = BadFields::default();
        let binding = Binding::new("queue", [Some(request.kind.as_str())]);
        let page: Page<(SortTime, Uuid)> =
            bad.read_page(Limits::PUBLIC, binding, request.limit, &request.cursor);
        bad.check()?;
        let after = page.after.map(|(SortTime(since), id)| (since, id));
        let mut rows = queue::page(&self.pool, kind, after, page.rows_to_fetch()).await?;
        let next_cursor = page.cut(&mut rows, |row| {
            let since = row.waiting_since.unwrap_or(OffsetDateTime::UNIX_EPOCH);
            (SortTime(since), row.id)
        })?;
        let total = if request.count {
            let counted = queue::count(&self.pool, kind).await;
            Some(counted?)
        } else {
            None
        };
        Ok(proto::ListQueueResponse {
            items: rows.into_iter().map(|row| item(row, Mode::Live)).collect(),
            next_cursor: next_cursor.unwrap_or_default(),
            total,
        })
    }

    /// A listing as it is now, or as of the revision `as_of`.
    pub(super) async fn review(
        &self,
        name: &ListingName,
        as_of: Option<i64>,
    ) -> Result<proto::GetReviewResponse, Fault> {
        let found = queue::find(&self.pool, name).await?;
        let found = found.ok_or_else(listing_not_found)?;
        let rejection = history::last_rejection(&self.pool, found.id).await?;
        let (rejected_revision, rejection_reason) =
            rejection.map(|it| (it.revision, it.reason.unwrap_or_default())).unwrap_or_default();
        let since = as_of.unwrap_or(rejected_revision);
        let versions = history::versions(&self.pool, found.id, since).await?;
        let versions = versions.ok_or_else(listing_not_found)?;
        if as_of.is_some() {
            check_exists("revision", since, versions.revision)?;
        }
        let last = as_of.unwrap_or(versions.revision);
        let made = history::newest(&self.pool, found.id, last, MAX_REVISIONS).await?;
        let ([then, now], differences) = self.compare(&versions).await?;
        let content = if as_of.is_some() { then } else { now };
        let pages = self.pages_of(&made).await?;
        let state = feed::stored_state(&found.state);
        // The response is about this revision, even if the listing has changed since the first query.
        let found = queue::Item { revision: versions.revision, ..found };
        Ok(proto::GetReviewResponse {
            item: Some(item(found, name.mode)),
            state,
            content: Value::Object(content).to_string(),
            rejected_revision,
            rejection_reason,
            differences,
            history: made.iter().map(|made| revision(made, &pages)).collect(),
        })
    }

    /// The handles of the pages between which these revisions moved a game, by id.
    async fn pages_of(
        &self,
        revisions: &[RevisionRow],
    ) -> Result<HashMap<Uuid, String>, sqlx::Error> {
        let pages: Vec<Uuid> = revisions.iter().filter_map(moved_pages).flatten().collect();
        if pages.is_empty() {
            return Ok(HashMap::new());
        }
        history::handles(&self.pool, &pages).await
    }

    /// The differences since a revision.
    pub(super) async fn since(
        &self,
        id: Uuid,
        revision: i64,
    ) -> Result<Vec<proto::Difference>, sqlx::Error> {
        match history::versions(&self.pool, id, revision).await? {
            Some(versions) => Ok(self.compare(&versions).await?.1),
            None => Ok(Vec::new()),
        }
    }

    /// The earlier content and the current one, and what differs.
    async fn compare(
        &self,
        versions: &Versions,
    ) -> Result<([Map<String, Value>; 2], Vec<proto::Difference>), sqlx::Error> {
        let mut contents = [&versions.then, &versions.now].map(difference::content);
        history::name_pages(&self.pool, &mut contents).await?;
        let [then, now] = contents;
        let differences = difference::between(&then, &now).into_iter().map(message).collect();
        Ok(([then, now], differences))
    }

    pub(super) async fn search_listings(
        &self,
        request: proto::SearchRequest,
    ) -> Result<proto::SearchResponse, Fault> {
        let kind = kind(&request.kind)?;
        let mut bad = BadFields::default();
        let state = match request.state() {
            proto::State::Unspecified => None,
            proto::State::Pending => Some("pending"),
            proto::State::Published => Some("published"),
            proto::State::Rejected => Some("rejected"),
            proto::State::Removed => Some("removed"),
        };
        let text = request.text.trim();
        if text.contains('\0') || text.chars().count() > MAX_TEXT {
            let reason = format!("Search for a text of up to {MAX_TEXT} characters.");
            bad.add("text", reason);
        }
        let filters = [Some(text), Some(request.kind.as_str()), state];
        let binding = Binding::new("search", filters);
        let page: Page<(String, String)> =
            bad.read_page(Limits::PUBLIC, binding, request.limit, &request.cursor);
        bad.check()?;
        let after = page.after.clone();
        let limit = page.rows_to_fetch();
        let mut rows = queue::search(&self.pool, text, kind, state, after, limit).await?;
        let next_cursor = page.cut(&mut rows, |row| (row.name.clone(), row.kind.clone()))?;
        Ok(proto::SearchResponse {
            listings: rows.into_iter().map(found).collect(),
            next_cursor: next_cursor.unwrap_or_default(),
        })
    }
}

fn message(difference: Difference) -> proto::Difference {
    let json = |value: Option<Value>| value.map(|value| value.to_string()).unwrap_or_default();
    proto::Difference {
        path: difference.path,
        before: json(difference.before),
        after: json(difference.after),
    }
}

/// The state in the fields of a revision.
fn state(fields: &Value) -> Option<i32> {
    let state = serde_json::from_value::<ListingState>(fields.get("state")?.clone());
    Some(feed::state(state.ok()?))
}

fn moved_pages(made: &RevisionRow) -> Option<[Uuid; 2]> {
    difference::moved_pages(made.before.as_ref(), &made.after)
}

fn revision(made: &RevisionRow, pages: &HashMap<Uuid, String>) -> proto::Revision {
    let before = made.before.as_ref();
    let said = before.map(difference::content).unwrap_or_default();
    let changed = difference::changed_paths(&said, &difference::content(&made.after));
    let moved = before.and_then(|before| difference::moved_accounts(before, &made.after));
    let account = moved.map(|_| difference::ACCOUNT.to_owned());
    let (former, now) = moved.unwrap_or_default();
    let id = |account: Option<Uuid>| account.as_ref().map(Uuid::to_string).unwrap_or_default();
    let handle = |page: Uuid| pages.get(&page).cloned().unwrap_or_else(|| page.to_string());
    let [former_page, page] = moved_pages(made).map(|moved| moved.map(handle)).unwrap_or_default();
    proto::Revision {
        revision: made.revision,
        at: Some(timestamp::encode(made.at)),
        actor_kind: made.actor_kind.clone(),
        actor: made.actor.clone(),
        state: state(&made.after).unwrap_or_default(),
        // Every field of the first revision is new.
        changed: match before {
            Some(_) => changed.into_iter().chain(account).collect(),
            None => Vec::new(),
        },
        reason: made.reason.clone().unwrap_or_default(),
        former_account_id: id(former),
        account_id: id(now),
        former_page,
        page,
    }
}

fn found(found: SearchResult) -> proto::FoundListing {
    proto::FoundListing {
        name: Some(listing_name::message(found.kind, Mode::Live, found.name)),
        title: found.title,
        state: feed::stored_state(&found.state),
        revision: found.revision,
        submitter: found.submitter.map(|id| id.to_string()).unwrap_or_default(),
        updated_at: Some(timestamp::encode(found.updated_at)),
    }
}
