//! `outflow consume`: prints the records of a topic, to see what outflow wrote without other tools.

use std::io::{self, Write};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use anyhow::{Context, bail};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use clap::Args;
use rdkafka::config::ClientConfig;
use rdkafka::consumer::{BaseConsumer, Consumer};
use rdkafka::message::{BorrowedMessage, Headers, Message};
use rdkafka::{Offset, TopicPartitionList};

/// How long the brokers may take to answer.
const METADATA_WAIT: Duration = Duration::from_secs(10);
/// The pause between looks for a topic that is not there yet.
const TOPIC_PAUSE: Duration = Duration::from_millis(100);
/// How long one wait for a record lasts, so that the time-out is looked at.
const RECORD_WAIT: Duration = Duration::from_millis(200);
/// The longest that a broker holds an answer back while it has nothing new. The embedded cluster holds it
/// for as long as that whatever comes in meanwhile, so a longer wait would be measured as outflow's.
const FETCH_WAIT_MS: &str = "5";
/// Where a record's second line of text and those after it begin.
const INDENT: &str = "\n           ";

#[derive(Args)]
pub(super) struct Consume {
    /// Kafka's addresses.
    #[arg(long, value_name = "HOST:PORT,…")]
    bootstrap_servers: String,
    /// The topic, read from its beginning; waited for when it is not there yet.
    #[arg(long)]
    topic: String,
    /// End well after this many records.
    #[arg(long, value_name = "N")]
    count: Option<u64>,
    /// End after this long; not well when `--count` records have not come by then.
    #[arg(long, value_name = "SECONDS")]
    timeout_s: Option<u64>,
}

/// Prints records as they arrive; whether as many came as were asked for.
pub(super) fn consume(args: &Consume) -> anyhow::Result<bool> {
    let deadline = args.timeout_s.map(|timeout_s| Instant::now() + Duration::from_secs(timeout_s));
    let is_over = || deadline.is_some_and(|deadline| Instant::now() >= deadline);
    let consumer: BaseConsumer = ClientConfig::new()
        .set("client.id", "outflow-consume")
        .set("group.id", "outflow-consume") // Asked for by the client; no group is joined and nothing is committed.
        .set("enable.auto.commit", "false")
        .set("bootstrap.servers", &args.bootstrap_servers)
        .set("fetch.wait.max.ms", FETCH_WAIT_MS)
        .create()
        .context("making the Kafka consumer")?;
    let Some(partitions) = await_topic(&consumer, &args.topic, deadline)? else {
        bail!("topic {:?} did not appear in time", args.topic);
    };
    consumer.assign(&partitions).with_context(|| format!("reading topic {:?}", args.topic))?;
    let mut seen = 0;
    while args.count.is_none_or(|count| seen < count) {
        match consumer.poll(RECORD_WAIT) {
            Some(Ok(record)) => {
                let arrived = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
                match print(&record, arrived) {
                    Err(err) if err.kind() == io::ErrorKind::BrokenPipe => return Ok(true),
                    printed => printed.context("writing to standard output")?,
                }
                seen += 1;
            }
            Some(Err(err)) => {
                return Err(err).with_context(|| format!("reading topic {:?}", args.topic));
            }
            None if is_over() => break,
            None => {}
        }
    }
    Ok(args.count.is_none_or(|count| seen >= count))
}

/// Every partition of the topic from its beginning, once the topic is there; `None` when it is over first.
fn await_topic(
    consumer: &BaseConsumer,
    topic: &str,
    deadline: Option<Instant>,
) -> anyhow::Result<Option<TopicPartitionList>> {
    let left = || deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
    while left().is_none_or(|left| !left.is_zero()) {
        let metadata = consumer
            .fetch_metadata(Some(topic), left().unwrap_or(METADATA_WAIT).min(METADATA_WAIT))
            .context("asking the Kafka brokers for the topic's partitions")?;
        let mut partitions = TopicPartitionList::new();
        for partition in metadata.topics().iter().flat_map(|topic| topic.partitions()) {
            partitions.add_partition_offset(topic, partition.id(), Offset::Beginning)?;
        }
        if partitions.count() > 0 {
            return Ok(Some(partitions));
        }
        std::thread::sleep(TOPIC_PAUSE);
    }
    Ok(None)
}

fn print(record: &BorrowedMessage<'_>, arrived: Duration) -> io::Result<()> {
    let mut out = io::stdout().lock();
    let (topic, partition, kafka_offset) = (record.topic(), record.partition(), record.offset());
    writeln!(out, "{topic} partition {partition} offset {kafka_offset}")?;
    writeln!(out, "  key      {}", text(record.key()))?;
    for header in record.headers().iter().flat_map(|headers| headers.iter()) {
        writeln!(out, "  header   {}: {}", header.key, text(header.value))?;
    }
    writeln!(out, "  value    {}", text(record.payload()))?;
    writeln!(out, "  arrived  {}.{:06}", arrived.as_secs(), arrived.subsec_micros())?;
    out.flush()
}

fn text(bytes: Option<&[u8]>) -> String {
    match bytes.map(|bytes| (bytes, std::str::from_utf8(bytes))) {
        None => "(null)".to_owned(),
        Some((_, Ok(text))) => text.replace('\n', INDENT),
        Some((bytes, Err(_))) => format!("(base64) {}", STANDARD.encode(bytes)),
    }
}

#[cfg(test)]
mod tests {
    use super::text;

    #[test]
    fn bytes_show_as_text_where_they_are_text() {
        let cases: [(Option<&[u8]>, &str); 5] = [
            (None, "(null)"),
            (Some(b""), ""),
            (Some("gr\u{fc}n".as_bytes()), "gr\u{fc}n"),
            (Some(b"a\n  key      b"), "a\n             key      b"),
            (Some(&[0xff, 0x00]), "(base64) /wA="),
        ];
        for (bytes, shown) in cases {
            assert_eq!(text(bytes), shown);
        }
    }
}
