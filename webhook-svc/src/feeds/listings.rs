//! Follows listings-svc: pages, games and events.

use contracts::addresses;
use contracts::common::v1::Change;
use contracts::listings::v1::{Event as ListedEvent, Game, Page};
use kit::Mode;
use kit::feed::Projection;
use prost::Message as _;
use sqlx::PgConnection;
use uuid::Uuid;

use super::Publisher;
use crate::domain::event::Event;
use crate::domain::message::{Data, Listing, ListingKey, Message, derive_id};
use crate::store::listings::{self, Row};

/// Stores listings and publishes their changes.
#[derive(Debug, Clone)]
pub struct Listings {
    pub publisher: Publisher,
    /// The base URL of the public pages.
    pub public_url: String,
}

impl Projection for Listings {
    type Row = Row;
    type Message = Message;

    const TABLES: &'static [&'static str] = &["listing"];
    const MAX_MESSAGES: usize = Publisher::MAX_MESSAGES;

    fn row(&self, change: &Change) -> anyhow::Result<Option<Row>> {
        Ok(read(change, &self.public_url)?.map(|listing| listing.row))
    }

    fn message(&self, change: &Change) -> anyhow::Result<Option<Message>> {
        match read(change, &self.public_url)? {
            Some(listing) => message(change, listing),
            None => Ok(None),
        }
    }

    async fn save(
        &self,
        connection: &mut PgConnection,
        generation: Uuid,
        rows: Vec<Row>,
    ) -> anyhow::Result<()> {
        Ok(listings::upsert(connection, generation, rows).await?)
    }

    async fn send(
        &self,
        connection: &mut PgConnection,
        messages: Vec<Message>,
    ) -> anyhow::Result<()> {
        self.publisher.publish(connection, &messages).await
    }

    fn committed(&self) {
        self.publisher.wakeup.wake();
    }
}

/// A change of a listing.
struct ListingChange {
    row: Row,
    is_live: bool,
    /// The listing's data in messages.
    data: Listing,
}

/// Reads the change of a listing; `None`: the change is a decision of staff.
fn read(change: &Change, site: &str) -> anyhow::Result<Option<ListingChange>> {
    let state = change.state.clone();
    let (kind, mode, published, data) = match change.entity.as_str() {
        "page" => {
            let page = Page::decode(state)?;
            let url = addresses::listing(site, "creators", &page.handle);
            let data = Listing::page(&page.kind, &page.handle, &page.name, &url);
            ("page", page.mode, page.visible, data)
        }
        "game" => {
            let game = Game::decode(state)?;
            let url = addresses::listing(site, "games", &game.slug);
            let data = Listing::game(&game.slug, &game.title, &url);
            ("game", game.mode, game.visible, data)
        }
        "event" => {
            let event = ListedEvent::decode(state)?;
            let url = addresses::listing(site, "events", &event.slug);
            let data = Listing::event(&event.slug, &event.title, &url);
            ("event", event.mode, event.visible, data)
        }
        _ => return Ok(None),
    };
    let row = Row { kind, id: change.id.parse()?, published, changed_at: super::time_of(change)? };
    let is_live = Mode::try_from(mode)? == Mode::Live;
    Ok(Some(ListingChange { row, is_live, data }))
}

/// The message of an announced change; `None`: the listing is not live or not visible.
fn message(change: &Change, listing: ListingChange) -> anyhow::Result<Option<Message>> {
    let event = match change.event.as_str() {
        "published" => Event::ListingPublished,
        "updated" => Event::ListingUpdated,
        _ => return Ok(None),
    };
    let ListingChange { row, is_live, data } = listing;
    if !is_live || !row.published {
        return Ok(None);
    }
    let (listing, at) = (ListingKey { kind: row.kind, id: row.id }, row.changed_at);
    let id = derive_id("listings", change, at, event);
    let message = Message::new(id, event, Some(listing), at, &Data::Listing(data))?;
    Ok(Some(message))
}
