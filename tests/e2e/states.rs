//! The states of a listing that an account sends in, and every way between them (§3).

use contracts::public::OwnListing;
use e2e::{Client, Fleet, Staff};
use reqwest::Method;
use serde_json::{Value, json};

/// A listing on its way.
struct Listing {
    staff: Staff,
    owner: Client,
    slug: String,
    path: String,
}

impl Listing {
    /// Sends one in.
    async fn send_in(kind: &'static str) -> Self {
        let fleet = Fleet::shared();
        let mut staff = Staff::of(&fleet).await;
        let account = staff.account("unlimited").await;
        let handle = format!("way-{}", kit::ids::row_id().simple());
        staff.page(&account, &handle).await;
        let owner = staff.writer(&fleet, &account, "live").await;
        let (list, body) = match kind {
            "game" => ("/games", json!({"creator": handle, "title": handle})),
            _ => (
                "/events",
                json!({"title": handle, "kind": "jam", "starts_at": "2030-01-01", "country_code": "GH", "city": "Accra"}),
            ),
        };
        let request = owner.request(Method::POST, list).json(&body);
        let made = owner.send(request).await;
        assert_eq!(made.status, 201, "{}", made.text);
        let slug = made.data()["slug"].as_str().unwrap().to_owned();
        let path = format!("{list}/{slug}");
        Self {
            staff,
            owner,
            slug,
            path,
        }
    }

    async fn change(&self, title: &str) -> Value {
        let request = self.owner.request(Method::PATCH, &self.path);
        let made = self.owner.send(request.json(&json!({"title": title})));
        made.await.data().clone()
    }

    /// How its owner sees it: state and reason; everybody else sees it with this title, or not at all.
    async fn stands(&self, status: &str, reason: Option<&str>, title: Option<&str>) {
        let own: Vec<OwnListing> = self.owner.rows("/me/listings", 20).await;
        let own: Vec<(&str, &str, Option<&str>)> = (own.iter())
            .map(|own| {
                (
                    own.slug.as_str(),
                    own.status.as_str(),
                    own.reason.as_deref(),
                )
            })
            .collect();
        assert_eq!(own, [(self.slug.as_str(), status, reason)]);
        let read = self.owner.get(&self.path).await;
        match title {
            Some(title) => assert_eq!(read.data()["title"], title),
            None => read.assert_error(404, "not_found"),
        }
    }
}

async fn goes_every_way(kind: &'static str) {
    let listing = Listing::send_in(kind).await;
    let (staff, slug) = (&listing.staff, listing.slug.as_str());
    listing.stands("pending", None, None).await;

    staff.reject(kind, slug, "It has no picture").await;
    listing
        .stands("rejected", Some("It has no picture"), None)
        .await;
    let changed = listing.change("Once more").await;
    assert_eq!(changed["status"], "pending");
    listing.stands("pending", None, None).await;

    staff.approve(kind, slug).await;
    listing.stands("published", None, Some("Once more")).await;
    let changed = listing.change("Better").await;
    assert_eq!(
        (&changed["status"], &changed["slug"]),
        (&json!("published"), &json!(slug))
    );
    listing.stands("published", None, Some("Better")).await;

    staff.take_down(kind, slug).await;
    listing.stands("removed", None, None).await;
    staff.restore(kind, slug).await;
    listing.stands("published", None, Some("Better")).await;

    // There is no way out by the caller.
    let deletion = listing.owner.request(Method::DELETE, &listing.path);
    let refused = listing.owner.send(deletion).await;
    refused.assert_error(405, "method_not_allowed");
}

#[tokio::test]
async fn a_game_goes_every_way() {
    goes_every_way("game").await;
}
