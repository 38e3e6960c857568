//! Every property that outflow knows, once: names old and new, kind, default, and what becomes of it.

mod connect;
mod kind;
mod router;
mod source;
mod without_effect;
mod worker;

pub(super) use kind::{Kind, Words, boolean, java_trim};

/// One property, or a family of them when its name ends in `*`.
#[derive(Debug)]
pub(super) struct Property {
    pub(super) name: &'static str,
    /// Names that older releases used.
    pub(super) aliases: &'static [&'static str],
    pub(super) kind: Kind,
    pub(super) default: Option<&'static str>,
    pub(super) effect: Effect,
    /// Values that others understand and outflow does not carry out.
    pub(super) refused_values: &'static [RefusedValue],
    /// What an `outflow.*` property means; the others are documented elsewhere.
    pub(super) meaning: &'static str,
}

/// A value that would change what is published.
#[derive(Debug)]
pub(super) struct RefusedValue {
    pub(super) value: &'static str,
    pub(super) reason: &'static str,
    pub(super) cure: &'static str,
}

/// What becomes of a property.
#[derive(Debug)]
pub(super) enum Effect {
    /// Carried out.
    Used,
    /// Read by a section of its own, such as a transform's.
    Elsewhere,
    /// Known, with the reason why nothing follows from it.
    Ignored(&'static str),
    /// Only the harmless values pass.
    Refused { harmless: &'static [&'static str], reason: &'static str, cure: &'static str },
}

const fn used(name: &'static str, kind: Kind) -> Property {
    Property {
        name,
        aliases: &[],
        kind,
        default: None,
        effect: Effect::Used,
        refused_values: &[],
        meaning: "",
    }
}

const fn elsewhere(name: &'static str) -> Property {
    Property { effect: Effect::Elsewhere, ..used(name, Kind::Text) }
}

const fn without_effect(name: &'static str, reason: &'static str) -> Property {
    Property { effect: Effect::Ignored(reason), ..used(name, Kind::Text) }
}

const fn refused(
    name: &'static str,
    harmless: &'static [&'static str],
    reason: &'static str,
    cure: &'static str,
) -> Property {
    Property { effect: Effect::Refused { harmless, reason, cure }, ..used(name, Kind::Text) }
}

impl Property {
    const fn or(mut self, default: &'static str) -> Self {
        self.default = Some(default);
        self
    }

    const fn once(mut self, aliases: &'static [&'static str]) -> Self {
        self.aliases = aliases;
        self
    }

    const fn checked(mut self, kind: Kind) -> Self {
        self.kind = kind;
        self
    }

    const fn but_not(mut self, values: &'static [RefusedValue]) -> Self {
        self.refused_values = values;
        self
    }

    const fn meaning(mut self, meaning: &'static str) -> Self {
        self.meaning = meaning;
        self
    }

    /// Why `value` cannot stand here, if it cannot.
    pub(super) fn check(&self, value: &str) -> Result<(), Fault> {
        let is = |word: &str| word.eq_ignore_ascii_case(kind::java_trim(value));
        if let Some(refused) = self.refused_values.iter().find(|refused| is(refused.value)) {
            let (reason, cure) = (refused.reason.to_owned(), refused.cure.to_owned());
            return Err(Fault { refused: true, reason, cure });
        }
        if let Effect::Refused { harmless, reason, cure } = self.effect
            && !harmless.iter().any(|word| is(word))
        {
            return Err(Fault { refused: true, reason: reason.to_owned(), cure: cure.to_owned() });
        }
        let supported = |word: &str| !self.refused_values.iter().any(|r| r.value == word);
        self.kind.check(value, supported).map_err(|(reason, cure)| Fault {
            refused: false,
            reason,
            cure,
        })
    }

    fn is_family(&self) -> bool {
        self.name.ends_with('*')
    }
}

/// Why a value cannot stand.
#[derive(Debug)]
pub(super) struct Fault {
    /// Others understand it; otherwise it means nothing.
    pub(super) refused: bool,
    pub(super) reason: String,
    pub(super) cure: String,
}

/// The properties of one section of a file.
#[derive(Clone, Copy, Debug)]
pub(super) struct Table(&'static [&'static [Property]]);

