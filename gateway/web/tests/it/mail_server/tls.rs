//! Mails over SMTP with TLS and AUTH, to aiosmtpd, installed from the Python package index into a cached environment.

use std::path::Path;
use std::process::Stdio;
use std::sync::{Arc, Mutex};

use kit::clock::Clock;
use serde_json::Value;
use sqlx::PgPool;
use tempfile::TempDir;
use testing::certificates::Authority;
use testing::wait_until;
use time::Duration;
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::{Child, Command};
use tokio::task::JoinSet;
use web::mail::{self, Mailer};

use super::{START, mail_settings, queue, waiting};

const AIOSMTPD: &str = "aiosmtpd==1.4.6";
const SERVER: &str = include_str!("tls.py");
/// The password, encoded for a URL.
const PASSWORD: &str = "p%40ss%2Fword";

#[derive(Debug, Clone, Copy)]
enum Tls {
    Start,
    Implicit,
}

/// A running aiosmtpd, which is stopped on drop.
struct Aiosmtpd {
    tls: Tls,
    port: u64,
    /// Contains the certificate of the server's authority.
    folder: TempDir,
    /// The events that the server has reported.
    events: Arc<Mutex<Vec<Value>>>,
    _reader: JoinSet<()>,
    _process: Child,
}

impl Aiosmtpd {
    async fn start(tls: Tls) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let authority = Authority::new("mails").unwrap();
        authority.write(folder.path()).unwrap();
        authority.issue(folder.path(), "mail.example", 2090).unwrap();
        let environments = Path::new(env!("CARGO_TARGET_TMPDIR"));
        let environment = testing::python::environment(environments, AIOSMTPD, &[]).await;
        let mode = match tls {
            Tls::Start => "starttls",
            Tls::Implicit => "implicit",
        };
        let mut process = Command::new(environment.unwrap().join("bin/python"))
            .args(["-c", SERVER, mode])
            .args(["tls.crt", "tls.key"].map(|file| folder.path().join(file)))
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(process.stdout.take().unwrap()).lines();
        let first = lines.next_line().await.unwrap();
        let first: Value = serde_json::from_str(&first.unwrap()).unwrap();
        let events = Arc::<Mutex<Vec<Value>>>::default();
        let seen = Arc::clone(&events);
        let mut reader = JoinSet::new();
        reader.spawn(async move {
            while let Ok(Some(line)) = lines.next_line().await {
                let event = serde_json::from_str(&line).unwrap();
                seen.lock().unwrap().push(event);
            }
        });
        Self {
            tls,
            port: first["port"].as_u64().unwrap(),
            folder,
            events,
            _reader: reader,
            _process: process,
        }
    }

    /// The settings of a mailer that does not know the server's authority.
    fn settings(&self, password: &str) -> mail::Settings {
        let port = self.port;
        let url = match self.tls {
            Tls::Start => format!("smtp://fleet:{password}@localhost:{port}?tls=required"),
            Tls::Implicit => format!("smtps://fleet:{password}@localhost:{port}"),
        };
        mail_settings(url.parse().unwrap())
    }

    fn settings_with_ca(&self, password: &str) -> mail::Settings {
        mail::Settings {
            mail_ca: Some(self.folder.path().join("ca.crt")),
            ..self.settings(password)
        }
    }

    /// The events of this kind.
    fn seen(&self, kind: &str) -> Vec<Value> {
        let events = self.events.lock().unwrap();
        let events = events.iter().filter(|event| event.get(kind).is_some());
        events.cloned().collect()
    }
}

async fn mails_arrive_by(tls: Tls, pool: PgPool) {
    let server = Aiosmtpd::start(tls).await;
    let clock = Clock::fixed(START);
    let mailer =
        |settings: &mail::Settings| Mailer::new(pool.clone(), clock.clone(), settings).unwrap();
    for mailbox in ["nobody", "later", "ada", "bob", "eve"] {
        queue(&pool, &format!("{mailbox}@studio.example")).await;
    }
    let trusting = mailer(&server.settings_with_ca(PASSWORD));
    assert_eq!(trusting.send_due(false).await.unwrap(), 3);
    wait_until("all tries are seen", async || {
        server.seen("mail").len() == 3 && server.seen("recipient").len() == 5
    })
    .await;
    let mails = server.seen("mail");
    assert!(mails.iter().all(|mail| mail["is_safe"] == true), "{mails:?}");
    let first = mails[0]["mail"].as_str().unwrap();
    let first = testing::mail::read(first.as_bytes()).unwrap();
    assert_eq!(first.to, first.subject);
    assert_eq!(waiting(&pool).await, 2);

    // The first mailer does not trust the server's authority; the second has a wrong password.
    for settings in [server.settings(PASSWORD), server.settings_with_ca("hunter2")] {
        clock.advance(Duration::HOUR);
        mailer(&settings).send_due(false).await.unwrap_err();
        assert_eq!(waiting(&pool).await, 2);
    }
    assert_eq!(server.seen("recipient").len(), 5);
}

#[testing::database_test(web::MIGRATOR)]
#[ignore = "long: a mail server from the Python package index"]
async fn mails_arrive_by_starttls(pool: PgPool) {
    mails_arrive_by(Tls::Start, pool).await;
}

#[testing::database_test(web::MIGRATOR)]
#[ignore = "long: a mail server from the Python package index"]
async fn mails_arrive_by_implicit_tls(pool: PgPool) {
    mails_arrive_by(Tls::Implicit, pool).await;
}
