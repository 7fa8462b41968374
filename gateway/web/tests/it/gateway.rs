//! A stub of the gateway that keeps accounts and keys in memory.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

use contracts::common::v1::{Ended, Mode};
use contracts::gateway::v1 as proto;
use contracts::gateway::v1::KeyRequestState;
use contracts::gateway::v1::accounts_service_server::AccountsService;
use kit::api::timestamp;
use kit::{Clock, Fault, ids};
use time::Duration;
use time::macros::datetime;
use tonic::{Request, Response, Status};

#[derive(Debug, Clone, Default)]
pub(crate) struct StubGateway {
    pub(crate) clock: Arc<OnceLock<Clock>>,
    pub(crate) accounts: Arc<Mutex<BTreeMap<String, proto::Account>>>,
    /// The accounts that were closed.
    pub(crate) closed: Arc<Mutex<Vec<String>>>,
    pub(crate) keys: Arc<Mutex<Vec<proto::Key>>>,
    pub(crate) requests: Arc<Mutex<Vec<proto::KeyRequest>>>,
    pub(crate) is_down: Arc<AtomicBool>,
    /// The response about a new key waits for this lock; with `loses_new_keys` it is lost.
    pub(crate) new_keys_wait: Arc<tokio::sync::Mutex<()>>,
    pub(crate) loses_new_keys: Arc<AtomicBool>,
    /// The keys and requests that each form has made.
    pub(crate) made_by_form: Arc<Mutex<BTreeMap<String, proto::Key>>>,
    pub(crate) requested_by_form: Arc<Mutex<BTreeMap<String, proto::KeyRequest>>>,
    /// Whether the last rotation stopped the old secret at once.
    pub(crate) revoked_old: Arc<AtomicBool>,
    /// The usage of every account: by day, and the log of calls.
    pub(crate) day_use: Arc<Mutex<proto::AccountsServiceListUseResponse>>,
    pub(crate) calls: Arc<Mutex<proto::AccountsServiceListCallsResponse>>,
    /// How often an account was read, and names of accounts.
    pub(crate) accounts_read: Arc<AtomicU32>,
    pub(crate) names_read: Arc<AtomicU32>,
    /// How often the log of calls was read.
    pub(crate) calls_read: Arc<AtomicU32>,
    /// The accounts that have used a share of their month.
    pub(crate) month_use: Arc<Mutex<Vec<proto::AccountMonthUse>>>,
    /// The plan of every account, with its limits.
    pub(crate) plan: Arc<Mutex<Option<proto::Plan>>>,
    /// Switches that are not in their default state.
    pub(crate) switched: Arc<Mutex<BTreeSet<&'static str>>>,
}

impl StubGateway {
    fn after(&self, later: Duration) -> prost_types::Timestamp {
        let now = self.clock.get().unwrap().now();
        timestamp::encode(now + later)
    }

    /// A request for a key, in this state.
    pub(crate) fn add_request(
        &self,
        account: &str,
        name: &str,
        state: KeyRequestState,
    ) -> proto::KeyRequest {
        let request = proto::KeyRequest {
            id: ids::row_id().to_string(),
            account_id: account.to_owned(),
            name: name.to_owned(),
            kind: proto::KeyKind::Account.into(),
            state: state.into(),
            asked_at: Some(self.after(Duration::ZERO)),
            ..proto::KeyRequest::default()
        };
        self.requests.lock().unwrap().push(request.clone());
        request
    }

    /// Ends a request for a key, as staff do or its account, unless it has ended.
    pub(crate) fn end(&self, request: &mut proto::KeyRequest, by_account: &str, reason: &str) {
        if matches!(request.state(), KeyRequestState::Asked | KeyRequestState::Approved) {
            request.set_state(KeyRequestState::Rejected);
            request.ended = Some(Ended {
                by_account: by_account.to_owned(),
                at: Some(self.after(Duration::ZERO)),
                reason: reason.to_owned(),
            });
        }
    }

