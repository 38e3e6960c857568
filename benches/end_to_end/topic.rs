use std::cell::Cell;
use std::time::{Duration, Instant};

use anyhow::{Context, anyhow, bail};
use rdkafka::admin::{AdminClient, AdminOptions, NewTopic, TopicReplication};
use rdkafka::client::DefaultClientContext;
use rdkafka::consumer::{BaseConsumer, Consumer};
use rdkafka::{ClientConfig, Offset, TopicPartitionList};
use tokio::runtime::{Builder, Runtime};

/// How long a broker may take to answer.
const ANSWER_MAX: Duration = Duration::from_secs(30);
/// Partitions of the topics that are drained into.
pub(crate) const PARTITIONS: i32 = 3;
/// Between looks at a topic's ends: often enough, and cheap for the broker.
const LOOK: Duration = Duration::from_millis(10);

/// A topic on which nothing came for so long gets nothing more.
const STANDSTILL_MAX: Duration = Duration::from_secs(120);

/// Topics of the run, and how much is on them.
pub(crate) struct Topics {
    admin: AdminClient<DefaultClientContext>,
    client: BaseConsumer,
    runtime: Runtime,
    made: Cell<u32>,
}

/// When records were there.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arrival {
    pub(crate) first: Instant,
    pub(crate) last: Instant,
}

impl Topics {
    pub(crate) fn connect(brokers: &str) -> anyhow::Result<Self> {
        let mut config = ClientConfig::new();
        config.set("bootstrap.servers", brokers).set("reconnect.backoff.max.ms", "200");
        let admin = config.create()?;
        let client = config.set("group.id", "outflow-bench").create()?;
        let runtime = Builder::new_current_thread().enable_all().build()?;
        Ok(Self { admin, client, runtime, made: Cell::new(0) })
    }

    /// A new topic.
    pub(crate) fn fresh(&self) -> anyhow::Result<String> {
        let name = format!("bench-{}", self.unique());
        self.create(std::slice::from_ref(&name), PARTITIONS)?;
        Ok(name)
    }

    /// What no other name of this or another run has in it.
    pub(crate) fn unique(&self) -> String {
        format!("{}-{}", std::process::id(), self.number())
    }

    /// A number that the run has not had before.
    pub(crate) fn number(&self) -> u32 {
        self.made.set(self.made.get() + 1);
        self.made.get()
    }

    /// Makes topics and waits until the last of them can be written.
    pub(crate) fn create(&self, names: &[String], partitions: i32) -> anyhow::Result<()> {
        for some in names.chunks(200) {
            let new =
                some.iter().map(|name| NewTopic::new(name, partitions, TopicReplication::Fixed(1)));
            let new: Vec<_> = new.collect();
            let options = AdminOptions::new().operation_timeout(Some(ANSWER_MAX));
            for made in self.runtime.block_on(self.admin.create_topics(&new, &options))? {
                made.map_err(|(topic, code)| anyhow!("creating topic {topic}: {code}"))?;
            }
        }
        let last = names.last().context("no topic named")?;
        let deadline = Instant::now() + ANSWER_MAX;
        while self.led(last) < usize::try_from(partitions)? {
            if Instant::now() > deadline {
                bail!("topic {last} does not become ready");
            }
            std::thread::sleep(LOOK);
        }
        Ok(())
    }

    /// How many partitions of a topic can be written.
    fn led(&self, topic: &str) -> usize {
        let Ok(metadata) = self.client.fetch_metadata(Some(topic), ANSWER_MAX) else { return 0 };
        let partitions = metadata.topics().iter().flat_map(|topic| topic.partitions());
        partitions.filter(|partition| partition.leader() >= 0).count()
    }

    /// Gives its disk space back, some time later.
    pub(crate) fn delete(&self, names: &[String]) -> anyhow::Result<()> {
        for some in names.chunks(200) {
            let names: Vec<_> = some.iter().map(String::as_str).collect();
            self.runtime.block_on(self.admin.delete_topics(&names, &AdminOptions::new()))?;
        }
        Ok(())
    }

    /// How many records have come to a topic, transactions' markers included: one small request, since the broker's
    /// time for answers is taken from the subject.
    pub(crate) fn count(&self, topic: &str) -> anyhow::Result<u64> {
        let mut ends = TopicPartitionList::new();
        for partition in 0..PARTITIONS {
            ends.add_partition_offset(topic, partition, Offset::End)?;
        }
        let ends = self.client.offsets_for_times(ends, ANSWER_MAX)?;
        let mut count = 0;
        for end in ends.elements() {
            end.error()?;
            count += end.offset().to_raw().unwrap_or_default();
        }
        Ok(u64::try_from(count)?)
    }

    /// Watches until so many records are there. `look` is called meanwhile and ends it by an error.
    pub(crate) fn until(
        &self,
        topic: &str,
        rows: u64,
        mut look: impl FnMut() -> anyhow::Result<()>,
    ) -> anyhow::Result<Arrival> {
        let (mut first, mut most, mut grown) = (None, 0, Instant::now());
        loop {
            let count = self.count(topic).unwrap_or_default();
            if count > 0 {
                first = first.or(Some(Instant::now()));
            }
            if count > most {
                (most, grown) = (count, Instant::now());
            }
            if grown.elapsed() > STANDSTILL_MAX {
                bail!("{most} of {rows} records came, and no more");
            }
            if let Some(first) = first.filter(|_| count >= rows) {
                return Ok(Arrival { first, last: Instant::now() });
            }
            look()?;
            std::thread::sleep(LOOK);
        }
    }
}

/// A consumer at the beginning of a topic.
pub(crate) fn consumer(brokers: &str, topic: &str) -> anyhow::Result<BaseConsumer> {
    let consumer: BaseConsumer = ClientConfig::new()
        .set("bootstrap.servers", brokers)
        .set("group.id", "outflow-bench")
        .set("enable.auto.commit", "false")
        .create()?;
    let mut partitions = TopicPartitionList::new();
    for partition in 0..PARTITIONS {
        partitions.add_partition_offset(topic, partition, Offset::Beginning)?;
    }
    consumer.assign(&partitions)?;
    Ok(consumer)
}
