//! The gateway's test calls: requests of the API that people make without a key.

use contracts::gateway::v1 as proto;
use kit::Fault;

use super::Gateway;
use crate::upstream::clients::TestCalls;

impl Gateway {
    /// Makes a call for an account. If the API refuses the call, that is an answer too.
    pub async fn run_test_call(
        &self,
        call: proto::RunTestCallRequest,
    ) -> Result<proto::RunTestCallResponse, Fault> {
        self.0.write(TestCalls::run_test_call, call).await
    }
}
