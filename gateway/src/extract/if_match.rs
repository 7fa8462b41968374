//! The header `If-Match` of a PATCH (§10.10; RFC 9110, 13.1.1).

use contracts::listings::v1::Precondition;
use http::header::{HeaderMap, HeaderValue, IF_MATCH};
use kit::Fault;

use crate::etag::{ParsedTag, TagList, parse_tags};

/// The revisions at which the PATCH may be applied; `None` for any.
///
/// `*` only requires that the listing exists, which every PATCH does.
///
/// # Errors
/// The header is malformed: its sender relies on the condition.
pub fn read(headers: &HeaderMap) -> Result<Option<Precondition>, Fault> {
    let lines: Vec<HeaderValue> = headers.get_all(IF_MATCH).iter().cloned().collect();
    if lines.is_empty() {
        return Ok(None);
    }
    let tags = match parse_tags(&lines) {
        Some(TagList::Any) => return Ok(None),
        Some(TagList::Tags(tags)) if !tags.is_empty() => tags,
        _ => {
            let reason = "Send the ETag as you received it, with its quotes; or several ETags, separated by commas; or *.";
            return Err(Fault::invalid_field("If-Match", reason));
        }
    };
    // The comparison is strong: weak tags and foreign tags never match.
    let matching = tags.iter().filter(|tag| !tag.weak);
    Ok(Some(Precondition { revisions: matching.filter_map(ParsedTag::revision).collect() }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn revisions(lines: &[&str]) -> Result<Option<Vec<i64>>, Fault> {
        let mut headers = HeaderMap::new();
        for line in lines {
            headers.append(IF_MATCH, line.parse().unwrap());
        }
        let condition = read(&headers)?;
        Ok(condition.map(|condition| condition.revisions))
    }

    #[test]
    fn a_condition_has_revisions_or_any_or_none() {
        assert_eq!(revisions(&[]).unwrap(), None);
        assert_eq!(revisions(&[" * "]).unwrap(), None);
        assert_eq!(revisions(&[r#""r7""#]).unwrap(), Some(vec![7]));
        let hash = "5eb7558f4adb757b4f51907aaf55d5a4";
        let several = [&*format!(r#""r7-{hash}", "r8""#), &format!(r#""other", "r9-{hash}""#)];
        assert_eq!(revisions(&several).unwrap(), Some(vec![7, 8, 9]));
        for never in [r#"W/"r7""#, r#""other""#, r#"W/"r7", "7""#, r#""r1-zz""#] {
            assert_eq!(revisions(&[never]).unwrap(), Some(vec![]), "{never}");
        }
    }

    #[test]
    fn a_malformed_header_is_rejected() {
        for bad in [&["r7"][..], &[""], &[","], &[r#""r7"#], &["*", "*"], &[r#"*, "r7""#]] {
            let fault = revisions(bad).unwrap_err();
            assert!(fault.fields.contains_key("If-Match"), "{bad:?}");
        }
    }
}
