mod debezium;
mod outflow;

pub(super) use debezium::Debezium;
pub(super) use outflow::OutflowRelay;

use ::outflow::offset::Offset;

use crate::support::Outbox;

/// What is tried.
pub(super) trait Relay {
    fn start(&mut self, outbox: &Outbox);
    /// As `kill -9` does.
    fn kill(&mut self);
    /// As SIGTERM does; whether all that was sent was acknowledged.
    fn stop(&mut self) -> bool;
    /// Looks after it; what is wrong, in words.
    fn look(&mut self) -> Option<String>;
    /// Whether it has given up what was on its way since the last question, and goes on with a new producer.
    fn has_given_up(&mut self) -> bool {
        false
    }
    /// Up to which place of the log it has stored.
    fn stored(&self, outbox: &Outbox) -> Option<Offset>;
    /// Whether what is stored moves on with the log, whatever is written to it.
    fn follows_the_log(&self) -> bool;
    /// Whether it can be started while a server is away.
    fn starts_alone(&self) -> bool;
    /// Ends it once everything is published.
    fn finish(&mut self, outbox: &Outbox);
}
