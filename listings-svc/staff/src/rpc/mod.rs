//! The commands that the contracts describe, and the calls of methods by their descriptors.
//!
//! A method with the option `common.v1.staff` is a command: its arguments come from the fields of the request, its help from the comments, and
//! what it prints from the answer.

pub(crate) mod answer;
pub(crate) mod call;
pub(crate) mod command;
mod field;
mod file;
#[cfg(test)]
mod tests;

use std::fmt::Display;
use std::num::NonZeroUsize;
use std::sync::LazyLock;

use clap::ArgMatches;
use kit::Fault;
use prost_reflect::prost::Message;
use prost_reflect::{
    DescriptorError, DescriptorPool, DynamicMessage, MethodDescriptor, ServiceDescriptor, Value,
};
use tonic::{Code, Status};

use self::call::Answer;
use self::command::RpcCommand;
use crate::account;
use crate::command_hint;
use crate::error::Error;
use crate::fleet::Fleet;
use crate::output::Output;
use crate::service::Service;

/// The field that names an account by its id; a person may give the e-mail address.
const ACCOUNT: &str = "account_id";

static POOL: LazyLock<Result<DescriptorPool, DescriptorError>> =
    LazyLock::new(|| DescriptorPool::decode(contracts::DESCRIPTORS));

/// Reads the commands of the contracts.
pub(crate) fn commands() -> Result<Vec<RpcCommand>, Error> {
    command::read(pool()?).map_err(|problem| unreadable(&problem))
}

/// The command that a command line names, and its arguments.
pub(crate) fn find<'c, 'm>(
    commands: &'c [RpcCommand],
    matches: &'m ArgMatches,
) -> Option<(&'c RpcCommand, &'m ArgMatches)> {
    let (noun, inner) = matches.subcommand()?;
    let (path, matches) = match inner.subcommand() {
        Some((verb, innermost)) => (vec![noun, verb], innermost),
        None => (vec![noun], inner),
    };
    let found = commands.iter().find(|it| it.path == path)?;
    Some((found, matches))
}

impl RpcCommand {
    /// Asks if it must, calls the method, and prints the answer.
    pub(crate) async fn run(
        &self,
        matches: &ArgMatches,
        fleet: &Fleet,
        output: Output,
    ) -> Result<(), Error> {
        let mut request = self.request(matches).map_err(Error::usage)?;
        if let Some((question, confirmation)) = self.question(matches) {
            confirmation.ask(&question).await?;
        }
        let account =
            request.get_field_by_name(ACCOUNT).and_then(|it| it.as_str().map(ToOwned::to_owned));
        if let Some(account) = account.filter(|it| !it.is_empty()) {
            let id = account::id(fleet, account).await?;
            request.set_field_by_name(ACCOUNT, Value::String(id));
        }
        let client = fleet.client(service(&self.method)?).await?;
        let answer = if self.is_paged {
            let limit =
                matches.get_one::<NonZeroUsize>("limit").copied().unwrap_or(NonZeroUsize::MIN);
            call::pages(client, &self.method, request, limit).await
        } else {
            let message = call::once(client, &self.method, request).await;
            let more = None;
            message.map(|message| Answer { message, more })
        };
        let answer = answer.map_err(|status| self.error(status))?;
        answer::print(&answer, fleet, output).await
    }

    /// The error of a refused call. If an argument is wrong, it names the command that lists valid values.
    fn error(&self, status: Status) -> Error {
        let is_named = match status.code() {
            Code::NotFound => true,
            Code::InvalidArgument => {
                let fault = Fault::from(status.clone());
                fault.fields.keys().any(|field| self.names(field))
            }
            _ => false,
        };
        let error = Error::from(status);
        if !is_named || self.list.is_empty() {
            return error;
        }
        error.followed_by(&format!("{} lists them", command_hint::staff(&self.list)))
    }
}

/// The service that has a method: its package begins with the name.
fn service(method: &MethodDescriptor) -> Result<Service, Error> {
    let file = method.parent_service().parent_file();
    let name = file.package_name().split('.').next().unwrap_or_default();
    Service::named(name).ok_or_else(|| unreadable(&format!("no service has {name}")))
}

/// A method by its service and its name.
pub(crate) fn method(service: &str, name: &str) -> Result<MethodDescriptor, Error> {
    let found = pool()?.get_service_by_name(service);
    let mut methods = found.iter().flat_map(ServiceDescriptor::methods);
    let method = methods.find(|it| it.name() == name);
    method.ok_or_else(|| unreadable(&format!("no method {service}/{name}")))
}

/// A message whose type is known when this is compiled, for what prints messages by their descriptors.
pub(crate) fn dynamic(name: &str, message: &impl Message) -> Result<DynamicMessage, Error> {
    let descriptor = pool()?
        .get_message_by_name(name)
        .ok_or_else(|| unreadable(&format!("no message {name}")))?;
    let message = DynamicMessage::decode(descriptor, message.encode_to_vec().as_slice());
    message.map_err(|error| unreadable(&error))
}

fn pool() -> Result<&'static DescriptorPool, Error> {
    POOL.as_ref().map_err(unreadable)
}

fn unreadable(problem: &impl Display) -> Error {
    Error::usage(format!("the contracts in this program cannot be read: {problem}"))
}
