use super::*;
use crate::config::{PredicateConfig, TransformConfig};

const PREDICATES: &str = "predicates=p,q\n\
    predicates.p.type=org.apache.kafka.connect.transforms.predicates.TopicNameMatches\n\
    predicates.p.pattern=p.d.*\n\
    predicates.q.type=RecordIsTombstone\n";

#[test]
fn transforms_stand_where_the_list_has_them() {
    let (config, report) = with(&format!(
        "{PREDICATES}transforms=f, o ,h,r\n\
         transforms.f.type=org.apache.kafka.connect.transforms.Filter\n\
         transforms.f.predicate=p\n\
         transforms.f.negate=True\n\
         transforms.o.predicate=p\n\
         transforms.h.type=InsertHeader\n\
         transforms.h.header=a\n\
         transforms.h.value.literal=b\n\
         transforms.h.colour=red\n\
         transforms.r.type=RegexRouter\n\
         transforms.r.regex=(.*)\n\
         transforms.r.replacement=x.$1\n\
         transforms.x.type=com.acme.Gone"
    ))
    .unwrap();
    let chain = &config.transforms;
    assert!(matches!(&*chain.before, [filter] if filter.negate));
    assert!(chain.router.as_ref().is_some_and(
        |step| !step.negate && matches!(step.predicate, PredicateConfig::TopicNameMatches(_))
    ));
    let aliases: Vec<_> = chain.behind.iter().map(|step| &*step.alias).collect();
    assert_eq!(aliases, ["h", "r"]);
    assert!(matches!(chain.behind[1].transform, TransformConfig::RegexRouter { .. }));
    for (key, expected) in [
        ("transforms", Verdict::Used),
        ("transforms.f.type", Verdict::Used),
        ("transforms.f.negate", Verdict::Used),
        ("transforms.o.predicate", Verdict::Used),
        ("transforms.h.header", Verdict::Used),
        ("transforms.h.colour", Verdict::Unknown),
        ("transforms.x.type", Verdict::WithoutEffect),
        ("predicates", Verdict::Used),
        ("predicates.p.pattern", Verdict::Used),
        ("predicates.q.type", Verdict::WithoutEffect),
    ] {
        assert_eq!(verdict(&report, key), Some(expected), "{key}");
    }
}

#[test]
fn a_refused_transform_is_named_with_what_there_is() {
    let problems = with("transforms=o,m\ntransforms.m.type=com.acme.Mask\ntransforms.m.x=y");
    let text = problems.unwrap_err()[0].to_string();
    assert!(text.contains("com.acme.Mask") && text.contains("RegexRouter"), "{text}");
}

#[test]
fn a_predicate_that_no_transform_names_may_be_anything() {
    let (config, report) = with("predicates=p\npredicates.p.type=com.acme.Day").unwrap();
    assert!(config.transforms.router.is_none());
    assert_eq!(verdict(&report, "predicates.p.type"), Some(Verdict::WithoutEffect));
}
