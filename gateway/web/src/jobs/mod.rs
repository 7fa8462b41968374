//! Background jobs. Each runs in one replica at a time.

pub mod expiring_keys;
pub mod month_use;
pub mod revoke_tokens;

use std::time::Duration;

use kit::periodic::Periodic;
use kit::{Clock, Lifecycle};
use sqlx::PgPool;

use crate::SCHEMA;
use crate::app::App;
use crate::store::{activity, links, note_notices};

/// Removes links that have expired, activity that is older than a year, and records of mails of earlier days.
pub fn clean_up(lifecycle: &Lifecycle, pool: &PgPool, clock: &Clock) {
    let hour = Duration::from_hours(1);
    let job = Periodic::new(pool.clone(), SCHEMA, "clean up", hour, clock.clone());
    let pool = pool.clone();
    job.spawn(lifecycle, move |now| {
        let pool = pool.clone();
        async move {
            let links = links::remove_expired(&pool, now).await?;
            let yesterday = now.date() - time::Duration::DAY;
            let notices = note_notices::remove_before(&pool, yesterday).await?;
            Ok(links + notices + activity::remove_old(&pool, now).await?)
        }
    });
}

/// Announces keys that expire soon.
pub fn announce_expiring_keys(lifecycle: &Lifecycle, app: &App) {
    let hours = Duration::from_hours(6);
    let (pool, clock) = (app.pool.clone(), app.clock.clone());
    let job = Periodic::new(pool, SCHEMA, "expiring keys", hours, clock);
    let app = App::clone(app);
    job.spawn(lifecycle, move |now| {
        let app = App::clone(&app);
        async move { expiring_keys::run(&app, now).await }
    });
}

/// Mails the people of an account that has used a large share of its month.
pub fn announce_month_use(lifecycle: &Lifecycle, app: &App) {
    let minute = Duration::from_mins(1);
    let (pool, clock) = (app.pool.clone(), app.clock.clone());
    let job = Periodic::new(pool, SCHEMA, "month use", minute, clock);
    let app = App::clone(app);
    job.spawn(lifecycle, move |now| {
        let app = App::clone(&app);
        async move { month_use::run(&app, now).await }
    });
}

/// Revokes account tokens that could not be revoked when their maker lost the role for them.
pub fn revoke_waiting_tokens(lifecycle: &Lifecycle, app: &App) {
    let minute = Duration::from_mins(1);
    let (pool, clock) = (app.pool.clone(), app.clock.clone());
    let job = Periodic::new(pool, SCHEMA, "revoke tokens", minute, clock);
    let app = App::clone(app);
    job.spawn(lifecycle, move |_| {
        let app = App::clone(&app);
        async move { revoke_tokens::run(&app).await }
    });
}
