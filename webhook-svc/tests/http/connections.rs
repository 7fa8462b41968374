//! Which addresses are connected to, and when a connection is reused.

use std::net::SocketAddr;
use std::sync::Arc;

use futures::FutureExt as _;
use http::StatusCode;
use time::Duration;
use tokio::io::AsyncWriteExt as _;
use webhook::domain::address::{Address, AllowList};
use webhook::http::resolver::ResolveError;
use webhook::http::{AddressProblem, AttemptOutcome, Sender};

use super::receiver::{
    AT, Authority, Behaviour, Receiver, Scripted, Stream, address, good, ping, post, post_at,
    request, sender,
};

const OK: &str = "HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n";
const CLOSED: &str = "closed the connection before it answered";
const LAST: &str = "HTTP/1.1 200 OK\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";

#[tokio::test]
async fn a_name_that_leads_elsewhere_at_the_next_connection_is_checked_again() {
    let authority = Authority::new();
    let outer = Receiver::answering(&authority, LAST).await;
    let identity = authority.identity(&good());
    let answer: Behaviour =
        Arc::new(|mut stream: Stream| async move { stream.write_all(OK.as_bytes()).await }.boxed());
    let inner = Receiver::start_as(identity, &[], "127.0.0.2:0", answer).await;
    let resolver = Scripted::new([
        vec![outer.address],
        vec![inner.address],
        vec![outer.address, inner.address],
        vec![inner.address, outer.address],
        vec![outer.address],
    ]);
    let sender = Sender::with_resolver(&authority.settings(&[&outer]), resolver).unwrap();
    // A second look-up between check and connect would reach the inner receiver.
    assert_eq!(ping(&sender).await.outcome, AttemptOutcome::Delivered);
    for _ in 0..3 {
        let answer = ping(&sender).await;
        assert_eq!(answer.outcome, AttemptOutcome::Failed);
        assert_eq!(
            answer.reason.as_deref(),
            Some("hooks.example does not resolve to a public address")
        );
    }
    assert_eq!(ping(&sender).await.outcome, AttemptOutcome::Delivered);
    assert_eq!((outer.connections(), inner.connections()), (2, 0));
}

#[tokio::test]
async fn addresses_that_are_not_public_are_not_connected_to() {
    let authority = Authority::new();
    let receiver = Receiver::answering(&authority, OK).await;
    let port = receiver.address.port();
    // Allowing an address allows only its port.
    let other_port = SocketAddr::from(([127, 0, 0, 1], port ^ 1)).to_string();
    for address in [
        "127.0.0.2:443",
        &other_port,
        "[::1]:443",
        "0.0.0.0:443",
        "10.0.0.1:443",
        "169.254.169.254:443",
        "100.100.100.200:443",
        "[::ffff:127.0.0.1]:443",
        "[64:ff9b::7f00:1]:443",
        "[2002:7f00:1::]:443",
        "[fd00:ec2::254]:443",
    ] {
        let resolver = Scripted::new([vec![address.parse().unwrap()]]);
        let sender = Sender::with_resolver(&authority.settings(&[&receiver]), resolver).unwrap();
        let answer = ping(&sender).await;
        let reason = answer.reason.unwrap();
        // The reason does not name the address: an outsider must not learn internal addresses.
        let expected = "hooks.example does not resolve to a public address";
        assert_eq!(reason, expected, "{address}");
        assert_eq!(answer.status, None);
    }
}

#[tokio::test]
async fn a_name_without_an_address_is_a_failure() {
    let authority = Authority::new();
    // A name without an address has the same reason as one with an address that is not public.
    let not_public = "hooks.example does not resolve to a public address";
    let unresolved = "could not resolve the name hooks.example";
    let words = "no name server (/etc/resolv.conf): 10.0.0.53 refused".to_owned();
    for (answer, reason) in [
        (Err(ResolveError::NoAddress), not_public),
        (Err(ResolveError::NoName), "the name hooks.example does not exist"),
        (Ok(Vec::new()), not_public),
        (Err(ResolveError::Unanswered(words)), unresolved),
    ] {
        let resolver = Scripted::answering([answer]);
        let sender = Sender::with_resolver(&authority.settings(&[]), resolver).unwrap();
        assert_eq!(ping(&sender).await.reason.as_deref(), Some(reason));
    }
}

/// Why an entered address could not be reached.
fn unreached(checked: Result<StatusCode, AddressProblem>) -> String {
    let Err(AddressProblem::Unreached(reason)) = checked else {
        unreachable!("{checked:?}");
    };
    reason
}

