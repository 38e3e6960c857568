use std::hint::black_box;
use std::sync::Arc;

use criterion::{Criterion, Throughput};
use outflow::checkpoint::{Boundary, CompletedGtids, InFlight};
use outflow::offset::{Gtid, GtidSet, GtidSource, Offset, Tag};

/// Records of one pass.
pub(crate) const RECORDS: u64 = 10_000;
/// Records in a batch of one partition: their reports come together.
const BATCH: u64 = 500;
/// As many places are handed over at a time.
const PLACES: u64 = 1000;

/// The ring of acknowledgements, with a place behind every record and behind every hundredth.
pub(crate) fn measure(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("acks");
    group.throughput(Throughput::Elements(RECORDS));
    for per in [1, 100] {
        group.bench_function(format!("in order, {per} a transaction"), |bencher| {
            bencher.iter(in_order(per));
        });
        group.bench_function(
            format!("batches the wrong way round, {per} a transaction"),
            |bencher| {
                bencher.iter(Ring::new(per).passes(|n| {
                    let pair = n / (2 * BATCH) * 2 * BATCH;
                    pair + (n - pair + BATCH) % (2 * BATCH)
                }));
            },
        );
    }
    group.finish();
}

/// Passes of records that are acknowledged as they were sent, a place behind every so many.
pub(crate) fn in_order(per: u64) -> impl FnMut() -> u64 {
    Ring::new(per).passes(|n| n)
}

/// A ring and where it is.
struct Ring {
    in_flight: InFlight,
    next: u64,
    per: u64,
    places: Vec<Boundary>,
    file: Arc<str>,
}

impl Ring {
    fn new(per: u64) -> Self {
        let offset = Offset { gtids: Some(GtidSet::default()), ..Offset::default() };
        Self {
            in_flight: InFlight::new(offset),
            next: 0,
            per,
            places: Vec::new(),
            file: Arc::from("binlog.000001"),
        }
    }

    /// Sends records, and acknowledges them in an order.
    fn passes(mut self, order: impl Fn(u64) -> u64) -> impl FnMut() -> u64 {
        move || {
            let first = self.next;
            for sequence in first..first + RECORDS {
                self.in_flight.sent(sequence, sequence);
                if (sequence + 1).is_multiple_of(self.per) {
                    self.places.push(self.place(sequence + 1));
                }
                if (sequence + 1).is_multiple_of(PLACES) {
                    self.in_flight.publish(&mut self.places);
                }
            }
            for n in 0..RECORDS {
                black_box(self.in_flight.acknowledge(first + order(n)));
                if (n + 1).is_multiple_of(BATCH) {
                    self.in_flight.advance();
                }
            }
            self.next = first + RECORDS;
            assert_eq!(self.in_flight.low(), self.next, "every record is acknowledged");
            self.next
        }
    }

    fn place(&self, sequence: u64) -> Boundary {
        let source = GtidSource { uuid: [7; 16], tag: Tag::default() };
        Boundary {
            sequence,
            gtids: CompletedGtids::one(Some(Gtid { source, number: sequence / self.per })),
            file: Arc::clone(&self.file),
            pos: sequence * 700,
            event: 0,
            row: 0,
            ts_sec: 1_700_000_000,
            server_id: 1,
            snapshot: None,
        }
    }
}
