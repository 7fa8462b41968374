//! Imports of the bundled files and of the real directory.

use listings::jobs::samples::{self, SAMPLE_FILES};
use sqlx::PgPool;

use crate::support::{File, counts, refused, start};

fn directory(file: &str, entity: &str) -> File {
    let path = format!("{}/../deploy/data/{file}.ndjson", env!("CARGO_MANIFEST_DIR"));
    File::new(entity, &std::fs::read_to_string(path).unwrap())
}

#[testing::database_test(listings::MIGRATOR)]
async fn the_bundled_files_and_the_real_directory_are_imported(pool: PgPool) {
    let service = start(pool).await;
    samples::import(&service.importer).await.unwrap();
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
    samples::import(&service.importer).await.unwrap();
    assert_eq!(counts(&service.import(&creators).await), (0, 0, 250, 0));
    assert_eq!(counts(&service.import(&games).await), (0, 0, 91, 0));
    assert_eq!(counts(&service.import(&events).await), (0, 0, 45, 0));
    assert_eq!(service.head().await, seq, "the same again is no change");
    assert_eq!(service.revisions().await, revisions);
    assert_eq!(revisions, 28 + 72 + 14 + 250 + 91 + 45);
}

/// After a rollback too, the samples are those of the version that started last.
#[testing::database_test(listings::MIGRATOR)]
async fn each_start_imports_what_differs_from_the_sample_files(pool: PgPool) {
    let service = start(pool.clone()).await;
    samples::import(&service.importer).await.unwrap();
    let other = "update listings.listing set content = jsonb_set(content, '{name}', '\"Other\"') where entity = 'page'";
    let other = sqlx::raw_sql(other).execute(&pool).await.unwrap();
    let seq = service.head().await;
    let starts = [(); 4].map(|()| samples::import(&service.importer));
    for started in futures::future::join_all(starts).await {
        started.unwrap();
    }
    let written = service.head().await - seq;
    assert_eq!(u64::try_from(written), Ok(other.rows_affected()));
}
