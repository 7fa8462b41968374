//! The live and the test dataset are separate.

use sqlx::PgPool;

use crate::support::{File, counts, creator, game, refused, start};

#[testing::database_test(listings::MIGRATOR)]
async fn a_slug_may_exist_in_both_datasets(pool: PgPool) {
    let service = start(pool).await;
    let creators = File::rows("page", &[creator("studio")]);
    let games = File::rows("game", &[game("a-game", "A Game")]);
    for (creators, games) in [(creators.clone(), games.clone()), (creators.test(), games.test())] {
        assert_eq!(counts(&service.import(&creators).await), (1, 0, 0, 0));
        assert_eq!(counts(&service.import(&games).await), (1, 0, 0, 0));
    }
    let crossed = sqlx::query_scalar!(
        r#"select count(*) as "count!" from listings.listing as game join listings.listing as page on page.id = game.page_id
           where page.mode <> game.mode"#
    )
    .fetch_one(&service.pool)
    .await
    .unwrap();
    assert_eq!(crossed, 0);
}

#[testing::database_test(listings::MIGRATOR)]
async fn a_creator_of_the_other_dataset_is_unknown(pool: PgPool) {
    let service = start(pool).await;
    service.import(&File::rows("page", &[creator("studio")])).await;
    let report = service.import(&File::rows("game", &[game("a-game", "A Game")]).test()).await;
    assert_eq!(refused(&report)[&1], ["creator"]);
}
