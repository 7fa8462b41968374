//! The staff tool sends a token only to addresses from the same source as the token.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Output;
use std::sync::{Arc, Mutex};

use tempfile::TempDir;
use tokio::net::TcpListener;
use tonic::codegen::http::Response;

use crate::staff::tool;

/// A server that records the token of each call, and refuses the call.
struct Recorder {
    address: String,
    tokens: Arc<Mutex<Vec<String>>>,
}

impl Recorder {
    async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let tokens = Arc::<Mutex<Vec<String>>>::default();
        let recorded = Arc::clone(&tokens);
        tokio::spawn(async move {
            while let Ok((socket, _)) = listener.accept().await {
                let recorded = Arc::clone(&recorded);
                tokio::spawn(async move {
                    let Ok(mut connection) = h2::server::handshake(socket).await else {
                        return;
                    };
                    while let Some(Ok((request, mut respond))) = connection.accept().await {
                        let token = request.headers().get("authorization");
                        let token = token
                            .map_or("", |token| token.to_str().unwrap())
                            .trim_start_matches("Bearer ")
                            .to_owned();
                        recorded.lock().unwrap().push(token);
                        let response = Response::builder()
                            .header("content-type", "application/grpc")
                            .header("grpc-status", "7")
                            .header("grpc-message", "recorded");
                        respond.send_response(response.body(()).unwrap(), true).unwrap();
                    }
                });
            }
        });
        Self { address, tokens }
    }

    /// The tokens of the calls since the last call of this function.
    fn tokens(&self) -> Vec<String> {
        std::mem::take(&mut self.tokens.lock().unwrap())
    }
}

/// A home folder and a working folder.
struct Folders(TempDir);

impl Folders {
    fn new() -> Self {
        let folder = TempDir::new().unwrap();
        std::fs::create_dir_all(folder.path().join("work/.fleet")).unwrap();
        std::fs::create_dir_all(folder.path().join("home/.config/mchezo")).unwrap();
        Self(folder)
    }

    fn path(&self, name: &str) -> String {
        self.0.path().join(name).display().to_string()
    }

    /// Writes the profile of a fleet in the working folder.
    fn fleet(&self, text: &str) -> String {
        write_profile(self.path("work/.fleet/staff.toml"), text)
    }

    fn remove_fleet(&self) {
        std::fs::remove_file(self.path("work/.fleet/staff.toml")).unwrap();
    }

    /// Writes the profile in the home folder.
    fn profile(&self, text: &str) -> String {
        write_profile(self.path("home/.config/mchezo/staff.toml"), text)
    }

    fn command(&self, variables: &[(&str, &str)]) -> std::process::Command {
        let mut command = tool();
        command
            .env_clear()
            .current_dir(self.path("work"))
            .env("HOME", self.path("home"))
            .envs(variables.iter().copied());
        command
    }

    /// Runs the tool; returns its exit status and its standard error.
    async fn run(&self, variables: &[(&str, &str)], args: &[&str]) -> (i32, String) {
        let mut command = self.command(variables);
        command.args(args);
        let Output { status, stderr, .. } = output(command).await;
        (status.code().unwrap(), String::from_utf8(stderr).unwrap())
    }
}

async fn output(mut command: std::process::Command) -> Output {
    let output = tokio::task::spawn_blocking(move || command.output().unwrap());
    output.await.unwrap()
}

fn write_profile(path: String, text: &str) -> String {
    std::fs::write(&path, text).unwrap();
    std::fs::set_permissions(Path::new(&path), PermissionsExt::from_mode(0o600)).unwrap();
    path
}

#[tokio::test]
async fn a_fleet_in_the_working_folder_gets_only_its_own_token() {
    let stranger = Recorder::start().await;
    let folders = Folders::new();
    let listings = format!("listings = \"{}\"\n", stranger.address);
    folders.fleet(&format!("token = \"found\"\n{listings}"));
    folders.profile("token = \"home\"\nlistings = \"http://127.0.0.1:9\"\n");
    let secret = [("STAFF_TOKEN", "secret")];

    let (status, remark) = folders.run(&secret, &["whoami"]).await;
    assert_eq!((status, stranger.tokens()), (1, vec!["found".to_owned()]));
    assert!(remark.contains("STAFF_TOKEN is not used"), "{remark}");

    folders.fleet(&listings);
    let (status, complaint) = folders.run(&secret, &["whoami"]).await;
    assert_eq!(status, 2, "{complaint}");
    assert!(complaint.contains("no staff token"), "{complaint}");
    assert!(stranger.tokens().is_empty());
}

#[tokio::test]
async fn a_token_is_sent_only_to_the_addresses_of_its_source() {
    let [own, stranger] = [Recorder::start().await, Recorder::start().await];
    let folders = Folders::new();
    let own_profile = format!("token = \"home\"\nlistings = \"{}\"\n", own.address);
    let profile = folders.profile(&own_profile);
    let secret = ("STAFF_TOKEN", "secret");
    let address = ("STAFF_LISTINGS", stranger.address.as_str());

    let (status, complaint) = folders.run(&[address], &["whoami"]).await;
    assert_eq!(status, 2, "{complaint}");
    assert!(complaint.contains("set STAFF_TOKEN"), "{complaint}");
    assert!(stranger.tokens().is_empty() && own.tokens().is_empty());

    // The environment takes precedence over the default profile, and a profile named on the command line over the environment.
    folders.run(&[secret, address], &["whoami"]).await;
    assert_eq!(stranger.tokens(), ["secret"]);
    let named = ["whoami", "--profile", &profile];
    folders.run(&[secret, address], &named).await;
    assert_eq!(own.tokens(), ["home"]);
    folders.run(&[], &["whoami"]).await;
    assert_eq!(own.tokens(), ["home"]);

    folders.profile(&format!("listings = \"{}\"\n", own.address));
    let (status, complaint) = folders.run(&[secret], &["whoami"]).await;
    assert_eq!(status, 2, "{complaint}");
    assert!(complaint.contains("staff.toml") && complaint.contains("STAFF_TOKEN"));
    assert!(own.tokens().is_empty() && stranger.tokens().is_empty());
}

#[tokio::test]
async fn a_fleet_in_the_working_folder_precedes_the_home_profile() {
    let [own, found] = [Recorder::start().await, Recorder::start().await];
    let folders = Folders::new();
    let profile = |token: &str, at: &Recorder| {
        format!("token = \"{token}\"\nlistings = \"{}\"\n", at.address)
    };
    folders.profile(&profile("home", &own));
    folders.fleet(&profile("found", &found));
    folders.run(&[], &["whoami"]).await;
    assert_eq!((found.tokens(), own.tokens()), (vec!["found".to_owned()], vec![]));
    folders.remove_fleet();
    folders.run(&[], &["whoami"]).await;
    assert_eq!((found.tokens(), own.tokens()), (vec![], vec!["home".to_owned()]));
}
