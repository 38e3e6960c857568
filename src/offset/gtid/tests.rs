use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;

const A: &str = "906a9a13-ec3a-11f1-bf62-02fc00000001";
const B: &str = "3e11fa47-71ca-11e1-9e33-c80aa9429562";

fn set(text: &str) -> GtidSet {
    text.parse().unwrap()
}

#[test]
fn text_becomes_canonical() {
    for (text, canonical) in [
        (String::new(), String::new()),
        (format!(" {} :1-5 : 7,\n {A}:6 ,", A.to_uppercase()), format!("{A}:1-7")),
        (format!("{A}:1-37:tag:1"), format!("{A}:1-37:tag:1")),
        (format!("{A}:tag:1-3:5"), format!("{A}:tag:1-3:5")),
        (format!("{A}:tag:1,{A}:1-2,{A}:TAG:2:other:9"), format!("{A}:1-2:other:9:tag:1-2")),
        (format!("{A}:1,{B}:2"), format!("{B}:2,{A}:1")),
        (format!("{A}:5-3"), String::new()),
        (A.replace('-', "") + ":1", format!("{A}:1")),
    ] {
        assert_eq!(set(&text).to_string(), canonical, "{text:?}");
    }
}

#[test]
fn malformed_text_is_refused() {
    for text in [
        "x".to_owned(),
        format!("{A}:0"),
        format!("{A}:1-"),
        format!("{A}:+1"),
        format!("{A}:1-2-3"),
        format!("{A}:9223372036854775807"),
        format!("{A}:tag"),
        format!("{A}:tag:"),
        format!("{A}:tag:tag2:1"),
        format!("{A}:t-g:1"),
        format!("{A}:{}:1", "t".repeat(33)),
        format!("{A}::1"),
        format!("{A}:é:1"),
    ] {
        assert!(text.parse::<GtidSet>().is_err(), "{text:?}");
    }
}

#[test]
fn a_gtid_is_read_and_written() {
    for text in [format!("{A}:7"), format!("{A}:tag:7")] {
        assert_eq!(text.parse::<Gtid>().unwrap().to_string(), text);
    }
    assert!(format!("{A}:7-8").parse::<Gtid>().is_err());
}

#[test]
fn binary_form_carries_tags_only_where_there_are_some() {
    let plain = set(&format!("{A}:1-5:7"));
    let bytes = plain.to_bytes();
    assert_eq!(bytes[..8], 1_u64.to_le_bytes());
    assert_eq!(bytes[24..32], 2_u64.to_le_bytes());
    assert_eq!(bytes[32..48], [1_u64.to_le_bytes(), 6_u64.to_le_bytes()].concat());
    let tagged = set(&format!("{A}:1-5:tag:7"));
    let bytes = tagged.to_bytes();
    assert_eq!(bytes[..8], [1, 2, 0, 0, 0, 0, 0, 1]);
    assert_eq!(bytes[24], 0);
    assert_eq!(GtidSet::from_bytes(&bytes).unwrap(), tagged);
    assert!(GtidSet::from_bytes(&bytes[..bytes.len() - 1]).is_err());
    assert!(GtidSet::from_bytes(&[bytes, vec![0]].concat()).is_err());
}

type Model = BTreeSet<(u8, u8, u64)>;

fn source(uuid: u8, tag: u8) -> GtidSource {
    let tag = if tag == 0 { Tag::default() } else { format!("t{tag}").parse().unwrap() };
    GtidSource { uuid: [uuid; 16], tag }
}

fn gtid(item: &(u8, u8, u64)) -> Gtid {
    Gtid { source: source(item.0, item.1), number: item.2 }
}

fn built(model: &Model) -> GtidSet {
    let mut set = GtidSet::default();
    model.iter().for_each(|item| set.insert_gtid(gtid(item)));
    set
}

fn models() -> impl Strategy<Value = Vec<(u8, u8, u64, u64)>> {
    prop::collection::vec((0_u8..2, 0_u8..3, 1_u64..40, 0_u64..6), 0..24)
}

fn both(items: &[(u8, u8, u64, u64)]) -> (GtidSet, Model) {
    let (mut set, mut model) = (GtidSet::default(), Model::new());
    for &(uuid, tag, start, more) in items {
        set.insert(source(uuid, tag), GtidInterval { start, end: start + more });
        model.extend((start..=start + more).map(|number| (uuid, tag, number)));
    }
    (set, model)
}

proptest! {
    #[test]
    fn agrees_with_a_naive_model(a in models(), b in models()) {
        let ((a, model_a), (b, model_b)) = (both(&a), both(&b));
        prop_assert_eq!(&a, &built(&model_a));
        prop_assert_eq!(a.count(), u64::try_from(model_a.len()).unwrap());
        for item in model_a.iter().chain(&model_b) {
            prop_assert_eq!(a.contains(&gtid(item)), model_a.contains(item));
        }
        prop_assert_eq!(a.is_subset_of(&b), model_a.is_subset(&model_b));
        prop_assert_eq!(a.intersect(&b), built(&(&model_a & &model_b)));
        prop_assert!(a.intersect(&b).is_subset_of(&b));
        let mut union = a.clone();
        union.union(&b);
        prop_assert_eq!(union, built(&(&model_a | &model_b)));
        let mut rest = a.clone();
        rest.subtract(&b);
        prop_assert_eq!(rest, built(&(&model_a - &model_b)));
    }

    #[test]
    fn text_and_bytes_and_back(a in models()) {
        let (a, _) = both(&a);
        prop_assert_eq!(&set(&a.to_string()), &a);
        prop_assert_eq!(&GtidSet::from_bytes(&a.to_bytes()).unwrap(), &a);
    }

    #[test]
    fn any_text_and_bytes_return(text in "[0-9a-f:,\\- t]{0,60}", bytes in prop::collection::vec(any::<u8>(), 0..80)) {
        let _returned = text.parse::<GtidSet>();
        let _returned = GtidSet::from_bytes(&bytes);
    }
}
