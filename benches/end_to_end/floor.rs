//! The reader alone, in a process of its own: what the server can send and the framer can take.

use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, anyhow, bail};
use outflow::config::{Environment, Inputs, check};
use outflow::offset::BinlogPosition;
use outflow::source::{DumpStart, Packet, Replica};
use uuid::Uuid;

use crate::bench::{Bench, Waiting};

/// The command that reads a backlog.
pub(crate) fn command(bench: &Bench, waiting: &Waiting) -> anyhow::Result<Command> {
    let mut command = Command::new(std::env::current_exe()?);
    command.arg("--floor").arg(bench.connector_file());
    for place in [&waiting.start, &waiting.end] {
        command.args([&place.file, &place.pos.to_string()]);
    }
    command.stdin(Stdio::null());
    Ok(command)
}

/// Reads what the arguments of [`command`] name.
pub(crate) fn read(arguments: &[String]) -> anyhow::Result<()> {
    let [file, from_file, from_pos, to_file, to_pos] = arguments else {
        bail!("--floor takes a connector file, and file and position of two places");
    };
    let text = std::fs::read_to_string(Path::new(file))?;
    let set = [("database.server.id".to_owned(), "7003".to_owned())];
    let inputs = Inputs { file: &text, set: &set, ..Inputs::default() };
    let (config, _) = check(&inputs, &Environment::of_process());
    let config = config.map_err(|problems| anyhow!("{problems:?}"))?;
    let host = config.source.hosts.first().context("no host")?;
    let from = BinlogPosition { file: from_file.clone(), pos: from_pos.parse()? };
    let until: u32 = to_pos.parse().context("a log file beyond 4 GiB")?;
    let start = DumpStart::Position(from);
    let mut replica = Replica::connect(&config.source, host, None, Uuid::now_v7(), &start)?;
    loop {
        let log_pos = match replica.next(|_| true)? {
            Packet::Event(event) => event.header.log_pos,
            Packet::Idle => 0,
        };
        if log_pos >= until && replica.file() == to_file {
            return Ok(());
        }
    }
}
