//! A private Redis, and a look at one that was given.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result, anyhow, bail};
use nix::sys::signal::Signal;
use url::Url;

use crate::database::decoded;
use crate::folder::Folder;
use crate::postgres::Place;
use crate::process::Spec;
use crate::program;

/// The oldest version whose commands the quota script uses.
const OLDEST: (u32, u32) = (6, 2);

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
    let (host, port) = (
        url.host_str().unwrap_or("127.0.0.1"),
        url.port().unwrap_or(6379),
    );
    let shown = format!("{host}:{port}");
    let Some(stream) = connect(host, port) else {
        return Ok(None);
    };
    let answer = ask(stream, &url).with_context(|| format!("Redis at {shown} does not answer"))?;
    if answer.starts_with("-LOADING") {
        return Ok(None);
    }
    if answer.starts_with("-WRONGPASS") || answer.starts_with("-NOAUTH") {
        bail!("Redis at {shown} refuses the password: mend REDIS_URL");
    }
    let version = answer
        .lines()
        .find_map(|line| line.strip_prefix("redis_version:"));
    let version =
        version.ok_or_else(|| anyhow!("what answers at {shown} is no Redis: mend REDIS_URL"))?;
    Ok(Some(version.trim().to_owned()))
}

/// Checks a given address and what answers there.
pub(crate) fn check_given(address: &str) -> Result<String> {
    let version = version(address)?.with_context(|| {
        let url = parse(address).ok();
        let host = url.as_ref().and_then(Url::host_str).unwrap_or("127.0.0.1");
        let port = url.as_ref().and_then(Url::port).unwrap_or(6379);
        format!("no Redis answers at {host}:{port}: start it, or mend REDIS_URL or leave it out")
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

fn parse(address: &str) -> Result<Url> {
    let url = Url::parse(address);
    url.ok()
        .filter(|url| url.scheme() == "redis" && url.has_host())
        .context("REDIS_URL cannot be understood: write it as redis://:PASSWORD@HOST:6379/")
}

fn connect(host: &str, port: u16) -> Option<TcpStream> {
    let limit = Duration::from_secs(3);
    let host = host.trim_matches(['[', ']']);
    let addresses = (host, port).to_socket_addrs().ok()?;
    let stream = addresses
        .into_iter()
        .find_map(|address| TcpStream::connect_timeout(&address, limit).ok())?;
    stream.set_read_timeout(Some(limit)).ok()?;
    Some(stream)
}

/// Signs in and asks for the section `server` of INFO; the answer's text, or the error line of whichever step failed.
fn ask(mut stream: TcpStream, url: &Url) -> Result<String> {
    let mut reader = BufReader::new(stream.try_clone()?);
    if let Some(password) = url.password() {
        let user = if url.username().is_empty() {
            "default"
        } else {
            url.username()
        };
        stream.write_all(command(&["AUTH", &decoded(user), &decoded(password)]).as_bytes())?;
        let answer = line(&mut reader)?;
        if answer.starts_with('-') {
            return Ok(answer);
        }
    }
    stream.write_all(command(&["INFO", "server"]).as_bytes())?;
    let head = line(&mut reader)?;
    let Some(length) = head
        .strip_prefix('$')
        .and_then(|length| length.parse::<u64>().ok())
    else {
        return Ok(head);
    };
    let mut text = String::new();
    reader.take(length).read_to_string(&mut text)?;
    Ok(text)
}

fn line(reader: &mut impl BufRead) -> Result<String> {
    let mut line = String::new();
    reader.take(4096).read_line(&mut line)?;
    Ok(line.trim_end().to_owned())
}

/// A command in Redis' protocol: an array of strings, each with its length in bytes.
fn command(words: &[&str]) -> String {
    let count = words.len();
    let words = words
        .iter()
        .map(|word| format!("${}\r\n{word}\r\n", word.len()));
    format!("*{count}\r\n{}", words.collect::<Vec<_>>().concat())
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
    fn an_address_that_is_none_is_refused_with_an_example() {
        for bad in ["localhost:6379", "http://localhost/", "redis:"] {
            let error = version(bad).unwrap_err().to_string();
            assert!(error.contains("redis://"), "{bad}: {error}");
        }
    }

    #[test]
    fn commands_carry_lengths_in_bytes() {
        assert_eq!(command(&["AUTH", "é$"]), "*2\r\n$4\r\nAUTH\r\n$3\r\né$\r\n");
    }

    #[test]
    fn percent_signs_in_a_password_are_read() {
        assert_eq!(decoded("a%2Fb+c"), "a/b+c");
    }
}
