//! `webhook.listing`.

use std::collections::HashMap;

use sqlx::PgConnection;
use uuid::Uuid;

/// A listing, as a message about it needs to know it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Row {
    pub(crate) kind: &'static str,
    pub(crate) id: Uuid,
    pub(crate) mode: &'static str,
    pub(crate) slug: String,
    pub(crate) name: String,
    pub(crate) url: String,
    pub(crate) published: bool,
    pub(crate) revision: i64,
}

/// Takes listings in, in one statement; of several states of one listing the last counts.
pub(crate) async fn upsert(
    connection: &mut PgConnection,
    epoch: Uuid,
    rows: Vec<Row>,
) -> Result<(), sqlx::Error> {
    // One statement cannot touch a row twice.
    let newest: HashMap<(&str, Uuid), Row> = rows
        .into_iter()
        .map(|row| ((row.kind, row.id), row))
        .collect();
    let rows: Vec<Row> = newest.into_values().collect();
    let column = |of: fn(&Row) -> &str| {
        rows.iter()
            .map(|row| of(row).to_owned())
            .collect::<Vec<_>>()
    };
    sqlx::query!(
        "insert into webhook.listing (epoch, kind, id, mode, slug, name, url, published, revision)
         select $1, * from unnest($2::text[], $3::uuid[], $4::text[], $5::text[], $6::text[], $7::text[],
             $8::boolean[], $9::bigint[])
         on conflict (kind, id) do update set epoch = excluded.epoch, mode = excluded.mode, slug = excluded.slug,
             name = excluded.name, url = excluded.url, published = excluded.published, revision = excluded.revision",
        epoch,
        &column(|row| row.kind),
        &rows.iter().map(|row| row.id).collect::<Vec<_>>(),
        &column(|row| row.mode),
        &column(|row| &row.slug),
        &column(|row| &row.name),
        &column(|row| &row.url),
        &rows.iter().map(|row| row.published).collect::<Vec<_>>(),
        &rows.iter().map(|row| row.revision).collect::<Vec<_>>(),
    )
    .execute(connection)
    .await?;
    Ok(())
}

/// Removes the listings that `epoch` does not know.
pub(crate) async fn sweep(connection: &mut PgConnection, epoch: Uuid) -> Result<(), sqlx::Error> {
    sqlx::query!("delete from webhook.listing where epoch <> $1", epoch)
        .execute(connection)
        .await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use sqlx::PgPool;

    fn row(kind: &'static str, name: &str) -> Row {
        Row {
            kind,
            id: Uuid::from_u128(7),
            mode: "live",
            slug: "slug".to_owned(),
            name: name.to_owned(),
            url: "https://mchezo.example/slug".to_owned(),
            published: true,
            revision: 1,
        }
    }

    #[sqlx::test]
    async fn the_last_state_counts_and_a_sweep_leaves_one_epoch(pool: PgPool) {
        let mut connection = pool.acquire().await.unwrap();
        let (old, new) = (Uuid::from_u128(1), Uuid::from_u128(2));
        let rows = vec![row("game", "a"), row("page", "b"), row("game", "c")];
        upsert(&mut connection, old, rows).await.unwrap();
        upsert(&mut connection, new, vec![row("game", "d")])
            .await
            .unwrap();
        let named = async || {
            sqlx::query_scalar!("select name from webhook.listing order by name")
                .fetch_all(&pool)
                .await
                .unwrap()
        };
        assert_eq!(named().await, ["b", "d"]);
        sweep(&mut connection, new).await.unwrap();
        assert_eq!(named().await, ["d"]);
    }
}
