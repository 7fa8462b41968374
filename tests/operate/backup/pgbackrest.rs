//! pgBackRest with a repository in a folder, through the commands of `deploy/backup`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use servers::ServerUser;

/// The commands. They are copied, because the user of the server may not be able to read the checkout.
const COMMANDS: [(&str, &str); 2] = [
    ("backup", include_str!("../../../deploy/backup/backup")),
    ("restore", include_str!("../../../deploy/backup/restore")),
];

/// The repository and the configuration, in a folder of the server's user.
pub(crate) struct PgBackRest {
    user: ServerUser,
    folder: PathBuf,
}

impl PgBackRest {
    pub(crate) fn new(user: &ServerUser, folder: &Path) -> Self {
        for name in ["repository", "lock", "spool", "metrics"] {
            fs::create_dir(folder.join(name)).unwrap();
            user.give(&folder.join(name), 0o700).unwrap();
        }
        for (name, script) in COMMANDS {
            fs::write(folder.join(name), script).unwrap();
            user.give(&folder.join(name), 0o755).unwrap();
        }
        Self { user: user.clone(), folder: folder.to_owned() }
    }

    fn configuration(&self) -> PathBuf {
        self.folder.join("pgbackrest.conf")
    }

    /// Writes the configuration for this server.
    pub(crate) fn configure(&self, data: &Path, sockets: &Path, port: u16) {
        let (folder, data, sockets) = (self.folder.display(), data.display(), sockets.display());
        let configuration = format!(
            "[global]\nrepo1-path={folder}/repository\nrepo1-retention-full=2\nlock-path={folder}/lock\nspool-path={folder}/spool\n\
             log-level-file=off\nstart-fast=y\ncompress-type=zst\n\
             [fleet]\npg1-path={data}\npg1-socket-path={sockets}\npg1-port={port}\npg1-user=postgres\n"
        );
        fs::write(self.configuration(), configuration).unwrap();
        self.user.give(&self.configuration(), 0o600).unwrap();
    }

    pub(crate) fn archive_command(&self) -> String {
        let configuration = self.configuration();
        format!("pgbackrest --config={} --stanza=fleet archive-push %p", configuration.display())
    }

    /// Makes a backup; returns the metrics that the command wrote.
    pub(crate) async fn backup(&self, kind: &str) -> String {
        let output = self.command("backup", kind).await;
        assert!(output.status.success(), "{output:?}");
        fs::read_to_string(self.folder.join("metrics/backup.prom")).unwrap()
    }

    /// Restores the stopped server to a time.
    pub(crate) async fn restore(&self, time: &str) -> Output {
        self.command("restore", time).await
    }

    async fn command(&self, name: &str, argument: &str) -> Output {
        let mut command = self.user.command(Path::new("sh"), None);
        command.arg(self.folder.join(name)).arg(argument);
        command.current_dir("/");
        command.env("PGBACKREST_CONFIG", self.configuration());
        command.env("TEXTFILE_DIRECTORY", self.folder.join("metrics"));
        // These variables of the test's environment belong to other servers.
        command.env_remove("PGDATA").env_remove("PG_BIN");
        let mut command = tokio::process::Command::from(command);
        command.kill_on_drop(true).output().await.unwrap()
    }
}
