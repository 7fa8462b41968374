//! Messages for callers that pull them (§10.17).

use contracts::common::v1::{Mode, PageInfo};
use contracts::public::{Timestamp, WebhookMessage};
use contracts::webhook::v1 as proto;
use contracts::webhook::v1::messages_service_server::MessagesService;
use kit::api::bad_fields::BadFields;
use kit::api::cursor::Binding;
use kit::api::page::Limits;
use kit::api::timestamp;
use kit::{Code, Fault};
use serde::Deserialize;
use serde_json::value::RawValue;
use sha2::{Digest as _, Sha256};
use time::OffsetDateTime;
use uuid::Uuid;

use super::{Service, account_id, calls};
use crate::domain::event::Event;
use crate::domain::samples;
use crate::store::message_positions;
use crate::store::messages::{self, PositionedMessage, Range};

/// Positions that one call looks at. Most messages may be for other accounts, and a call must not take longer with their number.
const MAX_POSITIONS: i64 = 10_000;

/// How much longer a cursor works than its message is listed: a caller that begins with the oldest message must be able to continue.
/// The rows stay for two days longer (`store/retention.rs`).
const TOLERANCE: time::Duration = time::Duration::DAY;

/// What a cursor holds: the position up to which the caller has its messages, and a fingerprint of the message at that position, which
/// shows whether the position still stands for that message. The fingerprint is 0 where there is no message.
type MessageCursor = (i64, u32);

