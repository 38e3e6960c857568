use std::collections::HashMap;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, bail};

/// The name of the bench's own instances.
const NAME: &str = "bench";

/// One instance of tests/servers.sh.
pub(crate) struct Server {
    kind: &'static str,
    environment: HashMap<String, String>,
    was_running: bool,
}

impl Server {
    /// Gets and starts it, unless it runs.
    pub(crate) fn start(kind: &'static str, options: &[&str]) -> anyhow::Result<Self> {
        let instance = format!("{kind}:{NAME}");
        let was_running = !environment(&instance)?.is_empty();
        let mut arguments = vec!["start", &instance];
        if !options.is_empty() {
            arguments.push("--");
            arguments.extend(options);
        }
        script(&arguments)?;
        let environment = environment(&instance)?;
        Ok(Self { kind, environment, was_running })
    }

    /// What `env` says under a name's last part.
    pub(crate) fn value(&self, name: &str) -> anyhow::Result<&str> {
        let value = self.environment.get(name).map(String::as_str);
        value.with_context(|| format!("tests/servers.sh env names no {name} of {}", self.kind))
    }

    /// The process's number.
    pub(crate) fn pid(&self) -> anyhow::Result<u32> {
        let pid = self.value(&format!("{}_PID", self.kind.to_uppercase()))?;
        pid.parse().with_context(|| format!("{pid:?} is no process"))
    }

    /// Takes it away.
    pub(crate) fn stop(&self) -> anyhow::Result<()> {
        script(&["stop", &format!("{}:{NAME}", self.kind)]).map(drop)
    }

    /// Brings it back.
    pub(crate) fn again(&mut self) -> anyhow::Result<()> {
        let was_running = self.was_running;
        *self = Self { was_running, ..Self::start(self.kind, &[])? };
        Ok(())
    }

    /// Stops it if it was not there before.
    pub(crate) fn end(&self) -> anyhow::Result<()> {
        if self.was_running { Ok(()) } else { self.stop() }
    }
}

fn environment(instance: &str) -> anyhow::Result<HashMap<String, String>> {
    let prefix = format!("export OUTFLOW_TEST_{}_", NAME.to_uppercase());
    let lines = script(&["env", instance])?;
    let pairs = lines.lines().filter_map(|line| line.strip_prefix(&prefix)?.split_once('='));
    Ok(pairs.map(|(name, value)| (name.to_owned(), value.replace(['\'', '\\'], ""))).collect())
}

/// Runs tests/servers.sh and gives what it prints.
pub(crate) fn script(arguments: &[&str]) -> anyhow::Result<String> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/servers.sh");
    let output = Command::new(script)
        .args(arguments)
        .stdin(Stdio::null())
        .output()
        .context("running tests/servers.sh")?;
    if !output.status.success() {
        let errors = String::from_utf8_lossy(&output.stderr);
        bail!("tests/servers.sh {}: {errors}", arguments.join(" "));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}
