//! The contact address of an account is that of a member: it follows who leaves and who has another one.

use sqlx::PgPool;
use uuid::Uuid;
use web::domain::role::Role;

use crate::support::{ADA, BOB, PASSWORD, Site};

struct Team {
    site: Site,
    ada: Uuid,
    /// With ADA's address, which is owned by BOB too.
    account: Uuid,
    /// With BOB's address, which is owned by ADA too.
    other: Uuid,
}

impl Team {
    async fn new(pool: PgPool) -> Self {
        let site = Site::new(pool).await;
        let (ada, bob) = (site.person(ADA).await, site.person(BOB).await);
        let mut accounts = Vec::new();
        for (address, founder, second) in [(ADA, ada, bob), (BOB, bob, ada)] {
            let account = site.account(founder, Role::Owner).await;
            {
                let mut all = site.gateway.accounts.lock().unwrap();
                let stored = all.get_mut(&account.to_string()).unwrap();
                address.clone_into(&mut stored.email);
            }
            site.join(account, second, Role::Owner).await;
            accounts.push(account);
        }
        Self {
            site,
            ada,
            account: accounts[0],
            other: accounts[1],
        }
    }

    fn addresses(&self) -> (String, String) {
        let all = self.site.gateway.accounts.lock().unwrap();
        let address = |account: Uuid| all[&account.to_string()].email.clone();
        (address(self.account), address(self.other))
    }

    #[track_caller]
    fn assert(&self, account: &str, other: &str) {
        let (one, two) = self.addresses();
        assert_eq!((one.as_str(), two.as_str()), (account, other));
    }
}

#[testing::database_test(web::MIGRATOR)]
async fn the_address_of_who_leaves_is_replaced(pool: PgPool) {
    let team = Team::new(pool).await;
    let mut browser = team.site.signed_in(ADA).await;
    for account in [team.account, team.other] {
        let leave = format!("/accounts/{account}/team/leave");
        browser.post(&leave, &[]).await.location();
    }
    team.assert(BOB, BOB);
}

#[testing::database_test(web::MIGRATOR)]
async fn the_address_of_who_is_removed_is_replaced(pool: PgPool) {
    let team = Team::new(pool).await;
    let mut browser = team.site.signed_in(BOB).await;
    let (account, ada) = (team.account, team.ada);
    let role = format!("/accounts/{account}/team/{ada}/role");
    browser.post(&role, &[("role", "editor")]).await.location();
    team.assert(ADA, BOB);
    let remove = format!("/accounts/{account}/team/{ada}/remove");
    browser.post(&remove, &[]).await.location();
    team.assert(BOB, BOB);
}

#[testing::database_test(web::MIGRATOR)]
async fn the_address_of_who_is_deleted_is_replaced(pool: PgPool) {
    let team = Team::new(pool).await;
    let mut browser = team.site.signed_in(ADA).await;
    let password = [("password", PASSWORD)];
    browser.post("/you/delete", &password).await.location();
    team.assert(BOB, BOB);
}

#[testing::database_test(web::MIGRATOR)]
async fn a_new_address_of_a_person_is_that_of_the_account(pool: PgPool) {
    let team = Team::new(pool).await;
    let mut browser = team.site.signed_in(ADA).await;
    let new = "ada@home.example";
    let fields = [("email", new), ("password", PASSWORD)];
    browser.post("/you/email", &fields).await;
    let link = team.site.link(new).await;
    browser.post(&link, &[]).await.location();
    team.assert(new, BOB);
}
