//! Timeouts of a connection.
//!
//! | setting | closes a connection |
//! | --- | --- |
//! | `http_head` | that has sent part of a head, or nothing since it was opened |
//! | `http_idle` | without a request, also if it sends frames that request nothing |
//! | `http_write` | whose client receives nothing of the responses that are ready |
//!
//! The service limits how long a request runs, and its body by `http_body`, so the connection waits for it.

use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use parking_lot::Mutex;
use tokio::time::{Instant, sleep_until};

use crate::config::a_second_or_more;

/// How late the connection may notice a deadline that has become earlier.
const CHECK_INTERVAL: Duration = Duration::from_secs(2);

/// Timeouts after which a connection is closed.
#[derive(Debug, Clone, Copy, Args)]
#[expect(clippy::struct_field_names, reason = "the settings have these names")]
// clap would name the group after the type.
#[group(skip)]
pub struct Timeouts {
    /// Seconds for the head of a request; the first one begins with the connection
    #[arg(long, default_value = "10", value_parser = a_second_or_more)]
    pub http_head: Duration,
    /// Seconds for the body of a request
    #[arg(long, default_value = "10", value_parser = a_second_or_more)]
    pub http_body: Duration,
    /// Seconds that a connection may be idle: longer than a proxy in front keeps one, most 60, so that no request meets a closing one
    #[arg(long, default_value = "75", value_parser = a_second_or_more)]
    pub http_idle: Duration,
    /// Seconds that a response may wait without the client receiving any of it
    #[arg(long, default_value = "30", value_parser = a_second_or_more)]
    pub http_write: Duration,
}

#[derive(Debug)]
pub(super) struct Deadlines {
    timeouts: Timeouts,
    state: Mutex<ConnectionState>,
}

#[derive(Debug)]
struct ConnectionState {
    /// Requests that run, or whose responses are not written yet.
    calls: u32,
    /// Those whose responses are ready.
    unsent: u32,
    /// When a head began to arrive. The first head begins when the connection is opened, since a client connects to send a
    /// request.
    head_since: Option<Instant>,
    /// The latest of: the connection was opened, a request ended, part of a response was written, the first waiting response
    /// became ready.
    since: Instant,
    /// Over HTTP/2, bytes may arrive at any time and do not mean that a head has begun.
    http2: bool,
}

impl Deadlines {
    pub(super) fn new(timeouts: Timeouts, opened: Instant) -> Self {
        let state = Mutex::new(ConnectionState {
            calls: 0,
            unsent: 0,
            since: opened,
            head_since: Some(opened),
            http2: false,
        });
        Self { timeouts, state }
    }

    pub(super) fn received(&self) {
        let mut state = self.state.lock();
        if state.calls == 0 && !state.http2 {
            state.head_since.get_or_insert_with(Instant::now);
        }
    }

    /// When the connection expires; `None` while it only waits for running requests.
    fn deadline(&self) -> Option<Instant> {
        let (state, timeouts) = (self.state.lock(), self.timeouts);
        let write = (state.unsent > 0).then(|| state.since + timeouts.http_write);
        let head = state.head_since.map(|since| since + timeouts.http_head);
        let idle = (state.calls == 0).then(|| state.since + timeouts.http_idle);
        [write, head, idle].into_iter().flatten().min()
    }

    /// Whether no request runs and no response waits to be written.
    pub(super) fn is_idle(&self) -> bool {
        self.state.lock().calls == 0
    }

    /// The last event: the connection was opened, a request ended, part of a response was written, or a response became ready.
    pub(super) fn since(&self) -> Instant {
        self.state.lock().since
    }

    /// Returns when the connection has expired.
    pub(super) async fn expired(&self) {
        while self
            .deadline()
            .is_none_or(|deadline| deadline > Instant::now())
        {
            let check = Instant::now() + CHECK_INTERVAL;
            let deadline = self.deadline().unwrap_or(check);
            sleep_until(deadline.min(check)).await;
        }
    }
}

/// A request that ends when this is dropped.
pub(super) struct CallGuard {
    deadlines: Arc<Deadlines>,
    is_ready: bool,
}

impl CallGuard {
    /// A head is complete, so a request begins.
    pub(super) fn begin(deadlines: &Arc<Deadlines>, http2: bool) -> Self {
        let mut state = deadlines.state.lock();
        state.calls += 1;
        state.head_since = None;
        state.http2 = http2;
        Self {
            deadlines: Arc::clone(deadlines),
            is_ready: false,
        }
    }

    /// The response waits to be written from now on.
    pub(super) fn response_ready(&mut self) {
        self.is_ready = true;
        let mut state = self.deadlines.state.lock();
        state.unsent += 1;
        if state.unsent == 1 {
            state.since = Instant::now();
        }
    }

    pub(super) fn chunk_written(&self) {
        self.deadlines.state.lock().since = Instant::now();
    }
}

