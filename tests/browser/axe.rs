//! Accessibility checks with axe-core: WCAG 2.2 AA and best practices.

use serde_json::{Value, json};

use crate::browser::Browser;

/// axe-core, as its authors distribute it.
const SOURCE: &str = include_str!("axe.min.js");

const RUN: &str = "
    const [runOnly, done] = arguments;
    axe.run(document, { runOnly }).then(
        (result) => done(result.violations.map((violation) => ({
            rule: violation.id,
            help: violation.help,
            at: violation.nodes.map((node) => node.html),
        }))),
        (error) => done([{ rule: 'axe', help: String(error), at: [] }]),
    );";

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

pub(crate) async fn violations(browser: &Browser, rules: Rules) -> Vec<Value> {
    let is_loaded = browser.client.execute("return !!window.axe", Vec::new());
    if is_loaded.await.unwrap() != Value::Bool(true) {
        browser.client.execute(SOURCE, Vec::new()).await.unwrap();
    }
    let found = browser.client.execute_async(RUN, vec![rules.selection()]);
    found.await.unwrap().as_array().unwrap().clone()
}