    /// Staff reject a request for a key.
    pub(crate) fn reject(&self, id: &str, reason: &str) {
        let mut requests = self.requests.lock().unwrap();
        let request = requests.iter_mut().find(|it| it.id == id).unwrap();
        self.end(request, "", reason);
    }

    pub(crate) fn add(&self, account: proto::Account) {
        let mut accounts = self.accounts.lock().unwrap();
        accounts.insert(account.id.clone(), account);
    }

    pub(crate) fn check(&self) -> Result<(), Status> {
        if self.is_down.load(Ordering::Relaxed) {
            return Err(Fault::unavailable("the gateway of the test").into());
        }
        Ok(())
    }

    /// The key that a form has made before; otherwise it makes this one.
    fn made_before(&self, form: &str, key: &proto::Key) -> Option<proto::Key> {
        let mut made = self.made_by_form.lock().unwrap();
        match made.entry(format!("{} {form}", key.account_id)) {
            Entry::Occupied(before) => Some(before.get().clone()),
            Entry::Vacant(first) => {
                first.insert(key.clone());
                None
            }
        }
    }

    fn switches(&self) -> Vec<proto::Switch> {
        let off = self.switched.lock().unwrap().clone();
        let switch = |name: &str| proto::Switch {
            name: name.to_owned(),
            on: (name != "read_only") != off.contains(name),
            ..proto::Switch::default()
        };
        let names = ["api", "economy", "api_writes", "submissions", "read_only"];
        names.map(switch).to_vec()
    }

    fn account(&self, id: &str) -> Result<proto::Account, Status> {
        let accounts = self.accounts.lock().unwrap();
        let account = accounts.get(id).cloned();
        account.ok_or_else(|| Fault::not_found("There is no such account.").into())
    }

    /// Changes a key of an account.
    fn key(
        &self,
        account: &str,
        id: &str,
        change: impl FnOnce(&mut proto::Key),
    ) -> Result<proto::Key, Status> {
        let mut keys = self.keys.lock().unwrap();
        let key = keys.iter_mut();
        let key = key.filter(|key| key.account_id == account).find(|key| key.id == id);
        let key = key.ok_or_else(|| Status::from(Fault::not_found("There is no such key.")))?;
        change(key);
        Ok(key.clone())
    }
}

/// Checks the name of an account as the gateway does.
fn check_name(name: &str) -> Result<(), Status> {
    if name.len() > 80 || name.contains(char::is_control) {
        return Err(Fault::invalid_field("name", "Shorten it.").into());
    }
    Ok(())
}

type Answer<T> = Result<Response<T>, Status>;

/// The response of a method that no test uses.
fn empty<T: Default>() -> Response<T> {
    Response::new(T::default())
}

#[tonic::async_trait]
impl AccountsService for StubGateway {
    async fn create_account(
        &self,
        request: Request<proto::AccountsServiceCreateAccountRequest>,
    ) -> Answer<proto::CreateAccountResponse> {
        self.check()?;
        let request = request.into_inner();
        check_name(&request.name)?;
        let account = proto::Account {
            id: request.account_id.clone(),
            name: request.name,
            plan: "free".to_owned(),
            created_at: None,
        };
        let mut accounts = self.accounts.lock().unwrap();
        let stored = accounts.entry(request.account_id).or_insert(account);
        Ok(Response::new(proto::CreateAccountResponse { account: Some(stored.clone()) }))
    }

    async fn get_account(
        &self,
        request: Request<proto::AccountsServiceGetAccountRequest>,
    ) -> Answer<proto::AccountsServiceGetAccountResponse> {
        self.accounts_read.fetch_add(1, Ordering::Relaxed);
        self.check()?;
        let account = self.account(&request.into_inner().account_id)?;
        Ok(Response::new(proto::AccountsServiceGetAccountResponse {
            account: Some(account),
            plan: self.plan.lock().unwrap().clone(),
            month: Some(proto::MonthUse {
                starts_at: Some(timestamp::encode(datetime!(2026-11-01 00:00 UTC))),
                resets_at: Some(timestamp::encode(datetime!(2026-12-01 00:00 UTC))),
                used: 1_204,
                limit: Some(50_000),
            }),
            switches: self.switches(),
        }))
    }

