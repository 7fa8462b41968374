//! Every path of the site, with its access.

mod site;

use axum::extract::DefaultBodyLimit;
use axum::middleware::{from_fn, from_fn_with_state};
use axum::{Extension, Router};
use http::{HeaderMap, Uri};
use tower_http_csrf::csrf::{CsrfLayer, ProtectionError};

use crate::account::{
    activity, keys, list, overview, plans, requests, settings, team, tokens, try_it, usage,
    webhooks,
};
use crate::app::App;
use crate::assets;
use crate::domain::role::Permission;
use crate::economy::{currency, games};
use crate::form_body;
use crate::guides;
use crate::layers::access::{self, Access, Guard};
use crate::layers::log::Recorder;
use crate::layers::{client, headers, log};
use crate::listings::{
    claims, create, edit, entry, list as list_of_listings, notes, picture_file, pictures, show,
    takedown, upload,
};
use crate::page_error::PageError;
use crate::people::{
    activity as own_activity, delete, email, link, password, reset, second_factor, sessions,
    sign_in, sign_up, totp,
};
use crate::reference;
use crate::route::{Route, action, all_open, form, open, page, with_body};
use crate::site::sitemap::FixedPages;
use crate::visit::Visit;

/// The longest body of a form.
const MAX_BODY: usize = form_body::DEFAULT_LIMIT;
/// The longest body of the form of a listing: 10,000 characters of any script, as a browser encodes them, are up to 120,000 bytes.
const MAX_LISTING: usize = form_body::MAX_LIMIT;