impl Drop for CallGuard {
    fn drop(&mut self) {
        let mut state = self.deadlines.state.lock();
        state.calls -= 1;
        state.unsent -= u32::from(self.is_ready);
        state.since = Instant::now();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TIMEOUTS: Timeouts = Timeouts {
        http_head: Duration::from_secs(10),
        http_body: Duration::from_secs(10),
        http_idle: Duration::from_secs(30),
        http_write: Duration::from_secs(20),
    };

    /// The seconds from the opening of the connection to its deadline, in whole tens: the machine may pause in a test.
    fn deadline(connection: &Deadlines, opened: Instant) -> Option<u64> {
        let deadline = connection.deadline()?;
        Some((deadline - opened).as_secs() / 10 * 10)
    }

    fn opened() -> (Arc<Deadlines>, Instant) {
        // Long ago, to tell it from events of the test.
        let opened = Instant::now() - Duration::from_secs(100);
        (Arc::new(Deadlines::new(TIMEOUTS, opened)), opened)
    }

    fn defaults() -> Timeouts {
        #[derive(clap::Parser)]
        struct Settings {
            #[command(flatten)]
            timeouts: Timeouts,
        }
        let settings: Settings = clap::Parser::parse_from(["test"]);
        settings.timeouts
    }

    #[test]
    fn the_contract_names_the_defaults() {
        let Timeouts {
            http_head,
            http_body,
            http_idle,
            http_write,
        } = defaults();
        let [head, body, idle, write] =
            [http_head, http_body, http_idle, http_write].map(|timeout| timeout.as_secs());
        let contract = include_str!("../../../CONTRACT.md");
        for row in [
            format!("progress of a response | {head} s; {body} s; {write} s |"),
            format!("| a connection without a call | {idle} s |"),
        ] {
            assert!(contract.contains(&row), "{row}");
        }
    }

    /// Otherwise a request of the proxy may meet a connection that the service closes.
    #[test]
    fn an_idle_connection_lasts_longer_here_than_at_the_proxies() {
        let idle = defaults().http_idle.as_secs();
        let haproxy = include_str!("../../../../deploy/edge/haproxy.cfg");
        let nginx = include_str!("../../../../deploy/edge/nginx.conf");
        for (proxy, setting) in [
            (haproxy, " timeout http-keep-alive "),
            (haproxy, " pool-purge-delay "),
            (nginx, " keepalive_timeout "),
        ] {
            let values = proxy.split(setting).skip(1);
            let seconds = values.map(|value| value.split_once('s').unwrap().0);
            let seconds: Vec<u64> = seconds.map(|value| value.parse().unwrap()).collect();
            assert!(!seconds.is_empty(), "no{setting}");
            assert!(
                seconds.iter().all(|one| *one < idle),
                "{setting}: {seconds:?}"
            );
        }
    }

    #[test]
    fn the_first_head_begins_with_the_connection() {
        let (connection, opened) = opened();
        assert_eq!(deadline(&connection, opened), Some(10));
        connection.received();
        assert_eq!(deadline(&connection, opened), Some(10));
    }

    #[test]
    fn a_later_head_begins_with_its_first_byte() {
        let (connection, opened) = opened();
        drop(CallGuard::begin(&connection, false));
        assert_eq!(deadline(&connection, opened), Some(130));
        connection.received();
        assert_eq!(deadline(&connection, opened), Some(110));
        connection.state.lock().head_since = Some(opened);
        connection.received();
        assert_eq!(deadline(&connection, opened), Some(10));
    }

    #[test]
    fn http2_frames_do_not_begin_a_head() {
        let (connection, opened) = opened();
        drop(CallGuard::begin(&connection, true));
        connection.received();
        assert_eq!(deadline(&connection, opened), Some(130));
    }

    #[test]
    fn a_running_request_does_not_expire() {
        let (connection, opened) = opened();
        let call = CallGuard::begin(&connection, false);
        connection.received();
        assert_eq!(deadline(&connection, opened), None);
        drop(call);
        assert_eq!(deadline(&connection, opened), Some(130));
    }

    #[test]
    fn each_response_has_a_write_timeout() {
        let (connection, opened) = opened();
        let mut calls = [(); 2].map(|()| CallGuard::begin(&connection, true));
        calls[0].response_ready();
        assert_eq!(deadline(&connection, opened), Some(120));
        connection.state.lock().since = opened;
        calls[1].response_ready();
        assert_eq!(deadline(&connection, opened), Some(20));
        let [first, second] = calls;
        drop(first);
        assert_eq!(deadline(&connection, opened), Some(120));
        connection.state.lock().since = opened;
        second.chunk_written();
        assert_eq!(deadline(&connection, opened), Some(120));
        drop(second);
        assert_eq!(deadline(&connection, opened), Some(130));
    }
}