    async fn list_account_names(
        &self,
        request: Request<proto::ListAccountNamesRequest>,
    ) -> Answer<proto::ListAccountNamesResponse> {
        self.names_read.fetch_add(1, Ordering::Relaxed);
        self.check()?;
        let ids = request.into_inner().account_ids;
        if ids.len() > 200 {
            return Err(Fault::invalid_field("account_ids", "Too many.").into());
        }
        let accounts = self.accounts.lock().unwrap();
        let accounts = accounts.values().filter(|account| ids.contains(&account.id));
        let accounts = accounts.map(|account| proto::AccountName {
            account_id: account.id.clone(),
            name: account.name.clone(),
        });
        Ok(Response::new(proto::ListAccountNamesResponse { accounts: accounts.collect() }))
    }

    async fn change_account(
        &self,
        request: Request<proto::AccountsServiceChangeAccountRequest>,
    ) -> Answer<proto::AccountsServiceChangeAccountResponse> {
        self.check()?;
        let request = request.into_inner();
        let mut accounts = self.accounts.lock().unwrap();
        let account = accounts.get_mut(&request.account_id);
        let account = account.ok_or_else(|| Status::from(Fault::not_found("No account.")))?;
        check_name(&request.name)?;
        account.name = request.name;
        Ok(Response::new(proto::AccountsServiceChangeAccountResponse::default()))
    }

    async fn list_plans(
        &self,
        _: Request<proto::AccountsServiceListPlansRequest>,
    ) -> Answer<proto::ListPlansResponse> {
        self.check()?;
        let plan = |name: &str, title: &str, calls_per_month| proto::Plan {
            name: name.to_owned(),
            title: title.to_owned(),
            calls_per_minute: Some(60),
            calls_per_month,
            coming: name == "build",
            ..proto::Plan::default()
        };
        Ok(Response::new(proto::ListPlansResponse {
            plans: vec![
                plan("free", "Free", Some(50_000)),
                plan("build", "Build", Some(1_000_000)),
                plan("partner", "Partner", None),
            ],
        }))
    }

    async fn list_switches(
        &self,
        _: Request<proto::AccountsServiceListSwitchesRequest>,
    ) -> Answer<proto::ListSwitchesResponse> {
        self.check()?;
        let switches = self.switches();
        Ok(Response::new(proto::ListSwitchesResponse { switches }))
    }

    async fn list_keys(
        &self,
        request: Request<proto::AccountsServiceListKeysRequest>,
    ) -> Answer<proto::ListKeysResponse> {
        self.check()?;
        let account = request.into_inner().account_id;
        let keys = self.keys.lock().unwrap();
        let keys = keys.iter().filter(|key| key.account_id == account);
        Ok(Response::new(proto::ListKeysResponse { keys: keys.cloned().collect() }))
    }

    async fn create_key(
        &self,
        request: Request<proto::AccountsServiceCreateKeyRequest>,
    ) -> Answer<proto::CreateKeyResponse> {
        self.check()?;
        let request = request.into_inner();
        if request.name.is_empty() {
            return Err(Fault::invalid_field("name", "Write a name.").into());
        }
        let id = ids::row_id().to_string();
        let key = proto::Key {
            id: id.clone(),
            account_id: request.account_id,
            name: request.name,
            mode: Mode::Test.into(),
            kind: proto::KeyKind::Account.into(),
            may_write: request.may_write,
            created_at: Some(self.after(Duration::ZERO)),
            seen_by: request.actor.unwrap().person_id,
            ..proto::Key::default()
        };
        if let Some(before) = self.made_before(&request.form_id, &key) {
            return Ok(Response::new(proto::CreateKeyResponse {
                key: Some(before),
                secret: String::new(),
            }));
        }
        self.keys.lock().unwrap().push(key.clone());
        drop(self.new_keys_wait.lock().await);
        if self.loses_new_keys.load(Ordering::Relaxed) {
            let lost = std::io::Error::other("the answer is lost");
            return Err(Fault::internal(&lost).into());
        }
        Ok(Response::new(proto::CreateKeyResponse {
            key: Some(key),
            secret: format!("svc_test_{id}"),
        }))
    }

