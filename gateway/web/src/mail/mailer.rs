//! The jobs that send the mails in the outbox: several at once, but one at a time to each domain,
//! and those with links first.

use std::sync::Arc;
use std::time::Duration as StdDuration;

use anyhow::Context as _;
use kit::clock::Clock;
use kit::jobs::Leader;
use kit::lifecycle::Lifecycle;
use kit::pg;
use lettre::message::Mailbox;
use parking_lot::Mutex;
use sqlx::PgConnection;
use sqlx::postgres::PgPool;
use time::{Duration, OffsetDateTime};
use tokio::sync::oneshot;
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
/// How long the server may take for the first attempt to send a mail. Where it needs longer, only
/// the second attempt succeeds, because the first one must not hold up other domains.
const FIRST_DEADLINE: StdDuration = StdDuration::from_secs(10);
/// How long it may take to commit the claim of a mail and to record what came of it.
const RECORD: StdDuration = StdDuration::from_secs(10);
/// The wait for the second try of a mail, which each further try doubles.
const FIRST_WAIT: Duration = Duration::MINUTE;
const MAX_WAIT: Duration = Duration::HOUR;
/// The least wait of a mail that the server has refused for good: some servers refuse each new sender for five minutes.
const REFUSED_WAIT: Duration = Duration::minutes(6);
/// A mail is given up after as many tries, which take three days. Tries while the server cannot be reached do not count.
pub const MAX_TRIES: i32 = 78;
/// A mail with a link is given up after this time, as after all tries, or after the lifetime of its
/// link if that is longer.
const MAX_LINK_WAIT: Duration = Duration::days(3);

/// Sends the mails in the outbox.
#[derive(Clone)]
pub struct Mailer {
    pool: PgPool,
    clock: Clock,
    sender: Mailbox,
    transport: Arc<OpenTransport>,
    /// How long the server may take for one mail, after the first attempt.
    deadline: StdDuration,
    /// How long no other job takes a mail that is being sent, or another one to its domain.
    claim: StdDuration,
    /// When the server has accepted a mail for the last time.
    accepted_at: Arc<Mutex<Option<OffsetDateTime>>>,
}

/// A mail that this job sends.
#[derive(Debug)]
struct ClaimedMail {
    id: Uuid,
    recipient: String,
    /// Logs contain no more of the recipient.
    domain: String,
    subject: String,
    body: String,
    tries: i32,
    refused_at: Option<OffsetDateTime>,
    claimed_at: OffsetDateTime,
    has_link: bool,
    /// The mail has a link, and has waited for too long.
    is_late: bool,
}

impl Mailer {
    /// # Errors
    /// The file `mail_ca` has no certificates.
    pub fn new(pool: PgPool, clock: Clock, settings: &Settings) -> anyhow::Result<Self> {
        let (ca, deadline) = (settings.mail_ca.as_deref(), settings.mail_deadline);
        Ok(Self {
            pool,
            sender: settings.mail_sender.clone(),
            transport: Arc::new(settings.mail.open(ca, clock.clone(), deadline)?),
            clock,
            deadline,
            // To find a used connection dead, to connect, to send, and to record what came of it.
            claim: 3 * deadline + RECORD,
            accepted_at: Arc::default(),
        })
    }

    /// Adds its jobs to those of the leader.
    pub fn spawn(self, leader: &Leader, lifecycle: &Lifecycle) {
        for name in ["mails_sent_total", "mails_deferred_total", "mails_given_up_total"] {
            metrics::counter!(name).increment(0);
        }
        let pool = self.pool.clone();
        leader.spawn_periodic("count of mails", COUNT_PERIOD, move |now| {
            let pool = pool.clone();
            async move { count(&pool, now).await }
        });
        for only_links in JOBS {
            let (mailer, lifecycle) = (self.clone(), lifecycle.clone());
            // Each mail asks for the time, since a run may take long.
            leader.spawn_periodic("mails", PERIOD, move |_| {
                let (mailer, lifecycle) = (mailer.clone(), lifecycle.clone());
                async move {
                    let sent = mailer.clone().run_in_task(only_links, &lifecycle).await;
                    if sent.is_err() {
                        mailer.clock.sleep(OUTAGE_PAUSE).await;
                    }
                    sent
                }
            });
        }
    }

    /// Sends each mail that is due, or only those with links; returns their number. A mail is sent
    /// twice, with the same `Message-ID`, when the process dies between sending and removing it, or
    /// when the server accepts it after the deadline.
    ///
    /// # Errors
    /// PostgreSQL or the mail server is unavailable.
    pub async fn send_due(&self, only_links: bool) -> anyhow::Result<u64> {
        self.run(only_links, || false).await
    }

