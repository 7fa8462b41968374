//! Browsers as people know them.

use pages::Texts;

/// Browsers by a part of their `User-Agent`. A browser that also names another one comes before that one.
const BROWSERS: [(&str, &str); 7] = [
    ("Edg", "Edge"),
    ("OPR/", "Opera"),
    ("SamsungBrowser/", "Samsung Internet"),
    ("Firefox/", "Firefox"),
    ("FxiOS/", "Firefox"),
    ("Chrome/", "Chrome"),
    ("Safari/", "Safari"),
];

const SYSTEMS: [(&str, &str); 7] = [
    ("Android", "Android"),
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Windows", "Windows"),
    ("Mac OS X", "macOS"),
    ("CrOS", "ChromeOS"),
    ("Linux", "Linux"),
];

/// The most characters of a name that is not in the lists.
const MAX: usize = 40;

/// For example `Firefox on Linux`. For an unknown browser, the beginning of its `User-Agent`.
pub(crate) fn name(texts: &Texts, agent: &str) -> String {
    let find = |all: &[(&str, &'static str)]| {
        let mut all = all.iter();
        all.find(|(part, _)| agent.contains(part)).map(|(_, name)| *name)
    };
    match (find(&BROWSERS), find(&SYSTEMS)) {
        (Some(browser), Some(system)) => texts.say_of_two("agent-on", browser, system),
        (Some(browser), None) => browser.to_owned(),
        (None, _) if agent.trim().is_empty() => texts.say("agent-unknown").to_owned(),
        (None, _) => agent.chars().take(MAX).collect(),
    }
}

#[cfg(test)]
mod tests {
    use pages::Language;

    use super::*;

    #[test]
    fn browsers_are_named() {
        let chrome = "Mozilla/5.0 (Linux; Android 14) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0 Mobile Safari/537.36";
        for (agent, expected) in [
            (
                "Mozilla/5.0 (X11; Linux x86_64; rv:133.0) Gecko/20100101 Firefox/133.0",
                "Firefox on Linux",
            ),
            (chrome, "Chrome on Android"),
            (&format!("{chrome} Edg/130.0"), "Edge on Android"),
            ("curl/8.5.0", "curl/8.5.0"),
            (" ", "unknown browser"),
        ] {
            assert_eq!(name(Texts::of(Language::English), agent), expected);
        }
        let french = Texts::of(Language::French);
        assert_eq!(name(french, chrome), "Chrome sur Android");
        assert_eq!(name(french, ""), "navigateur inconnu");
    }
}
