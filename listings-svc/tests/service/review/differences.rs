//! What a change looks like to a reviewer.

use super::*;

#[testing::database_test(listings::MIGRATOR)]
async fn the_difference_is_to_the_last_public_revision(pool: PgPool) {
    let (service, ada, review) = start_with_reviewer(pool).await;
    let accounts = service.accounts().await;
    accounts.game("a-game").await;
    let first = get_review(&review, "game", "a-game").await;
    assert_eq!(first.approved_revision, 0);
    let paths: Vec<&str> = first.differences.iter().map(|d| d.path.as_str()).collect();
    assert_eq!(
        paths,
        [
            "creator",
            "featured",
            "genres",
            "links.play",
            "platforms",
            "release_year",
            "slug",
            "stage",
            "title"
        ]
    );
    assert!(first.differences.iter().all(|d| d.before.is_empty()));
    assert_eq!(first.differences[0].after, "\"studio\"");

    approve(&ada, "game", "a-game", None).await.unwrap();
    let changes = serde_json::json!({"links": {"steam": "https://steam.example"}, "tagline": "New", "genres": []});
    accounts.edit("a-game", changes).await;
    let then = get_review(&review, "game", "a-game").await;
    // An edit of a public listing is public at once, so that nothing differs.
    assert_eq!((then.approved_revision, then.differences.len()), (3, 0));
    assert_eq!(
        then.history[0].changed,
        ["genres", "links.play", "links.steam", "tagline"]
    );
    let content: serde_json::Value = serde_json::from_str(&then.content).unwrap();
    assert_eq!(
        (&content["creator"], &content["tagline"]),
        (&"studio".into(), &"New".into())
    );
    assert!(then.item.unwrap().approved_before);
    let name = Some(listing_name("game", "none"));
    let missing = review
        .clone()
        .get_review(proto::GetReviewRequest { name })
        .await;
    assert_eq!(Fault::from(missing.unwrap_err()).code, Code::NotFound);
}

#[testing::database_test(listings::MIGRATOR)]
async fn differences_span_several_revisions(pool: PgPool) {
    let (service, _, review) = start_with_reviewer(pool).await;
    service
        .import(&File::rows("game", &[game("a-game", "A Game")]))
        .await;
    let (down, on) = (
        proto::Decision::TakeDown,
        (listing_name("game", "a-game"), None),
    );
    decide(&service.operator_client, down, on, "Its maker asked")
        .await
        .unwrap();
    for changes in [
        serde_json::json!({"title": "A Better Game"}),
        serde_json::json!({"genres": ["runner"]}),
    ] {
        let request = proto::EditRequest {
            name: Some(listing_name("game", "a-game")),
            changes: changes.to_string(),
            ..proto::EditRequest::default()
        };
        review.clone().edit(request).await.unwrap();
    }
    let found = get_review(&review, "game", "a-game").await;
    assert_eq!(found.approved_revision, 1);
    let differences = found.differences.into_iter();
    let differences = differences.map(|d| [d.path, d.before, d.after].join(" "));
    let expected = [
        r#"genres ["puzzle"] ["runner"]"#,
        r#"title "A Game" "A Better Game""#,
    ];
    assert_eq!(differences.collect::<Vec<_>>(), expected);
}
