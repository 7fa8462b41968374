//! The query of a page of the public site.

use url::form_urlencoded;

/// The parameters that have a value.
#[derive(Debug, Default)]
pub struct Query(Vec<(String, String)>);

impl Query {
    pub(crate) fn parse(query: Option<&str>) -> Self {
        let pairs = form_urlencoded::parse(query.unwrap_or_default().as_bytes());
        let pairs = pairs.map(|(name, value)| {
            let value = match &*name {
                // Codes of countries are case-insensitive; in upper case, each page has one address.
                "country" => value.trim().to_ascii_uppercase(),
                _ => value.trim().to_owned(),
            };
            (name.into_owned(), value)
        });
        Self(pairs.filter(|(_, value)| !value.is_empty()).collect())
    }

    /// An empty parameter counts as a missing one.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        let pair = self.0.iter().find(|(it, _)| it == name);
        pair.map(|(_, value)| value.as_str())
    }

    pub(crate) fn text(&self, name: &str) -> Option<String> {
        self.get(name).map(ToOwned::to_owned)
    }
}

/// A path with the parameters that have a value, in this order: each page of a list has one address.
pub(crate) fn address(path: &str, parameters: &[(&str, Option<&str>)]) -> String {
    let mut query = form_urlencoded::Serializer::new(String::new());
    for (name, value) in parameters {
        if let Some(value) = value {
            query.append_pair(name, value);
        }
    }
    let query = query.finish();
    if query.is_empty() {
        return path.to_owned();
    }
    format!("{path}?{query}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_parameters_are_ignored() {
        let query = Query::parse(Some("genre=&q=a%26b&country=ng&q=c"));
        assert_eq!(query.get("genre"), None);
        assert_eq!(query.get("q"), Some("a&b"));
        let parameters = [
            ("q", query.get("q")),
            ("genre", query.get("genre")),
            ("country", query.get("country")),
        ];
        assert_eq!(address("/games", &parameters), "/games?q=a%26b&country=NG");
        assert_eq!(address("/games", &[("q", None)]), "/games");
    }
}
