//! podman with its own images and containers, and the image of the fleet with the binaries of this build.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use e2e::binaries;
use nix::sys::resource::{Resource, getrlimit};
use tempfile::TempDir;
use tokio::process::Command;

use super::{SERVICES, deploy, run};

pub(super) const IMAGE: &str = "localhost/mchezo";

pub(super) struct Podman {
    /// On the disk of the build, because images are large and contain hard links to the binaries.
    folder: TempDir,
    /// The state of running containers, at a short path as podman requires.
    state: TempDir,
}

impl Podman {
    /// For containers without a network.
    pub(super) fn new() -> Self {
        let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        let state = tempfile::Builder::new().prefix("ct-").tempdir_in("/tmp").unwrap();
        let graph = folder.path().join("graph").display().to_string();
        let below = |name: &str| state.path().join(name).display().to_string();
        let (run_root, temporary) = (below("run"), below("tmp"));
        let storage = format!(
            "[storage]\ndriver = \"overlay\"\ngraphroot = \"{graph}\"\nrunroot = \"{run_root}\"\n"
        );
        // The machine may have cgroups of both versions, which crun does not support, and lower limits than podman's defaults.
        let (_, files) = getrlimit(Resource::RLIMIT_NOFILE).unwrap();
        let settings = format!(
            r#"[containers]
default_ulimits = ["nofile={files}:{files}", "nproc=1000:1000"]
[engine]
cgroup_manager = "cgroupfs"
events_logger = "file"
runtime = "runc"
tmp_dir = "{temporary}"
"#
        );
        fs::write(state.path().join("storage.conf"), storage).unwrap();
        fs::write(state.path().join("containers.conf"), settings).unwrap();
        Self { folder, state }
    }

    /// For containers with networks, which need netavark, aardvark-dns and iptables.
    pub(super) fn with_networks() -> Self {
        let podman = Self::new();
        let folder = podman.state.path().join("networks");
        fs::create_dir(&folder).unwrap();
        let file = podman.state.path().join("containers.conf");
        let settings = fs::read_to_string(&file).unwrap();
        let folder = folder.display();
        let networks = format!(
            "[network]\nnetwork_backend = \"netavark\"\nnetwork_config_dir = \"{folder}\"\n"
        );
        fs::write(file, settings + &networks).unwrap();
        podman
    }

    /// A program that uses these images and containers.
    pub(super) fn program(&self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        let mut command = Command::new(program);
        let file = |name: &str| self.state.path().join(name);
        command.env("CONTAINERS_STORAGE_CONF", file("storage.conf"));
        command.env("CONTAINERS_CONF", file("containers.conf"));
        command.kill_on_drop(true);
        command
    }

    pub(super) fn command(&self, args: &[&str]) -> Command {
        let mut podman = self.program("podman");
        podman.args(args);
        podman
    }

    /// A folder with the files for an image.
    pub(super) fn context(&self, name: &str) -> PathBuf {
        let folder = self.folder.path().join(name);
        fs::create_dir_all(&folder).unwrap();
        folder
    }

    pub(super) async fn build(&self, image: &str, instructions: &str, context: &Path) {
        let file = self.state.path().join("Containerfile");
        fs::write(&file, instructions).unwrap();
        self.build_file(image, &file, context, &[]).await;
    }

    async fn build_file(&self, image: &str, file: &Path, context: &Path, options: &[&str]) {
        let mut build =
            self.command(&["build", "--quiet", "--pull=never", "--tag", image, "--file"]);
        run(build.arg(file).args(options).arg(context)).await;
    }

    /// Builds [`IMAGE`]: the stage `runtime` of the Containerfile, on a base with only the C libraries of this machine, and with the binaries of this
    /// build instead of those that the Containerfile compiles.
    pub(super) async fn build_fleet(&self) {
        let base = self.context("base");
        let libraries = run(Command::new("ldd").arg(binaries().join("gateway"))).await;
        let paths = libraries.split_whitespace().filter(|it| it.starts_with('/'));
        for path in paths {
            let copy = base.join(&path[1..]);
            fs::create_dir_all(copy.parent().unwrap()).unwrap();
            fs::copy(path, copy).unwrap();
        }
        fs::create_dir(base.join("tmp")).unwrap();
        let everybody = fs::Permissions::from_mode(0o1777);
        fs::set_permissions(base.join("tmp"), everybody).unwrap();
        self.build("localhost/base", "FROM scratch\nCOPY . /\n", &base).await;

        let options = ["--target=runtime", "--build-arg=BASE=localhost/base"];
        let file = deploy("Containerfile");
        let nothing = self.context("nothing");
        self.build_file("localhost/runtime", &file, &nothing, &options).await;

        let image = self.context("image");
        fs::create_dir(image.join("bin")).unwrap();
        for binary in SERVICES.map(|it| it.0).into_iter().chain(["staff"]) {
            fs::hard_link(binaries().join(binary), image.join("bin").join(binary)).unwrap();
        }
        let instructions = "FROM localhost/runtime\nCOPY bin/ /usr/local/bin/\n";
        self.build(IMAGE, instructions, &image).await;
    }
}

impl Drop for Podman {
    /// Removes containers after a failed test, and the layers of images, which only podman can remove.
    fn drop(&mut self) {
        for args in [
            &["rm", "--all", "--force", "--time=0"][..],
            &["volume", "prune", "--force"],
            &["rmi", "--all", "--force"],
        ] {
            drop(self.command(args).into_std().output());
        }
    }
}
