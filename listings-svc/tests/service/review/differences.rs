//! What a change looks like to a reviewer.

use super::*;
use crate::own_actions::withdraw;

#[testing::database_test(listings::MIGRATOR)]
async fn a_submission_is_shown_whole_until_staff_reject_it(pool: PgPool) {
    let (service, _, review) = start_with_reviewer(pool).await;
    let accounts = service.accounts().await;
    accounts.game("a-game").await;
    let first = get_review(&review, "game", "a-game").await;
    assert_eq!(first.rejected_revision, 0);
    let paths: Vec<&str> = first.differences.iter().map(|d| d.path.as_str()).collect();
    let whole = [
        "creator",
        "featured",
        "genres",
        "links.play",
        "platforms",
        "release_year",
        "slug",
        "stage",
        "title",
    ];
    assert_eq!(paths, whole);
    assert!(first.differences.iter().all(|d| d.before.is_empty()));
    assert_eq!(first.differences[0].after, "\"studio\"");

    // Nobody has reviewed what its account withdrew.
    let account = accounts.submitter_of("a-game");
    assert!(withdraw(&service, account, ("game", "a-game", 1)).await.unwrap());
    let changes = serde_json::json!({"links": {"steam": "https://steam.example"}});
    accounts.edit("a-game", changes).await;
    let then = get_review(&review, "game", "a-game").await;
    assert_eq!(then.rejected_revision, 0);
    assert_eq!(then.differences.len(), whole.len());
    assert_eq!(then.history[0].changed, ["links.play", "links.steam"]);
    let content: serde_json::Value = serde_json::from_str(&then.content).unwrap();
    assert_eq!(content["creator"], "studio");

    let name = Some(listing_name("game", "none"));
    let missing = review.clone().get_review(proto::GetReviewRequest { name, revision: 0 }).await;
    assert_eq!(Fault::from(missing.unwrap_err()).code, Code::NotFound);
}

#[testing::database_test(listings::MIGRATOR)]
async fn a_resubmission_is_shown_with_its_changes_since_the_rejection(pool: PgPool) {
    let (service, ada, review) = start_with_reviewer(pool).await;
    let accounts = service.accounts().await;
    accounts.game("a-game").await;
    reject(&ada, "a-game", "Not the first", None).await.unwrap();
    let tagline = serde_json::json!({"tagline": "First"});
    accounts.edit("a-game", tagline).await;
    reject(&ada, "a-game", "No pictures", None).await.unwrap();
    for changes in
        [serde_json::json!({"title": "A Better Game"}), serde_json::json!({"genres": ["runner"]})]
    {
        accounts.edit("a-game", changes).await;
    }
    let found = get_review(&review, "game", "a-game").await;
    assert_eq!((found.rejected_revision, found.rejection_reason.as_str()), (4, "No pictures"));
    let differences = found.differences.into_iter().map(|d| [d.path, d.before, d.after].join(" "));
    let expected = [r#"genres ["puzzle"] ["runner"]"#, r#"title "a-game" "A Better Game""#];
    assert_eq!(differences.collect::<Vec<_>>(), expected);
}
