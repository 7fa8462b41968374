//! Tries of webhook-svc's sender beside a bare loop of the same HTTP client, both to one receiver that answers 200 at once, without TLS.

use std::sync::Arc;

use bytes::Bytes;
use kit::Clock;
use uuid::Uuid;
use webhook::domain::address::Address;
use webhook::domain::signature::Secret;
use webhook::domain::signed_headers::Secrets;
use webhook::http::{AttemptOutcome, AttemptRequest, Sender, Settings};

use super::bare::{AT_ONCE, BODY, Bare, Calls, load};
use super::receiver::Receiver;
use crate::results::{Measure, Report};
use crate::side::{ROUNDS, SECONDS, WARM_UP, median};

pub(crate) async fn run(report: &mut Report) {
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
    let sides = [("sender", &senders), ("bare loop", &bares)].map(|(name, rounds)| {
        let (rate, cpu) = (median(rounds, |it| it.rate), median(rounds, |it| it.cpu));
        format!("{name} {rate:.0} tries/s, {cpu:.1} µs of CPU a try")
    });
    let rates = senders.iter().zip(&bares);
    let ratios: Vec<f64> = rates
        .map(|(sender, bare)| sender.rate / bare.rate)
        .collect();
    let measure = Measure::new(format!(
        "tries of webhook-svc's sender (two signatures, nine headers, the guard's connector) compared with a bare loop of the same HTTP client, {AT_ONCE} concurrent tries, one receiver without TLS; tries/s"
    ));
    report.ratio(measure, &ratios, &sides.join("; "));
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
            address: &self.address,
            event: "listing.updated",
            id: Uuid::from_u128(7),
            at: self.clock.now(),
            body: Bytes::from_static(BODY.as_bytes()),
            secrets: Secrets {
                current: &self.secret,
                next: None,
            },
        };
        let answer = self.sender.attempt(attempt).await;
        assert_eq!(answer.outcome, AttemptOutcome::Delivered, "{answer:?}");
    }
}
