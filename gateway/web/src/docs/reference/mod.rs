//! The reference of the API: a page for each operation and webhook, made from the OpenAPI document that the gateway serves.

mod document;
mod fields;
mod markdown;
mod operation;
mod snippet;

use anyhow::Context as _;
use contracts::public::ApiSettings;
use serde_json::Value;

use crate::docs::guides::DocsPage;

pub use document::Shape;
pub use fields::Field;
pub use operation::{Body, Caller, ErrorRow, Header, Location, Operation, Parameter, Reply};

use document::Document;
use markdown::Context;

/// The path of the list of all operations.
pub const PATH: &str = "/docs/reference";
/// The title and the description of the list.
pub const TITLE: &str = "Reference";
pub const SUMMARY: &str = "Every operation of the API with its parameters, body, responses and errors, and every webhook.";

/// The group of the list in the navigation: the last one of the guides.
pub const GROUP: &str = "Look up";

/// The name of the list among the pages of the documentation.
pub const LIST: &str = "reference";
/// The title of the group of webhooks.
const WEBHOOKS: &str = "Webhook events";

/// The reference, made from one version of the document.
#[derive(Debug)]
pub struct Reference {
    /// The list of all operations.
    pub list: DocsPage,
    /// A page for each operation, in the order of their groups, and for each webhook.
    pub pages: Vec<DocsPage>,
    pub operations: Vec<Operation>,
    /// The settings of the gateway in the document, for the guides.
    pub settings: Option<ApiSettings>,
}

impl Reference {
    /// Reads a document. `api_url` is the address that examples name, with the version.
    ///
    /// # Errors
    /// The text is not an OpenAPI document with operations.
    pub fn read(bytes: &[u8], api_url: &str) -> anyhow::Result<Self> {
        let json: Value = serde_json::from_slice(bytes).context("it is not JSON")?;
        let document = Document(&json);
        let mut operations = operation::operations(document);
        anyhow::ensure!(!operations.is_empty(), "it has no operations");
        let webhooks = operation::webhooks(document);
        let tags = operation::tags(document);
        let position = |tag: &str| tags.iter().position(|(name, _)| name == tag);
        // A stable sort: the operations of a path stay together. A group that the document does not describe comes last.
        operations.sort_by_key(|it| position(&it.tag).unwrap_or(usize::MAX));
        let context = Context::new(api_url, &operations);
        let list = page(LIST.to_owned(), GROUP.to_owned(), &context.list(&tags, &webhooks))?;
        let mut pages = Vec::new();
        for it in &operations {
            let name = format!("{LIST}/{}", it.id);
            pages.push(page(name, markdown::group(&it.tag), &context.operation(it))?);
        }
        for it in &webhooks {
            let name = format!("{LIST}/webhooks/{}", it.id);
            pages.push(page(name, WEBHOOKS.to_owned(), &markdown::webhook(it))?);
        }
        Ok(Self {
            list,
            pages,
            operations,
            settings: serde_json::from_value(json[ApiSettings::EXTENSION].clone()).ok(),
        })
    }

    /// The list, and the pages behind it.
    pub fn all(&self) -> impl Iterator<Item = &DocsPage> {
        std::iter::once(&self.list).chain(&self.pages)
    }

    /// The page with this name.
    pub fn find(&self, name: &str) -> Option<&DocsPage> {
        self.all().find(|page| page.name == name)
    }

    pub fn operation(&self, id: &str) -> Option<&Operation> {
        self.operations.iter().find(|operation| operation.id == id)
    }
}

fn page(name: String, group: String, text: &str) -> anyhow::Result<DocsPage> {
    let page = DocsPage::read(name, group, text);
    page.context("a page has no heading")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::json;

    use super::*;

    const API: &str = "https://mchezo.example/v1";

    /// The OpenAPI document of the real gateway.
    fn document() -> Value {
        gateway::openapi::document(API, gateway::router::API).unwrap()
    }

    fn reference() -> Reference {
        Reference::read(document().to_string().as_bytes(), API).unwrap()
    }

    #[test]
    fn every_operation_and_webhook_has_a_page() {
        let reference = reference();
        let document = document();
        let names: BTreeSet<&str> = reference.all().map(|page| page.name.as_ref()).collect();
        let mut count = 1;
        for methods in document["paths"].as_object().unwrap().values() {
            for operation in methods.as_object().unwrap().values() {
                let id = operation["operationId"].as_str().unwrap();
                assert!(names.contains(&*format!("reference/{id}")), "{id}");
                let read = reference.operation(id).unwrap();
                assert!(!read.callers.is_empty() && !read.summary.is_empty(), "{id}");
                assert!(!read.errors.is_empty(), "{id}");
                assert!(read.errors.iter().all(|it| !it.meaning.is_empty()), "{id}");
                assert!(read.responses.iter().any(|it| it.body.is_some()), "{id}");
                count += 1;
            }
        }
        for event in document["webhooks"].as_object().unwrap().keys() {
            assert!(names.contains(&*format!("reference/webhooks/{event}")), "{event}");
            count += 1;
        }
        assert_eq!(names.len(), count);
    }

    #[test]
    fn a_page_says_what_a_caller_needs() {
        let reference = reference();
        for (name, parts) in [
            (
                "reference/listGames",
                &[
                    "GET https://mchezo.example/v1/games\n",
                    "| `limit` | query | integer | Rows on a page. 1 to 100. Default: `20`. |",
                    "| `data[].creator.handle` | string |",
                    "| `data[].cover_url` | string (uri) or null |",
                    "| `meta.next_cursor` | string or null |",
                    "Those of every call: [`invalid`](/docs/errors#invalid)",
                ][..],
            ),
            (
                "reference/submitGame",
                &[
                    "*may write*",
                    "| `title` | string | **Required.**",
                    "| `Idempotency-Key` | header |",
                    "### 201 Created",
                    "| 422 | [`idempotency_mismatch`](/docs/errors#idempotency_mismatch) |",
                    "(/docs/reference/updateGame)",
                ],
            ),
            (
                "reference/updateGame",
                &["As a read has them, and unchanged, these may be sent too: "],
            ),
            ("reference/webhooks/tip.paid", &["| `x-service-signature` | string |", "| 410 | "]),
        ] {
            let text = &reference.find(name).unwrap().markdown;
            for part in parts {
                assert!(text.contains(part), "{part} is not in {text}");
            }
        }
    }

    #[test]
    fn an_invalid_document_is_refused_and_invalid_parts_are_skipped() {
        for text in ["", "<html>", "{}", "[]", "{\"paths\": 1}"] {
            assert!(Reference::read(text.as_bytes(), API).is_err(), "{text}");
        }
        let odd = json!({"paths": {
            "/a": {"get": {"operationId": "../a"}, "post": 1, "put": {"operationId": ""}},
            "/b": {"get": {
                "operationId": "getB", "summary": "<script>x</script> | [x](javascript:1)", "parameters": [7, {"in": "cookie"}],
                "responses": {"200": {"$ref": "#/nowhere"}, "400": []},
            }},
        }});
        let reference = Reference::read(odd.to_string().as_bytes(), API).unwrap();
        assert_eq!(reference.operations.len(), 1);
        let page = reference.find("reference/getB").unwrap();
        assert!(!page.guide.html.contains("<script"), "{}", page.guide.html);
    }
}
