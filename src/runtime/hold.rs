use super::held::HeldRecord;
use crate::convert::ProducerRecord;

/// Records that are kept back until the outcome of their transaction is known.
#[derive(Default)]
pub(super) struct Hold {
    records: Vec<HeldRecord>,
    bytes: usize,
    bytes_max: Option<usize>,
    savepoints: Vec<(String, usize)>,
}

impl Hold {
    /// Beyond `bytes_max` the hold is full.
    pub(super) fn new(bytes_max: Option<usize>) -> Self {
        Self { bytes_max, ..Self::default() }
    }

    /// Keeps a record back.
    pub(super) fn add(&mut self, record: &ProducerRecord<'_>) {
        let held = HeldRecord::new(record);
        self.bytes += held.bytes();
        self.records.push(held);
    }

    /// Whether there is more than may be kept.
    pub(super) fn is_full(&self) -> bool {
        self.bytes_max.is_some_and(|max| self.bytes > max)
    }

    /// A savepoint is set; one of the same name is no more.
    pub(super) fn set_savepoint(&mut self, name: &str) {
        self.savepoints.retain(|(other, _)| other != name);
        self.savepoints.push((name.to_owned(), self.records.len()));
    }

    /// What came behind the savepoint never happened.
    pub(super) fn roll_back_to(&mut self, name: &str) {
        let Some(index) = self.savepoints.iter().position(|(other, _)| other == name) else {
            return;
        };
        let kept = self.savepoints.get(index).map_or(0, |(_, records)| *records);
        self.savepoints.truncate(index + 1);
        self.records.truncate(kept);
        self.bytes = self.records.iter().map(HeldRecord::bytes).sum();
    }

    /// What was kept back.
    pub(super) fn into_records(self) -> Vec<HeldRecord> {
        self.records
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(topic: &str) -> ProducerRecord<'_> {
        let (key, value) = (None, Some(b"12345".as_slice()));
        ProducerRecord { topic, partition: None, key, value, headers: &[], timestamp: None }
    }

    fn topics(hold: Hold) -> Vec<String> {
        let topic = |held: &HeldRecord| held.lend(|record| record.topic.to_owned());
        hold.into_records().iter().map(topic).collect()
    }

    #[test]
    fn what_is_rolled_back_to_a_savepoint_is_gone() {
        let mut hold = Hold::new(None);
        hold.add(&record("1"));
        hold.set_savepoint("`a`");
        hold.add(&record("2"));
        hold.set_savepoint("`b`");
        hold.add(&record("3"));
        hold.roll_back_to("`a`");
        hold.add(&record("4"));
        hold.roll_back_to("`b`"); // Went with what was behind `a`.
        hold.set_savepoint("`a`");
        hold.add(&record("5"));
        hold.roll_back_to("`a`");
        assert_eq!(topics(hold), ["1", "4"]);
    }

    #[test]
    fn it_is_full_beyond_its_limit() {
        let mut hold = Hold::new(Some(300));
        hold.set_savepoint("`a`");
        while !hold.is_full() {
            hold.add(&record("1"));
        }
        hold.roll_back_to("`a`");
        assert!(!hold.is_full());
    }
}