/// The connector's own properties.
pub(super) const CONNECTOR: Table = Table(&[
    source::PROPERTIES,
    connect::PROPERTIES,
    without_effect::PROPERTIES,
    without_effect::REFUSED,
]);
/// `transforms.<alias>.` of the EventRouter.
pub(super) const ROUTER: Table = Table(&[router::PROPERTIES]);
/// `key.converter.`, `value.converter.` and `header.converter.`.
pub(super) const CONVERTER: Table = Table(&[connect::CONVERTER]);
/// `<name>.` of a name in `converters`.
pub(super) const CUSTOM_CONVERTER: Table = Table(&[source::CUSTOM_CONVERTER]);
/// `topic.creation.<group>.`.
pub(super) const TOPIC_CREATION: Table = Table(&[connect::TOPIC_CREATION]);
/// The worker's file.
pub(super) const WORKER: Table = Table(&[worker::PROPERTIES]);

/// How a key was recognised.
#[derive(Debug)]
pub(super) enum Known {
    /// By its own name.
    Name(&'static Property),
    /// By an older name.
    Alias(&'static Property),
    /// As a member of a family.
    Family(&'static Property),
}

impl Table {
    fn properties(self) -> impl Iterator<Item = &'static Property> {
        self.0.iter().copied().flatten()
    }

    /// The property that `key` stands for.
    pub(super) fn find(self, key: &str) -> Option<Known> {
        let exact = |property: &&Property| property.name == key;
        if let Some(property) = self.properties().find(exact) {
            return Some(Known::Name(property));
        }
        if let Some(property) = self.properties().find(|p| p.aliases.contains(&key)) {
            return Some(Known::Alias(property));
        }
        let family = |property: &&Property| {
            property.name.strip_suffix('*').is_some_and(|prefix| key.starts_with(prefix))
        };
        let widest = |property: &&Property| property.name.len();
        self.properties().filter(family).max_by_key(widest).map(Known::Family)
    }

    /// The property of this very name.
    ///
    /// # Panics
    /// When the table has none: the names that are read stand in this room's own code, and the tests read them all.
    pub(super) fn named(self, name: &str) -> &'static Property {
        let property = self.properties().find(|property| property.name == name);
        property.expect("every name that is read stands in the table")
    }

    /// The known name nearest to `key`, if it can have been meant: a quarter of a short name makes another word, in a
    /// long one up to three slips of the hand are likely.
    pub(super) fn nearest(self, key: &str) -> Option<&'static str> {
        self.within(key, 3.min(1 + key.len() / 6))
    }

    /// The known name that `key` misses by at most `limit` slips.
    pub(super) fn within(self, key: &str, limit: usize) -> Option<&'static str> {
        let names = self.properties().filter(|p| !p.is_family());
        let names = names.flat_map(|p| std::iter::once(p.name).chain(p.aliases.iter().copied()));
        nearest_of(names, key, limit)
    }
}

/// The name that `key` misses by the fewest slips, and by at most `limit`.
pub(super) fn nearest_of(
    names: impl Iterator<Item = &'static str>,
    key: &str,
    limit: usize,
) -> Option<&'static str> {
    // A slip changes the length by one character, of four bytes at most.
    let names = names.filter(|name| key.len().abs_diff(name.len()) <= 4 * limit);
    let (distance, name) = names.map(|name| (edit_distance(key, name), name)).min()?;
    (distance <= limit).then_some(name)
}

/// `outflow.*`: each property with its default and its meaning, for documentation and its test.
pub fn own_properties() -> impl Iterator<Item = (&'static str, &'static str, &'static str)> {
    CONNECTOR
        .properties()
        .filter(|property| property.name.starts_with("outflow."))
        .map(|property| (property.name, property.default.unwrap_or(""), property.meaning))
}

/// Insertions, deletions, replacements and swaps of neighbours that turn one text into the other.
fn edit_distance(one: &str, other: &str) -> usize {
    let (one, other): (Vec<char>, Vec<char>) = (one.chars().collect(), other.chars().collect());
    let mut before: Vec<usize> = Vec::new();
    let mut above: Vec<usize> = (0..=other.len()).collect();
    for (row, a) in one.iter().enumerate() {
        let mut current = vec![row + 1];
        for (column, b) in other.iter().enumerate() {
            let at =
                |line: &[usize], index: usize| line.get(index).copied().unwrap_or(usize::MAX / 2);
            let mut best = (at(&above, column + 1) + 1)
                .min(at(&current, column) + 1)
                .min(at(&above, column) + usize::from(a != b));
            if row > 0
                && column > 0
                && one.get(row - 1) == Some(b)
                && other.get(column - 1) == Some(a)
            {
                best = best.min(at(&before, column - 1) + 1);
            }
            current.push(best);
        }
        before = std::mem::replace(&mut above, current);
    }
    above.last().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests;
