//! Produce to consume without a database: the floor under every latency.

use std::time::{Duration, Instant};

use rdkafka::ClientConfig;
use rdkafka::producer::{BaseProducer, BaseRecord, Producer};

use crate::load::{Moments, due, payload, wait_for};

const DELIVERY_MAX: Duration = Duration::from_secs(30);

/// Sends every record at this rate, with the settings of a producer that waits for nothing.
pub(crate) fn produce(
    brokers: &str,
    topic: &str,
    records: usize,
    moments: &Moments,
    rate: u64,
) -> anyhow::Result<()> {
    let producer: BaseProducer = ClientConfig::new()
        .set("bootstrap.servers", brokers)
        .set("enable.idempotence", "true")
        .set("linger.ms", "0")
        .create()?;
    // The first record waits for the producer's id and the topic's leaders.
    producer.send(BaseRecord::to(topic).key("warm").payload("{}")).map_err(|(error, _)| error)?;
    producer.flush(DELIVERY_MAX)?;
    let begin = Instant::now() + Duration::from_millis(200);
    for record in 0..records {
        wait_for(begin + due(record, rate));
        let (key, value) = (record.to_string(), payload(record));
        moments.note_sent(record);
        moments.note_committed(record);
        producer
            .send(BaseRecord::to(topic).key(&key).payload(&value))
            .map_err(|(error, _)| error)?;
        producer.poll(Duration::ZERO);
    }
    Ok(producer.flush(DELIVERY_MAX)?)
}
