//! What the tree promises, held against the tree.

#![expect(clippy::unwrap_used, reason = "a test")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const SERVICES: [(&str, &str); 6] = [
    ("gateway", "gateway"),
    ("catalogue-svc", "catalogue"),
    ("listings-svc", "listings"),
    ("economy-svc", "economy"),
    ("webhook-svc", "webhook"),
    ("gateway/web", "web"),
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .unwrap()
        .to_owned()
}

/// Every file below `folder` whose name ends in `ending`; build output and state folders are left out.
fn files(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let Ok(entries) = fs::read_dir(folder) else {
        return found;
    };
    for entry in entries {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if name == "target" || name.starts_with(".fleet") || name == ".git" {
            continue;
        }
        if path.is_dir() {
            found.extend(files(&path, ending));
        } else if name.ends_with(ending) {
            found.push(path);
        }
    }
    found
}

/// The lines of a Rust file that say what it uses: `use` lines, and paths of crates in full.
fn uses(path: &Path, crates: &[&str]) -> Vec<String> {
    let text = fs::read_to_string(path).unwrap();
    // What stands behind `#[cfg(test)]` may reach further.
    let code = text.split("#[cfg(test)]").next().unwrap();
    code.lines()
        .filter(|line| !line.trim_start().starts_with("//"))
        .filter(|line| {
            crates.iter().any(|name| {
                let path = format!("{name}::");
                line.match_indices(&path).any(|(at, _)| {
                    let before = line[..at].chars().next_back();
                    !before.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == ':')
                })
            })
        })
        .map(ToOwned::to_owned)
        .collect()
}

fn assert_uses_none(folder: &str, crates: &[&str]) {
    for (service, _) in SERVICES {
        for file in files(&root().join(service).join("src").join(folder), ".rs") {
            let found = uses(&file, crates);
            assert!(
                found.is_empty(),
                "{} reaches past its layer: {found:?}",
                file.display()
            );
        }
    }
}

#[test]
fn domain_modules_are_pure() {
    assert_uses_none(
        "domain",
        &[
            "sqlx", "tonic", "axum", "tokio", "redis", "reqwest", "hyper",
        ],
    );
}

#[test]
fn stores_know_nothing_of_the_wire() {
    assert_uses_none("store", &["tonic", "axum", "hyper", "redis"]);
}

#[test]
fn routes_know_nothing_of_the_database() {
    assert_uses_none("routes", &["sqlx", "redis"]);
}

/// The crates whose top-level modules depend on each other in one direction only.
const LAYERED: [&str; 8] = [
    "gateway",
    "catalogue-svc",
    "listings-svc",
    "economy-svc",
    "webhook-svc",
    "gateway/web",
    "proto/kit",
    "deploy/fleet",
];

/// Which top-level modules of a crate each of them uses, by `crate::…` paths.
fn module_uses(source: &Path) -> BTreeMap<String, BTreeSet<String>> {
    let mut uses: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for file in files(source, ".rs") {
        let below = file.strip_prefix(source).unwrap();
        let top = below.iter().next().unwrap().to_string_lossy();
        let module = top.trim_end_matches(".rs");
        if ["lib", "main", "bin"].contains(&module) {
            continue;
        }
        let text = fs::read_to_string(&file).unwrap();
        let code = text.split("#[cfg(test)]").next().unwrap();
        let code = code
            .lines()
            .filter(|line| !line.trim_start().starts_with("//"));
        let code = code.collect::<Vec<_>>().join("\n");
        let used = uses.entry(module.to_owned()).or_default();
        for path in code.split("crate::").skip(1) {
            // `crate::{a::B, c}` names several.
            let names = match path.strip_prefix('{') {
                Some(list) => list.split(';').next().unwrap(),
                None => path
                    .split(|c: char| !c.is_alphanumeric() && c != '_')
                    .next()
                    .unwrap(),
            };
            for name in names.split([',', '{', '}']) {
                let name = name.trim().split("::").next().unwrap();
                if name != module {
                    used.insert(name.to_owned());
                }
            }
        }
    }
    let modules: BTreeSet<String> = uses.keys().cloned().collect();
    for used in uses.values_mut() {
        used.retain(|name| modules.contains(name));
    }
    uses
}

