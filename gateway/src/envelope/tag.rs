//! `ETag`, `If-None-Match` and the tags of `If-Match` (RFC 9110, 8.8.3, 13.1.2 and 13.1.1).

use contracts::common::v1::PageInfo;
use http::header::{HeaderMap, HeaderValue, IF_NONE_MATCH};
use xxhash_rust::xxh3::Xxh3Default;

/// What a tag begins with that names a revision.
const REVISION: &str = "r";

/// The tag of an answer's data: the same at every replica and in every coding, and another when the data is another.
///
/// It is weak, since around the data each answer differs; but that of a game or an event names the listing's revision and is strong, so
/// that `If-Match` can be held against it: the revision alone counts there. The hash is quick, not cryptographic: whoever writes into the directory
/// and finds two contents with one tag has hidden a change of theirs from those who ask for it by the tag.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tag(String);

impl Tag {
    /// The tag of an answer that is the same byte for byte.
    pub fn strong(hash: &str) -> Self {
        Self(format!("\"{hash}\""))
    }

    /// The tag of a listing at this revision, whatever a read of it shows.
    pub fn of_revision(revision: i64) -> Self {
        Self(format!("\"{REVISION}{revision}\""))
    }

    /// The tag of content that a service names by its version: hexadecimal digits, slugs and hyphens.
    pub(super) fn of_version(version: &str) -> Self {
        Self(format!("W/\"{version}\""))
    }

    /// The tag of one object, which may be a listing at a `revision`, or of the rows of a list and what its page says.
    pub(super) fn of(data: &[u8], page: Option<&PageInfo>, revision: Option<i64>) -> Self {
        let mut hash = Xxh3Default::new();
        hash.update(data);
        if let Some(page) = page {
            // No JSON goes on like this, so rows and page cannot be taken for rows alone.
            hash.update(&[0]);
            hash.update(&page.total.to_le_bytes());
            if let Some(cursor) = &page.next_cursor {
                hash.update(&[1]);
                hash.update(cursor.as_bytes());
            }
        }
        let hash = hash.digest128();
        // Without the hash, a change of its page's name would not be seen in a game.
        Self(revision.map_or_else(
            || format!("W/\"{hash:032x}\""),
            |revision| format!("\"{REVISION}{revision}-{hash:032x}\""),
        ))
    }

    /// The tag as a header has it.
    pub fn into_value(self) -> Option<HeaderValue> {
        HeaderValue::try_from(self.0).ok()
    }

    /// What stands between the quotes: the whole of it in a weak comparison (RFC 9110, 8.8.3.2).
    fn opaque(&self) -> &[u8] {
        let tag = self.0.as_bytes();
        let quoted = tag.strip_prefix(b"W/").unwrap_or(tag);
        let opaque = quoted.strip_prefix(b"\"");
        opaque
            .and_then(|opaque| opaque.strip_suffix(b"\""))
            .unwrap_or_default()
    }
}

/// The answers that a caller has: `If-None-Match`, read when there is something to hold against it.
#[derive(Debug, Clone, Default)]
pub struct Known(Vec<HeaderValue>);

impl Known {
    /// The tags that these headers name.
    pub fn by(headers: &HeaderMap) -> Self {
        Self(headers.get_all(IF_NONE_MATCH).iter().cloned().collect())
    }

    /// Whether the caller has the answer with this tag. Headers that are not well-formed say nothing, as if there were none.
    pub fn has(&self, tag: &Tag) -> bool {
        match sent_tags(&self.0) {
            Some(SentTags::Any) => true,
            Some(SentTags::These(tags)) => tags.iter().any(|sent| sent.opaque == tag.opaque()),
            None => false,
        }
    }
}

/// The tags of a header as a caller sends it.
#[derive(Debug, PartialEq, Eq)]
pub enum SentTags<'a> {
    /// `*`
    Any,
    /// In their order.
    These(Vec<SentTag<'a>>),
}

/// A tag as a caller sends it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SentTag<'a> {
    /// Whether it says `W/`.
    pub weak: bool,
    /// What stands between the quotes.
    opaque: &'a [u8],
}

impl SentTag<'_> {
    /// The revision of a listing that it names: only digits of ours, so that no two tags name one.
    pub fn revision(&self) -> Option<i64> {
        let text = std::str::from_utf8(self.opaque).ok()?;
        let named = text.strip_prefix(REVISION)?;
        let digits = named
            .split_once('-')
            .map_or(named, |(digits, _hash)| digits);
        let revision: i64 = digits.parse().ok()?;
        (revision.to_string() == digits).then_some(revision)
    }
}

/// The tags of a header's lines; `None` when they are not well-formed.
///
/// The crate `headers` does not do: it has no way to see the tags of `If-Match`, finds a tag in a list that is not well-formed, and its
/// debug assertions panic at a space within a tag.
pub fn sent_tags(lines: &[HeaderValue]) -> Option<SentTags<'_>> {
    if let [only] = lines
        && only.as_bytes().trim_ascii() == b"*"
    {
        return Some(SentTags::Any);
    }
    let mut tags = Vec::new();
    for line in lines {
        let mut rest = line.as_bytes();
        while !rest.is_empty() {
            let (sent, after) = member(rest)?;
            tags.extend(sent);
            rest = after;
        }
    }
    Some(SentTags::These(tags))
}

