//! A change that cannot be applied is skipped. The changes after it are applied.

use sqlx::PgPool;

use super::support::Fixture;

#[testing::database_test]
async fn a_change_that_cannot_be_decoded_does_not_stop_the_next_ones(pool: PgPool) {
    let fixture = Fixture::start(&pool).await;
    fixture.follow();
    fixture.caught_up().await;
    for id in ["a", "poison", "b"] {
        fixture.set(id).await;
    }
    fixture.caught_up().await;
    let expected = [("a".to_owned(), 1), ("b".to_owned(), 1)];
    assert_eq!(fixture.mirror().await, expected);
}

#[testing::database_test]
async fn refused_data_does_not_stop_the_other_changes_of_the_batch(pool: PgPool) {
    let fixture = Fixture::start(&pool).await;
    sqlx::raw_sql("alter table kit.mirror add constraint short check (length(id) < 5)")
        .execute(&pool)
        .await
        .unwrap();
    for id in ["a", "too-long", "b"] {
        fixture.set(id).await;
    }
    fixture.follow();
    fixture.caught_up().await;
    let expected = [("a".to_owned(), 1), ("b".to_owned(), 1)];
    assert_eq!(fixture.mirror().await, expected);
}
