//! Every call between services, and of staff, is encrypted. The fleet token counts only with a certificate. Processes use the certificates that they
//! find when they start.

use std::path::Path;

use contracts::catalogue::v1::ListGamesRequest;
use contracts::catalogue::v1::games_service_client::GamesServiceClient;
use contracts::common::v1::Mode;
use e2e::{Client, Fleet, FleetCertificates, SmallFleet, WebClient, eventually};
use kit::rpc::client::{Transport, dial};
use kit::rpc::permissions::{CATALOGUE, WEB};
use kit::rpc::tls::Authorities;
use tonic::Code;

use super::tokens::restart_all;

/// The expiry of certificates: 1 January of a year, in seconds since 1970.
const IN_2090: u64 = 3_786_912_000;
const IN_2091: u64 = 3_818_448_000;

async fn expiries(fleet: &Fleet) -> Vec<u64> {
    let mut all = Vec::new();
    for service in &fleet.services {
        let metric = "tls_certificate_expires_seconds";
        all.extend(fleet.metric(&service.name, metric).await);
    }
    all
}

/// A call of the API, which the gateway forwards.
async fn call(client: &Client, path: &str) {
    let response = client.get(path).await;
    assert_eq!(response.status.as_u16(), 200, "{path}: {}", response.text);
}

/// A staff call, over a new connection.
async fn staff(small: &SmallFleet) {
    let plans = small.staff(&["plan", "list"]).await;
    assert!(plans.contains("free"), "{plans}");
}

/// A caller with the fleet token that trusts the fleet's authority but has no certificate.
async fn assert_denied_without_certificate(small: &SmallFleet, certificates: &FleetCertificates) {
    let fleet = small.fleet();
    let ca = Path::new(certificates.folder()).join(WEB).join("ca.crt");
    let authorities = Authorities::read(&ca).await.unwrap();
    let transport = Transport::guarded().with_tls(&authorities, CATALOGUE);
    let transport = transport.unwrap();
    let address = &fleet.service(CATALOGUE).grpc;
    let token = fleet.service_token.clone().into();
    let client = eventually("catalogue-svc answers", async || {
        dial(address, transport.clone(), &token).await.ok()
    });
    let client = client.await.with_default_deadline(testing::LONG);
    let mut games = GamesServiceClient::new(client);
    let request = ListGamesRequest {
        mode: Mode::Live.into(),
        ..ListGamesRequest::default()
    };
    let denied = games.list_games(request).await.unwrap_err();
    assert_eq!(denied.code(), Code::PermissionDenied, "{denied}");
    let expected = "needs a client certificate with the name of a service";
    assert!(denied.message().contains(expected), "{denied}");
}

#[tokio::test]
#[ignore = "long: restarts every process of a fleet"]
async fn certificates_are_replaced_by_a_restart() {
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
    assert_denied_without_certificate(&small, &certificates).await;
    let page = WebClient::new(&fleet).get("/games").await;
    assert_eq!(page.status.as_u16(), 200, "{}", page.text);

    certificates.replace(2091);
    restart_all(&small).await;
    assert_eq!(expiries(&small.fleet()).await, [IN_2091; 6]);
    // The services and the `staff` tool use the new certificates.
    call(&client, "/games?limit=1").await;
    staff(&small).await;
    small.down().await;
}
