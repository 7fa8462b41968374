//! Publishes the moves of the board snapshot of a day (§6).

use contracts::catalogue::v1 as proto;
use kit::Fault;
use kit::feed::{NewChange, Producer};
use prost::Message as _;
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

use crate::domain::card::Card;
use crate::domain::moves::Move;
use crate::domain::rankings::Window;
use crate::store::board_snapshots;

/// A move with the public fields of the listing.
#[derive(Debug)]
pub struct NamedMove {
    pub moved: Move,
    /// The entity type of the listing on the listings feed.
    pub entity: &'static str,
    pub card: Card,
}

/// Marks the board snapshot of a moment, whose boards are stored, as taken, and publishes its moves. If it was marked before, nothing changes.
///
/// # Errors
/// PostgreSQL is unavailable.
pub async fn announce(
    producer: &Producer,
    taken_for: OffsetDateTime,
    moves: &[NamedMove],
) -> Result<(), Fault> {
    let mut transaction = producer.begin().await?;
    let mut changes = Vec::new();
    if board_snapshots::announce(&mut transaction, taken_for).await? {
        let day = taken_for.format(&Rfc3339).unwrap_or_default();
        changes.extend(moves.iter().map(|named| change(named, &day)));
    }
    transaction.commit(&changes).await
}

fn change(named: &NamedMove, day: &str) -> NewChange {
    let NamedMove { moved, entity, card } = named;
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
    NewChange {
        entity: "ranking_move",
        id: format!("{board}/{day}/{}", moved.listing),
        revision: 1,
        event: "moved",
        announced: true,
        happening: true,
        state: state.encode_to_vec(),
    }
}
