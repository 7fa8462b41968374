//! The texts of the public site, such as the terms. An operator may replace them by files.

use std::collections::HashMap;
use std::fs;
use std::path::Path;

use anyhow::Context as _;
use pages::Language;
use pages::site::articles::Article;

/// The built-in texts, by the names of their files without `.en.md` or `.fr.md`.
macro_rules! built_in {
    ($($name:literal)*) => {
        [$((
            $name,
            include_str!(concat!("../pages/articles/", $name, ".en.md")),
            include_str!(concat!("../pages/articles/", $name, ".fr.md")),
        )),*]
    };
}

const BUILT_IN: [(&str, &str, &str); 5] = built_in!["boards" "credits" "privacy" "rates" "terms"];

/// The texts in both languages.
#[derive(Debug)]
pub struct Articles(HashMap<(&'static str, Language), Article>);

impl Articles {
    /// Reads the texts in the folder. A text that the folder lacks is the built-in one.
    pub fn read(folder: Option<&Path>) -> anyhow::Result<Self> {
        let mut articles = HashMap::new();
        for (name, english, french) in BUILT_IN {
            let files = Language::ALL.map(|language| {
                let file = format!("{name}.{}.md", language.code());
                folder.map(|it| it.join(file)).filter(|it| it.exists())
            });
            let missing = |file: &str| {
                // Otherwise readers of the two languages would get different terms.
                anyhow::anyhow!("the folder `articles` has `{name}` in one language: add {file}")
            };
            let [english, french] = match files {
                [None, None] => [built_in(english)?, built_in(french)?],
                [Some(english), Some(french)] => [read_file(&english)?, read_file(&french)?],
                [Some(_), None] => return Err(missing(&format!("{name}.fr.md"))),
                [None, Some(_)] => return Err(missing(&format!("{name}.en.md"))),
            };
            articles.insert((name, Language::English), english);
            articles.insert((name, Language::French), french);
        }
        Ok(Self(articles))
    }

    pub fn find(&self, name: &str, language: Language) -> Option<&Article> {
        let mut all = self.0.iter();
        let found = all.find(|(key, _)| **key == (name, language));
        found.map(|(_, article)| article)
    }
}

fn built_in(text: &str) -> anyhow::Result<Article> {
    Article::read(text).context("a built-in text has no heading")
}

fn read_file(path: &Path) -> anyhow::Result<Article> {
    let file = path.display();
    let text = fs::read_to_string(path).with_context(|| format!("cannot read {file}"))?;
    let article = Article::read(&text);
    article.with_context(|| format!("{file} must have a heading: a line that begins with `# `"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_article_exists_in_both_languages() {
        let articles = Articles::read(None).unwrap();
        for (name, ..) in BUILT_IN {
            let [english, french] =
                Language::ALL.map(|language| articles.find(name, language).unwrap());
            assert_ne!(english.title, french.title);
            assert!(!english.summary.is_empty() && !french.summary.is_empty());
            // The two languages must have the same structure.
            for tag in ["<h2", "<li", "<tr"] {
                let count = |article: &Article| article.html.matches(tag).count();
                assert_eq!(count(english), count(french), "{name} {tag}");
            }
        }
    }

    #[test]
    fn an_operator_must_replace_an_article_in_both_languages() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
        write("terms.en.md", "# Our terms\n\nBe kind.\n");
        let problem = Articles::read(Some(folder.path())).unwrap_err().to_string();
        assert!(problem.contains("add terms.fr.md"), "{problem}");
        write("terms.fr.md", "no heading");
        let problem = Articles::read(Some(folder.path())).unwrap_err().to_string();
        assert!(problem.contains("terms.fr.md must have a heading"), "{problem}");
        write("terms.fr.md", "# Nos conditions\n");
        let articles = Articles::read(Some(folder.path())).unwrap();
        let title = |name, language| articles.find(name, language).unwrap().title.clone();
        assert_eq!(title("terms", Language::English), "Our terms");
        assert_eq!(title("terms", Language::French), "Nos conditions");
        assert_eq!(title("privacy", Language::English), "Privacy");
    }
}
