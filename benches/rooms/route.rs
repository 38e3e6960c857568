use std::hint::black_box;

use bumpalo::Bump;
use criterion::{Criterion, Throughput};
use outflow::decode::RowsEvent;

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
            let mut rows = Vec::new();
            for &(kind, body) in &table.events {
                let mut event = RowsEvent::parse(kind, body).expect("rows that MySQL wrote");
                while let Some(row) =
                    event.next_row(&table.plan, &rows_arena, 0).expect("a row that the plan fits")
                {
                    rows.push(row);
                }
            }
            let mut arena = Bump::with_capacity(16 << 10);
            group.throughput(Throughput::ElementsAndBytes {
                elements: table.rows,
                bytes: table.bytes,
            });
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
