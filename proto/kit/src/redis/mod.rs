//! A connection to Redis that nobody waits for long: whatever is slow counts as away, and what is away is not waited for again.

mod address;
mod breaker;
mod link;
mod script;

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Duration;

use arc_swap::ArcSwapOption;
use futures::future::join_all;
use redis::aio::MultiplexedConnection;
use redis::{
    Cmd, ErrorKind, FromRedisValue, Pipeline, RedisError, RedisResult, ServerErrorKind, Value,
};
use tokio::sync::Mutex;
use tokio::time::error::Elapsed;
use tokio::time::{Instant, timeout, timeout_at};

use crate::config::Secret;
use address::Address;
pub use link::RunId;
use link::{Connection, Link};
pub use script::{Script, evaluate};

/// How long Redis may take, where no setting says otherwise.
pub const PATIENCE: Duration = Duration::from_millis(50);
/// So much earlier a node of a cluster is given up than the whole round trip.
const MARGIN: Duration = Duration::from_millis(1);

/// A connection that calls share: what is asked at the same time travels together. Clones share it, and its breaker.
///
/// After three failures in a row (no answer in time, or no connection) the breaker opens: calls find Redis away at once, while one
/// task at a time looks whether it is back.
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
            let answer = link.connection.send(command).await;
            let answer = answer.and_then(|answer| Ok(T::from_redis_value(answer)?));
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
        let commands = |run| vec![command(run)];
        let (mut answers, _) = self
            .invoke_many::<T, Value>(what, script, commands, None)
            .await?;
        answers.pop().unwrap_or(Err(Away::Unknown))
    }

    /// Runs `script` by each of these commands, and asks what `beside` asks, in one round trip. A command that fails fails by itself.
    ///
    /// In a cluster the keys of a command lie on one node, and those of two commands may not: each command goes to its node by itself,
    /// all at the same time.
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
        let mut used = None;
        let until = Instant::now() + self.0.patience;
        let call = async {
            let link = used.insert(self.0.link().await?);
            let commands = commands(link.run);
            match link.connection.clone() {
                Connection::Server(connection) => {
                    in_a_pipeline(connection, script, commands, beside)
                        .await
                        .map_err(Failure::of)
                }
                Connection::Cluster(_) => {
                    each_by_itself(&link.connection, script, &commands, beside, until).await
                }
            }
        };
        let outcome = timeout_at(until, call).await;
        let outcome = outcome.unwrap_or_else(|_| Err(Failure::late(used.is_some())));
        let mut answers = self.0.note(what, used.as_ref(), outcome)?;
        let told = beside.and_then(|_| answers.pop());
        let told = told.map(|told| self.each(what, told)).transpose()?;
        let answers = answers.into_iter().map(|answer| self.each(what, answer));
        Ok((answers.collect(), told))
    }

    /// One answer of many. Whether Redis is away is judged by all of them, not by this one.
    fn each<T: FromRedisValue>(
        &self,
        what: &'static str,
        answer: Result<Value, Failure>,
    ) -> Result<T, Away> {
        let answer = answer.and_then(|answer| {
            T::from_redis_value(answer).map_err(|error| Failure::Refused(error.into()))
        });
        answer.map_err(|failure| self.0.tell(what, &failure))
    }
}

/// What came of each of several commands.
type Answers = Vec<Result<Value, Failure>>;

/// To one server, in one round trip.
async fn in_a_pipeline(
    mut connection: MultiplexedConnection,
    script: &Script,
    commands: Vec<Cmd>,
    beside: Option<&Cmd>,
) -> RedisResult<Answers> {
    let mut pipeline = Pipeline::with_capacity(commands.len() + 1);
    pipeline.ignore_errors();
    for command in commands.into_iter().chain(beside.cloned()) {
        pipeline.add_command(command);
    }
    let mut answers: Vec<RedisResult<Value>> = pipeline.query_async(&mut connection).await?;
    // All run the same script: the first tells for all, and none was run.
    if answers.first().is_some_and(is_unknown) {
        script.known().load_async(&mut connection).await?;
        answers = pipeline.query_async(&mut connection).await?;
    }
    let refused = |answer: RedisResult<Value>| answer.map_err(Failure::Refused);
    Ok(answers.into_iter().map(refused).collect())
}

/// To the nodes of a cluster. A node that hangs holds up its own calls only; when no node answers, the cluster is away.
async fn each_by_itself(
    connection: &Connection,
    script: &Script,
    commands: &[Cmd],
    beside: Option<&Cmd>,
    until: Instant,
) -> Result<Answers, Failure> {
    let run = |command| async move {
        let answer = connection.send(command).await;
        if is_unknown(&answer) {
            return connection.send(&script.in_full(command)).await;
        }
        answer
    };
    // A little earlier than the whole is given up, which would lose the answers of the others.
    let until = until - MARGIN;
    let in_time = |answer: Result<RedisResult<Value>, Elapsed>| match answer {
        Ok(answer) => answer.map_err(Failure::of),
        Err(_) => Err(Failure::NoAnswer(None)),
    };
    let scripts = join_all(commands.iter().map(|it| timeout_at(until, run(it))));
    let look = async {
        match beside {
            Some(command) => Some(timeout_at(until, connection.send(command)).await),
            None => None,
        }
    };
    let (scripts, look) = futures::join!(scripts, look);
    let mut answers: Answers = scripts.into_iter().chain(look).map(in_time).collect();
    let is_lost = |answer: &Result<_, Failure>| !matches!(answer, Ok(_) | Err(Failure::Refused(_)));
    if answers.iter().all(is_lost)
        && let Some(Err(failure)) = answers.pop()
    {
        return Err(failure);
    }
    Ok(answers)
}

/// Whether Redis says that it does not know a script.
fn is_unknown<T>(answer: &RedisResult<T>) -> bool {
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
        // A refusal came in time.
        if !matches!(failure, Failure::Refused(_)) {
            // That to a cluster mends itself.
            let is_server = link.is_some_and(|it| matches!(it.connection, Connection::Server(_)));
            breaker::count(self, link, is_server && failure.lost_connection());
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
