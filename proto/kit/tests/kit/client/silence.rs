//! Replicas that fall silent: their connections stay open, but nothing comes back.

use testing::silent_proxy::SilentProxy;
use tokio::net::TcpSocket;
use tonic::{Code, Request};
use tonic_health::pb::HealthCheckRequest;
use tonic_health::pb::health_client::HealthClient;

use super::{Behaviour, LONG, Running, call, client};

/// More bytes than the smallest receive buffer holds, and fewer than the initial window of HTTP/2, 65,535.
const MESSAGE: usize = 60_000;

#[tokio::test]
async fn a_connection_without_a_pong_is_closed() {
    let hung = Running::start(Behaviour::Hang);
    let (_, port) = hung.address.rsplit_once(':').unwrap();
    let proxy = SilentProxy::to("127.0.0.1", port.parse().unwrap()).await.unwrap();
    let client = client(&[&format!("http://{}", proxy.address)]);
    let falls_silent = async {
        while hung.calls() == 0 {
            tokio::task::yield_now().await;
        }
        proxy.fall_silent();
        // With paused time, timers fire when all tasks wait. Those of the ping and the pong come before the deadline of the call.
        tokio::time::pause();
    };
    let (lost, ()) = tokio::join!(call(&client, false, LONG), falls_silent);
    let lost = lost.unwrap_err();
    assert_eq!(lost.code(), Code::Unavailable, "{lost}");
    assert!(lost.message().contains("keep-alive timed out"), "{lost}");
}

/// A proxy or a network may swallow all that comes on the connections that are open, and serve new
/// ones.
#[tokio::test]
async fn a_call_after_a_connection_that_fell_silent_is_answered() {
    let replica = Running::start(Behaviour::Answer);
    let (_, port) = replica.address.rsplit_once(':').unwrap();
    let proxy = SilentProxy::to("127.0.0.1", port.parse().unwrap()).await.unwrap();
    let client = client(&[&format!("http://{}", proxy.address)]);
    call(&client, true, LONG).await.unwrap();
    proxy.fall_silent();
    let mut dropped = proxy.dropped.clone();
    let recovers = async {
        dropped.changed().await.unwrap();
        proxy.recover();
    };
    // A ping ends the first attempt after four real seconds, and the second opens a connection.
    let (called, ()) = tokio::join!(call(&client, true, LONG), recovers);
    called.unwrap();
}

#[tokio::test]
async fn a_connection_whose_data_is_not_taken_is_closed() {
    let socket = TcpSocket::new_v4().unwrap();
    // The kernel makes it about two kilobytes; the rest of the message stays with the sender.
    socket.set_recv_buffer_size(1).unwrap();
    socket.bind(([127, 0, 0, 1], 0).into()).unwrap();
    // The kernel accepts the connection, but nobody reads from it.
    let listener = socket.listen(1).unwrap();
    let address = listener.local_addr().unwrap();
    let client = client(&[&format!("http://{address}")]);
    let mut request = Request::new(HealthCheckRequest { service: "a".repeat(MESSAGE) });
    request.set_timeout(LONG);
    let lost = HealthClient::new(client).check(request).await.unwrap_err();
    assert_eq!(lost.code(), Code::Unavailable, "{lost}");
}
