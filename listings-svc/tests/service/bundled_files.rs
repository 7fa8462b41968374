//! Imports of the bundled files and of the real directory.

use listings::samples::{self, NUMBER, SAMPLE_FILES};
use sqlx::PgPool;
use sqlx::postgres::PgPoolOptions;

use crate::support::{File, counts, refused, start, while_open};

fn directory(file: &str, entity: &str) -> File {
    let path = format!("{}/../deploy/data/{file}.ndjson", env!("CARGO_MANIFEST_DIR"));
    File::new(entity, &std::fs::read_to_string(path).unwrap())
}

#[testing::database_test(listings::MIGRATOR)]
async fn the_bundled_files_and_the_real_directory_are_imported(pool: PgPool) {
    let service = start(pool.clone()).await;
    samples::load(pool.clone()).await.unwrap();
    let bundled: usize = SAMPLE_FILES.iter().map(|file| file.text.lines().count()).sum();
    let seq = service.head().await;
    assert_eq!(usize::try_from(seq), Ok(bundled), "no row that ships is refused");

    let creators = directory("creators", "page");
    let games = directory("games", "game");
    let without_year = directory("games-without-year", "game");
    let events = directory("events", "event");
    let incomplete = directory("events-incomplete", "event");
    assert_eq!(counts(&service.import(&creators).await), (250, 0, 0, 0));
    assert_eq!(counts(&service.import(&games).await), (91, 0, 0, 0));
    assert_eq!(counts(&service.import(&events).await), (45, 0, 0, 0));

    let report = service.import(&without_year).await;
    assert_eq!(counts(&report), (0, 0, 0, 119));
    assert!(refused(&report).values().all(|fields| fields == &["release_year"]));
    assert_eq!(report.refused[0].name, "aboki-run");
    let report = service.import(&incomplete).await;
    assert_eq!(counts(&report), (0, 0, 0, 9));
    for fields in refused(&report).values() {
        assert!(fields.iter().all(|f| f == "city" || f == "starts_at"), "{fields:?}");
    }

    let (seq, revisions) = (service.head().await, service.revisions().await);
    set_number(&pool, 0).await;
    samples::load(pool).await.unwrap();
    assert_eq!(counts(&service.import(&creators).await), (0, 0, 250, 0));
    assert_eq!(counts(&service.import(&games).await), (0, 0, 91, 0));
    assert_eq!(counts(&service.import(&events).await), (0, 0, 45, 0));
    assert_eq!(service.head().await, seq, "the same again is no change");
    assert_eq!(service.revisions().await, revisions);
    assert_eq!(revisions, 28 + 72 + 14 + 250 + 91 + 45);
}

/// Sets which samples the database has.
async fn set_number(pool: &PgPool, number: i32) {
    sqlx::query!("update listings.sample_release set number = $1", number)
        .execute(pool)
        .await
        .unwrap();
}

async fn number(pool: &PgPool) -> i32 {
    let number = sqlx::query_scalar!("select number from listings.sample_release");
    number.fetch_one(pool).await.unwrap()
}

/// The name of the page of the first sample.
async fn name_of_first(pool: &PgPool) -> String {
    let name = sqlx::query_scalar!(
        r#"select content ->> 'name' as "name!" from listings.listing where entity = 'page' and mode = 'test' order by id limit 1"#
    );
    name.fetch_one(pool).await.unwrap()
}

#[testing::database_test(listings::MIGRATOR)]
async fn samples_that_staff_import_last_until_a_release_with_a_higher_number(pool: PgPool) {
    let service = start(pool.clone()).await;
    samples::load(pool.clone()).await.unwrap();
    assert_eq!(number(&pool).await, NUMBER);
    let bundled = name_of_first(&pool).await;

    let first = SAMPLE_FILES[0].text.lines().next().unwrap();
    let mut row: serde_json::Value = serde_json::from_str(first).unwrap();
    row["name"] = "Ours".into();
    let report = service.import(&File::rows("page", &[row]).test()).await;
    assert_eq!(counts(&report), (0, 1, 0, 0));
    let head = service.head().await;
    // The same release, and one before it that comes back.
    for loaded in [NUMBER, NUMBER + 1] {
        set_number(&pool, loaded).await;
        samples::load(pool.clone()).await.unwrap();
        assert_eq!(number(&pool).await, loaded);
        assert_eq!((name_of_first(&pool).await.as_str(), service.head().await), ("Ours", head));
    }
    // The next release.
    set_number(&pool, NUMBER - 1).await;
    samples::load(pool.clone()).await.unwrap();
    assert_eq!((name_of_first(&pool).await, number(&pool).await), (bundled, NUMBER));
    assert_eq!(service.head().await, head + 1);
}

#[testing::database_test(listings::MIGRATOR)]
async fn one_of_several_processes_loads_the_samples(pool: PgPool) {
    let service = start(pool.clone()).await;
    // Each process has a pool of its own.
    let pools = [(); 4].map(|()| {
        let options = PgPoolOptions::new().max_connections(2);
        options.connect_lazy_with((*pool.connect_options()).clone())
    });
    let loading = pools.map(samples::load);
    for loaded in futures::future::join_all(loading).await {
        loaded.unwrap();
    }
    let bundled: usize = SAMPLE_FILES.iter().map(|file| file.text.lines().count()).sum();
    assert_eq!(usize::try_from(service.head().await), Ok(bundled));
    // A process that begins while another one loads waits for it, and then has nothing to do.
    set_number(&pool, NUMBER - 1).await;
    let mut loading = pool.begin().await.unwrap();
    sqlx::query!("update listings.sample_release set number = $1", NUMBER)
        .execute(&mut *loading)
        .await
        .unwrap();
    let name = "update listings.listing set content = jsonb_set(content, '{name}', '\"Ours\"') where entity = 'page'";
    sqlx::raw_sql(name).execute(&pool).await.unwrap();
    Box::pin(while_open(&pool, loading, samples::load(pool.clone()))).await.unwrap();
    assert_eq!(name_of_first(&pool).await, "Ours");
}

/// A later release has put a sample into a state that this one does not know.
#[testing::database_test(listings::MIGRATOR)]
async fn a_sample_that_cannot_be_read_stops_no_other(pool: PgPool) {
    let _service = start(pool.clone()).await;
    samples::load(pool.clone()).await.unwrap();
    sqlx::raw_sql(
        "alter table listings.listing drop constraint listing_state;
         update listings.listing set content = jsonb_set(content, '{description}', '\"Ours\"') where entity <> 'page';
         update listings.listing set state = 'archived'
         where id = (select id from listings.listing where entity = 'event' order by id limit 1);
         update listings.sample_release set number = 0",
    )
    .execute(&pool)
    .await
    .unwrap();
    samples::load(pool.clone()).await.unwrap();
    assert_eq!(number(&pool).await, NUMBER);
    let ours = sqlx::query_scalar!(
        r#"select count(*) as "count!" from listings.listing where content ->> 'description' = 'Ours'"#
    );
    assert_eq!(ours.fetch_one(&pool).await.unwrap(), 1, "the archived one");
}
