use std::hint::black_box;

use bumpalo::Bump;
use criterion::{Criterion, Throughput};
use outflow::decode::{TableMap, TablePlan};

use crate::recording::{Pipeline, config, each_row, every_type, outboxes};

/// Rows to values; table maps to plans.
pub(crate) fn measure(criterion: &mut Criterion) {
    let config = config(&[]);
    let router = Pipeline::new(&config).router;
    let mut group = criterion.benchmark_group("decode");
    for table in outboxes(&config) {
        let (table, _) = table.routed(&router);
        let mut arena = Bump::with_capacity(16 << 10);
        group.throughput(table.throughput());
        group.bench_function(&table.name, |bencher| {
            bencher.iter(|| {
                each_row(&table.plan, &table.events, &mut arena, |row, _| {
                    black_box(*row);
                })
            });
        });
    }
    let tables = every_type(&config);
    let (rows, bytes) =
        tables.iter().fold((0, 0), |(rows, bytes), table| (rows + table.rows, bytes + table.bytes));
    let mut arena = Bump::with_capacity(64 << 10);
    group.throughput(Throughput::ElementsAndBytes { elements: rows, bytes });
    group.bench_function("every type", |bencher| {
        bencher.iter(|| {
            for table in &tables {
                each_row(&table.plan, &table.events, &mut arena, |row, _| {
                    black_box(*row);
                });
            }
        });
    });
    if let Some(table) = tables.first() {
        group.throughput(Throughput::Elements(1));
        group.bench_function("plan of a new table map", |bencher| {
            bencher.iter(|| {
                let map =
                    TableMap::parse(black_box(table.map)).expect("a table map that MySQL wrote");
                let columns = &config.capture.columns;
                TablePlan::new(&table.layout, Some(&map), "bench", columns, &config.decode)
            });
        });
    }
    group.finish();
}
