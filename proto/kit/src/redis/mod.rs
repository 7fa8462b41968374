//! Connections to Redis with a timeout and a circuit breaker: a slow Redis counts as unavailable, and an unavailable one fails calls at
//! once.

mod breaker;
mod connection;
mod failure;
mod script;
#[cfg(test)]
mod tests;

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use arc_swap::ArcSwapOption;
use metrics::Histogram;
use redis::{Cmd, ErrorKind, FromRedisValue, RedisResult, ServerErrorKind, Value};
use tokio::sync::{Mutex, OwnedMutexGuard};
use tokio::time::timeout;
use tracing::Instrument as _;

use crate::handles::Handles;
use crate::redis_url::{self, Address};
use crate::secret::Secret;
use crate::telemetry;
use connection::Connection;
use failure::Failure;
pub use failure::Unavailable;
pub use script::{Script, evaluate};

/// The least time between two connections to a cluster one of whose nodes hangs.
const RENEWAL_INTERVAL: Duration = Duration::from_secs(1);
/// How long it may take to connect, unless a call may take longer.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(1);
/// The timeout of a call, where no setting says otherwise.
pub const DEFAULT_TIMEOUT: Duration = Duration::from_millis(50);

/// A multiplexed connection: commands that are sent at the same time share one round trip. Clones share the connection and its circuit
/// breaker.
///
/// After three failures in a row (a timeout or no connection; calls that fail together are one) the breaker opens: calls fail at once, while one task probes Redis.
///
/// The redis crate's `ConnectionManager` would keep a connection to a Redis that has become a replica, so this type reconnects without it.
#[derive(Clone)]
pub struct Redis(Arc<Shared>);

struct Shared {
    address: Address,
    place: String,
    timeout: Duration,
    /// What the service does without Redis, for the log.
    without: &'static str,
    connection: ArcSwapOption<Connection>,
    /// Held while connecting, so that concurrent calls open one connection.
    connecting: Arc<Mutex<()>>,
    /// The number of calls that were answered.
    answered: AtomicU64,
    /// The number of failures in a row.
    failures: AtomicU32,
    /// Whether the breaker is open.
    is_open: AtomicBool,
    /// Whether the connection to a cluster is being replaced, or has just been.
    is_renewed: AtomicBool,
    /// Whether the last change that was logged is "Redis is unavailable": only changes are logged, not every call.
    is_logged: AtomicBool,
}

/// The counts when a call began.
#[derive(Clone, Copy)]
struct Before {
    answered: u64,
    failures: u32,
}

/// Parses the setting `redis_url`.
///
/// # Errors
/// The address is not valid.
pub fn url(value: &str) -> Result<Secret, String> {
    let url = Secret::from(value.to_owned());
    match redis_url::parse(&url, Duration::ZERO) {
        Ok(_) => Ok(url),
        Err(error) => Err(format!("{error:#}")),
    }
}

impl Redis {
    /// Connects. A call that takes longer than `timeout` fails. `without` completes the log line "Redis is unavailable; …": what the service
    /// does without Redis, also when it starts.
    ///
    /// # Errors
    /// The address is not valid, or the Redis there is older than 6.2 or belongs to a cluster without the address saying so.
    pub async fn connect(
        url: &Secret,
        timeout: Duration,
        without: &'static str,
    ) -> anyhow::Result<Self> {
        let redis = Self::lazy(url, timeout, without)?;
        match connection::info(&redis.0).await {
            Ok(info) => connection::check(&redis.0, &info)?,
            Err(error) => {
                redis.0.is_logged.store(true, Ordering::Relaxed);
                tracing::warn!("{error:#}; {without}");
            }
        }
        Ok(redis)
    }

    /// Like [`connect`](Self::connect), but connects at the first call, so that Redis may start later.
    ///
    /// # Errors
    /// The address is not valid.
    pub fn lazy(url: &Secret, timeout: Duration, without: &'static str) -> anyhow::Result<Self> {
        let (address, place) = redis_url::parse(url, timeout)?;
        Ok(Self::unconnected(address, place, timeout, without))
    }

