//! The release before can live with each migration, and its writes do not wait for one.

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
    code(sql).split(';').flat_map(breaking_actions).collect()
}

/// A migration in lower case, without its comments.
fn code(sql: &str) -> String {
    let lines = sql.lines().filter_map(|line| line.split("--").next());
    lines.collect::<Vec<_>>().join(" ").to_lowercase()
}

/// What replicas of the release before may use.
const DROPS: [&str; 7] = [
    "drop table",
    "drop schema",
    "drop view",
    "drop materialized view",
    "drop function",
    "drop type",
    "drop sequence",
];

/// The same as [`breaking_changes`] for one statement.
fn breaking_actions(statement: &str) -> Vec<&'static str> {
    let words: Vec<&str> = statement.split_whitespace().collect();
    match words.as_slice() {
        ["drop", ..] => {
            let statement = words.join(" ");
            let found = DROPS.into_iter().find(|drop| statement.starts_with(*drop));
            return found.into_iter().collect();
        }
        ["alter", rest @ ..] if rest.contains(&"rename") => return vec!["rename"],
        ["alter", "table", ..] => {}
        _ => return Vec::new(),
    }
    actions(statement).filter_map(breaking_action).collect()
}

/// The actions of a statement of `alter table`; the first one has the name of the table before it.
fn actions(statement: &str) -> impl Iterator<Item = &str> {
    let mut depth = 0;
    statement.split(move |c: char| {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        c == ',' && depth == 0
    })
}

/// The words of an action of `alter table`, without the name of the table.
fn words_of_action(action: &str) -> Vec<&str> {
    let words: Vec<&str> = action.split_whitespace().collect();
    match words.as_slice() {
        ["alter", "table", "if", "exists", "only", _, words @ ..]
        | ["alter", "table", "if", "exists", _, words @ ..]
        | ["alter", "table", "only", _, words @ ..]
        | ["alter", "table", _, words @ ..] => words.to_vec(),
        _ => words,
    }
}

/// Whether words contain a sequence of words.
fn has(words: &[&str], sequence: &[&str]) -> bool {
    words.windows(sequence.len()).any(|it| it == sequence)
}

/// The same as [`breaking_actions`] for one action of `alter table`.
fn breaking_action(action: &str) -> Option<&'static str> {
    let words = words_of_action(action);
    let has = |sequence: &[&str]| has(&words, sequence);
    let has_value = || {
        words
            .iter()
            .any(|word| word.starts_with("default") || *word == "generated")
    };
    match words.as_slice() {
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

/// The statements of a migration that lock a table against writes while they read all of its rows. A table that the migration itself creates
/// has none.
fn long_locks(sql: &str) -> Vec<&'static str> {
    let code = code(sql);
    let created: Vec<&str> = (code.split(';'))
        .filter(|statement| statement.trim_start().starts_with("create table"))
        .filter_map(table)
        .collect();
    code.split(';')
        .filter(|statement| table(statement).is_none_or(|table| !created.contains(&table)))
        .flat_map(locking_actions)
        .collect()
}

/// The table of a statement: its first name with a schema.
fn table(statement: &str) -> Option<&str> {
    let mut words = statement.split(|c: char| c.is_whitespace() || c == '(');
    words.find(|word| word.contains('.'))
}

/// The same as [`long_locks`] for one statement on a table that has rows.
fn locking_actions(statement: &str) -> Vec<&'static str> {
    let words: Vec<&str> = statement.split_whitespace().collect();
    match words.as_slice() {
        ["create", "index", next, ..] | ["create", "unique", "index", next, ..]
            if *next != "concurrently" =>
        {
            vec!["create index without concurrently"]
        }
        ["alter", "table", ..] => actions(statement).filter_map(locking_action).collect(),
        _ => Vec::new(),
    }
}

/// The same for one action of `alter table`.
fn locking_action(action: &str) -> Option<&'static str> {
    let action = action.replace('(', " (");
    let words = words_of_action(&action);
    match words.as_slice() {
        ["add", "constraint", _, "check" | "foreign", ..] | ["add", "check" | "foreign", ..]
            if !has(&words, &["not", "valid"]) =>
        {
            Some("add constraint without not valid")
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
        (
            "drop view s.v; drop materialized  view s.m;",
            &["drop view", "drop materialized view"],
        ),
        ("drop schema if exists s cascade", &["drop schema"]),
        (
            "drop function s.f(text);\ndrop type s.e;\ndrop sequence s.q;",
            &["drop function", "drop type", "drop sequence"],
        ),
        ("drop index s.i; drop trigger g on s.t", &[]),
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

#[test]
fn long_locks_are_found() {
    for (sql, expected) in [
        (
            "create index i on s.t (a)",
            &["create index without concurrently"][..],
        ),
        (
            "Create Unique Index if not exists i\n    on only s.t(a);",
            &["create index without concurrently"],
        ),
        (
            "-- no-transaction\ncreate index concurrently i on s.t (a);",
            &[],
        ),
        (
            "create unique index concurrently if not exists i on s.t (a)",
            &[],
        ),
        (
            "create table s.t(a int);\ncreate index i on s.t (a); alter table s.t add check (a > 0)",
            &[],
        ),
        (
            "create table if not exists s.u (a int); create index i on s.t (a)",
            &["create index without concurrently"],
        ),
        (
            "alter table s.t drop constraint c;\nalter table s.t add constraint c check(a in ('b', 'c'));",
            &["add constraint without not valid"],
        ),
        (
            "alter table only s.t add constraint f foreign key (a) references s.u on delete cascade, add check (a > 0)",
            &[
                "add constraint without not valid",
                "add constraint without not valid",
            ],
        ),
        (
            "alter table s.t add constraint c check (a > 0) not valid, add foreign key (a) references s.u not valid",
            &[],
        ),
        ("alter table s.t validate constraint c", &[]),
        ("-- create index i on s.t (a)", &[]),
    ] {
        assert_eq!(long_locks(sql), expected, "{sql}");
    }
}

#[test]
fn no_migration_locks_a_table_while_it_reads_all_rows() {
    for (service, _) in SERVICES {
        for file in files(&root().join(service).join("migrations"), ".sql") {
            if file.ends_with("0001_baseline.sql") {
                continue;
            }
            let found = long_locks(&fs::read_to_string(&file).unwrap());
            assert!(
                found.is_empty(),
                "{}: writes would wait ({}): see deploy/UPGRADES.md",
                file.display(),
                found.join(", ")
            );
        }
    }
}
