//! Everything that an account has listed.

use axum::Extension;
use axum::extract::{Query, State};
use contracts::listings::v1 as proto;
use contracts::public::OwnListing;
use kit::timestamp;
use pages::listings::{AllListingsPage, ListingRow};
use pages::when;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde::Deserialize;

use super::{Frame, path, words};
use crate::app::App;
use crate::domain::listing_kind::ListingKind;
use crate::domain::role::Permission;
use crate::page_error::PageResult;
use crate::render::ok;
use crate::viewer::{AccountScope, Section, Viewer};

#[derive(Debug, Default, Deserialize)]
pub struct Place {
    /// Of the page of a list.
    #[serde(default)]
    pub(super) cursor: String,
    /// The action that the notice is about.
    #[serde(default)]
    pub(super) done: String,
}

pub async fn show(
    State(app): State<App>,
    Extension(viewer): Extension<Viewer>,
    Extension(scope): Extension<AccountScope>,
    Query(place): Query<Place>,
) -> PageResult {
    let (frame, pages, listed) = futures::join!(
        Frame::load(&app, &viewer, &scope, Section::Listings),
        app.listings.pages(scope.id),
        app.listings.list(scope.id, &place.cursor)
    );
    let (pages, (listings, next)) = (pages?, listed?);
    let frame = frame.api_call("GET /v1/me/listings");
    let closed = frame.closed();
    Ok(ok(&AllListingsPage {
        account: scope.id.to_string(),
        pages: (pages.pages.iter())
            .map(|page| page_row(&scope, page, pages.reasons.get(&page.handle)))
            .collect(),
        listings: listings.into_iter().map(|own| row(&scope, own)).collect(),
        next: next.map(|cursor| {
            let cursor = utf8_percent_encode(&cursor, NON_ALPHANUMERIC);
            format!("/accounts/{}/listings?cursor={cursor}", scope.id)
        }),
        may_edit: scope.role.may(Permission::Edit),
        closed,
        shell: frame.shell,
    }))
}

fn page_row(scope: &AccountScope, page: &proto::Page, reason: Option<&String>) -> ListingRow {
    let changed = page.updated_at.and_then(timestamp::decode);
    ListingRow {
        href: path(scope, ListingKind::Page, &page.handle),
        title: page.name.clone(),
        name: page.handle.clone(),
        kind: page.kind.clone(),
        state: words::state(page.state()),
        note: reason.cloned().unwrap_or_default(),
        changed: changed.map(when::minute).unwrap_or_default(),
    }
}

fn row(scope: &AccountScope, own: OwnListing) -> ListingRow {
    let kind = ListingKind::parse(&own.kind).unwrap_or(ListingKind::Game);
    ListingRow {
        href: path(scope, kind, &own.slug),
        title: own.title,
        name: own.slug,
        state: words::named_state(&own.status),
        note: own.reason.or(own.note).unwrap_or_default(),
        changed: when::minute(own.updated_at.0),
        kind: own.kind,
    }
}
