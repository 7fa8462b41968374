//! One listing of an account with all its fields (`listings/v1/writing.proto`).

use contracts::listings::v1 as proto;
use contracts::listings::v1::get_own_listing_response::Listing as Content;
use kit::Fault;
use sqlx::{PgConnection, PgPool};
use time::Date;

use super::ids::parse_uuid;
use crate::domain::entity::Entity;
use crate::domain::event::Event;
use crate::domain::game::Game;
use crate::domain::listing::Listing;
use crate::domain::mode::Mode;
use crate::domain::page::{Page, hidden_note};
use crate::domain::state::ListingState;
use crate::feed::Publish as _;
use crate::store::{ListingTable, accounts, find_listing, own_listings, pages};

pub(super) async fn get(
    pool: &PgPool,
    entity: Entity,
    request: proto::GetOwnListingRequest,
    today: Date,
) -> Result<proto::GetOwnListingResponse, Fault> {
    let account = parse_uuid("account_id", &request.account_id)?;
    let name = &request.name;
    let own = own_listings::find(pool, account, entity, name).await?;
    let (id, state) = own.ok_or_else(not_found)?;
    let mut connection = pool.acquire().await?;
    let (mut note, mut creator) = (None, String::new());
    let listing = match entity {
        Entity::Page => Content::Page(find::<Page>(&mut connection, name).await?.message()),
        Entity::Game => {
            let game = find::<Game>(&mut connection, name).await?;
            let page = pages::find(&mut connection, game.content.page_id).await?;
            if let Some(page) = page {
                note = hidden_note(&page.content.handle, page.state);
                creator = page.content.handle;
            }
            Content::Game(game.message())
        }
        Entity::Event => Content::Event(find::<Event>(&mut connection, name).await?.message()),
    };
    let reason = match state {
        ListingState::Rejected => own_listings::rejection(&mut *connection, entity, id).await?,
        _ => None,
    };
    let writes_today = accounts::writes_on(&mut *connection, account, today).await?;
    Ok(proto::GetOwnListingResponse {
        listing: Some(listing),
        reason: reason.unwrap_or_default(),
        note: note.unwrap_or_default(),
        creator,
        writes_today: u32::try_from(writes_today).unwrap_or_default(),
    })
}

async fn find<C>(connection: &mut PgConnection, name: &str) -> Result<Listing<C>, Fault>
where
    Listing<C>: ListingTable,
{
    let found = find_listing(connection, Mode::Live, name).await?;
    found.ok_or_else(not_found)
}

pub(super) fn not_found() -> Fault {
    Fault::not_found("No listing of yours has this name.")
}
