//! The accessibility rules of WCAG 2.2 AA and the best practices of axe-core.

use std::path::Path;

use serde_json::Value;
use tokio::sync::OnceCell;

use crate::browser::Browser;

/// A Python package that contains axe-core as a file. Its dependencies are not installed.
const PACKAGE: &str = "axe-playwright-python==0.1.8";
const FILE: &str = "axe_playwright_python/axe.min.js";

/// All of WCAG 2.2 AA, and best practices such as headings that leave out no level.
const RUN: &str = "
    const [done] = arguments;
    const values = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
    axe.run(document, { runOnly: { type: 'tag', values } }).then(
        (result) => done(result.violations.map((violation) => ({
            rule: violation.id,
            help: violation.help,
            at: violation.nodes.map((node) => node.html),
        }))),
        (error) => done([{ rule: 'axe', help: String(error), at: [] }]),
    );";

/// The violations on the open page.
pub(crate) async fn violations(browser: &Browser) -> Vec<Value> {
    static SOURCE: OnceCell<String> = OnceCell::const_new();
    let is_loaded = browser.client.execute("return !!window.axe", Vec::new());
    if is_loaded.await.unwrap() != Value::Bool(true) {
        let source = SOURCE.get_or_init(load).await;
        browser.client.execute(source, Vec::new()).await.unwrap();
    }
    let found = browser.client.execute_async(RUN, Vec::new());
    found.await.unwrap().as_array().unwrap().clone()
}

async fn load() -> String {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let environment = testing::python::environment(folder, PACKAGE, &["--no-deps"]).await;
    let libraries = std::fs::read_dir(environment.unwrap().join("lib")).unwrap();
    let python = libraries.flatten().next().unwrap().path();
    std::fs::read_to_string(python.join("site-packages").join(FILE)).unwrap()
}
