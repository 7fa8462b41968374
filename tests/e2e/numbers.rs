//! An account has the same numbers everywhere: in headers, `GET /me`, the services, `staff`, and a page of the dashboard.

use contracts::gateway::v1::accounts_service_client::AccountsServiceClient;
use contracts::gateway::v1::{
    Account, AccountsServiceGetAccountRequest, AccountsServiceGetAccountResponse, ListPlansRequest,
    Plan, RequestKeyRequest,
};
use contracts::public::{Me, MeMinute, MeMonth};
use e2e::{
    Client, Fleet, KeyRequest, NewAccount, Staff, Studio, WebClient, a_day_with_time_left,
    add_endpoint, eventually,
};
use serde_json::{Value, json};

use crate::staff_tool::{answer, once_known};

/// An address that the fleet permits for receivers although it is not public. Nothing listens there.
const RECEIVER: &str = "127.0.0.1:9500";

/// The number after `name` in an item of a header such as `"month";r=49997;t=86400`.
fn item(header: &str, window: &str, name: &str) -> Option<u64> {
    let mut items = header.split(", ");
    let item = items.find(|item| item.starts_with(&format!("\"{window}\"")))?;
    let mut parameters = item.split(';');
    let number = parameters.find_map(|parameter| parameter.strip_prefix(&format!("{name}=")))?;
    number.parse().ok()
}

/// A plan, as staff read it.
async fn plan_of_staff(staff: &mut Staff, name: &str) -> Plan {
    let plans = staff.gateway.list_plans(ListPlansRequest {}).await;
    let mut plans = plans.unwrap().into_inner().plans.into_iter();
    plans.find(|plan| plan.name == name).unwrap()
}

/// The account as the dashboard reads it, once its month has been copied to PostgreSQL.
async fn counted(fleet: &Fleet, account: &str, calls: u64) -> AccountsServiceGetAccountResponse {
    let accounts = AccountsServiceClient::new(fleet.rpc_client("gateway").await);
    eventually("the calls are counted in the month", async || {
        let request = AccountsServiceGetAccountRequest { account_id: account.to_owned() };
        let found = accounts.clone().get_account(request).await.unwrap().into_inner();
        let month = found.month.unwrap_or_default().used;
        (month == calls).then_some(found)
    })
    .await
}

#[tokio::test]
async fn an_account_has_the_same_numbers_everywhere() {
    a_day_with_time_left().await;
    let fleet = Fleet::shared();
    let mut browser = WebClient::new(&fleet);
    let password = "baobab lorry teapot nine";
    let [pages, _] = browser.sign_up(&fleet, "Numbers", password).await;
    let id = pages.strip_prefix("/accounts/").unwrap();
    let account = NewAccount { account: Account { id: id.to_owned(), ..Account::default() } };
    let mut staff = Staff::new(&fleet).await;
    let client = Client::new(&fleet, &staff.key(&account, KeyRequest::live()).await.1);
    // A success, a 404, a 400 and a 304 count. No other test changes this game.
    let path = "/games/a-day-in-the-woods";
    let game = client.get(path).await;
    client.get("/games/no-such-game-anywhere").await;
    client.get("/games?limit=nothing").await;
    let known = client
        .request(http::Method::GET, path)
        .header("if-none-match", game.header("etag").unwrap());
    assert_eq!(client.send(known).await.status, 304);

    let answered = client.get("/me").await;
    // No pattern contains `..`: a new field does not compile until it is compared.
    let Me {
        account: owner,
        key: _,
        minute: MeMinute { limit: per_minute, remaining: left_of_minute, resets_at: minute_ends },
        month,
    } = serde_json::from_value(answered.data().clone()).unwrap();
    let MeMonth { limit, used, remaining, resets_at } = month.unwrap();
    let limit = limit.unwrap();
    assert_eq!((used, remaining), (5, Some(limit - 5)));
    let left = answered.header("ratelimit").unwrap();
    let policy = answered.header("ratelimit-policy").unwrap();
    assert_eq!(item(left, "month", "r"), remaining, "{left}");
    assert_eq!(item(policy, "month", "q"), Some(limit), "{policy}");
    let minute = (per_minute.map(u64::from), left_of_minute.map(u64::from));
    let shown = (item(policy, "minute", "q"), item(left, "minute", "r"));
    assert_eq!(minute, shown, "{policy} {left}");
    // The header says in how many seconds each window ends, rounded up.
    let seconds = |window| i64::try_from(item(left, window, "t").unwrap()).unwrap();
    let between = (resets_at.0 - minute_ends.0).whole_seconds();
    let difference = seconds("month") - seconds("minute") - between;
    assert!(difference.abs() <= 1, "{left}: {minute_ends:?}");

    let of_staff = plan_of_staff(&mut staff, &owner.unwrap().plan.name).await;
    assert_eq!(of_staff.calls_per_month, Some(limit));
    assert_eq!(of_staff.calls_per_minute.map(u64::from), minute.0);
    let found = counted(&fleet, id, 5).await;
    let month = found.month.unwrap();
    assert_eq!(month.limit, Some(limit));
    let ends = month.resets_at.and_then(kit::api::timestamp::decode);
    assert_eq!(ends, Some(resets_at.0));
    let shown = answer(&fleet, &["account", "show", id]).await;
    assert_eq!(shown["month"]["used"], 5);
    assert_eq!(shown["month"]["limit"], limit);
    assert_eq!(shown["month"]["resets_at"], json!(resets_at));
    assert_eq!(shown["working_keys"], 1);
    assert_eq!(shown["plan"]["working_keys"], json!(of_staff.working_keys));
    let overview = browser.get(&pages).await.text;
    assert!(overview.contains("<strong>5</strong> of "), "{overview}");
}

/// How much of the limits of its plan an account uses.
#[tokio::test]
async fn a_plan_has_the_same_uses_everywhere() {
    a_day_with_time_left().await;
    let mut studio = Studio::on_plan(&Fleet::shared(), "free").await;
    let (fleet, id) = (studio.fleet.clone(), studio.account.account.id.clone());
    let plan = plan_of_staff(&mut studio.staff, "free").await;
    studio.submit("write").await;
    let writes = answer(&fleet, &["account", "writes", &id]).await;
    assert_eq!(writes, json!({"writes_today": 1}));

    let endpoints = plan.webhook_endpoints.unwrap();
    for _ in 0..endpoints {
        add_endpoint(&fleet, &studio.account, RECEIVER, &["tip.paid"]).await;
    }
    let shown = once_known(&fleet, &["--json", "account", "endpoints", &id]).await;
    let shown: Value = serde_json::from_slice(&shown.stdout).unwrap();
    assert_eq!(shown, json!({"endpoints": endpoints}));

    let request = RequestKeyRequest {
        account_id: id.clone(),
        name: "production".to_owned(),
        ..RequestKeyRequest::default()
    };
    let gateway = &mut studio.staff.gateway;
    gateway.request_key(request).await.unwrap();
    // The request counts towards the limit of keys, like the key that writes.
    let shown = answer(&fleet, &["account", "show", &id]).await;
    assert_eq!(shown["working_keys"], 2);
    let pending = answer(&fleet, &["key", "pending"]).await;
    let pending = pending["requests"].as_array().unwrap().iter();
    let own = pending.filter(|it| it["account_id"] == id.as_str());
    assert_eq!(own.count(), 1);
    let keys = answer(&fleet, &["key", "list", "--account", &id]).await;
    assert_eq!(keys["keys"].as_array().unwrap().len(), 1);
}
