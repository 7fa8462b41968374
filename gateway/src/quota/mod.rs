//! Whether a call may be made: minute, month and revocation in one round trip to Redis, or by this process alone while Redis is
//! away.

mod local;
mod redis;

use kit::redis::Redis;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::domain::key::{Caller, Mode};
use crate::domain::plan::Plan;
use crate::domain::quota::{Limits, Standing, Window};
use local::Local;
use redis::{Counters, Verdict};

/// Counts calls. Shared by all requests of the process.
#[derive(Debug)]
pub struct Quota {
    counters: Counters,
    local: Local,
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

impl Quota {
    /// Counts in `redis`.
    pub fn new(redis: Redis) -> Self {
        Self {
            counters: Counters::new(redis),
            local: Local::default(),
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
        let (source, outcome) = match self.counters.take(caller, limits, now).await {
            Some(counted) => ("redis", counted.outcome(limits, now)),
            None => ("local", self.take_locally(caller, limits, now)),
        };
        let verdict = match &outcome {
            Ok(_) => "allowed",
            Err(Denied::Revoked) => "revoked",
            Err(Denied::Minute(_)) => "rate_limited",
            Err(Denied::Month(_)) => "quota_exceeded",
        };
        metrics::counter!("quota_decisions_total", "source" => source, "verdict" => verdict)
            .increment(1);
        outcome
    }

    fn take_locally(
        &self,
        caller: &Caller,
        limits: Limits,
        now: OffsetDateTime,
    ) -> Result<Standing, Denied> {
        let (window, free) = self.local.take(caller.key.id, limits.minute, now);
        let standing = Standing {
            limits,
            window,
            month_used: None,
            now,
        };
        free.then_some(standing).ok_or(Denied::Minute(standing))
    }

    /// Takes back what a call has used, after a fault of ours; returns where the caller stands then.
    pub async fn give_back(&self, caller: &Caller, standing: Standing) -> Standing {
        if standing.month_used.is_some() {
            self.counters.give_back(caller, &standing).await;
        } else {
            self.local.give_back(caller.key.id, standing.window);
        }
        standing.given_back()
    }

    /// Makes the next call with the key be refused, at every gateway. Returns whether Redis took it; if not, the gateways learn of
    /// the revocation from the feed.
    pub async fn bury(&self, account: Uuid, key: Uuid) -> bool {
        self.counters.bury(account, key).await
    }

    /// Whether the key was revoked a moment ago.
    pub async fn is_buried(&self, caller: &Caller) -> bool {
        self.counters.is_buried(caller).await
    }
}

fn limits(caller: &Caller, plan: &Plan) -> Limits {
    Limits {
        minute: plan.calls_per_minute,
        month: plan.calls_per_month,
        uses_month: caller.key.mode == Mode::Live,
    }
}

impl redis::Counted {
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
