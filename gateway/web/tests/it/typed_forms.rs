//! Every form with typed text, with values that the rules accept and one that they refuse.

use std::collections::BTreeMap;

use crate::browser::{Browser, Page};
use crate::full_account::FullAccount;
use crate::support::{PASSWORD, Site};

/// The service that a form needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Needs {
    Nothing,
    Gateway,
    Webhooks,
    Listings,
    Catalogue,
    Economy,
}

#[derive(Debug, Clone)]
pub(crate) struct TypedForm {
    /// The page that has the form.
    pub(crate) page: &'static str,
    pub(crate) action: &'static str,
    pub(crate) needs: Needs,
    /// Names and values that the rules accept.
    pub(crate) fields: &'static [(&'static str, &'static str)],
    /// A field, a value that the rules refuse, and the field that shows the error; `*` is an error above the form.
    pub(crate) wrong: (&'static str, &'static str, &'static str),
}

pub(crate) const LONG: &str = "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx";

/// Forms whose page and action are below a path.
macro_rules! forms {
    ($base:literal: $($page:literal, $action:literal, $needs:ident, $fields:expr, $wrong:expr;)*) => {&[$(
        TypedForm {
            page: concat!($base, $page),
            action: concat!($base, $action),
            needs: Needs::$needs,
            fields: $fields,
            wrong: $wrong,
        },
    )*]};
}

/// Forms without typed text: buttons, choices, and files.
pub(crate) const BUTTONS: &[&str] = &[
    "/vote",
    "/vote/creators",
    "/sign-out",
    "/you/settings",
    // Needs a second factor: `languages.rs` tests it.
    "/you/totp/codes",
    "/you/sessions/end-others",
    "/you/sessions/{session}/end",
    "/accounts/{account}/close",
    "/accounts/{account}/keys/{key}/revoke",
    "/accounts/{account}/keys/{key}/rotate",
    "/accounts/{account}/keys/requests/{request}/reveal",
    "/accounts/{account}/keys/requests/{request}/withdraw",
    "/accounts/{account}/team/leave",
    "/accounts/{account}/team/invites/{invite}/withdraw",
    "/accounts/{account}/team/{person}/role",
    "/accounts/{account}/team/{person}/remove",
    "/accounts/{account}/webhooks/{endpoint}/pause",
    "/accounts/{account}/webhooks/{endpoint}/resume",
    "/accounts/{account}/webhooks/{endpoint}/rotate",
    "/accounts/{account}/webhooks/{endpoint}/switch",
    "/accounts/{account}/webhooks/{endpoint}/remove",
    "/accounts/{account}/webhooks/{endpoint}/test",
    "/accounts/{account}/webhooks/{endpoint}/deliveries/{delivery}/again",
    "/accounts/{account}/claims/{claim}/withdraw",
    "/accounts/{account}/listings/{kind}/{name}/withdraw",
    "/accounts/{account}/listings/{kind}/{name}/take-down",
    "/accounts/{account}/listings/{kind}/{name}/pictures/{picture}",
    "/accounts/{account}/listings/{kind}/{name}/pictures/{picture}/remove",
];

/// Forms of signed-out visitors and of a person. The last form turns the second factor on.
pub(crate) const OF_PEOPLE: &[TypedForm] = forms! { "":
    "/sign-up", "/sign-up", Nothing, &[("email", "typed@new.example")], ("email", "typed", "email");
    "/reset", "/reset", Nothing, &[("email", "typed@new.example")], ("email", "typed", "email");
    "/sign-in", "/sign-in", Nothing, &[("email", "typed@new.example"), ("password", PASSWORD)], ("password", "typed", "*");
    "/link/{token}", "/link/{token}", Nothing, &[("password", PASSWORD)], ("password", "typed", "password");
    "/you/password", "/you/password", Nothing, &[("current", PASSWORD), ("password", "typed lorry teapot")], ("password", "typed", "password");
    "/you/email", "/you/email", Nothing, &[("email", "typed@new.example"), ("password", PASSWORD)], ("password", "typed", "password");
    "/you/totp", "/you/totp", Nothing, &[("code", "000001"), ("password", PASSWORD)], ("code", "000000", "code");
    "/you/totp/off", "/you/totp/off", Nothing, &[("code", "000001"), ("password", PASSWORD)], ("password", "typed", "password");
    "/you/delete", "/you/delete", Nothing, &[("password", PASSWORD)], ("password", "typed", "password");
    "/sign-in/code", "/sign-in/code", Nothing, &[("code", "000001")], ("code", "000000", "code");
};

const GAME: &[(&str, &str)] = &[
    ("creator", "studio"),
    ("title", "Typed title"),
    ("tagline", "Typed tagline"),
    ("description", "Typed description"),
    ("genres", "puzzle"),
    ("stage", "released"),
    ("release_year", "2025"),
    ("trailer_url", "https://typed.example/trailer"),
    ("links.play", "https://typed.example/play"),
];

const ENDPOINT: &[(&str, &str)] = &[("url", "https://typed.example/hook"), ("events", "tip.paid")];

const KEY: &[(&str, &str)] = &[
    ("name", "Typed name"),
    ("mode", "test"),
    ("kind", "secret"),
    ("may_write", "yes"),
    ("game", "typed-game"),
];

/// Forms of an account.
pub(crate) const OF_ACCOUNTS: &[TypedForm] = forms! { "/accounts/{account}":
    "/settings", "/settings", Gateway, &[("name", "Typed name")], ("name", LONG, "name");
    "/keys/new", "/keys", Gateway, KEY, ("name", "", "name");
    "/team", "/team/invite", Nothing, &[("email", "typed@new.example"), ("role", "owner")], ("email", "typed", "email");
    "/webhooks/new", "/webhooks", Webhooks, ENDPOINT, ("url", "http://typed.example/", "url");
    "/webhooks/{endpoint}/change", "/webhooks/{endpoint}/change", Webhooks, ENDPOINT, ("url", "http://typed.example/", "url");
    "/webhooks/{endpoint}/recover", "/webhooks/{endpoint}/recover", Webhooks,
        &[("since", "2026-11-22T10:11"), ("confirmed", "yes")], ("since", "typed", "since");
    "/listings/new/{kind}", "/listings/new/{kind}", Listings, GAME, ("title", "", "title");
    "/listings/{kind}/{name}/edit", "/listings/{kind}/{name}/edit", Listings, GAME, ("title", "", "title");
    "/claims", "/claims", Listings, &[("handle", "maliyo"), ("evidence", "Typed evidence")], ("handle", "typed", "handle");
    "/listings/{kind}/{name}/pictures", "/listings/{kind}/{name}/pictures/arrange", Listings,
        &[("url", "one"), ("alt", "Typed text"), ("place", "1")], ("alt", "bad", "alt-1");
    "/economy/{game}", "/economy/{game}/currency", Economy, &[("name", "Typed name")], ("name", LONG, "name");
};

/// The form of a new account. Its page is the list of accounts, which a person with exactly one account does not see.
pub(crate) const NEW_ACCOUNT: &[TypedForm] = forms! { "":
    "/accounts", "/accounts", Gateway, &[("name", "Typed name")], ("name", LONG, "name");
};

impl TypedForm {
    /// The typed fields together with the hidden fields of the page.
    pub(crate) fn typed(
        &self,
        hidden: &BTreeMap<String, String>,
        is_wrong: bool,
    ) -> Vec<(String, String)> {
        let mut fields: Vec<(String, String)> = Vec::new();
        for name in ["form", "base", "base_url", "base_events"] {
            if let Some(value) = hidden.get(name) {
                fields.push((name.to_owned(), value.clone()));
            }
        }
        let (wrong, bad, _) = self.wrong;
        for (name, value) in self.fields {
            let value = if is_wrong && *name == wrong { bad } else { value };
            fields.push(((*name).to_owned(), value.to_owned()));
        }
        fields
    }

