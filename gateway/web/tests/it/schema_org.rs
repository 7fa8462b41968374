//! A strict reader of structured data: each type has the properties that schema.org gives it and this site uses, each property has the kind of
//! value that it may have, and what search engines require is there.

use serde_json::{Map, Value};
use time::Date;
use time::format_description::well_known::Iso8601;

/// What a property may have as its value. A property of which there may be several may be an array of them.
#[derive(Debug, Clone, Copy)]
enum Kind {
    Text,
    Url,
    Number,
    Day,
    Thing(&'static [&'static str]),
}

use Kind::{Day, Number, Text, Thing, Url};

type Properties = &'static [(&'static str, Kind)];

/// Each type with the properties that it must have, and those that it may have.
const TYPES: [(&str, Properties, Properties); 8] = [
    (
        "Event",
        &[
            ("@id", Url),
            ("url", Url),
            ("name", Text),
            ("startDate", Day),
            ("endDate", Day),
            ("location", Thing(&["Place", "VirtualLocation"])),
            ("eventStatus", Url),
            ("eventAttendanceMode", Url),
        ],
        &[("description", Text), ("image", Url), ("sameAs", Url)],
    ),
    (
        "Place",
        &[("name", Text), ("address", Thing(&["PostalAddress"]))],
        &[],
    ),
    ("VirtualLocation", &[("url", Url)], &[]),
    (
        "PostalAddress",
        &[("addressCountry", Text)],
        &[("addressLocality", Text)],
    ),
    (
        "BreadcrumbList",
        &[("itemListElement", Thing(&["ListItem"]))],
        &[],
    ),
    (
        "ListItem",
        &[("position", Number), ("name", Text), ("item", Url)],
        &[],
    ),
    (
        "WebSite",
        &[("name", Text), ("url", Url)],
        &[
            ("description", Text),
            ("inLanguage", Text),
            ("potentialAction", Thing(&["SearchAction"])),
        ],
    ),
    ("EntryPoint", &[("urlTemplate", Text)], &[]),
];

/// The structured data of a page, by its types.
#[track_caller]
pub(crate) fn read(page: &str) -> Vec<Map<String, Value>> {
    let (_, rest) = page
        .split_once("<script type=\"application/ld+json\">")
        .unwrap();
    let (data, _) = rest.split_once("</script>").unwrap();
    let data: Value = serde_json::from_str(data).unwrap();
    assert_eq!(data["@context"], "https://schema.org");
    let graph = data["@graph"].as_array().unwrap();
    for thing in graph {
        check(thing);
    }
    let things = graph.iter().map(|thing| thing.as_object().unwrap().clone());
    things.collect()
}

#[track_caller]
fn check(thing: &Value) {
    let kind = thing["@type"].as_str().unwrap();
    if kind == "SearchAction" {
        assert!(thing["query-input"].is_string(), "{thing}");
        return check(&thing["target"]);
    }
    let known = TYPES.iter().find(|(name, ..)| *name == kind);
    assert!(known.is_some(), "unknown type: {thing}");
    let (_, required, optional) = known.unwrap();
    for (name, _) in *required {
        assert!(thing.get(name).is_some(), "{name} is missing: {thing}");
    }
    for (name, value) in thing.as_object().unwrap() {
        if name == "@type" {
            continue;
        }
        let mut properties = required.iter().chain(*optional);
        let property = properties.find(|(known, _)| known == name);
        assert!(property.is_some(), "unknown property {name}: {thing}");
        let (_, kind) = property.unwrap();
        match value.as_array() {
            Some(values) => {
                assert!(!values.is_empty(), "{name} is empty: {thing}");
                for value in values {
                    check_value(value, *kind);
                }
            }
            None => check_value(value, *kind),
        }
    }
}

#[track_caller]
fn check_value(value: &Value, kind: Kind) {
    let text = || value.as_str().unwrap();
    match kind {
        Text => assert!(!text().trim().is_empty()),
        Url => {
            let url = url::Url::parse(text()).unwrap();
            assert_eq!(url.scheme(), "https", "{value}");
        }
        Number => assert!(value.as_u64().is_some_and(|number| number > 0), "{value}"),
        Day => assert!(Date::parse(text(), &Iso8601::DATE).is_ok(), "{value}"),
        Thing(kinds) => {
            let kind = value["@type"].as_str().unwrap();
            assert!(kinds.contains(&kind), "{value}");
            check(value);
        }
    }
}
