//! `outflow doctor`: what a start would find, asked of the servers themselves.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use clap::Args;
use uuid::Uuid;

use super::{EXIT_USAGE, Files, asynchronous, configurations, say};
use crate::checkpoint::{DataDir, REPLICA_UUID, Store, StoreError};
use crate::config::ConnectorConfig;
use crate::runtime::{Finding, Known, examine};

#[derive(Args)]
pub(super) struct Doctor {
    #[command(flatten)]
    files: Files,
    /// Folder of the stored offsets, if there is one.
    #[arg(long, value_name = "DIR", default_value = "./outflow-data")]
    data_dir: PathBuf,
}

/// Examines each file's connector; success where nothing is wrong.
pub(super) fn doctor(args: &Doctor) -> anyhow::Result<ExitCode> {
    let Some(configs) = configurations(&args.files, true, |_, _, _| ()) else {
        return Ok(ExitCode::from(EXIT_USAGE));
    };
    let runtime = asynchronous()?;
    let mut well = true;
    for config in configs {
        let config = Arc::new(config);
        let known = known(&args.data_dir, &config)?;
        say(&format!("{}:", config.name));
        for finding in examine(&config, &known, runtime.handle()) {
            well &= !matches!(finding, Finding::Problem { .. });
            show(&finding);
        }
    }
    Ok(if well { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn show(finding: &Finding) {
    let (word, what, cure) = match finding {
        Finding::Fine(what) => ("fine", what, ""),
        Finding::Advice { what, cure } => ("advice", what, cure.as_str()),
        Finding::Problem { what, cure } => ("PROBLEM", what, cure.as_str()),
    };
    say(&format!("  {word:<8} {what}"));
    if !cure.is_empty() {
        say(&format!("           {cure}"));
    }
}

/// What the data folder tells, which need not be there and may be in use.
fn known(path: &Path, config: &ConnectorConfig) -> anyhow::Result<Known> {
    let unknown = |runs| Known { uuid: Uuid::now_v7(), offset: None, runs };
    if !path.is_dir() {
        return Ok(unknown(false));
    }
    let data_dir = match DataDir::open(path) {
        Err(StoreError::Locked(_)) => return Ok(unknown(true)),
        opened => opened?,
    };
    let mut store = Store::open(&data_dir, &config.name)?;
    let uuid = store.fact(REPLICA_UUID)?.and_then(|text| Uuid::try_parse_ascii(&text).ok());
    Ok(Known { uuid: uuid.unwrap_or_else(Uuid::now_v7), offset: store.load()?, runs: false })
}
