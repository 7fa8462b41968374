//! Decisions, one or many at a time.

use contracts::listings::v1 as proto;
use futures::future::join_all;
use kit::rpc::staff::Member;
use kit::{Fault, pg};
use tonic::Status;

use super::{REASON, Service, live};
use crate::domain::entity::Entity;
use crate::domain::state::Act;
use crate::service::listing;
use crate::service::names::{self, Name, Problems};
use crate::standing::{self, Turn};
use crate::store::queue;
use crate::write::Write;

/// Names in one call at most.
const MANY: usize = 100;

impl Service {
    pub(super) async fn decide_approve(
        &self,
        request: proto::ApproveRequest,
        by: Member,
    ) -> Result<(proto::Listing, String), Fault> {
        let mut problems = Problems::new();
        let name = live(request.name, &mut problems);
        let name = names::finish(name, problems)?;
        self.turn(&name, Act::Approve, String::new(), request.revision, by)
            .await
    }

    pub(super) async fn decide_reject(
        &self,
        request: proto::RejectRequest,
        by: Member,
    ) -> Result<proto::Listing, Fault> {
        let mut problems = Problems::new();
        let reason = names::reason(&request.reason, REASON, true, &mut problems);
        let name = live(request.name, &mut problems);
        let name = names::finish(name, problems)?;
        let done = self.turn(&name, Act::Reject, reason, request.revision, by);
        Ok(done.await?.0)
    }

    /// Decides on each by itself: what one cannot be does not hold the others up.
    pub(super) async fn decide_all(
        &self,
        request: proto::DecideManyRequest,
        by: &Member,
    ) -> Result<Vec<proto::DecideResult>, Status> {
        let act = match request.decision() {
            proto::Decision::Approve => Some(Act::Approve),
            proto::Decision::Reject => Some(Act::Reject),
            proto::Decision::TakeDown => Some(Act::TakeDown),
            proto::Decision::Unspecified => None,
        };
        if let Some(act) = act {
            let on = names::on(request.names.first());
            self.desk.allow(by, standing::deed(act), on).await?;
        }
        let mut problems = Problems::new();
        if act.is_none() {
            let reason = "approve, reject or take down";
            problems.insert("decision".to_owned(), reason.to_owned());
        }
        if !(1..=MANY).contains(&request.names.len()) {
            problems.insert("names".to_owned(), format!("Give 1 to {MANY} names."));
        }
        let required = act.is_some_and(|act| act != Act::Approve);
        let reason = names::reason(&request.reason, REASON, required, &mut problems);
        let act = names::finish(act, problems)?;
        let deciding = request.names.into_iter().map(|name| {
            let (reason, by) = (reason.clone(), by.clone());
            async move {
                let mut problems = Problems::new();
                let read = live(Some(name.clone()), &mut problems);
                let outcome = match names::finish(read, problems) {
                    Ok(read) => self.turn(&read, act, reason, None, by).await,
                    Err(fault) => Err(fault),
                };
                result(name, outcome)
            }
        });
        Ok(join_all(deciding).await)
    }

    async fn turn(
        &self,
        name: &Name,
        act: Act,
        reason: String,
        revision: Option<i64>,
        by: Member,
    ) -> Result<(proto::Listing, String), Fault> {
        let turn = Turn {
            entity: name.entity,
            mode: name.mode,
            name: name.key.clone(),
            act,
            reason,
            revision,
            by,
        };
        self.writer.write(Write::Turn(Box::new(turn))).await?;
        let listing = listing::find(&self.pool, name).await?;
        let note = match act {
            Act::Approve if name.entity == Entity::Game => self.note(name).await?,
            _ => String::new(),
        };
        Ok((listing, note))
    }

    /// What else there is to know of a game that was approved.
    async fn note(&self, name: &Name) -> Result<String, Fault> {
        let item = queue::find(&self.pool, name.entity, &name.key)
            .await
            .map_err(|error| pg::fault(&error))?;
        let page = item.and_then(|item| item.page.zip(item.page_state));
        Ok(match page {
            Some((page, state)) if state.0 != crate::domain::state::State::Published => format!(
                "its page {page} is not public yet: the game is shown as soon as the page is"
            ),
            _ => String::new(),
        })
    }
}

fn result(
    name: proto::ListingName,
    outcome: Result<(proto::Listing, String), Fault>,
) -> proto::DecideResult {
    match outcome {
        Ok((listing, note)) => proto::DecideResult {
            name: Some(name),
            listing: Some(listing),
            problem: String::new(),
            note,
        },
        Err(fault) => {
            let problem = match fault.fields.len() {
                0 => fault.message.into_owned(),
                _ => fault.fields.into_values().collect::<Vec<_>>().join("; "),
            };
            proto::DecideResult {
                name: Some(name),
                listing: None,
                problem,
                note: String::new(),
            }
        }
    }
}
