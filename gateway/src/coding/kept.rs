//! Compressed openings, kept in memory: each content is compressed once, whoever asks for it and however many at once.

use std::collections::hash_map::RandomState;
use std::hash::BuildHasher as _;
use std::io;
use std::sync::Arc;

use quick_cache::Weighter;
use quick_cache::sync::Cache;
use tokio::sync::Semaphore;
use xxhash_rust::xxh3::xxh3_128_with_seed;

use super::{Coding, Opening};

/// Bytes of openings that are kept at most: some 25,000 pages of twenty rows. What is asked for often stays, whatever passes by.
const KEPT: u64 = 64 * 1024 * 1024;
/// Up to so many bytes are compressed where the call is served, in a fraction of a millisecond. Larger ones are compressed
/// aside, so that nobody else waits for them.
const AT_ONCE: usize = 16 * 1024;

/// How many large ones it is made for. The fewer, the fewer parts the library divides it into, and the larger one may be: half of it.
const LARGE: usize = 64;

/// The openings of the answers of late.
#[derive(Debug)]
pub struct Openings {
    kept: Cache<Key, Arc<Opening>, BySize>,
    /// How many large ones are compressed at once: at most half of the machine is busy with them.
    aside: Arc<Semaphore>,
    /// Nobody outside knows it, so nobody can make up two contents that are taken for each other.
    seed: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Key {
    hash: u128,
    length: usize,
    coding: Option<Coding>,
}

#[derive(Debug, Clone)]
struct BySize;

impl Weighter<Key, Arc<Opening>> for BySize {
    fn weight(&self, _: &Key, opening: &Arc<Opening>) -> u64 {
        u64::try_from(size_of::<Key>() + opening.size()).unwrap_or(u64::MAX)
    }
}

impl Default for Openings {
    fn default() -> Self {
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        Self {
            kept: Cache::with_weighter(LARGE, KEPT, BySize),
            aside: Arc::new(Semaphore::new((processors / 2).max(1))),
            seed: RandomState::new().hash_one(KEPT),
        }
    }
}

impl Openings {
    /// The opening `before` and `data`, compressed now or earlier. What is `before` is the same for all.
    ///
    /// # Errors
    /// See [`Coding::open`].
    pub async fn open(
        &self,
        coding: Coding,
        before: &[u8],
        data: &[u8],
    ) -> io::Result<Arc<Opening>> {
        let key = Key {
            hash: xxh3_128_with_seed(data, self.seed),
            length: data.len(),
            coding: Some(coding),
        };
        if let Some(opening) = self.kept.get(&key) {
            return Ok(opening);
        }
        let make = self.make(coding, [before, data].concat());
        self.kept.get_or_insert_async(&key, make).await
    }

    /// The same for a beginning that is named by a `version`, compressed or not; it is read only where it is not kept yet.
    ///
    /// # Errors
    /// Those of reading it, and see [`Coding::open`].
    pub async fn open_version(
        &self,
        coding: Option<Coding>,
        version: &str,
        beginning: impl Future<Output = io::Result<Vec<u8>>>,
    ) -> io::Result<Arc<Opening>> {
        let key = self.of_version(coding, version);
        let make = async {
            let beginning = beginning.await?;
            match coding {
                Some(coding) => self.make(coding, beginning).await,
                None => Ok(Arc::new(Opening::plain(beginning))),
            }
        };
        self.kept.get_or_insert_async(&key, make).await
    }

    /// What [`Openings::open_version`] has made, if it is still kept.
    pub fn kept_version(&self, coding: Option<Coding>, version: &str) -> Option<Arc<Opening>> {
        self.kept.get(&self.of_version(coding, version))
    }

    fn of_version(&self, coding: Option<Coding>, version: &str) -> Key {
        Key {
            hash: xxh3_128_with_seed(version.as_bytes(), self.seed),
            // No content has this length.
            length: usize::MAX,
            coding,
        }
    }

    async fn make(&self, coding: Coding, beginning: Vec<u8>) -> io::Result<Arc<Opening>> {
        metrics::counter!("answers_compressed_total", "coding" => coding.token()).increment(1);
        let opening = if beginning.len() <= AT_ONCE {
            coding.open(&beginning)
        } else {
            let permit = Arc::clone(&self.aside).acquire_owned().await;
            let compress = move || {
                let opening = coding.open(&beginning);
                drop(permit);
                opening
            };
            tokio::task::spawn_blocking(compress).await?
        };
        opening.map(Arc::new)
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::noise;
    use super::*;

    const BEFORE: &[u8] = br#"{"data":"#;

    #[tokio::test]
    async fn a_content_is_compressed_once_for_each_coding() {
        let openings = Openings::default();
        for data in [vec![b'a'; 10], vec![b'b'; 10], vec![b'a'; AT_ONCE + 1]] {
            for coding in Coding::ALL {
                let (first, second) = futures::future::try_join(
                    openings.open(coding, BEFORE, &data),
                    openings.open(coding, BEFORE, &data),
                )
                .await
                .unwrap();
                let third = openings.open(coding, BEFORE, &data).await.unwrap();
                assert!(Arc::ptr_eq(&first, &second) && Arc::ptr_eq(&first, &third));
                let expected = coding.open(&[BEFORE, &data].concat()).unwrap();
                assert_eq!(first.close(b"}"), expected.close(b"}"), "{coding:?}");
            }
        }
    }

    #[tokio::test]
    async fn a_version_is_read_once_for_each_coding_and_once_without() {
        let openings = Openings::default();
        let beginning = [BEFORE, &[b'a'; AT_ONCE]].concat();
        for coding in [None].into_iter().chain(Coding::ALL.map(Some)) {
            let ready = async { Ok(beginning.clone()) };
            let first = openings.open_version(coding, "1", ready).await.unwrap();
            let broken = async { Err(io::Error::other("it is read again")) };
            let second = openings.open_version(coding, "1", broken).await.unwrap();
            assert!(Arc::ptr_eq(&first, &second));
            assert_eq!(second.parts(b"}").concat(), second.close(b"}"));
            let broken = async { Err(io::Error::other("it broke off")) };
            assert!(openings.open_version(coding, "2", broken).await.is_err());
        }
        let plain = async { Ok(beginning.clone()) };
        let plain = openings.open_version(None, "1", plain).await.unwrap();
        assert_eq!(plain.close(b"}"), [&beginning[..], b"}"].concat());
    }

    #[tokio::test]
    async fn the_bytes_that_are_kept_are_bounded() {
        let openings = Openings::default();
        // What cannot be compressed is kept as long as it was.
        let mut data = noise(20 * 1024 * 1024);
        for n in 0..6 {
            data[0] = n;
            openings.open(Coding::Zstd, BEFORE, &data).await.unwrap();
        }
        let kept = openings.kept.weight();
        assert!((20 * 1024 * 1024..=KEPT).contains(&kept), "{kept}");
    }
}
