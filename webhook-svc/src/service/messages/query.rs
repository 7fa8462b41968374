//! The query of a call that pulls messages, and its cursors.

use contracts::common::v1::Mode;
use contracts::public::{Timestamp, WebhookMessage};
use contracts::webhook::v1 as proto;
use kit::Fault;
use kit::api::bad_fields::BadFields;
use kit::api::cursor::Binding;
use kit::api::page::Limits;
use kit::api::timestamp;
use serde::Deserialize;
use serde_json::value::RawValue;
use sha2::{Digest as _, Sha256};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::domain::event::Event;
use crate::service::account_id;
use crate::store::message_positions::PositionedMessage;

/// What a cursor holds: the position up to which the caller has its messages, and a fingerprint of the message at that position, which
/// shows whether the position still stands for that message. The fingerprint is 0 where there is no message.
pub(super) type MessageCursor = (i64, u32);

/// The mode and the filters of a call, and where it begins.
pub(super) struct Query {
    pub(super) account: Uuid,
    pub(super) mode: Mode,
    pub(super) event: Option<Event>,
    pub(super) limit: usize,
    pub(super) start: StartPoint,
    binding: Binding,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StartPoint {
    Oldest,
    Since(OffsetDateTime),
    Now,
    After(MessageCursor),
}

impl Query {
    /// Every bad field is reported.
    pub(super) fn read(
        request: &proto::ListMessagesRequest,
        now: OffsetDateTime,
    ) -> Result<Self, Fault> {
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
        let start = match (request.after.as_str(), request.from_now, since) {
            ("", false, None) => StartPoint::Oldest,
            ("", true, _) => StartPoint::Now,
            ("", false, Some(Some(since))) => StartPoint::Since(since),
            (_, _, Some(None)) => {
                bad.add("since", "Give a timestamp or `now`.");
                StartPoint::Oldest
            }
            // `after` is decoded below, with the filters.
            (_, false, None) => StartPoint::After((0, 0)),
            _ => {
                bad.add("since", "Leave it out: `after` says where to begin.");
                StartPoint::Oldest
            }
        };
        if let StartPoint::Since(since) = start {
            // A message has PostgreSQL's time, which may be ahead of this clock. A caller may send
            // that time back immediately.
            bad.read("since", timestamp::not_ahead(since, now));
        }
        let filters =
            [Some(request.account_id.as_str()), Some(mode.as_str_name()), event.map(Event::as_str)];
        let binding = Binding::new("messages", filters);
        let start = match start {
            StartPoint::After(_) => match binding.decode::<MessageCursor>(&request.after) {
                Some(cursor) if (0..i64::MAX).contains(&cursor.0) => StartPoint::After(cursor),
                _ => {
                    let reason = "It is not a whole cursor of this list with this account and these filters: begin without one.";
                    bad.add("after", reason);
                    start
                }
            },
            start => start,
        };
        bad.check()?;
        Ok(Self { account, mode, event, limit, start, binding })
    }

    pub(super) fn cursor(&self, cursor: MessageCursor) -> Result<String, Fault> {
        let encoded = self.binding.encode(&cursor);
        encoded.map_err(|error| Fault::internal(&error))
    }

    pub(super) fn row(&self, message: &PositionedMessage) -> Result<WebhookMessage, Fault> {
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

pub(super) fn cursor_of(message: &PositionedMessage) -> MessageCursor {
    (message.position, fingerprint(message.id))
}

pub(super) fn fingerprint(id: Uuid) -> u32 {
    let digest = Sha256::digest(id.as_bytes());
    let (first, _) = digest.split_at(4);
    first.iter().fold(0, |sum, byte| (sum << 8) | u32::from(*byte))
}
