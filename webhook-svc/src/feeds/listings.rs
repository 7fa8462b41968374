//! Follows listings-svc: pages, games and events.

use anyhow::Context as _;
use contracts::common::v1::{Change, Mode};
use contracts::listings::v1::{Event as ListedEvent, Game, Page};
use kit::boot::Boot;
use kit::feed::{ApplyContext, ChangeHandler};
use kit::timestamp;
use prost::Message as _;
use sqlx::{PgConnection, PgPool};
use uuid::Uuid;

use super::Publisher;
use crate::SCHEMA;
use crate::config::Settings;
use crate::domain::event::Event;
use crate::domain::message::{Data, Listing, Message, Source, Subject};
use crate::store::listings::{self, Row};

pub(crate) fn follow(
    boot: &Boot<Settings>,
    pool: &PgPool,
    publisher: Publisher,
) -> anyhow::Result<()> {
    let addresses = &boot.settings.listings_addresses;
    boot.follow(pool, SCHEMA, "listings", addresses, Listings(publisher))
}

/// Stores listings and publishes their changes.
#[derive(Debug, Clone)]
pub struct Listings(pub Publisher);

impl ChangeHandler for Listings {
    async fn apply(
        &self,
        connection: &mut PgConnection,
        changes: &[Change],
        context: ApplyContext,
    ) -> anyhow::Result<()> {
        let (mut rows, mut new) = (Vec::new(), Vec::new());
        for change in changes {
            let described = || format!("change {} of listings", change.seq);
            let Some((row, data)) = read(change).with_context(described)? else {
                continue;
            };
            if super::makes_messages(change, context) {
                new.extend(message(change, &row, data).with_context(described)?);
            }
            rows.push(row);
        }
        listings::upsert(connection, context.generation, rows).await?;
        self.0.publish(connection, &new).await?;
        Ok(())
    }

    fn committed(&self) {
        self.0.wakeup.wake();
    }

    async fn sweep(&self, connection: &mut PgConnection, epoch: Uuid) -> anyhow::Result<()> {
        listings::sweep(connection, epoch).await?;
        Ok(())
    }
}

/// The listing of a change and its data in messages; `None`: the change is of another entity, such as the gazetteer.
fn read(change: &Change) -> anyhow::Result<Option<(Row, Listing)>> {
    let state = change.state.clone();
    let read = match change.entity.as_str() {
        "page" => {
            let page = Page::decode(state)?;
            let owners: Result<_, _> = page.owners.iter().map(|owner| owner.parse()).collect();
            let data = Listing::page(&page.kind, &page.handle, &page.name, &page.url);
            let row = Row {
                owners: owners.context("an owner is not a UUID")?,
                ..row(change, "page", page.mode(), page.is_visible(), &data)?
            };
            (row, data)
        }
        "game" => {
            let game = Game::decode(state)?;
            let data = Listing::game(&game.slug, &game.title, &game.url);
            let row = Row {
                page_id: Some(game.page_id.parse()?),
                ..row(change, "game", game.mode(), game.is_visible(), &data)?
            };
            (row, data)
        }
        "event" => {
            let event = ListedEvent::decode(state)?;
            let data = Listing::event(&event.slug, &event.title, &event.url);
            let row = row(change, "event", event.mode(), event.is_visible(), &data)?;
            (row, data)
        }
        _ => return Ok(None),
    };
    Ok(Some(read))
}

fn row(
    change: &Change,
    kind: &'static str,
    mode: Mode,
    visible: bool,
    data: &Listing,
) -> anyhow::Result<Row> {
    Ok(Row {
        kind,
        id: change.id.parse()?,
        mode: match mode {
            Mode::Live => "live",
            Mode::Test => "test",
            Mode::Unspecified => anyhow::bail!("the listing has no mode"),
        },
        slug: data.slug_or_handle().to_owned(),
        name: data.name.clone(),
        url: data.url.clone(),
        published: visible,
        revision: change.revision,
        page_id: None,
        owners: Vec::new(),
    })
}

/// The message of an announced change; `None`: the listing is not live or not visible.
fn message(change: &Change, row: &Row, data: Listing) -> anyhow::Result<Option<Message>> {
    let event = match change.event.as_str() {
        "published" => Event::ListingPublished,
        "updated" => Event::ListingUpdated,
        _ => return Ok(None),
    };
    if row.mode != "live" || !row.published {
        return Ok(None);
    }
    let source = Source {
        producer: "listings",
        entity: &change.entity,
        id: &change.id,
        revision: change.revision,
    };
    let subject = Subject {
        entity: row.kind,
        id: row.id,
    };
    let at = change.at.and_then(timestamp::decode);
    let at = at.context("the change has no time")?;
    let id = source.message_id(event);
    let message = Message::new(id, event, Some(subject), at, &Data::Listing(data))?;
    Ok(Some(message))
}
