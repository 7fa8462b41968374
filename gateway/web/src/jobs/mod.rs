//! Background jobs, which the leader runs.

pub mod clean_up;
pub mod feed_mails;
pub mod month_use;
pub mod reencryption;

use std::collections::BTreeSet;
use std::time::Duration;

use kit::jobs::Leader;
use time::OffsetDateTime;

use crate::app::App;

const MINUTE: Duration = Duration::from_mins(1);
const HOUR: Duration = Duration::from_hours(1);

/// Adds all jobs.
pub fn spawn(leader: &Leader, app: &App) {
    let jobs = Jobs { leader, app };
    jobs.spawn("clean up", HOUR, |app, now| async move { clean_up::run(&app, now).await });
    jobs.spawn("re-encryption", HOUR, |app, _| async move {
        reencryption::run(&app.pool, &app.key_ring).await
    });
    jobs.spawn("feed mails", MINUTE, |app, now| async move { feed_mails::run(&app, now).await });
    jobs.spawn("month use", MINUTE, |app, now| async move { month_use::run(&app, now).await });
}

/// The results of the parts of a run. A part that fails does not stop the others.
#[derive(Debug, Default)]
struct RunResults {
    done: u64,
    /// The errors, each once: an unavailable service fails many results.
    errors: BTreeSet<String>,
}

impl RunResults {
    fn add(&mut self, result: anyhow::Result<u64>) {
        match result {
            Ok(done) => self.done += done,
            Err(error) => {
                self.errors.insert(format!("{error:#}"));
            }
        }
    }

    /// The result of the run: what is done, or all errors.
    fn result(self) -> anyhow::Result<u64> {
        if self.errors.is_empty() {
            return Ok(self.done);
        }
        let errors: Vec<String> = self.errors.into_iter().collect();
        Err(anyhow::Error::msg(errors.join("; ")))
    }
}

struct Jobs<'a> {
    leader: &'a Leader,
    app: &'a App,
}

impl Jobs<'_> {
    fn spawn<F>(
        &self,
        name: &'static str,
        interval: Duration,
        work: impl Fn(App, OffsetDateTime) -> F + Clone + Send + Sync + 'static,
    ) where
        F: Future<Output = anyhow::Result<u64>> + Send + 'static,
    {
        let app = App::clone(self.app);
        self.leader.spawn_periodic(name, interval, move |now| work(App::clone(&app), now));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_reports_every_error_once() {
        let mut results = RunResults::default();
        results.add(Ok(2));
        for error in ["second", "first", "second"] {
            results.add(Err(anyhow::Error::msg(error)));
        }
        let error = results.result().unwrap_err();
        assert_eq!(error.to_string(), "first; second");
        let mut results = RunResults::default();
        results.add(Ok(2));
        results.add(Ok(1));
        assert_eq!(results.result().unwrap(), 3);
    }
}
