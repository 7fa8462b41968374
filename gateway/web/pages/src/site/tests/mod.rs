//! Every page of the site with sample contexts, in both languages.

mod economy_samples;
pub(crate) mod part_samples;
mod samples;
mod texts;
mod vote_samples;

use askama::Template as _;

use part_samples::frame;
use samples::pages;

use super::africa::Outline;
use super::results::SearchPage;
use super::{Frame, Head, Language};

#[test]
fn texts_of_listings_are_shown_as_text() {
    for language in Language::ALL {
        for (name, page) in pages(language) {
            assert!(!page.contains("<script>"), "{name}: {page}");
            assert!(!page.contains("alert('x')"), "{name}: {page}");
        }
    }
}

#[test]
fn no_page_shows_the_key_of_a_text() {
    for language in Language::ALL {
        for (name, page) in pages(language) {
            for part in page.split('>').skip(1) {
                let text = part.split('<').next().unwrap().trim();
                let is_word = |word: &str| {
                    !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_lowercase())
                };
                let is_key = text.contains('-') && text.split('-').all(is_word);
                assert!(!is_key, "{name}: {text}");
            }
        }
    }
}

#[test]
fn pages_name_their_language_and_the_other_one() {
    for (name, page) in pages(Language::French) {
        assert!(page.contains("<html lang=\"fr\">"), "{name}");
        for part in [
            "<link rel=\"canonical\" href=\"https://mchezo.example/fr/games/kora?a=1&#38;b=2\">",
            "hreflang=\"en\" href=\"https://mchezo.example/games/kora?a=1&#38;b=2\"",
            "hreflang=\"x-default\" href=\"https://mchezo.example/games/kora?a=1&#38;b=2\"",
            "<a href=\"/en/games/kora?a=1&#38;b=2\" hreflang=\"en\"",
        ] {
            assert!(page.contains(part), "{name}: {part} is not in {page}");
        }
        // Nothing of the frame is left in English.
        assert!(!page.contains("Sign in"), "{name}: {page}");
    }
}

#[test]
fn machines_are_told_what_the_page_is() {
    for (name, page) in pages(Language::French) {
        for part in [
            "<meta property=\"og:url\" content=\"https://mchezo.example/fr/games/kora?a=1&#38;b=2\">",
            "<meta property=\"og:locale\" content=\"fr_FR\">",
            "<meta property=\"og:locale:alternate\" content=\"en_GB\">",
            "<meta property=\"og:type\" content=\"profile\">",
            "<meta property=\"og:image\" content=\"https://mchezo.example/games/kora/card.jpg?v=0a&#38;b\">",
            "<meta name=\"twitter:card\" content=\"summary_large_image\">",
            "type=\"application/atom+xml\" title=\"&#60;script&#62;",
            "<script type=\"application/ld+json\">{\"name\":\"\\u003c/script\\u003e",
        ] {
            assert!(page.contains(part), "{name}: {part} is not in {page}");
        }
        // Its own file, and the data.
        assert_eq!(page.matches("<script").count(), 2, "{name}");
        assert_eq!(page.matches("</script>").count(), 2, "{name}");
    }
}

#[test]
fn a_page_that_is_not_indexed_says_so_and_names_itself() {
    let frame = Frame {
        head: Head {
            is_indexed: false,
            ..Head::default()
        },
        ..frame(Language::English)
    };
    let page = SearchPage { frame, found: None }.render().unwrap();
    assert!(page.contains("content=\"noindex\""), "{page}");
    assert!(page.contains("rel=\"canonical\""), "{page}");
    assert!(!page.contains("rel=\"alternate\" hreflang"), "{page}");
}

/// Over a slow line, it would delay the page.
#[test]
fn the_font_is_loaded_after_what_the_page_is_shown_with() {
    for (name, page) in pages(Language::English) {
        let (before, preload) = page.split_once("<link rel=\"preload\"").unwrap();
        for needed in ["<link rel=\"stylesheet\"", "<script src="] {
            assert!(before.contains(needed), "{name}: {needed}");
        }
        let preload = preload.split('>').next().unwrap();
        for part in ["as=\"font\"", "fetchpriority=\"low\""] {
            assert!(preload.contains(part), "{name}: {preload}");
        }
    }
}

#[test]
fn links_of_studios_pass_nothing_on() {
    for (name, page) in pages(Language::English) {
        for link in page.split("<a ").skip(1) {
            let link = link.split('>').next().unwrap();
            let leads_out = link.contains("href=\"https://");
            let rel = "rel=\"ugc nofollow noopener\"";
            assert_eq!(leads_out, link.contains(rel), "{name}: {link}");
        }
    }
}

