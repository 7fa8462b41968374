//! Games like another one.

use contracts::public::GameRow;

/// At most so many games of other creators: those that share the genre and the country first, then those of the genre, then those of the
/// country. `lists` are games of its genre and games of its country.
pub(super) fn similar(game: &GameRow, lists: [Vec<GameRow>; 2], most: usize) -> Vec<GameRow> {
    let [mut of_genre, of_country] = lists;
    // The sort is stable, so that equals keep the order of their list.
    of_genre.sort_by_key(|other| other.country_code != game.country_code);
    let mut found: Vec<GameRow> = Vec::new();
    for other in of_genre.into_iter().chain(of_country) {
        let is_new = found.iter().all(|it| it.slug != other.slug);
        if is_new && other.creator.handle != game.creator.handle && found.len() < most {
            found.push(other);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn game(slug: &str, creator: &str, country: &str) -> GameRow {
        let row = json!({
            "slug": slug, "title": slug, "tagline": "", "cover_url": null, "genres": [], "platforms": [], "stage": "released",
            "release_year": 2024, "featured": false, "creator": {"handle": creator, "name": creator}, "country_code": country,
            "city": "", "url": "https://mchezo.example/", "created_at": "2026-01-01T00:00:00.000Z",
        });
        serde_json::from_value(row).unwrap()
    }

    #[test]
    fn the_genre_decides_and_then_the_country() {
        let this = game("kora", "savanna", "NG");
        let lists = || {
            [
                vec![
                    game("far", "a", "KE"),
                    game("own", "savanna", "NG"),
                    game("near", "b", "NG"),
                ],
                vec![game("near", "b", "NG"), game("other", "c", "NG")],
            ]
        };
        let slugs = |most| {
            let found = similar(&this, lists(), most).into_iter();
            found.map(|row| row.slug).collect::<Vec<_>>()
        };
        assert_eq!(slugs(4), ["near", "far", "other"]);
        assert_eq!(slugs(1), ["near"]);
    }
}
