//! `staff game edit`: changes to a listing from the command line, a file, standard input or an editor.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::Command;

use clap::Args;
use contracts::listings::v1 as proto;
use contracts::listings::v1::staff_review_service_client::StaffReviewServiceClient;
use kit::rpc::client::Client;
use serde_json::{Map, Value};
use tempfile::NamedTempFile;

use super::name::{ListingKind, ListingMode};
use crate::account;
use crate::arguments::revision_number;
use crate::command_hint;
use crate::error::Error;
use crate::fleet::Fleet;
use crate::output::{self, Output};
use crate::prompt;
use crate::rpc::answer;
use crate::rpc::dynamic;

/// The field of an event that gives it to another account.
const ACCOUNT: &str = "account";

#[derive(Debug, Args)]
pub(crate) struct Edit {
    /// The slug, or the handle of a page
    slug: String,
    /// The fields that change, as a JSON object with the fields of an import; null clears a field
    #[arg(long, value_name = "JSON", conflicts_with = "file")]
    changes: Option<String>,
    /// A file with these changes; `-` reads them from standard input
    #[arg(long, short, value_name = "FILE")]
    file: Option<PathBuf>,
    /// The revision that you looked at: the edit is refused when the listing is at another
    #[arg(long, value_name = "N", value_parser = revision_number)]
    revision: Option<i64>,
    /// A note for the record; up to 500 characters
    #[arg(long, default_value = "", hide_default_value = true)]
    reason: String,
    #[arg(long, env = "VISUAL", hide = true)]
    visual: Option<String>,
    #[arg(long, env = "EDITOR", hide = true)]
    editor: Option<String>,
}

type Service = StaffReviewServiceClient<Client>;

pub(crate) async fn run(
    kind: ListingKind,
    edit: Edit,
    fleet: &Fleet,
    output: Output,
) -> Result<(), Error> {
    let name = kind.named(ListingMode::Live, edit.slug.clone());
    let mut service = Service::new(fleet.listings().await?);
    let request = |changes, revision| proto::EditRequest {
        name: Some(name.clone()),
        changes,
        reason: edit.reason.clone(),
        revision,
    };
    let changes = match (&edit.changes, &edit.file) {
        (Some(changes), _) => changes.clone(),
        (None, Some(path)) => read(path).await?,
        (None, None) => {
            let Some((changes, revision)) = edit.in_editor(&mut service, &name).await? else {
                output::note("nothing was changed: the editor left every field as it was");
                return Ok(());
            };
            let sent = async {
                let fields = with_account_id(kind, changes.to_string(), fleet).await?;
                Ok(service.edit(request(fields, Some(revision))).await?)
            };
            let response = sent
                .await
                .map_err(|error: Error| error.followed_by(&save_draft(&name, &pretty(&changes))))?;
            return print(&response.into_inner(), fleet, output).await;
        }
    };
    let changes = with_account_id(kind, changes, fleet).await?;
    let response = service.edit(request(changes, edit.revision)).await?;
    print(&response.into_inner(), fleet, output).await
}

/// The changes with the id of the account that gets an event, which a person names as in every command. The service knows no accounts, so
/// that the gateway looks the id up.
async fn with_account_id(
    kind: ListingKind,
    changes: String,
    fleet: &Fleet,
) -> Result<String, Error> {
    // The service refuses what is not an object, or no id.
    let fields = serde_json::from_str(&changes)
        .ok()
        .filter(|_: &Map<String, Value>| kind == ListingKind::Event);
    let Some((mut fields, account)) = fields.and_then(|fields| {
        let account = fields.get(ACCOUNT)?.as_str()?.to_owned();
        Some((fields, account))
    }) else {
        return Ok(changes);
    };
    let id = account::id(fleet, account.clone()).await?;
    if id == account {
        return Ok(changes);
    }
    fields.insert(ACCOUNT.to_owned(), id.into());
    Ok(Value::Object(fields).to_string())
}

async fn print(response: &proto::EditResponse, fleet: &Fleet, output: Output) -> Result<(), Error> {
    let response = dynamic("listings.v1.EditResponse", response)?;
    answer::print_message(response, fleet, output).await
}

/// Reads the changes from a file, or from standard input for `-`.
async fn read(path: &Path) -> Result<String, Error> {
    if path.as_os_str() == "-" {
        return prompt::read_all().await;
    }
    fs::read_to_string(path)
        .map_err(|error| Error::usage(format!("{} cannot be read: {error}", path.display())))
}