/// The mode and the filters of a call, and where it begins.
struct Query {
    account: Uuid,
    mode: Mode,
    event: Option<Event>,
    limit: usize,
    begin: Begin,
    binding: Binding,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Begin {
    Oldest,
    Since(OffsetDateTime),
    Now,
    After(MessageCursor),
}

calls!(MessagesService {
    list_messages(ListMessagesRequest) -> ListMessagesResponse;
});

impl Service {
    async fn list_messages(
        &self,
        request: proto::ListMessagesRequest,
    ) -> Result<proto::ListMessagesResponse, Fault> {
        let query = Query::read(&request, self.clock.now())?;
        let (rows, end) = match query.mode {
            Mode::Test => sample_rows(&self.public_url, &query)?,
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
        let (after, head) = self.begin(query.begin).await?;
        let mut range = Range {
            account: query.account,
            event: query.event.map(Event::as_str),
            after: after.0,
            until: head.min(after.0.saturating_add(MAX_POSITIONS)),
            limit: i64::try_from(query.limit).unwrap_or(i64::MAX),
        };
        if range.until > after.0
            && let Some(early) = messages::first_early(&self.pool, range, self.clock.now()).await?
        {
            range.until = early - 1;
        }
        let found = messages::list(&self.pool, range).await?;
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
    async fn begin(&self, begin: Begin) -> Result<(MessageCursor, i64), Fault> {
        let pool = &self.pool;
        let oldest = self.clock.now() - self.retention;
        let position = match begin {
            Begin::After((position, _)) => position,
            Begin::Now => message_positions::head(pool).await?,
            Begin::Oldest => message_positions::before(pool, oldest).await?,
            Begin::Since(since) => message_positions::before(pool, since.max(oldest)).await?,
        };
        let found = message_positions::state(pool, position).await?;
        let Begin::After(after) = begin else {
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

impl Query {
    /// Every bad field is reported.
    fn read(request: &proto::ListMessagesRequest, now: OffsetDateTime) -> Result<Self, Fault> {
        let account = account_id(&request.account_id)?;
        let mode = request.mode();
        let mut bad = BadFields::default();
        let limit = Limits::PUBLIC.read(request.limit, &mut bad);
        let selectable = |event: &Event| Event::SELECTABLE.contains(event);
        let event = request.event.parse().ok().filter(selectable);
        if event.is_none() && !request.event.is_empty() {
            let known = Event::SELECTABLE.map(Event::as_str).join(", ");
            bad.add("event", format!("Use one of: {known}."));
        }
        let since = request.since.map(timestamp::decode);
        let begin = match (request.after.as_str(), request.from_now, since) {
            ("", false, None) => Begin::Oldest,
            ("", true, _) => Begin::Now,
            ("", false, Some(Some(since))) => Begin::Since(since),
            (_, _, Some(None)) => {
                bad.add("since", "Give a timestamp or `now`.");
                Begin::Oldest
            }
            // `after` is decoded below, with the filters.
            (_, false, None) => Begin::After((0, 0)),
            _ => {
                bad.add("since", "Leave it out: `after` says where to begin.");
                Begin::Oldest
            }
        };
        if let Begin::Since(since) = begin {
            // A message has the time of its producer, whose clock may be ahead of this one's. A caller may give that time at once.
            bad.read("since", timestamp::not_ahead(since, now));
        }
        let filters = [
            Some(request.account_id.as_str()),
            Some(mode.as_str_name()),
            event.map(Event::as_str),
        ];
        let binding = Binding::new("messages", filters);
        let begin = match begin {
            Begin::After(_) => match binding.decode::<MessageCursor>(&request.after) {
                Some(cursor) if (0..i64::MAX).contains(&cursor.0) => Begin::After(cursor),
                _ => {
                    let reason = "It is not a whole cursor of this list with this account and these filters: begin without one.";
                    bad.add("after", reason);
                    begin
                }
            },
            begin => begin,
        };
        bad.check()?;
        Ok(Self {
            account,
            mode,
            event,
            limit,
            begin,
            binding,
        })
    }

    fn cursor(&self, cursor: MessageCursor) -> Result<String, Fault> {
        let encoded = self.binding.encode(&cursor);
        encoded.map_err(|error| Fault::internal(&error))
    }

    fn row(&self, message: &PositionedMessage) -> Result<WebhookMessage, Fault> {
        /// The parts of a body that a row repeats.
        #[derive(Deserialize)]
        struct Body {
            created_at: Timestamp,
            data: Box<RawValue>,
        }
        let unreadable = |error| Fault::internal(&error);
        let body: Body = serde_json::from_slice(&message.body).map_err(unreadable)?;
        Ok(WebhookMessage {
            cursor: self.cursor(cursor_of(message))?,
            id: message.id.to_string(),
            event: message.event.clone(),
            created_at: body.created_at,
            data: body.data,
            body: String::from_utf8_lossy(&message.body).into_owned(),
        })
    }
}

fn cursor_of(message: &PositionedMessage) -> MessageCursor {
    (message.position, fingerprint(message.id))
}

fn fingerprint(id: Uuid) -> u32 {
    let digest = Sha256::digest(id.as_bytes());
    let (first, _) = digest.split_at(4);
    first
        .iter()
        .fold(0, |sum, byte| (sum << 8) | u32::from(*byte))
}

/// The samples of the events, which have positions too.
fn sample_rows(site: &str, query: &Query) -> Result<(Vec<WebhookMessage>, MessageCursor), Fault> {
    let samples = samples::messages(site).map_err(|error| Fault::internal(&error))?;
    let all: Vec<PositionedMessage> = (1..)
        .zip(samples)
        .map(|(position, sample)| PositionedMessage {
            position,
            id: sample.id,
            event: sample.event.as_str().to_owned(),
            body: sample.body,
        })
        .collect();
    let head = all
        .last()
        .map_or((0, 0), |last| (last.position, fingerprint(last.id)));
    let after = match query.begin {
        Begin::Oldest => 0,
        Begin::Since(since) if since <= samples::CREATED_AT => 0,
        Begin::Since(_) | Begin::Now => head.0,
        Begin::After((position, _)) => position,
    };
    let event = query.event.map(Event::as_str);
    let is_wanted = |message: &&PositionedMessage| {
        message.position > after && event.is_none_or(|event| message.event == event)
    };
    let found: Vec<&PositionedMessage> = all.iter().filter(is_wanted).take(query.limit).collect();
    let end = match found.last() {
        Some(last) if found.len() == query.limit => cursor_of(last),
        _ => head,
    };
    let rows = found.into_iter().map(|message| query.row(message));
    Ok((rows.collect::<Result<_, _>>()?, end))
}
