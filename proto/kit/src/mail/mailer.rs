//! The job that sends the mails in the outbox.

use std::sync::Arc;
use std::time::Duration as StdDuration;

use lettre::message::Mailbox;
use parking_lot::Mutex;
use sqlx::postgres::PgPool;
use time::{Duration, OffsetDateTime};
use tokio::task::JoinSet;
use uuid::Uuid;

use super::NewMessage;
use super::message::message;
use super::outbox::{Mail, Outbox};
use super::settings::Settings;
use super::smtp::Outcome;
use super::transport::OpenTransport;
use crate::clock::Clock;
use crate::jobs::Leader;
use crate::pg::Schema;

/// How often the outbox is read.
const PERIOD: StdDuration = StdDuration::from_secs(1);
/// How often mails whose link has ended are removed, and the others counted.
const MAINTENANCE_PERIOD: StdDuration = StdDuration::from_secs(10);
/// The most mails that are sent at once, each over a connection of its own.
const MAX_IN_FLIGHT: u32 = 4;
/// The most notices among them, so that a mail with a link never waits for slow answers to notices.
const MAX_NOTICES: usize = 3;
/// Pauses while the mail server is away.
const FIRST_BACKOFF: StdDuration = StdDuration::from_secs(5);
const MAX_BACKOFF: StdDuration = StdDuration::from_mins(1);
/// The wait for the second try of a mail, which each further try doubles.
const FIRST_WAIT: Duration = Duration::MINUTE;
const MAX_WAIT: Duration = Duration::HOUR;
/// A mail that the server refuses so often with a permanent error is given up. The tries span seven minutes: some servers refuse every new
/// sender for five, and some with the wrong class of error.
const MAX_REFUSALS: i32 = 4;
/// A mail that the server does not take is given up after this time.
const MAX_AGE: Duration = Duration::days(3);

/// Sends the mails in the outbox of a schema.
#[derive(Debug, Clone)]
pub struct Mailer {
    outbox: Outbox,
    sender: Mailbox,
    transport: Arc<OpenTransport>,
    /// When the newest mail was queued that the server has taken.
    newest_sent: Arc<Mutex<Option<OffsetDateTime>>>,
}

/// A mail that is being sent.
#[derive(Debug)]
struct InFlight {
    id: Uuid,
    has_link: bool,
}

impl Mailer {
    /// Sends the mails in the table `mail` of `schema`. Tests move the time with `clock`.
    ///
    /// # Errors
    /// The file `mail_ca` has no certificates.
    pub fn new(
        pool: PgPool,
        schema: Schema,
        clock: Clock,
        settings: &Settings,
    ) -> anyhow::Result<Self> {
        let (ca, deadline) = (settings.mail_ca.as_deref(), settings.mail_deadline);
        Ok(Self {
            outbox: Outbox {
                pool,
                schema,
                clock,
            },
            sender: settings.mail_sender.clone(),
            transport: Arc::new(settings.mail.open(ca, deadline, MAX_IN_FLIGHT)?),
            newest_sent: Arc::default(),
        })
    }

    /// Adds its jobs to those of the leader.
    pub fn spawn(self, leader: &Leader) {
        for has_link in [true, false] {
            let kind = kind(has_link);
            metrics::counter!("mails_sent_total", "kind" => kind).increment(0);
            metrics::counter!("mails_deferred_total", "kind" => kind).increment(0);
            metrics::counter!("mails_refused_total", "kind" => kind).increment(0);
        }
        metrics::counter!("mails_expired_total").increment(0);
        let mailer = self.clone();
        leader.spawn_periodic("outbox of mails", MAINTENANCE_PERIOD, move |now| {
            let mailer = mailer.clone();
            async move { mailer.maintain(now).await }
        });
        leader.spawn("mail", move || {
            let mailer = self.clone();
            async move {
                // The run before this one was dropped with the mails that it sent.
                mailer.transport.close();
                let mut backoff = FIRST_BACKOFF;
                loop {
                    let Err(error) = mailer.send_due().await else {
                        backoff = FIRST_BACKOFF;
                        tokio::time::sleep(PERIOD).await;
                        continue;
                    };
                    let error = format!("{error:#}");
                    tracing::warn!(error, "cannot send mails; trying again");
                    tokio::time::sleep(backoff).await;
                    backoff = (backoff * 2).min(MAX_BACKOFF);
                }
            }
        });
    }

