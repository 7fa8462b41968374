//! What an account has listed (`listings/v1/writing.proto`, §10.2).

use contracts::common::v1 as common;
use contracts::listings::v1 as proto;
use contracts::listings::v1::own_listings_service_server::OwnListingsService;
use contracts::public::{OwnListing, Timestamp};
use kit::cursor::Binding;
use kit::{Fault, pg};
use sqlx::PgPool;
use tonic::{Request, Response, Status};
use uuid::Uuid;

use super::writing::mode;
use crate::domain::entity::Entity;
use crate::domain::mode::Mode;
use crate::feed::PublicUrl;
use crate::store::own::{self, After, Row};

const DEFAULT_LIMIT: u32 = 20;
const MAX_LIMIT: u32 = 100;

/// The service.
#[derive(Debug)]
pub struct Service {
    pool: PgPool,
    addresses: PublicUrl,
}

#[tonic::async_trait]
impl OwnListingsService for Service {
    async fn list_own_listings(
        &self,
        request: Request<proto::ListOwnListingsRequest>,
    ) -> Result<Response<proto::ListOwnListingsResponse>, Status> {
        let request = request.into_inner();
        let mode = mode(request.mode())?;
        let account = request.account_id.parse();
        let account: Uuid =
            account.map_err(|_bad| Fault::invalid_field("account_id", "It is a UUID."))?;
        let page = request.page.unwrap_or_default();
        let limit = match page.limit {
            0 => DEFAULT_LIMIT,
            limit if limit <= MAX_LIMIT => limit,
            _ => return Err(Fault::invalid_field("limit", "It is 1 to 100.").into()),
        };
        let binding = Binding::new(
            "own",
            [Some(request.account_id.as_str()), Some(mode.as_str())],
        );
        let after = after(&page.cursor, binding)?;
        let (json, page) = self.page(account, mode, after, limit, binding).await?;
        let page = Some(page);
        Ok(Response::new(proto::ListOwnListingsResponse {
            json: json.into(),
            page,
        }))
    }
}

impl Service {
    /// Reads from `pool`, and names public pages below `addresses`.
    pub fn new(pool: PgPool, addresses: PublicUrl) -> Self {
        Self { pool, addresses }
    }

    async fn page(
        &self,
        account: Uuid,
        mode: Mode,
        after: Option<After>,
        limit: u32,
        binding: Binding,
    ) -> Result<(Vec<u8>, common::PageInfo), Fault> {
        // One more than is shown tells whether there is a further page.
        let most = i64::from(limit) + 1;
        let (rows, total) = match mode {
            Mode::Live => (
                own::list(&self.pool, account, after, most).await,
                own::count(&self.pool, account).await,
            ),
            Mode::Test => (
                own::list_samples(&self.pool, after, most).await,
                own::count_samples(&self.pool).await,
            ),
        };
        let mut rows = rows.map_err(|error| pg::fault(&error))?;
        let total = total.map_err(|error| pg::fault(&error))?;
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        let is_last = rows.len() <= limit;
        rows.truncate(limit);
        let next = rows.last().filter(|_| !is_last).map(|row| After {
            created_at: row.created_at,
            id: row.id,
        });
        let next_cursor = next.map(|after| binding.encode(&after)).transpose();
        let rows: Vec<OwnListing> = rows.into_iter().map(|row| self.shape(row)).collect();
        let json = serde_json::to_vec(&rows).map_err(|error| Fault::internal(&error))?;
        let page = common::PageInfo {
            total: u64::try_from(total).unwrap_or_default(),
            next_cursor: next_cursor.map_err(|error| Fault::internal(&error))?,
        };
        Ok((json, page))
    }

    fn shape(&self, row: Row) -> OwnListing {
        let entity = if row.kind == Entity::Game.as_str() {
            Entity::Game
        } else {
            Entity::Event
        };
        OwnListing {
            url: self.addresses.of_listing(entity, &row.slug),
            kind: row.kind,
            slug: row.slug,
            title: row.title,
            status: row.state.0.as_str().to_owned(),
            reason: row.reason,
            created_at: Timestamp(row.created_at),
            updated_at: Timestamp(row.updated_at),
        }
    }
}

fn after(cursor: &str, binding: Binding) -> Result<Option<After>, Fault> {
    if cursor.is_empty() {
        return Ok(None);
    }
    let after = binding.decode(cursor);
    after.map(Some).ok_or_else(|| {
        Fault::invalid_field(
            "cursor",
            "Give the next_cursor of a page of this very list.",
        )
    })
}
