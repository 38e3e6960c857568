use std::collections::VecDeque;
use std::rc::Rc;

/// Stretches of records of one table that are remembered: more than are in flight where tables alternate.
const STRETCHES_MAX: usize = 1 << 12;

/// Which table the latest records came from, so that a refused one can be named.
#[derive(Default)]
pub(super) struct SentFrom {
    /// Each table with the sequence number after its last record.
    stretches: VecDeque<(u64, Rc<str>)>,
}

impl SentFrom {
    /// Records before `end`, after those noted before, came from `table`. Costs one comparison where the
    /// table is the last one.
    pub(super) fn note(&mut self, end: u64, table: &Rc<str>) {
        if let Some((last_end, last)) = self.stretches.back_mut()
            && Rc::ptr_eq(last, table)
        {
            *last_end = end;
            return;
        }
        if self.stretches.len() >= STRETCHES_MAX {
            self.stretches.pop_front();
        }
        self.stretches.push_back((end, Rc::clone(table)));
    }

    /// The table that a record came from; the latest one for a record that is just being sent.
    pub(super) fn table_of(&self, sequence: u64) -> &str {
        let stretch = self.stretches.iter().find(|(end, _)| *end > sequence);
        stretch.or(self.stretches.back()).map_or("unknown", |(_, table)| table)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_is_of_the_stretch_that_ends_behind_it() {
        let mut sent = SentFrom::default();
        let (a, b) = (Rc::from("a"), Rc::from("b"));
        for (end, table) in [(1, &a), (2, &a), (3, &b), (5, &a)] {
            sent.note(end, table);
        }
        let tables: Vec<&str> = (0..6).map(|sequence| sent.table_of(sequence)).collect();
        assert_eq!(tables, ["a", "a", "b", "a", "a", "a"]);
    }
}
