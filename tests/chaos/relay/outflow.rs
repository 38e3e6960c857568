use std::time::Duration;

use outflow::offset::Offset;

use super::Relay;
use crate::support::{Outbox, Outflow};

/// Until it has ended after SIGTERM: its own deadline and some more.
const STOP_MAX: Duration = Duration::from_secs(60);
/// Until everything that is committed is published.
const CATCH_UP_MAX: Duration = Duration::from_secs(600);
/// What it says when it ends without all acknowledgements.
const UNACKNOWLEDGED: &str = "left unacknowledged";

/// The program of this repository.
#[derive(Default)]
pub(in crate::chaos) struct OutflowRelay {
    running: Option<Outflow>,
    /// How often the running one had done so at the last question.
    given_up: usize,
}

impl Relay for OutflowRelay {
    fn start(&mut self, outbox: &Outbox) {
        self.running = Some(outbox.start());
        self.given_up = 0;
    }

    fn kill(&mut self) {
        if let Some(mut running) = self.running.take()
            && running.exit_code().is_none()
        {
            running.kill();
        }
    }

    fn stop(&mut self) -> bool {
        let Some(mut running) = self.running.take() else { return true };
        if running.exit_code().is_none() {
            running.terminate();
        }
        let code = running.ended(STOP_MAX);
        code == 0 && times_given_up(&running) == self.given_up
    }

    fn has_given_up(&mut self) -> bool {
        let Some(running) = &self.running else { return false };
        let before = std::mem::replace(&mut self.given_up, times_given_up(running));
        self.given_up > before
    }

    fn look(&mut self) -> Option<String> {
        let running = self.running.as_mut()?;
        let code = running.exit_code();
        let log = running.log();
        let told = log.lines().find(|line| line.contains("panicked"));
        match (code, told) {
            (_, Some(line)) => Some(format!("it panicked: {line}")),
            (Some(code), None) => {
                let last: Vec<&str> = log.lines().rev().take(3).collect();
                Some(format!("it ended by itself with {code}: {last:?}"))
            }
            (None, None) => None,
        }
    }

    fn stored(&self, outbox: &Outbox) -> Option<Offset> {
        let files = std::fs::read_dir(outbox.scratch.path("data")).ok()?;
        let copies = files.filter_map(|file| {
            let path = file.ok()?.path();
            path.to_string_lossy().contains(".offset.").then_some(())?;
            let text = std::fs::read_to_string(path).ok()?;
            let (head, json) = text.split_once('\n')?;
            let counter: u64 = head.split(' ').nth(2)?.parse().ok()?;
            Some((counter, Offset::from_json(&serde_json::from_str(json).ok()?).ok()?))
        });
        copies.max_by_key(|(counter, _)| *counter).map(|(_, offset)| offset)
    }

    fn follows_the_log(&self) -> bool {
        true
    }

    fn starts_alone(&self) -> bool {
        true
    }

    fn finish(&mut self, outbox: &Outbox) {
        self.stop();
        let servers = &outbox.broker.bootstrap_servers;
        let mut last = outbox.start_with(&["--bootstrap-servers", servers, "--until-caught-up"]);
        assert_eq!(last.ended(CATCH_UP_MAX), 0, "catching up");
    }
}

fn times_given_up(running: &Outflow) -> usize {
    running.log().matches(UNACKNOWLEDGED).count()
}
