use std::sync::{Arc, Mutex};

use super::sender::Sender;
use super::sql::Sql;
use super::{ConnectorStatus, Failure};
use crate::checkpoint::Store;
use crate::config::ConnectorConfig;
use crate::connect::RowChange;
use crate::convert::Converters;
use crate::metrics::ConnectorMetrics;
use crate::offset::Offset;
use crate::route::EventRouter;

pub(super) struct Start {
    pub(super) offset: Offset,
    pub(super) server: Offset,
    pub(super) snapshot: Option<InitialSnapshot>,
}
pub(super) struct InitialSnapshot;
pub(super) struct Published {
    pub(super) rows: u64,
    pub(super) overlap: Option<Overlap>,
}
impl InitialSnapshot {
    pub(super) fn publish(
        self,
        _sender: &mut Sender,
        _router: &EventRouter,
        _converters: &Converters,
        _status: &ConnectorStatus,
        _metrics: &ConnectorMetrics,
    ) -> Result<Published, Failure> {
        Ok(Published { rows: 0, overlap: None })
    }
}
pub(super) struct Overlap;
impl Overlap {
    pub(super) fn covers(
        &mut self,
        _table: &str,
        _change: &RowChange<'_>,
    ) -> Result<bool, Failure> {
        Ok(false)
    }
}

pub(super) fn start(
    _config: &ConnectorConfig,
    sql: &Sql,
    store: &Arc<Mutex<Store>>,
    _router: &EventRouter,
    _converters: &Converters,
) -> Result<Start, Failure> {
    let server = sql.server()?;
    let mut store = store.lock().unwrap();
    let offset = match store.load()? {
        Some(offset) => offset,
        None => {
            store.save(&server)?;
            server.clone()
        }
    };
    Ok(Start { offset, server, snapshot: None })
}
