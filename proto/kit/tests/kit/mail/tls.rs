//! Mails by SMTP with TLS and AUTH, to aiosmtpd, installed from the Python package index into a cached environment.

use std::path::Path;
use std::process::Stdio;
use std::sync::{Arc, Mutex};

use kit::clock::Clock;
use kit::mail::{self, Mailer};
use serde_json::Value;
use sqlx::PgPool;
use tempfile::TempDir;
use testing::certificates::Authority;
use testing::wait_until;
use time::Duration;
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::{Child, Command};

use super::{SCHEMA, START, create_table, mail_settings, queue, queue_link, waiting};

const AIOSMTPD: &str = "aiosmtpd==1.4.6";
const SERVER: &str = include_str!("tls.py");
/// Encoded for a URL.
const PASSWORD: &str = "p%40ss%2Fword";
/// How many mails a mailer sends at once.
const AT_ONCE: usize = 4;

#[derive(Debug, Clone, Copy)]
enum Tls {
    Start,
    Implicit,
}

/// The server, which stops when this is dropped.
struct Aiosmtpd {
    tls: Tls,
    port: u64,
    /// Has the certificate of its authority.
    folder: TempDir,
    /// What it has seen.
    events: Arc<Mutex<Vec<Value>>>,
    _process: Child,
}

impl Aiosmtpd {
    async fn start(tls: Tls) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let authority = Authority::new("mails").unwrap();
        authority.write(folder.path()).unwrap();
        authority
            .issue(folder.path(), "mail.example", 2090)
            .unwrap();
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
        drop(tokio::spawn(async move {
            while let Ok(Some(line)) = lines.next_line().await {
                let event = serde_json::from_str(&line).unwrap();
                seen.lock().unwrap().push(event);
            }
        }));
        Self {
            tls,
            port: first["port"].as_u64().unwrap(),
            folder,
            events,
            _process: process,
        }
    }

    /// The settings of a mailer, without the authority of the server.
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

    /// What it has seen of this kind.
    fn seen(&self, kind: &str) -> Vec<Value> {
        let events = self.events.lock().unwrap();
        let events = events.iter().filter(|event| event.get(kind).is_some());
        events.cloned().collect()
    }
}

async fn mails_arrive_by(tls: Tls, pool: PgPool) {
    create_table(&pool).await;
    let server = Aiosmtpd::start(tls).await;
    let clock = Clock::fixed(START);
    let mailer = |settings: &mail::Settings| {
        Mailer::new(pool.clone(), SCHEMA, clock.clone(), settings).unwrap()
    };
    for mailbox in ["nobody", "later"] {
        queue(&pool, &format!("{mailbox}@studio.example"), START).await;
    }
    let later = START + Duration::SECOND;
    for number in 0..6 {
        queue(&pool, &format!("notice-{number}@studio.example"), later).await;
    }
    for number in 0..12 {
        queue_link(&pool, &format!("link-{number}@studio.example"), later).await;
    }

    let trusting = mailer(&server.settings_with_ca(PASSWORD));
    trusting.send_due().await.unwrap();
    wait_until("all mails are seen", async || {
        server.seen("mail").len() == 18 && server.seen("recipient").len() == 20
    })
    .await;
    let mails = server.seen("mail");
    assert!(
        mails.iter().all(|mail| mail["is_safe"] == true),
        "{mails:?}"
    );
    let first = mails[0]["mail"].as_str().unwrap();
    let first = testing::mail::read(first.as_bytes()).unwrap();
    assert_eq!(first.to, first.subject);
    // A notice is sent when each mail with a link is sent or in flight.
    let recipients = server.seen("recipient");
    for recipient in &recipients[..12 - (AT_ONCE - 1)] {
        let address = recipient["recipient"].as_str().unwrap();
        assert!(address.starts_with("link"), "{recipients:?}");
    }
    let connections = server.seen("connection").len();
    assert!(connections <= 10, "{connections}");

    // Nobody is refused for good, and the other mail waits.
    for (minutes, left) in [(1, 2), (2, 2), (4, 1)] {
        clock.advance(Duration::minutes(minutes));
        trusting.send_due().await.unwrap();
        assert_eq!(waiting(&pool).await, left);
    }
    wait_until("all tries are seen", async || {
        server.seen("recipient").len() == 26
    })
    .await;

    queue(&pool, "last@studio.example", later).await;
    let refusal = async |settings: mail::Settings| {
        let refused = mailer(&settings).send_due().await;
        format!("{:#}", refused.unwrap_err())
    };
    let refused = refusal(server.settings(PASSWORD)).await;
    assert!(refused.contains("certificate"), "{refused}");
    let refused = refusal(server.settings_with_ca("hunter2")).await;
    assert!(refused.contains("the password of `mail`"), "{refused}");
    assert!(!refused.contains("hunter2"), "{refused}");
    assert_eq!(waiting(&pool).await, 2);
    assert_eq!(server.seen("recipient").len(), 26);
}

#[testing::database_test]
#[ignore = "long: a mail server from the Python package index"]
async fn mails_arrive_by_starttls(pool: PgPool) {
    mails_arrive_by(Tls::Start, pool).await;
}

#[testing::database_test]
#[ignore = "long: a mail server from the Python package index"]
async fn mails_arrive_by_implicit_tls(pool: PgPool) {
    mails_arrive_by(Tls::Implicit, pool).await;
}
