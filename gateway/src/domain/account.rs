use kit::Fault;
use time::OffsetDateTime;
use uuid::Uuid;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Account {
    pub id: Uuid,
    /// The name of the studio or person.
    pub name: String,
    /// The name of the plan.
    pub plan: String,
    pub created_at: OffsetDateTime,
    /// Incremented by every change.
    pub revision: i64,
}

impl Account {
    /// The account with another name; `None` if it already has it.
    pub fn renamed(&self, name: &str) -> Option<Self> {
        (name != self.name).then(|| Self {
            name: name.to_owned(),
            revision: self.revision + 1,
            ..self.clone()
        })
    }

    /// The account on another plan; `None` if it already is on that plan.
    pub fn on_plan(&self, plan: &str) -> Option<Self> {
        (plan != self.plan).then(|| Self {
            plan: plan.to_owned(),
            revision: self.revision + 1,
            ..self.clone()
        })
    }
}

/// The error if there is no such account.
pub fn unknown(id: Uuid) -> Fault {
    Fault::not_found(format!("There is no account {id}."))
}

#[cfg(test)]
mod tests {
    use time::macros::datetime;

    use super::*;

    #[test]
    fn only_a_new_name_or_plan_is_a_new_revision() {
        let account = Account {
            id: Uuid::from_u128(1),
            name: "Savanna".to_owned(),
            plan: "free".to_owned(),
            created_at: datetime!(2026-03-01 08:00 UTC),
            revision: 3,
        };
        let moved = account.on_plan("build").unwrap();
        assert_eq!((moved.plan.as_str(), moved.revision), ("build", 4));
        assert_eq!(account.on_plan("free"), None);

        let renamed = account.renamed("Karoo").unwrap();
        assert_eq!((renamed.name.as_str(), renamed.revision), ("Karoo", 4));
        assert_eq!(account.renamed("Savanna"), None);
    }
}
