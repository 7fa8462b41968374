//! The counters in Redis.
//!
//! An account is one hash, `gateway:{<account>}:usage`, so that a call costs one command that reads and one that writes. The account is the
//! hash tag, so that the scripts work on a Redis Cluster as well. Its fields:
//!
//! | field | value |
//! | --- | --- |
//! | `<key>:start` | when the key's minute began, in milliseconds; or `revoked`, a tombstone |
//! | `<key>:calls` | calls in that minute; of a tombstone, when the key was revoked, in milliseconds |
//! | `<month>@<run>` | calls of live keys in the UTC month, as this run of Redis counts them |
//!
//! `seed.lua`, which runs when a month begins, removes what is over. Versions before this one counted in keys of their own
//! (`gateway:{<account>}:month:<month>` and others), which expire by themselves. An account's first call at a new gateway seeds its hash
//! from PostgreSQL, where the old ones write what they count: so the month goes on. Calls that old gateways let through after that are
//! lost to the month, as are those of the last `month_flush` before it.

use kit::redis::{Redis, RunId, Script, Unavailable, evaluate};
use redis::{Cmd, RedisWrite as _};
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

use crate::domain::key::Caller;
use crate::domain::quota::{AccountMonth, Limits, Month, Standing};

/// The counters, over one connection.
#[derive(Debug)]
pub(crate) struct Counters {
    redis: Redis,
    take: Script,
    give_back: Script,
    revoke: Script,
    seed: Script,
    add: Script,
    player: Script,
}

/// What came of a call.
#[derive(Debug)]
pub(super) struct Counted {
    pub(super) verdict: Verdict,
    /// When the key's minute began.
    pub(super) start: OffsetDateTime,
    /// Calls in the minute.
    pub(super) used: u32,
    /// Calls in the month.
    pub(super) month_used: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    GoOn,
    Revoked,
    Minute,
    Month,
}

impl Counters {
    pub(crate) fn new(redis: Redis) -> Self {
        Self {
            redis,
            take: Script::new(include_str!("quota.lua")),
            give_back: Script::new(include_str!("give_back.lua")),
            revoke: Script::new(include_str!("revoke.lua")),
            seed: Script::new(include_str!("seed.lua")),
            add: Script::new(include_str!("add.lua")),
            player: Script::new(include_str!("player.lua")),
        }
    }

    /// Counts a call; `None` when the month must be seeded first.
    pub(super) async fn take(
        &self,
        key: Uuid,
        month: AccountMonth,
        limits: Limits,
        now: OffsetDateTime,
    ) -> Result<Option<Counted>, Unavailable> {
        let command = |run: RunId| {
            let mut call = evaluate(&self.take, 1);
            write_hash(&mut call, month.account);
            call.write_arg_fmt(key);
            call.write_arg_fmt(month.month);
            call.arg(run.as_bytes())
                .arg(milliseconds(now))
                .arg(limits.minute.map_or(-1, i64::from))
                .arg(limits.month.map_or(-1, u64::cast_signed))
                .arg(u8::from(limits.uses_month));
            call
        };
        let taken = self.redis.invoke("take", &self.take, command).await?;
        let (verdict, start, used, month_used): (u8, i64, u32, u64) = taken;
        let verdict = match verdict {
            0 => Verdict::GoOn,
            1 => Verdict::Revoked,
            2 => Verdict::Minute,
            3 => Verdict::Month,
            _ => return Ok(None),
        };
        Ok(Some(Counted {
            verdict,
            start: from_milliseconds(start).unwrap_or(now),
            used,
            month_used,
        }))
    }

    /// Takes back what a call has used. It is not done when this run of Redis does not count the month.
    pub(super) async fn give_back(
        &self,
        caller: &Caller,
        standing: &Standing,
    ) -> Result<(), Unavailable> {
        let month = caller.month(standing.now);
        let command = |run: RunId| {
            let mut call = evaluate(&self.give_back, 1);
            write_hash(&mut call, month.account);
            call.write_arg_fmt(caller.key.id);
            call.write_arg_fmt(month.month);
            call.arg(run.as_bytes())
                .arg(milliseconds(standing.window.start))
                .arg(u8::from(standing.limits.uses_month));
            call
        };
        let given = self.redis.invoke("give back", &self.give_back, command);
        match given.await? {
            1_u8 => Ok(()),
            _ => Err(Unavailable::NotApplied),
        }
    }

