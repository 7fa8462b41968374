//! Tries of webhook-svc's sender beside a bare loop of the same HTTP client, both to one receiver that answers 200 at once, without TLS.

use std::sync::Arc;

use bytes::Bytes;
use kit::Clock;
use uuid::Uuid;
use webhook::domain::address::Address;
use webhook::domain::signature::Secret;
use webhook::http::{AttemptOutcome, AttemptRequest, Sender, Settings};

use super::bare::{AT_ONCE, BODY, Bare, Calls, load};
use super::receiver::Receiver;
use crate::side::{ROUNDS, SECONDS, WARM_UP, median, print_ratio};

pub(crate) async fn run() {
    let receiver = Receiver::start().await;
    let host = &receiver.host;
    let (bare, sender) = (Arc::new(Bare::new(host)), Arc::new(Tries::new(host)));
    load(&bare, WARM_UP).await;
    load(&sender, WARM_UP).await;
    let (mut bares, mut senders) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        bares.push(load(&bare, SECONDS).await);
        senders.push(load(&sender, SECONDS).await);
    }
    for (name, rounds) in [("bare client", &bares), ("sender", &senders)] {
        let (rate, cpu) = (median(rounds, |it| it.rate), median(rounds, |it| it.cpu));
        println!("{name}: {rate:.0} tries/s, {cpu:.1} µs of CPU a try");
    }
    let rates = senders.iter().zip(&bares);
    let ratios: Vec<f64> = rates
        .map(|(sender, bare)| sender.rate / bare.rate)
        .collect();
    print_ratio("sender / bare client", &ratios);
}

struct Tries {
    sender: Sender,
    address: Address,
    secret: Secret,
    clock: Clock,
}

impl Tries {
    fn new(host: &str) -> Self {
        let settings = Settings {
            allow: format!("http://{host}").parse().unwrap(),
            idle_connections: AT_ONCE,
            ..Settings::default()
        };
        Self {
            sender: Sender::new(&settings).unwrap(),
            address: Address::parse(&format!("http://{host}/in"), &settings.allow).unwrap(),
            secret: Secret::generate(),
            clock: Clock::system(),
        }
    }
}

impl Calls for Tries {
    async fn call(&self) {
        let attempt = AttemptRequest {
            endpoint: Uuid::nil(),
            address: &self.address,
            event: "listing.updated",
            id: Uuid::from_u128(7),
            at: self.clock.now(),
            body: Bytes::from_static(BODY.as_bytes()),
            secret: &self.secret,
            next_secret: None,
        };
        let answer = self.sender.post(attempt).await;
        assert_eq!(answer.outcome, AttemptOutcome::Delivered, "{answer:?}");
    }
}