#[test]
fn every_picture_has_its_size_and_comes_from_here() {
    for (name, page) in pages(Language::English) {
        for image in page.split("<img ").skip(1) {
            let image = image.split('>').next().unwrap();
            for part in ["src=\"/pictures/", "width=\"", "height=\"", "alt=\""] {
                assert!(image.contains(part), "{name}: {part} is not in {image}");
            }
        }
        assert!(
            !page.contains("<iframe") && !page.contains("<video"),
            "{name}"
        );
    }
}

#[test]
fn pictures_of_cards_are_loaded_when_they_come_into_view_and_no_larger_than_shown() {
    let mut count = 0;
    for (name, page) in pages(Language::English) {
        for cards in page.split("<ul class=\"cards\">").skip(1) {
            let cards = cards.split("</ul>").next().unwrap();
            for image in cards.split("<img ").skip(1) {
                let image = image.split('>').next().unwrap();
                for part in ["loading=\"lazy\"", " srcset=\"", " sizes=\""] {
                    assert!(image.contains(part), "{name}: {part} is not in {image}");
                }
                count += 1;
            }
        }
    }
    assert!(count > 10, "{count}");
}

/// The page of this name.
fn page(name: &str, language: Language) -> String {
    let mut pages = pages(language).into_iter();
    pages.find(|(it, _)| *it == name).unwrap().1
}

#[test]
fn what_is_missing_of_a_game_is_asked_for() {
    let full = page("game", Language::English);
    let bare = page("bare game", Language::English);
    for question in [
        "Know where to play it?",
        "Nobody has described this game yet.",
        "Know the developer’s site?",
    ] {
        assert!(bare.contains(question), "{question}: {bare}");
        assert!(!full.contains(question), "{question}: {full}");
    }
    let known = page("bare game of a studio with a site", Language::English);
    assert!(!known.contains("Know the developer’s site?"), "{known}");
    for (name, asked) in [
        ("event", "Know the event’s site?"),
        ("creator", "Know their site?"),
    ] {
        let bare = page(&format!("bare {name}"), Language::English);
        assert!(bare.contains(asked), "{asked}: {bare}");
        let full = page(name, Language::English);
        assert!(!full.contains(asked), "{asked}: {full}");
    }
    for absent in ["Changed", "More by", "Similar games"] {
        assert!(full.contains(absent), "{absent}: {full}");
        assert!(!bare.contains(absent), "{absent}: {bare}");
    }
}

/// In French a space stands before a colon.
#[test]
fn a_colon_stands_as_in_the_language() {
    for (name, before) in [
        ("game", "Coût de la vie (un mois)"),
        ("creator", "Rôles"),
        ("vote", "</bdi></a>"),
    ] {
        let page = page(name, Language::French);
        assert!(
            page.contains(&format!("{before}\u{a0}: ")),
            "{name}: {page}"
        );
        assert!(!page.contains(&format!("{before}: ")), "{name}: {page}");
    }
}

#[test]
fn an_empty_search_leads_to_the_lists() {
    let page = page("empty search", Language::French);
    let (_, main) = page.split_once("<main").unwrap();
    for part in ["Écrivez un nom", "href=\"/games\"", "href=\"/events\""] {
        assert!(main.contains(part), "{part}: {main}");
    }
}

/// Readers come back from a picture, and the button that copies stands alone.
#[test]
fn the_page_of_a_game_stays_open_beside_its_pictures() {
    let page = page("game", Language::English);
    let (_, shots) = page.split_once("class=\"shots-row\"").unwrap();
    let link = shots.split("<a ").nth(1).unwrap().split('>').next();
    assert!(link.unwrap().contains("target=\"_blank\""), "{shots}");
    let (_, copy) = page.split_once("data-copy=\"share-embed\"").unwrap();
    let paragraph = copy.split("</p>").next().unwrap();
    assert!(!paragraph.contains("<a "), "{paragraph}");
}

/// On a phone, its columns stand below each other in this order.
#[test]
fn the_page_of_a_game_has_pictures_then_stores_then_facts() {
    let page = page("game", Language::English);
    let parts = ["listing-media", "stores", "facts"];
    let places = parts.map(|class| page.find(&format!("class=\"{class}\"")));
    assert!(places.iter().all(Option::is_some), "{places:?}: {page}");
    assert!(places.is_sorted(), "{places:?}: {page}");
}

#[test]
fn a_place_has_the_outline_of_its_country() {
    let page = page("place", Language::English);
    let outline = Outline::of("NG").unwrap();
    for part in [
        format!("<svg class=\"outline\" viewBox=\"{}\"", outline.view_box()),
        format!("<path d=\"{}\"></path></svg>", outline.path),
    ] {
        assert!(page.contains(&part), "{part} is not in {page}");
    }
}

