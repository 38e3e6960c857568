/// The partition that the Java producer picks for a key: murmur2 of its bytes, without the sign.
#[must_use]
pub fn partition_of(key: &[u8], partitions: i32) -> i32 {
    let positive = i32::try_from(murmur2(key) & 0x7fff_ffff).unwrap_or_default();
    positive.checked_rem(partitions).unwrap_or_default()
}

/// murmur2 with the seed that Kafka's clients share (KIP-480 leaves it as it was).
fn murmur2(bytes: &[u8]) -> u32 {
    const SEED: u32 = 0x9747_b28c;
    const MIX: u32 = 0x5bd1_e995;
    const SHIFT: u32 = 24;
    let length = u32::try_from(bytes.len()).unwrap_or(u32::MAX);
    let (words, rest) = bytes.as_chunks::<4>();
    let mut hash = SEED ^ length;
    for word in words {
        let mut mixed = u32::from_le_bytes(*word).wrapping_mul(MIX);
        mixed = (mixed ^ (mixed >> SHIFT)).wrapping_mul(MIX);
        hash = hash.wrapping_mul(MIX) ^ mixed;
    }
    if !rest.is_empty() {
        let last = rest.iter().rev().fold(0, |last, byte| last << 8 | u32::from(*byte));
        hash = (hash ^ last).wrapping_mul(MIX);
    }
    hash = (hash ^ (hash >> 13)).wrapping_mul(MIX);
    hash ^ (hash >> 15)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_hash_as_in_the_java_client() {
        // Kafka's own UtilsTest has these.
        for (key, hash) in [
            ("21", -973_932_308),
            ("foobar", -790_332_482),
            ("a-little-bit-long-string", -985_981_536),
            ("a-little-bit-longer-string", -1_486_304_829),
            ("lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8", -58_897_971),
            ("abc", 479_470_107),
        ] {
            assert_eq!(murmur2(key.as_bytes()), i32::cast_unsigned(hash), "{key}");
        }
    }
}
