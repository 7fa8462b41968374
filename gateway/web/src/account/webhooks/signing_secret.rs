//! A signing secret that is shown once.

use contracts::webhook::v1 as proto;
use pages::site::Texts;
use pages::webhooks::endpoints::SigningSecretPage;
use pages::when;
use serde::{Deserialize, Serialize};

use super::service_text;
use crate::account::member_request::MemberRequest;
use crate::session::once;
use crate::upstream::time_of;
use crate::viewer::Section;

/// A secret to show, as it is stored for a form that is sent twice.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct ShownSecret {
    id: String,
    url: String,
    secret: String,
    address_check: String,
    /// During a rotation: when the old secret ends.
    old_until: Option<String>,
}

impl ShownSecret {
    pub(super) fn new(texts: &Texts, endpoint: proto::Endpoint, secret: String) -> Self {
        let rotating_until = time_of(endpoint.rotating_until);
        Self {
            id: endpoint.id,
            url: endpoint.url,
            secret,
            // The page has shown this when the address was added, so a rotation leaves it out.
            address_check: match rotating_until {
                Some(_) => String::new(),
                None => endpoint.address_check,
            },
            old_until: rotating_until.map(|at| when::minute(texts, at)),
        }
    }

    /// The page that shows the secret.
    pub(super) async fn page(self, request: &MemberRequest) -> SigningSecretPage {
        let language = request.language();
        let heading = language.say(match self.old_until {
            Some(_) => "webhook-secret-new-title",
            None => "webhook-secret-title",
        });
        SigningSecretPage {
            shell: request.shell(Section::Webhooks).await,
            base: request.webhooks(),
            id: self.id,
            url: self.url,
            heading,
            secret: self.secret,
            old_until: self.old_until,
            address_check: service_text::address_check(&self.address_check, language),
            form: once::new_id(),
        }
    }
}
