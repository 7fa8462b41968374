//! Changes of listings by staff, inside the writer's transaction: an edit, a game listed first, a listing given to somebody else.

use kit::Fault;
use kit::feed::Applied;
use kit::rpc::staff::Member;
use serde::Serialize;
use serde_json::{Map, Value};
use sqlx::PgConnection;
use time::OffsetDateTime;
use uuid::Uuid;

use super::moderate::none;
use super::record_change::{StaffAction, by_staff, overtaken};
use crate::domain::amendment::{self, Amended};
use crate::domain::deed::Deed;
use crate::domain::entity::Entity;
use crate::domain::event::Event;
use crate::domain::game::Game;
use crate::domain::known::Known;
use crate::domain::listing::{Draft, Listing};
use crate::domain::mode::Mode;
use crate::domain::page::Page;
use crate::domain::state::State;
use crate::feed::{Happened, PublicUrl, Publish};
use crate::store::{Changed, Stored as _};

/// A listing that staff change.
#[derive(Debug)]
pub struct Amendment {
    /// A page, a game or an event.
    pub entity: Entity,
    /// Which world it belongs to.
    pub mode: Mode,
    /// Its slug or handle.
    pub name: String,
    /// What they do.
    pub what: What,
    /// Why, for the record; may be empty.
    pub reason: String,
    /// The revision that they have looked at; the listing must still stand at it.
    pub revision: Option<i64>,
    /// Who of them.
    pub by: Member,
}

/// What staff change.
#[derive(Debug)]
pub enum What {
    /// These fields; with what they may refer to.
    Edit(Map<String, Value>, Box<Known>),
    /// Whether a game is listed first.
    Feature(bool),
    /// The page of this handle that a game stands under.
    Page(String),
    /// The account that an event is of.
    Account(Uuid),
}

impl What {
    const fn deed(&self) -> Deed {
        match self {
            Self::Edit(..) => Deed::Edit,
            Self::Feature(_) => Deed::Feature,
            Self::Page(_) | Self::Account(_) => Deed::Reassign,
        }
    }
}

/// What a change makes of a listing; `None` when it says nothing new.
type Made<C> = Result<Option<Listing<C>>, Fault>;

/// Changes a listing. It stays where it stands.
pub async fn amend(
    connection: &mut PgConnection,
    amendment: &Amendment,
    addresses: &PublicUrl,
    now: OffsetDateTime,
) -> Result<Applied<()>, sqlx::Error> {
    let task = Task {
        amendment,
        addresses,
        now,
    };
    match (&amendment.what, amendment.entity) {
        (What::Edit(changes, known), Entity::Page) => {
            let change = |page: &Listing<Page>| edit(page, changes, known, now);
            task.apply(connection, change).await
        }
        (What::Edit(changes, known), Entity::Game) => {
            let change = |game: &Listing<Game>| edit(game, changes, known, now);
            task.apply(connection, change).await
        }
        (What::Edit(changes, known), Entity::Event) => {
            let change = |event: &Listing<Event>| edit(event, changes, known, now);
            task.apply(connection, change).await
        }
        (What::Feature(featured), Entity::Game) => {
            let change = |game: &Listing<Game>| {
                if *featured && game.state != State::Published {
                    let reason = "This game is not public: only a published game is listed first.";
                    return Err(Fault::invalid_field("name", reason));
                }
                let mut content = game.content.clone();
                content.featured = *featured;
                Ok(with(game, content, now))
            };
            task.apply(connection, change).await
        }
        (What::Page(handle), Entity::Game) => {
            // Locked, so that it is not taken down meanwhile.
            let handles = std::slice::from_ref(handle);
            let locked = Listing::<Page>::lock(connection, amendment.mode, handles).await?;
            let Some(pages) = locked.whole() else {
                return Ok(Applied::Busy);
            };
            let may_hold = |page: &Listing<Page>| {
                matches!(page.state, State::Pending | State::Published).then_some(page.id)
            };
            let Some(page) = pages.iter().find_map(may_hold) else {
                return Ok(Applied::Refused(Fault::invalid_field(
                    "to",
                    "no page has this handle, or it was rejected or taken down",
                )));
            };
            let change = |game: &Listing<Game>| {
                let mut content = game.content.clone();
                content.page_id = page;
                Ok(with(game, content, now))
            };
            task.apply(connection, change).await
        }
        (What::Account(account), Entity::Event) => {
            let change = |event: &Listing<Event>| Ok(event.given_to(*account));
            task.apply(connection, change).await
        }
        // The service has refused these.
        _ => Ok(Applied::Refused(none())),
    }
}

fn edit<C: Amended + Clone + PartialEq>(
    listing: &Listing<C>,
    changes: &Map<String, Value>,
    known: &Known,
    now: OffsetDateTime,
) -> Made<C> {
    let content = amendment::amend(&listing.content, changes, known).map_err(Fault::invalid)?;
    Ok(with(listing, content, now))
}

fn with<C: Clone + PartialEq>(
    listing: &Listing<C>,
    content: C,
    now: OffsetDateTime,
) -> Option<Listing<C>> {
    let draft = Draft {
        content,
        created_at: None,
        updated_at: None,
    };
    listing.amended_by(&draft, now)
}

struct Task<'a> {
    amendment: &'a Amendment,
    addresses: &'a PublicUrl,
    now: OffsetDateTime,
}

impl Task<'_> {
    async fn apply<C>(
        &self,
        connection: &mut PgConnection,
        change: impl FnOnce(&Listing<C>) -> Made<C>,
    ) -> Result<Applied<()>, sqlx::Error>
    where
        Listing<C>: Changed + Publish + Serialize,
    {
        let names = std::slice::from_ref(&self.amendment.name);
        let locked = Listing::<C>::lock(connection, self.amendment.mode, names).await?;
        let Some(held) = locked.whole() else {
            return Ok(Applied::Busy);
        };
        let Some(before) = held.into_iter().next() else {
            return Ok(Applied::Refused(none()));
        };
        let after = match change(&before) {
            Err(fault) => return Ok(Applied::Refused(fault)),
            Ok(None) => return Ok(Applied::Done((), Vec::new())),
            Ok(Some(after)) => after,
        };
        if let Some(fault) = overtaken(self.amendment.revision, before.revision) {
            return Ok(Applied::Refused(fault));
        }
        let action = StaffAction {
            by: &self.amendment.by,
            deed: self.amendment.what.deed(),
            reason: &self.amendment.reason,
            now: self.now,
        };
        by_staff(connection, (&before, &after), action).await?;
        // Whose an event is does not show.
        let announced =
            after.state == State::Published && !matches!(self.amendment.what, What::Account(_));
        let change = after.change(Happened::Updated, announced, self.addresses);
        Ok(Applied::Done((), vec![change]))
    }
}
