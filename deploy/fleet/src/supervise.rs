//! Keeping children alive.

use std::process::{Child, ExitStatus};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use crate::folder::Folder;
use crate::manifest::{Manifest, Run, Server};
use crate::process::{self, Record, Spec};
use crate::ready::readiness;
use crate::say::{say, say_lines};
use crate::services::{Instance, SERVICES};
use crate::stop;
use crate::wait::{Event, Signals, back_off};

/// A child that lived this long was well: its next death is its first again.
const WELL: Duration = Duration::from_mins(1);

/// How long until state that could not be written is written again.
const REWRITE: Duration = Duration::from_secs(5);

/// Everything a fleet has running.
pub(crate) struct Supervisor<'a> {
    folder: &'a Folder,
    signals: &'a Signals,
    run: Run,
    children: Vec<Supervised>,
}

struct Supervised {
    spec: Spec,
    /// What it is a process of; PostgreSQL and Redis are no services.
    instance: Option<Instance>,
    state: State,
    failures: u32,
}

impl Supervised {
    /// Its number, while it lives.
    fn pid(&self) -> Option<u32> {
        match &self.state {
            State::Alive { child, .. } => Some(child.id()),
            State::Resting { .. } => None,
        }
    }
}

enum State {
    Alive { child: Child, since: Instant },
    Resting { until: Instant },
}

impl<'a> Supervisor<'a> {
    pub(crate) fn new(folder: &'a Folder, signals: &'a Signals) -> Result<Self> {
        let run = Run::begin()?;
        run.save(folder)?;
        Ok(Self {
            folder,
            signals,
            run,
            children: Vec::new(),
        })
    }

    /// Starts a child.
    pub(crate) fn start(&mut self, spec: Spec, instance: Option<Instance>) -> Result<()> {
        keep_old_log(&spec)?;
        let state = launch(&spec, &mut self.run)?;
        self.children.push(Supervised {
            spec,
            instance,
            state,
            failures: 0,
        });
        self.run.save(self.folder)
    }

    /// Fails when a child ended, with the last lines of its log: at start nothing is tried twice.
    fn expect_alive(&mut self) -> Result<()> {
        for supervised in &mut self.children {
            if let State::Alive { child, .. } = &mut supervised.state
                && let Some(status) = child.try_wait().context("a child cannot be waited for")?
            {
                let Spec { name, log, .. } = &supervised.spec;
                say(format!("  the last lines of {}:", log.display()));
                say_lines(&process::last_lines(log, 12));
                bail!(
                    "{name} {} at its start: its last lines are above",
                    ended(status)
                );
            }
        }
        Ok(())
    }

    /// Waits until `probe` has an answer, as long as no child ends.
    pub(crate) fn until<T>(
        &mut self,
        what: &str,
        limit: Duration,
        mut probe: impl FnMut() -> Result<Option<T>>,
    ) -> Result<T> {
        let signals = self.signals;
        let answer = signals.until(limit, || {
            self.expect_alive()?;
            probe()
        })?;
        answer.with_context(|| {
            format!(
                "{what} did not come up within {} s: its log is in {}/logs",
                limit.as_secs(),
                self.folder.path().display()
            )
        })
    }

    /// Waits until every service says that it is ready.
    pub(crate) fn until_ready(&mut self, limit: Duration) -> Result<()> {
        let mut waiting: Vec<Instance> = self
            .instances()
            .map(|(instance, _)| instance.clone())
            .collect();
        let signals = self.signals;
        let all = signals.until(limit, || {
            self.expect_alive()?;
            waiting.retain(|instance| readiness(instance) != Ok(()));
            Ok(waiting.is_empty().then_some(()))
        })?;
        if all.is_some() {
            return Ok(());
        }
        let why: Vec<String> = waiting
            .iter()
            .filter_map(|instance| {
                Some(format!(
                    "{} ({})",
                    instance.name(),
                    readiness(instance).err()?
                ))
            })
            .collect();
        bail!(
            "not ready after {} s: {}; logs are in {}/logs",
            limit.as_secs(),
            why.join(", "),
            self.folder.path().display()
        )
    }

    /// The processes of services, each with its number while it lives.
    fn instances(&self) -> impl Iterator<Item = (&Instance, Option<u32>)> {
        self.children
            .iter()
            .filter_map(|supervised| Some((supervised.instance.as_ref()?, supervised.pid())))
    }

    /// Tells everybody who is there: the address files that services follow, and `fleet.json`.
    pub(crate) fn publish(&self, manifest: &mut Manifest) -> Result<()> {
        manifest.services = self
            .instances()
            .map(|(instance, pid)| instance.entry(pid))
            .collect();
        manifest.servers = self
            .children
            .iter()
            .filter(|supervised| supervised.instance.is_none())
            .map(|supervised| Server {
                name: supervised.spec.name.clone(),
                pid: supervised.pid(),
            })
            .collect();
        for service in &SERVICES {
            let of_service = || {
                self.instances()
                    .filter(|(instance, _)| instance.service == service)
            };
            let alive: Vec<String> = of_service()
                .filter(|(_, pid)| pid.is_some())
                .map(|(instance, _)| instance.address())
                .collect();
            // With nobody left, callers keep the old addresses: one of them comes back.
            let addresses = if alive.is_empty() {
                of_service().map(|(one, _)| one.address()).collect()
            } else {
                alive
            };
            self.write_addresses(service.name, &addresses)?;
        }
        manifest.save(self.folder)
    }

