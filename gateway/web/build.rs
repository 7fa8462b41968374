//! Names the state of the public pages' code and texts, which is a part of their `ETag`: after an update, browsers load pages anew.

use std::fs;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io;
use std::path::{Path, PathBuf};

/// What public pages are made of, relative to the crate's folder.
const SOURCES: [&str; 12] = [
    "src/site",
    "src/docs",
    "src/guides",
    "src/reference",
    "src/domain",
    "pages/src",
    "pages/templates",
    "pages/texts",
    "pages/articles",
    "pages/docs",
    "pages/assets",
    "../../webhook-svc/receiver/examples",
];

fn files(folder: &Path, found: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            files(&path, found)?;
        } else {
            found.push(path);
        }
    }
    Ok(())
}

fn main() -> io::Result<()> {
    let mut found = Vec::new();
    for source in SOURCES {
        println!("cargo::rerun-if-changed={source}");
        files(Path::new(source), &mut found)?;
    }
    found.sort();
    let mut hash = DefaultHasher::new();
    for file in found {
        fs::read(file)?.hash(&mut hash);
    }
    println!("cargo::rustc-env=PAGES_VERSION={:016x}", hash.finish());
    Ok(())
}
