//! The Rust code that is committed under `src/generated` matches the `.proto` files of this folder. It is committed so that no build compiles the
//! contracts. This test compiles them, with protox, which needs no `protoc`.
#![expect(clippy::unwrap_used, reason = "a test")]

use std::path::{Path, PathBuf};
use std::{fs, io};

use protox::Compiler;

const PACKAGES: [&str; 7] =
    ["common", "catalogue", "listings", "gateway", "economy", "webhook", "web"];

#[test]
fn the_committed_code_is_what_the_contracts_say() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let committed = root.join("src/generated");
    let fresh = tempfile::tempdir().unwrap();
    generate(root, fresh.path());

    let mut stale = Vec::new();
    for name in names(fresh.path()).iter().chain(&names(&committed)) {
        let wanted = fs::read(fresh.path().join(name)).ok();
        if wanted == fs::read(committed.join(name)).ok() {
            continue;
        }
        match wanted {
            Some(wanted) => fs::write(committed.join(name), wanted).unwrap(),
            None => fs::remove_file(committed.join(name)).unwrap(),
        }
        stale.push(name.clone());
    }
    assert!(
        stale.is_empty(),
        "{} did not follow the .proto files and is written anew: look at the difference and commit it",
        stale.join(", ")
    );
}

/// Writes the Rust of every contract, and their descriptors, to `out`.
fn generate(root: &Path, out: &Path) {
    let mut files = Vec::new();
    for package in PACKAGES {
        collect(&root.join(package), &mut files).unwrap();
    }
    files.sort();

    let mut compiler = Compiler::new([root]).unwrap();
    compiler.include_source_info(true).include_imports(true);
    compiler.open_files(&files).unwrap();
    // For gRPC reflection and the staff tool: encoded by protox itself, which keeps options that prost does not know.
    let descriptors = compiler.encode_file_descriptor_set();
    fs::write(out.join("descriptors.bin"), descriptors).unwrap();

    tonic_prost_build::configure()
        .bytes(".")
        .codec_path("crate::codec::SizedCodec")
        .out_dir(out)
        .compile_fds(compiler.file_descriptor_set())
        .unwrap();
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, files)?;
        } else if path.extension().is_some_and(|ending| ending == "proto") {
            files.push(path);
        }
    }
    Ok(())
}

fn names(folder: &Path) -> Vec<String> {
    fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect()
}
