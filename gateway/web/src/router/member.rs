//! The paths of an account, for its members.

use crate::account::{
    activity, keys, plans, requests, settings, team, today, tokens, try_it, usage, webhooks,
};
use crate::domain::role::Permission;
use crate::economy::{currency, games};
use crate::form_body;
use crate::form_file;
use crate::layers::access::Access;
use crate::listings::{
    claims, create, edit, list as list_of_listings, notes, picture_file, pictures, show, takedown,
    upload,
};
use crate::route::{Route, action, all_open, form, open, page, with_body, with_file};

/// The longest body of the form of a listing: 10,000 characters of any script, as a browser encodes them, are up to 120,000 bytes.
const MAX_LISTING: usize = form_body::MAX_LIMIT;

pub(super) fn routes() -> Vec<Route> {
    [
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

/// A path of an account, below `/accounts/{account}`.
macro_rules! account {
    ($rest:literal) => {
        concat!("/accounts/{account}", $rest)
    };
}

/// A path of an endpoint of an account.
macro_rules! endpoint {
    ($rest:literal) => {
        concat!("/accounts/{account}/webhooks/{endpoint}", $rest)
    };
}

/// A path of a listing of an account.
macro_rules! listing {
    ($rest:literal) => {
        concat!("/accounts/{account}/listings/{kind}/{name}", $rest)
    };
}

fn account_routes() -> Vec<Route> {
    let read = Access::Member(Permission::Read);
    let develop = Access::Member(Permission::Develop);
    let manage = Access::Member(Permission::Manage);
    vec![
        page(account!(""), read, today::show),
        open(form(
            account!("/settings"),
            manage,
            settings::show,
            settings::send,
        )),
        page(account!("/keys"), read, keys::list::show),
        open(action(account!("/keys"), develop, keys::create::send)),
        page(account!("/keys/new"), develop, keys::create::show),
        page(account!("/keys/{key}"), read, keys::one::show),
        action(account!("/keys/{key}/rotate"), develop, keys::one::rotate),
        // A leaked key can be revoked at any time.
        open(action(
            account!("/keys/{key}/revoke"),
            develop,
            keys::one::revoke,
        )),
        action(
            account!("/keys/requests/{request}/reveal"),
            develop,
            keys::list::reveal,
        ),
        page(account!("/tokens"), read, tokens::show),
        open(action(account!("/tokens"), develop, tokens::send)),
        // A leaked token can be revoked at any time.
        open(action(
            account!("/tokens/{account_token}/revoke"),
            develop,
            tokens::revoke,
        )),
        page(account!("/usage"), read, usage::show),
        page(account!("/plans"), read, plans::show),
        page(account!("/requests"), read, requests::show),
        page(account!("/team"), read, team::show),
        open(action(account!("/team/invite"), manage, team::invite)),
        action(account!("/team/leave"), read, team::leave),
        action(
            account!("/team/invites/{invite}/withdraw"),
            manage,
            team::withdraw,
        ),
        action(account!("/team/{person}/role"), manage, team::change_role),
        // A member who must go can be removed at any time.
        open(action(
            account!("/team/{person}/remove"),
            manage,
            team::remove,
        )),
        page(account!("/activity"), manage, activity::show),
    ]
}

/// Test calls, which change nothing. The API itself answers for closed switches.
fn try_routes() -> Vec<Route> {
    let read = Access::Member(Permission::Read);
    let path = account!("/try/{operation}");
    let form = form(path, read, try_it::show, try_it::send);
    vec![with_body(open(form), MAX_LISTING)]
}

fn webhook_routes() -> Vec<Route> {
    use webhooks::{check, deliveries, delivery, form, list, one, recover, samples};
    let read = Access::Member(Permission::Read);
    let develop = Access::Member(Permission::Develop);
    vec![
        page(account!("/webhooks"), read, list::show),
        open(action(account!("/webhooks"), develop, form::add)),
        page(account!("/webhooks/new"), develop, form::show_new),
        page(account!("/webhooks/samples"), read, samples::show),
        page(endpoint!(""), read, one::show),
        open(form(
            endpoint!("/change"),
            develop,
            form::show_change,
            form::change,
        )),
        action(endpoint!("/pause"), develop, one::pause),
        action(endpoint!("/resume"), develop, one::resume),
        action(endpoint!("/rotate"), develop, one::rotate),
        action(endpoint!("/switch"), develop, one::switch),
        action(endpoint!("/remove"), develop, one::remove),
        action(endpoint!("/test"), develop, one::test),
        form(endpoint!("/check"), develop, check::show, check::run),
        open(form(
            endpoint!("/recover"),
            develop,
            recover::show,
            recover::send,
        )),
        page(endpoint!("/deliveries"), read, deliveries::show),
        page(endpoint!("/deliveries/{delivery}"), read, delivery::show),
        action(
            endpoint!("/deliveries/{delivery}/again"),
            develop,
            delivery::send_again,
        ),
    ]
}

fn listing_routes() -> Vec<Route> {
    let read = Access::Member(Permission::Read);
    let edit = Access::Member(Permission::Edit);
    vec![
        page(account!("/listings"), read, list_of_listings::show),
        with_file(with_body(
            form(
                account!("/listings/new/{kind}"),
                edit,
                create::show,
                create::send,
            ),
            MAX_LISTING,
        )),
        page(listing!(""), read, show::show),
        with_body(
            form(listing!("/edit"), edit, edit::show, edit::send),
            MAX_LISTING,
        ),
        action(listing!("/withdraw"), edit, show::withdraw),
        form(listing!("/takedown"), edit, takedown::show, takedown::send),
        action(listing!("/notes/{note}"), edit, notes::close),
        page(account!("/claims"), read, claims::show),
        action(account!("/claims"), edit, claims::send),
    ]
}

fn picture_routes() -> Vec<Route> {
    let read = Access::Member(Permission::Read);
    let edit = Access::Member(Permission::Edit);
    vec![
        page(account!("/pictures/{name}"), read, picture_file::show),
        page(listing!("/pictures"), read, pictures::show),
        with_body(
            action(listing!("/pictures/arrange"), edit, pictures::arrange),
            MAX_LISTING,
        ),
        with_body(
            action(listing!("/pictures/{picture}"), edit, upload::send),
            form_file::MAX_BODY,
        ),
        action(
            listing!("/pictures/{picture}/use"),
            edit,
            pictures::use_picture,
        ),
        action(
            listing!("/pictures/{picture}/remove"),
            edit,
            pictures::remove,
        ),
    ]
}

fn economy_routes() -> Vec<Route> {
    let read = Access::Member(Permission::Read);
    let develop = Access::Member(Permission::Develop);
    vec![
        page(account!("/economy"), read, games::show),
        page(account!("/economy/{game}"), read, currency::show),
        action(
            account!("/economy/{game}/currency"),
            develop,
            currency::name,
        ),
    ]
}
