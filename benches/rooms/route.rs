use std::hint::black_box;

use bumpalo::Bump;
use criterion::Criterion;

use crate::recording::{Pipeline, config, outboxes};

/// Options that change what the router has to do for a row.
const OPTIONS: [(&str, &[(&str, &str)]); 3] = [
    ("topic by column", &[]),
    ("one topic", &[("transforms.outbox.route.topic.replacement", "events")]),
    ("expanded JSON", &[("transforms.outbox.table.expand.json.payload", "true")]),
];

/// Row changes to records.
pub(crate) fn measure(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("route");
    for (name, set) in OPTIONS {
        let config = config(set);
        let pipeline = Pipeline::new(&config);
        for table in outboxes(&config) {
            let (table, plan) = table.routed(&pipeline.router);
            let rows_arena = Bump::new();
            let rows = table.decoded(&rows_arena);
            let mut arena = Bump::with_capacity(16 << 10);
            group.throughput(table.throughput());
            group.bench_function(format!("{}, {name}", table.name), |bencher| {
                bencher.iter(|| {
                    for row in &rows {
                        arena.reset();
                        black_box(pipeline.route(&plan, row, &arena));
                    }
                });
            });
        }
    }
    group.finish();
}