    /// A new connection to the same Redis, with a breaker of its own. It connects at the first call and belongs to the runtime of that
    /// call.
    #[must_use]
    pub fn new_connection(&self) -> Self {
        let Shared { address, place, timeout, without, .. } = &*self.0;
        Self::unconnected(address.clone(), place.clone(), *timeout, without)
    }

    fn unconnected(
        address: Address,
        place: String,
        timeout: Duration,
        without: &'static str,
    ) -> Self {
        metrics::gauge!("redis_breakers_open").increment(0.0);
        Self(Arc::new(Shared {
            address,
            place,
            timeout,
            without,
            connection: ArcSwapOption::empty(),
            connecting: Arc::default(),
            answered: AtomicU64::new(0),
            failures: AtomicU32::new(0),
            is_open: AtomicBool::new(false),
            is_renewed: AtomicBool::new(false),
            is_logged: AtomicBool::new(false),
        }))
    }

    /// Sends a command. `what` names the call in metrics and the log.
    ///
    /// # Errors
    /// Redis is unavailable.
    pub async fn query<T: FromRedisValue>(
        &self,
        what: &'static str,
        command: &Cmd,
    ) -> Result<T, Unavailable> {
        let answer = async |connection: &Connection| connection.send(command).await;
        self.call(what, answer).await
    }

    /// Runs `script` by its hash, or by its code when Redis does not have it. `command` begins with [`evaluate`].
    ///
    /// # Errors
    /// Redis is unavailable.
    pub async fn invoke<T: FromRedisValue>(
        &self,
        what: &'static str,
        script: &Script,
        command: &Cmd,
    ) -> Result<T, Unavailable> {
        let answer = async |connection: &Connection| {
            let answer = connection.send(command).await;
            if is_no_script(&answer) {
                return connection.send(&script.with_code(command)).await;
            }
            answer
        };
        self.call(what, answer).await
    }

    /// Makes a call within the timeout, and records its outcome in the breaker.
    async fn call<T: FromRedisValue>(
        &self,
        what: &'static str,
        answer: impl AsyncFnOnce(&Connection) -> RedisResult<Value>,
    ) -> Result<T, Unavailable> {
        let before = Before {
            answered: self.0.answered.load(Ordering::Relaxed),
            failures: self.0.failures.load(Ordering::Relaxed),
        };
        let (mut used, began) = (None, Instant::now());
        let call = async {
            let connection = used.insert(self.0.connection().await?);
            let answer = answer(connection).await;
            let answer = answer.and_then(|answer| Ok(T::from_redis_value(answer)?));
            answer.map_err(Failure::new)
        };
        let span = telemetry::child_span(|| tracing::info_span!("redis", call = what));
        let outcome = timeout(self.0.timeout, call.instrument(span)).await;
        if used.is_some() {
            measure(what, began.elapsed());
        }
        let outcome = outcome.unwrap_or_else(|_| Err(Failure::timed_out(used.is_some())));
        self.0.record(what, before, used.as_ref(), outcome)
    }
}

/// Records the duration of a call that was sent.
fn measure(what: &'static str, elapsed: Duration) {
    thread_local! {
        static DURATIONS: Handles<&'static str, Histogram> = Handles::default();
    }
    let durations =
        |what: &&'static str| metrics::histogram!("redis_call_duration_seconds", "call" => *what);
    DURATIONS.with(|handles| {
        handles.with(what, durations, |durations| durations.record(elapsed));
    });
}

/// Whether Redis does not have a script.
fn is_no_script(answer: &RedisResult<Value>) -> bool {
    answer.as_ref().is_err_and(|error| error.kind() == ErrorKind::Server(ServerErrorKind::NoScript))
}

