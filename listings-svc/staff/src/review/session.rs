//! One interactive review: the listings of the queue in their order, with a way back.

use std::collections::VecDeque;

use contracts::listings::v1 as proto;
use kit::{Code, Fault};

use super::{Review, Service};
use crate::account::AccountNames;
use crate::command_hint;
use crate::error::Error;
use crate::listing::name::{self, ListingKind, ListingMode};
use crate::listing::review_text;
use crate::output::{self, Output};
use crate::prompt::read_line;
use crate::sanitize::sanitize;

/// The prompts, and the help of their keys.
const DECIDE: &str = "a(pprove) r(eject) s(kip) b(ack) o(pen) q(uit) ? > ";
const DECIDE_HELP: &str = "  a  approve the listing as it is shown: it is public at once
  r  reject it, as it is by then; the next line is the reason that the submitter reads
  s  skip it: it stays pending
  b  back to the previous listing of this review
  o  open: show all fields and the history
  q  quit; decisions are kept
  ?  show this help";
const LOOK_BACK: &str = "n(ext) b(ack) o(pen) q(uit) ? > ";
const LOOK_BACK_HELP: &str = "  n  next listing of this review
  b  back to the previous listing of this review
  o  open: show all fields and the history
  q  quit; decisions are kept
  ?  show this help";

/// What became of a listing in this review.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ReviewOutcome {
    Approved,
    Rejected,
    Skipped,
    /// Somebody else decided before the reviewer reached it, or it did not wait.
    NotPending,
    /// There is no such listing.
    Missing,
}

/// A listing that was reached in this review.
struct Visited {
    name: proto::ListingName,
    /// `None` until the reviewer acts.
    outcome: Option<ReviewOutcome>,
}

/// Where to go after a listing was shown.
enum Step {
    Next,
    Back,
    /// On in the same direction: there was nothing to show.
    Pass,
    /// The same listing again, because it has changed.
    Again,
    Quit,
}

/// The listings that are still to come.
enum Source {
    /// The rest of the listings that the command line names.
    Named(VecDeque<proto::ListingName>),
    /// The queue after this cursor; `None` once it has ended.
    Queue(Option<String>),
}

struct Session {
    service: Service,
    names: AccountNames,
    kind: String,
    output: Output,
    visited: Vec<Visited>,
    source: Source,
    /// The length of the queue when the review began, or the number of named listings.
    total: usize,
}

pub(super) async fn run(
    service: Service,
    names: AccountNames,
    review: Review,
    output: Output,
) -> Result<(), Error> {
    let Review { slugs, kind } = review;
    let named: Vec<_> = (kind.into_iter())
        .flat_map(|kind| slugs.iter().map(move |slug| (kind, slug.clone())))
        .map(|(kind, slug)| kind.named(ListingMode::Live, slug))
        .collect();
    let mut session = Session {
        service,
        names,
        kind: kind.map_or("", ListingKind::as_str).to_owned(),
        output,
        total: named.len(),
        source: if named.is_empty() {
            Source::Queue(Some(String::new()))
        } else {
            Source::Named(named.into())
        },
        visited: Vec::new(),
    };
    let result = session.converse().await;
    let count = |outcome| {
        let visited = session.visited.iter();
        visited.filter(|it| it.outcome == Some(outcome)).count()
    };
    // Also after an error: these decisions were made.
    output.print(&format!(
        "{} approved, {} rejected, {} skipped",
        count(ReviewOutcome::Approved),
        count(ReviewOutcome::Rejected),
        count(ReviewOutcome::Skipped)
    ));
    result?;
    let visited = session.visited.len();
    if visited > 0 && count(ReviewOutcome::Missing) == visited {
        let missing = "none of the listings exists".to_owned();
        return Err(Error::Refused(missing));
    }
    Ok(())
}

