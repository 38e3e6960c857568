#!/usr/bin/env bash
# Checks everything: format, lints, every test on real servers, the quickstart. Installs what is missing.
set -euo pipefail

repository=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
# shellcheck source=docker/install.sh
. "$repository/docker/install.sh"

passed=0
failed=0
had_servers=yes
output=''

# Servers that nobody had running before are stopped again.
clean_up() {
    local running
    rm -f "$output"
    running=$(jobs -p)
    [[ ! $running ]] || kill $running 2>/dev/null || true
    [[ $had_servers ]] || "$servers" stop all >/dev/null 2>&1 || true
}

# step NAME COMMAND...: a failure is told and counted, and the next step runs all the same.
step() {
    say "$1"
    "${@:2}" </dev/null || {
        say "FAILED: $1"
        failed=$((failed + 1))
    }
}

# Warnings are errors with the version of Rust that Cargo.toml names; a newer one may have new lints.
lint() {
    local strict=()
    [[ $(cargo clippy --version) != *" 0.$needed"* ]] || strict=(-- -D warnings)
    cargo clippy --quiet --locked --all-targets "${strict[@]}"
}

# Adds up what cargo reports; a run without a test has failed.
run_tests() {
    local code=0 sums
    cargo test --locked --no-fail-fast 2>&1 | tee "$output" || code=$?
    sums=$(awk '/^test result: / { passed += $4; failed += $6 } END { print passed + 0, failed + 0 }' "$output")
    passed=$((passed + ${sums% *}))
    failed=$((failed + ${sums#* }))
    if ((${sums% *} == 0)); then
        say "no test ran"
        return 1
    fi
    # What failed is counted already, unless nothing says so: a test that does not build, or a crash.
    ((code == 0 || ${sums#* } > 0))
}

# Ten minutes of faults, on each of the servers' settings and once with exactly-once, always the same ones; one run at a
# time, or a broker on two cores may lose itself without a fault's doing.
run_chaos() {
    "$repository/tests/chaos.sh" 2.5 1 2 3 &&
        OUTFLOW_CHAOS_EXACTLY_ONCE=yes "$repository/tests/chaos.sh" 2.5 4 &&
        passed=$((passed + 4))
}

# Licences and origins of everything that is built in; the database of known faults is asked for elsewhere.
check_dependencies() {
    cargo deny --locked check bans licenses sources
}

# With the program that the tests have built.
run_quickstart() {
    OUTFLOW_PROFILE=dev "$repository/docker/quickstart.sh" --once && passed=$((passed + 1))
}

main() {
    cd "$repository"
    had_servers=$("$servers" status | grep running || true)
    prepare_build
    say "getting the servers for the tests"
    "$servers" get mysql kafka connect
    output=$(mktemp)
    trap clean_up EXIT
    trap 'exit 130' INT TERM
    step "cargo fmt" cargo fmt --check
    step "cargo clippy" lint
    if cargo deny --version >/dev/null 2>&1; then
        step "cargo deny" check_dependencies
    fi
    step "cargo test" run_tests
    step "tests/chaos.sh" run_chaos
    step "docker/quickstart.sh" run_quickstart
    printf '\n%d passed, %d failed\n' "$passed" "$failed"
    ((passed > 0 && failed == 0))
}

main "$@"
