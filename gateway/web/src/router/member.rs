//! The paths of an account, for its members.

use crate::account::{activity, keys, plans, requests, settings, team, today, usage, webhooks};
use crate::domain::role::Permission;
use crate::economy::{currency, games};
use crate::form_body;
use crate::layers::access::Access;
use crate::listings::{
    claims, create, edit, list as list_of_listings, picture_file, pictures, show, upload,
};
use crate::route::{PathKind, Route, with_body};

/// The longest body of a form with a long text: 10,000 characters of any script, as a browser
/// encodes them, are up to 120,000 bytes. There is room for more than the service accepts, so that
/// its answer says by how much a text is too long.
const MAX_LONG_TEXT: usize = form_body::MAX_LIMIT;

pub(super) fn routes() -> Vec<Route> {
    [account_routes(), webhook_routes(), listing_routes(), picture_routes(), economy_routes()]
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

/// The routes of members who have this permission.
const fn member(permission: Permission) -> PathKind {
    PathKind::Dashboard(Access::Member(permission))
}

fn account_routes() -> Vec<Route> {
    let read = member(Permission::Read);
    let develop = member(Permission::Develop);
    let manage = member(Permission::Manage);
    vec![
        read.page(account!(""), today::show),
        manage.form(account!("/settings"), settings::show, settings::send),
        manage.action(account!("/close"), settings::close),
        read.page(account!("/keys"), keys::list::show),
        develop.action(account!("/keys"), keys::create::send),
        develop.page(account!("/keys/new"), keys::create::show),
        read.page(account!("/keys/{key}"), keys::one::show),
        develop.action(account!("/keys/{key}/rotate"), keys::one::rotate),
        develop.action(account!("/keys/{key}/revoke"), keys::one::revoke),
        develop.action(account!("/keys/requests/{request}/reveal"), keys::list::reveal),
        develop.action(account!("/keys/requests/{request}/withdraw"), keys::list::withdraw),
        read.page(account!("/usage"), usage::show),
        read.page(account!("/plans"), plans::show),
        read.page(account!("/requests"), requests::show),
        read.page(account!("/team"), team::show),
        manage.action(account!("/team/invite"), team::invite),
        read.action(account!("/team/leave"), team::leave),
        manage.action(account!("/team/invites/{invite}/withdraw"), team::withdraw),
        manage.action(account!("/team/{person}/role"), team::change_role),
        manage.action(account!("/team/{person}/remove"), team::remove),
        manage.page(account!("/activity"), activity::show),
    ]
}

fn webhook_routes() -> Vec<Route> {
    use webhooks::{deliveries, delivery, form, list, one, recover};
    let read = member(Permission::Read);
    let develop = member(Permission::Develop);
    vec![
        read.page(account!("/webhooks"), list::show),
        develop.action(account!("/webhooks"), form::add),
        develop.page(account!("/webhooks/new"), form::show_new),
        read.page(endpoint!(""), one::show),
        develop.form(endpoint!("/change"), form::show_change, form::change),
        develop.action(endpoint!("/pause"), one::pause),
        develop.action(endpoint!("/resume"), one::resume),
        develop.action(endpoint!("/rotate"), one::rotate),
        develop.action(endpoint!("/switch"), one::switch),
        develop.action(endpoint!("/remove"), one::remove),
        develop.action(endpoint!("/test"), one::test),
        develop.form(endpoint!("/recover"), recover::show, recover::send),
        read.page(endpoint!("/deliveries"), deliveries::show),
        read.page(endpoint!("/deliveries/{delivery}"), delivery::show),
        develop.action(endpoint!("/deliveries/{delivery}/again"), delivery::send_again),
    ]
}

fn listing_routes() -> Vec<Route> {
    let read = member(Permission::Read);
    let edit = member(Permission::Edit);
    vec![
        read.page(account!("/listings"), list_of_listings::show),
        with_body(
            edit.form(account!("/listings/new/{kind}"), create::show, create::send),
            MAX_LONG_TEXT,
        ),
        read.page(listing!(""), show::show),
        with_body(edit.form(listing!("/edit"), edit::show, edit::send), MAX_LONG_TEXT),
        edit.action(listing!("/withdraw"), show::withdraw),
        edit.action(listing!("/take-down"), show::take_down),
        read.page(account!("/claims"), claims::show),
        with_body(edit.action(account!("/claims"), claims::send), MAX_LONG_TEXT),
        edit.action(account!("/claims/{claim}/withdraw"), claims::withdraw),
    ]
}

fn picture_routes() -> Vec<Route> {
    let read = member(Permission::Read);
    let edit = member(Permission::Edit);
    vec![
        read.page(account!("/pictures/{name}"), picture_file::show),
        read.page(listing!("/pictures"), pictures::show),
        with_body(edit.action(listing!("/pictures/arrange"), pictures::arrange), MAX_LONG_TEXT),
        with_body(edit.action(listing!("/pictures/{picture}"), upload::send), upload::MAX_BODY),
        with_body(
            edit.action(listing!("/pictures/{picture}/remove"), pictures::remove),
            MAX_LONG_TEXT,
        ),
    ]
}

fn economy_routes() -> Vec<Route> {
    let read = member(Permission::Read);
    let develop = member(Permission::Develop);
    vec![
        read.page(account!("/economy"), games::show),
        read.page(account!("/economy/{game}"), currency::show),
        develop.action(account!("/economy/{game}/currency"), currency::name),
    ]
}