impl Session {
    async fn converse(&mut self) -> Result<(), Error> {
        let (mut at, mut goes_back) = (0, false);
        loop {
            if at == self.visited.len() && !self.fetch_next().await? {
                self.output.print(match self.source {
                    Source::Named(_) => "no other listing is named",
                    Source::Queue(_) => "nothing else is pending",
                });
                return Ok(());
            }
            match self.show(at).await? {
                Step::Back if at == 0 => output::note("this is the first listing of the review"),
                Step::Back => (at, goes_back) = (at - 1, true),
                Step::Pass if goes_back && at > 0 => at -= 1,
                Step::Next | Step::Pass => (at, goes_back) = (at + 1, false),
                Step::Again => {}
                Step::Quit => return Ok(()),
            }
        }
    }

    /// Appends the next listing; false after the last one.
    async fn fetch_next(&mut self) -> Result<bool, Error> {
        let outcome = None;
        let cursor = match &mut self.source {
            Source::Named(names) => {
                let name = names.pop_front();
                let is_found = name.is_some();
                self.visited.extend(name.map(|name| Visited { name, outcome }));
                return Ok(is_found);
            }
            Source::Queue(cursor) => cursor.take(),
        };
        let Some(cursor) = cursor else {
            return Ok(false);
        };
        let request = proto::ListQueueRequest {
            kind: self.kind.clone(),
            limit: 1,
            count: cursor.is_empty(),
            cursor,
        };
        let response = self.service.list_queue(request).await?.into_inner();
        if let Some(total) = response.total {
            self.total = usize::try_from(total).unwrap_or_default();
        }
        let next_cursor = Some(response.next_cursor).filter(|cursor| !cursor.is_empty());
        self.source = Source::Queue(next_cursor);
        let name = response.items.into_iter().next().and_then(|item| item.name);
        let is_found = name.is_some();
        self.visited.extend(name.map(|name| Visited { name, outcome }));
        Ok(is_found)
    }

    /// Shows the listing at this position and does what the reviewer says.
    async fn show(&mut self, at: usize) -> Result<Step, Error> {
        let Some(Visited { name, outcome }) = self.visited.get(at) else {
            return Ok(Step::Quit);
        };
        let (name, outcome) = (name.clone(), *outcome);
        let request = proto::GetReviewRequest { name: Some(name.clone()), revision: 0 };
        let mut review = match self.service.get_review(request).await {
            Ok(review) => review.into_inner(),
            Err(status) if status.code() == tonic::Code::NotFound => {
                let error = Error::from(status).preceded_by(&sanitize(&name.name));
                output::note(&error.to_string());
                self.set(at, ReviewOutcome::Missing);
                return Ok(Step::Pass);
            }
            Err(status) => return Err(status.into()),
        };
        let is_pending = review.state() == proto::State::Pending;
        if !is_pending && outcome.is_none() {
            let state = name::state(review.state());
            let hint = command_hint::staff(&format!("{} review {}", name.kind, name.name));
            self.output.print(&format!("{} is {state}, not pending; {hint} shows it", name.name));
            self.set(at, ReviewOutcome::NotPending);
            return Ok(Step::Next);
        }
        if let Some(item) = &mut review.item {
            item.submitter = self.names.name_or_id(&item.submitter).await;
        }
        // Listings may have entered the queue since they were counted.
        let total = self.total.max(self.visited.len());
        self.output.print(&format!("{} of {total}", at + 1));
        self.output.print(&review_text::differences(&review));
        if is_pending {
            self.decide(at, &name, &review).await
        } else {
            let state = name::state(review.state());
            self.output.print(&format!("{} is {state} now", name.name));
            self.look_back(&review).await
        }
    }

