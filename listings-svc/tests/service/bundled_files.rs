//! Imports of the bundled files and of the real directory.

use listings::jobs::startup::{BUNDLED_FILES, BundledImport, import_bundled_files};
use sqlx::PgPool;
use tokio_util::sync::CancellationToken;

use crate::support::{File, counts, refused, start};

fn directory(file: &str, entity: &str) -> File {
    let path = format!(
        "{}/../deploy/data/{file}.ndjson",
        env!("CARGO_MANIFEST_DIR")
    );
    File::new(entity, &std::fs::read_to_string(path).unwrap())
}

#[testing::database_test(listings::MIGRATOR)]
async fn the_bundled_files_and_the_real_directory_are_imported(pool: PgPool) {
    let service = start(pool).await;
    import_bundled_files(&service.importer).await.unwrap();
    let bundled: usize = BUNDLED_FILES
        .iter()
        .map(|file| file.text.lines().count())
        .sum();
    let seq = service.head().await;
    assert_eq!(
        usize::try_from(seq),
        Ok(bundled),
        "no row that ships is refused"
    );

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
    assert!(
        refused(&report)
            .values()
            .all(|fields| fields == &["release_year"])
    );
    assert_eq!(report.refused[0].name, "aboki-run");
    let report = service.import(&incomplete).await;
    assert_eq!(counts(&report), (0, 0, 0, 9));
    for fields in refused(&report).values() {
        assert!(
            fields.iter().all(|f| f == "city" || f == "starts_at"),
            "{fields:?}"
        );
    }

    let (seq, revisions) = (service.head().await, service.revisions().await);
    import_bundled_files(&service.importer).await.unwrap();
    assert_eq!(counts(&service.import(&creators).await), (0, 0, 250, 0));
    assert_eq!(counts(&service.import(&games).await), (0, 0, 91, 0));
    assert_eq!(counts(&service.import(&events).await), (0, 0, 45, 0));
    assert_eq!(service.head().await, seq, "the same again is no change");
    assert_eq!(service.revisions().await, revisions);
    assert_eq!(revisions, 28 + 72 + 14 + 250 + 91 + 45);
}

#[testing::database_test(listings::MIGRATOR)]
async fn bundled_files_are_imported_once_a_version_and_never_by_an_older_one(pool: PgPool) {
    let service = start(pool.clone()).await;
    let import = BundledImport {
        pool: pool.clone(),
        clock: service.clock.clone(),
        importer: service.importer.clone(),
    };
    let run = async || import.run_once(&CancellationToken::new()).await;
    run().await;
    assert!(service.head().await > 0);
    let alter = async |statement| {
        sqlx::raw_sql(statement).execute(&pool).await.unwrap();
        let seq = service.head().await;
        run().await;
        service.head().await > seq
    };
    // Another version may have imported the row differently.
    let other = "update listings.listing set content = jsonb_set(content, '{name}', '\"Other\"') where entity = 'page'";
    assert!(!alter(other).await, "it is done");
    assert!(!alter("update listings.start_work set version = version + 1, input = 'newer'").await);
    assert!(alter("update listings.start_work set version = version - 2").await);
}
