//! Every call between services, and of staff, is encrypted; certificates are replaced without a restart.

use e2e::{Client, Fleet, FleetCertificates, SmallFleet, WebClient, eventually};

/// When certificates expire: 1 January of a year, in seconds since 1970.
const IN_2090: u64 = 3_786_912_000;
const IN_2091: u64 = 3_818_448_000;

/// When the certificate of each process expires.
async fn expiries(fleet: &Fleet) -> Vec<u64> {
    let mut all = Vec::new();
    for service in &fleet.services {
        let metric = "tls_certificate_expires_seconds";
        all.extend(fleet.metric(&service.name, metric).await);
    }
    all
}

/// A call of the API, which the gateway passes on.
async fn call(client: &Client, path: &str) {
    let response = client.get(path).await;
    assert_eq!(response.status.as_u16(), 200, "{path}: {}", response.text);
}

/// A call of staff, on a connection of its own.
async fn staff(small: &SmallFleet) {
    let plans = small.staff(&["plan", "list"]).await;
    assert!(plans.contains("free"), "{plans}");
}

#[tokio::test]
async fn certificates_of_all_services_are_replaced_under_load() {
    let certificates = FleetCertificates::new(2090);
    let mut small = SmallFleet::patient();
    let fleet = small.up_with(&["--tls", certificates.folder()]).await;
    let addresses = fleet.services.iter().map(|service| &service.grpc);
    for address in addresses {
        assert!(address.starts_with("https://"), "{address}");
    }
    assert_eq!(expiries(&fleet).await, [IN_2090; 6]);

    let client = Client::new(&fleet, &fleet.account("partner").keys.live);
    call(&client, "/games?limit=1").await;
    let game = Client::new(&fleet, &fleet.account("partner").keys.live_secret);
    call(&game, "/economy/rates").await;
    staff(&small).await;
    let page = WebClient::new(&fleet).get("/games").await;
    assert_eq!(page.status.as_u16(), 200, "{}", page.text);

    let is_replaced = async {
        certificates.replace(2091);
        eventually("all services use their new certificates", async || {
            (expiries(&fleet).await == [IN_2091; 6]).then_some(())
        })
        .await;
    };
    let calls = async {
        for number in 0..200 {
            call(&client, "/games?limit=1").await;
            if number % 10 == 0 {
                staff(&small).await;
            }
        }
    };
    tokio::join!(is_replaced, calls);
    // With the new certificates.
    call(&client, "/games?limit=1").await;
    staff(&small).await;
    small.down().await;
}
