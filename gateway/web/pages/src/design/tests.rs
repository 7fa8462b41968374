//! The page of components has samples of the components that pages are made of, and no copies.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use super::*;
use crate::language::Language;
use crate::site::tests::part_samples::frame;

/// The text of every template below a folder, by its path.
fn templates(folder: &Path) -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(templates(&path));
        } else {
            let text = fs::read_to_string(&path).unwrap();
            found.push((path, text));
        }
    }
    found
}

/// The classes that a template writes out, without those that follow from a value.
fn classes(template: &str) -> BTreeSet<&str> {
    let values = template.split("class=\"").skip(1);
    let fixed = values.filter_map(|rest| rest.split(['"', '{']).next());
    fixed.flat_map(str::split_whitespace).collect()
}

/// A sample that is written out would stay as it is when the component of the pages changes.
#[test]
fn samples_are_the_components_of_the_pages() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("templates");
    let (own, others): (Vec<_>, Vec<_>) = templates(&folder)
        .into_iter()
        .partition(|(path, _)| path.ends_with("site/design.html"));
    let own = classes(&own[0].1);
    for component in [
        "question",
        "copy-line",
        "secret",
        "chip",
        "chips",
        "state",
        "legend",
        "switch",
    ] {
        assert!(!own.contains(component), "{component} is a copy");
    }
    // Buttons, messages and tables are elements with a class, which other templates must have too. Colours and icons are samples of
    // themselves.
    let others: BTreeSet<&str> = others.iter().flat_map(|(_, text)| classes(text)).collect();
    let unknown: Vec<&str> = own.difference(&others).copied().collect();
    assert_eq!(unknown, ["swatch", "symbols"]);
}

#[test]
fn every_symbol_and_family_is_shown() {
    let frame = frame(Language::English);
    let page = ComponentsPage::new(frame).render().unwrap();
    for symbol in icon::names() {
        assert!(page.contains(&format!("#{symbol}\"")), "{symbol}");
    }
    for family in Family::ALL {
        let picture = drawn("games", family.country());
        assert!(page.contains(family.name()), "{family:?}");
        assert!(page.contains(&picture.src), "{family:?}");
    }
    for part in [
        "<ul class=\"stores\"",
        "<svg class=\"ranks\"",
        "<ol class=\"board\">",
        "class=\"shade-4\"",
        "<ul class=\"places\">",
        "class=\"chip removal\"",
        "<details class=\"amount\">",
        "<details class=\"share\">",
        "<div class=\"problem summary\"",
        "<input id=\"name\" name=\"name\" type=\"text\"",
        "aria-invalid=\"true\"",
        "<textarea id=\"about\"",
        "<select id=\"stage\"",
        "type=\"checkbox\"",
        "type=\"file\"",
        "<details class=\"question\">",
        "<details class=\"switch\">",
        "<ul class=\"chips\"",
        "<ul class=\"legend\">",
        "<span class=\"state good\">",
        "<p class=\"copy-line\">",
        "<div class=\"code\">",
        "<div class=\"tabs\">",
        "<svg class=\"bar\"",
        "<rect class=\"limited\"",
        "aria-label=\"Shells for one Cowrie. ",
        "aria-label=\"Calls by day. ",
    ] {
        assert!(page.contains(part), "{part}");
    }
    // The script focuses the errors of a refused form, and these are of none.
    assert!(page.contains("<div data-sample>"));
    let ids = page.split(" id=\"").skip(1);
    let mut ids: Vec<&str> = ids.filter_map(|rest| rest.split('"').next()).collect();
    let count = ids.len();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), count, "{ids:?}");
}
