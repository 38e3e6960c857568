use std::collections::BTreeMap;
use std::fmt::Write;

use super::relay::Relay;
use crate::support::now_ms;

/// How long before a kill a record may have been written that comes again: the pause between checkpoints, the flush
/// of one and the way to the broker and back, on a busy machine.
const WINDOW_MS: i64 = 3_000;
/// What was on its way at a kill may be written so long after it.
const LATE_MS: i64 = 2_000;
/// How long a producer is tried before it is given up, and until that is noticed.
const GIVEN_UP_MS: i64 = 90_000;
/// Faults that are told beside a problem.
const SHOWN: usize = 4;

/// What a fault means for repeats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Effect {
    /// Nothing may come twice because of it.
    None,
    /// The relay died, or met another server, so what was not yet acknowledged and stored may come again.
    Crash,
    /// Acknowledgements stood still, so that a crash meanwhile reaches further back.
    Silence,
}

/// A fault and the time it took.
#[derive(Clone, Debug)]
pub(super) struct Fault {
    pub(super) kind: &'static str,
    pub(super) from_ms: i64,
    pub(super) until_ms: i64,
    pub(super) effect: Effect,
}

/// All faults of a run, in the order of their beginning.
#[derive(Clone, Debug, Default)]
pub(super) struct Timeline(pub(super) Vec<Fault>);

impl Timeline {
    /// Asks whether the relay has given up what was on its way: it may have been for as long as a producer is tried.
    pub(super) fn look(&mut self, relay: &mut dyn Relay) {
        if relay.has_given_up() {
            let until_ms = now_ms();
            let (kind, from_ms) = ("relay gave up its producer", until_ms - GIVEN_UP_MS);
            self.0.push(Fault { kind, from_ms, until_ms, effect: Effect::Crash });
        }
    }

    /// The crash that allows a record which was written at this time to come again.
    pub(super) fn excuse(&self, written_ms: i64) -> Option<&Fault> {
        let crashes = self.0.iter().filter(|fault| fault.effect == Effect::Crash);
        crashes.into_iter().find(|crash| {
            let (from, until) = self.reach(crash);
            (from..=until).contains(&written_ms)
        })
    }

    /// From when to when records were written that a crash may repeat.
    fn reach(&self, crash: &Fault) -> (i64, i64) {
        let (mut from, mut until) = (crash.from_ms - WINDOW_MS, crash.until_ms + LATE_MS);
        let silences = self.0.iter().filter(|fault| fault.effect == Effect::Silence);
        let silences: Vec<_> = silences.collect();
        loop {
            let before = (from, until);
            for silence in &silences {
                // What one silence delayed may be what the next one finds.
                if silence.from_ms <= until && silence.until_ms + LATE_MS >= from {
                    from = from.min(silence.from_ms - WINDOW_MS);
                    until = until.max(silence.until_ms + LATE_MS);
                }
            }
            if (from, until) == before {
                return before;
            }
        }
    }

    /// The faults next to a time, in words.
    pub(super) fn around(&self, at_ms: i64) -> String {
        let distance = |fault: &Fault| {
            let after = at_ms - fault.until_ms;
            after.max(fault.from_ms - at_ms).max(0)
        };
        let mut near: Vec<&Fault> = self.0.iter().collect();
        near.sort_by_key(|fault| distance(fault));
        near.truncate(SHOWN);
        near.sort_by_key(|fault| fault.from_ms);
        let mut text = String::new();
        for fault in near {
            let (from, until) = (fault.from_ms - at_ms, fault.until_ms - at_ms);
            write!(text, " [{} {from:+}..{until:+} ms]", fault.kind).unwrap();
        }
        text
    }

    /// How many faults of each kind there were.
    pub(super) fn counts(&self) -> BTreeMap<&'static str, usize> {
        let mut counts = BTreeMap::new();
        for fault in &self.0 {
            *counts.entry(fault.kind).or_default() += 1;
        }
        counts
    }
}
