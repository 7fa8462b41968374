//! A connection to Redis that nobody waits for long: whatever is slow counts as away, and what is away is not waited for again.

mod address;
mod breaker;
mod link;
mod script;

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::time::Duration;

use arc_swap::ArcSwapOption;
use redis::{Cmd, ErrorKind, FromRedisValue, RedisError, RedisResult, ServerErrorKind, Value};
use tokio::sync::Mutex;
use tokio::time::timeout;

use crate::config::Secret;
use address::Address;
pub use link::RunId;
use link::{Connection, Link};
pub use script::{Script, evaluate};

/// How long Redis may take, where no setting says otherwise.
pub const PATIENCE: Duration = Duration::from_millis(50);
/// A connection that calls share: commands that are sent at the same time travel in one round trip. Clones share it, and its breaker.
///
/// After three failures in a row (no answer in time, or no connection) the breaker opens: calls find Redis away at once, while one
/// task at a time looks whether it is back.
///
/// The connection is made anew here, not by the library's `ConnectionManager`: that one does so unseen, and a counter has to know which
/// run of Redis its command reaches ([`RunId`]).
#[derive(Clone)]
pub struct Redis(Arc<Shared>);

struct Shared {
    address: Address,
    place: String,
    patience: Duration,
    without: &'static str,
    link: ArcSwapOption<Link>,
    /// Held while the connection is made, so that calls which come together make one.
    connecting: Mutex<()>,
    /// Calls that were answered.
    answered: AtomicU64,
    /// Failures in a row.
    failures: AtomicU32,
    /// Whether the breaker is open.
    open: AtomicBool,
    /// Whether the log was told that Redis is away: it tells of the change, not of every call.
    told: AtomicBool,
}

/// Redis is away, and this is known of the call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Away {
    /// It was not carried out, and will not be: it was never sent, or Redis refused it.
    Undone,
    /// It was sent and not answered. Redis may have carried it out, or do so when it wakes.
    Unknown,
}

/// Why a call failed.
enum Failure {
    /// The breaker is open.
    Open,
    /// There is no connection; without an error, there was none in time.
    NoConnection(Option<RedisError>),
    /// Redis refused the call.
    Refused(RedisError),
    /// It was sent, and not answered; without an error, not in time.
    NoAnswer(Option<RedisError>),
}

impl Redis {
    /// Connects. A call that takes longer than `patience` finds Redis away; `without` says for the log what that means.
    ///
    /// # Errors
    /// One sentence: the address is none, nothing answers there, or it is older than 6.2.
    pub async fn connect(
        url: &Secret,
        patience: Duration,
        without: &'static str,
    ) -> anyhow::Result<Self> {
        let redis = Self::lazy(url, patience, without)?;
        link::check(&redis.0.address, &redis.0.place).await?;
        Ok(redis)
    }

    /// The same without asking whether Redis is there: it may come later.
    ///
    /// # Errors
    /// The address is none.
    pub fn lazy(url: &Secret, patience: Duration, without: &'static str) -> anyhow::Result<Self> {
        let (address, place) = address::read(url)?;
        Ok(Self::unconnected(address, place, patience, without))
    }

    /// Another connection to the same Redis, with a breaker of its own. It is made by the first call, and lives on the runtime of
    /// that call.
    #[must_use]
    pub fn another(&self) -> Self {
        let Shared {
            address,
            place,
            patience,
            without,
            ..
        } = &*self.0;
        Self::unconnected(address.clone(), place.clone(), *patience, without)
    }

    fn unconnected(
        address: Address,
        place: String,
        patience: Duration,
        without: &'static str,
    ) -> Self {
        Self(Arc::new(Shared {
            address,
            place,
            patience,
            without,
            link: ArcSwapOption::empty(),
            connecting: Mutex::new(()),
            answered: AtomicU64::new(0),
            failures: AtomicU32::new(0),
            open: AtomicBool::new(false),
            told: AtomicBool::new(false),
        }))
    }

    /// Sends a command. `what` names the call in metrics and the log.
    ///
    /// # Errors
    /// Redis is away.
    pub async fn query<T: FromRedisValue>(
        &self,
        what: &'static str,
        command: &Cmd,
    ) -> Result<T, Away> {
        let answer = async |link: &Link| link.connection.send(command).await;
        self.call(what, answer).await
    }

    /// Runs `script` by its hash, and by its code where Redis does not know it. `command` begins as [`evaluate`] made it; it is told
    /// which run of Redis it is sent to.
    ///
    /// # Errors
    /// Redis is away.
    pub async fn invoke<T: FromRedisValue>(
        &self,
        what: &'static str,
        script: &Script,
        command: impl FnOnce(RunId) -> Cmd,
    ) -> Result<T, Away> {
        let answer = async |link: &Link| {
            let command = command(link.run);
            let answer = link.connection.send(&command).await;
            if is_unknown(&answer) {
                return link.connection.send(&script.in_full(&command)).await;
            }
            answer
        };
        self.call(what, answer).await
    }

