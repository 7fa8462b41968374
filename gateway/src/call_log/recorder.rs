//! Collects calls in memory, for a task that writes them (`jobs/call_records.rs`). A call waits for nothing.

use std::collections::HashMap;
use std::time::Duration;

use contracts::gateway::v1::Call;
use kit::Code;
use kit::api::text::clip;
use kit::api::timestamp;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::domain::call_record::{self, LogPart};
use crate::domain::key::Key;
use crate::per_thread::PerThread;

/// The most calls of an account that one thread logs in a part between two writes. Successful and
/// failed calls are limited separately, so that a burst of one kind does not hide the other.
pub const SAMPLE: usize = 20;
/// The most calls of all accounts that one thread logs in a part between two writes. Each account
/// has at least one.
const MAX_LOGGED: usize = 2_000;
/// The most accounts whose calls one thread holds for a part. Calls of further ones are not
/// recorded, until the next write.
const MAX_ACCOUNTS: usize = 10_000;
/// The most bytes of path and query that are copied. The log shows fewer, but must not cut a key in two.
const MAX_TARGET: usize = 2 * call_record::TARGET_BYTES;

/// A call that was answered, or whose caller has closed the connection.
#[derive(Debug, Clone, Copy)]
pub struct FinishedCall<'a> {
    pub key: &'a Key,
    /// When the call began.
    pub at: OffsetDateTime,
    pub request_id: &'a str,
    pub method: &'static str,
    pub route: &'static str,
    /// Path and query as they were sent.
    pub target: &'a str,
    pub status: u16,
    pub code: Option<Code>,
    pub duration: Duration,
}

/// The calls of an account since the last write, for one part of its log.
#[derive(Debug, Default)]
pub(crate) struct AccountCalls {
    /// A sample: the first ones, with their targets as they were sent.
    pub(crate) logged: Vec<Call>,
    failures: usize,
    /// Calls that are not in the sample.
    pub(crate) left_out: u64,
}

/// The calls that one thread has collected for one part of the logs.
#[derive(Debug, Default)]
pub(crate) struct Collected {
    pub(crate) accounts: HashMap<Uuid, AccountCalls>,
    logged: usize,
}

/// Records calls in one shard per thread and part of the logs.
#[derive(Debug)]
pub struct CallRecorder {
    private: PerThread<Collected>,
    exposed: PerThread<Collected>,
    has_log: bool,
}

impl CallRecorder {
    /// Without a log, nothing is recorded.
    pub fn new(has_log: bool) -> Self {
        Self { private: PerThread::default(), exposed: PerThread::default(), has_log }
    }

    pub fn record(&self, call: &FinishedCall<'_>) {
        if self.has_log {
            let part = LogPart::of_call(call.key, call.code);
            self.collected(part).with(|collected| collected.add(call));
        }
    }

    /// Takes the calls that all threads have collected for a part of the logs.
    pub(crate) fn take(&self, part: LogPart) -> impl Iterator<Item = Collected> {
        self.collected(part).take()
    }

    fn collected(&self, part: LogPart) -> &PerThread<Collected> {
        match part {
            LogPart::Private => &self.private,
            LogPart::Exposed => &self.exposed,
        }
    }
}

impl Collected {
    fn add(&mut self, call: &FinishedCall<'_>) {
        let account = call.key.account;
        if self.accounts.len() >= MAX_ACCOUNTS && !self.accounts.contains_key(&account) {
            return;
        }
        let calls = self.accounts.entry(account).or_default();
        let has_space = self.logged < MAX_LOGGED || calls.logged.is_empty();
        if has_space && calls.is_in_sample(call.status) {
            calls.logged.push(call.into());
            self.logged += 1;
        } else {
            calls.left_out += 1;
        }
    }
}

impl AccountCalls {
    fn is_in_sample(&mut self, status: u16) -> bool {
        if status >= 400 {
            self.failures += 1;
            return self.failures <= SAMPLE;
        }
        self.logged.len() < SAMPLE + self.failures.min(SAMPLE)
    }
}