    async fn request_key(
        &self,
        request: Request<proto::AccountsServiceRequestKeyRequest>,
    ) -> Answer<proto::RequestKeyResponse> {
        self.check()?;
        let request = request.into_inner();
        let mut forms = self.requested_by_form.lock().unwrap();
        let made = forms.entry(request.form_id).or_insert_with(|| {
            self.add_request(&request.account_id, &request.name, KeyRequestState::Asked)
        });
        let request = Some(made.clone());
        Ok(Response::new(proto::RequestKeyResponse { request }))
    }

    async fn list_key_requests(
        &self,
        request: Request<proto::AccountsServiceListKeyRequestsRequest>,
    ) -> Answer<proto::AccountsServiceListKeyRequestsResponse> {
        self.check()?;
        let account = request.into_inner().account_id;
        let mut requests = self.requests.lock().unwrap().clone();
        requests.retain(|it| it.account_id == account);
        requests.reverse();
        Ok(Response::new(proto::AccountsServiceListKeyRequestsResponse { requests }))
    }

    async fn reveal_key(
        &self,
        request: Request<proto::AccountsServiceRevealKeyRequest>,
    ) -> Answer<proto::RevealKeyResponse> {
        self.check()?;
        let request = request.into_inner();
        let mut requests = self.requests.lock().unwrap();
        let mut own = requests.iter_mut().filter(|it| it.account_id == request.account_id);
        let asked = own
            .find(|it| it.id == request.id)
            .ok_or_else(|| Fault::not_found("There is no such request."))?;
        if asked.state() != KeyRequestState::Approved {
            return Err(Fault::invalid_field("id", "The request is not approved.").into());
        }
        asked.set_state(KeyRequestState::Revealed);
        let key = proto::Key {
            id: request.id,
            account_id: request.account_id,
            name: asked.name.clone(),
            mode: Mode::Live.into(),
            last4: "abcd".to_owned(),
            created_at: Some(self.after(Duration::ZERO)),
            seen_by: request.actor.unwrap().person_id,
            ..proto::Key::default()
        };
        self.keys.lock().unwrap().push(key.clone());
        Ok(Response::new(proto::RevealKeyResponse {
            secret: format!("svc_live_{}", key.id),
            key: Some(key),
        }))
    }

    async fn withdraw_key_request(
        &self,
        request: Request<proto::WithdrawKeyRequestRequest>,
    ) -> Answer<proto::WithdrawKeyRequestResponse> {
        self.check()?;
        let request = request.into_inner();
        let mut requests = self.requests.lock().unwrap();
        let mut own = requests.iter_mut().filter(|it| it.account_id == request.account_id);
        let asked = own
            .find(|it| it.id == request.id)
            .ok_or_else(|| Fault::not_found("There is no such request."))?;
        if asked.state() == KeyRequestState::Revealed {
            return Err(Fault::invalid_field("id", "The key already works.").into());
        }
        self.end(asked, &request.account_id, "");
        Ok(Response::new(proto::WithdrawKeyRequestResponse { request: Some(asked.clone()) }))
    }

    async fn close_account(
        &self,
        request: Request<proto::CloseAccountRequest>,
    ) -> Answer<proto::CloseAccountResponse> {
        self.check()?;
        let account = request.into_inner().account_id;
        self.closed.lock().unwrap().push(account.clone());
        for asked in self.requests.lock().unwrap().iter_mut() {
            if asked.account_id == account {
                self.end(asked, &account, "The account was closed.");
            }
        }
        for key in self.keys.lock().unwrap().iter_mut() {
            if key.account_id == account {
                key.revoked_at = Some(self.after(Duration::ZERO));
            }
        }
        drop(self.new_keys_wait.lock().await);
        Ok(empty())
    }

