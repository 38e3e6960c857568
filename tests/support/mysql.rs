use mysql_async::prelude::Queryable;
use mysql_async::{Conn, OptsBuilder, Row, Value};
use tokio::runtime::Runtime;

use super::MySqlServer;

/// One session, in which statements run one after another.
pub(crate) struct MySql {
    runtime: Runtime,
    session: Option<Conn>,
}

impl MySql {
    /// Opens a session.
    pub(crate) fn connect(server: &MySqlServer) -> Result<Self, mysql_async::Error> {
        let options = OptsBuilder::default()
            .ip_or_hostname(server.host.clone())
            .tcp_port(server.port)
            .user(Some(server.user.clone()))
            .pass(Some(server.password.clone()))
            .prefer_socket(false);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let session = runtime.block_on(Conn::new(options))?;
        Ok(Self { runtime, session: Some(session) })
    }

    /// Runs statements, as many as the text has.
    pub(crate) fn try_run(&mut self, statements: &str) -> Result<(), mysql_async::Error> {
        let session = self.session.as_mut().expect("the session is open");
        self.runtime.block_on(session.query_drop(statements))
    }

    /// Runs statements that must succeed.
    #[track_caller]
    pub(crate) fn run(&mut self, statements: &str) {
        if let Err(err) = self.try_run(statements) {
            let shown: String = statements.chars().take(300).collect();
            panic!("MySQL refused: {err}\n{shown}");
        }
    }

    /// The rows of a query as text; NULL is empty.
    #[track_caller]
    pub(crate) fn rows(&mut self, query: &str) -> Vec<Vec<String>> {
        self.try_rows(query).expect(query)
    }

    /// The same, unless the server refuses or is gone.
    pub(crate) fn try_rows(&mut self, query: &str) -> Result<Vec<Vec<String>>, mysql_async::Error> {
        let session = self.session.as_mut().expect("the session is open");
        let rows: Vec<Row> = self.runtime.block_on(session.query(query))?;
        Ok(rows.into_iter().map(|row| row.unwrap().iter().map(text).collect()).collect())
    }
}

fn text(value: &Value) -> String {
    match value {
        Value::NULL => String::new(),
        Value::Bytes(bytes) => String::from_utf8_lossy(bytes).into_owned(),
        other => other.as_sql(true),
    }
}

impl Drop for MySql {
    fn drop(&mut self) {
        if let Some(session) = self.session.take() {
            let _server_may_be_gone = self.runtime.block_on(session.disconnect());
        }
    }
}
