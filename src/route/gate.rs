use super::RouteError;
use crate::config::{PredicateConfig, PredicateStep, TransformsConfig};

/// The kinds of records that a table's rows make before the router.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RawKind {
    /// A row that was inserted, read, updated or deleted.
    Change,
    /// What follows a deleted row.
    Tombstone,
    /// The old row of an update that changed the primary key.
    MovedAway,
    /// What follows it.
    MovedAwayTombstone,
    /// The new row of such an update.
    MovedIn,
}

const KINDS: [RawKind; 5] = [
    RawKind::Change,
    RawKind::Tombstone,
    RawKind::MovedAway,
    RawKind::MovedAwayTombstone,
    RawKind::MovedIn,
];

impl RawKind {
    /// Whether its value is null.
    #[must_use]
    pub fn is_tombstone(self) -> bool {
        matches!(self, Self::Tombstone | Self::MovedAwayTombstone)
    }

    /// The header that carries the other primary key.
    #[must_use]
    pub fn key_header(self) -> Option<&'static str> {
        match self {
            Self::Change | Self::Tombstone => None,
            Self::MovedAway | Self::MovedAwayTombstone => Some("__debezium.newkey"),
            Self::MovedIn => Some("__debezium.oldkey"),
        }
    }
}

/// What becomes of a record before the router.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// The router takes it.
    Routed,
    /// It passes the router as it is.
    Raw,
    /// A `Filter` drops it.
    Dropped,
}

/// What a table's records meet before the router: told once, since nothing but their kind makes a difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gate {
    fates: [Fate; 5],
}

impl Gate {
    /// The gate of the table whose records have this topic and these headers before the router.
    ///
    /// # Errors
    /// When a predicate's pattern gives up on the topic.
    pub fn new<'h>(
        config: &TransformsConfig,
        topic: &str,
        headers: impl Iterator<Item = &'h str> + Clone,
    ) -> Result<Self, RouteError> {
        let applies = |step: &PredicateStep, kind: RawKind| -> Result<bool, RouteError> {
            let holds = match &step.predicate {
                PredicateConfig::TopicNameMatches(pattern) => {
                    pattern.matches(topic).map_err(|err| RouteError::Predicate {
                        topic: topic.to_owned(),
                        source: err,
                    })?
                }
                PredicateConfig::HasHeaderKey(name) => {
                    kind.key_header().is_some_and(|key| key == name)
                        || headers.clone().any(|key| key == name)
                }
                PredicateConfig::RecordIsTombstone => kind.is_tombstone(),
            };
            Ok(holds != step.negate)
        };
        let mut fates = [Fate::Routed; 5];
        for (fate, kind) in fates.iter_mut().zip(KINDS) {
            for filter in &config.before {
                if applies(filter, kind)? {
                    *fate = Fate::Dropped;
                }
            }
            if *fate == Fate::Routed
                && let Some(step) = &config.router
                && !applies(step, kind)?
            {
                *fate = Fate::Raw;
            }
        }
        Ok(Self { fates })
    }

    /// What becomes of records of this kind.
    #[must_use]
    pub fn fate(&self, kind: RawKind) -> Fate {
        let fates = KINDS.iter().zip(self.fates);
        let mut of_kind = fates.filter_map(|(other, fate)| (*other == kind).then_some(fate));
        of_kind.next().unwrap_or(Fate::Dropped)
    }

    /// Whether all rows go to the router; what it would drop anyway does not count.
    #[must_use]
    pub fn routes_all(&self) -> bool {
        KINDS.iter().zip(self.fates).all(|(kind, fate)| match kind {
            RawKind::Change | RawKind::MovedIn => fate == Fate::Routed,
            // The router drops these itself.
            RawKind::MovedAway | RawKind::Tombstone | RawKind::MovedAwayTombstone => {
                fate != Fate::Raw
            }
        })
    }

    /// Whether any record has this fate.
    #[must_use]
    pub fn has(&self, fate: Fate) -> bool {
        self.fates.contains(&fate)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::JavaRegex;

    fn step(predicate: PredicateConfig, negate: bool) -> PredicateStep {
        PredicateStep { predicate, negate }
    }

    fn topic(pattern: &str) -> PredicateConfig {
        PredicateConfig::TopicNameMatches(JavaRegex::compile(pattern, false).unwrap())
    }

    #[test]
    fn predicates_decide_by_kind_and_topic() {
        use Fate::{Dropped, Raw, Routed};
        let header = |name: &str| PredicateConfig::HasHeaderKey(name.to_owned());
        for (before, router, expected) in [
            (vec![], None, [Routed; 5]),
            (vec![], Some(step(topic("p\\.d\\.outbox"), false)), [Routed; 5]),
            (vec![], Some(step(topic("outbox\\.event.*"), false)), [Raw; 5]),
            (vec![], Some(step(topic("p.*"), true)), [Raw; 5]),
            (vec![step(topic(".*"), false)], None, [Dropped; 5]),
            (
                vec![],
                Some(step(PredicateConfig::RecordIsTombstone, true)),
                [Routed, Raw, Routed, Raw, Routed],
            ),
            (
                vec![step(PredicateConfig::RecordIsTombstone, false)],
                Some(step(header("__debezium.oldkey"), true)),
                [Routed, Dropped, Routed, Dropped, Raw],
            ),
            (
                vec![step(header("__debezium.newkey"), false)],
                Some(step(header("context"), false)),
                [Routed, Routed, Dropped, Dropped, Routed],
            ),
        ] {
            let config = TransformsConfig { before, router, behind: Vec::new() };
            let gate = Gate::new(&config, "p.d.outbox", ["context"].into_iter()).unwrap();
            assert_eq!(gate.fates, expected, "{config:?}");
            assert_eq!(
                gate.routes_all(),
                [[Routed; 5], [Routed, Routed, Dropped, Dropped, Routed]].contains(&expected)
            );
        }
    }
}
