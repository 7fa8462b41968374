//! The states of a listing that an account submits, and every transition between them (§3).

use contracts::public::OwnListing;
use e2e::{Fleet, Studio};
use reqwest::Method;
use serde_json::json;

/// Asserts the state and reason that the owner sees, and the title that everybody else sees; `None` if they get 404.
async fn stands(
    studio: &Studio,
    slug: &str,
    (status, reason): (&str, Option<&str>),
    title: Option<&str>,
) {
    let own: Vec<OwnListing> = studio.live.rows("/me/listings", 20).await;
    let own = own.iter().find(|own| own.slug == slug).unwrap();
    let shown = (own.status.as_str(), own.reason.as_deref());
    assert_eq!(shown, (status, reason));
    let read = studio.live.get(&format!("/games/{slug}")).await;
    match title {
        Some(title) => assert_eq!(read.data()["title"], title),
        None => read.assert_error(404, "not_found"),
    }
}

#[tokio::test]
async fn a_game_passes_through_every_state() {
    let studio = Studio::new(&Fleet::shared()).await;
    let (slug, staff) = (studio.submit("way").await, &studio.staff);
    let path = format!("/games/{slug}");
    let change = async |title: &str| {
        let changed = studio.live.patch(&path, &json!({"title": title})).await;
        changed.data().clone()
    };
    let pending = ("pending", None);
    stands(&studio, &slug, pending, None).await;
    staff.reject("game", &slug, "It has no picture").await;
    let rejected = ("rejected", Some("It has no picture"));
    stands(&studio, &slug, rejected, None).await;
    assert_eq!(change("Once more").await["status"], "pending");
    stands(&studio, &slug, pending, None).await;

    let published = ("published", None);
    staff.approve("game", &slug).await;
    stands(&studio, &slug, published, Some("Once more")).await;
    let changed = change("Better").await;
    assert_eq!(changed["status"], "published");
    assert_eq!(changed["slug"], slug.as_str());
    stands(&studio, &slug, published, Some("Better")).await;

    staff.take_down("game", &slug).await;
    stands(&studio, &slug, ("removed", None), None).await;
    staff.restore("game", &slug).await;
    stands(&studio, &slug, published, Some("Better")).await;

    // The owner cannot delete a listing.
    let deletion = studio.live.request(Method::DELETE, &path);
    let refused = studio.live.send(deletion).await;
    refused.assert_error(405, "method_not_allowed");
}
