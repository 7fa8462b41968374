//! Whether a call may be made: minute, month and revocation in one round trip to Redis, or by this process alone while Redis is
//! away.

mod ledger;
mod local;
mod redis;
mod seeds;

use std::sync::Arc;
use std::time::Duration;

use kit::handles::Handles;
use kit::redis::{Redis, Unavailable};
use metrics::Counter;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::domain::key::{Caller, Mode};
use crate::domain::plan::Plan;
use crate::domain::quota::{AccountMonth, Limits, Month, Standing, Window};
use ledger::Ledger;
use local::Local;
pub(crate) use redis::Counters;
use redis::{Counted, Verdict};
use seeds::Seeds;

/// Counts calls, over one connection to Redis.
#[derive(Debug)]
pub struct Quota {
    counters: Counters,
    shared: Arc<Shared>,
}

/// How long a call waits for a month that Redis lacks to be read from PostgreSQL.
pub const SEED_PATIENCE: Duration = Duration::from_secs(1);

/// What all connections of a process count together.
#[derive(Debug)]
pub struct Shared {
    local: Local,
    players: Local,
    pub(crate) ledger: Ledger,
    pub(crate) seeds: Seeds,
}

/// Why a call may not be made. Where the caller stands goes into the answer's headers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Denied {
    /// The key was revoked a moment ago.
    Revoked,
    /// The key's minute is used up.
    Minute(Standing),
    /// The account's month is used up.
    Month(Standing),
}

impl Shared {
    /// Nothing is counted yet. A call waits no longer than `patience` for its month to be read from PostgreSQL; then it is decided as
    /// without Redis.
    pub fn new(patience: Duration) -> Self {
        Self {
            local: Local::default(),
            players: Local::default(),
            ledger: Ledger::default(),
            seeds: Seeds::new(patience),
        }
    }
}

impl Quota {
    /// Counts in `redis`; `shared` is one for the whole process.
    pub fn new(redis: Redis, shared: Arc<Shared>) -> Self {
        Self {
            counters: Counters::new(redis),
            shared,
        }
    }

    /// Counts a call at `now`, or refuses it; what is refused uses nothing. While Redis is away, only the minute is looked at, by
    /// this process alone: nobody is turned away for a number that cannot be read.
    pub async fn take(
        &self,
        caller: &Caller,
        plan: &Plan,
        now: OffsetDateTime,
    ) -> Result<Standing, Denied> {
        let limits = limits(caller, plan);
        let (source, outcome) = match self.take_in_redis(caller, limits, now).await {
            Ok(counted) => ("redis", counted.outcome(limits, now)),
            Err(away) => ("local", self.take_locally(caller, limits, now, away)),
        };
        let verdict = match &outcome {
            Ok(_) => "allowed",
            Err(Denied::Revoked) => "revoked",
            Err(Denied::Minute(_)) => "rate_limited",
            Err(Denied::Month(_)) => "quota_exceeded",
        };
        count(source, verdict);
        outcome
    }

    /// Fails as well when the month cannot be read from PostgreSQL.
    async fn take_in_redis(
        &self,
        caller: &Caller,
        limits: Limits,
        now: OffsetDateTime,
    ) -> Result<Counted, Unavailable> {
        let (key, month) = (caller.key.id, caller.month(now));
        let mut counted = self.counters.take(key, month, limits, now).await?;
        if counted.is_none() && self.shared.seeds.wait(month).await {
            counted = self.counters.take(key, month, limits, now).await?;
        }
        let counted = counted.ok_or(Unavailable::NotApplied)?;
        if limits.uses_month && matches!(counted.verdict, Verdict::GoOn) {
            self.shared.ledger.saw(month, counted.month_used);
        }
        Ok(counted)
    }

