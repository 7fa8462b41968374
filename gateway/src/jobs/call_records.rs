//! Writes recorded calls to the logs in Redis, every second. A replica that is killed loses the calls of its last second.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use contracts::gateway::v1::Call;
use futures::StreamExt as _;
use futures::stream;
use kit::Clock;
use uuid::Uuid;

use crate::call_log::{CallLog, CallRecorder, sort_key};
use crate::domain::call_record::{self, LogPart};

/// How far the log may lag behind.
pub const INTERVAL: Duration = Duration::from_secs(1);

/// Logs that are written at the same time.
const CONCURRENT_LOGS: usize = 16;

#[derive(Debug)]
pub struct CallRecords {
    recorder: Arc<CallRecorder>,
    log: CallLog,
    clock: Clock,
    /// The prefix of API keys, which are cut out of the log.
    key_prefix: String,
}

impl CallRecords {
    pub fn new(recorder: Arc<CallRecorder>, log: CallLog, clock: Clock, key_prefix: &str) -> Self {
        Self { recorder, log, clock, key_prefix: key_prefix.to_owned() }
    }

    /// Takes the recorded calls, and appends them to the logs. While Redis is unavailable, they are lost.
    pub async fn write_log(&self) {
        for part in LogPart::ALL {
            self.write_part(part).await;
        }
    }

    async fn write_part(&self, part: LogPart) {
        let mut logged: HashMap<Uuid, (Vec<Call>, u64)> = HashMap::new();
        for collected in self.recorder.take(part) {
            for (account, calls) in collected.accounts {
                let (all, left_out) = logged.entry(account).or_default();
                all.extend(calls.logged);
                *left_out += calls.left_out;
            }
        }
        let (log, prefix, now) = (&self.log, self.key_prefix.as_str(), self.clock.now());
        let append = async |(account, (calls, left_out))| {
            let calls = messages(calls, left_out, prefix);
            // The client logs that Redis is unavailable.
            let (Ok(()) | Err(_)) = log.append(account, part, &calls, now).await;
        };
        stream::iter(logged).for_each_concurrent(CONCURRENT_LOGS, append).await;
    }
}

/// The calls as the log holds them, oldest first. The last one has the number of calls that are left out.
fn messages(mut calls: Vec<Call>, left_out: u64, key_prefix: &str) -> Vec<Call> {
    calls.sort_by(|a, b| sort_key(a).cmp(&sort_key(b)));
    for call in &mut calls {
        call.target = call_record::target(&call.target, key_prefix);
    }
    if let Some(last) = calls.last_mut() {
        last.left_out = left_out;
    }
    calls
}
