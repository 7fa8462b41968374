//! The page of all pictures of a listing.

use contracts::listings::v1 as proto;
use contracts::listings::v1::get_own_listing_response::Listing;
use pages::Fields;
use pages::listings::pictures::{GalleryPage, Image, ScreenshotRow, Screenshots, SinglePicture};

use super::arrangement::{Arrangement, alt_path};
use super::facts::Summary;
use super::show::api_call;
use super::words;
use crate::account::member_request::MemberRequest;
use crate::account::page_context::AccountContext;
use crate::domain::picture_name::is_file_name;
use crate::domain::role::Permission;
use crate::english::say;
use crate::page_error::{PageError, PageResult};
use crate::render::{FormState, html};
use crate::upstream::listings::ListingRef;

const COVER: [&str; 6] = [
    "field-cover_url",
    "picture-cover-file",
    "picture-no-cover",
    "picture-upload-cover",
    "picture-remove-cover",
    "picture-the-cover",
];
const AVATAR: [&str; 6] = [
    "field-avatar_url",
    "picture-avatar-file",
    "picture-no-avatar",
    "picture-upload-avatar",
    "picture-remove-avatar",
    "picture-the-avatar",
];

/// What the page shows of a form that was sent.
#[derive(Debug, Default)]
pub(super) struct SentForm {
    pub(super) state: FormState,
    /// The order and the texts that are not saved; `None`: those of the game.
    pub(super) arrangement: Option<Arrangement>,
}

/// The page; after a form, with its typed order and texts.
pub(super) async fn gallery(
    request: &MemberRequest,
    context: AccountContext,
    listing: ListingRef<'_>,
    form: SentForm,
) -> PageResult {
    let SentForm { state, arrangement } = form;
    let found = request.app.listings.get(listing).await?;
    let content = found.listing.ok_or_else(PageError::not_found)?;
    let site = &request.app.public_url;
    let summary = Summary::of(site, &content, "");
    let (single, screenshots) = match &content {
        Listing::Page(page) => {
            let avatar = (page.avatar_url.as_deref(), 512, 512);
            (single(request, "avatar", avatar, AVATAR), None)
        }
        Listing::Game(game) => {
            let mut form = arrangement.unwrap_or_else(|| Arrangement::of(&game.screenshots));
            // Screenshots that somebody else has added or removed meanwhile. A text that both have
            // changed is a conflict when the form is saved.
            form.merge(&game.screenshots);
            let shots = Screenshots {
                rows: screenshots(request, game, &form, &state.errors),
                base: form.base(),
            };
            let cover = (game.cover_url.as_deref(), 1_200, 675);
            (single(request, "cover", cover, COVER), Some(shots))
        }
        Listing::Event(_) => return Err(PageError::not_found()),
    };
    let is_removed = summary.state == proto::State::Removed;
    let is_public = summary.public_url.is_some();
    let call = api_call(listing.kind, listing.name, is_public);
    let page = GalleryPage {
        base: request.listing_path(listing.kind, listing.name),
        title: summary.title,
        single,
        screenshots,
        may_edit: request.may(Permission::Edit) && !is_removed,
        note: note(summary.state, found.writes_today, &context),
        frame: pages::Frame { api_call: call, ..context.frame },
        errors: at_texts(state.errors),
    };
    Ok(html(state.status, &page))
}

/// The errors by the names of the page's fields, to which the summary leads. The texts of screenshots are numbered from 1.
fn at_texts(errors: Fields) -> Fields {
    errors.renamed(|name| {
        let index = name
            .strip_prefix("screenshots.")
            .and_then(|rest| rest.strip_suffix(".alt")?.parse::<usize>().ok());
        index.map_or(name, |index| format!("alt-{}", index + 1))
    })
}

/// What a change of the pictures does, with the writes of the day that are left; empty for a pending listing.
fn note(state: proto::State, writes_today: u32, context: &AccountContext) -> String {
    match state {
        proto::State::Rejected => say("picture-change-submits").to_owned(),
        proto::State::Published => {
            let per_day = context.writes_per_day().ok().flatten();
            let left = words::writes_left(writes_today, per_day);
            format!("{} {left}", say("picture-change-public"))
        }
        _ => String::new(),
    }
}

/// The cover of a game or the avatar of a page. `words` are the keys of its texts.
fn single(
    request: &MemberRequest,
    kind: &'static str,
    (url, width, height): (Option<&str>, u32, u32),
    words: [&'static str; 6],
) -> SinglePicture {
    let [heading, text, none, upload, remove, alt] = words.map(say);
    let image = url.map(|url| image(request, url, alt, width, height));
    SinglePicture { kind, heading, text, none, upload, remove, image }
}

/// The screenshots of a form, whose rows the game has.
fn screenshots(
    request: &MemberRequest,
    game: &proto::Game,
    form: &Arrangement,
    errors: &Fields,
) -> Vec<ScreenshotRow> {
    let rows = form.rows.iter().enumerate().map(|(index, row)| {
        let stored = game.screenshots.iter().find(|it| it.url == row.url);
        let (width, height) = stored.map_or((0, 0), |it| (it.width, it.height));
        ScreenshotRow {
            image: image(request, &row.url, &row.alt, width, height),
            place: index + 1,
            error: errors.of(&alt_path(index)).map(ToOwned::to_owned),
        }
    });
    rows.collect()
}

/// A picture of a listing. A picture of listings-svc has an address on this site, since pages load nothing from other sites.
fn image(request: &MemberRequest, url: &str, alt: &str, width: u32, height: u32) -> Image {
    let (_, name) = url.rsplit_once('/').unwrap_or_default();
    Image {
        src: is_file_name(name).then(|| request.path(&format!("/pictures/{name}"))),
        url: url.to_owned(),
        alt: alt.to_owned(),
        width,
        height,
    }
}
