//! `transforms` and `predicates`: the EventRouter and what stands beside it.

use super::{Entry, Findings, Section, below, items};
use crate::config::properties::ROUTER;
use crate::config::report::Verdict;
use crate::config::{
    FieldNameAdjustment, JavaRegex, MissingField, Placement, Problem, Replacement, RouterConfig,
    Shown, placement,
};

const CLASS: &str = "io.debezium.transforms.outbox.EventRouter";

/// The router's options; `None` where a problem stands for them.
pub(super) fn router(
    entries: &[Entry],
    connector: &Section,
    findings: &mut Findings,
) -> Option<RouterConfig> {
    let named = entries.iter().find(|entry| entry.key == "transforms");
    let aliases: Vec<&str> = named.map(|e| items(&e.value).collect()).unwrap_or_default();
    if let Some(entry) = named {
        findings.row(&entry.written, Verdict::Used, "");
    }
    let mut router = None;
    for (index, alias) in aliases.iter().enumerate() {
        if aliases.iter().take(index).any(|earlier| earlier == alias) {
            findings.problem(Problem::Invalid {
                property: "transforms".to_owned(),
                value: named.map(Entry::shown).unwrap_or_default(),
                reason: format!("names `{alias}` twice"),
                cure: "name each transform once".to_owned(),
            });
        } else if is_router(entries, alias, findings) {
            match router {
                None => router = Some(*alias),
                Some(first) => findings.problem(Problem::Conflict {
                    property: format!("transforms.{alias}.type"),
                    other: format!("transforms.{first}.type"),
                    reason: "are both EventRouters".to_owned(),
                    cure: "keep one".to_owned(),
                }),
            }
        }
    }
    leftovers(entries, &aliases, findings);
    let Some(alias) = router else {
        let is_about_transforms =
            |problem: &Problem| problem.property().is_some_and(|p| p.starts_with("transforms"));
        if !findings.problems.iter().any(is_about_transforms) {
            findings.problem(Problem::Missing {
                property: "transforms".to_owned(),
                cure: format!("write `transforms=outbox` and `transforms.outbox.type={CLASS}`"),
            });
        }
        return None;
    };
    let prefix = format!("transforms.{alias}.");
    let options = Section::new(&prefix, ROUTER, below(entries, &prefix), findings);
    options_of(&options, connector, findings)
}

/// Whether this alias is the router; any other transform is refused by name.
fn is_router(entries: &[Entry], alias: &str, findings: &mut Findings) -> bool {
    let key = format!("transforms.{alias}.type");
    let Some(entry) = entries.iter().find(|entry| entry.key == key) else {
        let cure = format!("`transforms` names `{alias}`: name its class, {CLASS}");
        findings.problem(Problem::Missing { property: key, cure });
        return false;
    };
    if [CLASS, "EventRouter"].contains(&entry.value.trim()) {
        return true;
    }
    findings.row(&entry.written, Verdict::Refused, "unsupported transform");
    findings.problem(entry.refused(
        "outflow does not have this transform, and records would be published without it",
        format!("remove it; supported: {CLASS}"),
    ));
    for entry in entries.iter().filter(|entry| entry.key != key) {
        if entry.key.starts_with(&format!("transforms.{alias}.")) {
            findings.row(&entry.written, Verdict::Refused, "option of an unsupported transform");
        }
    }
    false
}

/// Options of transforms that `transforms` does not name, and predicates that no transform uses.
fn leftovers(entries: &[Entry], aliases: &[&str], findings: &mut Findings) {
    let is_used = |key: &str| aliases.iter().any(|alias| key.starts_with(&format!("{alias}.")));
    for entry in entries {
        if let Some(rest) = entry.key.strip_prefix("transforms.") {
            if !is_used(rest) {
                let reason = "`transforms` does not name this transform";
                findings.row(&entry.written, Verdict::WithoutEffect, reason);
            }
        } else if entry.key == "predicates" || entry.key.starts_with("predicates.") {
            let reason = "no transform uses a predicate";
            findings.row(&entry.written, Verdict::WithoutEffect, reason);
        }
    }
}

