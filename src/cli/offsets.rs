//! `outflow offsets`: stored positions, in the form that Kafka Connect keeps them in.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, bail};
use clap::{Args, Subcommand};
use serde_json::{Value as Json, json};

use super::{EXIT_USAGE, Files, complain, configurations, say};
use crate::checkpoint::{DataDir, OffsetsTopic, Store};
use crate::config::ConnectorConfig;
use crate::offset::Offset;
use crate::runtime::prepared_rows;

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
    Export {
        #[command(flatten)]
        place: Place,
        /// Write the record into Connect's offsets topic too, so that Debezium goes on from there. The connector
        /// must be stopped in Connect, or not be there yet.
        #[arg(long)]
        to_topic: bool,
        /// With --to-topic: rows of XA transactions that are prepared may be left behind.
        #[arg(long, requires = "to_topic")]
        leave_prepared: bool,
    },
    /// Store a position: a JSON object with `file`, `pos` and `gtids`, what `export` printed, or what Connect stored.
    Import {
        #[command(flatten)]
        place: Place,
        /// Where the JSON is; `-` for standard input.
        #[arg(long, value_name = "FILE", required_unless_present = "from_topic")]
        from: Option<PathBuf>,
        /// From Connect's offsets topic. The connector must be stopped in Connect.
        #[arg(long, conflicts_with = "from")]
        from_topic: bool,
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
pub(super) fn offsets(args: &Offsets) -> anyhow::Result<ExitCode> {
    match &args.action {
        Action::Show(place) => each(place, false, |config, store| {
            let offset = store.load()?.map(|offset| offset.to_json());
            say(&json!({ "name": config.name, "offset": offset }).to_string());
            Ok(())
        }),
        Action::Export { place, to_topic, leave_prepared } => {
            each(place, *to_topic, |config, store| {
                let offset = store.load()?.with_context(|| {
                    format!("connector {:?} has no stored position", config.name)
                })?;
                if *to_topic {
                    if !leave_prepared {
                        none_prepared(config, store, &offset)?;
                    }
                    write_to_topic(config, &offset)?;
                }
                let key = json!([config.name, { "server": config.topic_prefix }]);
                say(&json!({ "key": key, "value": offset.to_json() }).to_string());
                Ok(())
            })
        }
        Action::Import { place, from, .. } => {
            let given = from.as_deref().map(read_offset).transpose()?;
            if given.is_some() && place.files.files.len() > 1 {
                bail!("a position belongs to one connector: give one file");
            }
            std::fs::create_dir_all(&place.data_dir)
                .with_context(|| format!("making the data folder {:?}", place.data_dir))?;
            each(place, given.is_none(), |config, store| {
                let offset = match &given {
                    Some((offset, owner)) => {
                        if let Some(owner) = owner.as_ref().filter(|owner| **owner != config.name) {
                            complain(&format!(
                                "warning: the position is that of connector {owner:?}"
                            ));
                        }
                        offset.clone()
                    }
                    None => read_from_topic(config)?,
                };
                store.import(&offset)?;
                say(&format!("stored the position of connector {:?}", config.name));
                Ok(())
            })
        }
        Action::Reset(place) => each(place, false, |config, store| {
            store.reset()?;
            say(&format!("forgot the position of connector {:?}", config.name));
            Ok(())
        }),
    }
}

/// Does something with the state of each file's connector.
fn each(
    place: &Place,
    needs_brokers: bool,
    mut act: impl FnMut(&ConnectorConfig, &mut Store) -> anyhow::Result<()>,
) -> anyhow::Result<ExitCode> {
    let Some(configs) = configurations(&place.files, needs_brokers, |_, _, _| ()) else {
        return Ok(ExitCode::from(EXIT_USAGE));
    };
    if !place.data_dir.is_dir() {
        bail!("data folder {:?} does not exist; name it with --data-dir", place.data_dir);
    }
    let data_dir = DataDir::open(&place.data_dir)?;
    for config in &configs {
        act(config, &mut Store::open(&data_dir, &config.name)?)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Connect's offsets topic, as the files name it.
fn offsets_topic(config: &ConnectorConfig) -> anyhow::Result<OffsetsTopic> {
    OffsetsTopic::of(config).context(
        "no file names Connect's offsets topic: give the worker's file with --worker, or set offsets.storage.topic",
    )
}

fn read_from_topic(config: &ConnectorConfig) -> anyhow::Result<Offset> {
    let topic = offsets_topic(config)?;
    let stored = topic.read()?.with_context(|| {
        let key = String::from_utf8_lossy(topic.key()).into_owned();
        format!("the offsets topic {:?} has no offset under the key {key}", topic.topic())
    })?;
    if stored.ad_hoc_snapshot {
        complain(
            "warning: an ad hoc snapshot was under way: what it did not reach is not published",
        );
    }
    Ok(stored.offset)
}

fn write_to_topic(config: &ConnectorConfig, offset: &Offset) -> anyhow::Result<()> {
    let topic = offsets_topic(config)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    topic.ensure(runtime.handle())?;
    topic.write(offset, runtime.handle())?;
    Ok(())
}

/// Debezium publishes an XA transaction at its PREPARE, which may lie behind the position.
fn none_prepared(config: &ConnectorConfig, store: &Store, offset: &Offset) -> anyhow::Result<()> {
    let waiting = prepared_rows(store, offset)?;
    if !waiting.is_empty() {
        bail!(
            "connector {:?} holds rows of prepared XA transactions, which Debezium would not publish: {}; commit or \
             roll them back and run outflow until it has read that, or give --leave-prepared",
            config.name,
            waiting.join(", ")
        );
    }
    Ok(())
}

/// A position, and whose it is where the text says so.
fn read_offset(from: &Path) -> anyhow::Result<(Offset, Option<String>)> {
    let mut text = String::new();
    if from == Path::new("-") {
        std::io::stdin().read_to_string(&mut text).context("reading standard input")?;
    } else {
        text =
            std::fs::read_to_string(from).with_context(|| format!("reading {}", from.display()))?;
    }
    let json: Json = serde_json::from_str(&text).context("the position is not JSON")?;
    let value = json.get("value").or_else(|| json.get("offset")).unwrap_or(&json);
    let owner = json.pointer("/key/0").or_else(|| json.get("name")).and_then(Json::as_str);
    let offset = Offset::from_json(value).context("the position cannot be used")?;
    Ok((offset, owner.map(str::to_owned)))
}
