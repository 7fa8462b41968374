//! What an account has listed (`listings/v1/writing.proto`, §10.2): the list, one listing with all
//! its fields, withdrawals and takedowns.

use contracts::common::v1 as common;
use contracts::listings::v1 as proto;
use contracts::listings::v1::get_own_listing_response::Listing as Message;
use contracts::listings::v1::own_listings_service_server::OwnListingsService;
use contracts::public::{
    CREATOR_KINDS, EVENT_KINDS, OwnListing, OwnListingEnded, PLATFORMS, STAGES, Timestamp,
};
use contracts::reference_data::{COUNTRIES, GENRES};
use kit::api::bad_fields::BadFields;
use kit::api::cursor::{Binding, SortTime};
use kit::api::page::Page;
use kit::rpc::respond;
use kit::{Clock, Fault};
use sqlx::PgPool;
use tonic::{Request, Response, Status};
use uuid::Uuid;

use crate::domain::entity::Entity;
use crate::domain::links;
use crate::domain::listing::Content;
use crate::domain::mode::Mode;
use crate::domain::page::hidden_note;
use crate::domain::slug;
use crate::domain::state::{ListingState, OwnAction, StateCause};
use crate::feed;
use crate::service::Service;
use crate::service::account::ended::ended;
use crate::service::ids::parse_uuid;
use crate::service::listing_name::parse_kind;
use crate::store::own_listings::{self, OwnListingRow};
use crate::store::{accounts, history, listings};
use crate::write::absent::no_own_listing;
use crate::write::own_action::{self, SeenListing};

#[tonic::async_trait]
impl OwnListingsService for Service {
    async fn list_own_listings(
        &self,
        request: Request<proto::ListOwnListingsRequest>,
    ) -> Result<Response<proto::ListOwnListingsResponse>, Status> {
        let request = request.into_inner();
        let mode = Mode::try_from(request.mode)?;
        let account = parse_uuid("account_id", &request.account_id)?;
        let filters = [Some(request.account_id.as_str()), Some(mode.as_str())];
        let mut bad = BadFields::default();
        let binding = Binding::new("own", filters);
        let page = bad.read_public_page(binding, request.page);
        bad.check()?;
        let (json, page) = self.own_page(account, mode, page).await?;
        let page = Some(page);
        Ok(Response::new(proto::ListOwnListingsResponse { json: json.into(), page }))
    }

    async fn get_own_listing(
        &self,
        request: Request<proto::GetOwnListingRequest>,
    ) -> Result<Response<proto::GetOwnListingResponse>, Status> {
        let request = request.into_inner();
        let entity = parse_kind(&request.kind)?;
        respond(get(&self.pool, &self.clock, entity, request).await)
    }

    async fn withdraw_listing(
        &self,
        request: Request<proto::WithdrawListingRequest>,
    ) -> Result<Response<proto::WithdrawListingResponse>, Status> {
        let proto::WithdrawListingRequest { account_id, kind, name, revision } =
            request.into_inner();
        let seen = seen(&account_id, &kind, name, revision)?;
        let changed = own_action::apply(&self.commands, OwnAction::Withdraw, &seen).await?;
        Ok(Response::new(proto::WithdrawListingResponse { changed }))
    }

    async fn take_down_listing(
        &self,
        request: Request<proto::TakeDownListingRequest>,
    ) -> Result<Response<proto::TakeDownListingResponse>, Status> {
        let proto::TakeDownListingRequest { account_id, kind, name, revision } =
            request.into_inner();
        let seen = seen(&account_id, &kind, name, revision)?;
        let changed = own_action::apply(&self.commands, OwnAction::TakeDown, &seen).await?;
        Ok(Response::new(proto::TakeDownListingResponse { changed }))
    }

    async fn list_field_values(
        &self,
        _: Request<proto::ListFieldValuesRequest>,
    ) -> Result<Response<proto::ListFieldValuesResponse>, Status> {
        let mut genres = GENRES
            .map(|genre| proto::Genre { key: genre.key.to_owned(), name: genre.name.to_owned() });
        genres.sort_by_cached_key(|genre| slug::from_title(&genre.name));
        let mut countries = COUNTRIES.map(|country| proto::Country {
            code: country.code.to_owned(),
            name: country.name.to_owned(),
        });
        countries.sort_by_cached_key(|country| slug::from_title(&country.name));
        Ok(Response::new(proto::ListFieldValuesResponse {
            genres: genres.into(),
            countries: countries.into(),
            platforms: texts(&PLATFORMS),
            stages: texts(&STAGES),
            page_kinds: texts(&CREATOR_KINDS),
            event_kinds: texts(&EVENT_KINDS),
            game_links: texts(links::GAME),
            page_links: texts(links::PAGE),
        }))
    }
}

