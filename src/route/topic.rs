use std::cell::RefCell;
use std::collections::HashMap;

use bumpalo::Bump;

use crate::config::{JavaRegex, JavaRegexError, Replacement};

/// How many route values keep their topic. They are aggregate types or topics, hence few; a column with
/// more starts over, which costs a match for each. So many take some megabytes.
const CACHED_MAX: usize = 1 << 14;
/// Longer values are not worth the memory: Kafka's topic names end at 249 characters.
const CACHED_LENGTH_MAX: usize = 249;

/// The topic of a route value: `route.topic.regex` and `route.topic.replacement`.
#[derive(Debug)]
pub(super) struct TopicRoute {
    regex: JavaRegex,
    replacement: Replacement,
    known: RefCell<HashMap<String, String>>,
}

impl TopicRoute {
    pub(super) fn new(regex: JavaRegex, replacement: Replacement) -> Self {
        Self { regex, replacement, known: RefCell::default() }
    }

    /// The one topic of all records, where there is no route column.
    pub(super) fn constant(&self) -> Option<&str> {
        self.replacement.constant()
    }

    pub(super) fn topic<'a>(
        &self,
        value: &str,
        arena: &'a Bump,
    ) -> Result<&'a str, JavaRegexError> {
        let mut known = self.known.borrow_mut();
        if let Some(topic) = known.get(value) {
            return Ok(arena.alloc_str(topic));
        }
        let topic = self.resolve(value)?;
        let result = arena.alloc_str(&topic);
        if value.len() <= CACHED_LENGTH_MAX {
            if known.len() >= CACHED_MAX {
                known.clear();
            }
            known.insert(value.to_owned(), topic);
        }
        Ok(result)
    }

    /// A value that the pattern does not match as a whole is the topic itself.
    fn resolve(&self, value: &str) -> Result<String, JavaRegexError> {
        if !self.regex.matches(value)? {
            return Ok(value.to_owned());
        }
        let mut topic = String::new();
        self.regex.replace_first(value, &self.replacement, &mut topic)?;
        Ok(topic)
    }
}
