//! Transactions that a snapshot may hold are looked at before they are read.

use super::rows::parse;
use super::{Stream, decode_failure, reset};
use crate::decode::{DecodeError, rows_table_id};
use crate::runtime::Failure;
use crate::runtime::group::Moment;
use crate::runtime::sender::Sender;
use crate::source::event::{self, Event};

impl Stream {
    /// Handles one event of which nothing is published; the log is read again from before it.
    pub(super) fn seek(&mut self, event: &Event<'_>, sender: &mut Sender) -> Result<(), Failure> {
        sender.settle(Moment::Idle, false)?; // No Kafka transaction waits for it.
        match event.header.event_type {
            event::TABLE_MAP_EVENT => self.on_table_map(event, sender),
            rows if event::is_rows_event(rows) => self.seek_rows(event),
            event::GTID_LOG_EVENT | event::GTID_TAGGED_LOG_EVENT => self.on_gtid(event),
            event::ANONYMOUS_GTID_LOG_EVENT => self.on_anonymous(event),
            event::TRANSACTION_PAYLOAD_EVENT => self.on_payload(event, sender),
            event::ROTATE_EVENT => self.on_rotate(event),
            event::FORMAT_DESCRIPTION_EVENT => self.on_format_description(event),
            event::HEARTBEAT_LOG_EVENT | event::HEARTBEAT_LOG_EVENT_V2 => {
                let (file, pos) = self.heartbeat(event)?;
                if pos > 0 {
                    self.transaction.rotate(file, pos);
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn seek_rows(&mut self, event: &Event<'_>) -> Result<(), Failure> {
        let table = rows_table_id(&event.body).and_then(|id| self.tables.captured(id));
        let (Some(table), Some(overlap)) = (table, &mut self.overlap) else { return Ok(()) };
        let mut rows = parse(event).map_err(|err| decode_failure(&self.transaction, err))?;
        loop {
            reset(&mut self.arena);
            match rows.next_images(&table.keys, &self.arena) {
                Ok(Some(row)) => overlap.seek(&table.name, &row)?,
                Ok(None) => return Ok(()),
                Err(DecodeError::Unconvertible { .. }) => {} // A key that cannot be asked for.
                Err(err) => return Err(decode_failure(&self.transaction, err)),
            }
        }
    }
}
