//! The fields of a submission, and what is wrong with them.

use super::*;

#[testing::database_test(listings::MIGRATOR)]
async fn null_for_a_read_only_field_is_refused_unless_the_field_is_null(pool: PgPool) {
    let service = start_with_pages(pool).await;
    let null = json!({"creator": "studio", "title": "A Game", "cover_url": null, "slug": null});
    let fault = LIVE.game(&service, &null).await.unwrap_err();
    assert!(fault.fields.keys().eq(["cover_url", "slug"]), "{fault:?}");
    let made = LIVE.game(&service, &game("A Game")).await.unwrap();
    let slug = made.slug.unwrap();
    // The game has no cover, so that a read returns null, which is accepted.
    let change = json!({"cover_url": null, "tagline": "x"});
    LIVE.change_game(&service, &slug, &change).await.unwrap();
    for field in ["slug", "creator", "featured", "created_at", "url"] {
        let change = json!({ field: null });
        let fault = LIVE.change_game(&service, &slug, &change).await.unwrap_err();
        assert!(fault.fields.keys().eq([field]), "{fault:?}");
    }
    let cover = format!("/pictures/{}.jpg", "0a".repeat(32));
    sqlx::query!(
        "update listings.listing set content = content || jsonb_build_object('cover_url', $1::text) where entity = 'game'",
        cover
    )
    .execute(&service.pool)
    .await
    .unwrap();
    let fault = LIVE.change_game(&service, &slug, &json!({"cover_url": null})).await.unwrap_err();
    assert!(fault.fields.keys().eq(["cover_url"]), "{fault:?}");
}

#[testing::database_test(listings::MIGRATOR)]
async fn unsupported_json_values_are_named(pool: PgPool) {
    let service = start_with_pages(pool).await;
    let body = r#"{"creator": "studio", "title": "\ud800", "release_year": 1e400, "stage": "released", "stage": "early_access",
        "links": {"play": "https://a.example", "play": "https://b.example"}}"#;
    let fault = LIVE.game_of_bytes(&service, body).await.unwrap_err();
    assert_eq!(fault.code, Code::Invalid);
    for (field, word) in [
        ("title", "surrogate"),
        ("release_year", "too large"),
        ("stage", "It is given twice."),
        ("links.play", "It is given twice."),
    ] {
        assert!(fault.fields[field].contains(word), "{:?}", fault.fields);
    }
    assert_eq!(fault.fields.len(), 4, "{:?}", fault.fields);
}

/// A program whose numbers are floats reads a game, and sends the whole back.
#[testing::database_test(listings::MIGRATOR)]
async fn a_game_may_be_sent_back_with_its_numbers_as_floats(pool: PgPool) {
    let service = start_with_pages(pool).await;
    let shown = |width: f64| json!([{"url": "https://a.example/1.png", "width": width, "height": 480.0, "alt": ""}]);
    let row = json!({
        "slug": "a-game", "title": "A Game", "creator": "studio", "release_year": 2.02e3, "screenshots": shown(640.0),
    });
    assert!(row.to_string().contains("2020.0"), "{row}");
    service.import(&File::rows("game", &[row])).await;
    for year in [json!(2020.0), json!(2020)] {
        let same = json!({"screenshots": shown(640.0), "release_year": year});
        let changed = LIVE.change_game(&service, "a-game", &same).await.unwrap();
        assert_eq!(changed.revision, 1, "{year}");
    }
    let later = json!({"release_year": 2021.0});
    let changed = LIVE.change_game(&service, "a-game", &later).await.unwrap();
    assert_eq!(changed.revision, 2);
    let bad = json!({"screenshots": shown(641.0), "release_year": 2020.5});
    let refused = LIVE.change_game(&service, "a-game", &bad).await.unwrap_err();
    assert_eq!(refused.code, Code::Invalid);
    assert!(refused.fields.keys().eq(["release_year", "screenshots"]), "{refused:?}");
    let why = "This must be a whole number from 1950 to ";
    assert!(refused.fields["release_year"].starts_with(why));
}