    /// Removes the mails whose link has ended, and sets the metrics of those that wait; returns the number of removed ones.
    ///
    /// # Errors
    /// PostgreSQL is unavailable.
    pub async fn maintain(&self, now: OffsetDateTime) -> anyhow::Result<u64> {
        let removed = self.outbox.remove_ended(now).await?;
        metrics::counter!("mails_expired_total").increment(removed);
        let backlog = self.outbox.backlog(now).await?;
        for has_link in [true, false] {
            let kind = kind(has_link);
            let found = backlog.iter().find(|it| it.has_link == has_link);
            let mails = found.map_or(0, |it| u32::try_from(it.mails).unwrap_or(u32::MAX));
            let since = found.and_then(|it| it.due_since);
            let age = since.map_or(0.0, |since| (now - since).as_seconds_f64().max(0.0));
            metrics::gauge!("mails_waiting", "kind" => kind).set(f64::from(mails));
            metrics::gauge!("mails_oldest_seconds", "kind" => kind).set(age);
        }
        Ok(removed)
    }

    /// Sends mails, several at once, until none is due. A mail is sent twice, with the same `Message-ID`, when the process dies between
    /// sending and removing it.
    ///
    /// # Errors
    /// PostgreSQL or the mail server is unavailable: all mails wait, and no try is counted. A mail that the server does not take is no
    /// error, since the others can be sent.
    pub async fn send_due(&self) -> anyhow::Result<()> {
        let mut sending = JoinSet::new();
        let mut in_flight: Vec<InFlight> = Vec::new();
        let mut failure: Option<anyhow::Error> = None;
        loop {
            while failure.is_none() && has_free_slot(&in_flight) {
                match self.next(&in_flight).await {
                    Ok(Some(mail)) => {
                        in_flight.push(InFlight {
                            id: mail.id,
                            has_link: mail.has_link,
                        });
                        let mailer = self.clone();
                        sending.spawn(async move { (mail.id, mailer.deliver(&mail).await) });
                    }
                    Ok(None) => break,
                    Err(error) => failure = Some(error.into()),
                }
            }
            tokio::select! {
                // After a failure, the mails in flight are finished, not dropped: the server may have taken them.
                ended = sending.join_next() => {
                    let delivered = match ended {
                        None => break,
                        Some(Ok((id, delivered))) => {
                            in_flight.retain(|mail| mail.id != id);
                            delivered
                        }
                        Some(Err(panicked)) => {
                            // Its connection may be in the middle of a command.
                            self.transport.close();
                            Err(panicked.into())
                        }
                    };
                    if let Err(error) = delivered {
                        failure.get_or_insert(error);
                    }
                }
                // Mails that were queued meanwhile do not wait for slow answers.
                () = tokio::time::sleep(PERIOD), if failure.is_none() && has_free_slot(&in_flight) => {}
            }
        }
        failure.map_or(Ok(()), Err)
    }

    async fn next(&self, in_flight: &[InFlight]) -> Result<Option<Mail>, sqlx::Error> {
        let notices = in_flight.iter().filter(|mail| !mail.has_link).count();
        let ids = in_flight.iter().map(|mail| mail.id).collect();
        self.outbox.next(ids, notices < MAX_NOTICES).await
    }

    /// Tries to send a mail. An error concerns the server or PostgreSQL, and the mail stays as it is.
    async fn deliver(&self, mail: &Mail) -> anyhow::Result<()> {
        let content = NewMessage {
            recipient: &mail.recipient,
            subject: &mail.subject,
            body: &mail.body,
        };
        let message = match message(&self.sender, mail.id, content) {
            Ok(message) => message,
            Err(error) => return self.give_up(mail, &format!("{error:#}")).await,
        };
        match self.transport.send(message).await? {
            Outcome::Sent => {
                metrics::counter!("mails_sent_total", "kind" => kind(mail.has_link)).increment(1);
                self.note_sent(mail);
                Ok(self.outbox.remove(mail.id).await?)
            }
            Outcome::Deferred(reason) => self.retry_later(mail, false, &reason).await,
            Outcome::Refused(reason) => self.retry_later(mail, true, &reason).await,
        }
    }

