//! The jobs that send the mails in the outbox: several at once, those with links first.

use std::sync::Arc;
use std::time::Duration as StdDuration;

use kit::clock::Clock;
use kit::jobs::Leader;
use kit::pg;
use lettre::message::Mailbox;
use parking_lot::Mutex;
use sqlx::PgConnection;
use sqlx::postgres::PgPool;
use time::{Duration, OffsetDateTime};
use tokio::time::Instant;
use uuid::Uuid;

use super::NewMessage;
use super::message::message;
use super::settings::Settings;
use super::transport::{Connection, OpenTransport, Outcome};

/// How often the outbox is read.
const PERIOD: StdDuration = StdDuration::from_secs(1);
/// How often the mails that wait are counted.
const COUNT_PERIOD: StdDuration = StdDuration::from_secs(10);
/// For each job that sends mails, whether it sends only those with links, which then never wait for slow answers to notices.
const JOBS: [bool; 4] = [true, false, false, false];
/// A job begins no mail after this time, since a run of a job is dropped after an hour. The next run continues.
const MAX_RUN: StdDuration = StdDuration::from_mins(10);
/// How long a job pauses when the mail server cannot be reached.
const OUTAGE_PAUSE: StdDuration = StdDuration::from_secs(30);
/// How long it may take to commit the claim of a mail and to record what came of it.
const RECORD: StdDuration = StdDuration::from_secs(10);
/// The wait for the second try of a mail, which each further try doubles.
const FIRST_WAIT: Duration = Duration::MINUTE;
const MAX_WAIT: Duration = Duration::HOUR;
/// The least wait of a mail that the server has refused for good: some servers refuse each new sender for five minutes.
const REFUSED_WAIT: Duration = Duration::minutes(6);
/// A mail is given up after as many tries, which take three days. Tries while the server cannot be reached do not count.
pub const MAX_TRIES: i32 = 78;

/// Sends the mails in the outbox.
#[derive(Clone)]
pub struct Mailer {
    pool: PgPool,
    clock: Clock,
    sender: Mailbox,
    transport: Arc<OpenTransport>,
    /// How long no other job takes a mail that is being sent.
    claim: StdDuration,
    /// When the server has accepted a mail for the last time.
    accepted_at: Arc<Mutex<Option<OffsetDateTime>>>,
}

/// A mail that this job sends.
#[derive(Debug)]
struct ClaimedMail {
    id: Uuid,
    recipient: String,
    subject: String,
    body: String,
    tries: i32,
    refused_at: Option<OffsetDateTime>,
    claimed_at: OffsetDateTime,
    link_has_ended: bool,
}

impl Mailer {
    /// # Errors
    /// The file `mail_ca` has no certificates.
    pub fn new(pool: PgPool, clock: Clock, settings: &Settings) -> anyhow::Result<Self> {
        let (ca, deadline) = (settings.mail_ca.as_deref(), settings.mail_deadline);
        Ok(Self {
            pool,
            clock,
            sender: settings.mail_sender.clone(),
            transport: Arc::new(settings.mail.open(ca, deadline)?),
            // To find a used connection dead, to connect, to send, and to record what came of it, with room to spare.
            claim: 4 * deadline + RECORD,
            accepted_at: Arc::default(),
        })
    }

    /// Adds its jobs to those of the leader.
    pub fn spawn(self, leader: &Leader) {
        for name in ["mails_sent_total", "mails_deferred_total", "mails_given_up_total"] {
            metrics::counter!(name).increment(0);
        }
        let pool = self.pool.clone();
        leader.spawn_periodic("count of mails", COUNT_PERIOD, move |now| {
            let pool = pool.clone();
            async move { count(&pool, now).await }
        });
        for only_links in JOBS {
            let mailer = self.clone();
            // Each mail asks for the time, since a run may take long.
            leader.spawn_periodic("mails", PERIOD, move |_| {
                let mailer = mailer.clone();
                async move {
                    let sent = mailer.run(only_links).await;
                    if sent.is_err() {
                        mailer.clock.sleep(OUTAGE_PAUSE).await;
                    }
                    sent
                }
            });
        }
    }

    /// Sends each mail that is due; returns their number. A mail is sent twice, with the same `Message-ID`, when the process dies between sending
    /// and removing it.
    ///
    /// # Errors
    /// PostgreSQL or the mail server is unavailable.
    pub async fn send_due(&self) -> anyhow::Result<u64> {
        self.run(false).await
    }

    /// Like [`Self::send_due`], without the mails that have no link.
    ///
    /// # Errors
    /// PostgreSQL or the mail server is unavailable.
    pub async fn send_due_links(&self) -> anyhow::Result<u64> {
        self.run(true).await
    }

    async fn run(&self, only_links: bool) -> anyhow::Result<u64> {
        let mut connection = Connection::default();
        let sent = self.send_claimed(only_links, &mut connection).await;
        connection.close().await;
        sent
    }