fn texts(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

impl Service {
    async fn own_page(
        &self,
        account: Uuid,
        mode: Mode,
        page: Page<(SortTime, Uuid)>,
    ) -> Result<(Vec<u8>, common::PageInfo), Fault> {
        let after = page.after.map(|(SortTime(at), id)| (at, id));
        let limit = page.rows_to_fetch();
        let (rows, total) = match mode {
            Mode::Live => (
                own_listings::list(&self.pool, account, after, limit).await,
                own_listings::count(&self.pool, account).await,
            ),
            Mode::Test => (
                own_listings::list_samples(&self.pool, after, limit).await,
                own_listings::count_samples(&self.pool).await,
            ),
        };
        let (mut rows, total) = (rows?, total?);
        let next_cursor = page.cut(&mut rows, |row| (SortTime(row.created_at), row.id))?;
        let rows: Vec<OwnListing> = rows.into_iter().filter_map(|row| self.own_row(row)).collect();
        let json = serde_json::to_vec(&rows).map_err(|error| Fault::internal(&error))?;
        let page =
            common::PageInfo { total: u64::try_from(total).unwrap_or_default(), next_cursor };
        Ok((json, page))
    }

    /// `None`: only a newer version knows the kind.
    fn own_row(&self, row: OwnListingRow) -> Option<OwnListing> {
        let entity: Entity = row.kind.parse().ok()?;
        // Only a newer version knows another state.
        let is_ended = row.state.parse().is_ok_and(ListingState::is_ended);
        let cause =
            StateCause { account: row.state_by, at: row.state_at, reason: row.state_reason };
        let ended = Some(cause).filter(|_| is_ended);
        Some(OwnListing {
            url: self.commands.public_url.listing(entity, &row.name),
            kind: row.kind,
            slug: row.name,
            title: row.title,
            note: (row.page.zip(row.page_state))
                .and_then(|(page, state)| hidden_note(&page, state.parse().ok()?)),
            status: row.state,
            reason: ended.as_ref().and_then(|ended| ended.reason.clone()),
            ended: ended.map(|ended| OwnListingEnded {
                by: if ended.account.is_some() { "account" } else { "staff" }.to_owned(),
                at: Timestamp(ended.at),
            }),
            created_at: Timestamp(row.created_at),
            updated_at: Timestamp(row.updated_at),
        })
    }
}

fn seen(account: &str, kind: &str, name: String, revision: i64) -> Result<SeenListing, Fault> {
    let (account, entity) = (parse_uuid("account_id", account)?, parse_kind(kind)?);
    Ok(SeenListing { account, entity, name, revision })
}

async fn get(
    pool: &PgPool,
    clock: &Clock,
    entity: Entity,
    request: proto::GetOwnListingRequest,
) -> Result<proto::GetOwnListingResponse, Fault> {
    let account = parse_uuid("account_id", &request.account_id)?;
    let own = own_listings::find(pool, account, entity, &request.name)
        .await?
        .ok_or_else(|| no_own_listing(entity))?;
    let mut connection = pool.acquire().await?;
    let (mut note, mut creator) = (None, String::new());
    let listing = match &own.content {
        Content::Page(page) => Message::Page(feed::pages::message(&own, page, &[])),
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
    let is_withdrawn = OwnAction::Withdraw.is_done(own.state, &own.cause);
    let rejection =
        if is_withdrawn { history::last_rejection(&mut *connection, own.id).await? } else { None };
    let today = kit::pg::now(&mut *connection, clock).await?.date();
    let writes_today = accounts::writes_on(&mut *connection, account, today).await?;
    Ok(proto::GetOwnListingResponse {
        listing: Some(listing),
        ended: own.ended().map(ended),
        rejection: rejection
            .map(|it| ended(&StateCause { account: None, at: it.at, reason: it.reason })),
        note: note.unwrap_or_default(),
        creator,
        writes_today: u32::try_from(writes_today).unwrap_or_default(),
    })
}
