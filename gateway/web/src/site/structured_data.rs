//! Structured data of pages for search engines: schema.org, as JSON-LD.

use contracts::public;
use pages::Frame;
use pages::share::JsonLd;
use serde_json::{Value, json};

use super::cards::{self, is_https};

const CONTEXT: &str = "https://schema.org";

/// The path to a page: the start page, the list, the page itself.
fn breadcrumbs(frame: &Frame, list: &str, list_name: &'static str) -> Value {
    let steps = [
        ("Mchezo", frame.absolute("/")),
        (frame.say(list_name), frame.absolute(list)),
        (frame.head.title.as_str(), frame.canonical()),
    ];
    let steps = (1_u32..).zip(steps).map(|(position, (name, address))| {
        json!({ "@type": "ListItem", "position": position, "name": name, "item": address })
    });
    let steps: Vec<Value> = steps.collect();
    json!({ "@type": "BreadcrumbList", "itemListElement": steps })
}

fn write(graph: &[Value]) -> JsonLd {
    JsonLd::new(&json!({ "@context": CONTEXT, "@graph": graph }).to_string())
}

/// The site itself, on the start page.
pub(super) fn site(frame: &Frame) -> JsonLd {
    write(&[json!({
        "@type": "WebSite",
        "name": "Mchezo",
        "url": frame.canonical(),
        "description": frame.head.description,
        "inLanguage": frame.lang(),
        "potentialAction": {
            "@type": "SearchAction",
            "target": {
                "@type": "EntryPoint",
                "urlTemplate": format!("{}?q={{search_term_string}}", frame.absolute("/search")),
            },
            "query-input": "required name=search_term_string",
        },
    })])
}

/// The page of a listing without more data.
pub(super) fn listing(frame: &Frame, list: &str, list_name: &'static str) -> JsonLd {
    write(&[breadcrumbs(frame, list, list_name)])
}

pub(super) fn event(frame: &Frame, event: &public::Event) -> JsonLd {
    let name = cards::place(frame.texts(), &event.city, &event.country_code);
    let mut address = json!({ "@type": "PostalAddress", "addressCountry": event.country_code });
    if !event.city.is_empty() {
        address["addressLocality"] = event.city.as_str().into();
    }
    let place = json!({ "@type": "Place", "name": name, "address": address });
    let website = event.website.as_deref().filter(|url| is_https(url));
    let (mode, location) = if event.online {
        let url = website.map_or_else(|| frame.canonical(), ToOwned::to_owned);
        let online = json!({ "@type": "VirtualLocation", "url": url });
        ("MixedEventAttendanceMode", json!([place, online]))
    } else {
        ("OfflineEventAttendanceMode", place)
    };
    let mut about = json!({
        "@type": "Event",
        "@id": format!("{}/events/{}", frame.site, event.slug),
        "url": frame.canonical(),
        "name": event.title,
        "image": format!("{}{}", frame.site, frame.image().src),
        "startDate": event.starts_at,
        "endDate": event.ends_at.as_ref().unwrap_or(&event.starts_at),
        "eventStatus": format!("{CONTEXT}/EventScheduled"),
        "eventAttendanceMode": format!("{CONTEXT}/{mode}"),
        "location": location,
    });
    if !event.description.is_empty() {
        about["description"] = event.description.as_str().into();
    }
    if let Some(website) = website {
        about["sameAs"] = website.into();
    }
    write(&[about, breadcrumbs(frame, "/events", "nav-events")])
}
