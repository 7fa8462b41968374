//! The same rows in PostgreSQL, found by the trigrams that they share with a question.

use sqlx::{Connection as _, PgConnection};

use super::FIRST;
use super::directory::Row;
use super::questions::folded;

/// A row needs this much, as `pg_trgm.similarity_threshold` has it.
const THRESHOLD: f32 = 0.3;

/// A table of the rows, which ends with its connection.
pub(super) struct PgTrgm(PgConnection);

#[expect(
    clippy::disallowed_methods,
    reason = "a table of this benchmark alone, which no checked query can know"
)]
impl PgTrgm {
    /// Rows without case and diacritics, as catalogue-svc compares them.
    pub(super) async fn of(database_url: &str, rows: &[Row]) -> Self {
        let mut connection = PgConnection::connect(database_url).await.unwrap();
        let table = "create extension if not exists pg_trgm;
             create temporary table row (address text, name text, whole text)";
        sqlx::raw_sql(table).execute(&mut connection).await.unwrap();
        let column = |text: fn(&Row) -> String| rows.iter().map(text).collect::<Vec<_>>();
        sqlx::query("insert into row select * from unnest($1::text[], $2::text[], $3::text[])")
            .bind(column(|row| row.address.clone()))
            .bind(column(|row| folded(&row.name)))
            .bind(column(|row| folded(&format!("{} {}", row.name, row.rest))))
            .execute(&mut connection)
            .await
            .unwrap();
        Self(connection)
    }

    /// By how alike the whole texts are, the name alone or with maker or city.
    pub(super) async fn by_similarity(&mut self, q: &str) -> Vec<String> {
        let query = "select address
             from row, lateral (select greatest(similarity(name, $1), similarity(whole, $1)) as score) as scored
             where score >= $2
             order by score desc, address limit $3";
        self.ask(query, q).await
    }

    /// By how alike the question is to a part of the text; of equals, by how alike the whole texts are.
    pub(super) async fn by_word_similarity(&mut self, q: &str) -> Vec<String> {
        let query = "select address
             from row, lateral (select word_similarity($1, whole) as score) as scored
             where score >= $2
             order by score desc, similarity(whole, $1) desc, address limit $3";
        self.ask(query, q).await
    }

    async fn ask(&mut self, query: &'static str, q: &str) -> Vec<String> {
        let query = sqlx::query_scalar(query).bind(folded(q)).bind(THRESHOLD);
        let query = query.bind(i64::from(FIRST));
        query.fetch_all(&mut self.0).await.unwrap()
    }
}
