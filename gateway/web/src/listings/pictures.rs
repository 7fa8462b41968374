//! Pictures of a listing: those that it has, their order and texts, and the use of an uploaded one.

use axum::Extension;
use axum::extract::{Path, Query, State};
use contracts::listings::v1 as proto;
use contracts::listings::v1::get_own_listing_response::Listing;
use http::StatusCode;
use kit::{Code, Fault};
use pages::listings::pictures::{
    Crop, CropPage, GalleryPage, Image, ScreenshotRow, SinglePicture,
};
use pages::{Field, Fields};
use serde::Deserialize;
use uuid::Uuid;

use super::facts::Summary;
use super::list::Place;
use super::{Frame, kind, path, shown};
use crate::account::record;
use crate::app::{App, Web};
use crate::domain::listing_kind::ListingKind;
use crate::domain::role::Permission;
use crate::form_body::FormBody;
use crate::notice::AfterForm;
use crate::page_error::{PageError, PageResult};
use crate::render::{form_errors, html, see_other};
use crate::upstream::listings::ListingRef;
use crate::viewer::{AccountScope, ClientInfo, Section, Viewer};

/// A screenshot as the form of the order has it.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Arranged {
    url: String,
    alt: String,
}

/// What a page shows beyond the listing: the status and the errors of a form, and the order that was typed.
#[derive(Default)]
pub(super) struct Answer {
    pub status: StatusCode,
    pub errors: Fields,
    arranged: Option<Vec<Arranged>>,
}

#[derive(Debug, Default, Deserialize)]
pub struct UseForm {
    #[serde(default)]
    id: String,
    #[serde(default)]
    src: String,
    #[serde(default)]
    crop: String,
    #[serde(default)]
    alt: String,
    #[serde(default)]
    place: String,
}

#[derive(Debug, Default, Deserialize)]
pub struct RemoveForm {
    #[serde(default)]
    url: String,
}

pub async fn show(
    State(app): State<App>,
    Extension(viewer): Extension<Viewer>,
    Extension(scope): Extension<AccountScope>,
    Path((_, of_kind, name)): Path<(Uuid, String, String)>,
    Query(place): Query<Place>,
) -> PageResult {
    let listing = listing(&scope, &of_kind, &name)?;
    let mut frame = Frame::load(&app, &viewer, &scope, Section::Listings).await;
    frame.shell.notice = AfterForm::named(&place.done);
    gallery(&app, &scope, frame, listing, Answer::default()).await
}

/// Gives the listing an uploaded picture.
pub async fn use_picture(
    State(app): State<App>,
    Extension(viewer): Extension<Viewer>,
    Extension(client): Extension<ClientInfo>,
    Extension(scope): Extension<AccountScope>,
    Path((_, of_kind, name, picture)): Path<(Uuid, String, String, String)>,
    FormBody(form): FormBody<UseForm>,
) -> PageResult {
    let listing = listing(&scope, &of_kind, &name)?;
    let picture = picture_kind(listing.kind, &picture)?;
    let frame = Frame::load(&app, &viewer, &scope, Section::Listings).await;
    // Places begin at 1; without one, the picture comes last.
    let place = form.place.trim().parse::<u32>().ok();
    let place = place.map(|place| place.saturating_sub(1));
    let used = match frame.admit(None) {
        Ok(()) => app.listings.use_picture(scope.id, &form.id, (&form.alt, place)).await,
        Err(closed) => Err(closed),
    };
    match used {
        Ok(()) => changed(&app, (&viewer, &client), &scope, listing).await,
        Err(fault) if fault.code == Code::NotFound => Err(PageError::not_found()),
        Err(fault) if fault.fields.contains_key("picture") => {
            let answer = refused_picture(&fault, picture);
            gallery(&app, &scope, frame, listing, answer).await
        }
        Err(fault) => {
            let (status, errors) = form_errors(&fault, &["alt", "place"], &[]);
            let page = crop_page(&scope, frame, (listing, picture), Prepared::typed(&form), errors);
            Ok(html(status, &page))
        }
    }
}

