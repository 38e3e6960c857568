use std::sync::Arc;

use mysql_async::prelude::Queryable;
use mysql_async::{Conn, OptsBuilder};
use tokio::runtime::Handle;

use super::Failure;
use crate::config::ConnectorConfig;
use crate::decode::{ColumnLayout, TableLayout};
use crate::offset::{BinlogPosition, Offset};

#[derive(Clone)]
pub(super) struct Sql {
    handle: Handle,
    config: Arc<ConnectorConfig>,
}

impl Sql {
    pub(super) fn new(handle: &Handle, config: Arc<ConnectorConfig>) -> Self {
        Self { handle: handle.clone(), config }
    }

    async fn conn(&self) -> Conn {
        let s = &self.config.source;
        let opts = OptsBuilder::default()
            .ip_or_hostname(s.hosts[0].clone())
            .tcp_port(s.port)
            .user(Some(s.user.clone()))
            .pass(Some(s.password.expose().to_owned()));
        Conn::new(opts).await.unwrap()
    }

    pub(super) fn server(&self) -> Result<Offset, Failure> {
        self.handle.block_on(async {
            let mut conn = self.conn().await;
            let row: (String, u64, String, String, String) =
                conn.query_first("SHOW BINARY LOG STATUS").await.unwrap().unwrap();
            Ok(Offset {
                position: BinlogPosition { file: row.0, pos: row.1 },
                gtids: Some(row.4.parse().unwrap()),
                ..Offset::default()
            })
        })
    }

    pub(super) fn layout(&self, database: &str, table: &str) -> Result<TableLayout, Failure> {
        self.handle.block_on(async {
            let mut conn = self.conn().await;
            let rows: Vec<(String, String, String, Option<String>, Option<String>, String, Option<String>, String, String)> = conn
                .exec("SELECT COLUMN_NAME, DATA_TYPE, COLUMN_TYPE, CHARACTER_SET_NAME, COLLATION_NAME, IS_NULLABLE, COLUMN_DEFAULT, EXTRA, COLUMN_KEY FROM information_schema.columns WHERE table_schema=? AND table_name=? ORDER BY ordinal_position", (database, table))
                .await
                .unwrap();
            let primary_key = rows.iter().enumerate().filter(|(_, r)| r.8 == "PRI").map(|(i, _)| i).collect();
            Ok(TableLayout {
                database: database.into(),
                table: table.into(),
                columns: rows.into_iter().map(|r| ColumnLayout {
                    name: r.0, data_type: r.1, column_type: r.2, character_set: r.3, collation: r.4, nullable: r.5 == "YES", default: r.6, extra: r.7,
                }).collect(),
                primary_key,
            })
        })
    }
}
