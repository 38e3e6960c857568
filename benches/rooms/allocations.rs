//! A row in steady state takes no memory from the allocator.

use std::hint::black_box;
use std::io::Write;

use bumpalo::Bump;

use crate::acks;
use crate::recording::{Pipeline, config, outboxes};

/// Passes that are counted.
const PASSES: u64 = 100;

/// Counts and prints; a row that allocates ends the bench.
pub(crate) fn show() {
    let config = config(&[]);
    let pipeline = Pipeline::new(&config);
    for table in outboxes(&config) {
        let (table, plan) = table.routed(&pipeline.router);
        let mut arena = Bump::with_capacity(16 << 10);
        let rows = table.rows;
        let what = format!("{}, decoded, routed and converted", table.name);
        count(&what, rows, || {
            black_box(pipeline.run(&table, &plan, &mut arena));
        });
    }
    for per in [1, 100] {
        let mut pass = acks::in_order(per);
        count(&format!("acknowledgements, {per} a transaction"), acks::RECORDS, || {
            black_box(pass());
        });
    }
}

fn count(what: &str, rows: u64, mut pass: impl FnMut()) {
    // The first pass may warm up what lasts.
    pass();
    let counted = allocation_counter::measure(|| (0..PASSES).for_each(|_| pass()));
    say(&format!("{what}: {} allocations in {} rows", counted.count_total, rows * PASSES));
    assert_eq!(counted.count_total, 0, "{what}: a row allocates");
}

fn say(text: &str) {
    writeln!(std::io::stdout(), "{text}").expect("standard output is there");
}