impl Shared {
    /// The connection. Opens it when there is none, unless the breaker is open.
    #[expect(
        clippy::disallowed_methods,
        reason = "the task has no work to finish at shutdown, and ends by itself"
    )]
    async fn connection(self: &Arc<Self>) -> Result<Arc<Connection>, Failure> {
        if let Some(connection) = self.connection.load_full() {
            return Ok(connection);
        }
        // A call that waits here for another one to connect gives up when its time is over.
        let connecting = Arc::clone(&self.connecting).lock_owned().await;
        if let Some(connection) = self.connection.load_full() {
            return Ok(connection);
        }
        if self.is_open.load(Ordering::Acquire) {
            return Err(Failure::Open);
        }
        // The task goes on when the call times out: connections to a cluster with TLS take longer than a call may.
        let opening = tokio::spawn(Arc::clone(self).open(connecting));
        opening.await.unwrap_or_else(|_panicked| Err(Failure::NoConnection(None)))
    }

    async fn open(
        self: Arc<Self>,
        _connecting: OwnedMutexGuard<()>,
    ) -> Result<Arc<Connection>, Failure> {
        let limit = CONNECT_TIMEOUT.max(self.timeout);
        let opened = timeout(limit, Connection::open(&self.address))
            .await
            .map_err(|_elapsed| Failure::NoConnection(None))?;
        let opened = Arc::new(opened.map_err(|error| Failure::NoConnection(Some(error)))?);
        // The breaker has opened meanwhile, and its probe finds the next connection.
        if self.is_open.load(Ordering::Acquire) {
            return Err(Failure::Open);
        }
        self.connection.store(Some(Arc::clone(&opened)));
        Ok(opened)
    }

    /// Records the outcome of a call over `connection`.
    fn record<T>(
        self: &Arc<Self>,
        what: &'static str,
        before: Before,
        connection: Option<&Arc<Connection>>,
        outcome: Result<T, Failure>,
    ) -> Result<T, Unavailable> {
        let failure = match outcome {
            Ok(answer) => {
                self.answered.fetch_add(1, Ordering::Relaxed);
                if self.failures.load(Ordering::Relaxed) != 0 {
                    self.failures.store(0, Ordering::Relaxed);
                }
                if self.is_logged.load(Ordering::Relaxed)
                    && self.is_logged.swap(false, Ordering::Relaxed)
                {
                    tracing::info!("Redis is available again");
                }
                return Ok(answer);
            }
            Err(Failure::Open) => return Err(Unavailable::NotApplied),
            Err(failure) => failure,
        };
        // A rejection is a response in time.
        if !matches!(failure, Failure::Rejected(_)) {
            // The library reconnects to a cluster by itself.
            let is_server = connection.is_some_and(|it| matches!(**it, Connection::Server(_)));
            // Other calls were answered in the meantime: a single node of a cluster or a single slow call has failed.
            let others_answered = self.answered.load(Ordering::Relaxed) != before.answered;
            breaker::count(
                self,
                connection,
                is_server && failure.lost_connection(),
                others_answered,
                before.failures,
            );
        }
        if let (Failure::NoResponse(None), Some(connection)) = (&failure, connection) {
            self.renew(connection);
        }
        Err(self.report(what, &failure))
    }

    /// Replaces the connection to a cluster after a call that timed out. A node that hangs, or that the network has cut off, keeps its
    /// connections and its slots there, even when its replica has taken its place. Calls use the old connection until then.
    #[expect(
        clippy::disallowed_methods,
        reason = "the task has no work to finish at shutdown, and ends by itself"
    )]
    fn renew(self: &Arc<Self>, used: &Arc<Connection>) {
        if matches!(**used, Connection::Server(_)) || self.is_renewed.swap(true, Ordering::AcqRel) {
            return;
        }
        let (shared, used) = (Arc::clone(self), Arc::clone(used));
        drop(tokio::spawn(async move {
            let limit = RENEWAL_INTERVAL.max(shared.timeout);
            let opened = timeout(limit, Connection::open(&shared.address)).await;
            if let Ok(Ok(connection)) = opened {
                let old = Some(used);
                shared.connection.compare_and_swap(&old, Some(Arc::new(connection)));
            }
            tokio::time::sleep(RENEWAL_INTERVAL).await;
            shared.is_renewed.store(false, Ordering::Release);
        }));
    }

    /// Counts a failed call, and logs the first one.
    fn report(&self, what: &'static str, failure: &Failure) -> Unavailable {
        metrics::counter!("redis_errors_total", "call" => what).increment(1);
        if !self.is_logged.swap(true, Ordering::Relaxed) {
            let reason = failure.reason();
            tracing::warn!(what, reason, "Redis is unavailable; {}", self.without);
        }
        failure.unavailable()
    }
}

impl fmt::Debug for Redis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Redis").field("place", &self.0.place).finish_non_exhaustive()
    }
}
