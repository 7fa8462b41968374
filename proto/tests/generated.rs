//! The Rust that is committed under `src/generated` is what the `.proto` files of this folder say. It is committed so that no build
//! waits for a compiler of contracts; this test runs that compiler (protox: no `protoc` is needed).
#![expect(clippy::unwrap_used, reason = "a test")]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::{fs, io};

use prost_types::FileDescriptorSet;
use prost_types::field_descriptor_proto::Type;
use protox::Compiler;
use tonic_prost_build::Builder;

/// The folders of contracts.
const PACKAGES: [&str; 7] = [
    "common",
    "catalogue",
    "listings",
    "gateway",
    "economy",
    "webhook",
    "web",
];

/// Messages that the staff tool prints as JSON.
const JSON_MESSAGES: [&str; 25] = [
    ".common.v1.AuditEntry",
    ".catalogue.v1.ListingVoter",
    ".catalogue.v1.VoterResult",
    ".economy.v1.BookedTip",
    ".economy.v1.CurrencyName",
    ".economy.v1.HeldReport",
    ".economy.v1.Report",
    ".economy.v1.Swap",
    ".gateway.v1.Account",
    ".gateway.v1.Key",
    ".gateway.v1.KeyRequest",
    ".gateway.v1.Plan",
    ".gateway.v1.Switch",
    ".listings.v1.Claim",
    ".listings.v1.Difference",
    ".listings.v1.FoundListing",
    ".listings.v1.ImportResponse",
    ".listings.v1.ImportedRow",
    ".listings.v1.Listing",
    ".listings.v1.ListingName",
    ".listings.v1.Member",
    ".listings.v1.Owner",
    ".listings.v1.QueueItem",
    ".listings.v1.WhoAmIResponse",
    ".web.v1.Person",
];

/// Fields whose JSON differs from their name or type.
const JSON_FIELDS: [(&str, &str); 13] = [
    (".common.v1.AuditEntry.entity", "rename = \"kind\""),
    (
        ".common.v1.AuditEntry.details",
        "serialize_with = \"crate::json::value\"",
    ),
    (".economy.v1.Swap.id", "rename = \"swap\""),
    (".economy.v1.BookedTip.id", "rename = \"tip\""),
    (".economy.v1.Report.id", "rename = \"report\""),
    (".gateway.v1.Key.revision", "skip"),
    (".gateway.v1.KeyRequest.revision", "skip"),
    (".listings.v1.FoundListing.name", "flatten"),
    (".listings.v1.Listing.name", "flatten"),
    (".listings.v1.QueueItem.name", "flatten"),
    (
        ".listings.v1.ImportResponse.refused",
        "rename = \"refused_rows\"",
    ),
    (
        ".listings.v1.ImportResponse.refused_count",
        "rename = \"refused\"",
    ),
    (
        ".listings.v1.ImportResponse.existing",
        "rename = \"existing_rows\"",
    ),
];

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
    // Served by gRPC reflection: encoded by protox itself, which keeps options that prost does not know.
    let descriptors = compiler.encode_file_descriptor_set();
    fs::write(out.join("descriptors.bin"), descriptors).unwrap();

    let descriptors = compiler.file_descriptor_set();
    with_json(tonic_prost_build::configure(), &descriptors)
        .bytes(".")
        .out_dir(out)
        .compile_fds(descriptors)
        .unwrap();
}

/// Lets the messages that the staff tool prints be written as JSON.
fn with_json(mut config: Builder, descriptors: &FileDescriptorSet) -> Builder {
    let derive = "#[derive(serde::Serialize)]";
    let mut enums = BTreeSet::new();
    for file in &descriptors.file {
        for message in &file.message_type {
            let name = format!(".{}.{}", file.package(), message.name());
            if !JSON_MESSAGES.contains(&name.as_str()) {
                continue;
            }
            config = config.message_attribute(&name, derive);
            for field in &message.field {
                let attribute = match (field.r#type(), field.type_name()) {
                    (_, ".google.protobuf.Timestamp") => "crate::json::timestamp".to_owned(),
                    (Type::Enum, path) => {
                        enums.insert(path.to_owned());
                        format!(
                            "crate::json::enumerated::<crate{}, _>",
                            path.replace('.', "::")
                        )
                    }
                    _ => continue,
                };
                let attribute = format!("#[serde(serialize_with = \"{attribute}\")]");
                config = config.field_attribute(format!("{name}.{}", field.name()), attribute);
            }
        }
    }
    for file in &descriptors.file {
        for values in &file.enum_type {
            let name = format!(".{}.{}", file.package(), values.name());
            if enums.contains(&name) {
                let unspecified = format!("{name}.{}", values.value[0].name());
                config = config
                    .enum_attribute(&name, derive)
                    .enum_attribute(&name, "#[serde(rename_all = \"snake_case\")]")
                    .field_attribute(unspecified, "#[serde(rename = \"\")]");
            }
        }
    }
    JSON_FIELDS
        .iter()
        .fold(config, |config, (field, attribute)| {
            config.field_attribute(field, format!("#[serde({attribute})]"))
        })
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
