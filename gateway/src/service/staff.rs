//! Accounts, plans and keys, by staff: gateway.v1.StaffService.

use std::sync::Arc;

use contracts::gateway::v1 as proto;
use contracts::gateway::v1::staff_service_server::StaffService;
use kit::cursor::Binding;
use kit::feed::Writer;
use kit::{Clock, Fault, ids, pg};
use sqlx::PgPool;
use tonic::{Request, Response, Status};
use uuid::Uuid;

use crate::domain::account::{Account, Named, Problems, Wanted};
use crate::domain::key::{Kind, Mode};
use crate::domain::plan::Plans;
use crate::domain::secret::{Format, Secret};
use crate::message;
use crate::quota::Quota;
use crate::store::write::{Done, Fresh, Item, Writes};
use crate::store::{accounts, keys};

/// Accounts on a page when nobody says how many, and at most.
const PAGE: (u32, u32) = (100, 500);

/// What staff calls work on.
pub struct Staff {
    /// Reads.
    pub pool: PgPool,
    /// Changes.
    pub writer: Writer<Writes>,
    /// The plans.
    pub plans: Arc<Plans>,
    /// How keys are written.
    pub format: Format,
    /// For tombstones.
    pub quota: Arc<Quota>,
    /// The time.
    pub clock: Clock,
}

#[tonic::async_trait]
impl StaffService for Staff {
    async fn create_account(
        &self,
        request: Request<proto::CreateAccountRequest>,
    ) -> Result<Response<proto::CreateAccountResponse>, Status> {
        let request = request.into_inner();
        let mut problems = Problems::default();
        let plan = match request.plan.as_str() {
            "" => "free",
            plan => plan,
        };
        let account = Account {
            id: ids::row_id(),
            name: problems.name("name", &request.name),
            email: problems.email("email", &request.email),
            plan: problems.plan("plan", plan, &self.plans),
            created_at: self.clock.now(),
            revision: 1,
        };
        problems.finish()?;
        let account = self.account(Item::CreateAccount(account)).await?;
        Ok(Response::new(proto::CreateAccountResponse {
            account: Some(account),
        }))
    }

    async fn list_accounts(
        &self,
        request: Request<proto::ListAccountsRequest>,
    ) -> Result<Response<proto::ListAccountsResponse>, Status> {
        let request = request.into_inner();
        let (usual, most) = PAGE;
        let mut problems = Problems::default();
        let limit = match request.limit {
            0 => usual,
            limit => limit,
        };
        if limit > most {
            problems.add("limit", format!("is 1 to {most}"));
        }
        let binding = Binding::new("accounts", []);
        let after = match request.cursor.as_str() {
            "" => None,
            cursor => binding.decode::<Uuid>(cursor).or_else(|| {
                problems.add("cursor", "is none that this list gave out");
                None
            }),
        };
        problems.finish()?;
        // One more than asked for tells whether there is a further page.
        let mut page = accounts::page(&self.pool, after, i64::from(limit) + 1)
            .await
            .map_err(|error| pg::fault(&error))?;
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        let more = page.len() > limit;
        page.truncate(limit);
        let next_cursor = match page.last().filter(|_| more) {
            Some(last) => {
                let cursor = binding.encode(&last.id);
                Some(cursor.map_err(|error| Fault::internal(&error))?)
            }
            None => None,
        };
        Ok(Response::new(proto::ListAccountsResponse {
            accounts: page.iter().map(Into::into).collect(),
            next_cursor,
        }))
    }

    async fn get_account(
        &self,
        request: Request<proto::GetAccountRequest>,
    ) -> Result<Response<proto::GetAccountResponse>, Status> {
        let account = self.find(&request.into_inner().account).await?;
        Ok(Response::new(proto::GetAccountResponse {
            account: Some((&account).into()),
        }))
    }

    async fn set_account_plan(
        &self,
        request: Request<proto::SetAccountPlanRequest>,
    ) -> Result<Response<proto::SetAccountPlanResponse>, Status> {
        let request = request.into_inner();
        let mut problems = Problems::default();
        let named = problems.account("account", &request.account);
        let plan = problems.plan("plan", &request.plan, &self.plans);
        problems.finish()?;
        let account = self.account(Item::SetPlan(named, plan)).await?;
        Ok(Response::new(proto::SetAccountPlanResponse {
            account: Some(account),
        }))
    }

    async fn list_plans(
        &self,
        _: Request<proto::ListPlansRequest>,
    ) -> Result<Response<proto::ListPlansResponse>, Status> {
        let plans = self.plans.iter().map(Into::into).collect();
        Ok(Response::new(proto::ListPlansResponse { plans }))
    }

