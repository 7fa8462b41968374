//! The tables of requirements and of threats: each test that they name exists.

use std::fs;
use std::path::Path;

const PAGES: [&str; 2] = ["gateway/web/ASVS.md", "deploy/THREATS.md"];

/// The beginnings of a last cell without a test, which says why.
const WITHOUT_TEST: [&str; 2] = ["none", "not met"];

/// What the last cell of a row names that is not there: a file, or a test in the file before it.
fn missing(root: &Path, cell: &str) -> Option<String> {
    let (mut file, mut source, mut tests) = ("", String::new(), 0);
    for span in cell.split('`').skip(1).step_by(2) {
        if Path::new(span).extension().is_some_and(|it| it == "rs") {
            let Ok(text) = fs::read_to_string(root.join(span)) else {
                return Some(format!("the file {span}"));
            };
            (file, source) = (span, text);
        } else if source.contains(&format!("fn {span}(")) {
            tests += 1;
        } else {
            return Some(format!("the test {span} in {file}"));
        }
    }
    let has_reason = WITHOUT_TEST.iter().any(|start| cell.starts_with(start));
    (tests == 0 && !has_reason).then(|| "a test, or a reason for none".to_owned())
}

#[test]
fn every_test_that_a_table_names_is_there() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    for page in PAGES {
        let text = fs::read_to_string(root.join(page)).unwrap();
        let rows = text.lines().filter(|line| line.starts_with("| "));
        let rows: Vec<&str> = rows
            .filter(|row| !row.starts_with("| ---") && !row.ends_with("| test |"))
            .collect();
        assert!(rows.len() > 20, "{page} has no tables");
        for row in rows {
            let cell = row.trim_end_matches([' ', '|']).rsplit('|').next();
            let missing = missing(root, cell.unwrap().trim());
            assert_eq!(missing, None, "{page}: {row}");
        }
    }
}

#[test]
fn a_file_a_test_and_a_reason_that_are_not_there_are_found() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let this = "`tests/operate/documents.rs`";
    for good in [
        "none: out of scope".to_owned(),
        format!("{this} `every_test_that_a_table_names_is_there`"),
    ] {
        assert_eq!(missing(root, &good), None);
    }
    for bad in [
        "–".to_owned(),
        this.to_owned(),
        "`tests/operate/no_file.rs` `missing`".to_owned(),
        format!("{this} `no_such_test`"),
    ] {
        assert!(missing(root, &bad).is_some(), "{bad}");
    }
}
