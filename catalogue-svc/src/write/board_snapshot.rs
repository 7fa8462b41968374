//! Publishes the board snapshot of a day and its moves (§6).

use contracts::catalogue::v1 as proto;
use kit::api::timestamp;
use kit::feed::NewChange;
use prost::Message as _;
use sqlx::PgConnection;
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

use super::happening;
use crate::boards::Card;
use crate::domain::moves::Move;
use crate::domain::rankings::Window;
use crate::store::board_snapshots;

/// A snapshot whose boards are stored.
#[derive(Debug)]
pub struct Announce {
    /// The time at which the boards stood as they are stored.
    pub taken_for: OffsetDateTime,
    /// The moves on the boards of the week since the snapshot before.
    pub moves: Vec<NamedMove>,
}

/// A move with the public fields of the listing.
#[derive(Debug)]
pub struct NamedMove {
    /// The move.
    pub moved: Move,
    /// The entity type of the listing on the listings feed.
    pub entity: &'static str,
    /// The public fields.
    pub card: Card,
}

/// Marks a snapshot as taken; returns what to publish of it, which is nothing if it was marked before.
pub(super) async fn announce(
    connection: &mut PgConnection,
    Announce { taken_for, moves }: &Announce,
    now: OffsetDateTime,
) -> Result<Vec<NewChange>, sqlx::Error> {
    if !board_snapshots::announce(connection, *taken_for, now).await? {
        return Ok(Vec::new());
    }
    let state = proto::BoardSnapshot {
        taken_for: Some(timestamp::encode(*taken_for)),
    };
    let day = taken_for.format(&Rfc3339).unwrap_or_default();
    let taken = happening(
        "board_snapshot",
        "taken",
        day.clone(),
        state.encode_to_vec(),
    );
    let moves = moves.iter().map(|named| moved(named, &day));
    Ok(std::iter::once(taken).chain(moves).collect())
}

fn moved(
    NamedMove {
        moved,
        entity,
        card,
    }: &NamedMove,
    day: &str,
) -> NewChange {
    let board = Window::Week.as_str();
    let state = proto::RankingMove {
        entity: (*entity).to_owned(),
        listing_id: moved.listing.to_string(),
        kind: card.kind.clone(),
        name: card.name.clone(),
        url: card.url.clone(),
        board: board.to_owned(),
        rank: moved.rank,
        previous_rank: moved.previous_rank,
    };
    let id = format!("{board}/{day}/{}", moved.listing);
    NewChange {
        announced: true,
        ..happening("ranking_move", "moved", id, state.encode_to_vec())
    }
}
