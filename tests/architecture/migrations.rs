//! The release before can live with each migration.

use std::fs;

use crate::{SERVICES, files, root};

/// The changes of a migration with which replicas of the release before it would fail. A file whose first comment begins with
/// `contract: since` and a version removes what that release and later ones do not use (`deploy/UPGRADES.md`).
fn breaking_changes(sql: &str) -> Vec<&'static str> {
    let first = sql.lines().map_while(|line| line.strip_prefix("--"));
    let mut versions = first.filter_map(|line| line.trim().strip_prefix("contract: since "));
    if versions.any(|version| version.starts_with(|c: char| c.is_ascii_digit())) {
        return Vec::new();
    }
    let code = sql.lines().filter_map(|line| line.split("--").next());
    let code = code.collect::<Vec<_>>().join(" ").to_lowercase();
    code.split(';').flat_map(breaking_actions).collect()
}

/// The same for one statement.
fn breaking_actions(statement: &str) -> Vec<&'static str> {
    let words: Vec<&str> = statement.split_whitespace().collect();
    match words.as_slice() {
        ["drop", "table", ..] => return vec!["drop table"],
        ["alter", rest @ ..] if rest.contains(&"rename") => return vec!["rename"],
        ["alter", "table", ..] => {}
        _ => return Vec::new(),
    }
    let mut depth = 0;
    let actions = statement.split(|c: char| {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        c == ',' && depth == 0
    });
    actions.filter_map(breaking_action).collect()
}

/// The same for one action of `alter table`; the first one has the name of the table before it.
fn breaking_action(action: &str) -> Option<&'static str> {
    let words: Vec<&str> = action.split_whitespace().collect();
    let words = match words.as_slice() {
        ["alter", "table", "if", "exists", "only", _, words @ ..]
        | ["alter", "table", "if", "exists", _, words @ ..]
        | ["alter", "table", "only", _, words @ ..]
        | ["alter", "table", _, words @ ..] => words,
        _ => words.as_slice(),
    };
    let has = |sequence: &[&str]| words.windows(sequence.len()).any(|it| it == sequence);
    let has_value = || {
        words
            .iter()
            .any(|word| word.starts_with("default") || *word == "generated")
    };
    match words {
        ["drop", "constraint", ..]
        | [
            "add",
            "constraint" | "primary" | "unique" | "check" | "foreign" | "exclude",
            ..,
        ] => None,
        ["drop", ..] => Some("drop column"),
        ["alter", ..] if has(&["type"]) => Some("alter column … type"),
        ["alter", ..] if has(&["set", "not", "null"]) => Some("set not null"),
        ["add", ..] if has(&["not", "null"]) && !has_value() => {
            Some("add column … not null without default")
        }
        _ => None,
    }
}

#[test]
fn breaking_changes_are_found() {
    for (sql, expected) in [
        ("alter table s.t drop column a", &["drop column"][..]),
        ("alter table s.t add column a text;", &[]),
        (
            "alter table s.t add a int not null default 0, add b text",
            &[],
        ),
        ("alter table s.t add a int check (a is not null)", &[]),
        (
            "alter table s.t drop constraint c, alter column a drop not null",
            &[],
        ),
        (
            "alter table s.t add constraint c check (a > 0) not valid",
            &[],
        ),
        ("create table s.t (a int not null); -- drop table s.u;", &[]),
        (
            "-- contract: since 0.3.0: 0.2 wrote it\nalter table s.t drop column a;",
            &[],
        ),
        (
            "-- no-transaction\n-- contract: since 0.3.0\ndrop table s.t;",
            &[],
        ),
        ("-- contract: since\ndrop table s.t;", &["drop table"]),
        (
            "create index i on s.t (a);\nDrop Table s.t;",
            &["drop table"],
        ),
        (
            "alter table only s.t\n    drop a, drop b;",
            &["drop column", "drop column"],
        ),
        ("alter table s.t rename column a to b", &["rename"]),
        ("alter table if exists s.t rename to u", &["rename"]),
        (
            "alter table s.t alter column a type bigint",
            &["alter column … type"],
        ),
        (
            "alter table s.t alter a set data type bigint",
            &["alter column … type"],
        ),
        ("alter table s.t alter a set not null", &["set not null"]),
        (
            "alter table s.t add b numeric(3, 1), add column a int not null",
            &["add column … not null without default"],
        ),
    ] {
        assert_eq!(breaking_changes(sql), expected, "{sql}");
    }
}

#[test]
fn the_release_before_can_live_with_each_migration() {
    for (service, _) in SERVICES {
        for file in files(&root().join(service).join("migrations"), ".sql") {
            if file.ends_with("0001_baseline.sql") {
                continue;
            }
            let found = breaking_changes(&fs::read_to_string(&file).unwrap());
            assert!(
                found.is_empty(),
                "{}: the release before it would fail ({}): see deploy/UPGRADES.md",
                file.display(),
                found.join(", ")
            );
        }
    }
}
