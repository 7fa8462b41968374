//! Supervises children: restarts a child that ends.

use std::process::{Child, ExitStatus};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use crate::folder::{self, Folder};
use crate::lock::Lock;
use crate::logs;
use crate::manifest::{Manifest, Server};
use crate::process::{self, Spec};
use crate::ready::readiness;
use crate::say::{say, say_lines};
use crate::services::{Instance, SERVICES};
use crate::wait::{Event, Signals, back_off};

/// A child that has run this long is healthy: its next failure counts as the first.
const HEALTHY_AFTER: Duration = Duration::from_mins(1);

/// How long a service may take for its graceful shutdown: its drain time of 10 s, and some more.
const SERVICE_GRACE: Duration = Duration::from_secs(15);
const SERVER_GRACE: Duration = Duration::from_secs(30);
/// How long a child may take to end that was killed.
const KILL_LIMIT: Duration = Duration::from_secs(10);

/// How often the sizes of logs are checked, and state files written again that could not be written.
const CHECK: Duration = Duration::from_secs(5);

/// All running processes of a fleet.
pub(crate) struct Supervisor<'a> {
    folder: &'a Folder,
    signals: &'a Signals,
    lock: &'a Lock,
    children: Vec<Supervised>,
}

struct Supervised {
    spec: Spec,
    /// `None` for PostgreSQL and Redis.
    instance: Option<Instance>,
    state: ChildState,
    failures: u32,
}

impl Supervised {
    /// The pid, while the child runs.
    fn pid(&self) -> Option<u32> {
        match &self.state {
            ChildState::Running { child, .. } => Some(child.id()),
            ChildState::BackingOff { .. } => None,
        }
    }
}

enum ChildState {
    Running { child: Child, since: Instant },
    BackingOff { until: Instant },
}

impl<'a> Supervisor<'a> {
    pub(crate) fn new(folder: &'a Folder, lock: &'a Lock, signals: &'a Signals) -> Self {
        Self { folder, signals, lock, children: Vec::new() }
    }

    /// Starts a child.
    pub(crate) fn start(&mut self, mut spec: Spec, instance: Option<Instance>) -> Result<()> {
        logs::rotate(&spec.log)?;
        let state = launch(&mut spec, self.lock)?;
        self.children.push(Supervised { spec, instance, state, failures: 0 });
        Ok(())
    }

    /// Fails when a child has ended, and shows the last lines of its log: during start-up nothing is restarted.
    fn check_running(&mut self) -> Result<()> {
        for supervised in &mut self.children {
            if let ChildState::Running { child, .. } = &mut supervised.state
                && let Some(status) = child.try_wait().context("a child cannot be waited for")?
            {
                let Spec { name, log, .. } = &supervised.spec;
                say(format!("  the last lines of {}:", log.display()));
                say_lines(&logs::tail(log, 12));
                bail!(
                    "{name} {} at its start: the last lines of its log are above",
                    exit_reason(status)
                );
            }
        }
        Ok(())
    }

    /// Waits until `probe` returns a value. Fails when a child ends in the meantime.
    pub(crate) fn until<T>(
        &mut self,
        what: &str,
        limit: Duration,
        mut probe: impl FnMut() -> Result<Option<T>>,
    ) -> Result<T> {
        let signals = self.signals;
        let answer = signals.until(limit, || {
            self.check_running()?;
            probe()
        })?;
        answer.with_context(|| {
            format!(
                "{what} did not start within {} s: its log is in {}/logs",
                limit.as_secs(),
                self.folder.path().display()
            )
        })
    }

    /// Waits until `probe` is true of each running service. The error says what those that are left wait for.
    pub(crate) fn until_each(
        &mut self,
        limit: Duration,
        probe: impl Fn(&Instance) -> bool,
    ) -> Result<()> {
        let mut waiting: Vec<Instance> =
            self.instances().map(|(instance, _)| instance.clone()).collect();
        let signals = self.signals;
        let all = signals.until(limit, || {
            self.check_running()?;
            waiting.retain(|instance| !probe(instance));
            Ok(waiting.is_empty().then_some(()))
        })?;
        if all.is_some() {
            return Ok(());
        }
        let why: Vec<String> = waiting
            .iter()
            .map(|instance| {
                let why = readiness(instance).err().unwrap_or_else(|| "ready too late".to_owned());
                format!("{} ({why})", instance.name())
            })
            .collect();
        bail!(
            "not ready after {} s: {}; logs are in {}/logs",
            limit.as_secs(),
            why.join(", "),
            self.folder.path().display()
        )
    }

    /// The processes of services, each with its pid while it runs.
    fn instances(&self) -> impl Iterator<Item = (&Instance, Option<u32>)> {
        self.children
            .iter()
            .filter_map(|supervised| Some((supervised.instance.as_ref()?, supervised.pid())))
    }

    /// PostgreSQL and Redis, if they are children.
    pub(crate) fn servers(&self) -> Vec<Server> {
        self.children
            .iter()
            .filter(|supervised| supervised.instance.is_none())
            .map(|supervised| Server { name: supervised.spec.name.clone(), pid: supervised.pid() })
            .collect()
    }

    /// Writes the running processes to the address files and to `fleet.json`.
    pub(crate) fn publish(&self, manifest: &mut Manifest) -> Result<()> {
        let instances: Vec<_> = self.instances().collect();
        manifest.services = instances.iter().map(|(one, pid)| one.entry(*pid)).collect();
        manifest.servers = self.servers();
        self.write_addresses(&instances)?;
        manifest.save(self.folder)
    }

