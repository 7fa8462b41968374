use futures::FutureExt as _;

use super::*;

const TIMEOUT: Duration = Duration::from_secs(1);
const TIMEOUTS: Timeouts = Timeouts {
    http_head: TIMEOUT,
    http_body: TIMEOUT,
    http_idle: TIMEOUT,
    http_write: TIMEOUT,
};

pub(in crate::http_server) fn clients(connections: u32, unsent: usize) -> Arc<Clients> {
    let limits = ClientLimits {
        connections,
        unsent,
        proxies: "10.0.0.0/8".parse().unwrap(),
        ..ClientLimits::default()
    };
    Clients::new(100, limits)
}

pub(in crate::http_server) fn open(clients: &Arc<Clients>, from: &str) -> Option<OpenConnection> {
    let peer = SocketAddr::new(from.parse().unwrap(), 4711);
    clients.open(Some(peer), TIMEOUTS).now_or_never().unwrap()
}

fn is_reset(open: &OpenConnection) -> bool {
    open.connection.reset.is_cancelled()
}

fn hold(open: &OpenConnection, bytes: usize) {
    let client = open.connection.client();
    open.connection.add_unsent(&client, bytes);
}

#[tokio::test]
async fn a_client_has_so_many_connections() {
    let clients = clients(2, 100);
    let first = open(&clients, "2001:db8::1").unwrap();
    let _second = open(&clients, "2001:db8::2").unwrap();
    assert!(open(&clients, "2001:db8::3").is_none());
    assert!(open(&clients, "2001:db8:0:1::3").is_some());
    drop(first);
    assert!(open(&clients, "2001:db8::3").is_some());
    // A trusted proxy has the connections of many clients.
    let all: Vec<_> = (0..9).map(|_| open(&clients, "10.0.0.1")).collect();
    assert!(all.iter().all(Option::is_some));
}

#[tokio::test]
async fn the_client_with_most_connections_makes_room() {
    let clients = clients(9, 100);
    let other = open(&clients, "192.0.2.1").unwrap();
    let many: Vec<_> = (0..3).filter_map(|_| open(&clients, "192.0.2.2")).collect();
    for closed in 1..=3 {
        clients.close_some();
        let count = many.iter().filter(|open| is_reset(open)).count();
        assert_eq!((count, is_reset(&other)), (closed, false));
    }
    clients.close_some();
    assert!(is_reset(&other), "it is idle");
    clients.close_some();
}

#[tokio::test]
async fn a_connection_with_a_request_makes_no_room_unless_its_client_has_many() {
    use crate::http_server::timeouts::CallGuard;
    let clients = clients(2, 100);
    let first = open(&clients, "192.0.2.1").unwrap();
    let _call = CallGuard::begin(&first.connection.deadlines, true);
    clients.close_some();
    assert!(!is_reset(&first));
    let second = open(&clients, "192.0.2.1").unwrap();
    let _call = CallGuard::begin(&second.connection.deadlines, true);
    clients.close_some();
    assert!(is_reset(&first) && !is_reset(&second), "the older one");
}

#[tokio::test]
async fn connections_that_hold_most_are_closed_at_the_limit() {
    let clients = clients(9, MAX_UNSENT_BYTES);
    let large = open(&clients, "192.0.2.1").unwrap();
    let [small, smaller] = [(); 2].map(|()| open(&clients, "192.0.2.2").unwrap());
    hold(&large, MAX_UNSENT_BYTES / 4);
    hold(&small, MAX_UNSENT_BYTES / 5 * 2);
    hold(&smaller, MAX_UNSENT_BYTES / 5);
    let client = smaller.connection.client();
    assert!(smaller.connection.check_room(&client).is_ok());
    assert!(!is_reset(&small));
    hold(&smaller, MAX_UNSENT_BYTES / 6);
    assert!(
        large
            .connection
            .check_room(&large.connection.client())
            .is_ok()
    );
    // The second client holds most, and of its connections the first.
    assert!(is_reset(&small) && !is_reset(&smaller) && !is_reset(&large));
    assert!(
        large
            .connection
            .check_room(&large.connection.client())
            .is_ok()
    );
    assert!(
        !is_reset(&smaller) && !is_reset(&large),
        "what is closed counts no more"
    );
}

#[tokio::test]
async fn the_client_behind_a_proxy_is_that_of_the_header() {
    let clients = clients(9, 100);
    let proxy = open(&clients, "10.0.0.1").unwrap();
    let from = |address: &str| {
        let headers = [("x-forwarded-for".parse().unwrap(), address.parse().unwrap())];
        proxy.connection.client_of(&HeaderMap::from_iter(headers))
    };
    let one = from("192.0.2.1");
    proxy.connection.add_unsent(&one, 100);
    assert!(proxy.connection.check_room(&one).is_err());
    assert!(proxy.connection.check_room(&from("192.0.2.2")).is_ok());
    let direct = open(&clients, "192.0.2.1").unwrap();
    let headers = HeaderMap::from_iter([(
        "x-forwarded-for".parse().unwrap(),
        "1.1.1.1".parse().unwrap(),
    )]);
    let client = direct.connection.client_of(&headers);
    assert!(
        Arc::ptr_eq(&client, &one),
        "the header of others is ignored"
    );
}