    /// Asks about a pending listing.
    async fn decide(
        &mut self,
        at: usize,
        name: &proto::ListingName,
        review: &proto::GetReviewResponse,
    ) -> Result<Step, Error> {
        let item = proto::DecideItem {
            name: Some(name.clone()),
            revision: review.item.as_ref().map(|item| item.revision),
        };
        loop {
            let item = item.clone();
            let Some(line) = read_line(DECIDE).await? else {
                return Ok(Step::Quit);
            };
            match line.trim() {
                "a" => {
                    let approve = proto::Decision::Approve;
                    let Some(result) = self.send(approve, item, String::new()).await? else {
                        return Ok(Step::Again);
                    };
                    self.report(at, &result, (ReviewOutcome::Approved, "approved"));
                    return Ok(Step::Next);
                }
                "r" => {
                    let reason = read_line("reason > ").await?.unwrap_or_default();
                    if reason.trim().is_empty() {
                        output::note("a rejection needs a reason: nothing was rejected");
                        continue;
                    }
                    let reject = proto::Decision::Reject;
                    // At any revision: an account that changes its listing all the time does not evade the decision.
                    let item = proto::DecideItem { revision: None, ..item };
                    let Some(result) = self.send(reject, item, reason).await? else {
                        return Ok(Step::Again);
                    };
                    self.report(at, &result, (ReviewOutcome::Rejected, "rejected"));
                    return Ok(Step::Next);
                }
                "s" => {
                    self.set(at, ReviewOutcome::Skipped);
                    return Ok(Step::Next);
                }
                "b" => return Ok(Step::Back),
                "o" => self.output.print(&review_text::whole(review)),
                "q" => return Ok(Step::Quit),
                "?" => self.output.print(DECIDE_HELP),
                "" => {}
                other => output::note(&format!(
                    "{} is not one of a, r, s, b, o, q: ? for help",
                    sanitize(other)
                )),
            }
        }
    }

    /// Asks where to go from a listing that was decided on in this review.
    async fn look_back(&self, review: &proto::GetReviewResponse) -> Result<Step, Error> {
        loop {
            let Some(line) = read_line(LOOK_BACK).await? else {
                return Ok(Step::Quit);
            };
            match line.trim() {
                "n" | "s" => return Ok(Step::Next),
                "b" => return Ok(Step::Back),
                "o" => self.output.print(&review_text::whole(review)),
                "q" => return Ok(Step::Quit),
                "?" => self.output.print(LOOK_BACK_HELP),
                "" => {}
                other => output::note(&format!(
                    "{} is not one of n, b, o, q: ? for help",
                    sanitize(other)
                )),
            }
        }
    }

    fn set(&mut self, at: usize, outcome: ReviewOutcome) {
        if let Some(visited) = self.visited.get_mut(at) {
            visited.outcome = Some(outcome);
        }
    }

    /// Prints what a decision did. Somebody may have decided, or withdrawn the listing, since it
    /// was shown.
    fn report(
        &mut self,
        at: usize,
        result: &proto::DecideResult,
        (outcome, verb): (ReviewOutcome, &str),
    ) {
        let name = result.name.as_ref().map_or("", |name| &name.name);
        let text = match (result.changed, &*result.note) {
            (true, "") => format!("{verb}: {name}"),
            (true, note) => format!("{verb}: {name}; {note}"),
            (false, note) => format!("{name}: {note}"),
        };
        self.set(at, if result.changed { outcome } else { ReviewOutcome::NotPending });
        self.output.print(&text);
    }

    /// Sends a decision on the revision that was shown and returns its result. Returns `None` when
    /// the decision was refused; the reason and the changes since then were printed, and the
    /// listing should be shown again.
    async fn send(
        &mut self,
        decision: proto::Decision,
        item: proto::DecideItem,
        reason: String,
    ) -> Result<Option<proto::DecideResult>, Error> {
        let request = proto::DecideRequest { decision: decision.into(), items: vec![item], reason };
        let response = match self.service.decide(request).await {
            Ok(response) => response.into_inner(),
            // Such as a reason that is too long.
            Err(status) if !status.details().is_empty() => {
                return match Error::from(Fault::from(status)) {
                    Error::Refused(sentence) => {
                        output::note(&sentence);
                        Ok(None)
                    }
                    error => Err(error),
                };
            }
            Err(status) => return Err(status.into()),
        };
        let result = response.results.into_iter().next().unwrap_or_default();
        if result.problem.is_empty() {
            return Ok(Some(result));
        }
        if Code::parse(&result.code) == Some(Code::Unavailable) {
            return Err(Error::Unreachable(result.problem));
        }
        output::note(&result.problem);
        if !result.differences.is_empty() {
            let name = result.name.unwrap_or_default();
            self.output.print(&review_text::changes(&name, &result.differences));
        }
        Ok(None)
    }
}
