//! The reference: every operation and webhook of the document that the gateway serves has a page, which leads only to what exists.

use std::collections::BTreeSet;

use e2e::{Fleet, WebClient, WebPage};
use serde_json::Value;

/// The document, and a visitor who has read nothing yet.
async fn start() -> (Value, WebClient) {
    let fleet = Fleet::shared();
    let document = reqwest::get(&fleet.openapi_url).await.unwrap();
    (document.json().await.unwrap(), WebClient::new(&fleet))
}

async fn get(visitor: &mut WebClient, path: &str) -> WebPage {
    let page = visitor.get(path).await;
    assert_eq!(page.status, 200, "{path}: {}", page.text);
    page
}

/// Where a page leads to on this site.
fn links(page: &WebPage) -> impl Iterator<Item = String> {
    let links = page.text.split("href=\"/").skip(1);
    links.map(|rest| format!("/{}", rest.split('"').next().unwrap()))
}

#[tokio::test]
async fn every_operation_has_a_page_that_leads_to_what_exists() {
    let (document, mut visitor) = start().await;
    let mut targets = BTreeSet::new();
    let list = get(&mut visitor, "/docs/reference").await;
    targets.extend(links(&list));
    let mut operations = 0;
    for (path, methods) in document["paths"].as_object().unwrap() {
        for (method, operation) in methods.as_object().unwrap() {
            let id = operation["operationId"].as_str().unwrap();
            let address = format!("/docs/reference/{id}");
            assert!(targets.contains(&address), "{id} is not in the list");
            let page = get(&mut visitor, &address).await;
            let call = format!("{} {}{path}", method.to_uppercase(), fleet_api(&document));
            assert!(
                page.text.contains(&call),
                "{id} lacks {call}: {}",
                page.text
            );
            let markdown = get(&mut visitor, &format!("{address}.md")).await;
            for parameter in operation["parameters"].as_array().unwrap() {
                let name = parameter["name"].as_str().unwrap();
                assert!(
                    markdown.text.contains(&format!("| `{name}` |")),
                    "{id}: {name}"
                );
            }
            targets.extend(links(&page));
            operations += 1;
        }
    }
    assert!(operations > 15, "{operations}");
    for event in document["webhooks"].as_object().unwrap().keys() {
        let page = get(&mut visitor, &format!("/docs/reference/webhooks/{event}")).await;
        targets.extend(links(&page));
    }
    for target in targets {
        let (path, anchor) = target.split_once('#').unwrap_or((&target, ""));
        let page = visitor.get(path).await;
        // Pages for people lead to the sign-in.
        assert!([200, 303].contains(&page.status.as_u16()), "{target}");
        let id = format!("id=\"{anchor}\"");
        assert!(anchor.is_empty() || page.text.contains(&id), "{target}");
    }
}

fn fleet_api(document: &Value) -> &str {
    document["servers"][0]["url"].as_str().unwrap()
}

#[tokio::test]
async fn the_search_and_the_files_for_programs_have_every_operation() {
    let (document, mut visitor) = start().await;
    let full = get(&mut visitor, "/llms-full.txt").await;
    for methods in document["paths"].as_object().unwrap().values() {
        for operation in methods.as_object().unwrap().values() {
            let id = operation["operationId"].as_str().unwrap();
            let found = get(&mut visitor, &format!("/docs/search?q={id}")).await;
            let link = format!("<a href=\"/docs/reference/{id}\">");
            assert!(found.text.contains(&link), "{id}: {}", found.text);
            assert!(full.text.contains(&format!("Operation `{id}`.")), "{id}");
        }
    }
}
