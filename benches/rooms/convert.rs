use std::hint::black_box;

use bumpalo::Bump;
use criterion::Criterion;

use crate::recording::{Pipeline, config, outboxes};

const JSON: &str = "org.apache.kafka.connect.json.JsonConverter";
/// Converters that people use, and what has to be expanded for them.
const OPTIONS: [(&str, &[(&str, &str)]); 3] = [
    ("String", &[]),
    ("JSON with schemas", &[("key.converter", JSON), ("value.converter", JSON)]),
    (
        "JSON of expanded payloads",
        &[
            ("value.converter", JSON),
            ("value.converter.schemas.enable", "false"),
            ("transforms.outbox.table.expand.json.payload", "true"),
        ],
    ),
];

/// Records to bytes, and rows through all rooms.
pub(crate) fn measure(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("convert");
    for (name, set) in OPTIONS {
        let config = config(set);
        let pipeline = Pipeline::new(&config);
        for table in outboxes(&config) {
            let (table, plan) = table.routed(&pipeline.router);
            let record_arena = Bump::new();
            let rows = table.decoded(&record_arena);
            let records: Vec<_> =
                rows.iter().map(|row| pipeline.route(&plan, row, &record_arena)).collect();
            let mut arena = Bump::with_capacity(16 << 10);
            group.throughput(table.throughput());
            group.bench_function(format!("{}, {name}", table.name), |bencher| {
                bencher.iter(|| {
                    for record in &records {
                        arena.reset();
                        black_box(pipeline.converters.convert(record, &arena))
                            .expect("a record of text");
                    }
                });
            });
        }
    }
    group.finish();
    all_rooms(criterion);
}

/// Decode, route and convert in one go.
fn all_rooms(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("decode, route and convert");
    let config = config(&[]);
    let pipeline = Pipeline::new(&config);
    for table in outboxes(&config) {
        let (table, plan) = table.routed(&pipeline.router);
        let mut arena = Bump::with_capacity(16 << 10);
        group.throughput(table.throughput());
        group.bench_function(&table.name, |bencher| {
            bencher.iter(|| pipeline.run(black_box(&table), &plan, &mut arena));
        });
    }
    group.finish();
}
