//! `staff review`: looking at what waits, one after the other

use std::io::{self, BufRead as _, IsTerminal as _, Write as _};
use std::num::NonZeroUsize;
use std::time::Duration;

use clap::{Args, Subcommand};
use contracts::listings::v1 as proto;
use contracts::listings::v1::staff_review_service_client::StaffReviewServiceClient;
use contracts::listings::v1::watch_response::Message;
use contracts::public::Timestamp;
use kit::rpc::client::Client;
use kit::{Code, Fault};
use serde::Serialize;
use tonic::Request;

use super::account;
use super::arguments::rows;
use super::fleet::Fleet;
use super::names::{self, Kind};
use super::output::{self, Output};
use super::plain::plain;
use super::problem::Problem;
use super::shown;
use super::table::table;

/// For how long the queue is watched in one go.
const WATCH: Duration = Duration::from_hours(24);
/// Rows asked for at once.
const PAGE: i32 = 100;

/// Look at what waits for its review, the oldest first, and decide
///
/// Each is shown with what is new in it. Then one line decides: a (approve), r (reject, and the reason on the next line), s (skip), o (show
/// all of it), q (quit).
#[derive(Debug, Args)]
pub(crate) struct Review {
    /// Only what is of this kind
    #[arg(long, global = true)]
    kind: Option<Kind>,
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// List what waits, the oldest first
    List {
        /// Rows at most
        #[arg(long, default_value = "100", value_parser = rows)]
        limit: NonZeroUsize,
    },
    /// Name what enters the queue, as it does, until Ctrl-C
    Watch,
}

type Service = StaffReviewServiceClient<Client>;

#[derive(Debug, Serialize)]
struct Item {
    kind: String,
    name: String,
    title: String,
    submitter: String,
    waiting_since: Option<Timestamp>,
    approved_before: bool,
    revision: i64,
    page: String,
    page_state: &'static str,
}

impl From<proto::QueueItem> for Item {
    fn from(item: proto::QueueItem) -> Self {
        let name = item.name.clone().unwrap_or_default();
        Self {
            page_state: names::state(item.page_state()),
            kind: name.kind,
            name: name.name,
            title: item.title,
            submitter: item.submitter,
            waiting_since: output::moment(item.waiting_since),
            approved_before: item.approved_before,
            revision: item.revision,
            page: item.page,
        }
    }
}

pub(crate) async fn run(review: Review, fleet: &Fleet, output: Output) -> Result<(), Problem> {
    let kind = review.kind.map_or("", Kind::as_str);
    if review.command.is_none() && output.is_json() {
        return Err(Problem::usage(
            "a review is a conversation: `staff review list --json` and `staff approve` are for programs",
        ));
    }
    let mut service = StaffReviewServiceClient::new(fleet.listings().await?);
    match review.command {
        None => converse(&mut service, fleet, kind, output).await,
        Some(Command::List { limit }) => list(&mut service, fleet, kind, limit.get(), output).await,
        Some(Command::Watch) => watch(&mut service, kind, output).await,
    }
}

async fn list(
    service: &mut Service,
    fleet: &Fleet,
    kind: &str,
    limit: usize,
    output: Output,
) -> Result<(), Problem> {
    let mut items: Vec<Item> = Vec::new();
    let (mut cursor, mut total) = (String::new(), None);
    loop {
        let rest = i32::try_from(limit - items.len()).unwrap_or(PAGE);
        let request = proto::ListQueueRequest {
            kind: kind.to_owned(),
            limit: rest.clamp(1, PAGE),
            cursor,
            count: total.is_none(),
        };
        let answer = service.list_queue(request).await?.into_inner();
        total = total.or(answer.total);
        items.extend(answer.items.into_iter().map(Item::from));
        cursor = answer.next_cursor;
        if cursor.is_empty() || items.len() >= limit {
            break;
        }
    }
    let document = serde_json::json!({ "items": items, "total": total });
    if !output.is_json() {
        let mut accounts = account::Names::new(fleet).await;
        for item in &mut items {
            item.submitter = accounts.of(&item.submitter).await;
        }
    }
    output.answer(&document, || listed(&items))?;
    let total = total.unwrap_or_default();
    output.say(&format!("{} of {total} that wait", items.len()));
    Ok(())
}

fn listed(items: &[Item]) -> comfy_table::Table {
    let rows = items.iter().map(|item| {
        [
            output::shown(item.waiting_since.as_ref()),
            item.kind.clone(),
            item.name.clone(),
            item.title.clone(),
            item.page.clone(),
            item.submitter.clone(),
        ]
    });
    table(
        ["waiting since", "kind", "name", "title", "under", "by"],
        rows,
    )
}

async fn watch(service: &mut Service, kind: &str, output: Output) -> Result<(), Problem> {
    let kind = kind.to_owned();
    let mut request = Request::new(proto::WatchRequest { kind });
    request.set_timeout(WATCH);
    let mut stream = service.watch(request).await?.into_inner();
    while let Some(message) = stream.message().await? {
        let Some(Message::Item(item)) = message.message else {
            continue;
        };
        let item = Item::from(item);
        let since = output::shown(item.waiting_since.as_ref());
        let line = format!("{since} {} {} {}", item.kind, item.name, item.title);
        output.line(&item, &plain(&line))?;
    }
    Err(Problem::Unreachable(
        "the service has ended the watch: begin again".to_owned(),
    ))
}

/// What came of a review.
#[derive(Debug, Default)]
struct Tally {
    approved: usize,
    rejected: usize,
    skipped: usize,
}