pub async fn remove(
    State(app): State<App>,
    Extension(viewer): Extension<Viewer>,
    Extension(client): Extension<ClientInfo>,
    Extension(scope): Extension<AccountScope>,
    Path((_, of_kind, name, picture)): Path<(Uuid, String, String, String)>,
    FormBody(form): FormBody<RemoveForm>,
) -> PageResult {
    let listing = listing(&scope, &of_kind, &name)?;
    let picture = picture_kind(listing.kind, &picture)?;
    let frame = Frame::load(&app, &viewer, &scope, Section::Listings).await;
    let removed = match frame.admit(None) {
        Ok(()) => {
            let of = (proto_kind(picture), name.as_str());
            app.listings.remove_picture(scope.id, of, &form.url).await
        }
        Err(closed) => Err(closed),
    };
    match removed {
        Ok(()) => changed(&app, (&viewer, &client), &scope, listing).await,
        Err(fault) if fault.code == Code::NotFound => Err(PageError::not_found()),
        Err(fault) => {
            let (status, errors) = form_errors(&fault, &[], &[]);
            let answer = Answer {
                status,
                errors: shown(&fault, errors),
                arranged: None,
            };
            gallery(&app, &scope, frame, listing, answer).await
        }
    }
}

/// Gives the screenshots the typed order and texts.
pub async fn arrange(
    State(app): State<App>,
    Extension(viewer): Extension<Viewer>,
    Extension(client): Extension<ClientInfo>,
    Extension(scope): Extension<AccountScope>,
    Path((_, of_kind, name)): Path<(Uuid, String, String)>,
    FormBody(pairs): FormBody<Vec<(String, String)>>,
) -> PageResult {
    let listing = listing(&scope, &of_kind, &name)?;
    let frame = Frame::load(&app, &viewer, &scope, Section::Listings).await;
    let arranged = arrangement(&pairs);
    let screenshots = arranged.iter().map(|it| proto::ArrangedScreenshot {
        url: it.url.clone(),
        alt: it.alt.clone(),
    });
    let done = match frame.admit(None) {
        Ok(()) => {
            let screenshots = screenshots.collect();
            app.listings.arrange_screenshots(scope.id, &name, screenshots).await
        }
        Err(closed) => Err(closed),
    };
    match done {
        Ok(()) => changed(&app, (&viewer, &client), &scope, listing).await,
        Err(fault) if fault.code == Code::NotFound => Err(PageError::not_found()),
        Err(fault) => {
            let names: Vec<String> = (0..arranged.len()).map(alt_path).collect();
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            let (status, errors) = form_errors(&fault, &names, &[]);
            let answer = Answer {
                status,
                errors: shown(&fault, errors),
                arranged: Some(arranged),
            };
            gallery(&app, &scope, frame, listing, answer).await
        }
    }
}

/// Where a service names an error of the text of a screenshot.
fn alt_path(index: usize) -> String {
    format!("screenshots.{index}.alt")
}

/// The screenshots in the order that their places give. One that moved up comes before the one whose place it takes, and one that moved down
/// after it.
fn arrangement(pairs: &[(String, String)]) -> Vec<Arranged> {
    let all = |name: &str| -> Vec<&str> {
        let values = pairs.iter().filter(|(it, _)| it == name);
        values.map(|(_, value)| value.as_str()).collect()
    };
    let (urls, alts, places) = (all("url"), all("alt"), all("place"));
    let mut rows: Vec<(i64, Arranged)> = Vec::new();
    for (before, (index, url)) in (1_i64..).zip(urls.iter().enumerate()) {
        let alt = alts.get(index).copied().unwrap_or_default();
        let place = places.get(index).and_then(|place| place.parse().ok());
        let place: i64 = place.filter(|place| (1..=1_000).contains(place)).unwrap_or(before);
        let arranged = Arranged {
            url: (*url).to_owned(),
            alt: alt.to_owned(),
        };
        rows.push((2 * place + (place - before).signum(), arranged));
    }
    rows.sort_by_key(|(place, _)| *place);
    rows.into_iter().map(|(_, arranged)| arranged).collect()
}

/// The listing of a path. An event has no pictures.
pub(super) fn listing<'a>(
    scope: &AccountScope,
    of_kind: &str,
    name: &'a str,
) -> Result<ListingRef<'a>, PageError> {
    match kind(of_kind)? {
        ListingKind::Event => Err(PageError::not_found()),
        kind => Ok(ListingRef {
            account: scope.id,
            kind,
            name,
        }),
    }
}

/// The kind of picture of a path.
pub(super) fn picture_kind(kind: ListingKind, text: &str) -> Result<&'static str, PageError> {
    match (kind, text) {
        (ListingKind::Game, "cover") => Ok("cover"),
        (ListingKind::Game, "screenshot") => Ok("screenshot"),
        (ListingKind::Page, "avatar") => Ok("avatar"),
        _ => Err(PageError::not_found()),
    }
}

