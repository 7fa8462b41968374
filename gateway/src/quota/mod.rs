//! Rate limits. One round trip to Redis decides minute, month and revocation. While Redis is unavailable, this process limits the minute
//! alone.

mod local_windows;
mod month_use;
mod redis;

use std::time::Duration;

use kit::Clock;
use kit::handles::Handles;
use metrics::Counter;
use sqlx::PgPool;
use uuid::Uuid;

use crate::domain::key::Caller;
use crate::domain::month::AccountMonth;
use crate::domain::plan::Plan;
use crate::domain::quota::{MINUTE, RateLimitStatus, RateLimits};
use local_windows::LocalWindows;
use month_use::MonthUseCopy;
use redis::Consumed;
pub use redis::Counters;

/// Admits or rejects calls. The counters are in Redis, with a copy of the months in PostgreSQL;
/// while Redis is unavailable, this process counts the minutes.
#[derive(Debug)]
pub struct Quota {
    counters: Counters,
    /// Percent of an account's month that its public keys may use together.
    public_share: u8,
    month_use: MonthUseCopy,
    local: LocalWindows,
    players: LocalWindows,
    /// For the minutes that this process counts.
    clock: Clock,
}

/// The reason why a call is rejected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Denial {
    /// The key has a tombstone.
    Revoked,
    /// The minute of the key's chain is exceeded.
    Minute(RateLimitStatus),
    /// The account's month is exceeded.
    Month(RateLimitStatus),
    /// The share of the account's month that its public keys have is exceeded.
    PublicMonth(RateLimitStatus),
}

impl Quota {
    /// A call waits up to `deadline` for a month that Redis lacks; after that, it is decided as if Redis were unavailable. The public keys of an
    /// account may use `public_share` percent of its month.
    pub fn new(
        counters: Counters,
        pool: PgPool,
        deadline: Duration,
        public_share: u8,
        clock: Clock,
    ) -> Self {
        Self {
            counters,
            public_share,
            month_use: MonthUseCopy::new(pool, deadline),
            local: LocalWindows::default(),
            players: LocalWindows::default(),
            clock,
        }
    }

    /// Writes the month use to PostgreSQL that only this process has.
    pub async fn flush_month_use(&self) {
        if self.month_use.flush().await {
            metrics::counter!("month_use_flushes_total").increment(1);
        }
    }

    /// Opens the connection to Redis, if Redis is there.
    pub async fn warm_up(&self) {
        self.counters.warm_up().await;
    }

    /// Counts a call, or rejects it; a rejected call is not counted. While Redis is unavailable,
    /// this process limits the minute by itself, and the month is neither checked nor counted.
    pub async fn consume(&self, caller: &Caller, plan: &Plan) -> Result<RateLimitStatus, Denial> {
        let limits = RateLimits::new(caller, plan, self.public_share);
        let (source, outcome) = match self.consume_in_redis(caller, limits).await {
            Some(outcome) => ("redis", outcome),
            None => ("local", self.consume_locally(caller, limits)),
        };
        let verdict = match &outcome {
            Ok(_) => "allowed",
            Err(Denial::Revoked) => "revoked",
            Err(Denial::Minute(_)) => "rate_limited",
            Err(Denial::Month(_)) => "quota_exceeded",
            Err(Denial::PublicMonth(_)) => "public_quota_exceeded",
        };
        record_decision(source, verdict);
        outcome
    }

    /// `None` if Redis is unavailable, or lacks the month and it cannot be read from PostgreSQL.
    async fn consume_in_redis(
        &self,
        caller: &Caller,
        limits: RateLimits,
    ) -> Option<Result<RateLimitStatus, Denial>> {
        let account = caller.key.account;
        let mut loaded = None;
        let outcome = loop {
            match self.counters.consume(&caller.key, limits).await.ok()? {
                Consumed::Decided(outcome) => break outcome,
                // Redis has lost the month again, or refuses it.
                Consumed::MonthMissing(month) if loaded == Some(month) => return None,
                Consumed::MonthMissing(month) => {
                    let of_account = AccountMonth { account, month };
                    // Boxed, so that the futures of most calls are small.
                    let loading = self.month_use.load(of_account, &self.counters);
                    if !Box::pin(loading).await {
                        return None;
                    }
                    loaded = Some(month);
                }
            }
        };
        if let Ok(status) = outcome
            && let Some(used) = status.month_used.filter(|_| limits.uses_month)
        {
            self.month_use.record(AccountMonth { account, month: status.month() }, used);
        }
        Some(outcome)
    }

    fn consume_locally(
        &self,
        caller: &Caller,
        limits: RateLimits,
    ) -> Result<RateLimitStatus, Denial> {
        let (local, now) = (&self.local, self.clock.now());
        let (window, free) = local.consume(caller.key.chain, limits.minute, now);
        let status = RateLimitStatus { limits, window, month_used: None, public_used: 0, now };
        if free { Ok(status) } else { Err(Denial::Minute(status)) }
    }

    /// Counts a call of a player to a game, whichever account's key it has. The error is how long the exceeded minute lasts.
    ///
    /// While Redis is unavailable, this process counts alone.
    pub async fn consume_player(
        &self,
        game: &str,
        player: &str,
        limit: u32,
    ) -> Result<(), time::Duration> {
        // A slug has no spaces.
        let player = Uuid::new_v5(&Uuid::nil(), format!("{game} {player}").as_bytes());
        let counted = self.counters.consume_player(player, limit).await;
        let (source, free, left) = match counted {
            Ok((free, left)) => ("redis", free, left),
            Err(_unavailable) => {
                let now = self.clock.now();
                let (window, free) = self.players.consume(player, Some(limit), now);
                ("local", free, window.start + MINUTE - now)
            }
        };
        let verdict = if free { "player_allowed" } else { "player_limited" };
        record_decision(source, verdict);
        if free { Ok(()) } else { Err(left) }
    }

    /// Whether the key has a tombstone.
    pub async fn is_revoked(&self, caller: &Caller) -> bool {
        self.counters.is_revoked(caller).await
    }
}

fn record_decision(source: &'static str, verdict: &'static str) {
    thread_local! {
        static DECISIONS: Handles<(&'static str, &'static str), Counter> = Handles::default();
    }
    let decisions = |_: &_| metrics::counter!("quota_decisions_total", "source" => source, "verdict" => verdict);
    DECISIONS.with(|handles| {
        handles.with((source, verdict), decisions, |decisions| {
            decisions.increment(1);
        });
    });
}
