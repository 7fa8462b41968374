//! The numbers of an account are the same wherever they are shown: in headers, `GET /me`, the account API, the dashboard and `staff`.

use contracts::gateway::v1::{
    Account, AccountsServiceGetAccountRequest, AccountsServiceListUseRequest, ListKeysRequest,
    ListPlansRequest, Plan,
};
use contracts::public::{AccountUsage, Me};
use e2e::{
    AccountTokens, Client, Fleet, KeyRequest, NewAccount, Staff, WebClient, a_day_with_time_left,
    eventually, mails,
};

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

/// A number as pages write it; it has more than three digits.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let (thousands, rest) = digits.split_at(digits.len() - 3);
    format!("{thousands},{rest}")
}

/// A plan as staff see it.
async fn plan_of_staff(staff: &mut Staff, name: &str) -> Plan {
    let plans = staff.gateway.list_plans(ListPlansRequest {}).await.unwrap();
    let mut plans = plans.into_inner().plans.into_iter();
    plans.find(|plan| plan.name == name).unwrap()
}

/// Waits until the calls of an account are counted by day and route, and its month is copied. A service reads both, since each call of a
/// program counts in its minute.
async fn counted(tokens: &AccountTokens, account: &str, calls: u64) {
    eventually(
        "the calls are counted by day, and in the month",
        async || {
            let mut accounts = tokens.accounts.clone();
            let request = AccountsServiceListUseRequest {
                account_id: account.to_owned(),
                days: 2,
            };
            let by_day = accounts.list_use(request).await.unwrap().into_inner();
            let request = AccountsServiceGetAccountRequest {
                account_id: account.to_owned(),
                ..AccountsServiceGetAccountRequest::default()
            };
            let month = accounts.get_account(request).await.unwrap().into_inner();
            let month = month.month.unwrap_or_default().used;
            let by_day = by_day.rows.iter().map(|row| row.calls).sum::<u64>();
            ((by_day, month) == (calls, calls)).then_some(())
        },
    )
    .await;
}

#[tokio::test]
async fn an_account_has_the_same_numbers_everywhere() {
    a_day_with_time_left().await;
    let fleet = Fleet::shared();
    let (mut browser, account, pages) = sign_up(&fleet).await;
    let mut staff = Staff::of(&fleet).await;
    let live = KeyRequest {
        mode: "live",
        ..KeyRequest::default()
    };
    let client = Client::new(&fleet, &staff.key(&account, live).await.1);
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
    let me: Me = serde_json::from_value(answer.data().clone()).unwrap();
    let month = me.month.unwrap();
    let limit = month.limit.unwrap();
    assert_eq!((month.used, month.remaining), (5, Some(limit - 5)));
    let left = answer.header("ratelimit").unwrap();
    let policy = answer.header("ratelimit-policy").unwrap();
    assert_eq!(item(left, "month", "r"), month.remaining, "{left}");
    assert_eq!(item(policy, "month", "q"), Some(limit), "{policy}");
    let minute = (
        me.minute.limit.map(u64::from),
        me.minute.remaining.map(u64::from),
    );
    let shown = (item(policy, "minute", "q"), item(left, "minute", "r"));
    assert_eq!(minute, shown, "{policy} {left}");

    let plan = me.account.unwrap().plan;
    let of_staff = plan_of_staff(&mut staff, &plan.name).await;
    assert_eq!(of_staff.calls_per_month, Some(limit));
    assert_eq!(of_staff.calls_per_minute.map(u64::from), minute.0);
    let request = ListKeysRequest {
        account: account.account.id.clone(),
    };
    let keys = staff.gateway.list_keys(request).await.unwrap();
    assert_eq!(keys.into_inner().keys.len(), 1);

    let mut tokens = AccountTokens::of(&fleet).await;
    let token = tokens.create(&account, &["usage:read"]).await;
    counted(&tokens, &account.account.id, 5).await;
    let program = Client::new(&fleet, &token.secret);
    let usage = program.get("/account/usage?days=2").await;
    let usage: AccountUsage = serde_json::from_value(usage.data().clone()).unwrap();
    let live = usage.rows.iter().filter(|row| row.mode == "live");
    assert_eq!(live.map(|row| row.calls).sum::<u64>(), 5);
    assert_eq!((usage.month.used, usage.month.limit), (5, Some(limit)));
    assert_eq!((usage.plan, usage.working_keys), (plan.name.clone(), 1));
    let errors = usage.rows.iter().map(|row| row.client_errors);
    assert_eq!(errors.sum::<u64>(), 2);

    let overview = browser.get(&pages).await.text;
    let calls = format!("<dd>5 of {}</dd>", grouped(limit));
    assert!(overview.contains(&calls), "{calls}: {overview}");
    assert!(overview.contains(&plan.title), "{overview}");
    assert!(
        overview.contains(&format!("{pages}/keys\">1</a>")),
        "{overview}"
    );
    let shown = browser.get(&format!("{pages}/usage")).await.text;
    let (limit, left) = (grouped(limit), grouped(limit - 5));
    let calls = format!("<strong>5 of {limit} calls</strong>");
    assert!(shown.contains(&calls), "{calls}: {shown}");
    assert!(shown.contains(&format!("{left} are left")), "{shown}");
}
