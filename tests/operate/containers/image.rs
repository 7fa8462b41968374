//! The image with the binaries of this build, as confined as compose and Kubernetes run it.

use std::fs;
use std::process::Output;

use super::podman::{IMAGE, Podman};
use super::{SERVICES, deploy, run};

const CONFINED: [&str; 8] = [
    "run",
    "--rm",
    "--pull=never",
    "--network=none",
    "--read-only",
    "--read-only-tmpfs=false",
    "--cap-drop=all",
    "--security-opt=no-new-privileges",
];

#[tokio::test]
#[ignore = "long: makes an image"]
async fn every_program_runs_without_any_privilege() {
    let podman = Podman::new();
    podman.build_fleet().await;
    let confined = async |options: &[&str], command: &[&str]| -> Output {
        let args = [&CONFINED[..], options, &[IMAGE], command].concat();
        podman.command(&args).output().await.unwrap()
    };
    let text = |output: &Output| {
        let [said, complained] =
            [&output.stdout, &output.stderr].map(|it| String::from_utf8_lossy(it));
        format!("{said}{complained}")
    };

    for (service, _) in SERVICES {
        let version = confined(&[], &[service, "--version"]).await;
        assert!(version.status.success(), "{}", text(&version));
        assert!(text(&version).starts_with(&format!("{service} ")), "{}", text(&version));
    }
    let help = confined(&[], &["staff", "--help"]).await;
    assert!(help.status.success(), "{}", text(&help));
    // The tool opens the file before it finds that nothing listens.
    let nobody =
        ["--interactive", "--env=STAFF_TOKEN=token", "--env=STAFF_LISTINGS=http://127.0.0.1:7000"];
    let import = ["staff", "listing", "import", "--kind=game", "/dev/stdin"];
    let import = confined(&nobody, &import).await;
    assert_eq!(import.status.code(), Some(3), "{}", text(&import));
    // Nothing listens on the admin port.
    let check = confined(&[], &["gateway", "healthcheck"]).await;
    assert_eq!(check.status.code(), Some(1));
    assert!(text(&check).contains("127.0.0.1:9000 does not answer"), "{}", text(&check));

    let inspect = ["image", "inspect", "--format={{.Config.User}} {{.Config.Entrypoint}}", IMAGE];
    assert_eq!(run(&mut podman.command(&inspect)).await.trim(), "10001:10001 []");
}

#[test]
fn the_image_is_built_with_every_program_and_with_a_compiler_that_is_new_enough() {
    let text = fs::read_to_string(deploy("Containerfile")).unwrap();
    let programs = SERVICES.map(|it| it.0).join(" ");
    assert!(text.contains(&format!("install -D -t /out {programs} staff")), "{text}");
    let workspace = fs::read_to_string(deploy("../Cargo.toml")).unwrap();
    let version = workspace.split("rust-version = \"").nth(1).unwrap().split('"').next().unwrap();
    assert!(text.contains(&format!("library/rust:{version}-")), "{text}");
}
