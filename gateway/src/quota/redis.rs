//! The counters in Redis.
//!
//! Each account has one hash, `gateway:{<account>}:usage`, so a call costs one read and one write. The account is the hash tag,
//! so the scripts also work in a Redis Cluster. The fields of the hash:
//!
//! | field | value |
//! | --- | --- |
//! | `<chain>:start` | when the minute of a key and of its successors began, in milliseconds |
//! | `<chain>:calls` | calls in that minute |
//! | `<key>:revoked` | a tombstone: when the key was revoked, in milliseconds |
//! | `<month>` | calls of live keys in the UTC month, such as `2026-03` |
//! | `public:<month>` | those of them with public keys. No copy is in PostgreSQL |
//! | `day:<day>` | those of them on the UTC day, such as `2026-03-22`. No copy is in PostgreSQL |
//!
//! All times are Redis's, which the scripts move as `clock` is. `seed.lua` runs when a month begins
//! and removes expired fields. `gateway:player:<player of a game>` is the minute of a player.

use kit::Clock;
use kit::api::timestamp::unix_milliseconds;
use kit::redis::{Redis, Script, Unavailable, evaluate};
use redis::{Cmd, RedisWrite as _, Value};
use time::{Date, Duration, OffsetDateTime};
use tokio::time::{sleep, timeout};
use uuid::Uuid;

use super::Denial;
use crate::domain::key::{Caller, Key};
use crate::domain::month::{AccountMonth, Month};
use crate::domain::quota::{RateLimitStatus, RateLimits, Window};

/// How long the gateway waits for the connection before it serves.
const WARM_UP: std::time::Duration = std::time::Duration::from_secs(2);

/// What `consume.lua` returns.
type Reply = (u8, i64, i64, u32, u64, u64);

/// What Redis says of a call.
pub(super) enum Consumed {
    Decided(Result<RateLimitStatus, Denial>),
    /// The month has to be seeded first.
    MonthMissing(Month),
}

/// The counters over one connection to Redis.
#[derive(Debug)]
pub struct Counters {
    redis: Redis,
    clock: Clock,
    consume: Script,
    revoke: Script,
    seed: Script,
    player: Script,
}

impl Counters {
    /// All times are Redis's, moved as `clock` is.
    pub fn new(redis: Redis, clock: Clock) -> Self {
        Self {
            redis,
            clock,
            consume: Script::new(include_str!("consume.lua")),
            revoke: Script::new(include_str!("revoke.lua")),
            seed: Script::new(include_str!("seed.lua")),
            player: Script::new(include_str!("player.lua")),
        }
    }

    /// Opens the connection, so that the first call does not wait for it. Gives up after [`WARM_UP`]: calls work without Redis.
    pub(super) async fn warm_up(&self) {
        let connecting = async {
            let ping = redis::cmd("PING");
            while self.redis.query::<Value>("warm up", &ping).await.is_err() {
                sleep(WARM_UP / 40).await;
            }
        };
        drop(timeout(WARM_UP, connecting).await);
    }

    /// Counts a call in the minute and the month of Redis's time, or rejects it.
    pub(super) async fn consume(
        &self,
        key: &Key,
        limits: RateLimits,
    ) -> Result<Consumed, Unavailable> {
        let mut call = evaluate(&self.consume, 1);
        write_hash(&mut call, key.account);
        call.write_arg_fmt(key.id);
        call.write_arg_fmt(key.chain);
        call.arg(&self.clock.factor_and_offset())
            .arg(limits.minute.map_or(-1, i64::from))
            .arg(limits.month.map_or(-1, u64::cast_signed))
            .arg(u8::from(limits.uses_month))
            .arg(u8::from(limits.is_public))
            .arg(limits.public_month.map_or(-1, u64::cast_signed));
        let reply = self.redis.invoke("consume", &self.consume, &call).await?;
        let (verdict, now, start, used, month_used, public_used): Reply = reply;
        let now = from_milliseconds(now);
        let status = RateLimitStatus {
            limits,
            window: Window { start: from_milliseconds(start), used },
            month_used: Some(month_used),
            public_used,
            now,
        };
        Ok(Consumed::Decided(match verdict {
            0 => Ok(status),
            1 => Err(Denial::Revoked),
            2 => Err(Denial::Minute(status)),
            3 => Err(Denial::Month(status)),
            4 => Err(Denial::PublicMonth(status)),
            _ => return Ok(Consumed::MonthMissing(Month::at(now))),
        }))
    }

    /// Calls of an account that used its month, on each of these UTC days.
    ///
    /// # Errors
    /// Redis is unavailable.
    pub async fn on_days(&self, account: Uuid, days: &[Date]) -> Result<Vec<u64>, Unavailable> {
        let mut command = redis::cmd("HMGET");
        write_hash(&mut command, account);
        for day in days {
            command.write_arg_fmt(format_args!("day:{day}"));
        }
        let counts: Vec<Option<u64>> = self.redis.query("read days", &command).await?;
        Ok(counts.into_iter().map(Option::unwrap_or_default).collect())
    }

    /// Starts to count the month with `used`, unless Redis has it.
    pub(super) async fn seed(&self, month: AccountMonth, used: u64) -> Result<(), Unavailable> {
        let last_day = month.month.first_day() - Duration::DAY;
        let mut call = evaluate(&self.seed, 1);
        write_hash(&mut call, month.account);
        call.write_arg_fmt(month.month);
        call.arg(used);
        call.write_arg_fmt(Month::starting(last_day));
        call.arg(unix_milliseconds(last_day.midnight().assume_utc()));
        let seeded = self.redis.invoke::<u8>("seed", &self.seed, &call);
        seeded.await.map(|_| ())
    }

    /// Counts a call of a player. Returns whether it is allowed, and how long the player's minute lasts.
    pub(super) async fn consume_player(
        &self,
        player: Uuid,
        limit: u32,
    ) -> Result<(bool, Duration), Unavailable> {
        let mut call = evaluate(&self.player, 1);
        call.write_arg_fmt(format_args!("gateway:player:{player}"));
        call.arg(&self.clock.factor_and_offset()).arg(limit);
        let reply = self.redis.invoke("consume player", &self.player, &call);
        let (free, left): (u8, i64) = reply.await?;
        Ok((free == 1, Duration::milliseconds(left)))
    }

    /// Adds a tombstone, so that every gateway rejects the next call with the key. Returns false if
    /// Redis is unavailable; the gateways then learn of the revocation from the feed.
    pub async fn revoke(&self, account: Uuid, key: Uuid) -> bool {
        let mut call = evaluate(&self.revoke, 1);
        write_hash(&mut call, account);
        call.write_arg_fmt(key);
        call.arg(&self.clock.factor_and_offset());
        let revoked = self.redis.invoke::<u8>("revoke", &self.revoke, &call);
        revoked.await.is_ok()
    }

    pub(super) async fn is_revoked(&self, caller: &Caller) -> bool {
        let mut command = redis::cmd("HEXISTS");
        write_hash(&mut command, caller.key.account);
        command.write_arg_fmt(format_args!("{}:revoked", caller.key.id));
        let exists = self.redis.query("find tombstone", &command).await;
        exists.unwrap_or(false)
    }
}

fn write_hash(command: &mut Cmd, account: Uuid) {
    command.write_arg_fmt(format_args!("gateway:{{{account}}}:usage"));
}

fn from_milliseconds(at: i64) -> OffsetDateTime {
    OffsetDateTime::UNIX_EPOCH.saturating_add(Duration::milliseconds(at))
}