impl Edit {
    /// Opens the listing in the editor. Returns the fields that were changed there, and the revision that was opened; `None` when no
    /// field was changed.
    async fn in_editor(
        &self,
        service: &mut Service,
        name: &proto::ListingName,
    ) -> Result<Option<(Value, i64)>, Error> {
        let editor = self.command()?;
        let request = proto::GetReviewRequest { name: Some(name.clone()), revision: 0 };
        let review = service.get_review(request).await?.into_inner();
        let revision = review.item.unwrap_or_default().revision;
        if self.revision.is_some_and(|seen| seen != revision) {
            return Err(Error::Refused(format!(
                "{} is at revision {revision} now: look at it again, and leave --revision out or give that one",
                name.name
            )));
        }
        let before: Map<String, Value> = serde_json::from_str(&review.content)
            .map_err(|error| Error::Refused(format!("the listing is not JSON: {error}")))?;
        let opened = pretty(&Value::Object(before.clone()));
        let title = name.name.clone();
        // The connection is served while the editor is open.
        let edited = tokio::task::spawn_blocking(move || open(&editor, &title, &opened))
            .await
            .map_err(io::Error::other)
            .and_then(|it| it)
            .map_err(|error| {
                Error::usage(format!("nothing was changed: the editor failed: {error}"))
            })?;
        let after: Map<String, Value> = serde_json::from_str(&edited).map_err(|error| {
            let problem = Error::usage(format!("your text is not a JSON object: {error}"));
            problem.followed_by(&save_draft(name, &edited))
        })?;
        let changes = changed_fields(&before, after);
        Ok((!changes.is_empty()).then_some((Value::Object(changes), revision)))
    }

    /// The editor to run, as a shell command.
    fn command(&self) -> Result<String, Error> {
        let given = [&self.visual, &self.editor].into_iter().flatten();
        if let Some(command) = given.into_iter().find(|command| !command.trim().is_empty()) {
            return Ok(command.clone());
        }
        if prompt::is_terminal() {
            return Ok("vi".to_owned());
        }
        Err(Error::usage(
            "there is no editor and no terminal: give the changes with --changes or --file (`-` is standard input), or set EDITOR",
        ))
    }
}

/// Runs the editor on `text` and returns the text that it saved.
fn open(editor: &str, title: &str, text: &str) -> io::Result<String> {
    let mut file = temporary_file(title)?;
    file.write_all(text.as_bytes())?;
    // As git does: the variable may hold arguments.
    let status = Command::new("sh")
        .args(["-c", &format!("{editor} \"$@\""), editor])
        .arg(file.path())
        .status()?;
    if !status.success() {
        return Err(io::Error::other(status.to_string()));
    }
    fs::read_to_string(file.path())
}

fn temporary_file(title: &str) -> io::Result<NamedTempFile> {
    tempfile::Builder::new().prefix(&format!("{title}-")).suffix(".json").tempfile()
}

/// Keeps a text that could not be sent in a file, and says where.
fn save_draft(name: &proto::ListingName, text: &str) -> String {
    let kept = temporary_file(&name.name).and_then(|mut file| {
        file.write_all(text.as_bytes())?;
        file.keep().map_err(io::Error::other)
    });
    match kept {
        Ok((_, path)) => {
            let path = path.display();
            let (kind, slug) = (&name.kind, &name.name);
            let edit = command_hint::staff(&format!("{kind} edit {slug} --file {path}"));
            format!("your changes are kept in {path}: correct them and send them with {edit}")
        }
        Err(error) => format!("your changes could not be kept: {error}. They were: {text}"),
    }
}

/// The fields of `after` that differ from `before`; a field that was removed is null.
fn changed_fields(before: &Map<String, Value>, after: Map<String, Value>) -> Map<String, Value> {
    let removed = before
        .iter()
        .filter(|(field, value)| !value.is_null() && !after.contains_key(*field))
        .map(|(field, _)| (field.clone(), Value::Null));
    let mut changes: Map<String, Value> = removed.collect();
    let changed = after
        .into_iter()
        .filter(|(field, value)| before.get(field).unwrap_or(&Value::Null) != value);
    changes.extend(changed);
    changes
}

fn pretty(value: &Value) -> String {
    // A value of serde_json is always JSON.
    serde_json::to_string_pretty(value).unwrap_or_default() + "\n"
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_fields_that_differ_are_sent() {
        let object = |value: Value| value.as_object().cloned().unwrap();
        let before = object(
            json!({"title": "A", "tagline": "x", "links": {"play": "p"}, "trailer_url": null}),
        );
        let after = object(json!({"title": "B", "links": {"play": "p"}}));
        assert_eq!(
            Value::Object(changed_fields(&before, after)),
            json!({"title": "B", "tagline": null})
        );
        assert!(changed_fields(&before, before.clone()).is_empty());
    }
}
