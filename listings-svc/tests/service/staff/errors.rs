//! What the staff tool says when a command fails, and its exit status.

use tokio::net::TcpListener;
use tonic::codegen::http;

use super::*;

/// Runs the tool with the token and these variables.
async fn failed(args: &[&str], variables: &[(&str, &str)]) -> (i32, String) {
    let mut command = tool();
    command
        .args(args)
        .env("STAFF_TOKEN", testing::staff_token().expose())
        .envs(variables.iter().copied());
    let output = tokio::task::spawn_blocking(move || command.output().unwrap());
    let ran = Ran(output.await.unwrap());
    (ran.status(), ran.complaint())
}

/// A server that answers in JSON, as the public API does. Returns its address.
async fn start_public_api() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move {
        while let Ok((socket, _)) = listener.accept().await {
            tokio::spawn(async move {
                let Ok(mut connection) = h2::server::handshake(socket).await else {
                    return;
                };
                while let Some(Ok((_, mut response))) = connection.accept().await {
                    let not_found = http::Response::builder()
                        .status(404)
                        .header("content-type", "application/json");
                    let head = not_found.body(()).unwrap();
                    if let Ok(mut body) = response.send_response(head, false) {
                        let text = r#"{"success":false,"error":{"code":"not_found"}}"#;
                        body.send_data(text.into(), true).unwrap_or_default();
                    }
                }
            });
        }
    });
    address
}

#[tokio::test]
async fn the_address_of_the_public_api_is_told_from_an_internal_one() {
    let address = start_public_api().await;
    for (variable, command) in
        [("STAFF_GATEWAY", &["plan", "list"][..]), ("STAFF_LISTINGS", &["review", "list"])]
    {
        let (status, sentence) = failed(command, &[(variable, &address)]).await;
        assert_eq!(status, 2, "{sentence}");
        assert!(sentence.contains("not the public address"), "{sentence}");
    }
}

/// No service of the test has the calls for accounts and currencies, so that each entry fails.
#[testing::database_test(listings::MIGRATOR)]
async fn an_error_of_apply_names_the_entry(pool: PgPool) {
    let service = start(pool).await;
    for (text, status, part) in [
        (
            "[[account]]\nid = \"01930000-0000-7000-8000-000000000001\"\nname = \"Ada\"\nplan = \"free\"",
            1,
            "the account Ada: ",
        ),
        ("[[currency]]\ngame = \"a-game\"\nname = \"Coin\"", 1, "the currency of a-game: "),
        ("import = [\"missing.ndjson\"]", 2, "missing.ndjson"),
    ] {
        let (_folder, path) = file("fleet.toml", text);
        let variables = ["STAFF_GATEWAY", "STAFF_ECONOMY", "STAFF_LISTINGS"]
            .map(|variable| (variable, service.address.as_str()));
        let (code, sentence) = failed(&["apply", &path], &variables).await;
        assert_eq!(code, status, "{sentence}");
        assert!(sentence.contains(part), "{sentence}");
    }
}
