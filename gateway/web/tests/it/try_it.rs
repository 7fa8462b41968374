//! Operations of the API that people try: the gateway gets what was typed, and the page shows its answer and the request for programs.

use contracts::gateway::v1 as proto;
use contracts::gateway::v1::test_call_service_server::TestCallService;
use sqlx::PgPool;
use tonic::{Request, Response, Status};
use web::domain::role::Role;

use crate::browser::Browser;
use crate::gateway::StubGateway;
use crate::support::{ADA, BOB, PASSWORD, Site};

#[tonic::async_trait]
impl TestCallService for StubGateway {
    async fn run_test_call(
        &self,
        request: Request<proto::RunTestCallRequest>,
    ) -> Result<Response<proto::RunTestCallResponse>, Status> {
        self.check()?;
        self.test_calls.lock().unwrap().push(request.into_inner());
        Ok(Response::new(self.test_answer.lock().unwrap().clone()))
    }
}

/// Ada, signed in, and the path of her account.
async fn ada(site: &Site, role: Role) -> (Browser, String) {
    let ada = site.person(ADA).await;
    let account = site.account(ada, role).await;
    (site.signed_in(ADA).await, format!("/accounts/{account}"))
}

fn answer(site: &Site, status: u32, body: &str) {
    *site.gateway.test_answer.lock().unwrap() = proto::RunTestCallResponse {
        status,
        headers: vec![proto::HttpHeader {
            name: "x-request-id".to_owned(),
            value: "req_<1>".to_owned(),
        }],
        body: body.to_owned().into_bytes().into(),
        is_cut_off: false,
    };
}

fn calls(site: &Site) -> Vec<proto::RunTestCallRequest> {
    site.gateway.test_calls.lock().unwrap().clone()
}

#[testing::database_test(web::MIGRATOR)]
async fn a_read_is_sent_as_typed_and_its_answer_is_shown(pool: PgPool) {
    let site = Site::new(pool).await;
    let (mut browser, account) = ada(&site, Role::Editor).await;
    let path = format!("{account}/try/listGames");
    let form = browser.get(&path).await;
    for part in [
        "<h1>Try it: List games</h1>",
        "<code>GET /games</code>",
        "href=\"/docs/reference/listGames\"",
        "<select id=\"query.platform\" name=\"query.platform\"",
        "<option value=\"\" selected>any</option>",
        "as with a test key of this account",
    ] {
        form.assert(200, part);
    }
    answer(&site, 200, "{\"data\":[\"<b>it's</b>\"]}");
    let fields = [
        ("query.q", "it's $(id)"),
        ("query.platform", "web"),
        ("query.limit", "3"),
        ("header.If-None-Match", "W/\"a'b\""),
    ];
    let page = browser.post(&path, &fields).await;
    for part in [
        "200 OK",
        "&#60;b&#62;it&#39;s&#60;/b&#62;",
        "<dt>x-request-id</dt><dd><code>req_&#60;1&#62;</code>",
        "$SERVICE_API_KEY",
        "os.environ[&#34;SERVICE_API_KEY&#34;]",
        "process.env.SERVICE_API_KEY",
        "/v1/games?platform=web&#38;q=it%27s%20%24%28id%29&#38;limit=3",
        "value=\"it&#39;s $(id)\"",
        "<option value=\"web\" selected>",
    ] {
        page.assert(200, part);
    }
    assert!(!page.text.contains("svc_test_"), "{}", page.text);
    let sent = calls(&site).remove(0);
    assert_eq!(format!("/accounts/{}", sent.account_id), account);
    assert_eq!(sent.method, "GET");
    assert_eq!(
        sent.target,
        "/v1/games?platform=web&q=it%27s%20%24%28id%29&limit=3"
    );
    assert_eq!(sent.headers.len(), 1);
    assert_eq!(sent.headers[0].value, "W/\"a'b\"");
    assert!(sent.body.is_empty());
    let actor = sent.actor.unwrap();
    assert_eq!(actor.address, "203.0.113.7");
    assert_eq!(calls(&site).len(), 1);
}

#[testing::database_test(web::MIGRATOR)]
async fn a_write_opens_with_an_example_and_sends_any_text_as_its_body(pool: PgPool) {
    let site = Site::new(pool).await;
    let (mut browser, account) = ada(&site, Role::Owner).await;
    let path = format!("{account}/try/updateGame");
    let form = browser.get(&path).await;
    form.assert(200, "value=\"sample-seed-bank\"");
    form.assert(200, "Longer roads, less water.");
    form.assert(
        200,
        "<input type=\"checkbox\" id=\"query.dry_run\" name=\"query.dry_run\" value=\"true\"",
    );
    answer(&site, 400, "{\"error\":{\"code\":\"bad_json\"}}");
    // Everything is read-only: the API says so itself.
    site.gateway.switched.lock().unwrap().insert("read_only");
    let body = "no JSON </textarea><script>\r\n`$HOME`";
    let fields = [
        ("path.slug", "a/../b"),
        ("query.dry_run", "true"),
        ("header.If-Match", "\"1\""),
        ("body", body),
    ];
    let page = browser.post(&path, &fields).await;
    page.assert(200, "400 Bad Request");
    page.assert(200, "bad_json");
    page.assert(200, "$SERVICE_WRITE_KEY");
    page.assert(200, "value=\"true\" checked");
    assert!(!page.text.contains("<script>"), "{}", page.text);
    let sent = calls(&site).remove(0);
    assert_eq!(sent.method, "PATCH");
    assert_eq!(sent.target, "/v1/games/a%2F..%2Fb?dry_run=true");
    assert_eq!(sent.body, "no JSON </textarea><script>\n`$HOME`".as_bytes());
    let headers = sent.headers.iter();
    let headers: Vec<_> = headers.map(|it| (&*it.name, &*it.value)).collect();
    assert_eq!(
        headers,
        [("if-match", "\"1\""), ("content-type", "application/json")]
    );
}

