//! The numbers of an account are the same wherever they are shown: in headers, `GET /me`, the dashboard and `staff`.

use std::collections::BTreeSet;

use contracts::gateway::v1::accounts_service_client::AccountsServiceClient;
use contracts::gateway::v1::{
    Account, AccountsServiceGetAccountRequest, AccountsServiceGetAccountResponse, ListKeysRequest,
    ListPlansRequest, Plan, RequestKeyRequest,
};
use contracts::public::{Me, MeMinute, MeMonth, Timestamp};
use e2e::{
    Client, Fleet, KeyRequest, NewAccount, Staff, WebClient, a_day_with_time_left, add_endpoint,
    eventually, mails,
};
use reqwest::Method;
use serde_json::{Value, json};
use time::Date;

use crate::staff_tool::{once_known, said};

/// The receiver that the fleet permits although it is not public. Nothing listens there.
const RECEIVER: &str = "127.0.0.1:9500";

/// An account with a person who is signed in, and the path of its pages.
async fn sign_up(fleet: &Fleet) -> (WebClient, NewAccount, String) {
    let mut browser = WebClient::new(fleet);
    let address = format!("numbers-{}@studio.example", kit::ids::row_id());
    let sent = browser.post("/sign-up", &[("email", &address)]).await;
    assert_eq!(sent.status, 200, "{}", sent.text);
    let link = mails::link(&fleet.mail_dir, &address).await;
    let fields = [
        ("account_name", "Numbers"),
        ("password", "baobab lorry teapot nine"),
    ];
    let made = browser.post(&link, &fields).await;
    assert_eq!(made.status, 303, "{}", made.text);
    let id = made.location.strip_prefix("/accounts/").unwrap().to_owned();
    let account = Account {
        id,
        ..Account::default()
    };
    (browser, NewAccount { account }, made.location)
}

/// The number after `name` in an item of a header such as `"month";r=49997;t=86400`.
fn item(header: &str, window: &str, name: &str) -> Option<u64> {
    let mut items = header.split(", ");
    let item = items.find(|item| item.starts_with(&format!("\"{window}\"")))?;
    let mut parameters = item.split(';');
    let number = parameters.find_map(|parameter| parameter.strip_prefix(&format!("{name}=")))?;
    number.parse().ok()
}

/// The header says in seconds when the minute and the month end, and `GET /me` at which times.
fn assert_same_ends(minute: Timestamp, month: Timestamp, header: &str) {
    let seconds = |window| i64::try_from(item(header, window, "t").unwrap()).unwrap();
    let between = (month.0 - minute.0).whole_seconds();
    let difference = seconds("month") - seconds("minute") - between;
    // The header rounds each of them up to a second.
    assert!(difference.abs() <= 1, "{header}: {minute:?} {month:?}");
}

/// A time as pages write it; it is the beginning of a day.
fn midnight(at: Timestamp) -> String {
    format!("{}, 00:00 UTC", in_words(at.0.date()))
}

/// A day as pages write it.
fn in_words(day: Date) -> String {
    format!("{} {} {}", day.day(), day.month(), day.year())
}

/// A number as pages write it.
fn grouped(number: u64) -> String {
    match (number / 1_000, number % 1_000) {
        (0, number) => number.to_string(),
        (thousands, rest) => format!("{},{rest:03}", grouped(thousands)),
    }
}

/// A limit of a plan as the page Plans writes it.
fn limit(limit: Option<u32>) -> String {
    limit.map_or_else(|| "no limit".to_owned(), |limit| grouped(limit.into()))
}

/// The cells of a row of the page Plans, one for each plan.
fn cells(page: &str, heading: &str) -> Vec<String> {
    let (_, row) = page.split_once(&format!("{heading}</th>")).unwrap();
    let (row, _) = row.split_once("</tr>").unwrap();
    let cells = row.split("<td>").skip(1);
    cells
        .map(|cell| cell.trim_end_matches("</td>").to_owned())
        .collect()
}

/// The calls of a day on the page Usage.
fn calls_of_day(page: &str, day: Date) -> u64 {
    let heading = format!("<th scope=\"row\">{}</th>", in_words(day));
    let (_, row) = page.split_once(&heading).unwrap();
    let (cell, _) = row.split_once("</td>").unwrap();
    cell.trim_start_matches("<td class=\"number\">")
        .parse()
        .unwrap()
}

/// The rows of a list of `staff` that are about this account.
async fn rows_of_staff(fleet: &Fleet, args: &[&str], list: &str, account: &str) -> usize {
    let text = said(fleet, &[&["--json"], args].concat()).await;
    let answer: Value = serde_json::from_str(&text).unwrap();
    let rows = answer[list].as_array().unwrap().iter();
    // A list of one account may leave the id of the account out.
    rows.filter(|row| row.get("account_id").is_none_or(|it| it == account))
        .count()
}