pub(super) fn proto_kind(picture: &str) -> proto::PictureKind {
    match picture {
        "cover" => proto::PictureKind::Cover,
        "avatar" => proto::PictureKind::Avatar,
        _ => proto::PictureKind::Screenshot,
    }
}

/// The answer to an upload that was refused: its error stands beside the field of the file.
pub(super) fn refused_picture(fault: &Fault, picture: &str) -> Answer {
    let (status, mut errors) = form_errors(fault, &["picture"], &[]);
    if let Some(reason) = errors.fields.remove("picture") {
        errors.add(picture, reason);
    }
    Answer {
        status,
        errors: shown(fault, errors),
        arranged: None,
    }
}

async fn changed(
    web: &Web,
    by: (&Viewer, &ClientInfo),
    scope: &AccountScope,
    listing: ListingRef<'_>,
) -> PageResult {
    let what = ("pictures_changed", listing.name);
    record(&web.pool, by, scope, what, web.clock.now()).await?;
    let shown = path(scope, listing.kind, listing.name);
    Ok(see_other(&format!("{shown}/pictures?done=pictures-changed")))
}

/// The page of all pictures of a listing.
pub(super) async fn gallery(
    web: &Web,
    scope: &AccountScope,
    frame: Frame,
    listing: ListingRef<'_>,
    answer: Answer,
) -> PageResult {
    let found = web.listings.get(listing).await?;
    let content = found.listing.as_ref().ok_or_else(PageError::not_found)?;
    let summary = Summary::of(content, &found.creator);
    let (single, screenshots) = match content {
        Listing::Page(page) => (avatar(scope, page), None),
        Listing::Game(game) => {
            let rows = screenshots(scope, game, &answer);
            (cover(scope, game), Some(rows))
        }
        Listing::Event(_) => return Err(PageError::not_found()),
    };
    let is_removed = summary.state == proto::State::Removed;
    let page = GalleryPage {
        base: path(scope, listing.kind, listing.name),
        title: summary.title,
        single,
        screenshots,
        may_edit: scope.role.may(Permission::Edit) && !is_removed,
        closed: frame.closed(),
        note: match summary.state {
            proto::State::Rejected => "A change of the pictures submits the listing again.",
            proto::State::Published => "A change of the pictures is public at once.",
            _ => "",
        },
        shell: pages::Shell {
            api_call: Some(format!("GET /v1/{}/{}", listing.kind.api_list(), listing.name)),
            ..frame.shell
        },
        errors: answer.errors,
    };
    Ok(html(answer.status, &page))
}

fn cover(scope: &AccountScope, game: &proto::Game) -> SinglePicture {
    let url = game.cover_url.as_deref();
    SinglePicture {
        kind: "cover",
        heading: "Cover",
        text: "A new cover: it is cut to 16 by 9 from its middle, at least 600 by 338 pixels",
        image: url.map(|url| image(scope, url, ("The cover", 1_200, 675))),
    }
}

fn avatar(scope: &AccountScope, page: &proto::Page) -> SinglePicture {
    let url = page.avatar_url.as_deref();
    SinglePicture {
        kind: "avatar",
        heading: "Avatar",
        text: "A new avatar: it is cut to a square from its middle, at least 128 by 128 pixels",
        image: url.map(|url| image(scope, url, ("The avatar", 512, 512))),
    }
}

fn screenshots(scope: &AccountScope, game: &proto::Game, answer: &Answer) -> Vec<ScreenshotRow> {
    let stored = || {
        let shots = game.screenshots.iter();
        shots.map(|shot| Arranged {
            url: shot.url.clone(),
            alt: shot.alt.clone(),
        })
    };
    let arranged = answer.arranged.clone().unwrap_or_else(|| stored().collect());
    let rows = arranged.into_iter().enumerate().map(|(index, shot)| {
        let stored = game.screenshots.iter().find(|it| it.url == shot.url);
        let (width, height) = stored.map_or((0, 0), |it| (it.width, it.height));
        ScreenshotRow {
            image: image(scope, &shot.url, (&shot.alt, width, height)),
            place: index + 1,
            error: answer.errors.of(&alt_path(index)).map(ToOwned::to_owned),
        }
    });
    rows.collect()
}

/// A picture of a listing. One of ours comes through this site: pages load nothing from elsewhere.
fn image(scope: &AccountScope, url: &str, (alt, width, height): (&str, u32, u32)) -> Image {
    let (_, name) = url.rsplit_once('/').unwrap_or_default();
    Image {
        src: is_file_name(name).then(|| format!("/accounts/{}/pictures/{name}", scope.id)),
        url: url.to_owned(),
        alt: alt.to_owned(),
        width,
        height,
    }
}

