#!/usr/bin/env bash
# Makes random parity cases, records what Debezium publishes for them and replays them with outflow.
set -euo pipefail

tests=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)

usage() {
    cat <<'TEXT'
Usage: tests/generate.sh COUNT [SEED]

Case number n, from 0, has the seed SEED + n (a new SEED when none is given) and the name random-SEED. The cases
are kept in target/generated: equal ones are deleted, those that differ stay in differ/ with the difference, and
those in which Debezium itself failed, which prove nothing, in failed/.
TEXT
}

# Moves each case for which Debezium failed, or published nothing, out of the way.
set_failed_aside() {
    local case
    for case in "$work"/random-*; do
        if [[ -f $case/expected-failure.txt || ! -s $case/expected.jsonl ]]; then
            rm -rf "$kept/failed/$(basename "$case")"
            mv "$case" "$kept/failed/"
        fi
    done
}

# What the replay says of a case: from its heading to the next.
differences() {
    awk -v name="$1" '/^---- / { own = $2 == name } own' "$work/replay.log"
}

main() {
    if (($# < 1 || $# > 2)) || [[ $1 == -* ]]; then
        usage
        exit 2
    fi
    local count=$1 seed=${2:-$(date +%s)} cases case name different=0
    kept=$tests/../target/generated
    work=$kept/seed-$seed
    mkdir -p "$work" "$kept/failed" "$kept/differ"
    cd "$tests/.."
    OUTFLOW_TEST_SEED=$seed OUTFLOW_TEST_CASE_COUNT=$count OUTFLOW_TEST_GENERATE_DIR=$work \
        cargo test --quiet --test main generate:: >/dev/null
    "$tests/record.sh" "$work"/random-* 2>"$work/record.log" || true
    set_failed_aside
    OUTFLOW_TEST_CASE_DIR=$work cargo test --quiet --test main as_debezium_publishes -- --nocapture \
        >"$work/replay.log" 2>&1 || true
    cases=$(find "$work" -maxdepth 1 -name 'random-*' | wc -l)
    for case in "$work"/random-*; do
        name=$(basename "$case")
        differences "$name" >"$case/difference.txt"
        if [[ -s $case/difference.txt ]]; then
            rm -rf "$kept/differ/$name"
            mv "$case" "$kept/differ/"
            different=$((different + 1))
        fi
    done
    rm -rf "$work"/random-*
    grep 'cases equal' "$work/replay.log" || tail -n 20 "$work/replay.log"
    echo "generate: seed $seed: $count cases, $((count - cases)) without recording, $different differ"
    ((different == 0))
}

main "$@"
