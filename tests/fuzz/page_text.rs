//! Markdown of articles and guides.
#![no_main]

use libfuzzer_sys::fuzz_target;
use pages::docs::Guide;
use pages::site::articles::Article;

/// The elements that Markdown has.
const ELEMENTS: [&str; 25] = [
    "p",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "a",
    "em",
    "strong",
    "code",
    "pre",
    "ul",
    "ol",
    "li",
    "blockquote",
    "hr",
    "br",
    "img",
    "table",
    "thead",
    "tbody",
    "tr",
    "th",
    "td",
];

fuzz_target!(|text: &str| {
    let text = format!("# Title\n\n{text}");
    let _guide = Guide::read(&text, "guide-");
    let article = Article::read(&text).unwrap();
    for tag in article.html.split('<').skip(1) {
        let name = tag.trim_start_matches('/');
        let name = name.split(|c: char| !c.is_ascii_alphanumeric()).next();
        assert!(ELEMENTS.contains(&name.unwrap()), "{}", article.html);
    }
});