impl From<&FinishedCall<'_>> for Call {
    fn from(call: &FinishedCall<'_>) -> Self {
        Self {
            at: Some(timestamp::encode(call.at)),
            request_id: call.request_id.to_owned(),
            key_id: call.key.id.to_string(),
            mode: call.key.mode.as_str().to_owned(),
            method: call.method.to_owned(),
            route: call.route.to_owned(),
            target: clip(call.target, MAX_TARGET).into_owned(),
            status: call.status.into(),
            code: call.code.map_or("", Code::as_str).to_owned(),
            duration_us: call.duration.as_micros().try_into().unwrap_or(u32::MAX),
            left_out: 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use time::macros::datetime;

    use super::*;
    use crate::domain::key::KeyKind;
    use crate::domain::key::tests::caller;

    const NOW: OffsetDateTime = datetime!(2026-03-01 08:00 UTC);

    fn call(key: &Key, status: u16) -> FinishedCall<'_> {
        FinishedCall {
            key,
            at: NOW,
            request_id: "req_1",
            method: "GET",
            route: "/v1/games",
            target: "/v1/games?q=x",
            status,
            code: None,
            duration: Duration::from_millis(3),
        }
    }

    fn taken_calls(recorder: &CallRecorder) -> Vec<AccountCalls> {
        taken_calls_of(recorder, LogPart::Private)
    }

    fn taken_calls_of(recorder: &CallRecorder, part: LogPart) -> Vec<AccountCalls> {
        let collected = recorder.take(part);
        collected.flat_map(|collected| collected.accounts.into_values()).collect()
    }

    #[test]
    fn a_burst_is_sampled_and_does_not_hide_failures() {
        let recorder = CallRecorder::new(true);
        let key = caller().key;
        for _ in 0..100 {
            recorder.record(&call(&key, 200));
        }
        for _ in 0..50 {
            recorder.record(&call(&key, 429));
        }
        recorder.record(&call(&key, 200));
        let [calls] = taken_calls(&recorder).try_into().unwrap();
        let failed = calls.logged.iter().filter(|call| call.status == 429);
        assert_eq!(failed.count(), SAMPLE);
        assert_eq!(calls.logged.len(), 2 * SAMPLE);
        assert_eq!(calls.left_out, 151 - 2 * SAMPLE as u64);
        assert!(taken_calls(&recorder).is_empty(), "it was taken");
    }

    #[test]
    fn failures_do_not_hide_successful_calls() {
        let recorder = CallRecorder::new(true);
        let key = caller().key;
        for _ in 0..100 {
            recorder.record(&call(&key, 500));
        }
        for _ in 0..100 {
            recorder.record(&call(&key, 200));
        }
        let [calls] = taken_calls(&recorder).try_into().unwrap();
        let good = calls.logged.iter().filter(|call| call.status == 200);
        assert_eq!((good.count(), calls.logged.len()), (SAMPLE, 2 * SAMPLE));
    }

    #[test]
    fn calls_with_exposed_keys_use_up_no_sample_of_the_others() {
        let recorder = CallRecorder::new(true);
        let key = caller().key;
        let public = Key { kind: KeyKind::Public, ..key.clone() };
        let revoked = |n: u128| Key { account: Uuid::from_u128(n << 64), ..key.clone() };
        for _ in 0..100 {
            recorder.record(&call(&public, 200));
            recorder.record(&call(&public, 429));
        }
        for n in 1..=MAX_ACCOUNTS as u128 {
            let refused = FinishedCall { code: Some(Code::InvalidKey), ..call(&key, 401) };
            recorder.record(&FinishedCall { key: &revoked(n), ..refused });
        }
        for status in [200, 404] {
            for _ in 0..SAMPLE {
                recorder.record(&call(&key, status));
            }
        }
        let [calls] = taken_calls(&recorder).try_into().unwrap();
        assert_eq!((calls.logged.len(), calls.left_out), (2 * SAMPLE, 0));
        let exposed = taken_calls_of(&recorder, LogPart::Exposed);
        assert_eq!(exposed.len(), MAX_ACCOUNTS);
        let left_out: u64 = exposed.iter().map(|calls| calls.left_out).sum();
        assert_eq!(left_out, 200 - 2 * SAMPLE as u64);
    }

    #[test]
    fn every_account_has_a_logged_call_within_bounded_memory() {
        let recorder = CallRecorder::new(true);
        let mut key = caller().key;
        let accounts = MAX_ACCOUNTS + 10;
        for account in 0..accounts {
            key.account = Uuid::from_u128(account as u128);
            for _ in 0..3 {
                recorder.record(&call(&key, 200));
            }
        }
        let mut collected: Vec<Collected> = recorder.take(LogPart::Private).collect();
        collected.retain(|shard| !shard.accounts.is_empty());
        let [shard] = collected.try_into().unwrap();
        assert_eq!(shard.accounts.len(), MAX_ACCOUNTS);
        assert!(shard.accounts.values().all(|calls| !calls.logged.is_empty()));
        assert!(shard.logged <= MAX_ACCOUNTS + MAX_LOGGED);
        let left_out: u64 = shard.accounts.values().map(|calls| calls.left_out).sum();
        assert_eq!(left_out + shard.logged as u64, 3 * MAX_ACCOUNTS as u64);
    }

    #[test]
    fn a_long_target_is_truncated() {
        let key = caller().key;
        let long = "ä".repeat(8_000);
        let logged = Call::from(&FinishedCall { target: &long, ..call(&key, 200) });
        assert!(logged.target.len() <= MAX_TARGET && logged.target.ends_with('…'));
    }
}
