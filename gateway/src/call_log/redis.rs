//! The log of calls in Redis: a sorted set by time for each part of the log of an account,
//! `gateway:{<account>}:calls` and `gateway:{<account>}:exposed_calls`.

use contracts::gateway::v1::Call;
use kit::api::timestamp::{self, unix_milliseconds};
use kit::redis::{Redis, Script, Unavailable, evaluate};
use prost::Message as _;
use redis::{Cmd, RedisWrite as _};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::domain::call_record::{LOGGED, LogPart};

/// The most calls that one run of `append.lua` appends. Lua passes up to 8,000 values to a command, two for each call.
const MAX_APPENDED: usize = 1_000;

/// Reads and writes logs over one connection.
#[derive(Debug)]
pub struct CallLog {
    redis: Redis,
    append: Script,
    most: u32,
}

impl CallLog {
    /// The log of an account holds up to `most` calls.
    pub fn new(redis: Redis, most: u32) -> Self {
        Self { redis, append: Script::new(include_str!("append.lua")), most }
    }

    /// The most calls in the log of an account. With 0, there is no log.
    pub fn most(&self) -> u32 {
        self.most
    }

    /// Appends calls to a part of a log, oldest first. While Redis is unavailable they are lost.
    pub(crate) async fn append(
        &self,
        account: Uuid,
        part: LogPart,
        calls: &[Call],
        now: OffsetDateTime,
    ) -> Result<(), Unavailable> {
        for calls in calls.chunks(MAX_APPENDED) {
            let mut command = evaluate(&self.append, 1);
            write_key(&mut command, account, part);
            command.arg(unix_milliseconds(now - LOGGED));
            command.arg(part.places(self.most)).arg(LOGGED.whole_seconds());
            for call in calls {
                command.arg(unix_milliseconds(at(call))).arg(call.encode_to_vec());
            }
            let appended = self.redis.invoke("append to call log", &self.append, &command);
            let _one: u8 = appended.await?;
        }
        Ok(())
    }

    /// The calls of an account that are not too old, newest first.
    pub(crate) async fn read(
        &self,
        account: Uuid,
        now: OffsetDateTime,
    ) -> Result<Vec<Call>, Unavailable> {
        let (private, exposed) = futures::try_join!(
            self.read_part(account, LogPart::Private, now),
            self.read_part(account, LogPart::Exposed, now),
        )?;
        let stored = private.iter().chain(&exposed);
        let mut calls: Vec<Call> =
            stored.filter_map(|bytes| Call::decode(bytes.as_slice()).ok()).collect();
        calls.sort_by(|a, b| sort_key(b).cmp(&sort_key(a)));
        Ok(calls)
    }

    /// The newest calls of a part, sorted by milliseconds.
    async fn read_part(
        &self,
        account: Uuid,
        part: LogPart,
        now: OffsetDateTime,
    ) -> Result<Vec<Vec<u8>>, Unavailable> {
        let mut command = redis::cmd("ZREVRANGEBYSCORE");
        write_key(&mut command, account, part);
        command.arg("+inf").arg(unix_milliseconds(now - LOGGED));
        command.arg("LIMIT").arg(0).arg(part.places(self.most));
        self.redis.query("read call log", &command).await
    }
}

/// The sort key of a call in the log: its time in microseconds, and its id.
pub(crate) fn sort_key(call: &Call) -> (i64, &str) {
    let at = call.at.unwrap_or_default();
    let microseconds = at.seconds * 1_000_000 + i64::from(at.nanos / 1_000);
    (microseconds, &call.request_id)
}

fn at(call: &Call) -> OffsetDateTime {
    let at = call.at.and_then(timestamp::decode);
    at.unwrap_or(OffsetDateTime::UNIX_EPOCH)
}

fn write_key(command: &mut Cmd, account: Uuid, part: LogPart) {
    let calls = match part {
        LogPart::Private => "calls",
        LogPart::Exposed => "exposed_calls",
    };
    command.write_arg_fmt(format_args!("gateway:{{{account}}}:{calls}"));
}
