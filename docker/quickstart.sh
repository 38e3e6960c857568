#!/usr/bin/env bash
# Shows the whole way on this machine: orders and outbox rows committed in MySQL, records read from Kafka.
set -euo pipefail

repository=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
# shellcheck source=docker/install.sh
. "$repository/docker/install.sh"

folder=$repository/.servers/quickstart
topic=order-events
mysql=mysql:quickstart
kafka=kafka:quickstart

usage() {
    cat <<'TEXT'
Usage: docker/quickstart.sh [--kafka] [--once]

Installs what is missing, builds outflow, starts a MySQL, commits orders with their outbox rows and shows the
records that a consumer reads. Ctrl-C stops everything and deletes its data; downloads and the build are kept.

  --kafka  a real Kafka broker (needs Java) in place of the one inside outflow
  --once   end after the orders: 0 when each committed one arrived and the rolled-back one did not.
           So it is without a terminal, too.
TEXT
}

sql() { "$servers" "$mysql" --batch --skip-column-names "$@"; }

clean_up() {
    local code=$? pid
    trap '' INT TERM
    say "stopping"
    for pid in ${consumer_pid:-} ${outflow_pid:-}; do
        kill "$pid" 2>/dev/null || true
        wait "$pid" 2>/dev/null || true
    done
    "$servers" reset "$mysql" "$kafka" >/dev/null 2>&1 || true
    rm -rf "$folder"
    exit "$code"
}

