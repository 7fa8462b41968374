//! Listings of today: reviews and claims.

use contracts::listings::v1 as proto;
use contracts::listings::v1::get_own_listing_response::Listing;
use contracts::public::OwnListing;
use kit::Fault;
use pages::accounts::NewsItem;
use pages::site::Texts;

use super::{News, is_recent};
use crate::account::member_request::MemberRequest;
use crate::domain::listing_kind::ListingKind;
use crate::domain::role::Permission;
use crate::upstream::listings::ListingRef;
use crate::upstream::minute_of;

#[derive(Debug)]
pub(super) struct ListingNews {
    pub(super) has_page: bool,
    /// The slug of the newest game.
    pub(super) game: Option<String>,
    /// Whether that game has a cover.
    pub(super) has_cover: bool,
    pub(super) news: News,
}

pub(super) async fn load(request: &MemberRequest) -> Result<ListingNews, Fault> {
    let (listings, account) = (&request.app.listings, request.scope.id);
    let texts = request.language().texts();
    let (pages, listed, claims) = futures::try_join!(
        listings.pages(account),
        listings.list(account, ""),
        listings.claims(account)
    )?;
    let mut news = News::default();
    for page in &pages.pages {
        let reason = pages.reasons.get(&page.handle).cloned();
        let href = request.path(&format!("/listings/page/{}", page.handle));
        match page.state() {
            proto::State::Pending => news.for_staff.push(pending(texts, &page.name, href)),
            proto::State::Rejected => {
                news.for_you.push(rejected(texts, &page.name, reason, href));
            }
            _ => {}
        }
    }
    let (rows, _) = listed;
    for row in &rows {
        let href = request.path(&format!("/listings/{}/{}", row.kind, row.slug));
        match row.status.as_str() {
            "pending" => news.for_staff.push(pending(texts, &row.title, href)),
            "rejected" => {
                let reason = row.reason.clone();
                news.for_you.push(rejected(texts, &row.title, reason, href));
            }
            _ => {}
        }
    }
    for claim in &claims {
        add_claim(&mut news, request, claim);
    }
    if !request.may(Permission::Edit) {
        news.for_you.clear();
    }
    let game = rows.into_iter().find(|row| row.kind == "game");
    let has_cover = match &game {
        Some(game) => has_cover(request, game).await,
        None => false,
    };
    Ok(ListingNews {
        has_page: !pages.pages.is_empty(),
        game: game.map(|game| game.slug),
        has_cover,
        news,
    })
}

fn pending(texts: &Texts, title: &str, href: String) -> NewsItem {
    NewsItem::new(title, href).detail(texts.say("today-listing-waits"))
}

fn rejected(texts: &Texts, title: &str, reason: Option<String>, href: String) -> NewsItem {
    let text = texts.say_of("today-listing-rejected", title);
    NewsItem::new(text, href).detail(reason.unwrap_or_default())
}

fn add_claim(news: &mut News, request: &MemberRequest, claim: &proto::Claim) {
    let texts = request.language().texts();
    let item = |key| NewsItem::new(texts.say_of(key, &claim.handle), request.path("/claims"));
    match claim.state() {
        proto::ClaimState::Waiting => {
            let detail = texts.say_of("today-claim-made", &minute_of(texts, claim.made_at));
            news.for_staff.push(item("today-claim").detail(detail));
        }
        proto::ClaimState::Rejected if is_recent(claim.decided_at, request.app.clock.now()) => {
            let item = item("today-claim-rejected");
            news.for_you.push(item.detail(claim.reason.clone()));
        }
        _ => {}
    }
}

/// An answer that does not come counts as none: the step leads to the page of the pictures, which tells.
async fn has_cover(request: &MemberRequest, game: &OwnListing) -> bool {
    let listing = ListingRef {
        account: request.scope.id,
        kind: ListingKind::Game,
        name: &game.slug,
    };
    let found = request.app.listings.get(listing).await;
    let listing = found.ok().and_then(|found| found.listing);
    matches!(listing, Some(Listing::Game(game)) if game.cover_url.is_some())
}
