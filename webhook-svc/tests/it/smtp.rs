//! Mails by SMTP (RFC 5321), to a mail server within the test.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use sqlx::PgPool;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use webhook::jobs::mail::{self, Transport};
use webhook::store::mails;

use crate::support::{ADA, START, start};

/// A received mail.
#[derive(Debug)]
struct Mail {
    recipient: String,
    text: String,
}

/// A mail server.
struct Server {
    url: String,
    /// Refuses mails temporarily.
    busy: Arc<AtomicBool>,
    mails: mpsc::UnboundedReceiver<Mail>,
    _tasks: JoinSet<()>,
}

impl Server {
    async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("smtp://{}", listener.local_addr().unwrap());
        let busy = Arc::new(AtomicBool::new(false));
        let (sender, mails) = mpsc::unbounded_channel();
        let mut tasks = JoinSet::new();
        let is_busy = Arc::clone(&busy);
        tasks.spawn(async move {
            let mut connections = JoinSet::new();
            loop {
                let (connection, _) = listener.accept().await.unwrap();
                let (is_busy, sender) = (Arc::clone(&is_busy), sender.clone());
                connections.spawn(async move { serve(connection, &is_busy, &sender).await });
            }
        });
        Self {
            url,
            busy,
            mails,
            _tasks: tasks,
        }
    }
}

/// One connection.
async fn serve(mut connection: TcpStream, busy: &AtomicBool, mails: &mpsc::UnboundedSender<Mail>) {
    let (read, mut write) = connection.split();
    let mut lines = BufReader::new(read).lines();
    write.write_all(b"220 mail.example\r\n").await.unwrap();
    let (mut recipient, mut text) = (String::new(), String::new());
    while let Some(line) = lines.next_line().await.unwrap() {
        let verb = line.split([' ', ':']).next().unwrap_or_default();
        let answer = match verb.to_ascii_uppercase().as_str() {
            "EHLO" | "HELO" => "250 mail.example",
            "MAIL" if busy.load(Ordering::Relaxed) => "451 Come again later",
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
                    text.push_str(&line);
                    text.push('\n');
                }
                let mail = Mail {
                    recipient: std::mem::take(&mut recipient),
                    text: std::mem::take(&mut text),
                };
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

#[sqlx::test(migrator = "webhook::MIGRATOR")]
async fn a_mail_waits_until_the_server_takes_it(pool: PgPool) {
    let _service = start(pool.clone(), &[]).await;
    let mut server = Server::start().await;
    let mut connection = pool.acquire().await.unwrap();
    let body = "A body.\n.\nIts end.\n";
    mails::insert(&mut connection, ADA, "A subject", body, START)
        .await
        .unwrap();
    let transport: Transport = server.url.parse().unwrap();
    let sender = "Mchezo <webhooks@mchezo.example>".parse().unwrap();

    server.busy.store(true, Ordering::Relaxed);
    let refused = mail::send_all(&pool, &transport, &sender).await;
    let refused = format!("{:#}", refused.unwrap_err());
    assert!(refused.contains("Come again later"), "{refused}");

    server.busy.store(false, Ordering::Relaxed);
    for _ in 0..2 {
        mail::send_all(&pool, &transport, &sender).await.unwrap();
    }
    let mail = server.mails.recv().await.unwrap();
    assert_eq!(mail.recipient, format!("RCPT TO:<{ADA}@mail.example>"));
    assert!(mail.text.contains("Subject: A subject"), "{}", mail.text);
    assert!(mail.text.contains("From: Mchezo <webhooks@mchezo.example>"));
    assert!(mail.text.contains("A body.\n..\nIts end."), "{}", mail.text);
    assert!(server.mails.try_recv().is_err(), "it comes once");
}
