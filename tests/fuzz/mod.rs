//! Whatever comes in, nothing panics: events and rows, configuration of every form, positions, and records on their
//! whole way to bytes.
//!
//! Each target runs a few hundred inputs, or with `OUTFLOW_FUZZ_MINUTES=5` for so long. An input that fails is
//! made as small as can be and printed. The parts that no other crate can reach have such tests beside their code.

mod files;
mod logs;
mod property;
mod rows;
mod table;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use proptest::strategy::Strategy;
use proptest::test_runner::{Config, TestCaseError, TestRunner};

/// Inputs of a run without minutes, and of one round of a run with them.
const ROUND: u32 = 256;

/// Gives inputs to `check`, which must return.
fn fuzz<S: Strategy>(target: &str, strategy: &S, check: impl Fn(S::Value)) {
    let minutes = std::env::var("OUTFLOW_FUZZ_MINUTES").ok();
    let minutes: f64 = minutes.map_or(0.0, |text| text.parse().expect("a number of minutes"));
    let end = Instant::now() + Duration::from_secs_f64(minutes * 60.0);
    let mut inputs = 0_u64;
    loop {
        let config = Config { cases: ROUND, failure_persistence: None, ..Config::default() };
        let result = TestRunner::new(config).run(strategy, |input| {
            let outcome = catch_unwind(AssertUnwindSafe(|| check(input)));
            outcome.map_err(|_| TestCaseError::fail("it panics"))
        });
        if let Err(err) = result {
            panic!("{target}: {err}");
        }
        inputs += u64::from(ROUND);
        if Instant::now() >= end {
            break;
        }
    }
    eprintln!("fuzz: {target}: {inputs} inputs");
}
