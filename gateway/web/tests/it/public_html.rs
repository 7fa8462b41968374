//! What holds on every public page: its addresses in both languages, its pictures, and how texts and links of studios are shown.

use sqlx::PgPool;

use crate::browser::NOINDEX;
use crate::site::paths;
use crate::support::Site;

/// A text from right to left, whose last mark is on its left only if its element has a direction of its own.
const WORDS: &str = "\u{5db}\u{5d3}\u{5d5}\u{5e8}!";
const LINK: &str = "https://studio.example/";
/// Elements without an end tag.
const VOID: [&str; 6] = ["!doctype", "br", "img", "input", "link", "meta"];

/// Calls `see` for each tag and for each text of a page with the tags of the open elements, the innermost last.
fn walk<'h>(html: &'h str, mut see: impl FnMut(&[&'h str], Option<&'h str>)) {
    let name = |tag: &'h str| tag.split([' ', '\n']).next().unwrap();
    let mut open = Vec::new();
    for piece in html.split('<').skip(1) {
        let (tag, text) = piece.split_once('>').unwrap();
        if let Some(ended) = tag.strip_prefix('/') {
            assert_eq!(open.pop().map(name), Some(ended), "{html}");
        } else {
            open.push(tag);
            see(&open, None);
            if VOID.contains(&name(tag)) || tag.ends_with('/') {
                open.pop();
            }
        }
        see(&open, Some(text));
    }
    assert!(open.is_empty(), "{open:?}");
}

#[track_caller]
fn check_picture(open: &[&str], path: &str) {
    let image = open.last().unwrap();
    for part in ["src=\"/", "width=\"", "height=\"", "alt=\""] {
        assert!(image.contains(part), "{path}: {part} is not in {image}");
    }
    if open.contains(&"ul class=\"cards\"") && !path.contains("/vote") {
        assert!(image.contains("loading=\"lazy\""), "{path}: {image}");
        // A drawing has one size.
        let has_sizes = image.contains(" srcset=\"") && image.contains(" sizes=\"");
        assert!(has_sizes || image.contains(".svg"), "{path}: {image}");
    }
}

/// Nobody says in which language a studio writes, and it may be written from right to left.
#[track_caller]
fn check_words(open: &[&str], path: &str) {
    let is_plain = |tag: &&str| {
        let name = tag.split(' ').next().unwrap();
        ["title", "option", "script"].contains(&name)
    };
    // The names of genres are ours.
    let is_genre = |tag: &&str| tag.contains("?genre=");
    if open.iter().any(is_plain) || open.iter().any(is_genre) {
        return;
    }
    let is_own = |tag: &&str| *tag == "bdi" || tag.contains("dir=\"auto\"");
    assert!(open.iter().any(is_own), "{path}: {open:?}");
    let inner = open.last().unwrap();
    if inner.starts_with("p ") {
        assert!(inner.contains("lang=\"\""), "{path}: {inner}");
    }
}

#[testing::database_test(web::MIGRATOR)]
async fn pages_show_texts_links_and_pictures_of_studios_as_those_of_others(pool: PgPool) {
    let site = Site::new(pool).await;
    for number in 1..12 {
        site.catalogue.add_game(&format!("game-{number}"), "acacia");
    }
    *site.catalogue.words.lock().unwrap() = Some((WORDS.to_owned(), LINK));
    *site.catalogue.votes.words.lock().unwrap() = Some(WORDS.to_owned());
    *site.economy.name.lock().unwrap() = Some(WORDS.to_owned());
    let mut browser = site.browser();
    let (mut pictures, mut words, mut links) = (0, 0, 0);
    for path in paths().into_iter().chain(["/vote", "/search?q=okoto"].map(Into::into)) {
        let page = browser.get(&path).await;
        page.assert(200, "<h1");
        walk(&page.text, |open, text| match text {
            None => {
                let tag = open.last().unwrap();
                if tag.starts_with("img ") {
                    check_picture(open, &path);
                    pictures += 1;
                } else if tag.starts_with("a ") && tag.contains(LINK) {
                    let rel = "rel=\"ugc nofollow noopener\"";
                    assert!(tag.contains(rel), "{path}: {tag}");
                    links += 1;
                }
            }
            Some(text) if text.contains(WORDS) => {
                check_words(open, &path);
                words += 1;
            }
            Some(_) => {}
        });
    }
    assert!(pictures > 20 && words > 40 && links > 5, "{pictures} {words} {links}");
}

#[testing::database_test(web::MIGRATOR)]
async fn pages_name_their_addresses_in_both_languages(pool: PgPool) {
    let site = Site::new(pool).await;
    *site.economy.name.lock().unwrap() = Some("Cowrie".to_owned());
    let mut browser = site.browser();
    for path in paths().into_iter().chain(["/search?q=okoto".into()]) {
        let bare = if path == "/" { "" } else { &path };
        let english = format!("https://mchezo.example{path}");
        let french = format!("https://mchezo.example/fr{bare}");
        for (shown, own, locale, other) in [
            (path.clone(), &english, "en_GB", "fr_FR"),
            (format!("/fr{bare}"), &french, "fr_FR", "en_GB"),
        ] {
            let page = browser.get(&shown).await;
            for part in [
                format!("<link rel=\"canonical\" href=\"{own}\">"),
                format!("<meta property=\"og:url\" content=\"{own}\">"),
                format!("<meta property=\"og:locale\" content=\"{locale}\">"),
                format!("<meta property=\"og:locale:alternate\" content=\"{other}\">"),
            ] {
                page.assert(200, &part);
            }
            // Search engines list a page in each language, or in none.
            let is_indexed = !page.text.contains(NOINDEX);
            for (language, address) in [("en", &english), ("fr", &french), ("x-default", &english)]
            {
                let link =
                    format!("<link rel=\"alternate\" hreflang=\"{language}\" href=\"{address}\">");
                assert_eq!(page.text.contains(&link), is_indexed, "{shown}: {link}");
            }
            // Links stay in the language of the address.
            let links =
                page.text.split("<a href=\"/").skip(1).map(|rest| rest.split('>').next().unwrap());
            for link in links.filter(|_| shown.starts_with("/fr")) {
                let is_french = link.starts_with("fr/") || link.starts_with("fr\"");
                let is_other = link.starts_with("docs")
                    || link.starts_with("pictures/")
                    || link.contains("hreflang=\"en\"");
                assert!(is_french || is_other, "{shown}: {link}");
            }
        }
    }
}
