use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt;

use super::timeline::Timeline;
use super::transaction;

/// So many problems of a kind are told one by one.
const SHOWN: usize = 8;

/// What the database says of a committed row.
#[derive(Clone, Copy, Debug)]
pub(super) struct Committed {
    pub(super) key: u32,
    /// Its number among the committed rows of its key, in the order of commits.
    pub(super) number: u32,
    pub(super) at_ms: i64,
}

/// The committed rows by their ids.
pub(super) type Ledger = HashMap<u64, Committed>;

/// A record as it lies on the topic, in the order of its partition.
#[derive(Clone, Debug)]
pub(super) struct Published {
    pub(super) id: u64,
    pub(super) key: u32,
    pub(super) number: u32,
    pub(super) partition: i32,
    pub(super) at_ms: i64,
    /// What is wrong inside it.
    pub(super) wrong: Option<String>,
}

/// Whether records may come twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Delivery {
    /// After a crash.
    AtLeastOnce,
    /// Never.
    ExactlyOnce,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    Missing,
    Invented,
    Wrong,
    Disordered,
    Repeated,
}

/// What the comparison found.
#[derive(Debug, Default)]
pub(super) struct Verdict {
    pub(super) rows: usize,
    pub(super) records: usize,
    /// Allowed repeats by the kind of the fault that allows them.
    pub(super) repeats: BTreeMap<&'static str, usize>,
    pub(super) counts: BTreeMap<Kind, usize>,
    /// The problems by the kind of the row's transaction.
    transactions: BTreeMap<String, usize>,
    accounts: Vec<String>,
}

impl Verdict {
    pub(super) fn is_good(&self) -> bool {
        self.counts.is_empty()
    }

    pub(super) fn count(&self, kind: Kind) -> usize {
        self.counts.get(&kind).copied().unwrap_or_default()
    }

    fn add(&mut self, kind: Kind, id: u64, account: impl FnOnce() -> String) {
        let count = self.counts.entry(kind).or_default();
        *count += 1;
        let of = transaction::Kind::of(id);
        let of = of.map_or(format!("{kind:?}"), |of| format!("{kind:?} {of:?}"));
        *self.transactions.entry(of).or_default() += 1;
        if *count <= SHOWN {
            self.accounts.push(format!("{kind:?}: {}", account()));
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} rows committed, {} records", self.rows, self.records)?;
        writeln!(f, "repeats allowed by: {:?}", self.repeats)?;
        write!(f, "problems: {:?}, by transactions {:?}", self.counts, self.transactions)?;
        self.accounts.iter().try_for_each(|account| write!(f, "\n  {account}"))
    }
}

/// Compares what was committed with what was published.
pub(super) fn check(
    ledger: &Ledger,
    topic: &[Published],
    timeline: &Timeline,
    delivery: Delivery,
) -> Verdict {
    let mut verdict = Verdict { rows: ledger.len(), records: topic.len(), ..Verdict::default() };
    let mut last_ms: HashMap<u64, i64> = HashMap::with_capacity(ledger.len());
    let mut keys: HashMap<u32, (u32, i32)> = HashMap::new();
    let mut invented = HashSet::new();
    for record in topic {
        let Published { id, key, number, partition, at_ms, .. } = *record;
        let Some(row) = ledger.get(&id) else {
            if invented.insert(id) {
                verdict.add(Kind::Invented, id, || {
                    format!(
                        "event {id:#x} of key {key}, written{}, was not committed",
                        timeline.around(at_ms)
                    )
                });
            }
            continue;
        };
        let differs = (key, number) != (row.key, row.number);
        if record.wrong.is_some() || differs {
            verdict.add(Kind::Wrong, id, || {
                let expected = format!("key {} number {}", row.key, row.number);
                format!("event {id:#x} of {expected} is {record:?}{}", timeline.around(at_ms))
            });
        }
        if let Some(earlier_ms) = last_ms.insert(id, at_ms) {
            let excuse = timeline.excuse(earlier_ms).filter(|_| delivery == Delivery::AtLeastOnce);
            match excuse {
                Some(fault) => *verdict.repeats.entry(fault.kind).or_default() += 1,
                None => verdict.add(Kind::Repeated, id, || {
                    format!(
                        "event {id:#x} of key {key} came again after {} ms; it was written{}",
                        at_ms - earlier_ms,
                        timeline.around(earlier_ms)
                    )
                }),
            }
            continue;
        }
        let (last, place) = keys.entry(row.key).or_insert((0, partition));
        if row.number <= *last || partition != *place {
            verdict.add(Kind::Disordered, id, || {
                format!(
                    "event {id:#x}, number {} of key {} in partition {partition}, came after number {last} in partition {place}, written{}",
                    row.number, row.key, timeline.around(at_ms)
                )
            });
        }
        *last = (*last).max(row.number);
    }
    let mut missing: Vec<_> = ledger.iter().filter(|(id, _)| !last_ms.contains_key(id)).collect();
    missing.sort_by_key(|(_, row)| row.at_ms);
    for (id, row) in missing {
        verdict.add(Kind::Missing, *id, || {
            let Committed { key, number, at_ms } = row;
            format!(
                "event {id:#x}, number {number} of key {key}, inserted{}",
                timeline.around(*at_ms)
            )
        });
    }
    verdict
}

