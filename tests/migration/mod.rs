//! From Debezium to outflow and back, by Connect's offsets topic.

mod forms;
mod handover;
mod offsets_topic;
mod reset;