    /// Writes the address files, which services follow: the processes with a pid. When none of a service runs, callers keep all addresses,
    /// because the processes are started at the same ones.
    pub(crate) fn write_addresses(&self, instances: &[(&Instance, Option<u32>)]) -> Result<()> {
        for service in &SERVICES {
            let of_service = instances.iter().filter(|(one, _)| one.service == service);
            let is_any_running = of_service.clone().any(|(_, pid)| pid.is_some());
            let text: String = of_service
                .filter(|(_, pid)| pid.is_some() || !is_any_running)
                .map(|(one, _)| one.address() + "\n")
                .collect();
            let file = self.folder.addresses(service.name);
            folder::write(&file, text.as_bytes(), 0o644)?;
        }
        Ok(())
    }

    /// Restarts children that end, until a stop signal comes.
    pub(crate) fn supervise(&mut self, manifest: &mut Manifest) -> Result<()> {
        let mut is_unsaved = false;
        loop {
            if self.reap()? | self.restart_due() | is_unsaved {
                let saved = self.publish(manifest);
                if let (Err(error), false) = (&saved, is_unsaved) {
                    // A full disk must not stop processes that run.
                    say(format!("{error:#}; retrying until it succeeds"));
                }
                is_unsaved = saved.is_err();
            }
            let now = Instant::now();
            let due = self.children.iter().filter_map(|supervised| match supervised.state {
                ChildState::BackingOff { until } => Some(until.saturating_duration_since(now)),
                ChildState::Running { .. } => None,
            });
            let pause = due.fold(CHECK, Duration::min);
            if self.signals.next(pause) == Some(Event::Stop) {
                return Ok(());
            }
        }
    }

    /// Collects children that have ended; returns whether there were any.
    fn reap(&mut self) -> Result<bool> {
        let mut any = false;
        for supervised in &mut self.children {
            let ChildState::Running { child, since } = &mut supervised.state else {
                continue;
            };
            let Some(status) = child.try_wait().context("a child cannot be waited for")? else {
                continue;
            };
            supervised.failures =
                if since.elapsed() >= HEALTHY_AFTER { 1 } else { supervised.failures + 1 };
            let pause = back_off(supervised.failures);
            say(format!(
                "{} {}; it restarts in {} s. The last lines of its log:",
                supervised.spec.name,
                exit_reason(status),
                pause.as_secs()
            ));
            say_lines(&logs::tail(&supervised.spec.log, 3));
            supervised.state = ChildState::BackingOff { until: Instant::now() + pause };
            any = true;
        }
        Ok(any)
    }

    /// Restarts the children whose pause is over; returns whether there were any.
    fn restart_due(&mut self) -> bool {
        let mut any = false;
        for supervised in &mut self.children {
            if !matches!(supervised.state, ChildState::BackingOff { until } if until <= Instant::now())
            {
                continue;
            }
            let name = supervised.spec.name.clone();
            supervised.state = match launch(&mut supervised.spec, self.lock) {
                Ok(state) => {
                    say(format!("{name} restarted"));
                    any = true;
                    state
                }
                Err(error) => {
                    supervised.failures += 1;
                    let pause = back_off(supervised.failures);
                    say(format!(
                        "cannot start {name} ({error:#}); next attempt in {} s",
                        pause.as_secs()
                    ));
                    ChildState::BackingOff { until: Instant::now() + pause }
                }
            };
        }
        any
    }

    /// Ends all children: first the services, then Redis, then PostgreSQL.
    pub(crate) fn stop(&mut self) -> Result<()> {
        if !self.children.is_empty() {
            say("Stopping");
        }
        self.end(SERVICE_GRACE, |child| child.instance.is_some())?;
        self.end(SERVER_GRACE, |child| child.spec.name == "redis")?;
        self.end(SERVER_GRACE, |child| child.spec.name == "postgres")
    }

    /// Ends children together, gracefully. Children that still run after `limit`, or when the user presses Ctrl-C again, are killed.
    fn end(&mut self, limit: Duration, chosen: impl Fn(&Supervised) -> bool) -> Result<()> {
        let chosen = self.children.iter_mut().filter(|child| chosen(child));
        let mut running: Vec<(&Spec, &mut Child)> = chosen
            .filter_map(|child| match &mut child.state {
                ChildState::Running { child: process, .. } => Some((&child.spec, process)),
                ChildState::BackingOff { .. } => None,
            })
            .collect();
        retain_running(&mut running)?;
        for (spec, child) in &running {
            process::signal(child, spec.stop_signal)?;
        }
        let signals = self.signals;
        let ended = signals.until(limit, || retain_running(&mut running));
        if let Ok(Some(())) = ended {
            return Ok(());
        }
        for (spec, child) in &running {
            say(format!("  {} (pid {}) does not end; killing it", spec.name, child.id()));
            process::signal(child, spec.kill_signal)?;
        }
        signals.until(KILL_LIMIT, || retain_running(&mut running))?;
        Ok(())
    }
}

/// Removes the children that have ended; `None` if some remain.
fn retain_running(children: &mut Vec<(&Spec, &mut Child)>) -> Result<Option<()>> {
    let mut running = Vec::new();
    for (spec, child) in children.drain(..) {
        let ended = child.try_wait().context("a child cannot be waited for")?;
        if ended.is_none() {
            running.push((spec, child));
        }
    }
    *children = running;
    Ok(children.is_empty().then_some(()))
}

fn launch(spec: &mut Spec, lock: &Lock) -> Result<ChildState> {
    let child = process::spawn(spec, &lock.children)?;
    Ok(ChildState::Running { child, since: Instant::now() })
}

fn exit_reason(status: ExitStatus) -> String {
    use std::os::unix::process::ExitStatusExt;
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("ended with status {code}"),
        (None, Some(signal)) => format!("was ended by signal {signal}"),
        (None, None) => "ended".to_owned(),
    }
}
