//! Makes the people of a local fleet: `deploy/up` gives each ready-made account an owner who can sign in. Images do not have this program.

use std::net::{IpAddr, Ipv4Addr};
use std::process::ExitCode;

use anyhow::Context as _;
use clap::Parser;
use kit::{Clock, ids};
use pages::Language;
use serde::Deserialize;
use sqlx::PgPool;
use uuid::Uuid;
use web::domain::email;
use web::domain::role::Role;
use web::hashing::PasswordPool;
use web::store::people::NewPerson;
use web::store::{members, people};

/// Reads people as JSON from standard input, and creates those that are missing. The others keep their passwords.
#[derive(Debug, Parser)]
struct Args {
    /// The database of web, which has migrated it
    #[arg(long, env = "WEB_DATABASE_URL", hide_env_values = true)]
    database_url: String,
}

/// The owner of an account.
#[derive(Debug, Deserialize)]
struct Owner {
    email: String,
    password: String,
    account: Uuid,
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    seed::exit_code("local-people", run(Args::parse()).await)
}

async fn run(args: Args) -> anyhow::Result<()> {
    let owners: Vec<Owner> = seed::read_input()?;
    let options = kit::pg_url::parse(&args.database_url).context("the URL of the database")?;
    // Poolers refuse this parameter.
    let pool = PgPool::connect_with(options.extra_float_digits(None)).await?;
    let passwords = PasswordPool::new(1)?;
    for owner in owners {
        create(&pool, &passwords, &owner)
            .await
            .with_context(|| format!("cannot create {}", owner.email))?;
    }
    Ok(())
}

async fn create(pool: &PgPool, passwords: &PasswordPool, owner: &Owner) -> anyhow::Result<()> {
    let here = IpAddr::from(Ipv4Addr::LOCALHOST);
    let email = email::parse(&owner.email).map_err(|problem| anyhow::anyhow!(problem))?;
    let now = Clock::system().now();
    let mut transaction = kit::pg::begin(pool).await?;
    let id = if let Some(person) = people::by_email(&mut *transaction, &email).await? {
        person.id
    } else {
        let id = ids::row_id();
        let person = NewPerson {
            id,
            email: &email,
            password_hash: &passwords.try_acquire(here.into(), true)?.hash(&owner.password).await?,
            language: Language::English,
        };
        people::insert(&mut *transaction, person).await?;
        id
    };
    members::insert(&mut *transaction, owner.account, id, Role::Owner, now).await?;
    transaction.commit().await?;
    Ok(())
}
