//! Accounts as the dashboard reads and changes them.

use contracts::common::v1 as common;
use contracts::gateway::v1 as proto;
use contracts::gateway::v1::accounts_service_server::AccountsService as _;
use contracts::gateway::v1::staff_service_server::StaffService as _;
use kit::{Code, Fault};
use serde_json::{Value, json};
use sqlx::PgPool;
use time::macros::datetime;
use tonic::{Request, Status};

use crate::support::{Test, by_operator, eventually};

pub(crate) const PERSON: &str = "0190f000-0000-7000-8000-00000000000a";
const ADDRESS: &str = "2001:db8::7";

pub(crate) fn actor() -> proto::Actor {
    proto::Actor { person_id: PERSON.to_owned(), address: ADDRESS.to_owned() }
}

fn new_account(id: &str) -> proto::AccountsServiceCreateAccountRequest {
    proto::AccountsServiceCreateAccountRequest {
        actor: Some(actor()),
        account_id: id.to_owned(),
        name: " Karoo Studio ".to_owned(),
    }
}

async fn create(
    test: &Test,
    request: proto::AccountsServiceCreateAccountRequest,
) -> Result<proto::Account, Status> {
    let created = test.accounts.create_account(Request::new(request)).await?;
    Ok(created.into_inner().account.unwrap())
}

async fn get(
    test: &Test,
    account: &str,
) -> Result<proto::AccountsServiceGetAccountResponse, Status> {
    let request = proto::AccountsServiceGetAccountRequest { account_id: account.to_owned() };
    let found = test.accounts.get_account(Request::new(request)).await?;
    Ok(found.into_inner())
}

async fn rename(test: &Test, account: &str, name: &str) -> Result<proto::Account, Status> {
    let request = proto::AccountsServiceChangeAccountRequest {
        actor: Some(actor()),
        account_id: account.to_owned(),
        name: name.to_owned(),
    };
    let changed = test.accounts.change_account(Request::new(request)).await?;
    Ok(changed.into_inner().account.unwrap())
}

/// The audit log, oldest first: member, role, action, entity, details.
pub(crate) async fn audit(test: &Test) -> Vec<(String, String, String, String, Value)> {
    let request = by_operator(common::ListAuditRequest { limit: 100, ..Default::default() });
    let entries = test.staff.list_audit(request).await.unwrap();
    let entries = entries.into_inner().entries.into_iter().rev();
    entries
        .map(|entry| {
            let details = serde_json::from_str(&entry.details).unwrap();
            (entry.member, entry.role, entry.action, entry.entity, details)
        })
        .collect()
}

#[testing::database_test(gateway::MIGRATOR)]
async fn a_person_creates_an_account_once(pool: PgPool) {
    let test = Test::new(pool).await;
    let id = kit::ids::row_id().to_string();
    let created = create(&test, new_account(&id)).await.unwrap();
    assert_eq!((created.id.as_str(), created.plan.as_str()), (id.as_str(), "free"));
    assert_eq!(created.name, "Karoo Studio");
    // The client lost the first response and repeats the call.
    let again = create(&test, new_account(&id)).await;
    assert_eq!(again.unwrap(), created);
    let entries = audit(&test).await;
    let expected = (
        PERSON.to_owned(),
        "person".to_owned(),
        "create_account".to_owned(),
        "account".to_owned(),
        json!({ "account": id, "plan": "free", "address": ADDRESS }),
    );
    assert_eq!(entries, [expected]);
}

#[testing::database_test(gateway::MIGRATOR)]
async fn a_change_without_its_actor_is_refused(pool: PgPool) {
    let test = Test::new(pool).await;
    let odd = proto::AccountsServiceCreateAccountRequest { actor: None, ..new_account("7") };
    let refused = Fault::from(create(&test, odd).await.unwrap_err());
    let fields: Vec<&str> = refused.fields.keys().map(String::as_str).collect();
    assert_eq!(fields, ["account_id", "actor.address", "actor.person_id"]);
}

