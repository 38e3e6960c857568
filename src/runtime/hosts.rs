use super::Failure;
use crate::error::Remedy;

/// The hosts of `database.hostname`, tried in turn: a failure of one may be none of the next.
pub(super) struct Hosts<'a> {
    hosts: &'a [String],
    present: usize,
    failed: usize,
    curable: bool,
}

/// What follows a failure.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Next {
    /// The next host, at once: it has not been tried in this round.
    Host,
    /// A pause, then the next round: waiting may cure at least one of the round's failures.
    Pause,
    /// Nothing: a person must act.
    Stop,
}

impl<'a> Hosts<'a> {
    pub(super) fn new(hosts: &'a [String]) -> Self {
        Self { hosts, present: 0, failed: 0, curable: false }
    }

    /// The one to connect to.
    pub(super) fn present(&self) -> &'a str {
        self.hosts.get(self.present).map_or("", String::as_str)
    }

    /// Turns to the next host where the failure is this one's.
    pub(super) fn after(&mut self, failure: &Failure) -> Next {
        let curable = failure.remedy() == Remedy::Retry;
        if !matches!(failure, Failure::Source(_)) {
            return if curable { Next::Pause } else { Next::Stop };
        }
        self.curable |= curable;
        self.failed += 1;
        self.present = (self.present + 1) % self.hosts.len().max(1);
        if self.failed < self.hosts.len() {
            return Next::Host;
        }
        self.failed = 0;
        if std::mem::take(&mut self.curable) { Next::Pause } else { Next::Stop }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::source::SourceError;

    #[test]
    fn each_host_is_tried_once_a_round_and_one_curable_failure_makes_it_curable() {
        let hosts = ["a", "b", "c"].map(str::to_owned);
        let mut hosts = Hosts::new(&hosts);
        let purged = || Failure::from(SourceError::Purged("x:1".to_owned()));
        let silent = || Failure::from(SourceError::Silent(Duration::from_secs(1)));
        for (failure, next, host) in [
            (silent(), Next::Host, "b"),
            (purged(), Next::Host, "c"),
            (purged(), Next::Pause, "a"),
            (purged(), Next::Host, "b"),
            (purged(), Next::Host, "c"),
            (purged(), Next::Stop, "a"),
        ] {
            assert_eq!(hosts.after(&failure), next);
            assert_eq!(hosts.present(), host);
        }
        assert_eq!(hosts.after(&Failure::StopRequested), Next::Stop);
    }
}