    async fn send_claimed(
        &self,
        only_links: bool,
        connection: &mut Connection,
    ) -> anyhow::Result<u64> {
        let (began, mut sent) = (Instant::now(), 0);
        while began.elapsed() < MAX_RUN
            && let Some(mail) = self.claim_next(only_links).await?
        {
            if mail.link_has_ended {
                self.remove(mail.id).await?;
                continue;
            }
            let content =
                NewMessage { recipient: &mail.recipient, subject: &mail.subject, body: &mail.body };
            let message = match message(&self.sender, mail.id, content) {
                Ok(message) => message,
                Err(error) => {
                    self.give_up(&mail, &format!("{error:#}")).await?;
                    continue;
                }
            };
            match self.transport.send(connection, message).await {
                Ok(Outcome::Sent) => {
                    metrics::counter!("mails_sent_total").increment(1);
                    *self.accepted_at.lock() = Some(mail.claimed_at);
                    self.remove(mail.id).await?;
                    sent += 1;
                }
                Ok(Outcome::Deferred(reason)) => self.retry_later(&mail, false, &reason).await?,
                Ok(Outcome::Refused(reason)) => self.retry_later(&mail, true, &reason).await?,
                Err(error) => {
                    self.release(mail.id).await?;
                    return Err(error);
                }
            }
        }
        Ok(sent)
    }

    /// Claims the mail that is to be sent next, if one is due: those with links go first, and then those that were not tried yet.
    async fn claim_next(&self, only_links: bool) -> Result<Option<ClaimedMail>, sqlx::Error> {
        let claiming = async |connection: &mut PgConnection| {
            let now = pg::now(&mut *connection, &self.clock).await?;
            // No mail waits or is claimed for twice as long, unless the clock was ahead. False is less than true.
            sqlx::query_as!(
                ClaimedMail,
                r#"update web.mail set claimed_until = $3 where id = (
                     select id from web.mail
                     where (expires_at is null) <= $5 and (next_attempt_at <= $1 or next_attempt_at > $2)
                       and (claimed_until is null or claimed_until <= $1 or claimed_until > $4)
                     order by expires_at is null, next_attempt_at, id limit 1 for update skip locked
                   )
                   returning id, recipient, subject, body, tries, refused_at, $1 as "claimed_at!",
                     coalesce(expires_at <= $1 or link_id is null and expires_at is not null, false) as "link_has_ended!""#,
                now,
                now + 2_i32 * MAX_WAIT,
                now + self.claim,
                now + 2 * self.claim,
                !only_links
            )
            .fetch_optional(connection)
            .await
        };
        pg::in_time(&self.pool, claiming).await
    }

    /// Gives a claimed mail back as it was.
    async fn release(&self, id: Uuid) -> Result<(), sqlx::Error> {
        let update = sqlx::query!("update web.mail set claimed_until = null where id = $1", id);
        let updating = async |connection: &mut PgConnection| update.execute(connection).await;
        pg::in_time(&self.pool, updating).await?;
        Ok(())
    }

    /// Counts a try, and sets when the next one is due, or gives the mail up.
    ///
    /// A server that refuses every mail, for example because it does not know the sender, refuses us, and not the recipient: a refusal for good
    /// is final only if the server has accepted another mail since the first one.
    async fn retry_later(
        &self,
        mail: &ClaimedMail,
        is_refused: bool,
        reason: &str,
    ) -> anyhow::Result<()> {
        let now = pg::now_in_time(&self.pool, &self.clock).await?;
        let accepts_others =
            mail.refused_at.is_some_and(|refused| *self.accepted_at.lock() >= Some(refused));
        if is_refused && accepts_others || mail.tries + 1 >= MAX_TRIES {
            return Ok(self.give_up(mail, reason).await?);
        }
        metrics::counter!("mails_deferred_total").increment(1);
        let domain = domain(&mail.recipient);
        tracing::warn!(mail = %mail.id, domain, reason, "cannot send a mail; trying again later");
        let least = if is_refused { REFUSED_WAIT } else { FIRST_WAIT };
        let update = sqlx::query!(
            "update web.mail set tries = tries + 1, next_attempt_at = $2, refused_at = coalesce(refused_at, $3), claimed_until = null
             where id = $1",
            mail.id,
            now + wait(mail.tries).max(least),
            is_refused.then_some(now)
        );
        let updating = async |connection: &mut PgConnection| update.execute(connection).await;
        pg::in_time(&self.pool, updating).await?;
        Ok(())
    }

    async fn give_up(&self, mail: &ClaimedMail, reason: &str) -> Result<(), sqlx::Error> {
        metrics::counter!("mails_given_up_total").increment(1);
        let domain = domain(&mail.recipient);
        tracing::warn!(mail = %mail.id, domain, reason, "a mail is given up and removed");
        self.remove(mail.id).await
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
    let age = found.due_since.map_or(0.0, |since| (now - since).as_seconds_f64().max(0.0));
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
