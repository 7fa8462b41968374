//! Settings that several services must have alike, and keys that they must not share, for `check-config`.

/// A setting with one value in several services.
struct SharedSetting {
    name: &'static str,
    /// The prefixes of the services that have it.
    prefixes: &'static [&'static str],
    /// What happens otherwise.
    effect: &'static str,
}

const ALL: &[&str] = &[
    "CATALOGUE",
    "ECONOMY",
    "GATEWAY",
    "LISTINGS",
    "WEB",
    "WEBHOOK",
];

const SHARED_SETTINGS: [SharedSetting; 6] = [
    SharedSetting {
        name: "PROFILE",
        prefixes: ALL,
        effect: "one of them accepts what production refuses",
    },
    SharedSetting {
        name: "FLEET_TOKEN",
        prefixes: ALL,
        effect: "they refuse each other's calls",
    },
    SharedSetting {
        name: "STAFF_TOKEN",
        prefixes: ALL,
        effect: "one of them refuses the calls of staff",
    },
    SharedSetting {
        name: "PUBLIC_URL",
        prefixes: &["CATALOGUE", "LISTINGS", "WEB", "WEBHOOK"],
        effect: "addresses in answers, mails and webhooks lead elsewhere",
    },
    SharedSetting {
        name: "API_URL",
        prefixes: &["GATEWAY", "WEB"],
        effect: "the documentation calls another API",
    },
    SharedSetting {
        name: "REDIS_URL",
        prefixes: &["GATEWAY", "LISTINGS"],
        effect: "reads do not find the position of the last write",
    },
];

/// The page of error codes, of web's site.
const ERRORS: &str = "/docs/errors";

/// The variables of `environment` that do not fit those of another service. It need not have the settings of every service. The values may be
/// secrets, so they are not named.
pub(crate) fn differences(environment: impl Fn(&str) -> Option<String>) -> Vec<String> {
    let mut problems = Vec::new();
    for SharedSetting {
        name,
        prefixes,
        effect,
    } in SHARED_SETTINGS
    {
        let mut values = prefixes.iter().filter_map(|prefix| {
            let variable = format!("{prefix}_{name}");
            let value = value(&variable, &environment)?;
            Some((variable, value))
        });
        let Some((first, expected)) = values.next() else {
            continue;
        };
        let others = values.filter(|(_, value)| comparable(value) != comparable(&expected));
        problems.extend(
            others.map(|(other, _)| {
                format!("{other} and {first} must be the same; otherwise {effect}")
            }),
        );
    }
    problems.extend(docs_elsewhere(&environment));
    problems.extend(shared_key(&environment));
    problems
}

/// The gateway sends clients to the page of error codes, which web serves below its public address.
fn docs_elsewhere(environment: impl Fn(&str) -> Option<String>) -> Option<String> {
    let docs = environment("GATEWAY_DOCS_URL")?;
    let site = environment("WEB_PUBLIC_URL")?;
    let page = format!("{}{ERRORS}", site.trim_end_matches('/'));
    (comparable(&docs) != comparable(&page)).then(|| {
        format!(
            "GATEWAY_DOCS_URL must be WEB_PUBLIC_URL with {ERRORS}; otherwise errors lead to a page that is not there"
        )
    })
}

/// A key that leaks decrypts the secrets of one service alone.
fn shared_key(environment: impl Fn(&str) -> Option<String>) -> Option<String> {
    let web = environment("WEB_SECRET_KEYS")?;
    let webhook = environment("WEBHOOK_SECRET_KEYS")?;
    let is_shared = keys(&web).any(|key| keys(&webhook).any(|other| other == key));
    is_shared.then(|| {
        "WEB_SECRET_KEYS and WEBHOOK_SECRET_KEYS must have no key in common; otherwise one that leaks decrypts the secrets of both"
            .to_owned()
    })
}

/// The keys of a list of `ID:KEY`.
fn keys(list: &str) -> impl Iterator<Item = &str> {
    list.split(',')
        .filter_map(|entry| entry.trim().split_once(':'))
        .map(|(_id, key)| key)
}

/// The value of a variable. Without `WEB_API_URL`, web takes the API to be below its public address.
fn value(variable: &str, environment: impl Fn(&str) -> Option<String>) -> Option<String> {
    environment(variable).or_else(|| {
        let is_derived = variable == "WEB_API_URL";
        let site = is_derived.then(|| environment("WEB_PUBLIC_URL"))??;
        Some(format!("{}/v1", site.trim_end_matches('/')))
    })
}

