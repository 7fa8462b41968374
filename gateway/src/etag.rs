//! `ETag`, `If-None-Match` and the tags of `If-Match` (RFC 9110, 8.8.3, 13.1.2 and 13.1.1).

use contracts::common::v1::PageInfo;
use http::header::{HeaderMap, HeaderValue, IF_NONE_MATCH};
use xxhash_rust::xxh3::Xxh3Default;

/// The first character of a tag that names a revision.
const REVISION: &str = "r";
/// The length of the hash of data.
const HASH_DIGITS: usize = 32;

/// The entity tag of a response. It depends on `data` only, so it is the same at every replica and in every content coding.
///
/// The tag of most responses is weak, since `meta` differs from response to response. The tag of a game or an event is strong and
/// names the revision of the listing, because `If-Match` needs a strong tag; only the revision counts there. The hash is fast,
/// not cryptographic: a studio that finds two contents with one hash hides its own change from callers that send
/// `If-None-Match`, and nothing else.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ETag(String);

impl ETag {
    /// The tag of a listing at a revision, whatever a read of it shows.
    pub fn for_revision(revision: i64) -> Self {
        Self(format!("\"{REVISION}{revision}\""))
    }

    /// The tag of one object, which may be a listing with a `revision`, or of a list: its rows, its total and its cursor.
    pub fn for_data(data: &[u8], page: Option<&PageInfo>, revision: Option<i64>) -> Self {
        let mut hash = Xxh3Default::new();
        hash.update(data);
        if let Some(page) = page {
            // The separator. It cannot occur in JSON, so a list never hashes like its rows alone.
            hash.update(&[0]);
            hash.update(&page.total.to_le_bytes());
            if let Some(cursor) = &page.next_cursor {
                hash.update(&[1]);
                hash.update(cursor.as_bytes());
            }
        }
        let hash = hash.digest128();
        // The hash is needed besides the revision: a game also shows the name of its creator, which can change without a new
        // revision.
        Self(revision.map_or_else(
            || format!("W/\"{hash:032x}\""),
            |revision| format!("\"{REVISION}{revision}-{hash:032x}\""),
        ))
    }

    pub fn into_value(self) -> Option<HeaderValue> {
        HeaderValue::try_from(self.0).ok()
    }

    /// The text between the quotes: all that a weak comparison looks at (RFC 9110, 8.8.3.2).
    fn opaque(&self) -> &[u8] {
        let tag = self.0.as_bytes();
        let quoted = tag.strip_prefix(b"W/").unwrap_or(tag);
        let opaque = quoted.strip_prefix(b"\"");
        opaque.and_then(|opaque| opaque.strip_suffix(b"\"")).unwrap_or_default()
    }
}

/// The header `If-None-Match`. It is parsed only when a tag is compared with it.
#[derive(Debug, Clone, Default)]
pub struct IfNoneMatch(Vec<HeaderValue>);

impl IfNoneMatch {
    pub fn from_headers(headers: &HeaderMap) -> Self {
        Self(headers.get_all(IF_NONE_MATCH).iter().cloned().collect())
    }

    /// Whether the header contains this tag. A malformed header matches nothing.
    pub fn matches(&self, tag: &ETag) -> bool {
        match parse_tags(&self.0) {
            Some(TagList::Any) => true,
            Some(TagList::Tags(tags)) => tags.iter().any(|sent| sent.opaque == tag.opaque()),
            None => false,
        }
    }
}

/// The tags in a header.
#[derive(Debug, PartialEq, Eq)]
pub enum TagList<'a> {
    /// `*`
    Any,
    /// In the order of the header.
    Tags(Vec<ParsedTag<'a>>),
}

/// One tag in a header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ParsedTag<'a> {
    /// Whether it begins with `W/`.
    pub weak: bool,
    /// The text between the quotes.
    opaque: &'a [u8],
}

impl ParsedTag<'_> {
    /// The revision that the tag names, if it is one of ours: of a write, or of a read, with the hash of its data. Only the canonical form
    /// counts. A proxy that compresses may append to the tag of a read, as in `"r12-5eb7…-gzip"`, which still names the revision.
    pub fn revision(&self) -> Option<i64> {
        let text = std::str::from_utf8(self.opaque).ok()?;
        let mut parts = text.strip_prefix(REVISION)?.splitn(3, '-');
        let digits = parts.next()?;
        let is_hash = |hash: &str| {
            let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
            hash.len() == HASH_DIGITS && hash.bytes().all(is_digit)
        };
        let revision: i64 = digits.parse().ok()?;
        (revision.to_string() == digits && parts.next().is_none_or(is_hash)).then_some(revision)
    }
}

/// Parses the tags in the lines of a header; `None` if they are malformed.
///
/// The crate `headers` does not fit: it gives no access to the tags of `If-Match`, finds a tag in a malformed list, and its debug
/// assertions panic at a space within a tag.
pub fn parse_tags(lines: &[HeaderValue]) -> Option<TagList<'_>> {
    if let [only] = lines
        && only.as_bytes().trim_ascii() == b"*"
    {
        return Some(TagList::Any);
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
    Some(TagList::Tags(tags))
}

