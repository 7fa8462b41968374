//! Every page of listings with samples: everything that a studio writes is escaped, and an empty page says what to do.

use super::claims::{ClaimRow, OwnClaimsPage};
use super::form::ListingFormPage;
use super::pictures::{GalleryPage, Image, ScreenshotRow, SinglePicture};
use super::*;
use crate::field::Field;
use crate::input::{Area, Checks, Choice, FormPart, Group, Select};

/// What a studio could write into any field: markup, and the end of every place that a page puts it into.
const HOSTILE: &str =
    "\"'></textarea></title></option><script>alert(1)</script><img src=x onerror=alert(1)>";

fn hostile() -> String {
    HOSTILE.to_owned()
}

/// Renders a page, in which no sample may have become markup.
fn rendered(page: &impl askama::Template) -> String {
    let html = page.render().unwrap();
    assert!(!html.contains("<script>"), "{html}");
    assert!(!html.contains("<img src=x"), "{html}");
    assert!(!html.contains("\"'>"), "{html}");
    html
}

fn state() -> StateText {
    StateText {
        text: "public",
        tone: "good",
    }
}

fn row() -> ListingRow {
    ListingRow {
        href: "/accounts/a/listings/game/okoto".to_owned(),
        title: hostile(),
        name: "okoto".to_owned(),
        kind: hostile(),
        state: state(),
        reason: String::new(),
        note: hostile(),
        changed: "2026-11-23 14:05 UTC".to_owned(),
    }
}

fn list(rows: usize) -> AllListingsPage {
    AllListingsPage {
        frame: Frame::default(),
        account: "a".to_owned(),
        pages: vec![row(); rows.min(1)],
        listings: vec![row(); rows],
        next: None,
        may_edit: true,
    }
}

fn listing() -> ListingPage {
    ListingPage {
        frame: Frame::default(),
        errors: Fields::general(hostile()),
        account: "a".to_owned(),
        kind: "game",
        name: "okoto".to_owned(),
        title: hostile(),
        state: state(),
        reason: hostile(),
        note: hostile(),
        public_url: Some("https://mchezo.example/games/okoto".to_owned()),
        facts: vec![Fact {
            label: hostile(),
            text: hostile(),
        }],
        actions: ListingActions {
            may_edit: true,
            has_pictures: true,
            lacks_cover: true,
            may_take_down: true,
        },
    }
}

fn image(src: Option<&str>) -> Image {
    Image {
        src: src.map(ToOwned::to_owned),
        url: hostile(),
        alt: hostile(),
        width: 640,
        height: 480,
    }
}

fn gallery() -> GalleryPage {
    GalleryPage {
        frame: Frame::default(),
        errors: Fields::one("cover", hostile()),
        base: "/accounts/a/listings/game/okoto".to_owned(),
        title: hostile(),
        single: SinglePicture {
            kind: "cover",
            heading: "Cover",
            text: "A new cover",
            none: "No cover yet.",
            upload: "Upload the cover",
            remove: "Remove the cover",
            image: Some(image(None)),
        },
        screenshots: Some(vec![ScreenshotRow {
            image: image(Some("/accounts/a/pictures/x.jpg")),
            place: 1,
            error: Some(hostile()),
        }]),
        may_edit: true,
        note: String::new(),
    }
}

fn form_parts() -> Vec<FormPart> {
    let choices = || {
        vec![Choice {
            value: hostile(),
            label: hostile(),
            is_chosen: true,
        }]
    };
    vec![
        FormPart::Field(Field::text("title", "Title").value(HOSTILE)),
        FormPart::Area(Area::new("bio", "About").value(HOSTILE)),
        FormPart::Select(Select::new("kind", "Kind", choices())),
        FormPart::Checks(Checks::new("genres", "Genres", choices())),
        FormPart::Group(Group {
            legend: "Links",
            fields: vec![Field::text(hostile(), hostile()).value(HOSTILE)],
            more: vec![Field::text(hostile(), hostile()).value(HOSTILE)],
            more_label: "Other kinds",
            ..Group::default()
        }),
    ]
}

