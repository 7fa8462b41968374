//! The page of components has samples of the components that pages are made of, and no copies.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

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
