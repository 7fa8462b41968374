//! The job that sends the mails in the outbox, one after the other.

use std::sync::Arc;
use std::time::Duration as StdDuration;

use kit::jobs::Leader;
use kit::pg;
use lettre::message::Mailbox;
use sqlx::PgConnection;
use sqlx::postgres::PgPool;
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

use super::NewMessage;
use super::message::message;
use super::settings::Settings;
use super::transport::OpenTransport;

/// How often the outbox is read.
const PERIOD: StdDuration = StdDuration::from_secs(1);
/// How often the mails that wait are counted.
const COUNT_PERIOD: StdDuration = StdDuration::from_secs(10);
/// The wait for the second try of a mail, which each further try doubles.
const FIRST_WAIT: Duration = Duration::MINUTE;
const MAX_WAIT: Duration = Duration::HOUR;
/// A mail that cannot be sent is given up after this time.
const MAX_AGE: Duration = Duration::days(3);

/// Sends the mails in the outbox.
#[derive(Debug, Clone)]
pub struct Mailer {
    pool: PgPool,
    sender: Mailbox,
    transport: Arc<OpenTransport>,
}

/// A queued mail.
#[derive(Debug)]
struct QueuedMail {
    id: Uuid,
    recipient: String,
    subject: String,
    body: String,
    created_at: OffsetDateTime,
    tries: i32,
    link_has_ended: bool,
}

impl Mailer {
    /// # Errors
    /// The file `mail_ca` has no certificates.
    pub fn new(pool: PgPool, settings: &Settings) -> anyhow::Result<Self> {
        let (ca, deadline) = (settings.mail_ca.as_deref(), settings.mail_deadline);
        Ok(Self {
            pool,
            sender: settings.mail_sender.clone(),
            transport: Arc::new(settings.mail.open(ca, deadline)?),
        })
    }

    /// Adds its jobs to those of the leader.
    pub fn spawn(self, leader: &Leader) {
        for name in [
            "mails_sent_total",
            "mails_deferred_total",
            "mails_given_up_total",
        ] {
            metrics::counter!(name).increment(0);
        }
        let pool = self.pool.clone();
        leader.spawn_periodic("count of mails", COUNT_PERIOD, move |now| {
            let pool = pool.clone();
            async move { count(&pool, now).await }
        });
        leader.spawn_periodic("mails", PERIOD, move |now| {
            let mailer = self.clone();
            async move { mailer.send_due(now).await }
        });
    }

    /// Sends each mail that is due; returns their number. A mail is sent twice, with the same `Message-ID`, when the process dies between sending
    /// and removing it.
    ///
    /// # Errors
    /// PostgreSQL is unavailable.
    pub async fn send_due(&self, now: OffsetDateTime) -> anyhow::Result<u64> {
        let mut sent = 0;
        while let Some(mail) = self.next(now).await? {
            if mail.link_has_ended {
                self.remove(mail.id).await?;
                continue;
            }
            match self.send(&mail).await {
                Ok(()) => {
                    metrics::counter!("mails_sent_total").increment(1);
                    self.remove(mail.id).await?;
                    sent += 1;
                }
                Err(reason) if now - mail.created_at > MAX_AGE => {
                    metrics::counter!("mails_given_up_total").increment(1);
                    let domain = domain(&mail.recipient);
                    tracing::warn!(mail = %mail.id, domain, reason, "a mail is given up and removed");
                    self.remove(mail.id).await?;
                }
                Err(reason) => {
                    metrics::counter!("mails_deferred_total").increment(1);
                    let domain = domain(&mail.recipient);
                    tracing::warn!(mail = %mail.id, domain, reason, "cannot send a mail; trying again later");
                    self.postpone(mail.id, now + wait(mail.tries)).await?;
                }
            }
        }
        Ok(sent)
    }

    async fn send(&self, mail: &QueuedMail) -> Result<(), String> {
        let content = NewMessage {
            recipient: &mail.recipient,
            subject: &mail.subject,
            body: &mail.body,
        };
        let message = message(&self.sender, mail.id, content);
        let message = message.map_err(|error| format!("{error:#}"))?;
        self.transport.send(message).await
    }

    /// The mail that is to be tried next, if one is due: those that were not tried yet go first.
    async fn next(&self, now: OffsetDateTime) -> Result<Option<QueuedMail>, sqlx::Error> {
        let row = sqlx::query_as!(
            QueuedMail,
            r#"select id, recipient, subject, body, created_at, tries,
                 coalesce(expires_at <= $1 or link_id is null and expires_at is not null, false) as "link_has_ended!"
             from web.mail where next_attempt_at <= $1 or next_attempt_at > $2 order by next_attempt_at, id limit 1"#,
            now,
            // No mail waits for longer, unless the clock was ahead.
            now + MAX_WAIT
        );
        let reading = async |connection: &mut PgConnection| row.fetch_optional(connection).await;
        pg::in_time(&self.pool, reading).await
    }

    /// Counts a try, and sets when the next one is due.
    async fn postpone(&self, id: Uuid, until: OffsetDateTime) -> Result<(), sqlx::Error> {
        let update = sqlx::query!(
            "update web.mail set tries = tries + 1, next_attempt_at = $2 where id = $1",
            id,
            until
        );
        let updating = async |connection: &mut PgConnection| update.execute(connection).await;
        pg::in_time(&self.pool, updating).await?;
        Ok(())
    }

    async fn remove(&self, id: Uuid) -> Result<(), sqlx::Error> {
        let delete = sqlx::query!("delete from web.mail where id = $1", id);
        let deleting = async |connection: &mut PgConnection| delete.execute(connection).await;
        pg::in_time(&self.pool, deleting).await?;
        Ok(())
    }
}

/// Sets the metrics of the mails that wait. It changes no rows.
async fn count(pool: &PgPool, now: OffsetDateTime) -> anyhow::Result<u64> {
    let query = sqlx::query!(
        r#"select count(*) as "mails!", min(greatest(created_at, next_attempt_at)) filter (where next_attempt_at <= $1) as due_since
         from web.mail"#,
        now
    );
    let reading = async |connection: &mut PgConnection| query.fetch_one(connection).await;
    let found = pg::in_time(pool, reading).await?;
    let mails = u32::try_from(found.mails).unwrap_or(u32::MAX);
    let age = found
        .due_since
        .map_or(0.0, |since| (now - since).as_seconds_f64().max(0.0));
    metrics::gauge!("mails_waiting").set(f64::from(mails));
    metrics::gauge!("mails_oldest_seconds").set(age);
    Ok(0)
}

/// The domain of an address, which may stand behind a name. Logs have no mailbox.
fn domain(recipient: &str) -> &str {
    let domain = recipient.rsplit_once('@').map(|(_, domain)| domain);
    domain.unwrap_or_default().trim_end_matches('>')
}

/// How long a mail waits that was tried as often before this try.
fn wait(tries: i32) -> Duration {
    let doublings = u32::try_from(tries).unwrap_or_default().min(6);
    (FIRST_WAIT * 2_i32.pow(doublings)).min(MAX_WAIT)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_log_has_only_the_domain_of_a_recipient() {
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
