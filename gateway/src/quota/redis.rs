//! The counters in Redis.
//!
//! All keys of an account share the hash tag `{account}`, so that the script works on a Redis Cluster as well.

use kit::redis::Redis;
use redis::Script;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::domain::key::Caller;
use crate::domain::quota::{self, Limits, Standing};

/// A tombstone is needed until every gateway has met the revocation on the feed; a day is far more than that.
const TOMBSTONE_SECONDS: u64 = 24 * 60 * 60;

#[derive(Debug)]
pub(super) struct Counters {
    redis: Redis,
    take: Script,
    give_back: Script,
}

/// What the script answered.
pub(super) struct Counted {
    pub(super) verdict: Verdict,
    pub(super) start: OffsetDateTime,
    pub(super) used: u32,
    pub(super) month_used: u64,
}

pub(super) enum Verdict {
    GoOn,
    Revoked,
    Minute,
    Month,
}

impl Counters {
    pub(super) fn new(redis: Redis) -> Self {
        Self {
            redis,
            take: Script::new(include_str!("quota.lua")),
            give_back: Script::new(include_str!("give_back.lua")),
        }
    }

    /// Counts a call; `None` when Redis is away.
    pub(super) async fn take(
        &self,
        caller: &Caller,
        limits: Limits,
        now: OffsetDateTime,
    ) -> Option<Counted> {
        let mut call = self.take.prepare_invoke();
        call.key(tombstone(caller.key.account, caller.key.id))
            .key(minute(caller))
            .key(month(caller, now))
            .arg(milliseconds(now))
            .arg(limits.minute.map_or(-1, i64::from))
            .arg(limits.month.map_or(-1, u64::cast_signed))
            .arg(u8::from(limits.uses_month));
        let mut connection = self.redis.connection();
        let call = call.invoke_async(&mut connection);
        let (verdict, start, used, month_used): (u8, i64, u32, u64) =
            self.redis.patiently("take", call).await?;
        Some(Counted {
            verdict: match verdict {
                0 => Verdict::GoOn,
                1 => Verdict::Revoked,
                2 => Verdict::Minute,
                _ => Verdict::Month,
            },
            start: from_milliseconds(start).unwrap_or(now),
            used,
            month_used,
        })
    }

    pub(super) async fn give_back(&self, caller: &Caller, standing: &Standing) {
        let mut call = self.give_back.prepare_invoke();
        call.key(minute(caller))
            .key(month(caller, standing.now))
            .arg(milliseconds(standing.window.start))
            .arg(u8::from(standing.limits.uses_month));
        let mut connection = self.redis.connection();
        let call = call.invoke_async(&mut connection);
        self.redis.patiently::<u8>("give back", call).await;
    }

    pub(super) async fn bury(&self, account: Uuid, key: Uuid) -> bool {
        let mut command = redis::cmd("SET");
        command
            .arg(tombstone(account, key))
            .arg(1)
            .arg("EX")
            .arg(TOMBSTONE_SECONDS);
        let mut connection = self.redis.connection();
        let call = command.query_async(&mut connection);
        self.redis.patiently::<()>("bury", call).await.is_some()
    }

    pub(super) async fn is_buried(&self, caller: &Caller) -> bool {
        let mut command = redis::cmd("EXISTS");
        command.arg(tombstone(caller.key.account, caller.key.id));
        let mut connection = self.redis.connection();
        let call = command.query_async(&mut connection);
        let buried = self.redis.patiently("look for a tombstone", call);
        buried.await.unwrap_or(false)
    }
}

fn tombstone(account: Uuid, key: Uuid) -> String {
    format!("gateway:{{{account}}}:revoked:{key}")
}

fn minute(caller: &Caller) -> String {
    format!(
        "gateway:{{{}}}:minute:{}",
        caller.key.account, caller.key.id
    )
}

fn month(caller: &Caller, now: OffsetDateTime) -> String {
    format!(
        "gateway:{{{}}}:month:{}",
        caller.key.account,
        quota::month(now)
    )
}

fn milliseconds(at: OffsetDateTime) -> i64 {
    at.unix_timestamp() * 1_000 + i64::from(at.millisecond())
}

fn from_milliseconds(at: i64) -> Option<OffsetDateTime> {
    OffsetDateTime::from_unix_timestamp_nanos(i128::from(at) * 1_000_000).ok()
}