fn options_of(
    options: &Section,
    connector: &Section,
    findings: &mut Findings,
) -> Option<RouterConfig> {
    let text = |name: &str| options.text(name).unwrap_or_default();
    let placements = placements(options, findings);
    let (topic_regex, topic_replacement) = topic(options, findings)?;
    let field_names: FieldNameAdjustment = options.word("field.name.adjustment.mode");
    if field_names != FieldNameAdjustment::None && options.boolean("table.expand.json.payload") {
        findings.notice(
            "`field.name.adjustment.mode` of the router renames keys of expanded JSON, and their values become \
             null, as with Debezium",
        );
    }
    Some(RouterConfig {
        event_id: text("table.field.event.id"),
        event_key: text("table.field.event.key"),
        event_type: options.text("table.field.event.type"),
        payload: text("table.field.event.payload"),
        timestamp: options.text("table.field.event.timestamp"),
        schema_version: options.text("table.field.event.schema.version"),
        placements,
        missing: missing(options),
        expand_json: options.boolean("table.expand.json.payload"),
        json_null: options.word("table.json.payload.null.behavior"),
        json_empty_array_as_strings: options
            .trimmed("table.json.payload.empty.array.behavior")
            .is_some_and(|word| word.eq_ignore_ascii_case("optional_string")),
        field_names,
        invalid_operation: options.word("table.op.invalid.behavior"),
        route_by: text("route.by.field"),
        topic_regex,
        topic_replacement,
        tombstone_on_empty: options.boolean("route.tombstone.on.empty.payload"),
        context_headers: connector.boolean("extended.headers.enabled"),
    })
}

/// From 2.5 to 3.5 a missing column was governed by a switch.
fn missing(options: &Section) -> MissingField {
    if options.entry("table.field.additional.missing").is_none()
        && !options.boolean("table.fields.additional.error.on.missing")
    {
        return MissingField::Ignore;
    }
    options.word("table.field.additional.missing")
}

fn placements(options: &Section, findings: &mut Findings) -> Vec<Placement> {
    let Some(entry) = options.entry("table.fields.additional.placement") else { return Vec::new() };
    placement::parse(&entry.value).unwrap_or_else(|reason| {
        findings.problem(entry.invalid(
            entry.quoting(reason),
            "write column:placement or column:placement:alias between commas; a placement is one of \
             header, envelope, partition",
        ));
        Vec::new()
    })
}

fn topic(options: &Section, findings: &mut Findings) -> Option<(JavaRegex, Replacement)> {
    // A pattern that does not compile has its problem already.
    let regex = JavaRegex::compile(&options.text("route.topic.regex")?, false).ok()?;
    let written = options.text("route.topic.replacement").unwrap_or_default();
    if written.is_empty() {
        findings.problem(Problem::Invalid {
            property: options.written("route.topic.replacement"),
            value: options.entry("route.topic.replacement").map(Entry::shown).unwrap_or_default(),
            reason: "gives every record an empty topic".to_owned(),
            cure: "name a topic".to_owned(),
        });
    }
    match Replacement::parse(&written, &regex) {
        Ok(replacement) => Some((regex, replacement)),
        Err(err) => {
            let entry = options.entry("route.topic.replacement");
            let reason = format!("does not fit `route.topic.regex`: {err}");
            findings.problem(Problem::Invalid {
                property: options.written("route.topic.replacement"),
                value: entry.map_or_else(|| Shown::open(&written), Entry::shown),
                reason: entry.map_or(reason.clone(), |entry| entry.quoting(reason)),
                cure: "refer to groups of that pattern, as $1 or ${name}".to_owned(),
            });
            None
        }
    }
}
