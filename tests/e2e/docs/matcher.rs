//! Compares the output of an example with the documentation.

/// Whether `printed` matches `expected`, in which `…` stands for any text. White space is ignored: the documentation breaks answers into lines.
pub(super) fn matches(expected: &str, printed: &str) -> bool {
    let without_space = |text: &str| text.split_whitespace().collect::<String>();
    let (expected, printed) = (without_space(expected), without_space(printed));
    let mut parts = expected.split('…');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = printed.strip_prefix(first) else {
        return false;
    };
    let mut parts: Vec<&str> = parts.collect();
    let Some(last) = parts.pop() else {
        return rest.is_empty();
    };
    for part in parts {
        let Some((_, after)) = rest.split_once(part) else {
            return false;
        };
        rest = after;
    }
    rest.ends_with(last)
}

#[test]
fn an_ellipsis_matches_any_text() {
    for (expected, printed, is_same) in [
        ("{\"a\": 1}", "{\"a\":1}\n", true),
        ("{\"a\": 1}", "{\"a\":2}", false),
        ("{\"a\": 1}", "{\"a\":1}}", false),
        ("{\"id\": \"req_…\"}", "{\"id\":\"req_01a\"}", true),
        ("{\"id\": \"req_…\"}", "{\"id\":\"01a\"}", false),
        ("a … b … c", "a 1 b 2 c", true),
        ("a … b … c", "a 1 c 2 b", false),
        ("a … b … c", "a c", false),
        ("ab…b", "ab", false),
        ("", "", true),
        ("", "a", false),
    ] {
        assert_eq!(matches(expected, printed), is_same, "{expected} {printed}");
    }
}