    /// Waits for an answer within our patience, and counts for the breaker what came of it.
    async fn call<T: FromRedisValue>(
        &self,
        what: &'static str,
        answer: impl AsyncFnOnce(&Link) -> RedisResult<Value>,
    ) -> Result<T, Away> {
        let answered_before = self.0.answered.load(Ordering::Relaxed);
        let mut used = None;
        let call = async {
            let link = used.insert(self.0.link().await?);
            let answer = answer(link).await;
            let answer = answer.and_then(|answer| Ok(T::from_redis_value(answer)?));
            answer.map_err(Failure::of)
        };
        let outcome = timeout(self.0.patience, call).await;
        let outcome = outcome.unwrap_or_else(|_| Err(Failure::late(used.is_some())));
        self.0.note(what, answered_before, used.as_ref(), outcome)
    }
}

/// Whether Redis says that it does not know a script.
fn is_unknown(answer: &RedisResult<Value>) -> bool {
    answer
        .as_ref()
        .is_err_and(|error| error.kind() == ErrorKind::Server(ServerErrorKind::NoScript))
}

impl Shared {
    /// The connection; made by this call when there is none and the breaker is not open.
    async fn link(&self) -> Result<Arc<Link>, Failure> {
        if let Some(link) = self.link.load_full() {
            return Ok(link);
        }
        let _alone = self.connecting.lock().await;
        if let Some(link) = self.link.load_full() {
            return Ok(link);
        }
        if self.open.load(Ordering::Acquire) {
            return Err(Failure::Open);
        }
        let link = Link::open(&self.address).await;
        let link = Arc::new(link.map_err(|error| Failure::NoConnection(Some(error)))?);
        self.link.store(Some(Arc::clone(&link)));
        Ok(link)
    }

    /// Counts for the breaker what came of a call over `link`, before which so many had been answered.
    fn note<T>(
        self: &Arc<Self>,
        what: &'static str,
        answered_before: u64,
        link: Option<&Arc<Link>>,
        outcome: Result<T, Failure>,
    ) -> Result<T, Away> {
        let failure = match outcome {
            Ok(answer) => {
                self.answered.fetch_add(1, Ordering::Relaxed);
                if self.failures.load(Ordering::Relaxed) != 0 {
                    self.failures.store(0, Ordering::Relaxed);
                }
                if self.told.load(Ordering::Relaxed) && self.told.swap(false, Ordering::Relaxed) {
                    tracing::info!("Redis is back");
                }
                return Ok(answer);
            }
            Err(Failure::Open) => return Err(Away::Undone),
            Err(failure) => failure,
        };
        // A refusal came in time.
        if !matches!(failure, Failure::Refused(_)) {
            // That to a cluster mends itself.
            let is_server = link.is_some_and(|it| matches!(it.connection, Connection::Server(_)));
            // Redis is not away while others are answered: it may be one node of a cluster, or one slow answer.
            let alone = self.answered.load(Ordering::Relaxed) != answered_before;
            breaker::count(self, link, is_server && failure.lost_connection(), alone);
        }
        Err(self.tell(what, &failure))
    }

    /// Tells the metrics of a failed call, and the log if it does not know yet.
    fn tell(&self, what: &'static str, failure: &Failure) -> Away {
        metrics::counter!("redis_errors_total", "call" => what).increment(1);
        if !self.told.swap(true, Ordering::Relaxed) {
            let reason = failure.reason();
            tracing::warn!(what, reason, "Redis is away; {}", self.without);
        }
        failure.away()
    }
}

impl Failure {
    fn of(error: RedisError) -> Self {
        match error.kind() {
            ErrorKind::Server(_) | ErrorKind::Extension => Self::Refused(error),
            ErrorKind::ClusterConnectionNotFound => Self::NoConnection(Some(error)),
            _ => Self::NoAnswer(Some(error)),
        }
    }

    fn late(sent: bool) -> Self {
        if sent {
            Self::NoAnswer(None)
        } else {
            Self::NoConnection(None)
        }
    }

    fn away(&self) -> Away {
        match self {
            Self::Open | Self::NoConnection(_) | Self::Refused(_) => Away::Undone,
            Self::NoAnswer(_) => Away::Unknown,
        }
    }

    fn lost_connection(&self) -> bool {
        matches!(self, Self::NoAnswer(Some(error)) if error.is_unrecoverable_error())
    }

    fn reason(&self) -> String {
        match self {
            Self::Open => "it was away".to_owned(),
            Self::NoConnection(Some(error))
            | Self::Refused(error)
            | Self::NoAnswer(Some(error)) => error.to_string(),
            Self::NoConnection(None) => "no connection in time".to_owned(),
            Self::NoAnswer(None) => "no answer in time".to_owned(),
        }
    }
}

impl fmt::Debug for Redis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Redis")
            .field("place", &self.0.place)
            .finish_non_exhaustive()
    }
}
