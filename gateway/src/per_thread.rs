//! State that many threads update on every request and that one task collects now and then.

use std::sync::{Mutex, MutexGuard, PoisonError};

use thread_local::ThreadLocal;

/// A `T` for each thread, so that threads do not contend. Its lock is shared only with the collector.
#[derive(Debug, Default)]
pub struct PerThread<T: Send>(ThreadLocal<Shard<T>>);

/// Aligned to cache lines, so that shards do not share one.
#[derive(Debug, Default)]
#[repr(align(128))]
struct Shard<T>(Mutex<T>);

impl<T: Default + Send> PerThread<T> {
    /// Updates this thread's shard, which holds what was added since the last [`PerThread::take`].
    pub fn with<R>(&self, change: impl FnOnce(&mut T) -> R) -> R {
        change(&mut lock(self.0.get_or_default()))
    }

    /// Takes the contents of all shards, one after the other. What a thread adds meanwhile is in this result or in the next one.
    pub fn take(&self) -> impl Iterator<Item = T> {
        let shards = self.0.iter();
        shards.map(|shard| std::mem::take(&mut *lock(shard)))
    }
}

fn lock<T>(shard: &Shard<T>) -> MutexGuard<'_, T> {
    shard.0.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};

    use super::*;

    #[test]
    fn values_of_concurrent_threads_are_taken_exactly_once() {
        const THREADS: usize = 16;
        const EACH: u64 = 20_000;
        let added = PerThread::<u64>::default();
        let done = AtomicBool::new(false);
        let taken = std::thread::scope(|scope| {
            let collector = scope.spawn(|| {
                let mut taken = 0;
                while !done.load(Ordering::Acquire) {
                    taken += added.take().sum::<u64>();
                }
                taken
            });
            let adders: Vec<_> = (0..THREADS)
                .map(|_| {
                    scope.spawn(|| {
                        for _ in 0..EACH {
                            added.with(|sum| *sum += 1);
                        }
                    })
                })
                .collect();
            for adder in adders {
                adder.join().unwrap();
            }
            done.store(true, Ordering::Release);
            collector.join().unwrap()
        });
        let rest: u64 = added.take().sum();
        assert_eq!(taken + rest, THREADS as u64 * EACH);
        assert_eq!(added.take().sum::<u64>(), 0);
    }
}
