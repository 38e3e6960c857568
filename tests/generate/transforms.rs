use super::options::Options;
use crate::support::Random;

const PACKAGE: &str = "org.apache.kafka.connect.transforms";

/// Transforms behind the router, some under a predicate.
pub(super) fn add(options: &mut Options<'_>, random: &mut Random) {
    if random.chance(60) {
        return;
    }
    let mut aliases = vec!["outbox".to_owned()];
    for at in 0..1 + random.below(3) {
        let alias = format!("t{at}");
        one(options, random, &alias);
        aliases.push(alias);
    }
    options.set("transforms", &aliases.join(","));
}

fn one(options: &mut Options<'_>, random: &mut Random, alias: &str) {
    let kinds: &[(&str, &[(&str, &str)])] = &[
        ("InsertHeader", &[("header", "origin"), ("value.literal", "text")]),
        ("InsertHeader", &[("header", "number"), ("value.literal", "12.50")]),
        ("DropHeaders", &[("headers", "id")]),
        ("RegexRouter", &[("regex", "outbox\\.event\\.(.*)"), ("replacement", "prod.$1")]),
        ("RegexRouter", &[("regex", ".*"), ("replacement", "all")]),
        // What follows needs a struct.
        ("SetSchemaMetadata$Value", &[("schema.name", "com.acme.Event"), ("schema.version", "3")]),
        ("ReplaceField$Value", &[("exclude", "alias0,alias1"), ("renames", "payload:data")]),
        ("InsertField$Value", &[("static.field", "by"), ("static.value", "outflow")]),
        (
            "InsertField$Value",
            &[("topic.field", "t"), ("static.field", "s"), ("static.value", "v")],
        ),
    ];
    let usable = if options.has_envelope() { kinds.len() } else { 5 };
    let (kind, settings) = *random.pick(&kinds[..usable]);
    options.set(&format!("transforms.{alias}.type"), &format!("{PACKAGE}.{kind}"));
    for (name, value) in settings {
        options.set(&format!("transforms.{alias}.{name}"), value);
    }
    if random.chance(40) {
        predicate(options, random, alias);
    }
}

fn predicate(options: &mut Options<'_>, random: &mut Random, alias: &str) {
    let predicates = [
        ("TopicNameMatches", "pattern", ".*[Oo]rder.*"),
        ("HasHeaderKey", "name", "id"),
        ("RecordIsTombstone", "", ""),
    ];
    let (class, name, value) = *random.pick(&predicates);
    let own = format!("p{alias}");
    let names = match options.properties.get("predicates").and_then(|names| names.as_str()) {
        Some(names) => format!("{names},{own}"),
        None => own.clone(),
    };
    options.set("predicates", &names);
    options.set(&format!("predicates.{own}.type"), &format!("{PACKAGE}.predicates.{class}"));
    if !name.is_empty() {
        options.set(&format!("predicates.{own}.{name}"), value);
    }
    options.set(&format!("transforms.{alias}.predicate"), &own);
    if random.chance(40) {
        options.set(&format!("transforms.{alias}.negate"), "true");
    }
}
