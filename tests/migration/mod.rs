//! From Debezium to outflow and back, by Connect's offsets topic.

mod offsets_topic;
