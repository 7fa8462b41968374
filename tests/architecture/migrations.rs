//! The previous release keeps working after each migration, and no migration blocks its writes for long.

use std::fs;

use crate::{SERVICES, files, root};

/// Statements that remove what replicas of the previous release may use. They are allowed in a file that starts with the comment `contract: since`
/// and a version: no release from that version on uses what the file removes (`deploy/UPGRADES.md`).
const BREAKING: [&str; 8] = [
    "drop table",
    "drop schema",
    "drop view",
    "drop materialized view",
    "drop function",
    "drop type",
    "drop column",
    " rename ",
];

/// Why a statement (in lower case) may not run while replicas of the previous release write. `created` are the tables that the same migration
/// creates.
fn fault(statement: &str, created: &[&str]) -> Option<&'static str> {
    let words: Vec<&str> = statement.split_whitespace().collect();
    let statement = words.join(" ");
    let has = |text: &str| statement.contains(text);
    let is_contract = created.contains(&"contract");
    if let Some(found) = BREAKING.into_iter().find(|it| has(it)) {
        return (!is_contract).then_some(found);
    }
    if words.iter().any(|word| created.iter().any(|table| word.split('(').next() == Some(*table))) {
        return None;
    }
    if has("create index ") || has("create unique index ") {
        return (!has("index concurrently")).then_some("create index without concurrently");
    }
    if !statement.starts_with("alter table") || is_contract {
        return None;
    }
    if has(" alter ") && (has(" type ") || has("set not null")) {
        return Some("alter column … type, or set not null");
    }
    if has(" add ") && has("not null") && !has("default") && !has("generated") && !has("check") {
        return Some("add column … not null without default");
    }
    let is_constraint = has("add constraint") || has("add check") || has("add foreign");
    (is_constraint && !has("not valid")).then_some("add constraint without not valid")
}

fn faults(sql: &str) -> Vec<&'static str> {
    let mut comments = sql.lines().map_while(|line| line.strip_prefix("--"));
    let is_contract = comments.any(|line| {
        let version = line.trim().strip_prefix("contract: since ");
        version.is_some_and(|it| it.starts_with(|c: char| c.is_ascii_digit()))
    });
    let code = sql
        .lines()
        .filter_map(|line| line.split("--").next())
        .collect::<Vec<_>>()
        .join(" ")
        .to_lowercase();
    let mut created: Vec<&str> = code
        .split("create table ")
        .skip(1)
        .filter_map(|rest| rest.split([' ', '(']).next())
        .collect();
    created.extend(is_contract.then_some("contract"));
    code.split(';').filter_map(|statement| fault(statement, &created)).collect()
}

#[test]
fn each_kind_of_fault_is_found() {
    for (sql, expected) in [
        ("alter table s.t drop column a", Some("drop column")),
        ("alter table s.t add column a text, add b int not null default 0;", None),
        ("create table s.t (a int not null); -- drop table s.u;", None),
        ("-- contract: since 0.3.0: 0.2 wrote it\nalter table s.t drop column a;", None),
        ("-- contract: since\ndrop table s.t;", Some("drop table")),
        ("alter table s.t rename column a to b", Some(" rename ")),
        (
            "alter table s.t alter column a type bigint",
            Some("alter column … type, or set not null"),
        ),
        ("alter table s.t add a int not null", Some("add column … not null without default")),
        ("Create Unique Index i\n    on s.t(a);", Some("create index without concurrently")),
        ("-- no-transaction\ncreate index concurrently i on s.t (a);", None),
        (
            "create table s.t(a int);\ncreate index i on s.t (a); alter table s.t add check (a > 0)",
            None,
        ),
        (
            "alter table s.t add constraint c check(a in ('b', 'c'));",
            Some("add constraint without not valid"),
        ),
        ("alter table s.t add constraint c check (a > 0) not valid", None),
    ] {
        assert_eq!(faults(sql).first().copied(), expected, "{sql}");
    }
}

#[test]
fn the_previous_release_works_with_each_migration() {
    for (service, _) in SERVICES {
        for file in files(&root().join(service).join("migrations"), ".sql") {
            let found = faults(&fs::read_to_string(&file).unwrap());
            let is_baseline = file.ends_with("0001_baseline.sql");
            assert!(
                is_baseline || found.is_empty(),
                "{}: see deploy/UPGRADES.md ({})",
                file.display(),
                found.join(", ")
            );
        }
    }
}
