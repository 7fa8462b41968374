//! A mail server in the test's process (RFC 5321), without TLS.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{mpsc, watch};
use tokio::task::JoinSet;

#[derive(Debug)]
pub(crate) struct Mail {
    pub(crate) recipient: String,
    pub(crate) content: testing::mail::Mail,
}

/// The behaviour of the server, and what it has seen.
#[derive(Debug)]
pub(crate) struct Behaviour {
    /// Whether the server refuses connections.
    pub(crate) is_busy: AtomicBool,
    /// Whether the server closes each connection after a mail.
    pub(crate) closes_after_mail: AtomicBool,
    /// The number of connections.
    pub(crate) connections: AtomicUsize,
    /// The name with which the client introduced itself last.
    pub(crate) client: Mutex<String>,
    /// The replies to recipients that the server rejects.
    answers: Mutex<BTreeMap<String, &'static str>>,
    /// Recipients whose address starts with this prefix get no reply.
    silent: watch::Sender<Option<&'static str>>,
    recipients: Mutex<Vec<String>>,
}

pub(crate) struct MailServer {
    pub(crate) url: String,
    pub(crate) behaviour: Arc<Behaviour>,
    pub(crate) mails: mpsc::UnboundedReceiver<Mail>,
    _tasks: JoinSet<()>,
}

impl MailServer {
    pub(crate) async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("smtp://{}", listener.local_addr().unwrap());
        let behaviour = Arc::new(Behaviour {
            is_busy: AtomicBool::new(false),
            closes_after_mail: AtomicBool::new(false),
            connections: AtomicUsize::new(0),
            client: Mutex::default(),
            answers: Mutex::default(),
            silent: watch::Sender::new(None),
            recipients: Mutex::default(),
        });
        let (sender, mails) = mpsc::unbounded_channel();
        let mut tasks = JoinSet::new();
        let shared = Arc::clone(&behaviour);
        tasks.spawn(async move {
            let mut connections = JoinSet::new();
            loop {
                let (connection, _) = listener.accept().await.unwrap();
                let (shared, sender) = (Arc::clone(&shared), sender.clone());
                // An error means that the client has closed the connection.
                connections.spawn(async move { drop(serve(connection, &shared, &sender).await) });
            }
        });
        Self { url, behaviour, mails, _tasks: tasks }
    }

    /// Rejects a recipient with this reply from now on.
    pub(crate) fn refuse(&self, recipient: &str, answer: &'static str) {
        let mut answers = self.behaviour.answers.lock().unwrap();
        answers.insert(recipient.to_owned(), answer);
    }

    /// Accepts all recipients again.
    pub(crate) fn accept_all(&self) {
        self.behaviour.answers.lock().unwrap().clear();
    }

    /// Gives no reply to recipients whose address starts with `prefix`, until the next call; `None` ends it.
    pub(crate) fn be_silent(&self, prefix: Option<&'static str>) {
        self.behaviour.silent.send_replace(prefix);
    }

    /// The recipients of all attempts, in order.
    pub(crate) fn recipients(&self) -> Vec<String> {
        self.behaviour.recipients.lock().unwrap().clone()
    }

    /// The recipients of the mails that arrived since the last call. The subject of each mail must be its recipient.
    pub(crate) fn arrived(&mut self) -> Vec<String> {
        let mut recipients = Vec::new();
        while let Ok(mail) = self.mails.try_recv() {
            assert_eq!(mail.content.subject, mail.recipient);
            recipients.push(mail.recipient);
        }
        recipients
    }
}

/// Serves one connection.
async fn serve(
    mut connection: TcpStream,
    behaviour: &Behaviour,
    mails: &mpsc::UnboundedSender<Mail>,
) -> std::io::Result<()> {
    behaviour.connections.fetch_add(1, Ordering::Relaxed);
    let (read, mut write) = connection.split();
    let mut lines = BufReader::new(read).lines();
    if behaviour.is_busy.load(Ordering::Relaxed) {
        return write.write_all(b"421 Come again later\r\n").await;
    }
    write.write_all(b"220 mail.example\r\n").await?;
    let (mut recipient, mut text) = (String::new(), String::new());
    while let Some(line) = lines.next_line().await? {
        let verb = line.split([' ', ':']).next().unwrap_or_default();
        let answer = match verb.to_ascii_uppercase().as_str() {
            "EHLO" | "HELO" => {
                let name = line.split(' ').nth(1).unwrap_or_default();
                name.clone_into(&mut behaviour.client.lock().unwrap());
                "250 mail.example"
            }
            "RCPT" => {
                recipient = line.split(['<', '>']).nth(1).unwrap().to_owned();
                answer_to(behaviour, &recipient).await
            }
            "DATA" => {
                write.write_all(b"354 Go on\r\n").await?;
                while let Some(line) = lines.next_line().await? {
                    if line == "." {
                        break;
                    }
                    // A leading dot is doubled (RFC 5321, section 4.5.2).
                    text.push_str(line.strip_prefix('.').unwrap_or(&line));
                    text.push_str("\r\n");
                }
                let mail = Mail {
                    recipient: std::mem::take(&mut recipient),
                    content: testing::mail::read(text.as_bytes()).unwrap(),
                };
                text.clear();
                mails.send(mail).unwrap();
                if behaviour.closes_after_mail.load(Ordering::Relaxed) {
                    return write.write_all(b"250 OK\r\n").await;
                }
                "250 OK"
            }
            "QUIT" => return write.write_all(b"221 Bye\r\n").await,
            _ => "250 OK",
        };
        let answer = format!("{answer}\r\n");
        write.write_all(answer.as_bytes()).await?;
    }
    Ok(())
}

/// The reply to a recipient, once there is one.
async fn answer_to(behaviour: &Behaviour, recipient: &str) -> &'static str {
    let seen = recipient.to_owned();
    behaviour.recipients.lock().unwrap().push(seen);
    let mut silent = behaviour.silent.subscribe();
    let answered = silent.wait_for(|prefix| !prefix.is_some_and(|it| recipient.starts_with(it)));
    answered.await.unwrap();
    let answers = behaviour.answers.lock().unwrap();
    answers.get(recipient).copied().unwrap_or("250 OK")
}
