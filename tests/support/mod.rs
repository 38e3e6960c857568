//! What the tests share: real servers, the program as a child process, and readers of what it publishes.
//!
//! Each test has its own schema, topic, server id, data folder and admin port. Nothing waits for a time; it
//! waits for a condition, with a deadline.

mod brokerless;
mod certificates;
mod connect;
mod follower;
mod kafka;
mod mysql;
mod outbox;
mod outflow;
mod proxy;
mod random;
mod replication;
mod scratch;
mod servers;
mod wait;

pub(crate) use brokerless::Brokerless;
pub(crate) use certificates::Certificates;
pub(crate) use follower::{Follower, Repeat};
pub(crate) use kafka::{Kafka, Offsets, Record};
pub(crate) use mysql::MySql;
pub(crate) use outbox::{Outbox, TOPIC_PREFIX};
pub(crate) use outflow::{Outflow, free_port};
pub(crate) use proxy::{Proxy, Way};
pub(crate) use random::Random;
pub(crate) use scratch::Scratch;
pub(crate) use servers::{Broker, Connect, MySqlServer, broker, mysql, servers_script};
pub(crate) use wait::{now_ms, until, until_some};