    async fn rotate_key(
        &self,
        request: Request<proto::AccountsServiceRotateKeyRequest>,
    ) -> Answer<proto::RotateKeyResponse> {
        self.check()?;
        let request = request.into_inner();
        let old = self.key(&request.account_id, &request.id, |_| {})?;
        let new = proto::Key {
            id: ids::row_id().to_string(),
            created_at: Some(self.after(Duration::ZERO)),
            seen_by: request.actor.unwrap().person_id,
            last_used_at: None,
            ..old.clone()
        };
        if let Some(before) = self.made_before(&request.form_id, &new) {
            return Ok(Response::new(proto::RotateKeyResponse {
                secret: String::new(),
                key: Some(before),
                old_key: Some(old),
            }));
        }
        if old.revoked_at.is_some() || old.grace_until.is_some() {
            return Err(Fault::invalid_field("id", "The key was rotated or revoked.").into());
        }
        let (now, grace) = (self.after(Duration::ZERO), self.after(Duration::DAY));
        let old = self.key(&request.account_id, &request.id, |key| {
            if request.revoke_old {
                key.revoked_at = Some(now);
            } else {
                key.grace_until = Some(grace);
            }
        })?;
        self.revoked_old.store(request.revoke_old, Ordering::Relaxed);
        self.keys.lock().unwrap().push(new.clone());
        Ok(Response::new(proto::RotateKeyResponse {
            secret: format!("svc_test_new_{}", new.id),
            key: Some(new),
            old_key: Some(old),
        }))
    }

    async fn revoke_key(
        &self,
        request: Request<proto::AccountsServiceRevokeKeyRequest>,
    ) -> Answer<proto::RevokeKeyResponse> {
        self.check()?;
        let request = request.into_inner();
        let now = Some(self.after(Duration::ZERO));
        let revoke = |key: &mut proto::Key| key.revoked_at = key.revoked_at.or(now);
        let key = self.key(&request.account_id, &request.id, revoke)?;
        Ok(Response::new(proto::RevokeKeyResponse { key: Some(key) }))
    }

    async fn list_use(
        &self,
        request: Request<proto::AccountsServiceListUseRequest>,
    ) -> Answer<proto::AccountsServiceListUseResponse> {
        self.check()?;
        self.account(&request.into_inner().account_id)?;
        Ok(Response::new(self.day_use.lock().unwrap().clone()))
    }

    async fn list_calls(
        &self,
        request: Request<proto::AccountsServiceListCallsRequest>,
    ) -> Answer<proto::AccountsServiceListCallsResponse> {
        self.calls_read.fetch_add(1, Ordering::Relaxed);
        self.check()?;
        let request = request.into_inner();
        self.account(&request.account_id)?;
        if request.key_id == "odd" {
            return Err(Fault::invalid_field("key_id", "This is no id.").into());
        }
        let mut found = self.calls.lock().unwrap().clone();
        found.calls.retain(|call| {
            (request.key_id.is_empty() || call.key_id == request.key_id)
                && (!request.only_errors || call.status >= 400)
        });
        // The second page is the last.
        if !request.cursor.is_empty() {
            found.next_cursor = None;
        }
        Ok(Response::new(found))
    }

    async fn list_month_use(
        &self,
        request: Request<proto::AccountsServiceListMonthUseRequest>,
    ) -> Answer<proto::AccountsServiceListMonthUseResponse> {
        self.check()?;
        // Each page has one account.
        let place: usize = request.into_inner().cursor.parse().unwrap_or_default();
        let accounts = self.month_use.lock().unwrap();
        let has_more = place + 1 < accounts.len();
        Ok(Response::new(proto::AccountsServiceListMonthUseResponse {
            accounts: accounts.get(place).cloned().into_iter().collect(),
            next_cursor: has_more.then(|| (place + 1).to_string()),
        }))
    }
}