start_servers() {
    "$servers" reset "$mysql" "$kafka" >/dev/null 2>&1
    say "starting MySQL${with_kafka:+ and Kafka}"
    "$servers" start "$mysql" ${with_kafka:+"$kafka"}
    sql <"$repository/docker/quickstart.sql"
    # From here on the log is looked through for the times of commits.
    read -r log_file log_pos _ < <(sql -e 'SHOW BINARY LOG STATUS')
    eval "$("$servers" env "$mysql" "$kafka")"
    mysql_port=${OUTFLOW_TEST_QUICKSTART_MYSQL##*:}
    brokers=${OUTFLOW_TEST_QUICKSTART_BOOTSTRAP_SERVERS:-}
}

start_outflow() {
    local sink=embedded deadline=$((SECONDS + 60))
    [[ -z $brokers ]] || sink=kafka
    admin_port=$(free_port)
    local command=("$outflow" run "$repository/connector-config/outbox-connector.json"
        --set database.hostname=127.0.0.1 --set "database.port=$mysql_port" --sink "$sink"
        ${brokers:+--bootstrap-servers "$brokers"} --data-dir "$folder/data" --listen "127.0.0.1:$admin_port")
    say "starting outflow, which joins MySQL as a replica"
    printf '   %s \\\n' "outflow run connector-config/outbox-connector.json" \
        "    --set database.port=$mysql_port --sink $sink${brokers:+ --bootstrap-servers $brokers}" >&2
    printf '       --data-dir … --listen 127.0.0.1:%s\n' "$admin_port" >&2
    "${command[@]}" </dev/null >"$folder/outflow.log" 2>&1 &
    outflow_pid=$!
    until [[ $(http /readyz 2>/dev/null) == *' 200 '* ]]; do
        if ! kill -0 "$outflow_pid" 2>/dev/null || ((SECONDS > deadline)); then
            tail -n 20 "$folder/outflow.log" >&2
            fail "outflow did not become ready; its log is above"
        fi
        sleep 0.1
    done
    : "${brokers:=$(sed -n 's/.*bootstrap_servers="\{0,1\}\([^ "]*\).*/\1/p' "$folder/outflow.log" | sed -n 1p)}"
}

# An answer of outflow's admin port, status line and all.
http() {
    exec 3<>"/dev/tcp/127.0.0.1/$admin_port" || return 1
    printf 'GET %s HTTP/1.0\r\n\r\n' "$1" >&3
    cat <&3
    exec 3>&-
}

start_consumer() {
    say "starting a consumer"
    printf '   outflow consume --bootstrap-servers %s --topic %s\n' "$brokers" "$topic" >&2
    exec {records}< <(exec "$outflow" consume --bootstrap-servers "$brokers" --topic "$topic")
    consumer_pid=$!
}

# order ID CUSTOMER AMOUNT COMMIT|ROLLBACK: the order and its event in one transaction.
order() {
    printf '\nBEGIN; INSERT INTO orders … %s; INSERT INTO outbox_events …; %s;\n' "$1" "$4"
    sql order_db <<SQL
BEGIN;
INSERT INTO orders VALUES ($1, '$2', $3, NOW(3));
INSERT INTO outbox_events (aggregate_id, event_type, payload, created_at)
  VALUES ('order-$1', 'OrderPlaced', JSON_OBJECT('order', $1, 'customer', '$2', 'amount', $3), NOW(3));
$4;
SQL
}

# When the transaction with this outbox row was committed: seconds from MySQL's log, by MySQL's clock.
commit_time() {
    "$servers" mysqlbinlog --read-from-remote-server --host=127.0.0.1 --port="$mysql_port" --user=root \
        --verbose --base64-output=decode-rows --start-position="$log_pos" "$log_file" 2>/dev/null |
        awk -v id="$1" '
            match($0, /immediate_commit_timestamp=[0-9]+/) { time = substr($0, RSTART + 27, RLENGTH - 27) }
            /^### / { outbox = /INSERT INTO `order_db`.`outbox_events`/ || (outbox && !/^### (INSERT|UPDATE|DELETE)/) }
            outbox && $2 == "@1=" id { printf "%.6f\n", time / 1000000; exit }
        '
}

# Shows the next record; sets its key and event. Gives up after the seconds in $1, or when outflow is gone.
next_record() {
    local line id='' deadline=$((SECONDS + $1))
    key='' value=''
    while :; do
        if ! IFS= read -r -t 1 -u "$records" line; then
            kill -0 "$outflow_pid" 2>/dev/null || fail "outflow ended; the end of its log: $(tail -n 5 "$folder/outflow.log")"
            kill -0 "$consumer_pid" 2>/dev/null || fail "the consumer ended"
            ((SECONDS < deadline)) || return 1
            continue
        fi
        case $line in
            '  key      '*) key=${line#  key      } ;;
            '  header   id: '*) id=${line#  header   id: } ;;
            '  value    '*) value=${line#  value    } ;;
            '  arrived  '*)
                show_delay "$id" "${line#  arrived  }"
                return
                ;;
        esac
        printf '%s\n' "$line"
    done
}

show_delay() {
    local committed
    committed=$(commit_time "$1")
    awk -v arrived="$2" -v committed="$committed" 'BEGIN {
        if (committed == "") print "  arrived  at " arrived
        else printf "  arrived  %.1f ms after the commit\n", (arrived - committed) * 1000
    }'
}

place_orders() {
    local expected
    say "committing orders, and rolling one back"
    for expected in '1001 Ada 25.90 COMMIT' '1002 Grace 118.00 COMMIT' '1003 Edsger 7.50 ROLLBACK' \
        '1004 Barbara 64.20 COMMIT' '1005 Donald 3.14 COMMIT'; do
        # shellcheck disable=SC2086 # Words.
        order $expected
        if [[ $expected == *ROLLBACK ]]; then
            rolled_back=order-${expected%% *}
            continue
        fi
        committed=$((committed + 1))
        next_record 30 || fail "order ${expected%% *} did not arrive in 30 seconds"
        check "$expected"
    done
}

# The record just shown is this order's.
check() {
    local number customer
    read -r number customer _ <<<"$1"
    [[ $key == "order-$number" ]] || fail "key $key arrived in place of order-$number"
    [[ $value == *"\"order\":$number"* && $value == *"\"customer\":\"$customer\""* ]] ||
        fail "the value of order $number is not what was committed: $value"
}

# Nothing came that should not have: not to the consumer, and not to Kafka at all.
check_total() {
    local published
    ! next_record 2 || fail "a record too many arrived: $key"
    published=$(http /metrics | sed -n 's/^outbox_events_published_total{.*} //p')
    [[ $published == "$committed" ]] || fail "outflow published $published records for $committed commits"
    say "$committed of $committed committed orders arrived, the rolled-back $rolled_back did not"
    cat >&2 <<'TEXT'
   Measured from the commit time in MySQL's log to the moment when the consumer has the record, on this
   machine's clock: outflow, Kafka and the consumer's fetching together; the first time the making of the topic, too.
TEXT
}

# Until Ctrl-C: whatever else is committed is shown.
follow() {
    cat >&2 <<TEXT

== running; Ctrl-C stops it. In another terminal:
   tests/servers.sh $mysql order_db -e "INSERT INTO outbox_events (aggregate_id, event_type, payload, created_at)
       VALUES ('order-7', 'OrderPaid', '{\"paid\": true}', NOW(3))"
   metrics: http://127.0.0.1:$admin_port/metrics   log: ${folder#"$repository/"}/outflow.log   Kafka: $brokers
TEXT
    trap 'exit 0' INT TERM
    while :; do
        next_record 3600 || true
    done
}

main() {
    local with_kafka='' once='' committed=0 rolled_back=''
    [[ -t 0 && -z ${CI:-} ]] || once=yes
    while (($#)); do
        case $1 in
            --kafka) with_kafka=yes ;;
            --once) once=yes ;;
            -h | --help) usage && exit ;;
            *) usage >&2 && exit 2 ;;
        esac
        shift
    done
    prepare_build
    build
    mkdir -p "$repository/.servers"
    exec {lock}>"$repository/.servers/quickstart.lock"
    flock --nonblock "$lock" || fail "a quickstart of this clone is running already"
    trap clean_up EXIT
    trap 'exit 130' INT TERM
    rm -rf "$folder"
    mkdir -p "$folder"
    start_servers
    start_outflow
    start_consumer
    place_orders
    check_total
    [[ $once ]] || follow
}

main "$@"
