//! `outflow offsets`: stored positions, in the form that Kafka Connect keeps them in.

use std::io::Read;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use clap::{Args, Subcommand};
use serde_json::{Value as Json, json};

use super::{Files, check, say};
use crate::checkpoint::{DataDir, Store};
use crate::config::ConnectorConfig;
use crate::offset::Offset;

#[derive(Args)]
pub(super) struct Offsets {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand)]
enum Action {
    /// Print the stored position of each file's connector.
    Show(Place),
    /// Print each stored position as a record of Connect's offsets topic: one JSON object with key and value.
    Export(Place),
    /// Store a position: a JSON object with `file`, `pos` and `gtids`, or what `export` printed.
    Import {
        #[command(flatten)]
        place: Place,
        /// Where the JSON is; `-` for standard input.
        #[arg(long, value_name = "FILE")]
        from: PathBuf,
    },
    /// Forget the stored position, so that the next start is a first start.
    Reset(Place),
}

#[derive(Args)]
struct Place {
    #[command(flatten)]
    files: Files,
    /// Folder of the stored offsets.
    #[arg(long, value_name = "DIR", default_value = "./outflow-data")]
    data_dir: PathBuf,
}

/// Runs the command. The data folder must not be in use.
pub(super) fn offsets(args: &Offsets) -> anyhow::Result<()> {
    match &args.action {
        Action::Show(place) => each(place, |config, store| {
            let offset = store.load()?.map(|offset| offset.to_json());
            say(&json!({ "name": config.name, "offset": offset }).to_string());
            Ok(())
        }),
        Action::Export(place) => each(place, |config, store| {
            let offset = store
                .load()?
                .with_context(|| format!("connector {:?} has no stored position", config.name))?;
            let key = json!([config.name, { "server": config.topic_prefix }]);
            say(&json!({ "key": key, "value": offset.to_json() }).to_string());
            Ok(())
        }),
        Action::Import { place, from } => {
            let offset = read_offset(from)?;
            if place.files.files.len() > 1 {
                bail!("a position belongs to one connector: give one file");
            }
            each(place, |config, store| {
                store.import(&offset)?;
                say(&format!("stored the position of connector {:?}", config.name));
                Ok(())
            })
        }
        Action::Reset(place) => each(place, |config, store| {
            store.reset()?;
            say(&format!("forgot the position of connector {:?}", config.name));
            Ok(())
        }),
    }
}

/// Does something with the state of each file's connector.
fn each(
    place: &Place,
    mut act: impl FnMut(&ConnectorConfig, &mut Store) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let mut configs = Vec::new();
    for file in &place.files.files {
        match check(&place.files, file, false)?.0 {
            Ok(config) => configs.push(config),
            Err(problems) => {
                let problems: Vec<String> = problems.iter().map(ToString::to_string).collect();
                bail!("{}: {}", file.display(), problems.join("; "));
            }
        }
    }
    if !place.data_dir.is_dir() {
        bail!("data folder {:?} does not exist; name it with --data-dir", place.data_dir);
    }
    let data_dir = DataDir::open(&place.data_dir)?;
    configs.iter().try_for_each(|config| act(config, &mut Store::open(&data_dir, &config.name)?))
}

fn read_offset(from: &Path) -> anyhow::Result<Offset> {
    let mut text = String::new();
    if from == Path::new("-") {
        std::io::stdin().read_to_string(&mut text).context("reading standard input")?;
    } else {
        text =
            std::fs::read_to_string(from).with_context(|| format!("reading {}", from.display()))?;
    }
    let json: Json = serde_json::from_str(&text).context("the position is not JSON")?;
    let value = json.get("value").or_else(|| json.get("offset")).unwrap_or(&json);
    Offset::from_json(value).context("the position cannot be used")
}