    /// Whether this run of Redis counts the month.
    pub(crate) async fn counts(&self, month: AccountMonth) -> Result<bool, Unavailable> {
        self.run_seed(month, None).await
    }

    /// Lets this run of Redis count the month, from `used` at least.
    pub(crate) async fn seed(&self, month: AccountMonth, used: u64) -> Result<(), Unavailable> {
        self.run_seed(month, Some(used)).await.map(|_| ())
    }

    async fn run_seed(&self, month: AccountMonth, used: Option<u64>) -> Result<bool, Unavailable> {
        let command = |run: RunId| {
            let mut call = evaluate(&self.seed, 1);
            write_hash(&mut call, month.account);
            call.write_arg_fmt(month.month);
            call.arg(run.as_bytes());
            if let Some(used) = used {
                let last_day = month.month.first_day() - Duration::DAY;
                call.arg(used);
                call.write_arg_fmt(Month::starting(last_day));
                call.arg(milliseconds(last_day.midnight().assume_utc()));
            }
            call
        };
        let counts: u8 = self.redis.invoke("seed", &self.seed, command).await?;
        Ok(counts == 1)
    }

    /// Adds calls that Redis was not there for, once for each `id`. Returns the month's use then; `None` when it must be seeded first.
    pub(crate) async fn add(
        &self,
        month: AccountMonth,
        id: Uuid,
        calls: i64,
    ) -> Result<Option<u64>, Unavailable> {
        let command = |run: RunId| {
            let mut call = evaluate(&self.add, 2);
            write_hash(&mut call, month.account);
            call.write_arg_fmt(format_args!("gateway:{{{}}}:added:{id}", month.account));
            call.write_arg_fmt(month.month);
            call.arg(run.as_bytes()).arg(calls);
            call
        };
        let used: i64 = self.redis.invoke("add", &self.add, command).await?;
        Ok(u64::try_from(used).ok())
    }

    /// Counts a call of a player; returns whether it may go on, and when the player's minute began.
    pub(super) async fn take_player(
        &self,
        account: Uuid,
        player: Uuid,
        limit: u32,
        now: OffsetDateTime,
    ) -> Result<(bool, OffsetDateTime), Unavailable> {
        let command = |_: RunId| {
            let mut call = evaluate(&self.player, 1);
            call.write_arg_fmt(format_args!("gateway:{{{account}}}:player:{player}"));
            call.arg(milliseconds(now)).arg(limit);
            call
        };
        let taken = self.redis.invoke("take player", &self.player, command);
        let (free, start): (u8, i64) = taken.await?;
        Ok((free == 1, from_milliseconds(start).unwrap_or(now)))
    }

    pub(super) async fn bury(&self, account: Uuid, key: Uuid, now: OffsetDateTime) -> bool {
        let command = |_: RunId| {
            let mut call = evaluate(&self.revoke, 1);
            write_hash(&mut call, account);
            call.write_arg_fmt(key);
            call.arg(milliseconds(now));
            call
        };
        let buried = self.redis.invoke::<u8>("bury", &self.revoke, command);
        buried.await.is_ok()
    }

    pub(super) async fn is_buried(&self, caller: &Caller) -> bool {
        let mut command = redis::cmd("HGET");
        write_hash(&mut command, caller.key.account);
        command.write_arg_fmt(format_args!("{}:start", caller.key.id));
        let start = self.redis.query("look for a tombstone", &command).await;
        start.is_ok_and(|start: Option<String>| start.as_deref() == Some("revoked"))
    }
}

fn write_hash(command: &mut Cmd, account: Uuid) {
    command.write_arg_fmt(format_args!("gateway:{{{account}}}:usage"));
}

fn milliseconds(at: OffsetDateTime) -> i64 {
    at.unix_timestamp() * 1_000 + i64::from(at.millisecond())
}

fn from_milliseconds(at: i64) -> Option<OffsetDateTime> {
    OffsetDateTime::from_unix_timestamp_nanos(i128::from(at) * 1_000_000).ok()
}
