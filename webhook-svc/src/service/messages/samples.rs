//! What test keys pull: the samples of the events, which have positions too.

use contracts::public::WebhookMessage;
use kit::Fault;

use super::query::{MessageCursor, Query, StartPoint, cursor_of, fingerprint};
use crate::domain::event::Event;
use crate::domain::samples;
use crate::store::message_positions::PositionedMessage;

/// The page of a query for a test key.
pub(super) fn rows(
    site: &str,
    query: &Query,
) -> Result<(Vec<WebhookMessage>, MessageCursor), Fault> {
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
    let head = all.last().map_or((0, 0), |last| (last.position, fingerprint(last.id)));
    let after = match query.start {
        StartPoint::Oldest => 0,
        StartPoint::Since(since) if since <= samples::CREATED_AT => 0,
        StartPoint::Since(_) | StartPoint::Now => head.0,
        StartPoint::After((position, _)) => position,
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