/// What `staff` shows of an account.
async fn account_of_staff(fleet: &Fleet, account: &str) -> Value {
    let text = said(fleet, &["--json", "account", "show", account]).await;
    let answer: Value = serde_json::from_str(&text).unwrap();
    let fields = answer.as_object().unwrap().keys().map(String::as_str);
    let fields: BTreeSet<&str> = fields.collect();
    let expected = BTreeSet::from(["account", "plan", "month", "working_keys"]);
    assert_eq!(fields, expected, "compare the new number in this file");
    answer
}

/// The plans as staff see them.
async fn plans_of_staff(staff: &mut Staff) -> Vec<Plan> {
    let plans = staff.gateway.list_plans(ListPlansRequest {}).await;
    plans.unwrap().into_inner().plans
}

/// A plan as staff see it.
async fn plan_of_staff(staff: &mut Staff, name: &str) -> Plan {
    let mut plans = plans_of_staff(staff).await.into_iter();
    plans.find(|plan| plan.name == name).unwrap()
}

/// The account as the dashboard reads it, once its month is copied.
async fn counted(fleet: &Fleet, account: &str, calls: u64) -> AccountsServiceGetAccountResponse {
    let accounts = AccountsServiceClient::new(fleet.rpc_client("gateway").await);
    eventually("the calls are counted in the month", async || {
        let request = AccountsServiceGetAccountRequest {
            account_id: account.to_owned(),
        };
        let found = accounts.clone().get_account(request).await;
        let found = found.unwrap().into_inner();
        let month = found.month.unwrap_or_default().used;
        (month == calls).then_some(found)
    })
    .await
}

#[tokio::test]
async fn an_account_has_the_same_numbers_everywhere() {
    a_day_with_time_left().await;
    let fleet = Fleet::shared();
    let (mut browser, account, pages) = sign_up(&fleet).await;
    let mut staff = Staff::of(&fleet).await;
    let client = Client::new(&fleet, &staff.key(&account, KeyRequest::live()).await.1);
    // Answered, not found, refused, and a call that is answered with 304 (of a game that no other test changes).
    let path = "/games/a-day-in-the-woods";
    let game = client.get(path).await;
    let tag = game.header("etag").unwrap();
    client.get("/games/no-such-game-anywhere").await;
    client.get("/games?limit=nothing").await;
    let known = client.request(http::Method::GET, path);
    let known = client.send(known.header("if-none-match", tag)).await;
    assert_eq!(known.status, 304);

    let answer = client.get("/me").await;
    // Here and below, no pattern has `..`: a number that is added does not compile until it is compared.
    let Me {
        account: owner,
        key: _,
        minute:
            MeMinute {
                limit: per_minute,
                remaining: left_of_minute,
                resets_at: minute_ends,
            },
        month,
    } = serde_json::from_value(answer.data().clone()).unwrap();
    let MeMonth {
        limit,
        used,
        remaining,
        resets_at,
    } = month.unwrap();
    let limit = limit.unwrap();
    assert_eq!((used, remaining), (5, Some(limit - 5)));
    let left = answer.header("ratelimit").unwrap();
    let policy = answer.header("ratelimit-policy").unwrap();
    assert_eq!(item(left, "month", "r"), remaining, "{left}");
    assert_eq!(item(policy, "month", "q"), Some(limit), "{policy}");
    let minute = (per_minute.map(u64::from), left_of_minute.map(u64::from));
    let shown = (item(policy, "minute", "q"), item(left, "minute", "r"));
    assert_eq!(minute, shown, "{policy} {left}");
    assert_same_ends(minute_ends, resets_at, left);

    let plan = owner.unwrap().plan;
    let of_staff = plan_of_staff(&mut staff, &plan.name).await;
    assert_eq!(of_staff.calls_per_month, Some(limit));
    assert_eq!(of_staff.calls_per_minute.map(u64::from), minute.0);
    let request = ListKeysRequest {
        account_id: account.account.id.clone(),
    };
    let keys = staff.gateway.list_keys(request).await.unwrap();
    assert_eq!(keys.into_inner().keys.len(), 1);

    let found = counted(&fleet, &account.account.id, 5).await;
    let month = found.month.unwrap();
    assert_eq!(month.limit, Some(limit));
    assert_eq!(
        month.resets_at.and_then(kit::api::timestamp::decode),
        Some(resets_at.0)
    );
    let by_day = browser.get(&format!("{pages}/usage")).await.text;
    let today = kit::Clock::system().now().date();
    assert_eq!(calls_of_day(&by_day, today), 5);

    let shown = account_of_staff(&fleet, &account.account.id).await;
    assert_eq!(shown["month"]["used"], 5);
    assert_eq!(shown["month"]["limit"], limit);
    assert_eq!(shown["month"]["resets_at"], json!(resets_at));
    assert_eq!(shown["working_keys"], 1);
    assert_eq!(shown["plan"]["working_keys"], json!(of_staff.working_keys));

    let overview = browser.get(&pages).await.text;
    let calls = format!("<strong>5</strong> of {}", grouped(limit));
    assert!(overview.contains(&calls), "{calls}: {overview}");
    assert!(overview.contains(&plan.title), "{overview}");
    let shown = browser.get(&format!("{pages}/usage")).await.text;
    let (limit, left) = (grouped(limit), grouped(limit - 5));
    let calls = format!("<strong>5 of {limit} calls</strong>");
    assert!(shown.contains(&calls), "{calls}: {shown}");
    let left = format!("{left} are left until {}", midnight(resets_at));
    assert!(shown.contains(&left), "{left}: {shown}");
}

