//! The listing and the kind of picture that a path names.

use contracts::listings::v1 as proto;

use crate::account::member_request::MemberRequest;
use crate::domain::listing_kind::ListingKind;
use crate::page_error::PageError;
use crate::upstream::listings::ListingRef;

/// A listing, and the kind of picture that it gets or loses.
#[derive(Debug, Clone, Copy)]
pub(super) struct PictureTarget<'a> {
    pub(super) listing: ListingRef<'a>,
    pub(super) picture: &'static str,
}

impl<'a> PictureTarget<'a> {
    /// The listing and the picture of a path.
    pub(super) fn parse(
        request: &MemberRequest,
        of_kind: &str,
        name: &'a str,
        picture: &str,
    ) -> Result<Self, PageError> {
        let listing = with_pictures(request, of_kind, name)?;
        let picture = match (listing.kind, picture) {
            (ListingKind::Game, "cover") => "cover",
            (ListingKind::Game, "screenshot") => "screenshot",
            (ListingKind::Page, "avatar") => "avatar",
            _ => return Err(PageError::not_found()),
        };
        Ok(Self { listing, picture })
    }

    pub(super) fn proto_kind(&self) -> proto::PictureKind {
        match self.picture {
            "cover" => proto::PictureKind::Cover,
            "avatar" => proto::PictureKind::Avatar,
            _ => proto::PictureKind::Screenshot,
        }
    }
}

/// The listing of a path. An event has no pictures.
pub(super) fn with_pictures<'a>(
    request: &MemberRequest,
    of_kind: &str,
    name: &'a str,
) -> Result<ListingRef<'a>, PageError> {
    let listing = request.listing(of_kind, name)?;
    if listing.kind == ListingKind::Event {
        return Err(PageError::not_found());
    }
    Ok(listing)
}