/// The first member of a list of tags, and what comes behind its comma. A list may have empty members (RFC 9110, 5.6.1.2).
fn member(list: &[u8]) -> Option<(Option<SentTag<'_>>, &[u8])> {
    let list = list.trim_ascii_start();
    let (sent, after) = if matches!(list.first(), None | Some(b',')) {
        (None, list)
    } else {
        let (weak, quoted) = match list.strip_prefix(b"W/") {
            Some(quoted) => (true, quoted),
            None => (false, list),
        };
        let quoted = quoted.strip_prefix(b"\"")?;
        let end = quoted.iter().position(|byte| *byte == b'"')?;
        let (opaque, after) = quoted.split_at(end);
        // A tab or a space may stand in a header, but not in a tag.
        if opaque.iter().any(|byte| *byte <= b' ' || *byte == 0x7f) {
            return None;
        }
        (
            Some(SentTag { weak, opaque }),
            after[1..].trim_ascii_start(),
        )
    };
    match after {
        [] => Some((sent, after)),
        [b',', after @ ..] => Some((sent, after)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(total: u64, next_cursor: Option<&str>) -> PageInfo {
        PageInfo {
            total,
            next_cursor: next_cursor.map(ToOwned::to_owned),
            ..PageInfo::default()
        }
    }

    #[test]
    fn a_tag_is_of_rows_cursor_and_total_and_of_nothing_else() {
        let rows = br#"[{"slug":"kora"}]"#;
        let list = |page: &PageInfo| Tag::of(rows, Some(page), None);
        let tags = [
            list(&page(61, Some("next"))),
            list(&page(62, Some("next"))),
            list(&page(61, Some("nexu"))),
            list(&page(61, Some(""))),
            list(&page(61, None)),
            Tag::of(br#"[{"slug":"korb"}]"#, Some(&page(61, Some("next"))), None),
            Tag::of(rows, None, None),
            Tag::of(rows, None, Some(7)),
            Tag::of(rows, None, Some(8)),
        ];
        for (n, tag) in tags.iter().enumerate() {
            assert!(!tags[..n].contains(tag), "{n}: {tag:?}");
        }
        assert_eq!(list(&page(61, Some("next"))), tags[0]);
    }

    /// Replicas of two versions must agree, and callers keep tags for long.
    #[test]
    fn tags_are_the_same_for_good() {
        let tag = Tag::of(br#"{"slug":"kora"}"#, None, None);
        assert_eq!(tag.0, r#"W/"5eb7558f4adb757b4f51907aaf55d5a4""#);
        let tag = Tag::of(br#"{"slug":"kora"}"#, None, Some(12));
        assert_eq!(tag.0, r#""r12-5eb7558f4adb757b4f51907aaf55d5a4""#);
        let tag = Tag::of(b"[]", Some(&page(7, Some("next"))), None);
        assert_eq!(tag.0, r#"W/"aed84fb99b4481287de8bbfa6f613a0a""#);
    }

    #[test]
    fn a_tag_of_ours_names_its_revision() {
        let read = |value: &'static str| match sent_tags(&[HeaderValue::from_static(value)])? {
            SentTags::These(tags) => Some((tags[0].weak, tags[0].revision())),
            SentTags::Any => None,
        };
        assert_eq!(read(r#""r12""#), Some((false, Some(12))));
        assert_eq!(read(r#""r12-5eb7558f""#), Some((false, Some(12))));
        assert_eq!(read(r#"W/"r12-5eb7558f""#), Some((true, Some(12))));
        for other in [
            r#""12""#,
            r#""r""#,
            r#""r-5""#,
            r#""r+5""#,
            r#""r012""#,
            r#""R12""#,
            r#""r12 ""#,
            r#""5eb7558f4adb757b4f51907aaf55d5a4""#,
            r#""r99999999999999999999""#,
        ] {
            let named = read(other).and_then(|(_, revision)| revision);
            assert_eq!(named, None, "{other}");
        }
    }

    fn known(lines: &[&str]) -> bool {
        let mut headers = HeaderMap::new();
        for line in lines {
            let value = HeaderValue::from_bytes(line.as_bytes()).unwrap();
            headers.append(IF_NONE_MATCH, value);
        }
        Known::by(&headers).has(&Tag("W/\"kora\"".to_owned()))
    }

    #[test]
    fn a_tag_is_known_weak_or_strong_alone_or_among_others() {
        for value in [
            r#"W/"kora""#,
            r#""kora""#,
            r#" "kora" "#,
            r#""oud", W/"kora""#,
            r#""oud",W/"kora","nay""#,
            r#","oud" ,, W/"kora" ,"#,
            r#""a,b", "", "kora""#,
            "\"\u{e9}\", \"kora\"",
            "*",
            " * ",
        ] {
            assert!(known(&[value]), "{value}");
        }
        assert!(known(&[r#""oud""#, r#""kora", "nay""#]));
    }

    #[test]
    fn other_tags_and_what_is_not_well_formed_are_not_known() {
        for value in [
            "",
            ",",
            r#""oud""#,
            r#""kor""#,
            r#""koraa""#,
            r#""KORA""#,
            "kora",
            r#"w/"kora""#,
            r#"W/ "kora""#,
            r#"W/"kora"#,
            r#"kora""#,
            r#""kora" "oud""#,
            r#""kora"; "oud""#,
            r#""kora", oud"#,
            r#""kora", "o ud""#,
            r#""kora", *"#,
            r#"*, "kora""#,
            "**",
            r#""*""#,
        ] {
            assert!(!known(&[value]), "{value}");
        }
        assert!(!known(&[]));
        assert!(!known(&["*", "*"]));
        assert!(!known(&[r#""kora""#, "oud"]));
    }
}
