//! The text direction of titles of listings.

use super::pictures::{GalleryPage, SinglePicture};
use super::*;

/// A right-to-left title, whose final mark is on the left only if the title has its own direction.
const RTL: &str = "كاروت!";

#[test]
fn text_of_a_studio_has_automatic_direction() {
    let state = StateText { text: "public", tone: "good" };
    let title = || RTL.to_owned();
    let row = ListingRow {
        href: String::new(),
        title: title(),
        name: "okoto".to_owned(),
        kind: "game".to_owned(),
        state: state.clone(),
        ended: None,
        note: String::new(),
        changed: String::new(),
    };
    let list = AllListingsPage {
        frame: Frame::default(),
        account: "a".to_owned(),
        pages: Vec::new(),
        listings: vec![row],
        next: None,
        may_edit: true,
    };
    let listing = ListingPage {
        frame: Frame::default(),
        errors: Fields::default(),
        account: "a".to_owned(),
        kind: "game",
        name: "okoto".to_owned(),
        title: title(),
        state,
        revision: 1,
        is_removed: false,
        ended: None,
        rejection: None,
        note: String::new(),
        staff_mail: None,
        public_url: None,
        facts: vec![Fact { label: "Tagline".to_owned(), text: title() }],
        actions: ListingActions::default(),
    };
    let gallery = GalleryPage {
        frame: Frame::default(),
        errors: Fields::default(),
        base: String::new(),
        title: title(),
        single: SinglePicture {
            kind: "cover",
            heading: "",
            text: "",
            none: "",
            upload: "",
            remove: "",
            image: None,
        },
        screenshots: None,
        may_edit: true,
        note: String::new(),
    };
    for (html, part) in [
        (list.render(), "<bdi>كاروت!</bdi></a>"),
        (listing.render(), "<h1 dir=\"auto\">كاروت!</h1>"),
        (listing.render(), "<dd class=\"lines\" dir=\"auto\">"),
        (gallery.render(), "<h1>Pictures of <bdi>كاروت!</bdi></h1>"),
    ] {
        let html = html.unwrap();
        assert!(html.contains(part), "{part} is not in {html}");
    }
}
