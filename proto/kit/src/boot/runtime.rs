//! The runtime of a process.

use anyhow::Context as _;

/// Runs `work` on a runtime with a thread for each core.
pub(crate) fn block_on(work: impl Future<Output = anyhow::Result<()>>) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .context("cannot create the runtime")?;
    let ended = runtime.block_on(work);
    // A blocking call that has not returned, such as a look-up of a name, must not delay the end of the process.
    runtime.shutdown_background();
    ended
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;
    use std::thread;

    use tokio::sync::oneshot;

    use super::*;

    #[test]
    fn a_blocking_call_does_not_delay_the_end() {
        let (release, blocked) = mpsc::channel::<()>();
        let (started, has_started) = oneshot::channel();
        let work = async {
            drop(tokio::task::spawn_blocking(move || {
                started.send(()).unwrap();
                // Blocks until `release` is dropped.
                blocked.recv()
            }));
            has_started.await.context("the call has not started")
        };
        let (end, ended) = mpsc::channel();
        let process = thread::spawn(move || end.send(block_on(work)));
        let result = ended.recv_timeout(testing::LONG);
        assert!(matches!(result, Ok(Ok(()))), "{result:?}");
        drop(release);
        process.join().unwrap().unwrap();
    }
}
