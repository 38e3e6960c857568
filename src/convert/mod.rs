//! To be written.

/// A record as bytes.
#[derive(Clone, Copy, Debug)]
pub struct ProducerRecord<'a> {
    /// The topic.
    pub topic: &'a str,
    /// The partition.
    pub partition: Option<i32>,
    /// The key.
    pub key: Option<&'a [u8]>,
    /// The value.
    pub value: Option<&'a [u8]>,
    /// The headers.
    pub headers: &'a [(&'a str, Option<&'a [u8]>)],
    /// Milliseconds.
    pub timestamp: Option<i64>,
}