#[test]
fn nothing_that_a_studio_writes_becomes_markup() {
    rendered(&list(3));
    rendered(&listing());
    rendered(&gallery());
    rendered(&ListingFormPage {
        frame: Frame::default(),
        errors: Fields::general(hostile()),
        heading: "listing-edit-title",
        title: hostile(),
        text: "",
        note: hostile(),
        action: "/accounts/a/listings/new/game".to_owned(),
        hidden: vec![(hostile(), hostile())],
        parts: form_parts(),
        button: "Submit it",
        back: "/accounts/a/listings".to_owned(),
    });
    rendered(&OwnClaimsPage {
        frame: Frame::default(),
        errors: Fields::default(),
        account: "a".to_owned(),
        claims: vec![ClaimRow {
            handle: hostile(),
            made: String::new(),
            evidence: hostile(),
            state: state(),
            reason: hostile(),
        }],
        handle: Field::text("handle", "Handle").value(HOSTILE),
        evidence: Area::new("evidence", "Evidence").value(HOSTILE),
        may_edit: true,
    });
}

/// Its mark at the end stands on the left, if the title has its own direction.
const RTL: &str = "كاروت!";

#[test]
fn what_a_studio_writes_has_its_own_direction() {
    let title = || RTL.to_owned();
    let row = ListingRow {
        title: title(),
        ..row()
    };
    let pages = [
        (
            rendered(&AllListingsPage {
                listings: vec![row],
                ..list(1)
            }),
            &["<bdi>كاروت!</bdi></a>"][..],
        ),
        (
            rendered(&ListingPage {
                title: title(),
                ..listing()
            }),
            &[
                "<h1 dir=\"auto\">كاروت!</h1>",
                "<dd class=\"lines\" dir=\"auto\">",
            ],
        ),
        (
            rendered(&GalleryPage {
                title: title(),
                ..gallery()
            }),
            &[
                "<h1>Pictures of <bdi>كاروت!</bdi></h1>",
                "Back to <bdi>كاروت!</bdi></a>",
                "name=\"alt\" dir=\"auto\"",
            ],
        ),
    ];
    for (html, parts) in pages {
        for part in parts {
            assert!(html.contains(part), "{part} is not in {html}");
        }
    }
}

#[test]
fn a_refused_form_begins_with_links_to_its_errors() {
    let mut errors = Fields::one("title", "Give a title.");
    errors.add("genres", "No such genre.");
    let html = rendered(&ListingFormPage {
        frame: Frame::default(),
        errors,
        heading: "listing-submit-game",
        title: String::new(),
        text: "",
        note: String::new(),
        action: "/accounts/a/listings/new/game".to_owned(),
        hidden: Vec::new(),
        parts: form_parts(),
        button: "Submit it",
        back: "/accounts/a/listings".to_owned(),
    });
    assert!(html.contains("<title>2 errors: Submit a game"), "{html}");
    for field in ["title", "genres"] {
        assert!(html.contains(&format!("<a href=\"#{field}\">")), "{html}");
        assert!(html.contains(&format!(" id=\"{field}\"")), "{html}");
    }
}

#[test]
fn an_empty_list_says_what_to_do_next() {
    let html = rendered(&list(0));
    assert!(html.contains("/accounts/a/listings/new/page"), "{html}");
    assert!(html.contains("/accounts/a/claims"), "{html}");
    let html = rendered(&AllListingsPage {
        may_edit: false,
        ..list(0)
    });
    assert!(!html.contains("/listings/new/"), "{html}");
}

#[test]
fn a_hundred_listings_are_a_small_page() {
    let row = ListingRow {
        title: "A game of an ordinary name".to_owned(),
        kind: "game".to_owned(),
        note: String::new(),
        ..row()
    };
    let html = rendered(&AllListingsPage {
        listings: vec![row; 100],
        ..list(1)
    });
    assert!(html.len() < 60_000, "{}", html.len());
}
