//! Everything that an account has listed.

use contracts::common::v1::Ended;
use contracts::listings::v1 as proto;
use contracts::public::OwnListing;
use pages::listings::{AllListingsPage, ListingRow};

use super::ended::in_list;
use super::words;
use crate::account::member_request::MemberRequest;
use crate::domain::listing_kind::ListingKind;
use crate::domain::role::Permission;
use crate::english::texts;
use crate::page_error::PageResult;
use crate::render::ok;
use crate::request::Section;
use crate::upstream::listings::{EndedListing, state_of};
use crate::upstream::minute_of;
use crate::url_query::{ListQuery, UrlQuery};

pub async fn show(request: MemberRequest, UrlQuery(query): UrlQuery<ListQuery>) -> PageResult {
    let (listings, account) = (&request.app.listings, request.scope.id);
    let (context, pages, listed) = futures::join!(
        request.context(Section::Listings),
        listings.pages(account),
        listings.list(account, &query.cursor)
    );
    let (pages, (listings, page)) = (pages?, listed?);
    let context = context.api_call("GET /v1/me/listings");
    Ok(ok(&AllListingsPage {
        account: account.to_string(),
        pages: (pages.pages.iter())
            .map(|page| page_row(&request, page, pages.ended.get(&page.handle)))
            .collect(),
        listings: listings.into_iter().map(|own| row(&request, own)).collect(),
        next: request.next_page("/listings", page),
        may_edit: request.may(Permission::Edit),
        frame: context.frame,
    }))
}

fn page_row(request: &MemberRequest, page: &proto::Page, ended: Option<&Ended>) -> ListingRow {
    let ended = ended.and_then(EndedListing::of);
    ListingRow {
        href: request.listing_path(ListingKind::Page, &page.handle),
        title: page.name.clone(),
        name: page.handle.clone(),
        kind: words::kind_name(&page.kind),
        state: words::state(page.state(), is_by_staff(ended.as_ref())),
        ended: ended.map(|ended| in_list(page.state(), &ended)),
        note: String::new(),
        changed: minute_of(texts(), page.updated_at),
    }
}

fn row(request: &MemberRequest, own: OwnListing) -> ListingRow {
    let kind = own.kind.parse().unwrap_or(ListingKind::Game);
    let (state, ended) = (state_of(&own.status), EndedListing::of_row(&own));
    ListingRow {
        href: request.listing_path(kind, &own.slug),
        title: own.title,
        name: own.slug,
        kind: words::kind_name(&own.kind),
        state: words::state(state, is_by_staff(ended.as_ref())),
        ended: ended.map(|ended| in_list(state, &ended)),
        note: own.note.unwrap_or_default(),
        changed: texts().minute(own.updated_at.0),
    }
}

fn is_by_staff(ended: Option<&EndedListing>) -> bool {
    ended.is_some_and(|ended| ended.is_by_staff)
}
