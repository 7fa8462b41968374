//! Staff commands on pages, games and events.

use image::codecs::png::PngEncoder;
use image::{Rgb, RgbImage};

use super::*;
use crate::own_pictures::{COVER, added};

/// Runs the tool with `EDITOR` set to this command.
async fn edit_with(service: &Service, token: &str, editor: &str, args: &[&str]) -> Ran {
    let mut command = tool();
    command
        .args(args)
        .env("STAFF_TOKEN", token)
        .env("STAFF_LISTINGS", &service.address)
        .env_remove("VISUAL")
        .env("EDITOR", editor)
        .stdin(std::process::Stdio::null());
    let output = tokio::task::spawn_blocking(move || command.output().unwrap());
    Ran(output.await.unwrap())
}

#[testing::database_test(listings::MIGRATOR)]
async fn an_edit_comes_from_the_command_line_a_file_or_standard_input(pool: PgPool) {
    let (service, token) = reviewed(pool).await;
    service.accounts().await.game("a-game").await;
    let edit = ["--json", "game", "edit", "a-game"];
    let (_folder, path) = file("changes.json", r#"{"tagline": "From a file"}"#);
    for (more, input, revision) in [
        (&["--changes", r#"{"tagline": "Typed"}"#][..], "", 2),
        (&["--file", &path], "", 3),
        (&["--file", "-"], r#"{"tagline": "From a pipe"}"#, 4),
        (&["--file", "-", "--revision", "4"], r#"{"tagline": null}"#, 5),
    ] {
        let ran = staff_with(&service, &token, &[&edit[..], more].concat(), input).await;
        assert_eq!(ran.status(), 0, "{ran:?}");
        assert_eq!(ran.document()["listing"]["revision"], revision, "{ran:?}");
    }
    for (more, status, words) in [
        // The listing is at revision 5.
        (&["--changes", r#"{"tagline": "x"}"#, "--revision", "4"][..], 1, "changed"),
        (&["--changes", "{}", "--file", "-"], 2, "cannot be used with"),
        (&["--file", "/nowhere.json"], 2, "/nowhere.json cannot be read"),
        (&["--changes", "[]"], 1, "JSON object"),
    ] {
        let ran = staff_with(&service, &token, &[&edit[..], more].concat(), "").await;
        assert_eq!(ran.status(), status, "{ran:?}");
        assert!(ran.complaint().contains(words), "{words}: {ran:?}");
    }
}

#[testing::database_test(listings::MIGRATOR)]
async fn an_edit_opens_the_editor(pool: PgPool) {
    let (service, token) = reviewed(pool).await;
    service.accounts().await.game("a-game").await;
    let edit = ["--json", "game", "edit", "a-game"];
    let title = |title: &str| format!(r#"sed -i 's/"title": .*/"title": "{title}",/'"#);
    let ran = edit_with(&service, &token, &title("B"), &edit).await;
    assert_eq!(ran.status(), 0, "{ran:?}");
    assert_eq!(ran.document()["listing"]["title"], "B");
    assert_eq!(ran.document()["listing"]["revision"], 2);

    let ran = edit_with(&service, &token, "true", &edit).await;
    assert_eq!(ran.status(), 0, "{ran:?}");
    assert!(ran.complaint().contains("nothing was changed"), "{ran:?}");
    let ran = edit_with(&service, &token, "false", &edit).await;
    assert_eq!(ran.status(), 2, "{ran:?}");
    assert!(ran.complaint().contains("the editor failed"), "{ran:?}");
    let ran = edit_with(&service, &token, "", &edit).await;
    assert_eq!(ran.status(), 2, "{ran:?}");
    assert!(ran.complaint().contains("set EDITOR"), "{ran:?}");
    let seen = [&edit[..], &["--revision", "1"]].concat();
    let ran = edit_with(&service, &token, &title("C"), &seen).await;
    assert_eq!(ran.status(), 1, "{ran:?}");
    assert!(ran.complaint().contains("revision 2 now"), "{ran:?}");

    // An edit that is refused is kept in a file, so that it can be corrected and sent.
    for (editor, status) in [(title(""), 1), ("echo no >>".to_owned(), 2)] {
        let ran = edit_with(&service, &token, &editor, &edit).await;
        assert_eq!(ran.status(), status, "{ran:?}");
        let complaint = ran.complaint();
        let (_, path) = complaint.split_once("are kept in ").unwrap();
        let (path, hint) = path.split_once(": ").unwrap();
        assert!(hint.contains("staff game edit a-game --file"), "{hint}");
        assert!(!std::fs::read_to_string(path).unwrap().is_empty());
        std::fs::remove_file(path).unwrap();
    }
}

#[testing::database_test(listings::MIGRATOR)]
async fn a_page_is_named_page_in_commands_and_responses(pool: PgPool) {
    let (service, token) = reviewed(pool).await;
    let args = ["--json", "page", "show", "studio"];
    let document = staff_with(&service, &token, &args, "").await.document();
    let name = serde_json::json!({"kind": "page", "mode": "live", "name": "studio"});
    assert_eq!(document["listing"]["name"], name);
    let args = ["--json", "listing", "search", "studio", "--kind", "page"];
    let document = staff_with(&service, &token, &args, "").await.document();
    assert_eq!(document["listings"][0]["name"]["kind"], "page");
}

#[testing::database_test(listings::MIGRATOR)]
async fn a_reviewer_saves_the_picture_of_a_submission(pool: PgPool) {
    let (service, token) = reviewed(pool).await;
    let accounts = service.accounts().await;
    accounts.game("a-game").await;
    // Noise, whose file the tool reads in several parts.
    let noise = |x: u32, y: u32| {
        let mixed = (x ^ (y << 11)).wrapping_mul(0x9E37_79B1);
        Rgb((mixed ^ (mixed >> 15)).to_be_bytes()[..3].try_into().unwrap())
    };
    let mut upload = Vec::new();
    RgbImage::from_fn(1_200, 675, noise).write_with_encoder(PngEncoder::new(&mut upload)).unwrap();
    let cover = added(&service, accounts.account, (COVER, "a-game"), &upload).await;
    let stored = std::fs::read(service.folder().join(cover.path())).unwrap();
    assert!(stored.len() > 300_000, "{}", stored.len());

    let (_folder, path) = file("cover.jpg", "");
    let url = format!("https://mchezo.example{}", cover.address());
    let save = async |url: &str, path: &str| {
        staff_with(&service, &token, &["picture", "save", url, path], "").await
    };
    let saved = save(&url, &path).await;
    assert_eq!(saved.status(), 0, "{saved:?}");
    assert!(std::fs::read(&path).unwrap() == stored, "the whole file");
    let unknown = save(&format!("{}.jpg", "0".repeat(64)), &path).await;
    assert_eq!(unknown.status(), 1, "{unknown:?}");
    assert!(std::fs::read(&path).unwrap() == stored, "it stays as it was");
    let nowhere = save(&url, &format!("{path}/cover.jpg")).await;
    assert_eq!(nowhere.status(), 2, "{nowhere:?}");
}
