//! Starts a private Redis.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::{Ipv4Addr, TcpStream};
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use nix::sys::signal::Signal;

use crate::folder::Folder;
use crate::postgres::DataFolders;
use crate::process::Spec;
use crate::program;

/// The oldest version that has all commands of the quota script.
const MIN_VERSION: (u32, u32) = (6, 2);
/// How long Redis may take to answer.
const TIMEOUT: Duration = Duration::from_secs(3);

/// How to start a private Redis. Its settings are in a file, because arguments show in the process list.
pub(crate) fn spec(
    folders: &DataFolders,
    folder: &Folder,
    port: u16,
    password: &str,
    durable: bool,
) -> Result<Spec> {
    let program = program::find("redis-server").context("redis-server is missing")?;
    let file = folders.redis.join("redis.conf");
    fs::write(&file, settings(&folders.redis, port, password, durable)?)
        .with_context(|| format!("cannot write {}", file.display()))?;
    folders.set_owner(&file, 0o600)?;
    Ok(Spec {
        name: "redis".to_owned(),
        program,
        args: vec![file.into()],
        env: Vec::new(),
        user: folders.user.clone(),
        stop_signal: Signal::SIGTERM,
        kill_signal: Signal::SIGKILL,
        log: folder.log("redis"),
    })
}

fn settings(dir: &Path, port: u16, password: &str, durable: bool) -> Result<String> {
    let dir = dir
        .to_str()
        .filter(|dir| !dir.contains(['"', '\\', '\n']))
        .with_context(|| {
            format!(
                "Redis cannot use the folder {}: choose one without quotes and backslashes with --dir",
                dir.display()
            )
        })?;
    // Without eviction no quota is lost. The append-only file keeps everything but the last second, and everything if only Redis crashes.
    let fsync = if durable { "everysec" } else { "no" };
    Ok(format!(
        "bind 127.0.0.1\nport {port}\nrequirepass {password}\ndir \"{dir}\"\n\
         maxmemory-policy noeviction\nappendonly yes\nappendfsync {fsync}\nsave \"\"\n"
    ))
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
    let mut numbers = version
        .split('.')
        .map_while(|part| part.parse::<u32>().ok());
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
            assert!(
                require(old).unwrap_err().to_string().contains("too old"),
                "{old}"
            );
        }
    }
}
