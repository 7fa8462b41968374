//! Every list that a call returns has pages, or a bound that the table names.

use std::collections::{BTreeMap, BTreeSet};

use prost::Message as _;
use prost_types::field_descriptor_proto::{Label, Type};
use prost_types::{DescriptorProto, FileDescriptorSet, MessageOptions};

/// Calls that return lists without pages, and what bounds each.
const WITHOUT_PAGES: [(&str, &str); 30] = [
    ("catalogue.v1.RankingsService/GetRanks", "one for each board"),
    ("common.v1.FeedService/Follow", "a stream of chunks"),
    ("economy.v1.ReportsService/ListOwnHeldReports", "100"),
    ("economy.v1.StaffService/ImportSwaps", "1,000 swaps of a request"),
    ("economy.v1.StaffService/RemoveSwaps", "1,000 swaps of a request"),
    ("gateway.v1.AccountsService/ListAccountNames", "200 ids of a request"),
    ("gateway.v1.AccountsService/ListKeyRequests", "200"),
    ("gateway.v1.AccountsService/ListKeys", "200"),
    ("gateway.v1.AccountsService/ListUse", "31 days"),
    ("gateway.v1.StaffService/ListKeys", "200"),
    ("listings.v1.PagesService/ListOwnClaims", "the newest 100"),
    ("listings.v1.PagesService/ListOwnPages", "500"),
    ("listings.v1.StaffPageService/AddOwner", "the owners of a page, whom staff add one by one"),
    ("listings.v1.StaffPageService/ListOwners", "the owners of a page, whom staff add one by one"),
    ("listings.v1.StaffPageService/RemoveOwner", "the owners of a page, whom staff add one by one"),
    (
        "listings.v1.StaffPictureService/PurgePicture",
        "the sizes of a picture, and the listings that show it",
    ),
    ("listings.v1.StaffReviewService/Decide", "100 listings of a request"),
    (
        "listings.v1.StaffReviewService/GetReview",
        "the fields of a listing, and its newest 100 revisions",
    ),
    ("web.v1.StaffService/ListAccountPeople", "the team of an account"),
    ("web.v1.StaffService/ListPersonAccounts", "the accounts that a person may have"),
    ("webhook.v1.DeliveriesService/GetDelivery", "the attempts of the schedule"),
    ("webhook.v1.EndpointsService/ListEndpoints", "the plan's endpoints"),
    ("gateway.v1.AccountsService/ListPlans", "the plans of the fleet"),
    ("gateway.v1.StaffService/ListPlans", "the plans of the fleet"),
    ("gateway.v1.AccountsService/GetAccount", "the switches of the API"),
    ("gateway.v1.AccountsService/ListSwitches", "the switches of the API"),
    ("gateway.v1.StaffService/ListSwitches", "the switches of the API"),
    (
        "listings.v1.OwnListingsService/ListFieldValues",
        "the genres, countries and kinds that a listing may have",
    ),
    ("listings.v1.StaffImportService/Import", "the rows that the caller sends"),
    ("webhook.v1.ReceiversService/ListEventTypes", "the types of events"),
];

/// Calls that return one object with lists inside it, and what bounds those. A field `json` may contain lists that the descriptors do not show.
const INSIDE_ONE: [(&str, &[&str]); 7] = [
    (
        "all games of the creator, as the specification says; a page of the site limits them with `max_games`",
        &["catalogue.v1.CreatorsService/GetCreator"],
    ),
    (
        "the cities of one country that have creators, as the specification says",
        &["catalogue.v1.PlacesService/GetCountry"],
    ),
    (
        "one row, whose fields have limits of their own",
        &[
            "catalogue.v1.EventsService/GetEvent",
            "catalogue.v1.GamesService/GetGame",
            "catalogue.v1.PlacesService/GetCity",
            "listings.v1.OwnListingsService/GetOwnListing",
        ],
    ),
    ("the genres of the directory, which staff add", &["catalogue.v1.PlacesService/ListGenres"]),
    (
        "one for each listed currency, as the specification says",
        &["economy.v1.CurrenciesService/ListCurrencies"],
    ),
    (
        "30 days of each game that the request names, at most 100",
        &["economy.v1.RatesService/ListDailyCosts"],
    ),
    (
        "the types of events",
        &[
            "webhook.v1.EndpointsService/AddEndpoint",
            "webhook.v1.EndpointsService/ChangeEndpoint",
            "webhook.v1.EndpointsService/GetEndpoint",
            "webhook.v1.EndpointsService/PauseEndpoint",
            "webhook.v1.EndpointsService/ResumeEndpoint",
            "webhook.v1.EndpointsService/RotateSecret",
            "webhook.v1.EndpointsService/SwitchSecret",
        ],
    ),
];

type Messages<'a> = BTreeMap<String, &'a DescriptorProto>;

#[test]
fn every_list_has_pages_or_a_bound() {
    let files = FileDescriptorSet::decode(contracts::DESCRIPTORS).unwrap();
    let mut messages = Messages::new();
    for file in &files.file {
        for message in &file.message_type {
            add(&mut messages, &format!(".{}", file.package()), message);
        }
    }
    let mut without_pages = BTreeSet::new();
    for file in &files.file {
        for service in &file.service {
            for method in &service.method {
                let returns_list = method.server_streaming()
                    || has_list(method.output_type(), &messages, &mut BTreeSet::new());
                if returns_list && !has_page(messages[method.input_type()]) {
                    let package = file.package();
                    without_pages.insert(format!("{package}.{}/{}", service.name(), method.name()));
                }
            }
        }
    }
    let inside_one = INSIDE_ONE.iter().flat_map(|(_, calls)| *calls);
    let bounded: BTreeSet<String> = WITHOUT_PAGES
        .iter()
        .map(|(call, _)| call)
        .chain(inside_one)
        .map(ToString::to_string)
        .collect();
    assert_eq!(
        without_pages, bounded,
        "left: lists without `page`, `limit` or `cursor` in the request; right: those whose bound the table says"
    );
}

/// Adds a message of `scope`, and those that are declared inside it.
fn add<'a>(messages: &mut Messages<'a>, scope: &str, message: &'a DescriptorProto) {
    let name = format!("{scope}.{}", message.name());
    for nested in &message.nested_type {
        add(messages, &name, nested);
    }
    messages.insert(name, message);
}

/// Whether the message has a list, or JSON, itself or in a message inside it.
fn has_list(name: &str, messages: &Messages<'_>, visited: &mut BTreeSet<String>) -> bool {
    let Some(message) = messages.get(name) else {
        // A scalar or an enum.
        return false;
    };
    if name.starts_with(".google.") || !visited.insert(name.to_owned()) {
        return false;
    }
    message.field.iter().any(|field| {
        let inner = messages.get(field.type_name());
        let options = inner.and_then(|inner| inner.options.as_ref());
        if options.is_some_and(MessageOptions::map_entry) {
            return false;
        }
        field.label() == Label::Repeated
            || field.name() == "json"
            || has_list(field.type_name(), messages, visited)
    })
}

fn has_page(message: &DescriptorProto) -> bool {
    message.field.iter().any(|field| {
        field.type_name() == ".common.v1.PageRequest"
            || field.name() == "cursor"
            || (field.name() == "limit" && matches!(field.r#type(), Type::Uint32 | Type::Int32))
    })
}
