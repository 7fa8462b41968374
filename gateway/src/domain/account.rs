use kit::Fault;
use time::OffsetDateTime;
use uuid::Uuid;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Account {
    pub id: Uuid,
    /// The name of the studio or person.
    pub name: String,
    /// The contact address. Several accounts may have the same one.
    pub email: String,
    /// The name of the plan.
    pub plan: String,
    pub created_at: OffsetDateTime,
    /// Incremented by every change.
    pub revision: i64,
}

/// How staff refer to an account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Identifier {
    Id(Uuid),
    Email(String),
}

impl Account {
    /// The account with another name or address; `None` if it already has both.
    pub fn renamed(&self, name: Option<&str>, email: Option<&str>) -> Option<Self> {
        let name = name.unwrap_or(&self.name);
        let email = email.unwrap_or(&self.email);
        (name != self.name || email != self.email).then(|| Self {
            name: name.to_owned(),
            email: email.to_owned(),
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

impl Identifier {
    /// The only account among those that this refers to.
    ///
    /// # Errors
    /// There is none, or there are several with the address.
    pub fn only<T>(&self, accounts: Vec<T>) -> Result<T, Fault> {
        let mut accounts = accounts.into_iter();
        match (accounts.next(), accounts.next()) {
            (Some(account), None) => Ok(account),
            (None, _) => Err(self.unknown()),
            (Some(_), Some(_)) => {
                let reason = "Several accounts have this address. Give the id of one.";
                Err(Fault::invalid_field("account", reason))
            }
        }
    }

    /// The error if there is no such account.
    pub fn unknown(&self) -> Fault {
        Fault::not_found(match self {
            Self::Id(id) => format!("There is no account {id}."),
            Self::Email(email) => format!("There is no account {email}."),
        })
    }
}

#[cfg(test)]
mod tests {
    use kit::Code;
    use time::macros::datetime;

    use super::*;

    #[test]
    fn an_address_of_several_accounts_names_none() {
        let ama = Identifier::Email("ama@example.org".to_owned());
        assert_eq!(ama.only(vec![1]).unwrap(), 1);
        assert_eq!(ama.only(Vec::<u8>::new()).unwrap_err().code, Code::NotFound);
        assert_eq!(ama.only(vec![1, 2]).unwrap_err().code, Code::Invalid);
    }

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

        let renamed = account.renamed(Some("Karoo"), None).unwrap();
        assert_eq!((renamed.name.as_str(), renamed.revision), ("Karoo", 4));
        assert_eq!(renamed.email, account.email);
        let moved = account.renamed(None, Some("c@d.example")).unwrap();
        assert_eq!(moved.email, "c@d.example");
        assert_eq!(account.renamed(Some("Savanna"), Some("a@b.example")), None);
        assert_eq!(account.renamed(None, None), None);
    }
}
