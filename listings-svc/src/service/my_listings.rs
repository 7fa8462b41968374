//! Lists what an account has listed (`listings/v1/writing.proto`, §10.2).

use contracts::common::v1 as common;
use contracts::listings::v1 as proto;
use contracts::listings::v1::own_listings_service_server::OwnListingsService;
use contracts::public::{OwnListing, Timestamp};
use kit::Fault;
use kit::cursor::Binding;
use sqlx::PgPool;
use tonic::{Request, Response, Status};
use uuid::Uuid;

use super::listing_name::{self, Problems};
use super::paging::Paging;
use super::{claim, submissions::mode};
use crate::domain::entity::Entity;
use crate::domain::mode::Mode;
use crate::domain::page::hidden_note;
use crate::feed::PublicUrl;
use crate::store::my_listings::{self, MyListing, SortKey};

#[derive(Debug)]
pub struct Service {
    pool: PgPool,
    public_url: PublicUrl,
}

#[tonic::async_trait]
impl OwnListingsService for Service {
    async fn list_own_listings(
        &self,
        request: Request<proto::ListOwnListingsRequest>,
    ) -> Result<Response<proto::ListOwnListingsResponse>, Status> {
        let request = request.into_inner();
        let mode = mode(request.mode())?;
        let account = claim::parse_uuid("account_id", &request.account_id)?;
        let filters = [Some(request.account_id.as_str()), Some(mode.as_str())];
        let page = request.page.unwrap_or_default();
        let mut problems = Problems::new();
        let binding = Binding::new("own", filters);
        let paging = Paging::read(binding, page.limit, &page.cursor, &mut problems);
        let paging = listing_name::finish(Some(paging), problems)?;
        let (json, page) = self.page(account, mode, paging).await?;
        let page = Some(page);
        Ok(Response::new(proto::ListOwnListingsResponse {
            json: json.into(),
            page,
        }))
    }
}

impl Service {
    pub fn new(pool: PgPool, public_url: PublicUrl) -> Self {
        Self { pool, public_url }
    }

    async fn page(
        &self,
        account: Uuid,
        mode: Mode,
        paging: Paging<SortKey>,
    ) -> Result<(Vec<u8>, common::PageInfo), Fault> {
        let (after, limit) = (paging.after, paging.fetch_limit());
        let (rows, total) = match mode {
            Mode::Live => (
                my_listings::list(&self.pool, account, after, limit).await,
                my_listings::count(&self.pool, account).await,
            ),
            Mode::Test => (
                my_listings::list_samples(&self.pool, after, limit).await,
                my_listings::count_samples(&self.pool).await,
            ),
        };
        let rows = rows?;
        let total = total?;
        let (rows, next) = paging.finish(rows, |row| SortKey {
            created_at: row.created_at,
            id: row.id,
        })?;
        let rows: Vec<OwnListing> = rows.into_iter().map(|row| self.shape(row)).collect();
        let json = serde_json::to_vec(&rows).map_err(|error| Fault::internal(&error))?;
        let page = common::PageInfo {
            total: u64::try_from(total).unwrap_or_default(),
            next_cursor: Some(next).filter(|next| !next.is_empty()),
            ..common::PageInfo::default()
        };
        Ok((json, page))
    }

    fn shape(&self, row: MyListing) -> OwnListing {
        let entity = if row.kind == Entity::Game.as_str() {
            Entity::Game
        } else {
            Entity::Event
        };
        OwnListing {
            url: self.public_url.listing(entity, &row.slug),
            kind: row.kind,
            slug: row.slug,
            title: row.title,
            note: (row.page.zip(row.page_state))
                .and_then(|(page, state)| hidden_note(&page, state.0)),
            status: row.state.0.as_str().to_owned(),
            reason: row.reason,
            created_at: Timestamp(row.created_at),
            updated_at: Timestamp(row.updated_at),
        }
    }
}