/// Whether a text is the name of a picture file: 64 hexadecimal digits and an extension.
pub(super) fn is_file_name(name: &str) -> bool {
    let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    let hash = name.strip_suffix(".jpg").unwrap_or_default();
    hash.len() == 64 && hash.bytes().all(is_digit)
}

/// A prepared picture, and what was typed about it.
pub(super) struct Prepared {
    id: String,
    /// The name of the file.
    file: String,
    size: (u32, u32),
    crop: Crop,
    alt: String,
    place: String,
}

impl Prepared {
    pub fn of(picture: proto::PreparedPicture) -> Self {
        let large = picture.picture.unwrap_or_default();
        let (_, file) = large.url.rsplit_once('/').unwrap_or_default();
        Self {
            id: picture.id,
            file: file.to_owned(),
            size: (large.width, large.height),
            crop: Crop {
                file: (picture.file_width, picture.file_height),
                x: picture.crop_x,
                y: picture.crop_y,
                width: picture.crop_width,
                height: picture.crop_height,
            },
            alt: String::new(),
            place: String::new(),
        }
    }

    /// As the form of the last page has it. Whatever else it has is not shown.
    fn typed(form: &UseForm) -> Self {
        let (_, file) = form.src.rsplit_once('/').unwrap_or_default();
        let numbers: Vec<u32> = form.crop.split(' ').filter_map(|it| it.parse().ok()).collect();
        let crop = match numbers[..] {
            [width, height, x, y, w, h] => Crop {
                file: (width, height),
                x,
                y,
                width: w,
                height: h,
            },
            _ => Crop {
                file: (0, 0),
                x: 0,
                y: 0,
                width: 0,
                height: 0,
            },
        };
        Self {
            id: form.id.clone(),
            file: file.to_owned(),
            size: (0, 0),
            crop,
            alt: form.alt.clone(),
            place: form.place.clone(),
        }
    }
}

/// The page that shows a prepared picture before the listing has it.
pub(super) fn crop_page(
    scope: &AccountScope,
    frame: Frame,
    (listing, picture): (ListingRef<'_>, &'static str),
    prepared: Prepared,
    errors: Fields,
) -> CropPage {
    let alt = Field::text("alt", "Text for people who do not see it").optional().max(300);
    let alt = alt.hint("What is to be seen, in one sentence.").value(&prepared.alt);
    let place = Field::text("place", "Place among the screenshots").optional().digits().max(4);
    let place = place.hint("1 is the first. Without one it comes last.").value(&prepared.place);
    let (width, height) = prepared.size;
    CropPage {
        base: path(scope, listing.kind, listing.name),
        kind: picture,
        heading: format!("The new {picture}"),
        id: prepared.id,
        image: image(scope, &format!("/{}", prepared.file), ("The uploaded picture", width, height)),
        crop: prepared.crop,
        screenshot: (picture == "screenshot")
            .then(|| (alt.error_in(&errors), place.error_in(&errors))),
        shell: frame.shell,
        errors,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arranged(places: &[i64]) -> String {
        let mut pairs = Vec::new();
        for (name, place) in ["a", "b", "c", "d"].iter().zip(places) {
            pairs.push(("url".to_owned(), (*name).to_owned()));
            pairs.push(("alt".to_owned(), format!("text of {name}")));
            pairs.push(("place".to_owned(), place.to_string()));
        }
        let rows = arrangement(&pairs);
        assert!(rows.iter().all(|it| it.alt == format!("text of {}", it.url)));
        rows.into_iter().map(|it| it.url).collect()
    }

    #[test]
    fn a_screenshot_takes_the_place_that_is_typed() {
        for (places, order) in [
            ([1, 2, 3, 4], "abcd"),
            ([1, 2, 1, 4], "cabd"),
            ([3, 2, 3, 4], "bcad"),
            ([4, 3, 2, 1], "dcba"),
            ([2, 1, 3, 4], "bacd"),
            ([0, -5, 9_999, 4], "abcd"),
        ] {
            assert_eq!(arranged(&places), order, "{places:?}");
        }
    }

    #[test]
    fn only_files_of_ours_are_shown() {
        let hash = "0a".repeat(32);
        assert!(is_file_name(&format!("{hash}.jpg")));
        for other in [hash.as_str(), "x.jpg", "", &format!("{}.jpg", hash.to_uppercase())] {
            assert!(!is_file_name(other), "{other}");
        }
    }
}
