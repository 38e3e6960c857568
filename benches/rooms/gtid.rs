use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput};
use outflow::offset::{Gtid, GtidInterval, GtidSet, GtidSource, Tag};

/// Transactions of one pass.
const TRANSACTIONS: u64 = 1000;

/// A set of so many servers, each with a gap.
fn set(servers: u128) -> GtidSet {
    let mut set = GtidSet::default();
    for server in 0..servers {
        for (start, end) in [(1, 1000), (2000, 3000)] {
            set.insert(source(server), GtidInterval { start, end });
        }
    }
    set
}

fn source(server: u128) -> GtidSource {
    // Spread over the order of the bytes, as random UUIDs are.
    let uuid = server.wrapping_mul(0x9E37_79B9_7F4A_7C15_F39C_C060_5CED_C835).to_be_bytes();
    GtidSource { uuid, tag: Tag::default() }
}

/// Sets of one and of many servers.
pub(crate) fn measure(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("gtid");
    for servers in [1, 1000] {
        let (of_all, last) = (set(servers), source(servers - 1));
        group.throughput(Throughput::Elements(TRANSACTIONS));
        group.bench_function(BenchmarkId::new("insert", servers), |bencher| {
            let mut growing = of_all.clone();
            let mut number = 3000;
            bencher.iter(|| {
                for _ in 0..TRANSACTIONS {
                    number += 1;
                    growing.insert_gtid(Gtid { source: last, number });
                }
            });
        });
        group.bench_function(BenchmarkId::new("contains", servers), |bencher| {
            bencher.iter(|| {
                let known = (0..TRANSACTIONS)
                    .filter(|&number| of_all.contains(&Gtid { source: last, number }));
                known.count()
            });
        });
        let (text, bytes) = (of_all.to_string(), of_all.to_bytes());
        let of_bytes =
            |bytes: &[u8]| Throughput::Bytes(u64::try_from(bytes.len()).unwrap_or_default());
        group.throughput(of_bytes(text.as_bytes()));
        group.bench_function(BenchmarkId::new("from text", servers), |bencher| {
            bencher.iter(|| black_box(&text).parse::<GtidSet>());
        });
        group.bench_function(BenchmarkId::new("to text", servers), |bencher| {
            bencher.iter(|| black_box(&of_all).to_string());
        });
        group.throughput(of_bytes(&bytes));
        group.bench_function(BenchmarkId::new("to bytes", servers), |bencher| {
            bencher.iter(|| black_box(&of_all).to_bytes());
        });
        group.bench_function(BenchmarkId::new("is subset", servers), |bencher| {
            bencher.iter(|| black_box(&of_all).is_subset_of(black_box(&of_all)));
        });
    }
    group.finish();
}
