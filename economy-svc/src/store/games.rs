//! `economy.game`.

use std::collections::HashMap;

use sqlx::PgConnection;
use uuid::Uuid;

/// A game, as the economy needs to know it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Row {
    pub(crate) id: Uuid,
    pub(crate) mode: &'static str,
    pub(crate) slug: String,
    pub(crate) title: String,
    pub(crate) published: bool,
}

/// Takes games in, in one statement; of several states of one game the last counts.
pub(crate) async fn upsert(
    connection: &mut PgConnection,
    epoch: Uuid,
    rows: Vec<Row>,
) -> Result<(), sqlx::Error> {
    // One statement cannot touch a row twice.
    let newest: HashMap<Uuid, Row> = rows.into_iter().map(|row| (row.id, row)).collect();
    let (mut ids, mut modes, mut slugs, mut titles, mut published) =
        (Vec::new(), Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for row in newest.into_values() {
        ids.push(row.id);
        modes.push(row.mode.to_owned());
        slugs.push(row.slug);
        titles.push(row.title);
        published.push(row.published);
    }
    sqlx::query!(
        "insert into economy.game as held (epoch, id, mode, slug, title, published)
         select $1, * from unnest($2::uuid[], $3::text[], $4::text[], $5::text[], $6::boolean[])
         on conflict (id) do update set epoch = excluded.epoch, mode = excluded.mode, slug = excluded.slug,
             title = excluded.title, published = excluded.published
         where (held.epoch, held.mode, held.slug, held.title, held.published)
             is distinct from (excluded.epoch, excluded.mode, excluded.slug, excluded.title, excluded.published)",
        epoch,
        &ids,
        &modes,
        &slugs,
        &titles,
        &published,
    )
    .execute(connection)
    .await?;
    Ok(())
}

/// Removes the games that `epoch` does not know.
pub(crate) async fn sweep(connection: &mut PgConnection, epoch: Uuid) -> Result<(), sqlx::Error> {
    sqlx::query!("delete from economy.game where epoch <> $1", epoch)
        .execute(connection)
        .await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use sqlx::PgPool;

    fn row(id: u128, title: &str) -> Row {
        Row {
            id: Uuid::from_u128(id),
            mode: "live",
            slug: format!("game-{id}"),
            title: title.to_owned(),
            published: true,
        }
    }

    #[sqlx::test]
    async fn the_last_state_counts_and_a_sweep_leaves_one_epoch(pool: PgPool) {
        let mut connection = pool.acquire().await.unwrap();
        let (old, new) = (Uuid::from_u128(1), Uuid::from_u128(2));
        upsert(&mut connection, old, vec![row(1, "a"), row(2, "b")])
            .await
            .unwrap();
        upsert(&mut connection, new, vec![row(2, "c"), row(2, "d")])
            .await
            .unwrap();
        sweep(&mut connection, new).await.unwrap();
        let left = sqlx::query!("select id, title, epoch from economy.game")
            .fetch_all(&pool)
            .await
            .unwrap();
        assert_eq!(left.len(), 1);
        assert_eq!(
            (left[0].id, left[0].title.as_str(), left[0].epoch),
            (Uuid::from_u128(2), "d", new)
        );
    }
}
