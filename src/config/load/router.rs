//! The EventRouter's options.

use super::{Entry, Findings, Section};
use crate::config::{
    FieldNameAdjustment, JavaRegex, MissingField, Placement, Problem, Replacement, RouterConfig,
    Shown, placement,
};

/// The options; `None` where a problem stands for them.
pub(super) fn options_of(
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
