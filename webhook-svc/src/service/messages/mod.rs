//! Messages for callers that pull them (§10.17).

mod query;
mod samples;

use contracts::common::v1::{Mode, PageInfo};
use contracts::public::WebhookMessage;
use contracts::webhook::v1 as proto;
use contracts::webhook::v1::messages_service_server::MessagesService;
use kit::rpc::respond;
use kit::{Code, Fault};
use tonic::{Request, Response, Status};

use super::Service;
use crate::domain::event::Event;
use crate::store::message_positions::{self, PositionRange};
use query::{MessageCursor, Query, StartPoint, cursor_of, fingerprint};

/// Positions that one call looks at. Most messages may be for other accounts, and a call must not take longer with their number.
const MAX_POSITIONS: i64 = 10_000;

/// How much longer a cursor works than its message is listed: a caller that begins with the oldest message must be able to continue.
/// The rows stay for two days longer (`store/retention.rs`).
const TOLERANCE: time::Duration = time::Duration::DAY;

#[tonic::async_trait]
impl MessagesService for Service {
    async fn list_messages(
        &self,
        request: Request<proto::ListMessagesRequest>,
    ) -> Result<Response<proto::ListMessagesResponse>, Status> {
        respond(Self::list_messages(self, request.into_inner()).await)
    }
}

impl Service {
    async fn list_messages(
        &self,
        request: proto::ListMessagesRequest,
    ) -> Result<proto::ListMessagesResponse, Fault> {
        let query = Query::read(&request, self.clock.now())?;
        let (rows, end) = match query.mode {
            Mode::Test => samples::rows(&self.public_url, &query)?,
            Mode::Live => self.pull(&query).await?,
            Mode::Unspecified => return Err(Fault::invalid_field("mode", "Give live or test.")),
        };
        let json = serde_json::to_vec(&rows).map_err(|error| Fault::internal(&error))?;
        Ok(proto::ListMessagesResponse {
            json: json.into(),
            page: Some(PageInfo {
                total: u64::try_from(rows.len()).unwrap_or_default(),
                next_cursor: Some(query.cursor(end)?),
            }),
        })
    }

    /// Messages of the account, and where the next call begins.
    async fn pull(&self, query: &Query) -> Result<(Vec<WebhookMessage>, MessageCursor), Fault> {
        let (after, head) = self.start(query.start).await?;
        let mut range = PositionRange {
            account: query.account,
            event: query.event.map(Event::as_str),
            after: after.0,
            until: head.min(after.0.saturating_add(MAX_POSITIONS)),
            limit: i64::try_from(query.limit).unwrap_or(i64::MAX),
        };
        if range.until > after.0
            && let Some(early) =
                message_positions::first_early(&self.pool, range, self.clock.now()).await?
        {
            range.until = early - 1;
        }
        let found = message_positions::list(&self.pool, range).await?;
        let end = match found.last() {
            Some(last) if found.len() == query.limit => cursor_of(last),
            _ if range.until == after.0 => after,
            _ => {
                let state = message_positions::state(&self.pool, range.until).await?;
                (range.until, state.here.map_or(0, fingerprint))
            }
        };
        let rows = found.iter().map(|message| query.row(message));
        Ok((rows.collect::<Result<_, _>>()?, end))
    }

    /// Where the caller is, and the last position.
    async fn start(&self, start: StartPoint) -> Result<(MessageCursor, i64), Fault> {
        let pool = &self.pool;
        let oldest = self.clock.now() - self.retention;
        let position = match start {
            StartPoint::After((position, _)) => position,
            StartPoint::Now => message_positions::head(pool).await?,
            StartPoint::Oldest => message_positions::before(pool, oldest).await?,
            StartPoint::Since(since) => message_positions::before(pool, since.max(oldest)).await?,
        };
        let found = message_positions::state(pool, position).await?;
        let StartPoint::After(after) = start else {
            let after = (position, found.here.map_or(0, fingerprint));
            return Ok((after, found.head.max(position)));
        };
        // After a restore of the database, positions are given to other messages.
        let replaced = found.here.is_some_and(|id| fingerprint(id) != after.1);
        let lost = match found.next_created_at {
            Some(next) => next < oldest - TOLERANCE,
            None => position < found.head,
        };
        if position > found.head || replaced || lost {
            let days = self.retention.whole_days();
            return Err(Fault::new(
                Code::Gone,
                format!(
                    "There may have been messages after this one that cannot be pulled any more: they are kept for {days} days. Start again \
                     without `after`, and read what your copy may lack from `data.api`."
                ),
            ));
        }
        Ok((after, found.head))
    }
}
