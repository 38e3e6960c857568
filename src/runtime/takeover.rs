//! A connector without state of its own goes on where Kafka Connect stopped.

use tracing::{info, warn};

use super::Failure;
use crate::checkpoint::{OffsetsTopic, OffsetsTopicError, StoredOffset};
use crate::config::ConnectorConfig;
use crate::offset::Offset;

/// What Connect stored for this connector, if anything.
pub(super) fn take_over(
    config: &ConnectorConfig,
    topic: &OffsetsTopic,
) -> Result<Option<Offset>, Failure> {
    let (connector, name) = (&config.name, topic.topic());
    let stored = match topic.read() {
        Err(OffsetsTopicError::Missing { .. }) => {
            warn!(%connector, topic = name, "Connect's offsets topic does not exist: nothing is taken over, and this is a first start");
            return Ok(None);
        }
        read => read?,
    };
    let Some(StoredOffset { offset, ad_hoc_snapshot, .. }) = stored else {
        info!(%connector, topic = name, "Connect stored no offset of this connector: nothing is taken over, and this is a first start");
        return Ok(None);
    };
    info!(
        %connector,
        topic = name,
        file = %offset.position.file,
        pos = offset.position.pos,
        gtids = offset.gtids.as_ref().map(tracing::field::display),
        event = offset.event,
        row = offset.row,
        ts_sec = offset.ts_sec,
        snapshot = offset.snapshot,
        "taking over the offset that Connect stored"
    );
    if ad_hoc_snapshot {
        warn!(%connector, "an ad hoc snapshot was under way in Connect: what it did not reach is not published");
    }
    Ok(Some(offset))
}
