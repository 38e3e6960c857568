use std::time::{SystemTime, UNIX_EPOCH};

/// Random numbers whose seed is printed and can be given back by `OUTFLOW_TEST_SEED`.
pub(crate) struct Random(u64);

impl Random {
    /// The environment's seed, or a new one.
    pub(crate) fn new() -> Self {
        Self(Self::seed())
    }

    /// Prints the environment's seed, or a new one.
    pub(crate) fn seed() -> u64 {
        let clock = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
        Self::seed_or(clock.subsec_nanos().into())
    }

    /// Prints the environment's seed, or this one.
    pub(crate) fn seed_or(seed: u64) -> u64 {
        let given = std::env::var("OUTFLOW_TEST_SEED").ok();
        let seed = given.map_or(seed, |seed| seed.parse().expect("OUTFLOW_TEST_SEED is a number"));
        eprintln!("seed: OUTFLOW_TEST_SEED={seed}");
        seed
    }

    /// The numbers of one seed.
    pub(crate) fn seeded(seed: u64) -> Self {
        Self(seed)
    }

    /// True in so many of a hundred.
    pub(crate) fn chance(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }

    /// One of them.
    pub(crate) fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[usize::try_from(self.below(u64::try_from(items.len()).unwrap())).unwrap()]
    }

    /// A number below `end`; xorshift over a Weyl sequence, which is random enough to choose moments.
    pub(crate) fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (mixed ^ (mixed >> 31)) % end
    }
}