/// What is to be done after an item.
enum Next {
    /// The one after it.
    Item,
    /// The same again: it has changed.
    Again,
    /// No more.
    End,
}

async fn converse(
    service: &mut Service,
    fleet: &Fleet,
    kind: &str,
    output: Output,
) -> Result<(), Problem> {
    let mut accounts = account::Names::new(fleet).await;
    let mut tally = Tally::default();
    let mut cursor = String::new();
    'items: loop {
        let request = proto::ListQueueRequest {
            kind: kind.to_owned(),
            limit: 1,
            cursor,
            count: false,
        };
        let answer = service.list_queue(request).await?.into_inner();
        cursor = answer.next_cursor;
        let Some(name) = answer.items.into_iter().next().and_then(|item| item.name) else {
            output.say("nothing waits any more");
            break;
        };
        loop {
            match one(service, &mut accounts, &name, &mut tally, output).await? {
                Next::Item if cursor.is_empty() => {
                    output.say("nothing waits any more");
                    break 'items;
                }
                Next::Item => break,
                Next::Again => {}
                Next::End => break 'items,
            }
        }
    }
    let Tally {
        approved,
        rejected,
        skipped,
    } = tally;
    output.say(&format!(
        "{approved} approved, {rejected} rejected, {skipped} skipped"
    ));
    Ok(())
}

/// Shows one listing and does what the reviewer says.
async fn one(
    service: &mut Service,
    accounts: &mut account::Names,
    name: &proto::ListingName,
    tally: &mut Tally,
    output: Output,
) -> Result<Next, Problem> {
    let request = proto::GetReviewRequest {
        name: Some(name.clone()),
    };
    let mut review = service.get_review(request).await?.into_inner();
    if review.state() != proto::State::Pending {
        output.say(&format!("{} was decided on by somebody else", name.name));
        return Ok(Next::Item);
    }
    let item = proto::DecideItem {
        name: Some(name.clone()),
        revision: review.item.as_ref().map(|item| item.revision),
    };
    if let Some(item) = &mut review.item {
        item.submitter = accounts.of(&item.submitter).await;
    }
    output.text(&shown::differences(&review));
    loop {
        let item = item.clone();
        let Some(answer) = ask("a(pprove) r(eject) s(kip) o(pen) q(uit) > ").await? else {
            return Ok(Next::End);
        };
        match answer.trim() {
            "a" => {
                let approve = proto::Decision::Approve;
                let Some(note) = decide(service, approve, item, String::new(), output).await?
                else {
                    return Ok(Next::Again);
                };
                tally.approved += 1;
                let note = Some(note).filter(|note| !note.is_empty());
                let note = note.map_or_else(String::new, |note| format!("; {note}"));
                output.say(&format!("{} is public{note}", name.name));
                return Ok(Next::Item);
            }
            "r" => {
                let reason = ask("reason > ").await?.unwrap_or_default();
                if reason.trim().is_empty() {
                    output::note("nothing is rejected without a reason");
                    continue;
                }
                let reject = proto::Decision::Reject;
                if decide(service, reject, item, reason, output)
                    .await?
                    .is_none()
                {
                    return Ok(Next::Again);
                }
                tally.rejected += 1;
                output.say(&format!("rejected: {}", name.name));
                return Ok(Next::Item);
            }
            "s" => {
                tally.skipped += 1;
                return Ok(Next::Item);
            }
            "o" => output.text(&shown::whole(&review)),
            "q" => return Ok(Next::End),
            "" => {}
            other => output::note(&format!("{} is not one of a, r, s, o, q", plain(other))),
        }
    }
}

/// Decides on the listing as it was shown; a note on it. `None` when that is refused: the problem is told, with what has changed since,
/// and the listing is worth another look.
async fn decide(
    service: &mut Service,
    decision: proto::Decision,
    item: proto::DecideItem,
    reason: String,
    output: Output,
) -> Result<Option<String>, Problem> {
    let request = proto::DecideRequest {
        decision: decision.into(),
        items: vec![item],
        reason,
    };
    let answer = match service.decide(request).await {
        Ok(answer) => answer.into_inner(),
        // Such as a reason that is too long.
        Err(status) if !status.details().is_empty() => {
            return match Problem::from(Fault::from(status)) {
                Problem::Refused(sentence) => {
                    output::note(&sentence);
                    Ok(None)
                }
                problem => Err(problem),
            };
        }
        Err(status) => return Err(status.into()),
    };
    let result = answer.results.into_iter().next().unwrap_or_default();
    if result.problem.is_empty() {
        return Ok(Some(result.note));
    }
    if Code::parse(&result.code) == Some(Code::Unavailable) {
        return Err(Problem::Unreachable(result.problem));
    }
    output::note(&result.problem);
    if !result.differences.is_empty() {
        let name = result.name.unwrap_or_default();
        output.text(&shown::changes(&name, &result.differences));
    }
    Ok(None)
}

/// A line of the reviewer's; `None` at the end. The question is for terminals.
async fn ask(question: &'static str) -> Result<Option<String>, Problem> {
    // The connection is looked after while somebody thinks.
    let read = tokio::task::spawn_blocking(move || {
        if io::stdin().is_terminal() {
            let mut to = io::stdout();
            to.write_all(question.as_bytes())?;
            to.flush()?;
        }
        let mut line = String::new();
        let bytes = io::stdin().lock().read_line(&mut line)?;
        Ok::<_, io::Error>((bytes > 0).then_some(line))
    });
    read.await
        .map_err(io::Error::other)
        .and_then(|read| read)
        .map_err(|error| Problem::usage(format!("what you say cannot be read: {error}")))
}