    /// The address files before anything runs: ports are known, and services read them at their start.
    pub(crate) fn announce(&self, instances: &[Instance]) -> Result<()> {
        SERVICES.iter().try_for_each(|service| {
            let of_service = instances
                .iter()
                .filter(|instance| instance.service == service);
            self.write_addresses(
                service.name,
                &of_service.map(Instance::address).collect::<Vec<_>>(),
            )
        })
    }

    fn write_addresses(&self, service: &str, addresses: &[String]) -> Result<()> {
        let text = addresses.join("\n") + "\n";
        self.folder
            .write(&self.folder.addresses(service), text.as_bytes(), 0o644)
    }

    /// Restarts what dies, until a stop signal comes.
    pub(crate) fn keep(&mut self, manifest: &mut Manifest) -> Result<()> {
        let mut unwritten = false;
        loop {
            if self.bury()? | self.revive() | unwritten {
                let written = self
                    .run
                    .save(self.folder)
                    .and_then(|()| self.publish(manifest));
                if let (Err(error), false) = (&written, unwritten) {
                    // A full disk must not take down what still runs.
                    say(format!("{error:#}; tried again until it works"));
                }
                unwritten = written.is_err();
            }
            let now = Instant::now();
            let due = self
                .children
                .iter()
                .filter_map(|supervised| match supervised.state {
                    State::Resting { until } => Some(until.saturating_duration_since(now)),
                    State::Alive { .. } => None,
                });
            let pause = due.chain(unwritten.then_some(REWRITE)).min();
            if self.signals.next(pause.unwrap_or(Duration::from_hours(1))) == Some(Event::Stop) {
                return Ok(());
            }
        }
    }

    /// Notices who died; true when somebody did.
    fn bury(&mut self) -> Result<bool> {
        let mut any = false;
        for supervised in &mut self.children {
            let State::Alive { child, since } = &mut supervised.state else {
                continue;
            };
            let Some(status) = child.try_wait().context("a child cannot be waited for")? else {
                continue;
            };
            supervised.failures = if since.elapsed() >= WELL {
                1
            } else {
                supervised.failures + 1
            };
            let rest = back_off(supervised.failures);
            say(format!(
                "{} {}; it starts again in {} s. Its last lines:",
                supervised.spec.name,
                ended(status),
                rest.as_secs()
            ));
            say_lines(&process::last_lines(&supervised.spec.log, 3));
            supervised.state = State::Resting {
                until: Instant::now() + rest,
            };
            any = true;
        }
        Ok(any)
    }

    /// Starts those whose rest is over; true when somebody was.
    fn revive(&mut self) -> bool {
        let mut any = false;
        for supervised in &mut self.children {
            if !matches!(supervised.state, State::Resting { until } if until <= Instant::now()) {
                continue;
            }
            let name = &supervised.spec.name;
            supervised.state = match launch(&supervised.spec, &mut self.run) {
                Ok(state) => {
                    say(format!("{name} started again"));
                    any = true;
                    state
                }
                Err(error) => {
                    supervised.failures += 1;
                    let rest = back_off(supervised.failures);
                    say(format!(
                        "{name} cannot be started ({error:#}); next try in {} s",
                        rest.as_secs()
                    ));
                    State::Resting {
                        until: Instant::now() + rest,
                    }
                }
            };
        }
        any
    }

    /// Ends everything this launcher started: services first, then Redis, then PostgreSQL.
    pub(crate) fn stop(self) -> Result<()> {
        if !self.children.is_empty() {
            say("Stopping");
        }
        let Self {
            folder,
            signals,
            run,
            children,
        } = self;
        let outcome = stop::in_order(&run, signals);
        // The dead are waited for, so that none stays behind as a zombie.
        for mut supervised in children {
            if let State::Alive { child, .. } = &mut supervised.state {
                child.try_wait().context("a child cannot be waited for")?;
            }
        }
        outcome?;
        Run::remove(folder)
    }
}

/// Starts a process and notes it among those of the run.
fn launch(spec: &Spec, run: &mut Run) -> Result<State> {
    let child = process::spawn(spec)?;
    let record = Record::of(&spec.name, child.id())?;
    run.children.retain(|known| known.name != record.name);
    run.children.push(record);
    Ok(State::Alive {
        child,
        since: Instant::now(),
    })
}

fn ended(status: ExitStatus) -> String {
    use std::os::unix::process::ExitStatusExt;
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("ended with status {code}"),
        (None, Some(signal)) => format!("was ended by signal {signal}"),
        (None, None) => "ended".to_owned(),
    }
}

/// One log a start, with the one before it beside it: they never grow without end.
fn keep_old_log(spec: &Spec) -> Result<()> {
    match std::fs::rename(&spec.log, spec.log.with_extension("log.old")) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(error).with_context(|| format!("{} cannot be renamed", spec.log.display()))
        }
        _ => Ok(()),
    }
}
