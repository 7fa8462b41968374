//! State that many threads update on every request and that one task collects now and then.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::available_parallelism;

/// The number of the next thread that uses a shard.
static NEXT: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    static NUMBER: usize = NEXT.fetch_add(1, Ordering::Relaxed);
}

/// `T`, sharded by thread.
///
/// A thread always uses the same shard, so threads do not contend. A shard's lock is shared only with the collector, and with
/// another thread if there are more threads than twice the number of cores.
#[derive(Debug)]
pub struct PerThread<T> {
    shards: Box<[Shard<T>]>,
}

/// Aligned to cache lines, so that shards do not share one.
#[derive(Debug, Default)]
#[repr(align(128))]
struct Shard<T>(Mutex<T>);

impl<T: Default> Default for PerThread<T> {
    fn default() -> Self {
        let cores = available_parallelism().map_or(1, usize::from);
        Self {
            // Twice the cores: blocking work has threads besides those of the runtime.
            shards: (0..cores * 2).map(|_| Shard::default()).collect(),
        }
    }
}

impl<T: Default> PerThread<T> {
    /// Updates this thread's shard, which holds what was added since the last [`PerThread::take`].
    pub fn with<R>(&self, change: impl FnOnce(&mut T) -> R) -> R {
        let number = NUMBER.with(|number| *number);
        change(&mut lock(&self.shards[number % self.shards.len()]))
    }

    /// Takes the contents of all shards, one after the other. What a thread adds meanwhile is in this result or in the next one.
    pub fn take(&self) -> impl Iterator<Item = T> {
        self.shards
            .iter()
            .map(|shard| std::mem::take(&mut *lock(shard)))
    }
}

fn lock<T>(shard: &Shard<T>) -> MutexGuard<'_, T> {
    shard.0.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

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

    #[test]
    fn two_threads_do_not_share_a_shard() {
        let added = PerThread::<Vec<usize>>::default();
        let number = || NUMBER.with(|number| *number);
        let numbers = std::thread::scope(|scope| {
            let both = [scope.spawn(number), scope.spawn(number)];
            both.map(|thread| thread.join().unwrap())
        });
        assert_ne!(numbers[0], numbers[1]);
        added.with(|shard| shard.push(1));
        added.with(|shard| shard.push(2));
        let shards: Vec<Vec<usize>> = added.take().filter(|shard| !shard.is_empty()).collect();
        assert_eq!(shards, [vec![1, 2]], "a thread always uses one shard");
    }
}
