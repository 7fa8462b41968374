//! Mails by SMTP (RFC 5321), to a mail server within the test.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use sqlx::PgPool;
use time::Duration;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use webhook::store::mails;

use crate::support::{ADA, BOB, START, mailer, start};

/// A received mail.
#[derive(Debug)]
struct Mail {
    recipient: String,
    content: testing::mail::Mail,
}

/// How the server behaves.
#[derive(Debug, Default)]
struct Behaviour {
    /// It takes no connections.
    is_busy: AtomicBool,
    /// It refuses mails to Ada for good.
    refuses_ada: AtomicBool,
    /// How often it has done so.
    refusals: AtomicUsize,
    /// The name with which the client has introduced itself last.
    client: Mutex<String>,
}

/// A mail server.
struct Server {
    url: String,
    behaviour: Arc<Behaviour>,
    mails: mpsc::UnboundedReceiver<Mail>,
    _tasks: JoinSet<()>,
}

impl Server {
    async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("smtp://{}", listener.local_addr().unwrap());
        let behaviour = Arc::<Behaviour>::default();
        let (sender, mails) = mpsc::unbounded_channel();
        let mut tasks = JoinSet::new();
        let shared = Arc::clone(&behaviour);
        tasks.spawn(async move {
            let mut connections = JoinSet::new();
            loop {
                let (connection, _) = listener.accept().await.unwrap();
                let (shared, sender) = (Arc::clone(&shared), sender.clone());
                connections.spawn(async move { serve(connection, &shared, &sender).await });
            }
        });
        Self {
            url,
            behaviour,
            mails,
            _tasks: tasks,
        }
    }
}

/// One connection.
async fn serve(
    mut connection: TcpStream,
    behaviour: &Behaviour,
    mails: &mpsc::UnboundedSender<Mail>,
) {
    let (read, mut write) = connection.split();
    let mut lines = BufReader::new(read).lines();
    if behaviour.is_busy.load(Ordering::Relaxed) {
        write.write_all(b"421 Come again later\r\n").await.unwrap();
        return;
    }
    write.write_all(b"220 mail.example\r\n").await.unwrap();
    let (mut recipient, mut text) = (String::new(), String::new());
    while let Some(line) = lines.next_line().await.unwrap() {
        let verb = line.split([' ', ':']).next().unwrap_or_default();
        let answer = match verb.to_ascii_uppercase().as_str() {
            "EHLO" | "HELO" => {
                let name = line.split(' ').nth(1).unwrap_or_default();
                name.clone_into(&mut behaviour.client.lock().unwrap());
                "250 mail.example"
            }
            "RCPT"
                if line.contains(&ADA.to_string())
                    && behaviour.refuses_ada.load(Ordering::Relaxed) =>
            {
                behaviour.refusals.fetch_add(1, Ordering::Relaxed);
                "550 No such mailbox"
            }
            "RCPT" => {
                line.clone_into(&mut recipient);
                "250 OK"
            }
            "DATA" => {
                write.write_all(b"354 Go on\r\n").await.unwrap();
                while let Some(line) = lines.next_line().await.unwrap() {
                    if line == "." {
                        break;
                    }
                    // A dot at the beginning is sent twice (RFC 5321, section 4.5.2).
                    text.push_str(line.strip_prefix('.').unwrap_or(&line));
                    text.push_str("\r\n");
                }
                let mail = Mail {
                    recipient: std::mem::take(&mut recipient),
                    content: testing::mail::read(text.as_bytes()).unwrap(),
                };
                text.clear();
                mails.send(mail).unwrap();
                "250 OK"
            }
            "QUIT" => {
                write.write_all(b"221 Bye\r\n").await.unwrap();
                return;
            }
            _ => "250 OK",
        };
        let answer = format!("{answer}\r\n");
        write.write_all(answer.as_bytes()).await.unwrap();
    }
}

#[testing::database_test(webhook::MIGRATOR)]
async fn a_mail_waits_until_the_server_takes_it(pool: PgPool) {
    let _service = start(pool.clone(), &[]).await;
    let mut server = Server::start().await;
    let mut connection = pool.acquire().await.unwrap();
    let body = "A body.\n.\nIts end.\n";
    mails::insert(&mut connection, ADA, "A subject", body, START)
        .await
        .unwrap();
    let mailer = mailer(&pool, server.url.parse().unwrap());

    server.behaviour.is_busy.store(true, Ordering::Relaxed);
    let refused = mailer.send_due(START).await;
    let refused = format!("{:#}", refused.unwrap_err());
    assert!(refused.contains("Come again later"), "{refused}");

    server.behaviour.is_busy.store(false, Ordering::Relaxed);
    for _ in 0..2 {
        mailer.send_due(START).await.unwrap();
    }
    let mail = server.mails.recv().await.unwrap();
    assert_eq!(mail.recipient, format!("RCPT TO:<{ADA}@mail.example>"));
    assert_eq!(mail.content.subject, "A subject");
    assert_eq!(mail.content.from, "Mchezo <webhooks@mchezo.example>");
    // An empty line is added at the end.
    assert_eq!(mail.content.body.trim_end(), body.trim_end());
    assert!(server.mails.try_recv().is_err(), "it comes once");
    let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap();
    assert_eq!(*server.behaviour.client.lock().unwrap(), host.trim());
}

#[testing::database_test(webhook::MIGRATOR)]
async fn a_refused_mail_is_tried_for_days_and_stops_no_other(pool: PgPool) {
    let _service = start(pool.clone(), &[]).await;
    let mut server = Server::start().await;
    let mailer = mailer(&pool, server.url.parse().unwrap());
    server.behaviour.refuses_ada.store(true, Ordering::Relaxed);
    let mut connection = pool.acquire().await.unwrap();
    for (account, subject) in [(ADA, "First"), (ADA, "Second"), (BOB, "Third")] {
        mails::insert(&mut connection, account, subject, "A body.\n", START)
            .await
            .unwrap();
    }
    let send = async |after: Duration| {
        mailer.send_due(START + after).await.unwrap();
        server.behaviour.refusals.load(Ordering::Relaxed)
    };
    assert_eq!(send(Duration::ZERO).await, 2);
    let others = server.mails.try_recv().unwrap();
    assert_eq!(others.content.subject, "Third");
    assert_eq!(send(Duration::minutes(9)).await, 2, "too early");
    assert_eq!(send(Duration::minutes(10)).await, 4);

    let first = sqlx::query!("delete from webhook.mail where subject = 'First'");
    first.execute(&pool).await.unwrap();
    server.behaviour.refuses_ada.store(false, Ordering::Relaxed);
    send(Duration::minutes(20)).await;
    let second = server.mails.try_recv().unwrap();
    assert_eq!(second.content.subject, "Second");

    server.behaviour.refuses_ada.store(true, Ordering::Relaxed);
    mails::insert(&mut connection, ADA, "Last", "A body.\n", START)
        .await
        .unwrap();
    for after in [Duration::ZERO, Duration::days(3) + Duration::SECOND] {
        send(after).await;
    }
    let left = sqlx::query_scalar!(r#"select count(*) as "count!" from webhook.mail"#);
    assert_eq!(left.fetch_one(&pool).await.unwrap(), 0);
}
