//! Generates Rust from the `.proto` files of this folder with protox, so that no system `protoc` is needed.

#![expect(
    clippy::disallowed_methods,
    reason = "cargo tells a build script where it is by variables"
)]

use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let root = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?);
    let out = PathBuf::from(env::var("OUT_DIR")?);
    let mut files = Vec::new();
    for package in ["common", "catalogue", "listings", "gateway"] {
        println!("cargo::rerun-if-changed={package}");
        collect(&root.join(package), &mut files)?;
    }
    files.sort();

    let mut compiler = protox::Compiler::new([&root])?;
    compiler.include_source_info(true).include_imports(true);
    compiler.open_files(&files)?;
    // Served by gRPC reflection: encoded by protox itself, which keeps options that prost does not know.
    fs::write(
        out.join("descriptors.bin"),
        compiler.encode_file_descriptor_set(),
    )?;

    tonic_prost_build::configure()
        .bytes(".")
        // The staff tool writes these as they are.
        .type_attribute(".gateway.v1.Plan", "#[derive(serde::Serialize)]")
        .type_attribute(".listings.v1.Picture", "#[derive(serde::Serialize)]")
        .compile_fds(compiler.file_descriptor_set())?;
    Ok(())
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, files)?;
        } else if path.extension().is_some_and(|e| e == "proto") {
            files.push(path);
        }
    }
    Ok(())
}
