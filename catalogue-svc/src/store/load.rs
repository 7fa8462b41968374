//! Reading everything back, when a replica starts.

use futures::stream::BoxStream;
use futures::{StreamExt as _, TryStreamExt as _};
use kit::feed::{Fingerprint, Position};
use sqlx::PgConnection;
use uuid::Uuid;

/// How far the schema has come in the listings feed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cursor {
    /// The newest change that is in it.
    pub position: Position,
    /// Identifies that change.
    pub last_row: Option<Fingerprint>,
    /// What the rows of the newest rebuild are marked with.
    pub generation: Uuid,
    /// While it is rebuilt: the change at which it is whole again.
    pub rebuilding_to: Option<i64>,
}

/// The cursor; `None` when nothing was ever followed.
pub async fn cursor(connection: &mut PgConnection) -> Result<Option<Cursor>, sqlx::Error> {
    let row = sqlx::query!(
        r#"select epoch, seq, rebuilding_to, coalesce(generation, epoch) as "generation!", last_row
         from catalogue.feed_cursor where producer = $1"#,
        crate::PRODUCER
    )
    .fetch_optional(connection)
    .await?;
    Ok(row.map(|row| Cursor {
        position: Position {
            epoch: row.epoch,
            seq: row.seq,
        },
        last_row: row.last_row.as_deref().and_then(Fingerprint::from_bytes),
        generation: row.generation,
        rebuilding_to: row.rebuilding_to,
    }))
}

/// Kinds of entities that are read back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Genres.
    Genre,
    /// Countries.
    Country,
    /// Pages.
    Page,
    /// Games.
    Game,
    /// Events.
    Event,
}

impl Kind {
    /// What memory holds.
    pub const IN_MEMORY: [Self; 5] = [
        Self::Genre,
        Self::Country,
        Self::Page,
        Self::Game,
        Self::Event,
    ];

    /// As the feed calls it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Genre => "genre",
            Self::Country => "country",
            Self::Page => "page",
            Self::Game => "game",
            Self::Event => "event",
        }
    }
}

/// Id and encoded message of every entity of a kind whose row is marked with `epoch`, as [`Cursor::generation`] is.
pub fn rows(
    connection: &mut PgConnection,
    kind: Kind,
    epoch: Uuid,
) -> BoxStream<'_, Result<(String, Vec<u8>), sqlx::Error>> {
    match kind {
        Kind::Genre => sqlx::query!(
            "select id, body from catalogue.genre where epoch = $1",
            epoch
        )
        .fetch(connection)
        .map_ok(|row| (row.id, row.body))
        .boxed(),
        Kind::Country => sqlx::query!(
            "select id, body from catalogue.country where epoch = $1",
            epoch
        )
        .fetch(connection)
        .map_ok(|row| (row.id, row.body))
        .boxed(),
        Kind::Page => sqlx::query!(
            "select id, body from catalogue.page where epoch = $1",
            epoch
        )
        .fetch(connection)
        .map_ok(|row| (row.id.to_string(), row.body))
        .boxed(),
        Kind::Game => sqlx::query!(
            "select id, body from catalogue.game where epoch = $1",
            epoch
        )
        .fetch(connection)
        .map_ok(|row| (row.id.to_string(), row.body))
        .boxed(),
        Kind::Event => sqlx::query!(
            "select id, body from catalogue.event where epoch = $1",
            epoch
        )
        .fetch(connection)
        .map_ok(|row| (row.id.to_string(), row.body))
        .boxed(),
    }
}
