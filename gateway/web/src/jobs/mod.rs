//! Background jobs, which the leader runs.

pub mod clean_up;
pub mod feed_mails;
pub mod month_use;
pub mod reencryption;

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