#[test]
fn texts_of_people_have_their_own_direction() {
    for (name, part) in [
        ("game", "<h1 dir=\"auto\">"),
        ("game", "<p class=\"lines\" dir=\"auto\" lang=\"\">"),
        ("creator", "<h1 dir=\"auto\">"),
        ("event", "<p class=\"lines\" dir=\"auto\" lang=\"\">"),
        ("vote", "<h2 dir=\"auto\">"),
        ("board", "<h3 dir=\"auto\">"),
        ("start", "<h3 dir=\"auto\">"),
        ("search", "<h3 dir=\"auto\">"),
        ("place", "· <bdi>"),
        ("currency", "<bdi>"),
        ("games", "<h1 dir=\"auto\">"),
        ("game", "<dt><bdi>"),
        ("vote", "Vote for <bdi>"),
        ("vote", "You vote as <bdi>"),
        ("search", "Results for “<bdi>"),
        ("currency", "What one <bdi>"),
        ("pair", "The game of <bdi>"),
    ] {
        let page = page(name, Language::English);
        assert!(page.contains(part), "{name}: {part} is not in {page}");
    }
}

/// A page without scripts shows it to a finger and to the keyboard too.
#[test]
fn a_short_number_opens_into_the_full_one() {
    for name in ["currency", "pair", "game"] {
        let page = page(name, Language::English);
        let (_, rest) = page.split_once("<details class=\"amount\">").unwrap();
        let full = "1.5</data></summary>&#60;script&#62;";
        assert!(rest.contains(full), "{name}: {rest}");
        // A link holds nothing else that can be clicked.
        for link in page.split("<a ").skip(1) {
            let link = link.split("</a>").next().unwrap();
            assert!(!link.contains("<details"), "{name}: {link}");
        }
    }
}

/// A screen reader would read it with the sounds of the page's language.
#[test]
fn texts_of_studios_have_no_language_of_the_page() {
    for (name, part) in [
        ("games", "<p class=\"tagline\" dir=\"auto\" lang=\"\">"),
        ("creators", "<p class=\"tagline\" dir=\"auto\" lang=\"\">"),
        ("game", "<p class=\"lead\" dir=\"auto\" lang=\"\">"),
        ("creator", "<p class=\"lead\" dir=\"auto\" lang=\"\">"),
        ("creator", "<p class=\"lines\" dir=\"auto\" lang=\"\">"),
        ("board", "<p dir=\"auto\" lang=\"\">"),
        ("search", "<p dir=\"auto\" lang=\"\">"),
        ("vote", "<p dir=\"auto\" lang=\"\">"),
    ] {
        let page = page(name, Language::French);
        assert!(page.contains(part), "{name}: {part} is not in {page}");
    }
}

#[test]
fn headings_leave_out_no_level() {
    for (name, page) in pages(Language::English) {
        let levels = page.split("<h").skip(1).filter_map(|rest| {
            let mut chars = rest.chars();
            let level = chars.next()?.to_digit(10)?;
            matches!(chars.next()?, ' ' | '>').then_some(level)
        });
        let mut before = 0;
        for level in levels {
            assert!(
                level <= before + 1,
                "{name}: h{level} after h{before}: {page}"
            );
            before = level;
        }
        assert!(before > 0, "{name} has no heading: {page}");
    }
}

#[test]
fn the_map_leads_to_countries_with_listings() {
    let page = page("countries", Language::English);
    assert!(
        page.contains("<a href=\"/countries/NG\" tabindex=\"-1\">"),
        "{page}"
    );
    assert_eq!(page.matches("class=\"shade-4\"").count(), 1, "{page}");
    assert_eq!(page.matches("<circle").count(), 1, "{page}");
}

#[test]
fn empty_boards_say_so_once() {
    let said = "No votes in this period yet.";
    for (name, times) in [("empty boards", 1), ("boards", 1), ("empty board", 1)] {
        let page = page(name, Language::English);
        assert_eq!(page.matches(said).count(), times, "{name}: {page}");
    }
}

#[test]
fn a_board_that_repeats_the_one_before_has_one_line() {
    let page = page("boards", Language::English);
    let line = "So far the same as for the shorter period.";
    assert_eq!(page.matches(line).count(), 1, "{page}");
    assert_eq!(page.matches("<ol class=\"board\">").count(), 1, "{page}");
}

#[test]
fn links_stay_in_the_language_of_the_address() {
    let page = Frame {
        prefix: "/fr",
        ..frame(Language::French)
    };
    assert_eq!(page.href("/games"), "/fr/games");
    assert_eq!(page.href("/"), "/fr");
    assert_eq!(frame(Language::French).href("/games"), "/games");
    let start = Frame {
        path: "/".to_owned(),
        ..frame(Language::French)
    };
    assert_eq!(start.canonical(), "https://mchezo.example/fr");
    assert_eq!(start.default_address(), "https://mchezo.example/");
}

#[test]
fn names_are_sorted_without_accents() {
    let mut names = ["Zambie", "Égypte", "Eswatini", "Érythrée", "Algérie"];
    names.sort_by_cached_key(|name| super::sort_key(name));
    assert_eq!(
        names,
        ["Algérie", "Égypte", "Érythrée", "Eswatini", "Zambie"]
    );
}