/// Parses the first member of a list of tags and returns what follows its comma. A list may have empty members (RFC 9110,
/// 5.6.1.2).
fn member(list: &[u8]) -> Option<(Option<ParsedTag<'_>>, &[u8])> {
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
        // A header may contain tabs and spaces, but a tag may not.
        if opaque.iter().any(|byte| *byte <= b' ' || *byte == 0x7f) {
            return None;
        }
        (Some(ParsedTag { weak, opaque }), after[1..].trim_ascii_start())
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
        PageInfo { total, next_cursor: next_cursor.map(ToOwned::to_owned) }
    }

    #[test]
    fn a_tag_depends_on_rows_cursor_total_and_revision() {
        let rows = br#"[{"slug":"kora"}]"#;
        let list = |page: &PageInfo| ETag::for_data(rows, Some(page), None);
        let tags = [
            list(&page(61, Some("next"))),
            list(&page(62, Some("next"))),
            list(&page(61, Some("nexu"))),
            list(&page(61, Some(""))),
            list(&page(61, None)),
            ETag::for_data(br#"[{"slug":"korb"}]"#, Some(&page(61, Some("next"))), None),
            ETag::for_data(rows, None, None),
            ETag::for_data(rows, None, Some(7)),
            ETag::for_data(rows, None, Some(8)),
        ];
        for (n, tag) in tags.iter().enumerate() {
            assert!(!tags[..n].contains(tag), "{n}: {tag:?}");
        }
        assert_eq!(list(&page(61, Some("next"))), tags[0]);
    }

    /// Replicas of two versions must produce the same tags, and clients keep tags for a long time.
    #[test]
    fn tags_never_change() {
        let tag = ETag::for_data(br#"{"slug":"kora"}"#, None, None);
        assert_eq!(tag.0, r#"W/"5eb7558f4adb757b4f51907aaf55d5a4""#);
        let tag = ETag::for_data(br#"{"slug":"kora"}"#, None, Some(12));
        assert_eq!(tag.0, r#""r12-5eb7558f4adb757b4f51907aaf55d5a4""#);
        let tag = ETag::for_data(b"[]", Some(&page(7, Some("next"))), None);
        assert_eq!(tag.0, r#"W/"aed84fb99b4481287de8bbfa6f613a0a""#);
    }

    #[test]
    fn a_tag_names_its_revision() {
        let read = |value: &str| match parse_tags(&[HeaderValue::from_str(value).unwrap()])? {
            TagList::Tags(tags) => Some((tags[0].weak, tags[0].revision())),
            TagList::Any => None,
        };
        assert_eq!(read(r#""r12""#), Some((false, Some(12))));
        let hash = "5eb7558f4adb757b4f51907aaf55d5a4";
        let of_read = format!("\"r12-{hash}\"");
        assert_eq!(read(&of_read), Some((false, Some(12))));
        assert_eq!(read(&format!("W/{of_read}")), Some((true, Some(12))));
        let by_proxy = format!("\"r12-{hash}-gzip\"");
        assert_eq!(read(&by_proxy), Some((false, Some(12))));
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
            r#""r1-zz""#,
            r#""r1-""#,
            r#""r12-5eb7558f""#,
            r#""r12-5EB7558F4ADB757B4F51907AAF55D5A4""#,
            r#""r12-5eb7558f4adb757b4f51907aaf55d5a40""#,
            // Suffixes of proxies that are not recognized.
            r#""r12-gzip""#,
            r#""r12;br""#,
            r#""r12-5eb7558f4adb757b4f51907aaf55d5a4;br""#,
        ] {
            let named = read(other).and_then(|(_, revision)| revision);
            assert_eq!(named, None, "{other}");
        }
    }

    fn matches(lines: &[&str]) -> bool {
        let mut headers = HeaderMap::new();
        for line in lines {
            let value = HeaderValue::from_bytes(line.as_bytes()).unwrap();
            headers.append(IF_NONE_MATCH, value);
        }
        IfNoneMatch::from_headers(&headers).matches(&ETag("W/\"kora\"".to_owned()))
    }

    #[test]
    fn if_none_match_compares_weakly_in_lists() {
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
            assert!(matches(&[value]), "{value}");
        }
        assert!(matches(&[r#""oud""#, r#""kora", "nay""#]));
    }

    #[test]
    fn if_none_match_ignores_other_tags_and_malformed_lists() {
        for value in [
            "",
            ",",
            r#""oud""#,
            r#""kor""#,
            r#""koraa""#,
            r#""kora-gzip""#,
            r#""kora;br""#,
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
            assert!(!matches(&[value]), "{value}");
        }
        assert!(!matches(&[]));
        assert!(!matches(&["*", "*"]));
        assert!(!matches(&[r#""kora""#, "oud"]));
    }
}
