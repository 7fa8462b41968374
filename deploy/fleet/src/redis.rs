//! Starts a private Redis.

use std::io::{BufRead, BufReader, Write};
use std::net::{Ipv4Addr, TcpStream};
use std::time::Duration;

use anyhow::{Result, bail};
use nix::sys::signal::Signal;

use crate::folder::Folder;
use crate::postgres::DataFolders;
use crate::process::Spec;

/// The oldest version that has all commands of the quota script.
const MIN_VERSION: (u32, u32) = (6, 2);
/// How long Redis may take to answer.
const TIMEOUT: Duration = Duration::from_secs(3);

/// How to start a private Redis.
pub(crate) fn spec(
    folders: &DataFolders,
    folder: &Folder,
    port: u16,
    password: &str,
    durable: bool,
) -> Result<Spec> {
    // Without eviction no quota is lost. The append-only file keeps everything but the last second, and everything if only Redis crashes.
    let fsync = if durable { "everysec" } else { "no" };
    let settings = format!(
        "port {port}\nrequirepass {password}\nmaxmemory-policy noeviction\nappendonly yes\nappendfsync {fsync}"
    );
    let kill_signal = Signal::SIGKILL;
    Ok(Spec {
        name: "redis".to_owned(),
        command: servers::redis::server(
            &folders.user,
            Some(kill_signal),
            &folders.redis,
            &settings,
        )?,
        stop_signal: Signal::SIGTERM,
        kill_signal,
        log: folder.log("redis"),
    })
}

/// The URL of a private Redis.
pub(crate) fn url(port: u16, password: &str) -> String {
    format!("redis://:{password}@127.0.0.1:{port}/")
}

/// The version of a private Redis; `None` while nothing listens, or while Redis loads its data.
pub(crate) fn version(port: u16, password: &str) -> Option<String> {
    let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).ok()?;
    stream.set_read_timeout(Some(TIMEOUT)).ok()?;
    let commands = format!("AUTH {password}\r\nPING\r\nINFO server\r\nQUIT\r\n");
    stream.write_all(commands.as_bytes()).ok()?;
    let mut lines = BufReader::new(stream).lines().map_while(Result::ok);
    lines.find(|line| line == "+PONG")?;
    lines.find_map(|line| Some(line.strip_prefix("redis_version:")?.to_owned()))
}

/// Fails for a version that is too old.
pub(crate) fn require(version: &str) -> Result<()> {
    let mut numbers = version.split('.').map_while(|part| part.parse::<u32>().ok());
    let (major, minor) = (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0));
    if (major, minor) < MIN_VERSION {
        bail!(
            "Redis {version} is too old: install {}.{} or newer, or set REDIS_URL to another one",
            MIN_VERSION.0,
            MIN_VERSION.1
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_compared_as_numbers() {
        for good in ["6.2.0", "6.10.1", "7.0.15", "10.0"] {
            require(good).unwrap();
        }
        for old in ["6.0.16", "5.0.14", "nonsense"] {
            assert!(require(old).unwrap_err().to_string().contains("too old"), "{old}");
        }
    }
}
