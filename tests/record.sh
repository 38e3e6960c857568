#!/usr/bin/env bash
# Records what Debezium publishes for parity cases, or checks recordings against what it publishes now.
set -euo pipefail

tests=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)

usage() {
    cat <<'TEXT'
Usage: tests/record.sh CASE_DIR...          write expected.jsonl, and expected-failure.txt where Debezium fails
       tests/record.sh --check CASE_DIR...  record elsewhere and show the differences
       tests/record.sh --stop               stop the servers that recordings leave running

A case has connector.json, before.sql (run before the connector starts, when no other database is left) and
input.sql (run while it streams). Host, port, user, password and schema history servers of the file are replaced.
The servers are mysql:record, kafka:record and connect:record of tests/servers.sh. Needs a JDK.
TEXT
}

start_servers() {
    command -v javac >/dev/null || install_jdk
    "$tests/servers.sh" start mysql:record -- --binlog-row-metadata=FULL --server-id=1
    "$tests/servers.sh" start connect:record -- \
        key.converter=org.apache.kafka.connect.storage.StringConverter \
        value.converter=org.apache.kafka.connect.storage.StringConverter
    # An initial snapshot locks, which the connector's user may not do by default.
    "$tests/servers.sh" mysql:record -e "GRANT RELOAD, LOCK TABLES, SHOW DATABASES ON *.* TO debezium@'%'"
    eval "$("$tests/servers.sh" env mysql:record kafka:record connect:record)"
}

install_jdk() {
    local sudo=()
    ((EUID == 0)) || sudo=(sudo)
    echo "record: installing the package default-jdk-headless" >&2
    "${sudo[@]}" apt-get update -qq >&2
    "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive \
        apt-get install -y -qq --no-install-recommends default-jdk-headless >&2
}

# Arguments are pairs: the case's folder and the folder to write to.
record() {
    java -Xshare:auto -XX:TieredStopAtLevel=1 -Doutflow.log.level=error \
        "-Dlog4j2.configurationFile=$tests/servers/log4j2.properties" -cp "$("$tests/servers.sh" libraries)/*" \
        "$tests/record/Recorder.java" "$tests/servers.sh" "$@"
}

# Prints the first file with what differs from run to run masked. The second file is the new recording: where it
# has only the time of processing, because no event timestamp is named or the column was NULL, the timestamp goes.
# A record without key or placed partition may be in any partition. The rest is Debezium's own envelope and headers,
# and byte arrays that are printed by their address.
stable() {
    awk -v started="$started" -v named="$3" -v placed="$4" '
        function stamp() { return match($0, /"timestamp": -?[0-9]+}$/) ? substr($0, RSTART + 13) + 0 : 0 }
        pass == 1 { processing[FNR] = !named || stamp() >= started; next }
        {
            if (processing[FNR] || !named) sub(/, "timestamp": -?[0-9]+}$/, "}")
            anywhere = !placed && sub(/"partition": [0-9]+, "key": null/, "\"partition\": \"any\", \"key\": null")
            printf "%d %06d\t%s\n", anywhere, anywhere ? 0 : FNR, $0
        }
    ' pass=1 "$2" pass=2 "$1" | LC_ALL=C sort | cut -f 2- |
        sed -E -e 's/\\"(ts_ms|ts_us|ts_ns|pos|thread)\\":[0-9]+/\\"\1\\":0/g' \
            -e 's/\\"(gtid|file)\\":\\"[^"]*\\"/\\"\1\\":\\"\\"/g' \
            -e 's/(\["__debezium.context.runId", \{"utf8": ")[^"]*/\1/g' \
            -e 's/\[B@[0-9a-f]+/[B@/g'
}

# Shows the differences; fails when there are any.
compare() {
    local case=$1 new=$2 named=0 placed=0 equal=0 failure
    ! grep -q 'table\.field\.event\.timestamp"' "$case/connector.json" || named=1
    ! grep -q ':partition\b' "$case/connector.json" || placed=1
    diff -u --label "$case/expected.jsonl" --label recorded \
        <(stable "$case/expected.jsonl" "$new/expected.jsonl" "$named" "$placed") \
        <(stable "$new/expected.jsonl" "$new/expected.jsonl" "$named" "$placed") || equal=1
    for failure in "$case" "$new"; do
        [[ -f $failure/expected-failure.txt ]] || continue
        diff -uN "$case/expected-failure.txt" "$new/expected-failure.txt" || equal=1
        break
    done
    return "$equal"
}

check() {
    local case pairs=() failed=0 count=0 different=0
    scratch=$(mktemp -d)
    trap 'rm -rf "$scratch"' EXIT
    started=$(date +%s%3N)
    for case in "$@"; do
        count=$((count + 1))
        pairs+=("$case" "$scratch/$count")
    done
    record "${pairs[@]}" || failed=1
    count=0
    for case in "$@"; do
        count=$((count + 1))
        if [[ ! -f $scratch/$count/expected.jsonl ]] || ! compare "$case" "$scratch/$count"; then
            different=$((different + 1))
        fi
    done
    echo "record: $((count - different)) equal, $different differ" >&2
    ((failed == 0 && different == 0))
}

main() {
    local checking='' case pairs=()
    case ${1:-} in
        -h | --help)
            usage
            exit
            ;;
        --stop)
            "$tests/servers.sh" stop connect:record kafka:record mysql:record
            exit
            ;;
        --check)
            checking=yes
            shift
            ;;
    esac
    if (($# == 0)); then
        usage >&2
        exit 2
    fi
    for case in "$@"; do
        [[ -f $case/connector.json && -f $case/before.sql && -f $case/input.sql ]] || {
            echo "record: $case lacks connector.json, before.sql or input.sql" >&2
            exit 2
        }
        pairs+=("$case" "$case")
    done
    start_servers
    if [[ $checking ]]; then
        check "$@"
    else
        record "${pairs[@]}"
    fi
}

main "$@"
