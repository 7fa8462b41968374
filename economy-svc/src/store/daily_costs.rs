//! What the baskets of games cost day by day.

use sqlx::PgPool;
use time::OffsetDateTime;

use super::has_nul;

/// The days before now.
const DAYS: i32 = 30;

/// The costs of a game's basket.
#[derive(Debug)]
pub struct DailyCosts {
    pub slug: String,
    /// The cost at the same time of each day, the oldest first; 0 before the first report in the present unit. A float holds each exactly.
    pub costs: Vec<f64>,
}

/// The costs of the baskets of listed games, by slug.
pub async fn list(
    pool: &PgPool,
    mut slugs: Vec<String>,
    now: OffsetDateTime,
) -> Result<Vec<DailyCosts>, sqlx::Error> {
    slugs.retain(|slug| !has_nul(slug));
    sqlx::query_as!(
        DailyCosts,
        r#"select game.slug, array_agg(coalesce(counted.cost, 0)::double precision order by day.past desc) as "costs!"
           from economy.game join economy.currency on currency.game_id = game.id
           left join economy.current_unit as unit on unit.game_id = game.id
           cross join generate_series(0, $2::integer) as day (past)
           left join lateral (
               select cost from economy.report
               where game_id = game.id and counted and at <= $3::timestamptz - day.past * interval '24 hours'
                   and at >= coalesce(unit.since, '-infinity')
               order by at desc, id desc limit 1
           ) as counted on true
           where mode = 'live' and published and slug = any ($1)
           group by game.id order by game.slug"#,
        &slugs,
        DAYS,
        now
    )
    .fetch_all(pool)
    .await
}
