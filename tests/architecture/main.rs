//! Checks the source tree against the rules for its layers, documents and migrations.

#![expect(clippy::unwrap_used, reason = "a test")]

mod documents;
mod migrations;

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
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

/// All files below `folder` whose names end in `ending`, without build output and state folders.
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

/// The lines of a Rust file without comments and without the items that only tests have.
fn product_code(path: &Path) -> Vec<String> {
    let text = fs::read_to_string(path).unwrap();
    let indent = |line: &str| line.len() - line.trim_start().len();
    let (mut code, mut lines) = (Vec::new(), text.lines());
    while let Some(line) = lines.next() {
        if line.trim() == "#[cfg(test)]" {
            // rustfmt puts the end of an item at the indentation of its beginning.
            lines.find(|end| indent(end) == indent(line) && end.ends_with([';', '}', ',']));
        } else if !line.trim_start().starts_with("//") {
            code.push(line.to_owned());
        }
    }
    code
}

/// The lines of a Rust file that name these crates in a path.
fn uses(path: &Path, crates: &[&str]) -> Vec<String> {
    product_code(path)
        .into_iter()
        .filter(|line| {
            crates.iter().any(|name| {
                let path = format!("{name}::");
                line.match_indices(&path).any(|(at, _)| {
                    let before = line[..at].chars().next_back();
                    !before.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == ':')
                })
            })
        })
        .collect()
}

fn assert_uses_none(folder: &str, services: &[&str], crates: &[&str]) {
    for service in services {
        let files = files(&root().join(service).join("src").join(folder), ".rs");
        assert!(!files.is_empty(), "{service} has no {folder}");
        for file in files {
            let found = uses(&file, crates);
            assert!(found.is_empty(), "{} reaches past its layer: {found:?}", file.display());
        }
    }
}

#[test]
fn domain_modules_are_pure() {
    assert_uses_none(
        "domain",
        &SERVICES.map(|(service, _)| service),
        &["sqlx", "tonic", "axum", "tokio", "redis", "reqwest", "hyper"],
    );
}

#[test]
fn stores_use_neither_grpc_nor_http_nor_redis() {
    let services = SERVICES.map(|(service, _)| service);
    assert_uses_none("store", &services, &["tonic", "axum", "hyper", "redis"]);
}

#[test]
fn routes_use_neither_sql_nor_redis() {
    assert_uses_none("routes", &["gateway"], &["sqlx", "redis"]);
}

/// Crates whose top-level modules do not depend on each other in cycles.
const LAYERED: [&str; 11] = [
    "gateway",
    "catalogue-svc",
    "listings-svc",
    "listings-svc/staff",
    "economy-svc",
    "webhook-svc",
    "webhook-svc/tool",
    "gateway/web",
    "gateway/web/pages",
    "proto/kit",
    "deploy/fleet",
];

/// The top-level modules that each top-level module of a crate uses by a `crate::…` path.
fn module_uses(source: &Path) -> BTreeMap<String, BTreeSet<String>> {
    let mut uses: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for file in files(source, ".rs") {
        let below = file.strip_prefix(source).unwrap();
        let top = below.iter().next().unwrap().to_string_lossy();
        let module = top.trim_end_matches(".rs");
        if ["lib", "main", "bin"].contains(&module) {
            continue;
        }
        let code = product_code(&file).join("\n");
        let used = uses.entry(module.to_owned()).or_default();
        for path in code.split("crate::").skip(1) {
            // `crate::{a::B, c}` names several modules.
            let names = match path.strip_prefix('{') {
                Some(list) => list.split(';').next().unwrap(),
                None => path.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap(),
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
fn no_modules_depend_on_each_other_in_a_cycle() {
    for folder in LAYERED {
        let mut uses = module_uses(&root().join(folder).join("src"));
        assert!(!uses.is_empty(), "{folder} has no modules");
        // A module that uses none of the remaining ones is in no cycle. Remove it, then look again.
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
fn feed_and_lease_tables_match_those_of_the_kit() {
    for (service, schema) in SERVICES {
        let migrations: String = files(&root().join(service).join("migrations"), ".sql")
            .into_iter()
            .map(|file| fs::read_to_string(file).unwrap())
            .collect();
        let has =
            |tables: &str| migrations.contains(&tables.replace("kit.", &format!("{schema}.")));
        assert!(has(kit::jobs::LEASE_TABLE), "{service}: the lease of the kit");
        // listings-svc and web follow no feed, and catalogue-svc keeps the feed that it follows in memory.
        let is_follower = !["listings", "web", "catalogue"].contains(&schema);
        assert_eq!(
            has(kit::feed::CONSUMER_TABLES),
            is_follower,
            "{service}: the tables of a follower, against the kit's"
        );
        assert_eq!(
            has(kit::feed::PRODUCER_TABLES),
            migrations.contains("feed_head"),
            "{service}: the tables of a producer, against the kit's"
        );
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
        // The receiver of the examples stores its messages here; git ignores them.
        "messages.db",
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
        assert!(root().join(service).join("README.md").exists(), "{service} has no README.md");
        assert!(readme.contains(&format!("({service}/")), "README.md does not link to {service}");
    }
}

/// The dependencies of the selected packages, with their features.
fn features(selected: &[&str]) -> BTreeSet<String> {
    let mut tree = Command::new(env!("CARGO"));
    tree.args(["tree", "--offline", "--locked", "--prefix=none"]);
    tree.args(["--format={p} [{f}]"]).args(selected);
    let output = tree.current_dir(root()).output().unwrap();
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "cargo tree: {complaint}");
    let text = String::from_utf8(output.stdout).unwrap();
    let packages = text.lines().filter(|line| !line.is_empty());
    packages.map(|line| line.trim_end_matches(" (*)").to_owned()).collect()
}

/// Cargo recompiles a dependency whose features differ, but `deploy/up`, `deploy/test` and `deploy/test -p CRATE` should share one build.
#[test]
#[ignore = "long: asks cargo for the tree of each build"]
fn dependencies_have_the_same_features_in_every_build() {
    let all_edges = "--edges=normal,build,dev";
    let whole = features(&["--workspace", all_edges]);
    let packages = features(&["--workspace", "--depth=0"]);
    assert!(packages.len() > 5, "{packages:?}");
    let selected = features(&["-p", "features", "--edges=normal"]);
    for package in &packages {
        // The launcher, the programs of a local fleet and the tool for receivers have no library, and few dependencies of their own.
        let is_selected = selected.contains(package)
            || ["fleet ", "seed ", "webhook-tool "].iter().any(|name| package.starts_with(name));
        assert!(is_selected, "tests/features/Cargo.toml lacks {package}");
    }
    let mut builds =
        vec![("deploy/up".to_owned(), features(&["--workspace", "--edges=normal,build"]))];
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

/// `deploy/test` skips ignored tests. `deploy/test --long` runs them, except those that are only run by hand: measurements, and pictures to look at.
#[test]
fn an_ignored_test_is_long_or_by_hand() {
    let attribute = concat!("#[", "ignore");
    let mut wrong = Vec::new();
    for file in files(&root(), ".rs") {
        let text = fs::read_to_string(&file).unwrap();
        for ignored in text.split(attribute).skip(1) {
            let (reason, rest) = ignored.split_once("]\n").unwrap();
            let name = rest.split_once("fn ").unwrap().1.split('(').next().unwrap();
            let is_right = if name.starts_with("by_hand_") {
                reason.starts_with(" = \"by hand: ")
            } else {
                reason.starts_with(" = \"long: ")
            };
            if !is_right {
                wrong.push(format!("{}: {name}{reason}", file.display()));
            }
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
}
