//! Decides on one or more listings, each independently.

use contracts::listings::v1 as proto;
use futures::stream::{self, StreamExt as _};
use kit::Fault;
use kit::api::bad_fields::BadFields;
use kit::rpc::staff::Member;
use tonic::Status;

use super::Service;
use crate::domain::entity::Entity;
use crate::domain::listing_name::ListingName;
use crate::domain::state::{ListingState, Seen, Transition};
use crate::service::listing_name;
use crate::service::staff::listings;
use crate::store::{history, queue};
use crate::write::moderate::{self, Moderation};

const MAX_LISTINGS: usize = 100;
/// How many are decided on at once. More would wait for connections, and other calls with them.
const AT_ONCE: usize = 4;

impl Service {
    /// Decides on each listing separately: a refusal does not affect other listings.
    pub(super) async fn decide_all(
        &self,
        request: proto::DecideRequest,
        by: &Member,
    ) -> Result<Vec<proto::DecideResult>, Status> {
        let transition = match request.decision() {
            proto::Decision::Approve => Some(Transition::Approve),
            proto::Decision::Reject => Some(Transition::Reject),
            proto::Decision::TakeDown => Some(Transition::TakeDown),
            proto::Decision::Restore => Some(Transition::Restore),
            proto::Decision::Unspecified => None,
        };
        if let Some(transition) = transition {
            let first = request.items.first().and_then(|item| item.name.as_ref());
            let action = transition.audit_action();
            self.audit.allow(by, action, listing_name::audit_subject(first)).await?;
        }
        let mut bad = BadFields::default();
        if transition.is_none() {
            let reason = "Give approve, reject, take down or restore.";
            bad.add("decision", reason);
        }
        if !(1..=MAX_LISTINGS).contains(&request.items.len()) {
            let reason = format!("Give 1 to {MAX_LISTINGS} listings.");
            bad.add("items", reason);
        }
        let required = matches!(transition, Some(Transition::Reject | Transition::TakeDown));
        let reason = listing_name::reason(&request.reason, required, &mut bad);
        let transition = bad.finish(transition)?;
        let decisions: Vec<_> = (request.items.into_iter())
            .map(|item| self.decide_on(item, transition, &reason, by))
            .collect();
        Ok(stream::iter(decisions).buffered(AT_ONCE).collect().await)
    }

    async fn decide_on(
        &self,
        item: proto::DecideItem,
        transition: Transition,
        reason: &str,
        by: &Member,
    ) -> proto::DecideResult {
        let mut result =
            proto::DecideResult { name: item.name.clone(), ..proto::DecideResult::default() };
        let mut bad = BadFields::default();
        let name = listing_name::read(item.name, &mut bad);
        if transition.rule().seen == Seen::Revision && item.revision.is_none() {
            let reason = "Give the revision that you have read: the approval is of it alone.";
            bad.add("revision", reason);
        }
        let decided = match bad.finish(name) {
            Ok(name) => {
                let moderation = Moderation {
                    listing: name.clone(),
                    transition,
                    reason: reason.to_owned(),
                    revision: item.revision,
                    by: by.clone(),
                };
                let decided = self.moderate(&name, moderation).await;
                if let (Err(fault), Some(seen)) = (&decided, item.revision)
                    && fault.fields.contains_key("revision")
                {
                    result.differences = self.changed_since(&name, seen).await;
                }
                decided
            }
            Err(fault) => Err(fault),
        };
        match decided {
            Ok((listing, note, is_changed)) => {
                result.listing = Some(listing);
                result.changed = is_changed;
                result.note = note;
            }
            Err(fault) => {
                fault.code.as_str().clone_into(&mut result.code);
                result.problem = match fault.fields.len() {
                    0 => fault.message.into_owned(),
                    _ => (fault.fields.values().cloned().collect::<Vec<_>>()).join("; "),
                };
                result.fields = fault.fields.into_iter().collect();
            }
        }
        result
    }

    async fn moderate(
        &self,
        name: &ListingName,
        moderation: Moderation,
    ) -> Result<(proto::Listing, String, bool), Fault> {
        let transition = moderation.transition;
        let is_changed = moderate::apply(&self.commands, &moderation).await?;
        let listing = listings::find(&self.pool, name).await?;
        let is_by_account = listing.actor_kind == "account";
        let unchanged = match transition {
            _ if is_changed => None,
            Transition::Reject if is_by_account => {
                Some("withdrawn by its account; nothing changed")
            }
            Transition::TakeDown if is_by_account => {
                Some("already taken down by its account; nothing changed")
            }
            Transition::Approve | Transition::Restore => Some("already published; nothing changed"),
            Transition::Reject => Some("already rejected; nothing changed"),
            Transition::TakeDown => Some("already taken down; nothing changed"),
        };
        let page_note = match transition {
            Transition::Approve | Transition::Restore if name.entity == Entity::Game => {
                self.page_note(name).await?
            }
            _ => None,
        };
        let notes = unchanged.map(str::to_owned).into_iter().chain(page_note);
        Ok((listing, notes.collect::<Vec<_>>().join("; "), is_changed))
    }

    /// Why a game that was approved or restored is not public.
    async fn page_note(&self, name: &ListingName) -> Result<Option<String>, Fault> {
        let item = queue::find(&self.pool, name).await?;
        let page = item.and_then(|item| item.page.zip(item.page_state));
        let hidden = page.filter(|(_, state)| state != ListingState::Published.as_str());
        Ok(hidden.map(|(page, _)| {
            format!("its page {page} is not public: the game is shown as soon as the page is")
        }))
    }

    /// The differences since a revision; empty when they cannot be read.
    async fn changed_since(&self, name: &ListingName, revision: i64) -> Vec<proto::Difference> {
        let differences = async {
            let found = history::status(&self.pool, name).await?;
            match found {
                Some(found) => self.since(found.id, revision).await,
                None => Ok(Vec::new()),
            }
        };
        differences.await.unwrap_or_else(|error: sqlx::Error| {
            tracing::warn!(%error, "the changes since a revision cannot be read");
            Vec::new()
        })
    }
}
