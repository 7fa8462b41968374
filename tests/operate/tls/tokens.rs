//! The tokens of the fleet and of staff are replaced while the fleet runs, in the steps of deploy/runbook/secrets.md.

use std::cell::Cell;
use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;
use std::time::Duration;

use contracts::catalogue::v1::ListGamesRequest;
use contracts::catalogue::v1::games_service_client::GamesServiceClient;
use contracts::common::v1::Mode;
use e2e::{
    Fleet, KeyRequest, Service, SmallFleet, Staff, binaries, dial, eventually, eventually_within,
};
use kit::rpc::permissions::SERVICES;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use tonic::Code;

/// Timeout for processes to restart.
const START: Duration = Duration::from_mins(5);
/// With these replicas, in each step every service calls one with other tokens, except listings-svc, which calls none.
const REPLICAS: &str = "gateway=2,catalogue-svc=2,listings-svc=2";
const PAUSE: Duration = Duration::from_millis(50);

struct Pair {
    fleet: String,
    staff: String,
}

impl Pair {
    fn read(fleet: &Fleet) -> Self {
        Self { fleet: fleet.service_token.clone(), staff: fleet.staff_token.clone() }
    }

    fn random() -> Self {
        let token = |kind: &str| format!("{kind}-token-{}", kit::ids::row_id());
        Self { fleet: token("fleet"), staff: token("staff") }
    }

    /// Lists of tokens in which those of `self` come first.
    fn before(&self, other: &Self) -> String {
        let (fleet, staff) = (&other.fleet, &other.staff);
        format!("{},{fleet} {},{staff}\n", self.fleet, self.staff)
    }
}

/// Makes `small` start its services through scripts, which read the tokens from the file `tokens` if it is not empty.
fn read_tokens_from_file(small: &mut SmallFleet) {
    let tokens = small.write("tokens", "");
    let folder = Path::new(&tokens).with_file_name("bin");
    fs::create_dir(&folder).unwrap();
    for name in SERVICES {
        let prefix = name.trim_end_matches("-svc").to_uppercase();
        let variables = format!("{prefix}_FLEET_TOKEN {prefix}_STAFF_TOKEN");
        let program = binaries().join(name);
        let script = format!(
            "#!/bin/sh\nif [ -s '{tokens}' ]; then\n  read -r {variables} < '{tokens}'\n  export {variables}\nfi\nexec '{}' \"$@\"\n",
            program.display()
        );
        let path = folder.join(name);
        fs::write(&path, script).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }
    for name in ["staff", "local-activity", "local-people"] {
        symlink(binaries().join(name), folder.join(name)).unwrap();
    }
    small.use_binaries(&folder);
}

/// The processes with this index, one for each service that has that many.
fn processes(fleet: &Fleet, replica: usize) -> Vec<Service> {
    let processes = SERVICES.iter().filter_map(|name| fleet.replicas(name).nth(replica));
    processes.cloned().collect()
}

async fn is_ready(process: &Service) -> bool {
    let answer = reqwest::get(&process.ready).await;
    answer.is_ok_and(|answer| answer.status() == 200)
}

/// Restarts the first process of each service, then the second ones.
async fn restart_all(small: &SmallFleet) {
    for replica in [0, 1] {
        let before = processes(&small.fleet(), replica);
        for process in &before {
            kill(Pid::from_raw(process.pid.unwrap()), Signal::SIGTERM).unwrap();
        }
        eventually_within(START, "the replicas are ready again", async || {
            let now = processes(&small.fleet(), replica);
            for (old, new) in before.iter().zip(&now) {
                if new.pid.is_none() || new.pid == old.pid || !is_ready(new).await {
                    return None;
                }
            }
            Some(())
        })
        .await;
    }
}

/// Calls these addresses in turn. A process that restarts may refuse a connection or be unavailable, but no response is one that a wrong fleet token
/// would cause.
async fn call(addresses: &[String], path: &str, token: &str, answered: &Cell<u64>) {
    let client = reqwest::Client::new();
    let mut pause = tokio::time::interval(PAUSE);
    for address in addresses.iter().cycle() {
        pause.tick().await;
        let request = client.get(format!("{address}{path}")).bearer_auth(token);
        let Ok(answer) = request.send().await else {
            continue;
        };
        let status = answer.status().as_u16();
        assert!(![401, 403, 500].contains(&status), "{path}: {status}");
        if status == 200 {
            answered.set(answered.get() + 1);
        }
    }
}