#[cfg(test)]
mod tests {
    use super::super::timeline::{Effect, Fault};
    use super::*;

    /// Four rows of two keys, a second apart.
    fn ledger() -> Ledger {
        let row = |id: u64| {
            let number = u32::try_from(id).unwrap().div_ceil(2);
            let at_ms = i64::try_from(id).unwrap() * 1_000;
            (id, Committed { key: u32::from(id.is_multiple_of(2)), number, at_ms })
        };
        (1..=4).map(row).collect()
    }

    fn record(id: u64, at_ms: i64) -> Published {
        let row = ledger().get(&id).copied().unwrap_or(Committed { key: 0, number: 9, at_ms });
        let partition = i32::try_from(row.key).unwrap();
        Published { id, key: row.key, number: row.number, partition, at_ms, wrong: None }
    }

    fn fault(kind: &'static str, from_ms: i64, until_ms: i64, effect: Effect) -> Fault {
        Fault { kind, from_ms, until_ms, effect }
    }

    fn checked(ids: &[u64], faults: &[Fault], delivery: Delivery) -> Verdict {
        let topic: Vec<_> = (1..).zip(ids).map(|(at, id)| record(*id, at * 1_000)).collect();
        check(&ledger(), &topic, &Timeline(faults.to_vec()), delivery)
    }

    #[track_caller]
    fn finds(ids: &[u64], faults: &[Fault], kind: Kind) {
        let verdict = checked(ids, faults, Delivery::AtLeastOnce);
        assert_eq!(verdict.counts, BTreeMap::from([(kind, 1)]), "{verdict}");
        assert!(verdict.to_string().contains(&format!("{kind:?}: event")), "{verdict}");
    }

    #[test]
    fn every_row_once_and_in_order_is_good() {
        assert!(checked(&[1, 2, 3, 4], &[], Delivery::ExactlyOnce).is_good());
        // Keys have no order among them.
        assert!(checked(&[2, 1, 4, 3], &[], Delivery::ExactlyOnce).is_good());
    }

    #[test]
    fn a_missing_row_is_found() {
        finds(&[1, 2, 4], &[], Kind::Missing);
    }

    #[test]
    fn an_invented_row_is_found() {
        finds(&[1, 2, 3, 5, 4], &[], Kind::Invented);
    }

    #[test]
    fn swapped_rows_of_a_key_are_found() {
        finds(&[3, 2, 1, 4], &[], Kind::Disordered);
    }

    #[test]
    fn a_key_in_two_partitions_is_found() {
        let mut topic: Vec<_> = (1..=4).map(|id| record(id, 1_000)).collect();
        topic[2].partition = 7;
        let verdict = check(&ledger(), &topic, &Timeline::default(), Delivery::AtLeastOnce);
        assert_eq!(verdict.counts, BTreeMap::from([(Kind::Disordered, 1)]), "{verdict}");
    }

    #[test]
    fn wrong_content_is_found() {
        let mut topic: Vec<_> = (1..=4).map(|id| record(id, 1_000)).collect();
        topic[0].wrong = Some("payload".to_owned());
        topic[1].key = 3;
        let verdict = check(&ledger(), &topic, &Timeline::default(), Delivery::AtLeastOnce);
        assert_eq!(verdict.counts, BTreeMap::from([(Kind::Wrong, 2)]), "{verdict}");
    }

    #[test]
    fn a_repeat_needs_a_crash_and_no_clean_stop() {
        finds(&[1, 2, 1, 3, 4], &[], Kind::Repeated);
        finds(&[1, 2, 1, 3, 4], &[fault("stop", 1_500, 2_500, Effect::None)], Kind::Repeated);
        finds(&[1, 2, 1, 3, 4], &[fault("freeze", 500, 2_500, Effect::Silence)], Kind::Repeated);
        let kill = fault("kill", 1_500, 2_500, Effect::Crash);
        let verdict = checked(&[1, 2, 1, 3, 4], std::slice::from_ref(&kill), Delivery::AtLeastOnce);
        assert!(verdict.is_good(), "{verdict}");
        assert_eq!(verdict.repeats, BTreeMap::from([("kill", 1)]));
        let verdict = checked(&[1, 2, 1, 3, 4], &[kill], Delivery::ExactlyOnce);
        assert_eq!(verdict.count(Kind::Repeated), 1);
    }

    #[test]
    fn a_repeat_from_before_the_crash_needs_a_silence_that_leads_to_it() {
        let kill = fault("kill", 20_000, 21_000, Effect::Crash);
        finds(&[1, 2, 1, 3, 4], std::slice::from_ref(&kill), Kind::Repeated);
        let freeze = fault("freeze", 2_000, 19_000, Effect::Silence);
        let faults = [freeze, kill.clone()];
        let verdict = checked(&[1, 2, 1, 3, 4], &faults, Delivery::AtLeastOnce);
        assert!(verdict.is_good(), "{verdict}");
        // One that was over long before does not.
        finds(
            &[1, 2, 1, 3, 4],
            &[fault("freeze", 0, 9_000, Effect::Silence), kill],
            Kind::Repeated,
        );
    }
}
