//! The rows of an import.

use kit::Fault;
use serde_json::json;
use sqlx::PgPool;

use crate::support::{File, counts, creator, game, refused, start};

#[testing::database_test(listings::MIGRATOR)]
async fn bad_rows_are_reported_and_the_rest_are_loaded(pool: PgPool) {
    let service = start(pool).await;
    let text = [
        creator("first").to_string(),
        "{ not json".to_owned(),
        String::new(),
        "[1, 2]".to_owned(),
        json!({"handle": "No Good", "nmae": "x", "kind": "band", "country_code": "FR"}).to_string(),
        format!(r#"{{"handle": "{}"}}"#, "x".repeat(1024 * 1024)),
        r#"{"handle": "nul\u0000", "\u0000": "\u0000", "name": "\u0000"}"#.to_owned(),
        creator("last").to_string(),
    ]
    .join("\n");
    let report = service.import(&File::new("page", &text)).await;
    assert_eq!(counts(&report), (2, 0, 0, 5));
    let refused = refused(&report);
    assert_eq!(refused[&2], ["row"]);
    assert_eq!(refused[&4], ["row"]);
    assert_eq!(refused[&5], ["country_code", "handle", "kind", "name", "nmae"]);
    assert_eq!(refused[&6], ["row"]);
    assert_eq!(report.refused[2].name, "No Good");
    assert!(report.refused[2].fields["nmae"].contains("`name`"));
}

#[testing::database_test(listings::MIGRATOR)]
async fn a_row_dated_in_the_future_is_refused(pool: PgPool) {
    let service = start(pool).await;
    let row = |handle: &str, created: &str, updated: &str| {
        let mut row = creator(handle);
        row["created_at"] = json!(created);
        row["updated_at"] = json!(updated);
        row
    };
    let (past, now, soon) =
        ("2026-05-01T00:00:00Z", "2026-06-01T12:00:00Z", "2026-06-01T12:00:00.001Z");
    let rows = [row("good", past, now), row("bad", past, soon), row("worse", soon, soon)];
    let report = service.import(&File::rows("page", &rows)).await;
    assert_eq!(counts(&report), (1, 0, 0, 2));
    let refused = refused(&report);
    assert_eq!(refused[&2], ["updated_at"]);
    assert_eq!(refused[&3], ["created_at", "updated_at"]);
}

#[testing::database_test(listings::MIGRATOR)]
async fn unsupported_json_values_are_named(pool: PgPool) {
    let service = start(pool).await;
    let text = "{\"handle\": \"a\", \"name\": 1e400}\n{\"handle\": \"b\", \"name\": \"\\ud800\"}";
    let report = service.import(&File::new("page", text)).await;
    let reasons: Vec<&String> = (report.refused.iter()).map(|row| &row.fields["name"]).collect();
    assert!(reasons[0].contains("too large"), "{reasons:?}");
    assert!(reasons[1].contains("surrogate"), "{reasons:?}");
}

#[testing::database_test(listings::MIGRATOR)]
async fn the_table_is_analyzed_after_an_import(pool: PgPool) {
    let service = start(pool.clone()).await;
    let rows: Vec<_> = (0..300).map(|n| creator(&format!("studio-{n}"))).collect();
    service.import(&File::rows("page", &rows)).await;
    let estimated = sqlx::query_scalar!(
        r#"select reltuples as "rows!" from pg_class where oid = 'listings.listing'::regclass"#
    )
    .fetch_one(&pool)
    .await
    .unwrap();
    assert!((estimated - 300.0).abs() < 0.5, "{estimated}");
}

#[testing::database_test(listings::MIGRATOR)]
async fn a_second_row_with_the_same_name_is_refused(pool: PgPool) {
    let service = start(pool).await;
    service.import(&File::rows("page", &[creator("studio")])).await;
    let mut rows = vec![game("twice", "A")];
    rows.extend((0..250).map(|n| game(&format!("game-{n}"), "Between")));
    rows.extend([game("twice", "B"), game("last", "A"), game("last", "B")]);
    let file = File::rows("game", &rows);
    let report = service.import(&file).await;
    assert_eq!(counts(&report), (252, 0, 0, 2));
    assert_eq!(refused(&report)[&252], ["slug"]);
    assert!(report.refused[0].fields["slug"].contains("Line 1 "));
    assert_eq!(refused(&report)[&254], ["slug"]);
    // The same file again changes nothing.
    assert_eq!(counts(&service.import(&file).await), (0, 0, 252, 2));
}

#[testing::database_test(listings::MIGRATOR)]
async fn a_row_that_was_changed_before_it_was_listed_is_refused(pool: PgPool) {
    let service = start(pool).await;
    let mut early = creator("early");
    // The row is listed now, by default, but was updated before.
    early["updated_at"] = json!("2020-01-01T00:00:00Z");
    let report = service.import(&File::rows("page", &[creator("a"), early, creator("b")])).await;
    assert_eq!(counts(&report), (2, 0, 0, 1));
    assert_eq!(refused(&report)[&2], ["updated_at"]);
    assert_eq!(service.revisions().await, 2);
}

#[testing::database_test(listings::MIGRATOR)]
async fn a_city_is_spelled_as_in_the_gazetteer_or_as_written(pool: PgPool) {
    let service = start(pool).await;
    let row = |handle: &str, country: &str, city: serde_json::Value| json!({"handle": handle, "name": "A", "kind": "person", "country_code": country, "city": city});
    let file = File::rows(
        "page",
        &[
            row("listed", "ao", json!("uige")),
            row("written", "NG", json!("Ìlú Tuntun")),
            row("nowhere", "NG", json!(null)),
        ],
    );
    assert_eq!(counts(&service.import(&file).await), (3, 0, 0, 0));
    let places: Vec<(String, String, String)> = sqlx::query!(
        r#"select name, content ->> 'city' as "city!", content ->> 'city_slug' as "city_slug!"
               from listings.listing order by name"#
    )
    .fetch_all(&service.pool)
    .await
    .unwrap()
    .into_iter()
    .map(|row| (row.name, row.city, row.city_slug))
    .collect();
    let place = |a: &str, b: &str, c: &str| (a.to_owned(), b.to_owned(), c.to_owned());
    assert_eq!(
        places,
        [
            place("listed", "Uíge", "uige"),
            place("nowhere", "", ""),
            place("written", "Ìlú Tuntun", "ilu-tuntun-ng"),
        ]
    );
}

#[testing::database_test(listings::MIGRATOR)]
async fn an_invalid_header_is_refused(pool: PgPool) {
    let service = start(pool).await;
    let mut file = File::new("gnome", "{}");
    file.header.mode = 0;
    let fault = Fault::from(service.try_import(&file).await.unwrap_err());
    let fields: Vec<&String> = fault.fields.keys().collect();
    assert_eq!(fields, ["entity", "mode"]);
}

#[testing::database_test(listings::MIGRATOR)]
async fn a_file_without_rows_is_refused(pool: PgPool) {
    let service = start(pool).await;
    for text in ["", "\n \n"] {
        let file = File::new("page", text);
        let fault = Fault::from(service.try_import(&file).await.unwrap_err());
        assert!(fault.fields["file"].contains("no rows"), "{fault:?}");
    }
}

#[testing::database_test(listings::MIGRATOR)]
async fn a_stream_without_its_header_is_refused(pool: PgPool) {
    let service = start(pool).await;
    let mut messages = File::new("page", "{}\n{}\n{}").messages();
    messages.remove(0);
    let fault = Fault::from(service.send(messages).await.unwrap_err());
    assert!(fault.fields.contains_key("message"));
}

/// A file of another fleet, or of this one before a picture was purged.
#[testing::database_test(listings::MIGRATOR)]
async fn a_row_that_names_an_absent_picture_is_refused_and_the_others_load(pool: PgPool) {
    let service = start(pool.clone()).await;
    service.import(&File::rows("page", &[creator("studio")])).await;
    let (absent, present) = ("0".repeat(64), "1".repeat(64));
    sqlx::query!("insert into listings.picture (hash, uploaded_at) values ($1, now())", present)
        .execute(&pool)
        .await
        .unwrap();
    let picture = |hash: &str| format!("/pictures/{hash}.jpg");
    let shot = |hash: &str| json!({"url": picture(hash), "width": 640, "height": 480, "alt": ""});
    let mut rows: Vec<_> = (1..=152).map(|n| game(&format!("game-{n}"), "A Game")).collect();
    rows[29]["cover_url"] = picture(&present).into();
    rows[59]["cover_url"] = picture(&absent).into();
    rows[119]["screenshots"] = json!([shot(&present), shot(&absent)]);
    let file = File::rows("game", &rows);
    let report = service.import(&file).await;
    assert_eq!(counts(&report), (150, 0, 0, 2));
    let expected =
        [(60, vec!["cover_url".to_owned()]), (120, vec!["screenshots.1.url".to_owned()])];
    assert_eq!(refused(&report), expected.into());
    assert_eq!(report.refused[0].name, "game-60");
    // The same file again, also for samples.
    assert_eq!(counts(&service.import(&file).await), (0, 0, 150, 2));
    let mut page = creator("of-a-sample");
    page["avatar_url"] = picture(&absent).into();
    let report = service.import(&File::rows("page", &[page, creator("studio")]).test()).await;
    assert_eq!(refused(&report), [(1, vec!["avatar_url".to_owned()])].into());
    assert_eq!(report.created, 1);
}

/// The domain refuses every value that the database would refuse. If it did not, only the row is
/// lost.
#[testing::database_test(listings::MIGRATOR)]
async fn a_row_that_the_database_refuses_is_named_and_the_others_load(pool: PgPool) {
    let service = start(pool.clone()).await;
    service.import(&File::rows("page", &[creator("studio")])).await;
    sqlx::raw_sql("alter table listings.listing add constraint no_zebra check (title <> 'Zebra')")
        .execute(&pool)
        .await
        .unwrap();
    let mut rows: Vec<_> = (1..=150).map(|n| game(&format!("game-{n}"), "A Game")).collect();
    rows[1]["title"] = json!("Zebra");
    rows[70]["release_year"] = json!(null);
    rows[98]["title"] = json!("Zebra");
    let file = File::rows("game", &rows);
    let report = service.import(&file).await;
    assert_eq!(counts(&report), (147, 0, 0, 3));
    let refused = refused(&report);
    assert_eq!(refused.keys().copied().collect::<Vec<_>>(), [2, 71, 99]);
    assert_eq!((&refused[&2], &refused[&99]), (&vec!["row".to_owned()], &vec!["row".to_owned()]));
    let lines: Vec<u64> = report.refused.iter().map(|row| row.line).collect();
    assert_eq!(lines, [2, 71, 99]);
    let imported = sqlx::query_scalar!(
        "select details from listings.audit where action = 'import' and entity = 'game'"
    );
    assert_eq!(imported.fetch_one(&pool).await.unwrap()["created"], 147);
}

/// A later version has put a listing into a state that this one does not know.
#[testing::database_test(listings::MIGRATOR)]
async fn a_row_of_a_listing_that_cannot_be_read_ends_no_import(pool: PgPool) {
    let service = start(pool.clone()).await;
    let pages = File::rows("page", &[creator("studio"), creator("other")]);
    for file in [pages.clone(), pages.clone().test()] {
        service.import(&file).await;
    }
    sqlx::raw_sql(
        "alter table listings.listing drop constraint listing_state;
         update listings.listing set state = 'archived' where name = 'other'",
    )
    .execute(&pool)
    .await
    .unwrap();
    let pages = File::rows("page", &[creator("other"), creator("third")]);
    let report = service.import(&pages).await;
    assert_eq!((counts(&report), report.existing[0].name.as_str()), ((1, 0, 1, 0), "other"));
    let report = service.import(&pages.test()).await;
    assert_eq!(counts(&report), (1, 0, 0, 1));
    assert_eq!(refused(&report)[&1], ["row"]);
}
