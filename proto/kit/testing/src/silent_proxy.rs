//! A proxy that can stop forwarding while its connections stay open, like a network that drops packets.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex, PoisonError};

use sqlx::PgPool;
use sqlx::postgres::PgConnectOptions;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

#[derive(Debug)]
pub struct SilentProxy {
    pub address: SocketAddr,
    silence: Silence,
    /// The number of bytes that were dropped.
    pub dropped: watch::Receiver<usize>,
}

#[derive(Debug, Clone)]
struct Silence {
    all: watch::Sender<bool>,
    /// The next connection that sends this text becomes silent.
    at: Arc<Mutex<Option<&'static str>>>,
    dropped: watch::Sender<usize>,
}

impl SilentProxy {
    /// A proxy to the PostgreSQL of `direct`.
    pub async fn start(direct: &PgPool) -> std::io::Result<Self> {
        let options = direct.connect_options();
        Self::to(options.get_host(), options.get_port()).await
    }

    /// A proxy to any server.
    pub async fn to(host: &str, port: u16) -> std::io::Result<Self> {
        Self::at(Ipv4Addr::LOCALHOST.into(), host, port).await
    }

    /// A proxy with this address to any server.
    #[expect(clippy::disallowed_methods, reason = "the tasks end with the runtime of their test")]
    pub async fn at(address: IpAddr, host: &str, port: u16) -> std::io::Result<Self> {
        let host = host.to_owned();
        let listener = TcpListener::bind((address, 0)).await?;
        let address = listener.local_addr()?;
        let silence = Silence {
            all: watch::Sender::new(false),
            at: Arc::default(),
            dropped: watch::Sender::new(0),
        };
        let dropped = silence.dropped.subscribe();
        let connections = silence.clone();
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                if let Ok(server) = TcpStream::connect((host.as_str(), port)).await {
                    tokio::spawn(relay(client, server, connections.clone()));
                }
            }
        });
        Ok(Self { address, silence, dropped })
    }

    /// Options to connect to the database of `direct` through this proxy.
    pub fn options(&self, direct: &PgPool) -> PgConnectOptions {
        let options = (*direct.connect_options()).clone();
        options.host("127.0.0.1").port(self.address.port())
    }

    /// Silences all connections, including new ones. A connection that sends or receives anything before [`recover`](Self::recover) stays silent.
    pub fn fall_silent(&self) {
        self.silence.all.send_replace(true);
    }

    /// Ends the silence for new connections.
    pub fn recover(&self) {
        self.silence.all.send_replace(false);
    }

    /// Silences the next connection that sends this text.
    pub fn fall_silent_at(&self, text: &'static str) {
        *self.silence.lock() = Some(text);
    }
}

impl Silence {
    fn lock(&self) -> std::sync::MutexGuard<'_, Option<&'static str>> {
        self.at.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn begins(&self, message: &[u8]) -> bool {
        let mut at = self.lock();
        let is_sent = |text: &str| message.windows(text.len()).any(|w| w == text.as_bytes());
        *self.all.borrow() || at.take_if(|text| is_sent(text)).is_some()
    }
}

async fn relay(mut client: TcpStream, mut server: TcpStream, silence: Silence) {
    let (mut asked, mut answered) = (vec![0; 1 << 16], vec![0; 1 << 16]);
    let mut is_silent = false;
    loop {
        is_silent |= *silence.all.borrow();
        tokio::select! {
            read = client.read(&mut asked) => {
                let length = match read { Ok(0) | Err(_) => return, Ok(length) => length };
                let message = asked.get(..length).unwrap_or_default();
                is_silent |= silence.begins(message);
                if is_silent {
                    silence.dropped.send_modify(|count| *count += length);
                } else if server.write_all(message).await.is_err() {
                    return;
                }
            }
            read = server.read(&mut answered), if !is_silent => {
                let length = match read { Ok(0) | Err(_) => return, Ok(length) => length };
                let message = answered.get(..length).unwrap_or_default();
                if client.write_all(message).await.is_err() {
                    return;
                }
            }
        }
    }
}
