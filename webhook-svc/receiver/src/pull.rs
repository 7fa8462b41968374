//! `webhook-listen --api`: pulls messages and forwards each to a receiver, signed as the service signs.
//!
//! Messages are forwarded one after the other, in their order. The cursor is stored after each 2xx: a program that was killed forwards nothing
//! again but the message whose answer it had not stored, and that one with the same id. A message that the receiver always refuses is set
//! aside, so that the others get through.

use std::time::Duration;

use http::{StatusCode, Uri};
use tokio::time::sleep;

use crate::api::{Api, Begin, CallError, Message};
use crate::client::Client;
use crate::clock::now;
use crate::cursor_file::CursorFile;
use crate::signature::Secret;
use crate::signed_headers::{self, UnsignedMessage};

/// The waits between attempts grow from the first to the last of these.
const FIRST_WAIT: Duration = Duration::from_secs(1);
const LONGEST_WAIT: Duration = Duration::from_mins(1);
/// The longest wait that the API can ask for. When a month is used up, it asks for days, in which the plan may become larger.
const LONGEST_RETRY_AFTER: Duration = Duration::from_mins(5);

/// The refusals after which a message is set aside.
const MAX_REFUSALS: u32 = 5;

#[derive(Debug)]
pub struct Puller {
    pub api: Api,
    pub secret: Secret,
    /// Receives the messages.
    pub forward: Uri,
    pub client: Client,
    pub state: CursorFile,
    /// The wait between two calls when nothing is new.
    pub interval: Duration,
    /// Prints a line.
    pub show: fn(&str),
    /// Prints a line about a message that is set aside.
    pub warn: fn(&str),
}

/// A wait that doubles.
struct Backoff(Duration);

impl Backoff {
    const fn new() -> Self {
        Self(FIRST_WAIT)
    }

    fn next(&mut self) -> Duration {
        let wait = self.0;
        self.0 = (wait * 2).min(LONGEST_WAIT);
        wait
    }
}

/// The wait of a `Retry-After`.
fn limited(seconds: u64) -> Duration {
    Duration::from_secs(seconds).min(LONGEST_RETRY_AFTER)
}

/// Whether the answer is about the message. The others say that the receiver is down, has too much to do, has another secret or is elsewhere:
/// it takes the message when that is mended, as it would take every other message.
fn is_refusal(status: StatusCode) -> bool {
    matches!(
        status,
        StatusCode::BAD_REQUEST
            | StatusCode::PAYLOAD_TOO_LARGE
            | StatusCode::UNSUPPORTED_MEDIA_TYPE
            | StatusCode::UNPROCESSABLE_ENTITY
            | StatusCode::INTERNAL_SERVER_ERROR
    )
}

impl Puller {
    /// Forwards messages without end: after the stored cursor, or else since `since`.
    ///
    /// # Errors
    /// The API refuses the calls, or the cursor cannot be stored.
    pub async fn run(&self, since: &str) -> anyhow::Result<()> {
        let mut begin = match self.state.read()? {
            Some(cursor) => Begin::After(cursor),
            None => Begin::Since(since.to_owned()),
        };
        let mut backoff = Backoff::new();
        loop {
            let page = match self.api.messages(&begin).await {
                Ok(page) => page,
                Err(CallError::Refused(reason)) => anyhow::bail!(reason),
                Err(CallError::Failed(reason, wait)) => {
                    let wait = wait.map_or_else(|| backoff.next(), limited);
                    (self.show)(&format!("{reason}; next call in {} s", wait.as_secs()));
                    sleep(wait).await;
                    continue;
                }
            };
            backoff = Backoff::new();
            for message in &page.messages {
                self.forward(message).await;
                self.state.write(&message.cursor)?;
            }
            let next = Begin::After(page.next);
            if begin == next {
                sleep(self.interval).await;
                continue;
            }
            if let Begin::After(cursor) = &next {
                self.state.write(cursor)?;
            }
            begin = next;
        }
    }

    /// Posts a message until the receiver answers 2xx, or has refused it too often.
    async fn forward(&self, message: &Message) {
        let Message {
            id, event, body, ..
        } = message;
        let mut backoff = Backoff::new();
        let mut refusals = 0;
        loop {
            let timestamp = now().to_string();
            let unsigned = UnsignedMessage {
                event,
                id,
                timestamp: &timestamp,
                body: body.as_bytes(),
                agent: "webhook-listen/1",
            };
            let headers = signed_headers::sign(unsigned, &self.secret);
            let headers = signed_headers::to_map(headers);
            let answer = self
                .client
                .post(&self.forward, headers, body.clone().into())
                .await;
            let outcome = match answer {
                Ok(answer) if answer.status.is_success() => {
                    (self.show)(&format!("{event} {id} {}", answer.status.as_u16()));
                    return;
                }
                Ok(answer) => {
                    refusals += u32::from(is_refusal(answer.status));
                    answer.status.as_u16().to_string()
                }
                Err(problem) => problem,
            };
            if refusals == MAX_REFUSALS {
                (self.warn)(&format!(
                    "{event} {id} {outcome}; set aside after {refusals} attempts"
                ));
                return;
            }
            let wait = backoff.next();
            (self.show)(&format!(
                "{event} {id} {outcome}; again in {} s",
                wait.as_secs()
            ));
            sleep(wait).await;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_up_to_a_minute() {
        let mut backoff = Backoff::new();
        let waits: Vec<u64> = (0..8).map(|_| backoff.next().as_secs()).collect();
        assert_eq!(waits, [1, 2, 4, 8, 16, 32, 60, 60]);
    }

    #[test]
    fn a_receiver_that_is_down_or_set_up_wrongly_refuses_nothing() {
        for (status, refuses) in [
            (400, true),
            (413, true),
            (415, true),
            (422, true),
            (500, true),
            (302, false),
            (401, false),
            (404, false),
            (429, false),
            (502, false),
            (503, false),
            (504, false),
        ] {
            let status = StatusCode::from_u16(status).unwrap();
            assert_eq!(is_refusal(status), refuses, "{status}");
        }
    }

    #[test]
    fn the_api_asks_for_five_minutes_at_most() {
        let waits = [0, 7, 300, 301, 2_000_000, u64::MAX].map(|wait| limited(wait).as_secs());
        assert_eq!(waits, [0, 7, 300, 300, 300, 300]);
    }
}
