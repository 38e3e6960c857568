//! outflow beside Debezium on real servers of this machine: how fast, how soon, at what cost.
//!
//! `cargo bench --bench end_to_end -- --help` lists what can be measured. Everything is started by
//! `tests/servers.sh`; nothing else has to be there. Numbers of one run compare with each other only.

mod backlog;
mod bench;
mod chart;
mod connector;
mod debezium;
mod drain;
mod floor;
mod growth;
mod idle;
mod latency;
mod load;
mod machine;
mod numbers;
mod options;
mod outage;
mod outflow;
mod plain;
mod process;
mod report;
mod rest;
mod servers;
mod sql;
mod subject;
mod targets;
mod topic;

use std::process::ExitCode;

use clap::Parser;

use bench::Bench;
use machine::Quiet;
use options::{Options, Part};
use report::Report;

fn main() -> ExitCode {
    // cargo adds this one to the arguments of every bench.
    let arguments = std::env::args().filter(|argument| argument != "--bench");
    let options = Options::parse_from(arguments);
    let result = match &options.floor {
        Some(until) => floor::read(until),
        None => run(options),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            report::note(&format!("{error:#}"));
            ExitCode::FAILURE
        }
    }
}

fn run(options: Options) -> anyhow::Result<()> {
    let mut bench = Bench::start(options)?;
    let mut report = Report::new(&bench)?;
    report.about(&mut bench)?;
    for part in bench.options.parts() {
        report::note(&format!("measuring {part:?}"));
        let quiet = Quiet::begin(&bench);
        let measured = match part {
            Part::Drain => drain::headline(&mut bench, &mut report),
            Part::Sizes => drain::sizes(&mut bench, &mut report),
            Part::Busy => drain::busy(&mut bench, &mut report),
            Part::Latency => latency::measure(&mut bench, &mut report),
            Part::Idle => idle::measure(&mut bench, &mut report),
            Part::Outage => outage::measure(&mut bench, &mut report),
            Part::Growth => growth::measure(&mut bench, &mut report),
        };
        // What was measured before is worth its paper.
        if let Err(error) = measured {
            report.remark(&format!("{part:?} was cut short: {error:#}"));
        }
        report.text(&quiet.end(&bench));
        report.write()?;
    }
    report.print()?;
    bench.end()
}
