//! A private Redis, and a look at one that was given.

use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use nix::sys::signal::Signal;
use url::Url;

use crate::database::decoded;
use crate::folder::Folder;
use crate::postgres::Place;
use crate::process::Spec;
use crate::program;

/// The oldest version whose commands the quota script uses.
const OLDEST: (u32, u32) = (6, 2);
/// Seconds that a Redis has for its answer.
const PATIENCE: &str = "3";
/// Where a Redis is whose address leaves it open.
const HOST: &str = "127.0.0.1";
const PORT: u16 = 6379;

/// How to start a private Redis. Its settings go to its standard input: the password would show in the process list.
pub(crate) fn spec(place: &Place, folder: &Folder, port: u16, password: &str) -> Result<Spec> {
    let program = program::find("redis-server").context("redis-server is missing")?;
    Ok(Spec {
        name: "redis".to_owned(),
        program,
        args: vec!["-".into()],
        env: Vec::new(),
        input: settings(&place.redis, port, password)?,
        user: place.user.clone(),
        stop: Signal::SIGTERM,
        log: folder.log("redis"),
    })
}

fn settings(dir: &Path, port: u16, password: &str) -> Result<String> {
    let dir = dir
        .to_str()
        .filter(|dir| !dir.contains(['"', '\\', '\n']))
        .with_context(|| {
            format!(
                "Redis cannot work in {}: choose a plainer name with --dir",
                dir.display()
            )
        })?;
    // A quota that Redis evicts is a quota forgotten; the append-only file keeps all but the last second.
    Ok(format!(
        "bind 127.0.0.1\nport {port}\nrequirepass {password}\ndir \"{dir}\"\n\
         maxmemory-policy noeviction\nappendonly yes\nappendfsync everysec\nsave \"\"\n"
    ))
}

/// The address of a private Redis.
pub(crate) fn url(port: u16, password: &str) -> String {
    format!("redis://:{password}@127.0.0.1:{port}/")
}

/// Asks a Redis for its version; `None` while nobody listens or it still loads its data.
pub(crate) fn version(address: &str) -> Result<Option<String>> {
    let url = parse(address)?;
    let shown = host_and_port(&url);
    let output = client(&url)?
        .output()
        .context("redis-cli cannot be started")?;
    let said = [output.stdout, output.stderr].concat();
    let said = String::from_utf8_lossy(&said);
    if let Some(version) = said
        .lines()
        .find_map(|line| line.strip_prefix("redis_version:"))
    {
        return Ok(Some(version.trim().to_owned()));
    }
    if said.contains("WRONGPASS") || said.contains("NOAUTH") {
        bail!("Redis at {shown} refuses the password: mend REDIS_URL");
    }
    if said.contains("Could not connect") || said.contains("LOADING") {
        return Ok(None);
    }
    bail!("what answers at {shown} is no Redis: mend REDIS_URL")
}

/// `redis-cli`, which asks for the section `server` of INFO. The password travels in the environment: arguments show in the process
/// list. A server that says nothing is given up.
fn client(url: &Url) -> Result<Command> {
    let program = program::find("redis-cli").context("redis-cli is missing")?;
    let mut command = Command::new("timeout");
    command.arg(PATIENCE).arg(program).arg("--no-auth-warning");
    command.args([
        "-h",
        url.host_str().unwrap_or(HOST).trim_matches(['[', ']']),
    ]);
    command.args(["-p", &url.port().unwrap_or(PORT).to_string()]);
    if url.scheme() == "rediss" {
        command.arg("--tls");
        let authorities = url.query_pairs().find(|(name, _)| name == "sslrootcert");
        if let Some((_, path)) = authorities {
            command.arg("--cacert").arg(&*path);
        }
    }
    if !url.username().is_empty() {
        command.args(["--user", &decoded(url.username())]);
    }
    if let Some(password) = url.password() {
        command.env("REDISCLI_AUTH", decoded(password));
    }
    command.args(["INFO", "server"]).stdin(Stdio::null());
    Ok(command)
}

fn host_and_port(url: &Url) -> String {
    format!(
        "{}:{}",
        url.host_str().unwrap_or(HOST),
        url.port().unwrap_or(PORT)
    )
}

/// Checks a given address and what answers there.
pub(crate) fn check_given(address: &str) -> Result<String> {
    let version = version(address)?;
    let version = version.with_context(|| {
        let shown = parse(address).map_or_else(|_| String::new(), |url| host_and_port(&url));
        format!("no Redis answers at {shown}: start it, or mend REDIS_URL or leave it out")
    })?;
    require(&version)?;
    Ok(version)
}

/// Refuses a version that is too old.
pub(crate) fn require(version: &str) -> Result<()> {
    let mut numbers = version
        .split('.')
        .map_while(|part| part.parse::<u32>().ok());
    let (major, minor) = (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0));
    if (major, minor) < OLDEST {
        bail!(
            "Redis {version} is too old: the fleet needs {}.{} or newer; install one, or give another by REDIS_URL",
            OLDEST.0,
            OLDEST.1
        );
    }
    Ok(())
}

/// Of a Redis Cluster, the first of its nodes.
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
        .context("REDIS_URL cannot be understood: write it as redis://:PASSWORD@HOST:6379/")
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
    fn of_a_cluster_the_first_node_is_asked() {
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
    fn an_address_that_is_none_is_refused_with_an_example() {
        for bad in ["localhost:6379", "http://localhost/", "redis:"] {
            let error = version(bad).unwrap_err().to_string();
            assert!(error.contains("redis://"), "{bad}: {error}");
        }
    }

    #[test]
    fn percent_signs_in_a_password_are_read() {
        assert_eq!(decoded("a%2Fb+c"), "a/b+c");
    }
}
