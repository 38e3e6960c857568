use std::sync::{Arc, Mutex, PoisonError};

use rdkafka::client::ClientContext;
use rdkafka::config::RDKafkaLogLevel;
use rdkafka::consumer::ConsumerContext;
use rdkafka::error::{KafkaError, RDKafkaErrorCode};
use tracing::debug;

/// What the short-lived clients of the offsets topic say on the way is told by the error that ends them.
#[derive(Clone, Debug, Default)]
pub(super) struct QuietContext {
    last: Arc<Mutex<Option<String>>>,
}

impl QuietContext {
    /// The latest fault, such as a login that was refused.
    pub(super) fn last(&self) -> Option<String> {
        self.last.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl ClientContext for QuietContext {
    fn log(&self, _level: RDKafkaLogLevel, facility: &str, message: &str) {
        debug!(facility, "librdkafka: {message}");
    }

    fn error(&self, err: KafkaError, reason: &str) {
        debug!(error = %err, "librdkafka: {reason}");
        // That no broker answers follows from what was said before.
        if err.rdkafka_error_code() != Some(RDKafkaErrorCode::AllBrokersDown)
            && !matches!(err, KafkaError::PartitionEOF(_))
        {
            *self.last.lock().unwrap_or_else(PoisonError::into_inner) = Some(reason.to_owned());
        }
    }
}

impl ConsumerContext for QuietContext {}
