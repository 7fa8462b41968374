//! The search over the documentation: every section is read at start, and a query compares its words with all of them.

use pages::docs::{Hit, Section};

use super::DocsPage;

/// Sections that a search shows at most.
const MOST_HITS: usize = 20;
/// Words of a query that count.
const MOST_WORDS: usize = 10;
/// The longest excerpt, in characters.
const MOST_EXCERPT: usize = 220;

/// The sections of all guides with their words.
#[derive(Debug)]
pub struct Index(Vec<IndexedSection>);

#[derive(Debug)]
struct IndexedSection {
    href: String,
    title: String,
    guide: String,
    text: String,
    title_words: Vec<String>,
    guide_words: Vec<String>,
    text_words: Vec<String>,
}

impl Index {
    pub fn of<'p>(pages: impl IntoIterator<Item = &'p DocsPage>) -> Self {
        let sections = pages.into_iter().flat_map(|page| {
            let sections = page.guide.sections.iter();
            sections.map(|section| IndexedSection::new(page, section))
        });
        Self(sections.collect())
    }

    /// The sections that have every word, the best first. A word matches the beginning of a word.
    pub fn find<'i>(indexes: impl IntoIterator<Item = &'i Self>, query: &str) -> Vec<Hit> {
        let mut wanted = words(query);
        wanted.truncate(MOST_WORDS);
        if wanted.is_empty() {
            return Vec::new();
        }
        let sections = indexes.into_iter().flat_map(|index| &index.0);
        let scored = sections.filter_map(|section| {
            let score = section.score(&wanted)?;
            Some((score, section))
        });
        let mut found: Vec<(u32, &IndexedSection)> = scored.collect();
        // A stable sort: equally good ones stay in the order of the indexes and their pages.
        found.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
        found.truncate(MOST_HITS);
        let hits = found.into_iter().map(|(_, section)| section.hit(&wanted));
        hits.collect()
    }
}

impl IndexedSection {
    fn new(page: &DocsPage, section: &Section) -> Self {
        let anchor = match section.anchor.as_str() {
            "" => String::new(),
            anchor => format!("#{anchor}"),
        };
        let mut text_words = words(&section.text);
        text_words.extend(words(&section.code));
        Self {
            href: format!("{}{anchor}", page.path()),
            title: section.title.clone(),
            guide: page.guide.title.clone(),
            title_words: words(&section.title),
            guide_words: words(&page.guide.title),
            text_words,
            text: section.text.trim().to_owned(),
        }
    }

    /// `None` if a word is missing, or if only the title of the guide has them.
    fn score(&self, wanted: &[String]) -> Option<u32> {
        let mut total = 0;
        let mut is_here = false;
        for word in wanted {
            let title = best(&self.title_words, word, 24, 16);
            let guide = best(&self.guide_words, word, 4, 3);
            let exact = self.text_words.iter().filter(|it| *it == word).take(4);
            let exact = u32::try_from(exact.count()).unwrap_or_default();
            let text = match exact {
                0 => best(&self.text_words, word, 1, 1),
                count => 2 + count,
            };
            if title + guide + text == 0 {
                return None;
            }
            is_here |= title + text > 0;
            total += title + guide + text;
        }
        is_here.then_some(total)
    }

    fn hit(&self, wanted: &[String]) -> Hit {
        let has_word = |sentence: &&str| {
            let words = words(sentence);
            let mut found = wanted.iter();
            found.any(|word| words.iter().any(|it| it.starts_with(word)))
        };
        let sentences = || self.text.split_inclusive(". ");
        let sentence = sentences().find(has_word).or_else(|| sentences().next());
        let sentence = sentence.unwrap_or_default().trim();
        let mut excerpt: String = sentence.chars().take(MOST_EXCERPT).collect();
        if excerpt.len() < sentence.len() {
            excerpt.push('…');
        }
        Hit {
            href: self.href.clone(),
            title: self.title.clone(),
            guide: self.guide.clone(),
            excerpt,
        }
    }
}

/// The score of a whole word, or of one that begins with it.
fn best(words: &[String], wanted: &str, whole: u32, beginning: u32) -> u32 {
    let mut score = 0;
    for word in words {
        if word == wanted {
            return whole;
        }
        if word.starts_with(wanted) {
            score = beginning;
        }
    }
    score
}

/// The words of a text in lower case. `invalid_key` is one word, and so are its two halves.
fn words(text: &str) -> Vec<String> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut words = Vec::new();
    for word in text
        .split(|c: char| !is_word(c))
        .filter(|it| !it.is_empty())
    {
        let word = word.to_lowercase();
        if word.contains('_') {
            let halves = word.split('_').filter(|half| !half.is_empty());
            words.extend(halves.map(ToOwned::to_owned));
        }
        words.push(word);
    }
    words
}

#[cfg(test)]
mod tests {
    use crate::docs::guides::{GuideAddresses, Guides};

    use super::*;

    fn find(query: &str) -> Vec<Hit> {
        let guides = Guides::read(&GuideAddresses::default(), None);
        Index::find([&guides.unwrap().index], query)
    }

    #[test]
    fn a_heading_comes_before_a_text_that_has_the_word() {
        for (query, href) in [
            ("invalid_key", "/docs/errors#invalid_key"),
            ("INVALID key", "/docs/errors#invalid_key"),
            ("precondition_failed", "/docs/errors#precondition_failed"),
            ("send write once", "/docs/writing#send-a-write-once"),
            ("sunset", "/docs/versioning#when-something-must-go"),
        ] {
            let hits = find(query);
            assert_eq!(hits[0].href, href, "{query}: {hits:?}");
        }
    }

    #[test]
    fn every_word_must_be_there_and_may_be_the_beginning_of_one() {
        let hits = find("webho signat");
        assert!(!hits.is_empty());
        assert_eq!(hits[0].guide, "Webhooks", "{hits:?}");
        assert!(hits.len() <= MOST_HITS);
        assert_eq!(find("webhook xyzzy"), []);
        assert_eq!(find(" .,!? "), []);
        assert_eq!(find("\u{0}<xyzzy>"), []);
    }

    #[test]
    fn an_excerpt_is_a_sentence_with_a_word() {
        let hits = find("tunnel");
        assert!(hits[0].excerpt.contains("tunnel"), "{hits:?}");
        let most = hits.iter().map(|hit| hit.excerpt.chars().count()).max();
        assert!(most.unwrap() <= MOST_EXCERPT + 1);
    }
}
