//! Limits the uploads of pictures: how many arrive at once, and how slowly.
//!
//! An upload takes as long as its line needs, up to [`WHOLE`], while bytes keep coming. It holds a connection, a file on disk and one of
//! [`MAX_UPLOADS`] permits. Each person has one upload, and one that is refused is not read for longer than a pause may take: slow uploads
//! hold at most as many connections as there are permits, and the port has many more.

use std::collections::HashSet;
use std::error::Error;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::body::Body;
use futures::{StreamExt as _, stream};
use kit::Fault;
use kit::overload::{ConcurrencyLimit, Permit};
use tokio::time::{Instant, timeout_at};
use uuid::Uuid;

/// The uploads of all people at once: each has up to 10 MB on disk.
const MAX_UPLOADS: usize = 256;
/// How long no byte of an upload may arrive. The proxies in front wait at least as long (`deploy/edge`).
pub const SILENCE: Duration = Duration::from_secs(30);
/// How long an upload may take to arrive: 10 MB at 12 KB/s.
pub const WHOLE: Duration = Duration::from_mins(15);
/// How long listings-svc may take to store a picture.
pub const STORING: Duration = Duration::from_secs(35);

/// Why the body of an upload ends early.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TooSlow {
    /// No byte arrived for [`SILENCE`].
    Silent,
    /// It did not arrive within [`WHOLE`].
    Long,
}

impl fmt::Display for TooSlow {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("the body arrives too slowly")
    }
}

impl Error for TooSlow {}

impl TooSlow {
    /// The reason among the sources of an error.
    pub fn among_sources(error: &(dyn Error + 'static)) -> Option<Self> {
        let mut next = Some(error);
        while let Some(error) = next {
            if let Some(reason) = error.downcast_ref() {
                return Some(*reason);
            }
            next = error.source();
        }
        None
    }
}

/// The same body, which ends with [`TooSlow`] if it pauses or takes too long.
pub fn timed(body: Body) -> Body {
    let end = Instant::now() + WHOLE;
    let data = body.into_data_stream();
    Body::from_stream(stream::try_unfold(data, move |mut data| async move {
        let pause = Instant::now() + SILENCE;
        match timeout_at(pause.min(end), data.next()).await {
            Ok(part) => Ok(part.transpose()?.map(|part| (part, data))),
            Err(_elapsed) if end <= pause => Err(axum::Error::new(TooSlow::Long)),
            Err(_elapsed) => Err(axum::Error::new(TooSlow::Silent)),
        }
    }))
}

/// Limits the uploads at once.
#[derive(Debug)]
pub struct Uploads {
    limit: ConcurrencyLimit,
    /// The people who are uploading a file.
    people: Arc<Mutex<HashSet<Uuid>>>,
}

/// The upload of a person, which ends when this is dropped.
#[derive(Debug)]
pub struct UploadGuard {
    person: Uuid,
    people: Arc<Mutex<HashSet<Uuid>>>,
    _permit: Permit,
}

impl Drop for UploadGuard {
    fn drop(&mut self) {
        let mut people = self.people.lock().unwrap_or_else(PoisonError::into_inner);
        people.remove(&self.person);
    }
}

impl Default for Uploads {
    fn default() -> Self {
        Self { limit: ConcurrencyLimit::new("uploads", MAX_UPLOADS), people: Arc::default() }
    }
}

impl Uploads {
    /// One upload of a person at a time, whatever the number of the person's accounts: `None` while the person is uploading another picture.
    ///
    /// # Errors
    /// Too many people are uploading a picture.
    pub fn begin(&self, person: Uuid) -> Result<Option<UploadGuard>, Fault> {
        let permit = self.limit.try_acquire()?;
        let mut people = self.people.lock().unwrap_or_else(PoisonError::into_inner);
        if !people.insert(person) {
            return Ok(None);
        }
        Ok(Some(UploadGuard { person, people: Arc::clone(&self.people), _permit: permit }))
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use http_body_util::BodyExt as _;
    use tokio::time::sleep;

    use super::*;

    /// Reads a body of so many parts, each after this pause.
    async fn read(parts: u32, pause: Duration) -> Result<usize, Option<TooSlow>> {
        let parts = stream::iter(0..parts).then(move |_| async move {
            sleep(pause).await;
            Ok::<_, std::io::Error>(Bytes::from_static(b"part"))
        });
        let whole = timed(Body::from_stream(parts))
            .collect()
            .await
            .map_err(|error| TooSlow::among_sources(&error))?;
        Ok(whole.to_bytes().len())
    }

    #[tokio::test(start_paused = true)]
    async fn an_upload_may_be_slow_but_neither_silent_nor_endless() {
        let pause = SILENCE.mul_f64(0.95);
        assert_eq!(read(30, pause).await, Ok(120));
        assert_eq!(read(32, pause).await, Err(Some(TooSlow::Long)));
        let silence = SILENCE + Duration::from_secs(1);
        assert_eq!(read(1, silence).await, Err(Some(TooSlow::Silent)));
    }

    #[test]
    fn the_proxies_wait_longer_for_an_upload_and_its_answer() {
        let haproxy = include_str!("../../../deploy/edge/haproxy.cfg");
        let nginx = include_str!("../../../deploy/edge/nginx.conf");
        // The person and the account are looked up before the picture is stored, and the page of a refusal after it, within
        // `upstream_deadline` each.
        let answer = STORING + 2 * Duration::from_secs(10);
        for (proxy, setting, least) in [
            (haproxy, " timeout client ", SILENCE),
            (haproxy, " timeout server ", answer),
            (nginx, " client_body_timeout ", SILENCE),
            (nginx, " proxy_read_timeout ", answer),
        ] {
            let (_, value) = proxy.split_once(setting).unwrap();
            let (seconds, _) = value.split_once('s').unwrap();
            let seconds = Duration::from_secs(seconds.parse().unwrap());
            assert!(seconds >= least, "{setting}: {seconds:?}");
        }
    }
}
