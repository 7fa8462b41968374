//! Listings of today: reviews and claims.

use contracts::listings::v1 as proto;
use contracts::listings::v1::get_own_listing_response::Listing;
use contracts::public::OwnListing;
use kit::Fault;
use pages::accounts::NewsItem;

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
            proto::State::Pending => add_pending(&mut news, &page.name, href),
            proto::State::Rejected => add_rejected(&mut news, &page.name, reason, href),
            _ => {}
        }
    }
    let (rows, _) = listed;
    for row in &rows {
        let href = request.path(&format!("/listings/{}/{}", row.kind, row.slug));
        match row.status.as_str() {
            "pending" => add_pending(&mut news, &row.title, href),
            "rejected" => add_rejected(&mut news, &row.title, row.reason.clone(), href),
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

fn add_pending(news: &mut News, title: &str, href: String) {
    let detail = "It waits for its review. You can change it meanwhile.";
    news.for_staff.push(NewsItem::new(title, detail, href));
}

fn add_rejected(news: &mut News, title: &str, reason: Option<String>, href: String) {
    let text = format!("{title} was rejected");
    let reason = reason.unwrap_or_default();
    news.for_you.push(NewsItem::new(text, reason, href));
}

fn add_claim(news: &mut News, request: &MemberRequest, claim: &proto::Claim) {
    let href = request.path("/claims");
    let handle = &claim.handle;
    match claim.state() {
        proto::ClaimState::Waiting => {
            let text = format!("The claim of {handle}");
            let detail = format!("Made {}.", minute_of(claim.made_at));
            news.for_staff.push(NewsItem::new(text, detail, href));
        }
        proto::ClaimState::Rejected if is_recent(claim.decided_at, request.app.clock.now()) => {
            let text = format!("The claim of {handle} was rejected");
            news.for_you
                .push(NewsItem::new(text, claim.reason.clone(), href));
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
