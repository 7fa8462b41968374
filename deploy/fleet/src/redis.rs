//! Starts a private Redis, and checks an external one.

use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use nix::sys::signal::Signal;
use url::Url;

use crate::database::percent_decode;
use crate::folder::Folder;
use crate::postgres::DataFolders;
use crate::process::Spec;
use crate::program;

/// The oldest version that has all commands of the quota script.
const MIN_VERSION: (u32, u32) = (6, 2);
/// Seconds that Redis has to answer.
const TIMEOUT: &str = "3";
/// The host and the port of a URL without them.
const DEFAULT_HOST: &str = "127.0.0.1";
const DEFAULT_PORT: u16 = 6379;

/// How to start a private Redis. Its settings go to standard input, because arguments show in the process list.
pub(crate) fn spec(
    folders: &DataFolders,
    folder: &Folder,
    port: u16,
    password: &str,
    durable: bool,
) -> Result<Spec> {
    let program = program::find("redis-server").context("redis-server is missing")?;
    Ok(Spec {
        name: "redis".to_owned(),
        program,
        args: vec!["-".into()],
        env: Vec::new(),
        stdin: settings(&folders.redis, port, password, durable)?,
        user: folders.user.clone(),
        stop_signal: Signal::SIGTERM,
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

/// The version of a Redis; `None` while nothing listens, or while Redis loads its data.
pub(crate) fn version(address: &str) -> Result<Option<String>> {
    let url = parse(address)?;
    let shown = host_and_port(&url);
    let output = client(&url)?.output().context("cannot start redis-cli")?;
    let text = [output.stdout, output.stderr].concat();
    let text = String::from_utf8_lossy(&text);
    if let Some(version) = text
        .lines()
        .find_map(|line| line.strip_prefix("redis_version:"))
    {
        return Ok(Some(version.trim().to_owned()));
    }
    if text.contains("WRONGPASS") || text.contains("NOAUTH") {
        bail!("Redis at {shown} refuses the password: correct REDIS_URL");
    }
    if text.contains("Could not connect") || text.contains("LOADING") {
        return Ok(None);
    }
    bail!("the server at {shown} is not Redis: correct REDIS_URL")
}

/// `redis-cli INFO server`, with a timeout. The password goes to the environment, because arguments show in the process list.
fn client(url: &Url) -> Result<Command> {
    let program = program::find("redis-cli").context("redis-cli is missing")?;
    let mut command = Command::new("timeout");
    command.arg(TIMEOUT).arg(program).arg("--no-auth-warning");
    command.args([
        "-h",
        url.host_str()
            .unwrap_or(DEFAULT_HOST)
            .trim_matches(['[', ']']),
    ]);
    command.args(["-p", &url.port().unwrap_or(DEFAULT_PORT).to_string()]);
    if url.scheme() == "rediss" {
        command.arg("--tls");
        let authorities = url.query_pairs().find(|(name, _)| name == "sslrootcert");
        if let Some((_, path)) = authorities {
            command.arg("--cacert").arg(&*path);
        }
    }
    if !url.username().is_empty() {
        command.args(["--user", &percent_decode(url.username())]);
    }
    if let Some(password) = url.password() {
        command.env("REDISCLI_AUTH", percent_decode(password));
    }
    command.args(["INFO", "server"]).stdin(Stdio::null());
    Ok(command)
}

fn host_and_port(url: &Url) -> String {
    format!(
        "{}:{}",
        url.host_str().unwrap_or(DEFAULT_HOST),
        url.port().unwrap_or(DEFAULT_PORT)
    )
}

/// Checks an external Redis; returns its version.
pub(crate) fn check_external(address: &str) -> Result<String> {
    let version = version(address)?;
    let version = version.with_context(|| {
        let shown = parse(address).map_or_else(|_| String::new(), |url| host_and_port(&url));
        format!("no Redis answers at {shown}: start it, or correct or remove REDIS_URL")
    })?;
    require(&version)?;
    Ok(version)
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

/// Parses a URL. For a Redis Cluster it returns the first node.
fn parse(address: &str) -> Result<Url> {
    let first = address.split_once("+cluster://").map(|(scheme, after)| {
        let end = after.find(['/', '?']).unwrap_or(after.len());
        let (nodes, rest) = after.split_at(end);
        let hosts = nodes.rfind('@').map_or(0, |at| at + 1);
        let comma = nodes[hosts..].find(',').map(|comma| hosts + comma);
        format!("{scheme}://{}{rest}", &nodes[..comma.unwrap_or(end)])
    });
    let url = Url::parse(first.as_deref().unwrap_or(address));
    url.ok()
        .filter(|url| matches!(url.scheme(), "redis" | "rediss") && url.has_host())
        .context("REDIS_URL is not a Redis URL: write it as redis://:PASSWORD@HOST:6379/")
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

    #[test]
    fn the_first_node_of_a_cluster_is_used() {
        for (address, first) in [
            ("redis+cluster://:p@h:1,g:2", "redis://:p@h:1"),
            ("redis+cluster://u:p,@h:1,g:2/?a=,", "redis://u:p,@h:1/?a=,"),
            (
                "rediss+cluster://h:1?sslrootcert=/ca",
                "rediss://h:1?sslrootcert=/ca",
            ),
            ("redis://h:1/2", "redis://h:1/2"),
        ] {
            assert_eq!(parse(address).unwrap().as_str(), first, "{address}");
        }
    }

    #[test]
    fn a_bad_url_is_rejected_with_an_example() {
        for bad in ["localhost:6379", "http://localhost/", "redis:"] {
            let error = version(bad).unwrap_err().to_string();
            assert!(error.contains("redis://"), "{bad}: {error}");
        }
    }

    #[test]
    fn passwords_are_percent_decoded() {
        assert_eq!(percent_decode("a%2Fb+c"), "a/b+c");
    }
}
