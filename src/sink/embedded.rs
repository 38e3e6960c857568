use rdkafka::mocking::MockCluster;
use rdkafka::producer::DefaultProducerContext;

use super::SinkError;

/// Brokers of the in-process cluster.
const BROKERS: i32 = 1;

/// librdkafka's in-process Kafka cluster on a loopback port, for trying outflow out without a broker: any
/// client can read from it while the process lives. It keeps about 5 MB a partition and no longer.
pub struct EmbeddedCluster {
    cluster: MockCluster<'static, DefaultProducerContext>,
}

impl EmbeddedCluster {
    /// Starts it on free ports of 127.0.0.1.
    ///
    /// # Errors
    /// When no port can be had.
    pub fn start() -> Result<Self, SinkError> {
        let cluster =
            MockCluster::new(BROKERS).map_err(|err| SinkError::Configuration(err.to_string()))?;
        Ok(Self { cluster })
    }

    /// Where clients find it.
    #[must_use]
    pub fn bootstrap_servers(&self) -> String {
        self.cluster.bootstrap_servers()
    }
}