#[testing::database_test(gateway::MIGRATOR)]
async fn an_account_shows_its_plan_and_usage(pool: PgPool) {
    let test = Test::new(pool).await;
    let account = test.account("free").await;
    let key = test.key(&account, "live").await;
    test.key(&account, "test").await;
    for _ in 0..3 {
        assert!(test.get(&key, "/games").await.is_ok());
    }
    eventually("the month's use is written", async || {
        let found = get(&test, &account).await.unwrap();
        found.month.unwrap().used == 3
    })
    .await;
    let found = get(&test, &account).await.unwrap();
    let (month, plan) = (found.month.unwrap(), found.plan.unwrap());
    let at = |at| Some(kit::api::timestamp::encode(at));
    assert_eq!(month.starts_at, at(datetime!(2026-03-01 00:00 UTC)));
    assert_eq!(month.resets_at, at(datetime!(2026-04-01 00:00 UTC)));
    assert_eq!((month.limit, plan.name.as_str()), (Some(50_000), "free"));
    assert_eq!(found.switches.len(), 5);
    // Staff see the same account.
    let request = by_operator(proto::GetAccountRequest { account_id: account.clone() });
    let of_staff = test.staff.get_account(request).await.unwrap().into_inner();
    assert_eq!(of_staff.account, found.account);
    assert_eq!(of_staff.plan.as_ref(), Some(&plan));
    assert_eq!(of_staff.month.as_ref(), Some(&month));
    assert_eq!(of_staff.working_keys, 1, "the test key does not count");
    let nobody = kit::ids::row_id().to_string();
    let none = Fault::from(get(&test, &nobody).await.unwrap_err());
    assert_eq!(none.code, Code::NotFound);

    let plans = proto::AccountsServiceListPlansRequest {};
    let plans = test.accounts.list_plans(Request::new(plans)).await.unwrap();
    assert_eq!(plans.into_inner().plans.first(), Some(&plan));
}

#[testing::database_test(gateway::MIGRATOR)]
async fn the_names_of_accounts_are_read_together(pool: PgPool) {
    let test = Test::new(pool).await;
    let (one, two) = (test.account("free").await, test.account("free").await);
    rename(&test, &two, "Karoo").await.unwrap();
    let list = async |ids: Vec<String>| {
        let request = proto::ListAccountNamesRequest { account_ids: ids };
        let listed = test.accounts.list_account_names(Request::new(request)).await?;
        let listed = listed.into_inner().accounts.into_iter();
        Ok::<_, Status>(listed.map(|it| (it.account_id, it.name)).collect::<Vec<_>>())
    };
    let nobody = kit::ids::row_id().to_string();
    let names = list(vec![two.clone(), nobody.clone(), one.clone(), two.clone()]).await.unwrap();
    let expected = [(one, "Savanna Studio"), (two, "Karoo")];
    assert_eq!(names, expected.map(|(id, name)| (id, name.to_owned())));
    assert_eq!(list(Vec::new()).await.unwrap(), []);
    assert!(list(vec![nobody.clone(); 200]).await.is_ok());
    for odd in [vec![nobody; 201], vec!["7".to_owned()]] {
        let refused = Fault::from(list(odd).await.unwrap_err());
        assert_eq!(refused.code, Code::Invalid);
        assert!(refused.fields.contains_key("account_ids"));
    }
}

#[testing::database_test(gateway::MIGRATOR)]
async fn a_new_name_is_published_and_shown_to_callers(pool: PgPool) {
    let mut test = Test::new(pool).await;
    let account = test.account("free").await;
    let key = test.key(&account, "test").await;
    let name = async |test: &Test| {
        let me = test.get(&key, "/me").await;
        me.json["data"]["account"]["name"].clone()
    };
    assert_eq!(name(&test).await, "Savanna Studio");
    let renamed = rename(&test, &account, "Karoo").await.unwrap();
    assert_eq!(renamed.name, "Karoo");
    test.catch_up().await;
    assert_eq!(name(&test).await, "Karoo");

    let same = rename(&test, &account, "Karoo").await;
    assert_eq!(same.unwrap().name, "Karoo");
    let revisions = sqlx::query_scalar!(
        "select revision from gateway.feed where entity = 'account' and id = $1 order by seq",
        account
    )
    .fetch_all(&test.pool)
    .await
    .unwrap();
    assert_eq!(revisions, [1, 2], "a change that changes nothing is none");
    let entries = audit(&test).await;
    let changes = entries.iter().filter(|entry| entry.2 == "change_account");
    assert_eq!(changes.count(), 1);
}
