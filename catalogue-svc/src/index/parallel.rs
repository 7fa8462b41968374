//! Processes many items on all processors.

use std::num::NonZero;
use std::thread;

/// Fewer items than this are not worth a thread.
const WORTH_A_THREAD: usize = 1_024;

/// Calls `work` with consecutive parts of `items`, one for each processor, at the same time. The results are in the order of the parts.
pub(super) fn parallel<T: Send, R: Send>(
    mut items: Vec<T>,
    weight: impl Fn(&[T]) -> usize,
    work: impl Fn(Vec<T>) -> R + Sync,
) -> Vec<R> {
    let processors = thread::available_parallelism().map_or(1, NonZero::get);
    let count = processors.min(weight(&items) / WORTH_A_THREAD + 1);
    let size = items.len().div_ceil(count).max(1);
    let mut parts = Vec::with_capacity(count);
    while items.len() > size {
        let rest = items.split_off(size);
        parts.push(std::mem::replace(&mut items, rest));
    }
    parts.push(items);
    thread::scope(|scope| {
        let work = &work;
        let parts = parts.into_iter();
        let threads: Vec<_> = parts.map(|part| scope.spawn(|| work(part))).collect();
        let results = threads.into_iter().map(thread::ScopedJoinHandle::join);
        results
            .map(|result| result.unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
            .collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_consecutive_and_lose_nothing() {
        for length in [0, 1, 5_000] {
            let items: Vec<u32> = (0..length).collect();
            let parts = parallel(items.clone(), <[u32]>::len, |part| part);
            assert_eq!(parts.concat(), items);
        }
    }
}