    /// [`Self::send_due`] in a task of its own. If the caller is dropped, because another replica
    /// becomes the leader, the task still finishes its mail: otherwise the other mails to that domain
    /// would wait for the end of the claim.
    async fn run_in_task(self, only_links: bool, lifecycle: &Lifecycle) -> anyhow::Result<u64> {
        let (result, sent) = oneshot::channel();
        lifecycle.spawn(async move {
            let sent = self.run(only_links, || result.is_closed()).await;
            drop(result.send(sent));
        });
        sent.await.context("the task that sends mails has panicked")?
    }

    async fn run(&self, only_links: bool, is_stopped: impl Fn() -> bool) -> anyhow::Result<u64> {
        let mut connection = Connection::default();
        let sent = self.send_claimed(only_links, is_stopped, &mut connection).await;
        connection.close().await;
        sent
    }

    async fn send_claimed(
        &self,
        only_links: bool,
        is_stopped: impl Fn() -> bool,
        connection: &mut Connection,
    ) -> anyhow::Result<u64> {
        let (began, mut sent) = (Instant::now(), 0);
        while !is_stopped()
            && began.elapsed() < MAX_RUN
            && let Some(mail) = self.claim_next(only_links).await?
        {
            if mail.is_late {
                self.give_up(&mail, "its link has waited for too long").await?;
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
            if mail.has_link && !self.start_link(&mail).await? {
                self.remove(mail.id).await?;
                continue;
            }
            let deadline = match mail.tries {
                0 => FIRST_DEADLINE.min(self.deadline),
                _ => self.deadline,
            };
            match self.transport.send(connection, message, deadline).await {
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

    /// Claims the mail that is to be sent next, if one is due whose domain no other job sends to:
    /// those with links go first, and then those that were not tried yet.
    async fn claim_next(&self, only_links: bool) -> Result<Option<ClaimedMail>, sqlx::Error> {
        let claiming = async {
            let mut transaction = pg::begin(&self.pool).await?;
            // The second of two claims at the same moment sees the domain of the first.
            pg::lock_key(&mut transaction, "web.mail").await?;
            let now = pg::now(&mut *transaction, &self.clock).await?;
            // False is less than true.
            let query = sqlx::query_as!(
                ClaimedMail,
                r#"update web.mail set claimed_until = $2 where id = (
                     select id from web.mail
                     where (link_lifetime is null) <= $3 and next_attempt_at <= $1
                       and domain not in (select domain from web.mail where claimed_until > $1)
                     order by link_lifetime is null, next_attempt_at, id limit 1 for update skip locked
                   )
                   returning id, recipient, domain, subject, body, tries, refused_at, $1 as "claimed_at!",
                     link_lifetime is not null as "has_link!",
                     link_lifetime is not null and created_at + greatest(link_lifetime, $4) <= $1 as "is_late!""#,
                now,
                now + self.claim,
                !only_links,
                MAX_LINK_WAIT as _
            );
            let claimed = query.fetch_optional(&mut *transaction).await?;
            transaction.commit().await?;
            Ok(claimed)
        };
        pg::with_timeout(pg::deadline(&self.pool), claiming).await
    }

    /// Lets the link in a claimed mail work for its whole lifetime from now on, since nobody has had
    /// it while the mail waited. False: the link was used, replaced or withdrawn.
    async fn start_link(&self, mail: &ClaimedMail) -> Result<bool, sqlx::Error> {
        let update = sqlx::query!(
            "update web.link set expires_at = $2::timestamptz + link_lifetime from web.mail
             where mail.id = $1 and link.id = link_id",
            mail.id,
            mail.claimed_at
        );
        let updating = async |connection: &mut PgConnection| update.execute(connection).await;
        Ok(pg::in_time(&self.pool, updating).await?.rows_affected() == 1)
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
        tracing::warn!(mail = %mail.id, domain = mail.domain, reason, "cannot send a mail; trying again later");
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
        tracing::warn!(mail = %mail.id, domain = mail.domain, reason, "a mail is given up and removed");
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
///
/// The oldest one is of those that were not tried yet: only they say whether mails are sent, since
/// one slow domain delays its own later attempts by hours.
async fn count(pool: &PgPool, now: OffsetDateTime) -> anyhow::Result<u64> {
    let query = sqlx::query!(
        r#"select count(*) as "mails!", min(created_at) filter (where tries = 0) as oldest from web.mail"#
    );
    let reading = async |connection: &mut PgConnection| query.fetch_one(connection).await;
    let found = pg::in_time(pool, reading).await?;
    let mails = u32::try_from(found.mails).unwrap_or(u32::MAX);
    let age = found.oldest.map_or(0.0, |at| (now - at).as_seconds_f64().max(0.0));
    metrics::gauge!("mails_waiting").set(f64::from(mails));
    metrics::gauge!("mails_oldest_seconds").set(age);
    Ok(0)
}

/// How long a mail waits that was tried as often before this try.
fn wait(tries: i32) -> Duration {
    let doublings = u32::try_from(tries).unwrap_or_default().min(6);
    (FIRST_WAIT * 2_i32.pow(doublings)).min(MAX_WAIT)
}
