//! The counters in Redis.
//!
//! All keys of an account share the hash tag `{account}`, so that the scripts work on a Redis Cluster as well.

use kit::feed::{Latest, Told};
use kit::redis::{Away, Redis, RunId, Script, evaluate};
use redis::{Cmd, RedisWrite as _};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::domain::key::Caller;
use crate::domain::quota::{AccountMonth, Limits, Standing};

/// A tombstone is needed until every gateway has met the revocation on the feed; a day is far more than that.
const TOMBSTONE_SECONDS: u64 = 24 * 60 * 60;

/// The counters, over one connection.
#[derive(Debug)]
pub(crate) struct Counters {
    redis: Redis,
    take: Script,
    give_back: Script,
    seed: Script,
    add: Script,
}

/// Whose call is counted, and what it is held to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Taking {
    pub(super) key: Uuid,
    /// The account's.
    pub(super) month: AccountMonth,
    pub(super) limits: Limits,
}

/// Calls that are counted one after the other.
#[derive(Debug, Clone, Copy)]
pub(super) struct Calls {
    pub(super) taking: Taking,
    /// When the first of them came.
    pub(super) now: OffsetDateTime,
    /// How many there are.
    pub(super) count: u32,
}

/// What came of them.
#[derive(Debug)]
pub(super) struct CountedAll {
    /// Of those that may not go on.
    verdict: Verdict,
    /// How many of the first may.
    granted: u32,
    start: OffsetDateTime,
    /// Before them.
    used: u32,
    month_used: u64,
    uses_month: bool,
}

/// What came of one call.
#[derive(Debug)]
pub(super) struct Counted {
    pub(super) verdict: Verdict,
    pub(super) start: OffsetDateTime,
    pub(super) used: u32,
    pub(super) month_used: u64,
}

/// As the script writes it: verdict, calls that go on, start of the minute in milliseconds, calls in it, calls in the month.
type Answer = (u8, u32, i64, u32, u64);

impl CountedAll {
    /// `None` when the month must be seeded.
    fn of(answer: Answer, calls: Calls) -> Option<Self> {
        let (verdict, granted, start, used, month_used) = answer;
        let verdict = match verdict {
            0 => Verdict::GoOn,
            1 => Verdict::Revoked,
            2 => Verdict::Minute,
            3 => Verdict::Month,
            _ => return None,
        };
        Some(Self {
            verdict,
            granted,
            start: from_milliseconds(start).unwrap_or(calls.now),
            used,
            month_used,
            uses_month: calls.taking.limits.uses_month,
        })
    }

