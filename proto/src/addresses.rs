//! The public addresses of listings and pictures, below the base URL of the public pages.

/// The address of the page of a listing. `list` is the list of the API that has it: `games`, `creators` or `events`.
#[must_use]
pub fn listing(base: &str, list: &str, name: &str) -> String {
    format!("{base}/{list}/{name}")
}

/// The address of a picture: that of an uploaded one is stored relative to the public pages, any other as it is.
#[must_use]
pub fn picture(base: &str, address: &str) -> String {
    if address.starts_with("/pictures/") { format!("{base}{address}") } else { address.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn listings_and_uploaded_pictures_are_below_the_public_pages() {
        let base = "https://mchezo.example";
        assert_eq!(listing(base, "games", "kora"), "https://mchezo.example/games/kora");
        let ours = "https://mchezo.example/pictures/0a.jpg";
        assert_eq!(picture(base, "/pictures/0a.jpg"), ours);
        for theirs in ["https://a.example/1.png", ours] {
            assert_eq!(picture(base, theirs), theirs);
        }
    }
}
