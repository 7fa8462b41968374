//! Changes of listings by staff.

use contracts::listings::v1 as proto;
use kit::rpc::staff::Member;
use kit::{Code, Fault};
use serde_json::{Map, Value};
use uuid::Uuid;

use super::{REASON, Service, live};
use crate::domain::body::json::{self, BadBody};
use crate::domain::entity::Entity;
use crate::domain::game;
use crate::service::listing;
use crate::service::names::{self, Name, Problems};
use crate::store;
use crate::write::Write;
use crate::write::edit::{Amendment, What};

impl Service {
    pub(super) async fn amend_edit(
        &self,
        request: proto::EditRequest,
        by: Member,
    ) -> Result<proto::Listing, Fault> {
        let mut problems = Problems::new();
        let reason = names::reason(&request.reason, REASON, false, &mut problems);
        let name = live(request.name, &mut problems);
        let name = names::finish(name, problems)?;
        let changes = json::object(request.changes.as_bytes());
        let changes = changes.map_err(|bad| match bad {
            BadBody::NotAnObject(_) => Fault::new(
                Code::BadJson,
                "the changes are one JSON object: the fields that change, with their new values",
            ),
            BadBody::Fields(problems) => Fault::invalid(problems),
        })?;
        let known = self.known(&name, &changes).await?;
        let what = What::Edit(changes, Box::new(known));
        self.amend(&name, what, reason, request.revision, by).await
    }

    pub(super) async fn amend_feature(
        &self,
        request: proto::FeatureRequest,
        by: Member,
    ) -> Result<proto::Listing, Fault> {
        let mut problems = Problems::new();
        let name = live(request.name, &mut problems);
        if name.as_ref().is_some_and(|n| n.entity != Entity::Game) {
            problems.insert("kind".to_owned(), "Only games are listed first.".to_owned());
        }
        let name = names::finish(name, problems)?;
        let what = What::Feature(request.featured);
        self.amend(&name, what, String::new(), None, by).await
    }

    pub(super) async fn amend_reassign(
        &self,
        request: proto::ReassignRequest,
        by: Member,
    ) -> Result<proto::Listing, Fault> {
        let mut problems = Problems::new();
        let reason = names::reason(&request.reason, REASON, false, &mut problems);
        let name = live(request.name, &mut problems);
        let what = match name.as_ref().map(|name| name.entity) {
            Some(Entity::Game) if !request.to.contains('\0') => Some(What::Page(request.to)),
            Some(Entity::Event) => request.to.parse::<Uuid>().ok().map(What::Account),
            Some(Entity::Page) => {
                let reason = "A page is given to somebody by its owners, not this way.";
                problems.insert("kind".to_owned(), reason.to_owned());
                None
            }
            _ => None,
        };
        if what.is_none() {
            let reason = "Give the id of an account for an event, the handle of a page for a game.";
            problems.insert("to".to_owned(), reason.to_owned());
        }
        let (name, what) = names::finish(name.zip(what), problems)?;
        self.amend(&name, what, reason, None, by).await
    }

    /// What changes may refer to.
    async fn known(
        &self,
        name: &Name,
        changes: &Map<String, Value>,
    ) -> Result<crate::domain::known::Known, sqlx::Error> {
        let mut known = self.importer.known(name.entity).await?;
        if name.entity == Entity::Game {
            let handles: Vec<String> = game::handles(changes)
                // PostgreSQL takes no NUL, and no handle has one.
                .filter(|handle| !handle.contains('\0'))
                .map(ToOwned::to_owned)
                .collect();
            known.creators = store::known::creators(&self.pool, name.mode, &handles).await?;
        }
        Ok(known)
    }

    async fn amend(
        &self,
        name: &Name,
        what: What,
        reason: String,
        revision: Option<i64>,
        by: Member,
    ) -> Result<proto::Listing, Fault> {
        let amendment = Amendment {
            entity: name.entity,
            mode: name.mode,
            name: name.key.clone(),
            what,
            reason,
            revision,
            by,
        };
        self.writer.write(Write::Amend(Box::new(amendment))).await?;
        listing::find(&self.pool, name).await
    }
}
