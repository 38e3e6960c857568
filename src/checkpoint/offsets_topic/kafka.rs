use rdkafka::client::ClientContext;
use rdkafka::config::RDKafkaLogLevel;
use rdkafka::consumer::ConsumerContext;
use rdkafka::error::KafkaError;
use tracing::debug;

/// What the short-lived clients of the offsets topic say on the way is told by the error that ends them.
#[derive(Clone, Copy, Debug)]
pub(super) struct QuietContext;

impl ClientContext for QuietContext {
    fn log(&self, _level: RDKafkaLogLevel, facility: &str, message: &str) {
        debug!(facility, "librdkafka: {message}");
    }

    fn error(&self, err: KafkaError, reason: &str) {
        debug!(error = %err, "librdkafka: {reason}");
    }
}

impl ConsumerContext for QuietContext {}
