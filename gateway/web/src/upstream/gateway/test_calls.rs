//! The gateway's test calls: requests of the API that people make without a key.

use contracts::gateway::v1 as proto;
use contracts::gateway::v1::test_call_service_client::TestCallServiceClient;
use kit::Fault;
use uuid::Uuid;

use super::{Actor, Gateway};

/// A request of the API.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TestCall {
    pub method: String,
    /// Path and query, with the version.
    pub target: String,
    /// With their names in lower case.
    pub headers: Vec<(String, String)>,
    pub body: String,
}

impl Gateway {
    /// Makes a call for an account. If the API refuses the call, that is an answer too.
    pub async fn run_test_call(
        &self,
        actor: &Actor,
        account: Uuid,
        call: TestCall,
    ) -> Result<proto::RunTestCallResponse, Fault> {
        let headers = call.headers.into_iter();
        let headers = headers.map(|(name, value)| proto::HttpHeader { name, value });
        let request = self.calls.write(proto::RunTestCallRequest {
            actor: Some(actor.into()),
            account_id: account.to_string(),
            method: call.method,
            target: call.target,
            headers: headers.collect(),
            body: call.body.into_bytes().into(),
        });
        let mut client = TestCallServiceClient::new(self.calls.client.clone());
        Ok(client.run_test_call(request).await?.into_inner())
    }
}
