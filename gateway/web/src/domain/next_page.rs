//! Where a person goes after signing in.

/// The default page.
const HOME: &str = "/accounts";

/// `text` if it is a path of this site, and the list of accounts otherwise: a link to the sign-in page leads to no other site.
pub fn path(text: &str) -> &str {
    let is_ours = text.starts_with('/')
        // `//host` and `/\host` lead to another site.
        && !text[1..].starts_with(['/', '\\'])
        && text.len() <= 500
        && text.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'\\');
    if is_ours { text } else { HOME }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_paths_of_this_site_are_followed() {
        for good in ["/", "/accounts/1/keys?page=2", "/you"] {
            assert_eq!(path(good), good);
        }
        for bad in [
            "",
            "accounts",
            "https://evil.example/",
            "//evil.example",
            "/\\evil.example",
            "/a\\b",
            "/\t/evil.example",
            "/a\r\nSet-Cookie: b",
            "javascript:alert(1)",
            "/é",
        ] {
            assert_eq!(path(bad), HOME, "{bad:?}");
        }
    }
}
