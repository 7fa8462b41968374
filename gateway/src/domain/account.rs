//! Accounts.

use kit::Fault;
use time::OffsetDateTime;
use uuid::Uuid;

/// An account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Account {
    /// Its id.
    pub id: Uuid,
    /// Name of the studio or person.
    pub name: String,
    /// Its address; no two accounts have the same, whatever the case.
    pub email: String,
    /// Name of its plan.
    pub plan: String,
    /// When it was made.
    pub created_at: OffsetDateTime,
    /// Counts its changes.
    pub revision: i64,
}

/// An account as staff name it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Named {
    /// By its id.
    Id(Uuid),
    /// By its e-mail address.
    Email(String),
}

impl Account {
    /// The account on another plan; `None` when it is on that plan already.
    pub fn on_plan(&self, plan: &str) -> Option<Self> {
        (plan != self.plan).then(|| Self {
            plan: plan.to_owned(),
            revision: self.revision + 1,
            ..self.clone()
        })
    }
}

impl Named {
    /// There is no such account.
    pub fn unknown(&self) -> Fault {
        Fault::not_found(match self {
            Self::Id(id) => format!("there is no account {id}"),
            Self::Email(email) => format!("there is no account {email}"),
        })
    }
}

#[cfg(test)]
mod tests {
    use time::macros::datetime;

    use super::*;

    #[test]
    fn another_plan_is_a_new_revision() {
        let account = Account {
            id: Uuid::from_u128(1),
            name: "Savanna".to_owned(),
            email: "a@b.example".to_owned(),
            plan: "free".to_owned(),
            created_at: datetime!(2026-03-01 08:00 UTC),
            revision: 3,
        };
        let moved = account.on_plan("build").unwrap();
        assert_eq!((moved.plan.as_str(), moved.revision), ("build", 4));
        assert_eq!(account.on_plan("free"), None);
    }
}
