//! A report of a game (§4.4).

use kit::feed::{NewChange, Stop};
use kit::idempotency;
use kit::{Code, Fault};
use serde::{Deserialize, Serialize};
use sqlx::PgConnection;
use time::OffsetDateTime;
use uuid::Uuid;

use super::{Done, Rules, rates_moved};
use crate::SCHEMA;
use crate::domain::hold;
use crate::domain::report::Report;
use crate::store::currencies::{self, Locked};
use crate::store::reports::{self, New};

/// A report as it is sent.
#[derive(Debug)]
pub struct Submit {
    pub game: Uuid,
    /// As it came.
    pub body: String,
    pub report: Report,
    pub idempotency_key: Option<idempotency::Key>,
}

/// What a report is answered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reported {
    pub report: i64,
    #[serde(with = "time::serde::rfc3339")]
    pub at: OffsetDateTime,
    /// Why it is held; a report that is not counts.
    pub held: Option<String>,
    /// The same call came before, and this is what it was answered.
    #[serde(skip)]
    pub replayed: bool,
}

/// Stores a report: it counts, or is held.
pub(super) async fn submit(
    connection: &mut PgConnection,
    submit: &Submit,
    rules: &Rules,
    now: OffsetDateTime,
) -> Result<(Done, Vec<NewChange>), Stop> {
    // Of two reports at once the second waits here, and then comes too soon.
    match currencies::lock(connection, submit.game).await? {
        Locked::Held(_) => {}
        Locked::Busy => return Err(Stop::Busy),
        Locked::Absent => return Err(no_currency().into()),
    }
    if let Some(key) = &submit.idempotency_key {
        let stored: Option<Reported> = key.replay(connection, SCHEMA, now).await?;
        if let Some(answer) = stored {
            let answer = Reported {
                replayed: true,
                ..answer
            };
            return Ok((Done::Reported(answer), Vec::new()));
        }
    }
    let last = reports::last(connection, submit.game).await?;
    check_interval(last.newest_at, rules, now)?;
    let held = last.counted.and_then(|(id, basket, at)| {
        let reason = hold::reason(submit.report.basket, (basket, at), rules.most_jump_percent);
        reason.map(|reason| (reason, id))
    });
    let new = New {
        game: submit.game,
        at: now,
        body: &submit.body,
        report: &submit.report,
        held: held.as_ref().map(|(reason, id)| (reason.as_str(), *id)),
    };
    let report = reports::insert(connection, new).await?;
    let answer = Reported {
        report,
        at: now,
        held: held.map(|(reason, _)| reason),
        replayed: false,
    };
    if let Some(key) = &submit.idempotency_key {
        key.store(connection, SCHEMA, &answer, now).await?;
    }
    let changes = if answer.held.is_none() {
        vec![rates_moved()]
    } else {
        Vec::new()
    };
    Ok((Done::Reported(answer), changes))
}

/// Refuses a report that comes too soon after the last one of the game, whether that counted or not.
pub fn check_interval(
    newest: Option<OffsetDateTime>,
    rules: &Rules,
    now: OffsetDateTime,
) -> Result<(), Fault> {
    let wait = newest.map(|newest| newest + rules.report_interval - now);
    let Some(wait) = wait.filter(|wait| wait.is_positive()) else {
        return Ok(());
    };
    let seconds = wait.whole_seconds() + i64::from(wait.subsec_nanoseconds() > 0);
    Err(Fault {
        retry_after: u32::try_from(seconds).ok(),
        ..Fault::new(
            Code::TooSoon,
            format!(
                "the game's last report is less than {} minutes old; send the next one as Retry-After says",
                rules.report_interval.whole_minutes()
            ),
        )
    })
}

/// Refuses a report, or a tip, of a game without a currency.
pub fn no_currency() -> Fault {
    Fault::new(
        Code::BadRequest,
        "currency: the game has none yet; its owner registers its name in the dashboard, or staff do (staff currency set), and then reports are taken",
    )
}