    /// What it means for the call at this place among them.
    pub(super) fn share(&self, place: u32) -> Counted {
        let (verdict, counted) = if place < self.granted {
            (Verdict::GoOn, place.saturating_add(1))
        } else {
            (self.verdict, self.granted)
        };
        let of_month = if self.uses_month { counted } else { 0 };
        Counted {
            verdict,
            start: self.start,
            used: self.used.saturating_add(counted),
            month_used: self.month_used.saturating_add(of_month.into()),
        }
    }
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
            seed: Script::new(include_str!("seed.lua")),
            add: Script::new(include_str!("add.lua")),
        }
    }

    /// Counts calls, and looks how far the listings have come, for whom it concerns.
    pub(super) async fn take(
        &self,
        batches: impl Iterator<Item = Calls> + Clone,
        latest: Option<&Latest>,
    ) -> Result<(Vec<Result<Option<CountedAll>, Away>>, Told), Away> {
        let command = |run: RunId, calls: Calls| {
            let Taking { key, month, limits } = calls.taking;
            let mut call = evaluate(&self.take, 3);
            write_tombstone(&mut call, month.account, key);
            write_minute(&mut call, month.account, key);
            write_month(&mut call, month);
            call.arg(milliseconds(calls.now))
                .arg(limits.minute.map_or(-1, i64::from))
                .arg(limits.month.map_or(-1, u64::cast_signed))
                .arg(u8::from(limits.uses_month))
                .arg(run.as_bytes())
                .arg(calls.count);
            call
        };
        let commands = |run| {
            let batches = batches.clone();
            batches.map(|calls| command(run, calls)).collect()
        };
        let look = latest.map(Latest::look);
        let asked = self
            .redis
            .invoke_many("take", &self.take, commands, look)
            .await?;
        let (answers, told): (Vec<Result<Answer, Away>>, Option<Told>) = asked;
        let counted = answers
            .into_iter()
            .zip(batches)
            .map(|(answer, calls)| answer.map(|answer| CountedAll::of(answer, calls)));
        Ok((counted.collect(), told.unwrap_or(Told(None))))
    }

    pub(super) async fn give_back(&self, caller: &Caller, standing: &Standing) -> Result<(), Away> {
        let command = |_| {
            let mut call = evaluate(&self.give_back, 2);
            write_minute(&mut call, caller.key.account, caller.key.id);
            write_month(&mut call, caller.month(standing.now));
            call.arg(milliseconds(standing.window.start))
                .arg(u8::from(standing.limits.uses_month));
            call
        };
        let given = self.redis.invoke("give back", &self.give_back, command);
        given.await.map(|_: u8| ())
    }

    /// Whether this run of Redis counts the month.
    pub(crate) async fn counts(&self, month: AccountMonth) -> Result<bool, Away> {
        self.run_seed(month, None).await
    }

    /// Lets this run of Redis count the month, from `used` at least.
    pub(crate) async fn seed(&self, month: AccountMonth, used: u64) -> Result<(), Away> {
        self.run_seed(month, Some(used)).await.map(|_| ())
    }

    async fn run_seed(&self, month: AccountMonth, used: Option<u64>) -> Result<bool, Away> {
        let command = |run: RunId| {
            let mut call = evaluate(&self.seed, 1);
            write_month(&mut call, month);
            call.arg(run.as_bytes()).arg(used);
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
    ) -> Result<Option<u64>, Away> {
        let command = |run: RunId| {
            let mut call = evaluate(&self.add, 2);
            write_month(&mut call, month);
            call.write_arg_fmt(format_args!("gateway:{{{}}}:added:{id}", month.account));
            call.arg(run.as_bytes()).arg(calls);
            call
        };
        let used: i64 = self.redis.invoke("add", &self.add, command).await?;
        Ok(u64::try_from(used).ok())
    }

    pub(super) async fn bury(&self, account: Uuid, key: Uuid) -> bool {
        let mut command = redis::cmd("SET");
        write_tombstone(&mut command, account, key);
        command.arg(1).arg("EX").arg(TOMBSTONE_SECONDS);
        self.redis.query::<()>("bury", &command).await.is_ok()
    }

    pub(super) async fn is_buried(&self, caller: &Caller) -> bool {
        let mut command = redis::cmd("EXISTS");
        write_tombstone(&mut command, caller.key.account, caller.key.id);
        let buried = self.redis.query("look for a tombstone", &command);
        buried.await.unwrap_or(false)
    }
}

fn write_tombstone(command: &mut Cmd, account: Uuid, key: Uuid) {
    command.write_arg_fmt(format_args!("gateway:{{{account}}}:revoked:{key}"));
}

fn write_minute(command: &mut Cmd, account: Uuid, key: Uuid) {
    command.write_arg_fmt(format_args!("gateway:{{{account}}}:minute:{key}"));
}

fn write_month(command: &mut Cmd, AccountMonth { account, month }: AccountMonth) {
    command.write_arg_fmt(format_args!("gateway:{{{account}}}:month:{month}"));
}

fn milliseconds(at: OffsetDateTime) -> i64 {
    at.unix_timestamp() * 1_000 + i64::from(at.millisecond())
}

fn from_milliseconds(at: i64) -> Option<OffsetDateTime> {
    OffsetDateTime::from_unix_timestamp_nanos(i128::from(at) * 1_000_000).ok()
}