#[test]
fn no_modules_use_each_other_in_a_circle() {
    for folder in LAYERED {
        let mut uses = module_uses(&root().join(folder).join("src"));
        assert!(!uses.is_empty(), "{folder} has no modules");
        // A module that uses none of the rest is in no circle; without it others may be so, too.
        loop {
            let rest: BTreeSet<String> = uses.keys().cloned().collect();
            let before = uses.len();
            uses.retain(|_, used| used.iter().any(|name| rest.contains(name)));
            if uses.len() == before {
                break;
            }
        }
        assert!(
            uses.is_empty(),
            "{folder}: these modules use each other in a circle, or lead to one: {uses:?}"
        );
    }
}

#[test]
fn feed_tables_are_the_kits() {
    for (service, schema) in SERVICES {
        let path = root().join(service).join("migrations/0001_baseline.sql");
        let baseline = fs::read_to_string(path).unwrap();
        let has = |tables: &str| baseline.contains(&tables.replace("kit.", &format!("{schema}.")));
        assert!(has(kit::lease::TABLE), "{service}: the lease of the kit");
        // listings-svc and web follow no feed.
        let is_follower = !["listings", "web"].contains(&schema);
        assert_eq!(
            has(kit::feed::CONSUMER_TABLES),
            is_follower,
            "{service}: the tables of a follower, against the kit's"
        );
        assert_eq!(
            has(kit::feed::PRODUCER_TABLES),
            baseline.contains("feed_head"),
            "{service}: the tables of a producer, against the kit's"
        );
    }
}

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

#[test]
fn the_top_level_is_as_agreed() {
    let allowed = [
        "Cargo.toml",
        "Cargo.lock",
        "README.md",
        "gateway",
        "catalogue-svc",
        "listings-svc",
        "economy-svc",
        "webhook-svc",
        "proto",
        "deploy",
        "tests",
        "target",
    ];
    for entry in fs::read_dir(root()).unwrap() {
        let name = entry.unwrap().file_name().to_string_lossy().into_owned();
        assert!(
            name.starts_with('.') || allowed.contains(&name.as_str()),
            "`{name}` does not belong at the top level"
        );
    }
}

#[test]
fn every_service_has_a_readme_and_is_listed() {
    let readme = fs::read_to_string(root().join("README.md")).unwrap();
    for (service, _) in SERVICES {
        assert!(
            root().join(service).join("README.md").exists(),
            "{service} has no README.md"
        );
        assert!(
            readme.contains(&format!("({service}/")),
            "README.md does not link to {service}"
        );
    }
}

/// The dependencies of the selected packages with their features.
fn features(selected: &[&str]) -> BTreeSet<String> {
    let mut tree = Command::new(env!("CARGO"));
    tree.args(["tree", "--offline", "--locked", "--prefix=none"]);
    tree.args(["--format={p} [{f}]"]).args(selected);
    let output = tree.current_dir(root()).output().unwrap();
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "cargo tree: {complaint}");
    let text = String::from_utf8(output.stdout).unwrap();
    let packages = text.lines().filter(|line| !line.is_empty());
    packages
        .map(|line| line.trim_end_matches(" (*)").to_owned())
        .collect()
}

