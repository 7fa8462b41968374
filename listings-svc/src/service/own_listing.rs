//! One listing of an account with all its fields (`listings/v1/writing.proto`).

use contracts::listings::v1 as proto;
use contracts::listings::v1::get_own_listing_response::Listing as Message;
use kit::Fault;
use kit::api::timestamp::encode;
use sqlx::PgPool;
use time::Date;

use super::ids::parse_uuid;
use crate::domain::entity::Entity;
use crate::domain::listing::Content;
use crate::domain::page::hidden_note;
use crate::domain::state::ListingState;
use crate::feed;
use crate::store::{accounts, listings, own_listings};

pub(super) async fn get(
    pool: &PgPool,
    entity: Entity,
    request: proto::GetOwnListingRequest,
    today: Date,
) -> Result<proto::GetOwnListingResponse, Fault> {
    let account = parse_uuid("account_id", &request.account_id)?;
    let own = own_listings::find(pool, account, entity, &request.name).await?;
    let own = own.ok_or_else(not_found)?;
    let mut connection = pool.acquire().await?;
    let (mut note, mut creator) = (None, String::new());
    let listing = match &own.content {
        Content::Page(page) => Message::Page(feed::pages::message(&own, page)),
        Content::Game(game) => {
            let found = listings::find_by_id(&mut *connection, game.page_id).await?;
            if let Some(page) = found {
                note = hidden_note(page.name(), page.state);
                page.name().clone_into(&mut creator);
            }
            Message::Game(feed::games::message(&own, game))
        }
        Content::Event(event) => Message::Event(feed::events::message(&own, event)),
    };
    let ended = match own.state {
        ListingState::Rejected | ListingState::Removed => {
            own_listings::state_change(&mut *connection, own.id, own.state).await?
        }
        ListingState::Pending | ListingState::Published => None,
    };
    let removed = ended
        .as_ref()
        .filter(|_| own.state == ListingState::Removed);
    let writes_today = accounts::writes_on(&mut *connection, account, today).await?;
    Ok(proto::GetOwnListingResponse {
        listing: Some(listing),
        removed_at: removed.map(|removed| encode(removed.at)),
        removed_by: removed
            .and_then(|removed| removed.account.clone())
            .unwrap_or_default(),
        reason: ended.and_then(|ended| ended.reason).unwrap_or_default(),
        note: note.unwrap_or_default(),
        creator,
        writes_today: u32::try_from(writes_today).unwrap_or_default(),
    })
}

pub(super) fn not_found() -> Fault {
    Fault::not_found("No listing of yours has this name.")
}
