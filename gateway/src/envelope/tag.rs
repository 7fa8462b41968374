//! `ETag` and `If-None-Match` (RFC 9110, 8.8.3 and 13.1.2).

use contracts::common::v1::PageInfo;
use http::header::{HeaderMap, HeaderValue, IF_NONE_MATCH};
use xxhash_rust::xxh3::Xxh3Default;

/// The tag of an answer's data: the same at every replica and in every coding, and another when the data is another.
///
/// It is weak, since around the data each answer differs. The hash is quick, not cryptographic: whoever writes into the directory
/// and finds two contents with one tag has hidden a change of theirs from those who ask for it by the tag.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tag(String);

impl Tag {
    /// The tag of an answer that is the same byte for byte.
    pub fn strong(hash: &str) -> Self {
        Self(format!("\"{hash}\""))
    }

    /// The tag of one object, or of the rows of a list and what its page says.
    pub(super) fn of(data: &[u8], page: Option<&PageInfo>) -> Self {
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
        Self(format!("W/\"{:032x}\"", hash.digest128()))
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
        if let [only] = self.0.as_slice()
            && only.as_bytes().trim_ascii() == b"*"
        {
            return true;
        }
        let mut found = false;
        for line in &self.0 {
            let mut rest = line.as_bytes();
            while !rest.is_empty() {
                let Some((opaque, after)) = member(rest) else {
                    return false;
                };
                found |= opaque == Some(tag.opaque());
                rest = after;
            }
        }
        found
    }
}

/// The first member of a list of tags, without its quotes, and what comes behind its comma. A list may have empty members (RFC 9110,
/// 5.6.1.2).
fn member(list: &[u8]) -> Option<(Option<&[u8]>, &[u8])> {
    let list = list.trim_ascii_start();
    let (opaque, after) = if matches!(list.first(), None | Some(b',')) {
        (None, list)
    } else {
        let quoted = list.strip_prefix(b"W/").unwrap_or(list);
        let quoted = quoted.strip_prefix(b"\"")?;
        let end = quoted.iter().position(|byte| *byte == b'"')?;
        let (opaque, after) = quoted.split_at(end);
        // A tab or a space may stand in a header, but not in a tag.
        if opaque.iter().any(|byte| *byte <= b' ' || *byte == 0x7f) {
            return None;
        }
        (Some(opaque), after[1..].trim_ascii_start())
    };
    match after {
        [] => Some((opaque, after)),
        [b',', after @ ..] => Some((opaque, after)),
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
        }
    }

    #[test]
    fn a_tag_is_of_rows_cursor_and_total_and_of_nothing_else() {
        let rows = br#"[{"slug":"kora"}]"#;
        let list = |page: &PageInfo| Tag::of(rows, Some(page));
        let tags = [
            list(&page(61, Some("next"))),
            list(&page(62, Some("next"))),
            list(&page(61, Some("nexu"))),
            list(&page(61, Some(""))),
            list(&page(61, None)),
            Tag::of(br#"[{"slug":"korb"}]"#, Some(&page(61, Some("next")))),
            Tag::of(rows, None),
        ];
        for (n, tag) in tags.iter().enumerate() {
            assert!(!tags[..n].contains(tag), "{n}: {tag:?}");
        }
        assert_eq!(list(&page(61, Some("next"))), tags[0]);
    }

    /// Replicas of two versions must agree, and callers keep tags for long.
    #[test]
    fn tags_are_the_same_for_good() {
        let tag = Tag::of(br#"{"slug":"kora"}"#, None);
        assert_eq!(tag.0, r#"W/"5eb7558f4adb757b4f51907aaf55d5a4""#);
        let tag = Tag::of(b"[]", Some(&page(7, Some("next"))));
        assert_eq!(tag.0, r#"W/"aed84fb99b4481287de8bbfa6f613a0a""#);
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