/// A dependency with other features is compiled again: `deploy/up`, `deploy/test` and `deploy/test -p CRATE` share one build.
#[test]
fn dependencies_have_the_same_features_in_every_build() {
    let all_edges = "--edges=normal,build,dev";
    let whole = features(&["--workspace", all_edges]);
    let packages = features(&["--workspace", "--depth=0"]);
    assert!(packages.len() > 5, "{packages:?}");
    let selected = features(&["-p", "features", "--edges=normal"]);
    for package in &packages {
        // The launcher has no library, and its dependencies are few.
        let is_selected = selected.contains(package) || package.starts_with("fleet ");
        assert!(is_selected, "tests/features/Cargo.toml lacks {package}");
    }
    let mut builds = vec![(
        "deploy/up".to_owned(),
        features(&["--workspace", "--edges=normal,build"]),
    )];
    for package in &packages {
        let name = package.split(' ').next().unwrap();
        let selected = ["-p", name, "-p", "features", all_edges];
        builds.push((format!("deploy/test -p {name}"), features(&selected)));
    }
    for (build, features) in builds {
        let other: Vec<_> = features.difference(&whole).collect();
        assert!(
            other.is_empty(),
            "{build} compiles dependencies with other features than the workspace; name the crate that adds them in tests/features/Cargo.toml: {other:?}"
        );
    }
}

/// Targets of Markdown links in `text` that are paths.
fn links(text: &str) -> Vec<&str> {
    text.match_indices("](")
        .filter_map(|(at, _)| text[at + 2..].split(')').next())
        .filter(|target| {
            // Texts of the public site link to its pages.
            let is_elsewhere = target.contains("://") || target.starts_with("mailto:");
            !is_elsewhere && !target.starts_with(['#', '/', '{'])
        })
        .collect()
}

#[test]
fn every_path_that_a_page_links_to_exists() {
    for page in files(&root(), ".md") {
        let text = fs::read_to_string(&page).unwrap();
        for link in links(&text) {
            let path = link.split('#').next().unwrap();
            let target = page.parent().unwrap().join(path);
            assert!(
                target.exists(),
                "{} links to {link}, which is not there",
                page.display()
            );
        }
    }
}

/// The files and folders that a page names in code spans, by paths from the top.
fn named_paths(text: &str) -> impl Iterator<Item = &str> {
    // Builds and fleets write the folders that git ignores: which files they have depends on what ran.
    let ignored = fs::read_to_string(root().join(".gitignore")).unwrap();
    let spans = text.split('`').skip(1).step_by(2);
    spans.filter(move |span| {
        let top = span.split('/').next().unwrap();
        let is_ignored = ignored
            .lines()
            .any(|line| line.strip_prefix('/') == Some(top));
        let is_top = !top.is_empty() && !is_ignored && root().join(top).is_dir();
        let is_path = |c: char| c.is_ascii_alphanumeric() || "/._-".contains(c);
        span.contains('/') && is_top && span.chars().all(is_path)
    })
}

#[test]
fn every_file_that_a_page_names_exists() {
    for page in files(&root(), ".md") {
        let text = fs::read_to_string(&page).unwrap();
        for path in named_paths(&text) {
            let folders = [&root(), &root().join("proto"), page.parent().unwrap()];
            let is_there = folders.iter().any(|folder| folder.join(path).exists());
            assert!(
                is_there,
                "{} names {path}, which is not there",
                page.display()
            );
        }
    }
}

/// The pages of the contract, which share one numbering.
const CONTRACT_PAGES: [&str; 3] = [
    "proto/CONTRACT.md",
    "proto/DECISIONS.md",
    "proto/ACCOUNT-API.md",
];

/// The numbers of a page: of headings (`### 2.5 Countries`), and of rules that begin with one (`**5.7 One's own.**`).
fn section_numbers(page: &str) -> Vec<String> {
    let text = fs::read_to_string(root().join(page)).unwrap();
    text.lines()
        .filter(|line| line.starts_with('#') || line.starts_with("**"))
        .map(|line| section_number(line.trim_start_matches(['#', '*', ' '])))
        .filter(|number| !number.is_empty())
        .collect()
}

/// The number that `text` begins with, without a full stop after it.
fn section_number(text: &str) -> String {
    let number: String = text
        .chars()
        .take_while(|c| c.is_ascii_digit() || *c == '.')
        .collect();
    number.trim_end_matches('.').to_owned()
}

