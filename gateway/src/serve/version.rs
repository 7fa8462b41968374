//! Which HTTP a connection speaks: its first bytes tell.

use std::io;

use bytes::Bytes;
use tokio::io::{AsyncRead, AsyncReadExt as _};

/// What a connection begins with over HTTP/2, and never over HTTP/1.1 (RFC 9113, 3.4).
const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/// The bytes that had to be read to tell, and whether they begin HTTP/2. None were read if the caller closed before it said anything.
pub(super) async fn read(stream: &mut (impl AsyncRead + Unpin)) -> io::Result<(Bytes, bool)> {
    let mut begun = Vec::with_capacity(PREFACE.len());
    while begun.len() < PREFACE.len() && PREFACE.starts_with(&begun) {
        let left = u64::try_from(PREFACE.len() - begun.len()).unwrap_or_default();
        if stream.take(left).read_buf(&mut begun).await? == 0 {
            break;
        }
    }
    let http2 = begun == PREFACE;
    Ok((begun.into(), http2))
}

#[cfg(test)]
mod tests {
    use tokio::io::AsyncWriteExt as _;

    use super::*;

    async fn told(sent: &'static [u8]) -> (Bytes, bool) {
        // Byte by byte, as the slowest caller sends.
        let (mut caller, mut stream) = tokio::io::duplex(1);
        let sending = async move { caller.write_all(sent).await.unwrap() };
        let ((), told) = tokio::join!(sending, read(&mut stream));
        told.unwrap()
    }

    #[tokio::test]
    async fn the_preface_and_only_the_whole_of_it_is_http2() {
        assert_eq!(told(PREFACE).await, (Bytes::from_static(PREFACE), true));
        for cut in 0..PREFACE.len() {
            let begun = &PREFACE[..cut];
            assert_eq!(told(begun).await, (Bytes::from_static(begun), false));
        }
    }
}
