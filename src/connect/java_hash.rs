//! The order in which Java's `HashMap` gives its keys.

/// A `HashMap` that is filled and cleared again and again: its table of buckets grows and never shrinks.
#[derive(Clone, Copy, Debug)]
pub struct JavaHashOrder {
    buckets: usize,
}

impl Default for JavaHashOrder {
    fn default() -> Self {
        Self { buckets: 16 }
    }
}

impl JavaHashOrder {
    /// Puts entries, which stand in the order in which they were put, into the order in which the map gives them.
    pub fn sort<T>(&mut self, entries: &mut [T], key: impl Fn(&T) -> &str) {
        while entries.len() > self.buckets / 4 * 3 {
            self.buckets *= 2;
        }
        // Keys of one bucket stay in the order in which they came, which a growing table keeps.
        entries.sort_by_cached_key(|entry| spread(key(entry)) & (self.buckets - 1));
    }
}

/// `String.hashCode`, its upper half mixed into the lower one.
fn spread(text: &str) -> usize {
    let hash = text
        .encode_utf16()
        .fold(0_u32, |hash, unit| hash.wrapping_mul(31).wrapping_add(u32::from(unit)));
    usize::try_from(hash ^ (hash >> 16)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Recorded: the tables of a transaction, and of one after another had changed thirty.
    #[test]
    fn keys_come_by_bucket_and_the_table_never_shrinks() {
        let named = |table: &str| format!("p_transaction_metadata_many_tables.{table}");
        let sorted = |order: &mut JavaHashOrder, tables: &str| {
            let mut names: Vec<String> = tables.split(' ').map(named).collect();
            order.sort(&mut names, |name| name);
            let tables = names.iter().map(|name| name.rsplit('.').next().unwrap());
            tables.collect::<Vec<_>>().join(" ")
        };
        let mut order = JavaHashOrder::default();
        assert_eq!(sorted(&mut order, "t3 t1 t2 outbox"), "outbox t3 t1 t2");
        let many: Vec<String> = (0..30).map(|n| format!("t{n}")).collect();
        sorted(&mut order, &many.join(" "));
        assert_eq!(
            sorted(&mut order, "t9 t8 t7 t6 t5 t4 t3 t2 t1 t0 outbox"),
            "t9 t7 t8 t5 t6 t3 t4 t1 t2 t0 outbox"
        );
    }
}
