#!/usr/bin/env bash
# Breaks everything around outflow while rows are written, and compares database and topic in the end.
set -euo pipefail

tests=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)

usage() {
    cat <<'TEXT'
Usage: tests/chaos.sh MINUTES [SEED...]

One run of MINUTES for each seed (a new one when none is given), each with servers of its own and with programs
that later builds do not change. The seed decides on the faults and on the servers' settings: seed modulo 3 is 0 for
file and position, 1 for GTIDs with binlog_row_metadata=FULL, 2 with MINIMAL. With GTIDs MySQL has a replica, which takes
its place now and then.

Environment:
  OUTFLOW_CHAOS_NAME              part of the servers' names, to tell runs at one time apart (default: chaos)
  OUTFLOW_CHAOS_EXACTLY_ONCE=yes  with exactly.once.support=required; nothing may come twice
  OUTFLOW_CHAOS_RELAY=debezium    Debezium in outflow's place, to measure it; no finding fails the run
TEXT
}

# The test and the program that the last build made, copied.
copy_programs() {
    local built
    built=$(cargo test --locked --test main --no-run 2>&1) || {
        printf '%s\n' "$built" >&2
        exit 1
    }
    built=$(sed -n 's/^ *Executable .*(\(.*\))$/\1/p' <<<"$built")
    cp "$built" "$work/test"
    cp target/debug/outflow "$work/outflow"
}

main() {
    if (($# < 1)) || [[ $1 == -* ]]; then
        usage
        exit 2
    fi
    local minutes=$1 seed failed=0
    shift
    (($#)) || set -- "$(date +%s)"
    cd "$tests/.."
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    copy_programs
    for seed in "$@"; do
        OUTFLOW_TEST_PROGRAM=$work/outflow OUTFLOW_TEST_SEED=$seed OUTFLOW_CHAOS_MINUTES=$minutes \
            "$work/test" --nocapture --exact chaos::nothing_is_lost_or_invented_whatever_breaks || failed=$((failed + 1))
    done
    ((failed == 0))
}

main "$@"