#[testing::database_test(web::MIGRATOR)]
async fn every_operation_has_a_form_that_can_be_sent_as_it_is(pool: PgPool) {
    let site = Site::new(pool).await;
    let (mut browser, account) = ada(&site, Role::Owner).await;
    answer(&site, 200, "{}");
    let document = site.api.document.lock().unwrap().json.clone();
    let mut sent = 0;
    for methods in document["paths"].as_object().unwrap().values() {
        for operation in methods.as_object().unwrap().values() {
            let id = operation["operationId"].as_str().unwrap();
            let page = browser.get(&format!("/docs/reference/{id}")).await;
            page.assert(200, &format!("href=\"/try/{id}\""));
            let path = format!("{account}/try/{id}");
            let form = browser.get(&path).await;
            form.assert(200, "<button>Send</button>");
            let example = operation["parameters"].as_array().unwrap().iter();
            let fields: Vec<(String, &str)> = example
                .filter(|it| it["in"] == "path")
                .map(|it| {
                    let name = it["name"].as_str().unwrap();
                    (
                        format!("path.{name}"),
                        it["example"].as_str().unwrap_or("games"),
                    )
                })
                .collect();
            let fields: Vec<(&str, &str)> = fields
                .iter()
                .map(|(name, value)| (name.as_str(), *value))
                .collect();
            browser.post(&path, &fields).await.assert(200, "200 OK");
            sent += 1;
        }
    }
    assert_eq!(calls(&site).len(), sent);
    for path in [
        format!("{account}/try/nothing"),
        format!("{account}/try/listing.published"),
        "/try/nothing".to_owned(),
        "/try/..%2Fyou".to_owned(),
    ] {
        browser.get(&path).await.assert(404, "Not found");
    }
    browser
        .post(&format!("{account}/try/nothing"), &[])
        .await
        .assert(404, "Not found");
}

#[testing::database_test(web::MIGRATOR)]
async fn a_link_of_the_reference_finds_the_account(pool: PgPool) {
    let site = Site::new(pool).await;
    let link = "/try/listGames";
    let stranger = site.browser().get(link).await;
    assert_eq!(stranger.location(), "/sign-in?next=%2Ftry%2FlistGames");
    let person = site.person(ADA).await;
    let mut browser = site.browser();
    let fields = [("email", ADA), ("password", PASSWORD), ("next", link)];
    let signed_in = browser.post("/sign-in", &fields).await;
    assert_eq!(signed_in.location(), link);
    assert_eq!(browser.get(link).await.location(), "/accounts");
    let first = site.account(person, Role::Developer).await;
    let expected = format!("/accounts/{first}/try/listGames");
    assert_eq!(browser.get(link).await.location(), expected);
    let second = site.account(person, Role::Editor).await;
    let choice = browser.get(link).await;
    for account in [first, second] {
        choice.assert(200, &format!("href=\"/accounts/{account}/try/listGames\""));
    }
}

#[testing::database_test(web::MIGRATOR)]
async fn an_answer_that_is_too_long_is_cut_off_and_says_so(pool: PgPool) {
    let site = Site::new(pool).await;
    let (mut browser, account) = ada(&site, Role::Owner).await;
    answer(&site, 200, &format!("[\"{}\"]", "<é>".repeat(60_000)));
    let path = format!("{account}/try/listGames");
    let page = browser.post(&path, &[]).await;
    page.assert(200, "this page shows its beginning");
    assert!(page.text.len() < 400_000, "{}", page.text.len());
    answer(&site, 304, "");
    let page = browser.post(&path, &[]).await;
    page.assert(200, "304 Not Modified");
    page.assert(200, "It has no body.");
}

#[testing::database_test(web::MIGRATOR)]
async fn nobody_makes_calls_for_an_account_of_others(pool: PgPool) {
    let site = Site::new(pool).await;
    let (_, account) = ada(&site, Role::Owner).await;
    let bob = site.person(BOB).await;
    site.account(bob, Role::Owner).await;
    let mut neighbour = site.signed_in(BOB).await;
    let path = format!("{account}/try/listGames");
    neighbour.get(&path).await.assert(404, "Not found");
    neighbour.post(&path, &[]).await.assert(404, "Not found");
    let stranger = site.browser().post(&path, &[]).await;
    stranger.assert(401, "You are signed out");
    assert_eq!(calls(&site), []);
}