    /// A call that Redis may have counted all the same is not counted twice: it is left out of what Redis is owed.
    fn take_locally(
        &self,
        caller: &Caller,
        limits: Limits,
        now: OffsetDateTime,
        away: Unavailable,
    ) -> Result<Standing, Denied> {
        let local = &self.shared.local;
        let (window, free) = local.take(caller.key.id, limits.minute, now);
        let standing = Standing {
            limits,
            window,
            month_used: None,
            now,
        };
        if !free {
            return Err(Denied::Minute(standing));
        }
        if limits.uses_month && away == Unavailable::NotApplied {
            self.shared.ledger.owe(caller.month(now), 1);
        }
        Ok(standing)
    }

    /// Takes back what a call has used, after a fault of ours; returns where the caller stands then.
    pub async fn give_back(&self, caller: &Caller, standing: Standing) -> Standing {
        let Shared { local, ledger, .. } = &*self.shared;
        let month = caller.month(standing.now);
        let given = if standing.month_used.is_some() {
            self.counters.give_back(caller, &standing).await
        } else {
            local.give_back(caller.key.id, standing.window);
            Err(Unavailable::NotApplied)
        };
        if standing.limits.uses_month {
            match given {
                Ok(()) | Err(Unavailable::Unknown) => ledger.gave_back(month),
                Err(Unavailable::NotApplied) => ledger.owe(month, -1),
            }
        }
        standing.given_back()
    }

    /// Counts a call of a player to a game; `Err` is when the player's minute began, of which all calls are used.
    ///
    /// While Redis is away, this process counts alone.
    pub async fn take_player(
        &self,
        caller: &Caller,
        game: &str,
        player: &str,
        limit: u32,
        now: OffsetDateTime,
    ) -> Result<(), OffsetDateTime> {
        let account = caller.key.account;
        let player = Uuid::new_v5(&account, format!("{game} {player}").as_bytes());
        let taken = self.counters.take_player(account, player, limit, now).await;
        let (free, start) = taken.unwrap_or_else(|_away| {
            let (window, free) = self.shared.players.take(player, Some(limit), now);
            (free, window.start)
        });
        if free { Ok(()) } else { Err(start) }
    }

    /// Makes the next call with the key be refused, at every gateway. Returns whether Redis took it; if not, the gateways learn of
    /// the revocation from the feed.
    pub async fn bury(&self, account: Uuid, key: Uuid, now: OffsetDateTime) -> bool {
        self.counters.bury(account, key, now).await
    }

    /// Whether the key was revoked a moment ago.
    pub async fn is_buried(&self, caller: &Caller) -> bool {
        self.counters.is_buried(caller).await
    }
}

impl Caller {
    /// What a call at `now` counts for.
    fn month(&self, now: OffsetDateTime) -> AccountMonth {
        AccountMonth {
            account: self.key.account,
            month: Month::of(now),
        }
    }
}

fn count(source: &'static str, verdict: &'static str) {
    thread_local! {
        static DECISIONS: Handles<(&'static str, &'static str), Counter> = Handles::default();
    }
    let decisions = |_: &_| metrics::counter!("quota_decisions_total", "source" => source, "verdict" => verdict);
    DECISIONS.with(|known| {
        known.with((source, verdict), decisions, |decisions| {
            decisions.increment(1);
        });
    });
}

fn limits(caller: &Caller, plan: &Plan) -> Limits {
    Limits {
        minute: plan.calls_per_minute,
        month: plan.calls_per_month,
        uses_month: caller.key.mode == Mode::Live,
    }
}

impl Counted {
    fn outcome(self, limits: Limits, now: OffsetDateTime) -> Result<Standing, Denied> {
        let standing = Standing {
            limits,
            window: Window {
                start: self.start,
                used: self.used,
            },
            month_used: Some(self.month_used),
            now,
        };
        match self.verdict {
            Verdict::GoOn => Ok(standing),
            Verdict::Revoked => Err(Denied::Revoked),
            Verdict::Minute => Err(Denied::Minute(standing)),
            Verdict::Month => Err(Denied::Month(standing)),
        }
    }
}
