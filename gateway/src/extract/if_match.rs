//! The header `If-Match` of a change (§10.10; RFC 9110, 13.1.1).

use axum::extract::FromRequestParts;
use contracts::listings::v1::Precondition;
use http::header::{HeaderMap, HeaderValue, IF_MATCH};
use http::request::Parts;
use kit::Fault;

use crate::envelope::{SentTag, SentTags, sent_tags};
use crate::errors::Refusal;

/// The revisions at which the change is made; `None` when it is made at any.
///
/// `*` asks for a listing that is there, which every change does.
#[derive(Debug, PartialEq, Eq)]
pub struct IfMatch(pub Option<Precondition>);

impl<S: Sync> FromRequestParts<S> for IfMatch {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Refusal> {
        Ok(read(&parts.headers)?)
    }
}

/// A header that is not well-formed is refused, not passed over: its sender relies on it.
fn read(headers: &HeaderMap) -> Result<IfMatch, Fault> {
    let lines: Vec<HeaderValue> = headers.get_all(IF_MATCH).iter().cloned().collect();
    if lines.is_empty() {
        return Ok(IfMatch(None));
    }
    let tags = match sent_tags(&lines) {
        Some(SentTags::Any) => return Ok(IfMatch(None)),
        Some(SentTags::These(tags)) if !tags.is_empty() => tags,
        _ => {
            let reason = "Send the tag as it came in an ETag, with its quotes, several of them with commas between, or one *.";
            return Err(Fault::invalid_field("If-Match", reason));
        }
    };
    // Tags are compared strongly here: a weak one never matches. Nor does one that is not ours.
    let matching = tags.iter().filter(|tag| !tag.weak);
    Ok(IfMatch(Some(Precondition {
        revisions: matching.filter_map(SentTag::revision).collect(),
    })))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn revisions(lines: &[&str]) -> Result<Option<Vec<i64>>, Fault> {
        let mut headers = HeaderMap::new();
        for line in lines {
            headers.append(IF_MATCH, line.parse().unwrap());
        }
        let condition = read(&headers)?.0;
        Ok(condition.map(|condition| condition.revisions))
    }

    #[test]
    fn a_condition_names_revisions_or_anything_or_nothing() {
        assert_eq!(revisions(&[]).unwrap(), None);
        assert_eq!(revisions(&[" * "]).unwrap(), None);
        assert_eq!(revisions(&[r#""r7""#]).unwrap(), Some(vec![7]));
        let several = [r#""r7-5eb7", "r8""#, r#""other", "r9-0""#];
        assert_eq!(revisions(&several).unwrap(), Some(vec![7, 8, 9]));
        for never in [r#"W/"r7""#, r#""other""#, r#"W/"r7", "7""#] {
            assert_eq!(revisions(&[never]).unwrap(), Some(vec![]), "{never}");
        }
    }

    #[test]
    fn what_is_not_well_formed_is_refused() {
        for bad in [
            &["r7"][..],
            &[""],
            &[","],
            &[r#""r7"#],
            &["*", "*"],
            &[r#"*, "r7""#],
        ] {
            let fault = revisions(bad).unwrap_err();
            assert!(fault.fields.contains_key("If-Match"), "{bad:?}");
        }
    }
}
