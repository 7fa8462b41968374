//! Accessibility checks with axe-core: WCAG 2.2 AA and best practices.

use axum::Router;
use axum::response::Html;
use fantoccini::error::CmdError;
use serde_json::{Value, json};
use testing::eventually;
use tokio::net::TcpListener;
use tokio::task::JoinSet;

use crate::browser::Browser;

/// axe-core, as its authors distribute it.
const SOURCE: &str = include_str!("axe.min.js");

/// Begins a check of the document, unless one runs, and returns what it has found, once it is over.
const RUN: &str = "
    if (!window.checked) {
        window.checked = {};
        axe.run(document, { runOnly: arguments[0] }).then(
            (result) => window.checked.found = result.violations.map((violation) => ({
                rule: violation.id,
                help: violation.help,
                at: violation.nodes.map((node) => node.html),
            })),
            (error) => window.checked.found = [{ rule: 'axe', help: String(error), at: [] }],
        );
    }
    return window.checked.found ?? null;";

#[derive(Debug, Clone, Copy)]
pub(crate) enum Rules {
    /// All of WCAG 2.2 AA, and best practices such as headings that skip no level.
    All,
    /// The only rule whose result depends on the colors of a page.
    Contrast,
}

impl Rules {
    fn selection(self) -> Value {
        match self {
            Self::All => {
                json!({
                    "type": "tag",
                    "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
                })
            }
            Self::Contrast => json!({ "type": "rule", "values": ["color-contrast"] }),
        }
    }
}

/// The violations of the open page. A page may load again at any time, such as that of a delivery,
/// and a new document has neither axe nor what it has found: each evaluation brings what is
/// missing.
pub(crate) async fn violations(browser: &Browser, rules: Rules) -> Vec<Value> {
    let script = format!("if (!window.axe) {{ {SOURCE} }}\n{RUN}");
    let check = async || {
        let found = browser.client.execute(&script, vec![rules.selection()]).await;
        match found {
            Ok(found) => found.as_array().cloned(),
            Err(error) if is_unloaded(&error) => None,
            Err(error) => panic!("axe: {error}"),
        }
    };
    let found = eventually("axe has checked the page", check).await;
    // The next check of the same document begins anew.
    browser.run::<Value>("delete window.checked; return null").await;
    found
}

/// Whether the document ended while a script ran in it.
fn is_unloaded(error: &CmdError) -> bool {
    matches!(error, CmdError::Standard(error) if error.message.contains("document unloaded"))
}

/// A page that loads again once, as soon as it has axe.
const RELOADING: &str =
    "<!doctype html><html lang=en><title>A page</title><main><h1>A page</h1></main><script>
    let loaded;
    Object.defineProperty(window, 'axe', {
        get: () => loaded,
        set: (axe) => {
            loaded = axe;
            if (sessionStorage.reloaded) return;
            sessionStorage.reloaded = 'yes';
            location.reload();
        },
    });
</script>";

#[tokio::test]
async fn a_page_that_loads_again_is_checked() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let pages = Router::new().fallback(async || Html(RELOADING));
    let mut server = JoinSet::new();
    server.spawn(async move { axum::serve(listener, pages).await.unwrap() });
    let browser = Browser::start().await;
    browser.client.goto(&format!("http://{address}/")).await.unwrap();
    let found = violations(&browser, Rules::All).await;
    assert_eq!(found, Vec::<Value>::new());
    assert!(browser.run::<bool>("return sessionStorage.reloaded === 'yes'").await);
    browser.close().await;
}
