//! A row in steady state takes no memory from the allocator.

use std::hint::black_box;
use std::io::Write;

use bumpalo::Bump;

use crate::recording::{Pipeline, config, outboxes};

/// Passes over the recording.
const PASSES: u64 = 100;

/// Counts and prints; a row that allocates ends the bench.
pub(crate) fn show() {
    let config = config(&[]);
    let pipeline = Pipeline::new(&config);
    for table in outboxes(&config) {
        let (table, plan) = table.routed(&pipeline.router);
        let mut arena = Bump::with_capacity(16 << 10);
        // The first pass may warm up what lasts.
        black_box(pipeline.run(&table, &plan, &mut arena));
        let counted = allocation_counter::measure(|| {
            for _ in 0..PASSES {
                black_box(pipeline.run(&table, &plan, &mut arena));
            }
        });
        let rows = table.rows * PASSES;
        say(&format!(
            "{}: {} allocations in {rows} rows, decoded, routed and converted",
            table.name, counted.count_total
        ));
        assert_eq!(counted.count_total, 0, "a row of {} allocates", table.name);
    }
}

fn say(text: &str) {
    writeln!(std::io::stdout(), "{text}").expect("standard output is there");
}