#[tokio::test(start_paused = true)]
async fn a_resolver_timeout_is_not_reported_as_a_slow_receiver() {
    let authority = Authority::new();
    let settings = authority.settings(&[]);
    let sender = Sender::with_resolver(&settings, Scripted::silent()).unwrap();
    let reason = ping(&sender).await.reason;
    let unresolved = "could not resolve the name hooks.example";
    assert_eq!(reason.as_deref(), Some(unresolved));
    // The request to an entered address has a shorter deadline.
    let checked = sender.check_address(&address()).await;
    assert_eq!(unreached(checked), unresolved);
}

/// For an IP address in the URL the client calls no resolver.
#[tokio::test]
async fn an_ip_address_in_a_url_is_checked_too() {
    let authority = Authority::new();
    let settings = authority.settings(&[]);
    for host in [
        "127.0.0.1",
        "0.0.0.0",
        "10.0.0.1",
        "169.254.169.254",
        "[::1]",
        "[::ffff:127.0.0.1]",
        "[64:ff9b::7f00:1]",
        "[fd00:ec2::254]",
    ] {
        // The endpoint was stored while the setting still allowed the host.
        let allowed: AllowList = format!("{host}:443").parse().unwrap();
        let address = Address::parse(&format!("https://{host}/in"), &allowed).unwrap();
        let sender = Sender::with_resolver(&settings, Scripted::silent()).unwrap();
        let reason = post(&sender, &address).await.reason.unwrap();
        let expected = "does not resolve to a public address";
        assert!(reason.ends_with(expected), "{host}: {reason}");
        let checked = unreached(sender.check_address(&address).await);
        assert!(checked.ends_with(expected), "{host}: {checked}");
    }
}

#[tokio::test]
async fn the_next_address_is_tried_when_one_refuses() {
    let authority = Authority::new();
    let receiver = Receiver::answering(&authority, OK).await;
    // No test listens on 127.0.0.3.
    let closed = SocketAddr::from(([127, 0, 0, 3], receiver.address.port()));
    let mut settings = authority.settings(&[&receiver]);
    settings.allow = format!("{},{closed}", receiver.address).parse().unwrap();

    let resolver = Scripted::new([vec![closed, receiver.address]]);
    let both = Sender::with_resolver(&settings, resolver).unwrap();
    assert_eq!(ping(&both).await.outcome, AttemptOutcome::Delivered);

    let only = Sender::with_resolver(&settings, Scripted::new([vec![closed]])).unwrap();
    assert_eq!(ping(&only).await.reason.as_deref(), Some("refused the connection"));
}

#[tokio::test]
async fn a_connection_is_reused() {
    let authority = Authority::new();
    let receiver =
        Receiver::answering(&authority, "HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\nabc").await;
    let sender = sender(&authority.settings(&[&receiver]), &receiver);
    for _ in 0..20 {
        assert_eq!(ping(&sender).await.outcome, AttemptOutcome::Delivered);
    }
    assert_eq!(receiver.connections(), 1);
}

/// The receiver may have another address by now.
#[tokio::test]
async fn a_connection_is_not_reused_for_more_than_five_minutes() {
    let authority = Authority::new();
    let receiver = Receiver::answering(&authority, OK).await;
    let sender = sender(&authority.settings(&[&receiver]), &receiver);
    for (seconds, connections) in [(0, 1), (299, 1), (300, 2), (599, 2), (600, 3)] {
        let at = AT + Duration::seconds(seconds);
        let answer = post_at(&sender, &address(), at).await;
        assert_eq!(answer.outcome, AttemptOutcome::Delivered);
        assert_eq!(receiver.connections(), connections, "after {seconds} s");
    }
}

/// Answers that many requests of a connection, reads another one and closes the connection.
fn closing_after(answered: usize) -> Behaviour {
    Arc::new(move |mut stream: Stream| {
        async move {
            for _ in 0..answered {
                request(&mut stream).await?;
                stream.write_all(OK.as_bytes()).await?;
                stream.flush().await?;
            }
            request(&mut stream).await.map(drop)
        }
        .boxed()
    })
}

#[tokio::test]
async fn a_request_on_a_reused_connection_that_closes_is_not_sent_again() {
    let authority = Authority::new();
    let receiver = Receiver::start(&authority, closing_after(1)).await;
    let sender = sender(&authority.settings(&[&receiver]), &receiver);
    assert_eq!(ping(&sender).await.outcome, AttemptOutcome::Delivered);
    assert_eq!(ping(&sender).await.reason.as_deref(), Some(CLOSED));
    assert_eq!(receiver.connections(), 1);
}
