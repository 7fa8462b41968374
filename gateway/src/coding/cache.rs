//! A cache of encoded prefixes. Each content is compressed once, however many clients ask for it, even concurrently.

use std::collections::hash_map::RandomState;
use std::hash::BuildHasher as _;
use std::io;
use std::sync::Arc;

use quick_cache::Weighter;
use quick_cache::sync::Cache;
use tokio::sync::Semaphore;
use xxhash_rust::xxh3::xxh3_128_with_seed;

use super::{Coding, EncodedPrefix};

/// Size of the cache in bytes: about 19,000 pages of twenty rows. Frequently used entries stay.
const MAX_BYTES: u64 = 48 * 1024 * 1024;
/// Prefixes of up to this many bytes are compressed where the request runs, which takes a fraction of a millisecond. Larger ones go
/// to a blocking thread, so that other requests do not wait.
const MAX_INLINE: usize = 16 * 1024;

/// Sizes the cache's shards. The fewer items, the fewer shards, and the larger an entry may be: half a shard.
const EXPECTED_ITEMS: usize = 64;

#[derive(Debug)]
pub struct EncodedPrefixCache {
    cache: Cache<Key, Arc<EncodedPrefix>, BySize>,
    /// Limits concurrent compressions on blocking threads to half of the cores.
    blocking_permits: Arc<Semaphore>,
    /// The seed is random and secret, so that nobody can construct two contents with one hash.
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

impl Weighter<Key, Arc<EncodedPrefix>> for BySize {
    fn weight(&self, _: &Key, encoded: &Arc<EncodedPrefix>) -> u64 {
        u64::try_from(size_of::<Key>() + encoded.size()).unwrap_or(u64::MAX)
    }
}

impl Default for EncodedPrefixCache {
    fn default() -> Self {
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        Self {
            cache: Cache::with_weighter(EXPECTED_ITEMS, MAX_BYTES, BySize),
            blocking_permits: Arc::new(Semaphore::new((processors / 2).max(1))),
            seed: RandomState::new().hash_one(MAX_BYTES),
        }
    }
}

impl EncodedPrefixCache {
    /// The encoded `before` and `data`. `before` must be the same in all calls.
    ///
    /// # Errors
    /// See [`Coding::encode_prefix`].
    pub async fn get_or_encode(
        &self,
        coding: Coding,
        before: &[u8],
        data: &[u8],
    ) -> io::Result<Arc<EncodedPrefix>> {
        let key = Key {
            hash: xxh3_128_with_seed(data, self.seed),
            length: data.len(),
            coding: Some(coding),
        };
        if let Some(encoded) = self.cache.get(&key) {
            return Ok(encoded);
        }
        let encode = self.encode(coding, [before, data].concat());
        self.cache.get_or_insert_async(&key, encode).await
    }

    /// The encoded prefix of content that is named by a `version`. `prefix` is awaited only if the cache lacks the version.
    /// Without a coding the prefix is cached as it is.
    ///
    /// # Errors
    /// Those of `prefix`, which leave the cache as it is, and see [`Coding::encode_prefix`].
    pub async fn get_or_encode_version<E: From<io::Error>>(
        &self,
        coding: Option<Coding>,
        version: &str,
        prefix: impl Future<Output = Result<Vec<u8>, E>>,
    ) -> Result<Arc<EncodedPrefix>, E> {
        let key = Key {
            hash: xxh3_128_with_seed(version.as_bytes(), self.seed),
            // Distinguishes versions from contents: no content has this length.
            length: usize::MAX,
            coding,
        };
        let encode = async {
            let prefix = prefix.await?;
            match coding {
                Some(coding) => Ok(self.encode(coding, prefix).await?),
                None => Ok(Arc::new(EncodedPrefix::identity(prefix))),
            }
        };
        self.cache.get_or_insert_async(&key, encode).await
    }

    async fn encode(&self, coding: Coding, prefix: Vec<u8>) -> io::Result<Arc<EncodedPrefix>> {
        metrics::counter!("answers_compressed_total", "coding" => coding.token()).increment(1);
        let encoded = if prefix.len() <= MAX_INLINE {
            coding.encode_prefix(&prefix)
        } else {
            let permit = Arc::clone(&self.blocking_permits).acquire_owned().await;
            let compress = move || {
                let encoded = coding.encode_prefix(&prefix);
                drop(permit);
                encoded
            };
            tokio::task::spawn_blocking(compress).await?
        };
        encoded.map(Arc::new)
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::noise;
    use super::*;

    const BEFORE: &[u8] = br#"{"data":"#;

    #[tokio::test]
    async fn content_is_compressed_once_per_coding() {
        let encoded_prefixes = EncodedPrefixCache::default();
        for data in [vec![b'a'; 10], vec![b'b'; 10], vec![b'a'; MAX_INLINE + 1]] {
            for coding in Coding::ALL {
                let (first, second) = futures::future::try_join(
                    encoded_prefixes.get_or_encode(coding, BEFORE, &data),
                    encoded_prefixes.get_or_encode(coding, BEFORE, &data),
                )
                .await
                .unwrap();
                let third = encoded_prefixes
                    .get_or_encode(coding, BEFORE, &data)
                    .await
                    .unwrap();
                assert!(Arc::ptr_eq(&first, &second) && Arc::ptr_eq(&first, &third));
                let expected = coding.encode_prefix(&[BEFORE, &data].concat()).unwrap();
                assert_eq!(first.finish(b"}"), expected.finish(b"}"), "{coding:?}");
            }
        }
    }

    #[tokio::test]
    async fn a_version_is_read_once_per_coding_and_once_without() {
        let encoded_prefixes = EncodedPrefixCache::default();
        let prefix = [BEFORE, &[b'a'; MAX_INLINE]].concat();
        for coding in [None].into_iter().chain(Coding::ALL.map(Some)) {
            let ready = async { Ok::<_, io::Error>(prefix.clone()) };
            let first = encoded_prefixes
                .get_or_encode_version(coding, "1", ready)
                .await
                .unwrap();
            let broken = async { Err(io::Error::other("it is read again")) };
            let second = encoded_prefixes
                .get_or_encode_version(coding, "1", broken)
                .await
                .unwrap();
            assert!(Arc::ptr_eq(&first, &second));
            assert_eq!(second.segments(b"}").concat(), second.finish(b"}"));
            let broken = async { Err(io::Error::other("it broke off")) };
            assert!(
                encoded_prefixes
                    .get_or_encode_version(coding, "2", broken)
                    .await
                    .is_err()
            );
        }
        let plain = async { Ok::<_, io::Error>(prefix.clone()) };
        let plain = encoded_prefixes
            .get_or_encode_version(None, "1", plain)
            .await
            .unwrap();
        assert_eq!(plain.finish(b"}"), [&prefix[..], b"}"].concat());
    }

    #[tokio::test]
    async fn the_cache_is_limited_in_bytes() {
        let encoded_prefixes = EncodedPrefixCache::default();
        // Noise cannot be compressed.
        let mut data = noise(20 * 1024 * 1024);
        for n in 0..6 {
            data[0] = n;
            encoded_prefixes
                .get_or_encode(Coding::Zstd, BEFORE, &data)
                .await
                .unwrap();
        }
        let bytes = encoded_prefixes.cache.weight();
        assert!((20 * 1024 * 1024..=MAX_BYTES).contains(&bytes), "{bytes}");
    }
}