/// The table of all paths.
pub fn routes() -> Vec<Route> {
    [
        site::routes(),
        site::docs_routes(),
        people_routes(),
        account_routes(),
        webhook_routes(),
        try_routes(),
        all_open(listing_routes()),
        all_open(picture_routes()),
        all_open(economy_routes()),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn people_routes() -> Vec<Route> {
    use Access::{Anyone, Asset, SecondFactor, SignedIn};
    vec![
        page("/assets/{name}", Asset, assets::show),
        form("/sign-up", Anyone, sign_up::show, sign_up::send),
        form("/sign-in", Anyone, sign_in::show, sign_in::send),
        form(
            "/sign-in/code",
            SecondFactor,
            second_factor::show,
            second_factor::send,
        ),
        action("/sign-out", Anyone, sign_in::sign_out),
        form("/reset", Anyone, reset::show, reset::send),
        form("/link/{token}", Anyone, link::show, link::send),
        page("/you", SignedIn, sessions::show),
        page("/you/activity", SignedIn, own_activity::show),
        action("/you/sessions/end-others", SignedIn, sessions::end_others),
        action("/you/sessions/{session}/end", SignedIn, sessions::end),
        form("/you/password", SignedIn, password::show, password::send),
        form("/you/email", SignedIn, email::show, email::send),
        form("/you/totp", SignedIn, totp::show, totp::turn_on),
        form("/you/totp/off", SignedIn, totp::show_off, totp::turn_off),
        form("/you/delete", SignedIn, delete::show, delete::send),
        form("/accounts", SignedIn, list::show, list::create),
        page("/accounts/new", SignedIn, list::show_new),
        page("/claim/{handle}", SignedIn, entry::claim),
        page("/takedown/{kind}/{name}", Anyone, entry::takedown),
        page("/try/{operation}", SignedIn, try_it::entry),
    ]
}

fn account_routes() -> Vec<Route> {
    let read = Access::Member(Permission::Read);
    let develop = Access::Member(Permission::Develop);
    let manage = Access::Member(Permission::Manage);
    vec![
        page("/accounts/{account}", read, overview::show),
        open(form(
            "/accounts/{account}/settings",
            manage,
            settings::show,
            settings::send,
        )),
        page("/accounts/{account}/keys", read, keys::list::show),
        open(action(
            "/accounts/{account}/keys",
            develop,
            keys::create::send,
        )),
        page("/accounts/{account}/keys/new", develop, keys::create::show),
        page("/accounts/{account}/keys/{key}", read, keys::one::show),
        action(
            "/accounts/{account}/keys/{key}/rotate",
            develop,
            keys::one::rotate,
        ),
        // A leaked key can be revoked at any time.
        open(action(
            "/accounts/{account}/keys/{key}/revoke",
            develop,
            keys::one::revoke,
        )),
        action(
            "/accounts/{account}/keys/requests/{request}/reveal",
            develop,
            keys::list::reveal,
        ),
        page("/accounts/{account}/tokens", read, tokens::show),
        open(action("/accounts/{account}/tokens", develop, tokens::send)),
        // A leaked token can be revoked at any time.
        open(action(
            "/accounts/{account}/tokens/{account_token}/revoke",
            develop,
            tokens::revoke,
        )),
        page("/accounts/{account}/usage", read, usage::show),
        page("/accounts/{account}/plans", read, plans::show),
        page("/accounts/{account}/requests", read, requests::show),
        page("/accounts/{account}/team", read, team::show),
        open(action(
            "/accounts/{account}/team/invite",
            manage,
            team::invite,
        )),
        action("/accounts/{account}/team/leave", read, team::leave),
        action(
            "/accounts/{account}/team/invites/{invite}/withdraw",
            manage,
            team::withdraw,
        ),
        action(
            "/accounts/{account}/team/{person}/role",
            manage,
            team::change_role,
        ),
        action(
            "/accounts/{account}/team/{person}/remove",
            manage,
            team::remove,
        ),
        page("/accounts/{account}/activity", manage, activity::show),
    ]
}

/// Test calls, which change nothing. The API itself answers for closed switches.
fn try_routes() -> Vec<Route> {
    let read = Access::Member(Permission::Read);
    let path = "/accounts/{account}/try/{operation}";
    let form = form(path, read, try_it::show, try_it::send);
    vec![with_body(open(form), MAX_LISTING)]
}

fn webhook_routes() -> Vec<Route> {
    use webhooks::{check, deliveries, delivery, form, list, one, recover, samples};
    let read = Access::Member(Permission::Read);
    let develop = Access::Member(Permission::Develop);
    vec![
        page("/accounts/{account}/webhooks", read, list::show),
        open(action("/accounts/{account}/webhooks", develop, form::add)),
        page("/accounts/{account}/webhooks/new", develop, form::show_new),
        page("/accounts/{account}/webhooks/samples", read, samples::show),
        page("/accounts/{account}/webhooks/{endpoint}", read, one::show),
        open(form(
            "/accounts/{account}/webhooks/{endpoint}/change",
            develop,
            form::show_change,
            form::change,
        )),
        action(
            "/accounts/{account}/webhooks/{endpoint}/pause",
            develop,
            one::pause,
        ),
        action(
            "/accounts/{account}/webhooks/{endpoint}/resume",
            develop,
            one::resume,
        ),
        action(
            "/accounts/{account}/webhooks/{endpoint}/rotate",
            develop,
            one::rotate,
        ),
        action(
            "/accounts/{account}/webhooks/{endpoint}/switch",
            develop,
            one::switch,
        ),
        action(
            "/accounts/{account}/webhooks/{endpoint}/remove",
            develop,
            one::remove,
        ),
        action(
            "/accounts/{account}/webhooks/{endpoint}/test",
            develop,
            one::test,
        ),
        form(
            "/accounts/{account}/webhooks/{endpoint}/check",
            develop,
            check::show,
            check::run,
        ),
        open(form(
            "/accounts/{account}/webhooks/{endpoint}/recover",
            develop,
            recover::show,
            recover::send,
        )),
        page(
            "/accounts/{account}/webhooks/{endpoint}/deliveries",
            read,
            deliveries::show,
        ),
        page(
            "/accounts/{account}/webhooks/{endpoint}/deliveries/{delivery}",
            read,
            delivery::show,
        ),
        action(
            "/accounts/{account}/webhooks/{endpoint}/deliveries/{delivery}/again",
            develop,
            delivery::send_again,
        ),
    ]
}

fn listing_routes() -> Vec<Route> {
    let read = Access::Member(Permission::Read);
    let edit = Access::Member(Permission::Edit);
    let new = "/accounts/{account}/listings/new/{kind}";
    let change = "/accounts/{account}/listings/{kind}/{name}/edit";
    let ask = "/accounts/{account}/listings/{kind}/{name}/takedown";
    vec![
        page("/accounts/{account}/listings", read, list_of_listings::show),
        with_body(form(new, edit, create::show, create::send), MAX_LISTING),
        page(
            "/accounts/{account}/listings/{kind}/{name}",
            read,
            show::show,
        ),
        with_body(form(change, edit, edit::show, edit::send), MAX_LISTING),
        action(
            "/accounts/{account}/listings/{kind}/{name}/withdraw",
            edit,
            show::withdraw,
        ),
        form(ask, edit, takedown::show, takedown::send),
        action(
            "/accounts/{account}/listings/{kind}/{name}/notes/{note}",
            edit,
            notes::close,
        ),
        page("/accounts/{account}/claims", read, claims::show),
        action("/accounts/{account}/claims", edit, claims::send),
    ]
}

fn picture_routes() -> Vec<Route> {
    let read = Access::Member(Permission::Read);
    let edit = Access::Member(Permission::Edit);
    let arrange = "/accounts/{account}/listings/{kind}/{name}/pictures/arrange";
    let one = "/accounts/{account}/listings/{kind}/{name}/pictures/{picture}";
    vec![
        page(
            "/accounts/{account}/pictures/{name}",
            read,
            picture_file::show,
        ),
        page(
            "/accounts/{account}/listings/{kind}/{name}/pictures",
            read,
            pictures::show,
        ),
        with_body(action(arrange, edit, pictures::arrange), MAX_LISTING),
        with_body(action(one, edit, upload::send), upload::MAX_BODY),
        action(
            "/accounts/{account}/listings/{kind}/{name}/pictures/{picture}/use",
            edit,
            pictures::use_picture,
        ),
        action(
            "/accounts/{account}/listings/{kind}/{name}/pictures/{picture}/remove",
            edit,
            pictures::remove,
        ),
    ]
}

fn economy_routes() -> Vec<Route> {
    let read = Access::Member(Permission::Read);
    let develop = Access::Member(Permission::Develop);
    vec![
        page("/accounts/{account}/economy", read, games::show),
        page("/accounts/{account}/economy/{game}", read, currency::show),
        action(
            "/accounts/{account}/economy/{game}/currency",
            develop,
            currency::name,
        ),
    ]
}

/// The site.
pub fn router(app: &App) -> Router {
    let mut router = Router::new();
    for route in routes() {
        if route.access == Access::Public {
            router = site::add(router, route, app);
            continue;
        }
        if route.access == Access::Asset {
            router = router.route(route.path, route.handlers);
            continue;
        }
        if matches!(route.access, Access::File | Access::Docs) {
            router = site::add_once(router, route, app);
            continue;
        }
        let guard = Guard {
            app: App::clone(app),
            access: route.access,
            closes: route.closes,
            body_limit: route.body_limit,
        };
        let guarded = route
            .handlers
            .layer(from_fn_with_state(guard, access::check));
        router = router.route(route.path, guarded);
    }
    let reject = |_: ProtectionError| {
        use axum::response::IntoResponse as _;
        PageError::cross_site().into_response()
    };
    let public = routes()
        .into_iter()
        .filter(|route| route.access == Access::Public);
    let docs = guides::PATHS.iter().copied().chain([reference::PATH]);
    let fixed = FixedPages::of(public.map(|route| route.path).chain(docs));
    let recorder = Recorder {
        app: App::clone(app),
        is_public: site::is_public,
    };
    router
        .layer(Extension(fixed))
        .layer(from_fn(log::name_route))
        .fallback(async |uri: Uri, headers: HeaderMap| {
            PageError::not_found().on_site(Visit::of(&uri, &headers))
        })
        .method_not_allowed_fallback(async || PageError::method_not_allowed())
        .layer(DefaultBodyLimit::max(MAX_BODY))
        .layer(CsrfLayer::new().with_rejection_response(reject))
        .layer(from_fn_with_state(App::clone(app), client::identify))
        .layer(from_fn_with_state(recorder, log::record))
        .layer(from_fn_with_state(App::clone(app), headers::add))
        .with_state(App::clone(app))
}

#[cfg(test)]
mod tests {
    use http::Method;

    use super::*;

    #[test]
    fn every_page_of_an_account_needs_a_membership() {
        for route in routes() {
            let is_member = matches!(route.access, Access::Member(_));
            assert_eq!(
                is_member,
                route.path.contains("{account}"),
                "{}",
                route.path
            );
        }
    }

    #[test]
    fn the_public_site_and_the_dashboard_have_no_first_part_in_common() {
        for route in routes() {
            let is_public = matches!(route.access, Access::Public | Access::File | Access::Docs);
            assert_eq!(site::is_public(route.path), is_public, "{}", route.path);
        }
    }

    #[test]
    fn only_readers_see_and_only_forms_change() {
        for route in routes() {
            let only_reads = route.access == Access::Member(Permission::Read);
            let changes = route.methods.contains(&Method::POST);
            // Every member may leave, and a test call changes nothing.
            let is_open = ["/team/leave", "/try/{operation}"];
            let is_open = is_open.iter().any(|end| route.path.ends_with(end));
            assert!(!only_reads || !changes || is_open, "{}", route.path);
        }
    }
}
