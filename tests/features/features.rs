//! The builds of the workspace give dependencies the same features.

#![expect(clippy::unwrap_used, reason = "a test")]

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

/// The dependencies of the selected packages with their features.
fn features(selected: &[&str]) -> BTreeSet<String> {
    let mut tree = Command::new(env!("CARGO"));
    tree.args(["tree", "--offline", "--locked", "--prefix=none"]);
    tree.args(["--format={p} [{f}]"]).args(selected);
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let output = tree.current_dir(root).output().unwrap();
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
