//! A connection to Redis that nobody waits for long: whatever is slow counts as away, and what is away is not waited for again.

mod breaker;
mod link;

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Duration;

use arc_swap::ArcSwapOption;
use redis::{
    Client, Cmd, ErrorKind, FromRedisValue, Pipeline, RedisError, RedisResult, Script,
    ServerErrorKind, Value,
};
use tokio::sync::Mutex;
use tokio::time::timeout;

use crate::config::Secret;
use link::Link;
pub use link::RunId;

/// How long Redis may take, where no setting says otherwise.
pub const PATIENCE: Duration = Duration::from_millis(50);

/// A connection that calls share: what is asked at the same time travels together. Clones share it, and its breaker.
///
/// After three failures in a row (no answer in time, or no connection) the breaker opens: calls find Redis away at once, while one
/// task at a time looks whether it is back.
#[derive(Clone)]
pub struct Redis(Arc<Shared>);

struct Shared {
    client: Client,
    place: String,
    patience: Duration,
    without: &'static str,
    link: ArcSwapOption<Link>,
    /// Held while the connection is made, so that calls which come together make one.
    connecting: Mutex<()>,
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
        link::check(&redis.0.client, &redis.0.place).await?;
        Ok(redis)
    }

    /// The same without asking whether Redis is there: it may come later.
    ///
    /// # Errors
    /// The address is none.
    pub fn lazy(url: &Secret, patience: Duration, without: &'static str) -> anyhow::Result<Self> {
        let client = link::client(url)?;
        Ok(Self::unconnected(client, patience, without))
    }

    /// Another connection to the same Redis, with a breaker of its own. It is made by the first call, and lives on the runtime of
    /// that call.
    #[must_use]
    pub fn another(&self) -> Self {
        Self::unconnected(self.0.client.clone(), self.0.patience, self.0.without)
    }

    fn unconnected(client: Client, patience: Duration, without: &'static str) -> Self {
        Self(Arc::new(Shared {
            place: link::place(&client),
            client,
            patience,
            without,
            link: ArcSwapOption::empty(),
            connecting: Mutex::new(()),
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
        let mut used = None;
        let call = async {
            let link = used.insert(self.0.link().await?);
            let answer = command.query_async(&mut link.connection.clone()).await;
            answer.map_err(Failure::of)
        };
        let outcome = timeout(self.0.patience, call).await;
        let outcome = outcome.unwrap_or_else(|_| Err(Failure::late(used.is_some())));
        self.0.note(what, used.as_ref(), outcome)
    }

    /// Runs `script` by its hash, and hands it over first where Redis does not know it. `command` begins as [`evaluate`] made it; it is
    /// told which run of Redis it is sent to.
    ///
    /// # Errors
    /// Redis is away.
    pub async fn invoke<T: FromRedisValue>(
        &self,
        what: &'static str,
        script: &Script,
        command: impl FnOnce(RunId) -> Cmd,
    ) -> Result<T, Away> {
        let pipeline = |run| {
            let mut pipeline = Pipeline::with_capacity(1);
            pipeline.add_command(command(run));
            pipeline
        };
        let is_missing = |answer: &RedisResult<_>| answer.as_ref().is_err_and(is_unknown);
        let answer = self.run(what, script, pipeline, is_missing);
        let (answer,) = answer.await?;
        Ok(answer)
    }

    /// Runs `script` by each of these commands, and asks what `beside` asks, in one round trip. A command that Redis refuses fails by
    /// itself.
    ///
    /// # Errors
    /// Redis is away.
    pub async fn invoke_many<T: FromRedisValue, U: FromRedisValue>(
        &self,
        what: &'static str,
        script: &Script,
        commands: impl FnOnce(RunId) -> Vec<Cmd>,
        beside: Option<&Cmd>,
    ) -> Result<(Vec<Result<T, Away>>, Option<U>), Away> {
        let pipeline = |run| {
            let commands = commands(run);
            let mut pipeline = Pipeline::with_capacity(commands.len() + 1);
            pipeline.ignore_errors();
            for command in commands.into_iter().chain(beside.cloned()) {
                pipeline.add_command(command);
            }
            pipeline
        };
        let is_missing = |answers: &RedisResult<Vec<RedisResult<Value>>>| {
            let first = answers.as_ref().ok().and_then(|answers| answers.first());
            first.is_some_and(|answer| answer.as_ref().is_err_and(is_unknown))
        };
        let answers = self.run(what, script, pipeline, is_missing);
        let mut answers: Vec<RedisResult<Value>> = answers.await?;
        let told = beside.and_then(|_| answers.pop());
        let told = told.map(|told| self.each(what, told)).transpose()?;
        let answers = answers.into_iter().map(|answer| self.each(what, answer));
        Ok((answers.collect(), told))
    }

    /// One answer of many.
    fn each<T: FromRedisValue>(
        &self,
        what: &'static str,
        answer: RedisResult<Value>,
    ) -> Result<T, Away> {
        let answer = answer.and_then(|answer| Ok(T::from_redis_value(answer)?));
        match answer {
            Ok(answer) => Ok(answer),
            Err(error) => self.0.note(what, None, Err(Failure::Refused(error))),
        }
    }

    async fn run<T: FromRedisValue>(
        &self,
        what: &'static str,
        script: &Script,
        pipeline: impl FnOnce(RunId) -> Pipeline,
        is_missing: impl Fn(&RedisResult<T>) -> bool,
    ) -> Result<T, Away> {
        let mut used = None;
        let call = async {
            let link = used.insert(self.0.link().await?);
            let (mut connection, pipeline) = (link.connection.clone(), pipeline(link.run));
            let mut answer = pipeline.query_async(&mut connection).await;
            if is_missing(&answer) {
                let loaded = script.load_async(&mut connection).await;
                loaded.map_err(Failure::of)?;
                answer = pipeline.query_async(&mut connection).await;
            }
            answer.map_err(Failure::of)
        };
        let outcome = timeout(self.0.patience, call).await;
        let outcome = outcome.unwrap_or_else(|_| Err(Failure::late(used.is_some())));
        self.0.note(what, used.as_ref(), outcome)
    }
}

/// Whether Redis says that it does not know a script.
fn is_unknown(error: &RedisError) -> bool {
    error.kind() == ErrorKind::Server(ServerErrorKind::NoScript)
}

/// The beginning of a command that runs `script`: `keys` of its arguments are keys, which come first.
pub fn evaluate(script: &Script, keys: usize) -> Cmd {
    // Room for a handful of arguments of the usual length.
    let mut command = Cmd::with_capacity(12, 320);
    command.arg("EVALSHA").arg(script.get_hash()).arg(keys);
    command
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
        let link = Link::open(&self.client).await;
        let link = Arc::new(link.map_err(|error| Failure::NoConnection(Some(error)))?);
        self.link.store(Some(Arc::clone(&link)));
        Ok(link)
    }

    /// Keeps what came of a call over `link`.
    fn note<T>(
        self: &Arc<Self>,
        what: &'static str,
        link: Option<&Arc<Link>>,
        outcome: Result<T, Failure>,
    ) -> Result<T, Away> {
        let failure = match outcome {
            Ok(answer) => {
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
        metrics::counter!("redis_errors_total", "call" => what).increment(1);
        if !self.told.swap(true, Ordering::Relaxed) {
            let reason = failure.reason();
            tracing::warn!(what, reason, "Redis is away; {}", self.without);
        }
        // A refusal came in time.
        if !matches!(failure, Failure::Refused(_)) {
            breaker::count(self, link, failure.lost_connection());
        }
        Err(failure.away())
    }
}

impl Failure {
    fn of(error: RedisError) -> Self {
        match error.kind() {
            ErrorKind::Server(_) | ErrorKind::Extension => Self::Refused(error),
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