#[test]
fn every_section_that_a_comment_or_a_page_names_is_in_the_contract() {
    let numbers: BTreeSet<String> = CONTRACT_PAGES
        .into_iter()
        .flat_map(section_numbers)
        .collect();
    for ending in [".rs", ".proto", ".sql", ".md"] {
        for file in files(&root(), ending) {
            let text = fs::read_to_string(&file).unwrap();
            for (at, mark) in text.match_indices('§') {
                let number = section_number(&text[at + mark.len()..]);
                assert!(
                    number.is_empty() || numbers.contains(&number),
                    "{} names §{number}, which the contract does not have",
                    file.display()
                );
            }
        }
    }
}

/// Metaphors, and adjectives or participles that stand for a noun: no name of a type, a module or a function is one of these. The
/// field's words are in their place: `acquire`, `shed`, `reject`, `snapshot`, `index`, `batch`, `transition`.
const RETIRED_NAMES: [&str; 71] = [
    "act",
    "amended",
    "amendment",
    "anteroom",
    "apart",
    "applied",
    "asked",
    "away",
    "beside",
    "bury",
    "buried",
    "changed",
    "coming",
    "dealt",
    "deed",
    "desk",
    "done",
    "door",
    "fresh",
    "gate",
    "guesses",
    "happened",
    "illustration",
    "issued",
    "keep",
    "kept",
    "known",
    "lists",
    "lost",
    "maker",
    "mark",
    "moment",
    "nearest",
    "now_and_then",
    "objection",
    "opening",
    "openings",
    "outgoing",
    "own",
    "paged",
    "parts",
    "patience",
    "placed",
    "reached",
    "readdress",
    "room",
    "rooms",
    "seat",
    "seats",
    "seeds",
    "sending",
    "settle",
    "shelf",
    "standing",
    "stored",
    "take_on",
    "take_in",
    "taken",
    "tell",
    "telling",
    "throw",
    "thrown",
    "together",
    "told",
    "tried",
    "turn",
    "turn_away",
    "wanted",
    "way",
    "whoever",
    "world",
];

/// The name that a line of Rust gives to a type, a module or a function.
fn declared_name(line: &str) -> Option<&str> {
    let keywords = ["struct ", "enum ", "trait ", "type ", "mod ", "fn "];
    let (at, keyword) = keywords
        .iter()
        .filter_map(|keyword| Some((line.find(keyword)?, keyword)))
        .min()?;
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    let before = &line[..at];
    // Only `pub`, `pub(crate)`, `async`, `const` and the like may stand before it.
    let is_declaration = before.chars().all(|c| is_name(c) || " ():".contains(c));
    let name = line[at + keyword.len()..].split(|c| !is_name(c)).next()?;
    (is_declaration && !name.is_empty()).then_some(name)
}

#[test]
fn no_name_is_a_retired_word() {
    let snake_case = |name: &str| {
        let mut words = String::new();
        for (at, c) in name.char_indices() {
            if c.is_uppercase() && at > 0 {
                words.push('_');
            }
            words.extend(c.to_lowercase());
        }
        words
    };
    let mut found = Vec::new();
    for file in files(&root(), ".rs") {
        let path = file.strip_prefix(root()).unwrap().to_owned();
        if !path.iter().any(|part| part == "src") || path.iter().any(|part| part == "generated") {
            continue;
        }
        let text = fs::read_to_string(&file).unwrap();
        let declared = text.lines().map(str::trim_start).filter_map(declared_name);
        let module = file.file_stem().unwrap().to_string_lossy();
        for name in declared.chain([&*module]) {
            if RETIRED_NAMES.contains(&snake_case(name).as_str()) {
                found.push(format!("{}: {name}", path.display()));
            }
        }
    }
    assert!(found.is_empty(), "names that say too little: {found:#?}");
}