    /// Opens the page and sends the form.
    pub(crate) async fn send(
        &self,
        browser: &mut Browser,
        full: &FullAccount,
        is_wrong: bool,
    ) -> Page {
        let page = browser.get(&full.own(self.page)).await;
        let fields = self.typed(&page.hidden(), is_wrong);
        self.post(browser, full, &fields).await
    }

    pub(crate) async fn post(
        &self,
        browser: &mut Browser,
        full: &FullAccount,
        fields: &[(String, String)],
    ) -> Page {
        let fields: Vec<(&str, &str)> =
            fields.iter().map(|(n, v)| (n.as_str(), v.as_str())).collect();
        browser.post(&full.own(self.action), &fields).await
    }

    /// Asserts that the page has everything typed except secrets.
    #[track_caller]
    pub(crate) fn assert_kept(&self, page: &Page, fields: &[(String, String)]) {
        for (name, value) in fields {
            let is_secret = ["password", "current", "code"].contains(&name.as_str());
            // A used form id is replaced.
            let is_hidden =
                ["form", "base", "base_url", "base_events", "confirmed", "id", "place", "mode"]
                    .contains(&name.as_str());
            if is_hidden || value.is_empty() {
                continue;
            }
            let is_there = page.text.contains(&format!("value=\"{value}\""))
                || page.text.contains(&format!(">\n{value}</textarea>"));
            assert_eq!(is_there, !is_secret, "{} {name}={value}: {}", self.action, page.text);
        }
    }
}

/// A browser that may send a form of people; `/sign-in/code` needs one that has sent the password.
pub(crate) async fn holder(full: &FullAccount, form: &TypedForm, site: &Site) -> Browser {
    match form.action {
        "/sign-in/code" => {
            let mut owner = full.owner.clone();
            crate::second_factor::turn_on(site, &mut owner).await;
            site.clock.advance(time::Duration::minutes(16));
            crate::second_factor::half_signed_in(site).await
        }
        path if path.starts_with("/you") => full.owner.clone(),
        _ => site.browser(),
    }
}