/// Limits of plans, and what an account uses of them.
#[tokio::test]
async fn a_plan_has_the_same_limits_and_uses_everywhere() {
    a_day_with_time_left().await;
    let fleet = Fleet::shared();
    let (mut browser, account, pages) = sign_up(&fleet).await;
    let mut staff = Staff::of(&fleet).await;
    let id = &account.account.id;
    let plans = plans_of_staff(&mut staff).await;
    let page = browser.get(&format!("{pages}/plans")).await.text;
    let of_plans = |read: fn(&Plan) -> Option<u32>| -> Vec<String> {
        plans.iter().map(read).map(limit).collect()
    };
    for (heading, limits) in [
        (
            "Calls a minute, for each key",
            of_plans(|plan| plan.calls_per_minute),
        ),
        ("Working live keys", of_plans(|plan| plan.working_keys)),
        ("Writes a day", of_plans(|plan| plan.writes_per_day)),
        ("Webhook addresses", of_plans(|plan| plan.webhook_endpoints)),
    ] {
        assert_eq!(cells(&page, heading), limits, "{heading}");
    }
    let per_month = plans.iter().map(|plan| plan.calls_per_month);
    let unlimited = || "no limit: nothing stops, we talk first".to_owned();
    let per_month: Vec<_> = per_month
        .map(|calls| calls.map_or_else(unlimited, grouped))
        .collect();
    assert_eq!(cells(&page, "Calls a month with live keys"), per_month);
    let plan = plan_of_staff(&mut staff, "free").await;

    // A write of the day.
    let handle = format!("numbers-{}", kit::ids::row_id().simple());
    staff.page(&account, &handle).await;
    let writer = staff.writer(&fleet, &account, "live").await;
    let game = json!({"title": handle, "creator": handle});
    let made = writer.request(Method::POST, "/games").json(&game);
    assert_eq!(writer.send(made).await.status, 201);
    let form = browser.get(&format!("{pages}/listings/new/game")).await;
    let per_day = plan.writes_per_day.unwrap();
    let left = format!(
        "You can submit or change {} more listings today.",
        per_day - 1
    );
    assert!(form.text.contains(&left), "{left}: {}", form.text);

    let endpoints = plan.webhook_endpoints.unwrap();
    for _ in 0..endpoints {
        add_endpoint(&fleet, &account, RECEIVER, &["tip.paid"]).await;
    }
    let shown = browser.get(&format!("{pages}/webhooks")).await.text;
    let uses = format!("{endpoints} of {endpoints} address that your plan includes.");
    assert!(shown.contains(&uses), "{uses}: {shown}");
    let text = said(&fleet, &["--json", "account", "writes", id]).await;
    let shown: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(shown, json!({"writes_today": 1}));
    let shown = once_known(&fleet, &["--json", "account", "endpoints", id]).await;
    let shown: Value = serde_json::from_slice(&shown.stdout).unwrap();
    assert_eq!(shown, json!({"endpoints": endpoints}));
    assert_requested_keys(&fleet, &mut browser, &mut staff, id).await;
}

/// Requests a live key for an account that has one, and finds the two wherever they are counted, and the request where it waits.
async fn assert_requested_keys(
    fleet: &Fleet,
    browser: &mut WebClient,
    staff: &mut Staff,
    id: &str,
) {
    let request = RequestKeyRequest {
        account_id: id.to_owned(),
        name: "production".to_owned(),
        ..RequestKeyRequest::default()
    };
    staff.gateway.request_key(request).await.unwrap();
    let of_staff = account_of_staff(fleet, id).await;
    // The request counts towards the limit of the plan.
    assert_eq!(of_staff["working_keys"], 2);
    let pending = rows_of_staff(fleet, &["key", "pending"], "requests", id).await;
    assert_eq!(pending, 1);
    let working = rows_of_staff(fleet, &["key", "list", "--account", id], "keys", id).await;
    assert_eq!(working, 1);
    let shown = browser.get(&format!("/accounts/{id}/keys")).await.text;
    assert_eq!(shown.matches("waits for review").count(), 1, "{shown}");
}
