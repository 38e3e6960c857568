//! What a row costs in the pure rooms, on rows that a real server wrote: `outbox.sql` holds the statements.
//!
//! `cargo bench --bench rooms` first counts allocations of a row in steady state, then measures.

mod acks;
mod allocations;
mod convert;
mod decode;
mod gtid;
mod recording;
mod route;

use criterion::Criterion;

fn main() {
    allocations::show();
    let mut criterion = Criterion::default().configure_from_args();
    decode::measure(&mut criterion);
    route::measure(&mut criterion);
    convert::measure(&mut criterion);
    gtid::measure(&mut criterion);
    acks::measure(&mut criterion);
    criterion.final_summary();
}