    async fn create_key(
        &self,
        request: Request<proto::CreateKeyRequest>,
    ) -> Result<Response<proto::CreateKeyResponse>, Status> {
        let (named, wanted) = self.wanted(request.into_inner())?;
        let (secret, fresh) = self.fresh(wanted.mode, wanted.kind);
        match self.write(Item::CreateKey(named, wanted, fresh)).await? {
            Done::Key(key) => Ok(Response::new(proto::CreateKeyResponse {
                key: Some((&key).into()),
                secret: secret.expose().to_owned(),
            })),
            other => Err(unexpected(&other)),
        }
    }

    async fn list_keys(
        &self,
        request: Request<proto::ListKeysRequest>,
    ) -> Result<Response<proto::ListKeysResponse>, Status> {
        let account = self.find(&request.into_inner().account).await?;
        let keys = keys::of_account(&self.pool, account.id)
            .await
            .map_err(|error| pg::fault(&error))?;
        Ok(Response::new(proto::ListKeysResponse {
            keys: keys.iter().map(Into::into).collect(),
        }))
    }

    async fn rotate_key(
        &self,
        request: Request<proto::RotateKeyRequest>,
    ) -> Result<Response<proto::RotateKeyResponse>, Status> {
        let id = id(&request.into_inner().id)?;
        let old = keys::find(&self.pool, id)
            .await
            .map_err(|error| pg::fault(&error))?
            .ok_or_else(|| Fault::not_found("there is no such key"))?;
        let (secret, fresh) = self.fresh(old.mode, old.kind);
        match self.write(Item::RotateKey(id, fresh)).await? {
            Done::Rotated(new, old) => Ok(Response::new(proto::RotateKeyResponse {
                key: Some((&new).into()),
                secret: secret.expose().to_owned(),
                old_key: Some((&old).into()),
            })),
            other => Err(unexpected(&other)),
        }
    }

    async fn revoke_key(
        &self,
        request: Request<proto::RevokeKeyRequest>,
    ) -> Result<Response<proto::RevokeKeyResponse>, Status> {
        let id = id(&request.into_inner().id)?;
        match self.write(Item::RevokeKey(id)).await? {
            Done::Key(key) => {
                // The next call at any gateway meets the tombstone; without one they learn of it within a second, by the feed.
                if !self.quota.bury(key.account, key.id).await {
                    tracing::warn!(key.id = %key.id, "a revoked key has no tombstone: Redis is away");
                }
                Ok(Response::new(proto::RevokeKeyResponse {
                    key: Some((&key).into()),
                }))
            }
            other => Err(unexpected(&other)),
        }
    }
}

impl Staff {
    async fn write(&self, item: Item) -> Result<Done, Fault> {
        let (done, _) = self.writer.write(item).await?;
        Ok(done)
    }

    /// Makes a change that leaves an account behind.
    async fn account(&self, item: Item) -> Result<proto::Account, Status> {
        match self.write(item).await? {
            Done::Account(account) => Ok((&account).into()),
            other => Err(unexpected(&other)),
        }
    }

    async fn find(&self, text: &str) -> Result<Account, Fault> {
        let mut problems = Problems::default();
        let named = problems.account("account", text);
        problems.finish()?;
        accounts::find(&self.pool, &named)
            .await
            .map_err(|error| pg::fault(&error))?
            .ok_or_else(|| Fault::not_found("there is no such account"))
    }

    fn wanted(&self, request: proto::CreateKeyRequest) -> Result<(Named, Wanted), Fault> {
        let mut problems = Problems::default();
        let named = problems.account("account", &request.account);
        let wanted = Wanted {
            name: problems.name("name", &request.name),
            mode: problems.mode("mode", &request.mode),
            kind: problems.kind("kind", &request.kind),
            may_write: request.may_write,
            game: request.game.filter(|slug| !slug.is_empty()),
            expires_at: request.expires_at.and_then(|at| {
                message::time(at).or_else(|| {
                    problems.add("expires_at", "is not a time");
                    None
                })
            }),
        };
        problems.key(&wanted, self.clock.now());
        problems.finish()?;
        Ok((named, wanted))
    }

    fn fresh(&self, mode: Mode, kind: Kind) -> (Secret, Fresh) {
        let public = kind == Kind::Public;
        let secret = self.format.make(mode, public, &mut rand::rng());
        let fresh = Fresh {
            id: ids::row_id(),
            hash: secret.hash(),
            last4: secret.last4().to_owned(),
        };
        (secret, fresh)
    }
}

fn id(text: &str) -> Result<Uuid, Fault> {
    let mut problems = Problems::default();
    let id = problems.id("id", text);
    problems.finish()?;
    Ok(id)
}

/// The writer answers each kind of item in one way.
fn unexpected(done: &Done) -> Status {
    tracing::error!(?done, "the writer has answered something else");
    crate::envelope::internal().into()
}