/// A value without the user and password of a URL, which each service may have for itself, and without a slash at its end.
fn comparable(value: &str) -> String {
    let value = value.trim_end_matches('/');
    match value.split_once("://") {
        Some((scheme, rest)) => {
            let host = rest.rsplit_once('@').map_or(rest, |(_, host)| host);
            format!("{scheme}://{host}")
        }
        None => value.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(variables: &[(&str, &str)]) -> Vec<String> {
        let find = |name: &str| {
            let found = variables.iter().find(|(variable, _)| *variable == name)?;
            Some(found.1.to_owned())
        };
        differences(find)
    }

    #[test]
    fn settings_that_differ_are_named_without_their_values() {
        let problems = of(&[
            ("GATEWAY_FLEET_TOKEN", "one-secret"),
            ("WEB_FLEET_TOKEN", "another-secret"),
            ("ECONOMY_FLEET_TOKEN", "one-secret"),
            ("LISTINGS_PUBLIC_URL", "https://mchezo.africa"),
            ("WEBHOOK_PUBLIC_URL", "https://mchezo.test"),
        ]);
        assert_eq!(problems.len(), 2, "{problems:?}");
        let text = problems.join("\n");
        let named = [
            "WEB_FLEET_TOKEN and ECONOMY_FLEET_TOKEN must be the same",
            "WEBHOOK_PUBLIC_URL and LISTINGS_PUBLIC_URL must be the same",
        ];
        assert!(named.iter().all(|name| text.contains(name)), "{text}");
        assert!(!text.contains("-secret"), "{text}");
    }

    #[test]
    fn the_api_has_the_address_that_web_derives_from_its_own() {
        let site = ("WEB_PUBLIC_URL", "https://mchezo.africa/");
        let api = "GATEWAY_API_URL";
        assert_eq!(of(&[site, (api, "https://mchezo.africa/v1")]), [""; 0]);
        let elsewhere = (api, "https://api.mchezo.africa/v1");
        let problems = of(&[site, elsewhere]);
        assert_eq!(problems.len(), 1, "{problems:?}");
        assert!(
            problems[0].starts_with("WEB_API_URL and GATEWAY_API_URL must be the same"),
            "{problems:?}"
        );
        let same = ("WEB_API_URL", "https://api.mchezo.africa/v1");
        assert_eq!(of(&[site, elsewhere, same]), [""; 0]);
    }

    #[test]
    fn errors_lead_to_their_page_of_the_site() {
        let docs = "GATEWAY_DOCS_URL";
        for site in ["https://mchezo.africa", "https://mchezo.africa/"] {
            let site = ("WEB_PUBLIC_URL", site);
            let page = (docs, "https://mchezo.africa/docs/errors");
            assert_eq!(of(&[site, page]), [""; 0]);
            assert_eq!(of(&[site]), [""; 0]);
            for elsewhere in [
                "https://mchezo.test/docs/errors",
                "https://mchezo.africa/errors",
                "http://mchezo.africa/docs/errors",
            ] {
                let problems = of(&[site, (docs, elsewhere)]);
                assert_eq!(problems.len(), 1, "{elsewhere}: {problems:?}");
                let expected = "GATEWAY_DOCS_URL must be WEB_PUBLIC_URL with /docs/errors";
                assert!(problems[0].starts_with(expected), "{problems:?}");
            }
        }
        assert_eq!(of(&[(docs, "https://mchezo.test/docs/errors")]), [""; 0]);
    }

    #[test]
    fn web_and_webhook_svc_share_no_key() {
        let web = ("WEB_SECRET_KEYS", "k1:old-hush,k2:new-hush");
        let webhook = "WEBHOOK_SECRET_KEYS";
        assert_eq!(of(&[web]), [""; 0]);
        assert_eq!(of(&[web, (webhook, "k1:other-hush")]), [""; 0]);
        let problems = of(&[web, (webhook, "k1:other-hush, k3:old-hush")]);
        assert_eq!(problems.len(), 1, "{problems:?}");
        let expected = "WEB_SECRET_KEYS and WEBHOOK_SECRET_KEYS must have no key in common";
        assert!(problems[0].starts_with(expected), "{problems:?}");
        assert!(!problems[0].contains("hush"), "{problems:?}");
    }

    #[test]
    fn services_that_are_absent_or_have_users_of_their_own_do_not_differ() {
        let same = [
            ("GATEWAY_REDIS_URL", "redis://gateway:a@redis:6379"),
            ("LISTINGS_REDIS_URL", "redis://listings:b@redis:6379/"),
            ("WEB_PUBLIC_URL", "https://mchezo.africa"),
        ];
        assert_eq!(of(&same), [""; 0]);
    }
}