    fn note_sent(&self, mail: &Mail) {
        let mut newest = self.newest_sent.lock();
        *newest = (*newest).max(Some(mail.created_at));
    }

    /// The server did not take a mail: it is tried again later, or given up.
    ///
    /// A server that refuses every mail, for example since it does not know the sender, refuses us and not the recipient. Therefore
    /// refusals are final only if the server has taken a mail that is newer.
    async fn retry_later(&self, mail: &Mail, is_refused: bool, reason: &str) -> anyhow::Result<()> {
        let refusals = mail.refusals + i32::from(is_refused);
        let takes_others = *self.newest_sent.lock() > Some(mail.created_at);
        let now = self.outbox.now().await?;
        let is_final = refusals >= MAX_REFUSALS && takes_others;
        if is_final || now - mail.created_at > MAX_AGE {
            return self.give_up(mail, reason).await;
        }
        metrics::counter!("mails_deferred_total", "kind" => kind(mail.has_link)).increment(1);
        let domain = domain(&mail.recipient);
        tracing::warn!(mail = %mail.id, domain, reason, "a mail was not taken; trying it again later");
        let until = now + wait(mail.tries, rand::random());
        Ok(self.outbox.postpone(mail.id, is_refused, until).await?)
    }

    async fn give_up(&self, mail: &Mail, reason: &str) -> anyhow::Result<()> {
        metrics::counter!("mails_refused_total", "kind" => kind(mail.has_link)).increment(1);
        let domain = domain(&mail.recipient);
        tracing::warn!(mail = %mail.id, domain, reason, "a mail was refused for good; it is removed");
        Ok(self.outbox.remove(mail.id).await?)
    }
}

const fn has_free_slot(in_flight: &[InFlight]) -> bool {
    in_flight.len() < MAX_IN_FLIGHT as usize
}

/// The label of metrics.
const fn kind(has_link: bool) -> &'static str {
    if has_link { "link" } else { "notice" }
}

/// The domain of an address, which may stand behind a name. Logs have no mailbox.
fn domain(recipient: &str) -> &str {
    let domain = recipient.rsplit_once('@').map(|(_, domain)| domain);
    domain.unwrap_or_default().trim_end_matches('>')
}

/// How long a mail waits that was tried as often before this try. `jitter`, from 0 to 1, makes it up to a tenth shorter, so that mails that
/// were not taken together are not tried together.
fn wait(tries: i32, jitter: f64) -> Duration {
    let doublings = u32::try_from(tries).unwrap_or_default().min(6);
    let wait = (FIRST_WAIT * 2_i32.pow(doublings)).min(MAX_WAIT);
    wait * (1.0 - jitter / 10.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_up_to_an_hour() {
        let minutes = |tries, jitter| wait(tries, jitter).as_seconds_f64() / 60.0;
        let waits: Vec<_> = (0..9)
            .map(|tries| wait(tries, 0.0).whole_minutes())
            .collect();
        assert_eq!(waits, [1, 2, 4, 8, 16, 32, 60, 60, 60]);
        assert_eq!(wait(i32::MAX, 0.0), MAX_WAIT);
        for tries in 0..9 {
            assert!((minutes(tries, 1.0) - 0.9 * minutes(tries, 0.0)).abs() < 0.001);
        }
    }

    #[test]
    fn the_log_names_the_domain_alone() {
        for (recipient, expected) in [
            ("ada@studio.example", "studio.example"),
            ("Ada <ada@studio.example>", "studio.example"),
            ("\"a@b\"@studio.example", "studio.example"),
            ("ada", ""),
        ] {
            assert_eq!(domain(recipient), expected);
        }
    }
}