/// The refusals of catalogue-svc and of the gateway for these tokens.
async fn refusals(fleet: &Fleet, tokens: &Pair) -> [Option<Code>; 2] {
    let catalogue = &fleet.service("catalogue-svc").grpc;
    let channel = dial(catalogue, &tokens.fleet.clone().into()).await;
    let request = ListGamesRequest { mode: Mode::Live.into(), ..ListGamesRequest::default() };
    let games = GamesServiceClient::new(channel).list_games(request).await;
    let with_tokens = Fleet { staff_token: tokens.staff.clone(), ..fleet.clone() };
    let mut gateway = Staff::new(&with_tokens).await.gateway;
    let plans = gateway.list_plans(contracts::gateway::v1::ListPlansRequest {});
    let code = |status: tonic::Status| status.code();
    [games.err().map(code), plans.await.err().map(code)]
}

#[tokio::test]
#[ignore = "long: restarts every process under load"]
async fn tokens_are_replaced_and_no_call_is_refused() {
    let mut small = SmallFleet::patient();
    read_tokens_from_file(&mut small);
    let fleet = small.up_with(&["--replicas", REPLICAS]).await;

    let mut staff = Staff::new(&fleet).await;
    let account = staff.account("unlimited").await;
    let (_, key) = staff.key(&account, KeyRequest::live()).await;
    let secret = &fleet.account("partner").keys.live_secret;
    let ports = |name: &str| -> Vec<String> {
        fleet.replicas(name).map(|it| it.http.clone().unwrap()).collect()
    };
    let (gateways, sites) = (ports("gateway"), ports("web"));

    // In this order, the calls reach catalogue-svc, listings-svc, economy-svc, webhook-svc and web.
    let answered = [(); 5].map(|()| Cell::new(0));
    let calls = async {
        futures::join!(
            call(&gateways, "/v1/games", &key, &answered[0]),
            call(&gateways, "/v1/me/listings", &key, &answered[1]),
            call(&gateways, "/v1/economy/currencies", secret, &answered[2]),
            call(&gateways, "/v1/webhooks/messages", &key, &answered[3]),
            call(&sites, "/games", "", &answered[4]),
        )
    };
    let (old, new) = (Pair::read(&fleet), Pair::random());
    let rotation = async {
        let alone = format!("{} {}\n", new.fleet, new.staff);
        for step in [old.before(&new), new.before(&old), alone] {
            small.write("tokens", step);
            restart_all(&small).await;
            let before = answered.each_ref().map(Cell::get);
            eventually("every caller gets answers", async || {
                let mut callers = answered.iter().zip(before);
                let all = callers.all(|(answered, before)| answered.get() > before);
                all.then_some(())
            })
            .await;
        }
    };
    tokio::select! {
        _ = calls => unreachable!("the callers go on"),
        () = rotation => {}
    }

    let refused = Some(Code::Unauthenticated);
    assert_eq!(refusals(&fleet, &old).await, [refused, refused]);
    assert_eq!(refusals(&fleet, &new).await, [None, None]);
    follows_with(&small, &new, &key).await;
    for name in SERVICES {
        let denied = fleet.metric(name, "rpc_denied_total").await;
        assert_eq!(denied.iter().sum::<u64>(), 0, "{name}");
        let second = format!("{name}-2");
        for log in [name, second.as_str()].into_iter().take(denied.len()) {
            assert!(!small.log(log).contains("needs the fleet token"), "{log}");
        }
    }
}

/// Asserts that changes in listings-svc reach its followers.
async fn follows_with(small: &SmallFleet, tokens: &Pair, key: &str) {
    let fleet = Fleet {
        service_token: tokens.fleet.clone(),
        staff_token: tokens.staff.clone(),
        ..small.fleet()
    };
    let mut staff = Staff::new(&fleet).await;
    let account = staff.account("unlimited").await;
    staff.page(&account, "after-the-tokens").await;
    let client = e2e::Client::new(&fleet, key);
    eventually("the gateway shows the new page", async || {
        let answer = client.get("/creators/after-the-tokens").await;
        (answer.status == 200).then_some(())
    })
    .await;
}
