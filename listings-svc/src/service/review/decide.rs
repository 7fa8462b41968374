//! Decisions on one listing or more, each by itself.

use contracts::listings::v1 as proto;
use futures::future::join_all;
use kit::Fault;
use kit::rpc::staff::Member;
use tonic::Status;

use super::{REASON, Service};
use crate::domain::entity::Entity;
use crate::domain::state::{Act, State};
use crate::service::listing;
use crate::service::names::{self, Name, Problems};
use crate::store::{listings, queue};
use crate::write::Write;
use crate::write::moderate::{self, Turn};

/// Listings in one call at most.
const MANY: usize = 100;

impl Service {
    /// Decides on each by itself: one that is refused does not hold up the others.
    pub(super) async fn decide_all(
        &self,
        request: proto::DecideRequest,
        by: &Member,
    ) -> Result<Vec<proto::DecideResult>, Status> {
        let act = match request.decision() {
            proto::Decision::Approve => Some(Act::Approve),
            proto::Decision::Reject => Some(Act::Reject),
            proto::Decision::TakeDown => Some(Act::TakeDown),
            proto::Decision::Restore => Some(Act::Restore),
            proto::Decision::Unspecified => None,
        };
        if let Some(act) = act {
            let first = request.items.first().and_then(|item| item.name.as_ref());
            let deed = moderate::deed(act);
            self.audit.allow(by, deed, names::on(first)).await?;
        }
        let mut problems = Problems::new();
        if act.is_none() {
            let reason = "approve, reject, take down or restore";
            problems.insert("decision".to_owned(), reason.to_owned());
        }
        if !(1..=MANY).contains(&request.items.len()) {
            let reason = format!("Give 1 to {MANY} listings.");
            problems.insert("items".to_owned(), reason);
        }
        let required = matches!(act, Some(Act::Reject | Act::TakeDown));
        let reason = names::reason(&request.reason, REASON, required, &mut problems);
        let act = names::finish(act, problems)?;
        let deciding = (request.items.into_iter()).map(|item| self.decide(item, act, &reason, by));
        Ok(join_all(deciding).await)
    }

    async fn decide(
        &self,
        item: proto::DecideItem,
        act: Act,
        reason: &str,
        by: &Member,
    ) -> proto::DecideResult {
        let mut result = proto::DecideResult {
            name: item.name.clone(),
            ..proto::DecideResult::default()
        };
        let mut problems = Problems::new();
        let name = names::read(item.name, &mut problems);
        let decided = match names::finish(name, problems) {
            Ok(name) => {
                let turn = Turn {
                    entity: name.entity,
                    mode: name.mode,
                    name: name.key.clone(),
                    act,
                    reason: reason.to_owned(),
                    revision: item.revision,
                    by: by.clone(),
                };
                let decided = self.turn(&name, turn).await;
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
            Ok((listing, note)) => {
                result.listing = Some(listing);
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

    async fn turn(&self, name: &Name, turn: Turn) -> Result<(proto::Listing, String), Fault> {
        let act = turn.act;
        let (_, position) = self.writer.write(Write::Turn(Box::new(turn))).await?;
        let listing = listing::find(&self.pool, name).await?;
        let unchanged = match act {
            _ if position.is_some() => None,
            Act::Approve | Act::Restore => Some("already published; nothing changed"),
            Act::Reject => Some("already rejected; nothing changed"),
            Act::TakeDown => Some("already taken down; nothing changed"),
        };
        let of_page = match act {
            Act::Approve if name.entity == Entity::Game => self.of_page(name).await?,
            _ => None,
        };
        let notes = unchanged.map(str::to_owned).into_iter().chain(of_page);
        Ok((listing, notes.collect::<Vec<_>>().join("; ")))
    }

    /// Why a game that was approved is not shown yet.
    async fn of_page(&self, name: &Name) -> Result<Option<String>, Fault> {
        let item = queue::find(&self.pool, name.entity, &name.key).await?;
        let page = item.and_then(|item| item.page.zip(item.page_state));
        let hidden = page.filter(|(_, state)| state.0 != State::Published);
        Ok(hidden.map(|(page, _)| {
            format!("its page {page} is not public yet: the game is shown as soon as the page is")
        }))
    }

    /// What has changed in a listing since a revision; empty when that cannot be found out just now.
    async fn changed_since(&self, name: &Name, revision: i64) -> Vec<proto::Difference> {
        let differences = async {
            let found = listings::find(&self.pool, name.entity, name.mode, &name.key).await?;
            match found {
                Some(found) => self.since(name.entity, found.id, revision).await,
                None => Ok(Vec::new()),
            }
        };
        differences.await.unwrap_or_else(|error: sqlx::Error| {
            tracing::warn!(%error, "what has changed since a revision cannot be read");
            Vec::new()
        })
    }
}
