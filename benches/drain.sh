#!/usr/bin/env bash
# Measures how fast a waiting backlog goes from MySQL's log into Kafka: rows/s, CPU time a row, peak memory.
# One run on one machine: compare its rows with each other, not with another machine's.
#
#   benches/drain.sh [--rows N] [--runs N] [--debezium]
#
# The backlog is half transactions of one row, half of 100 rows, JSON payloads of some 260 bytes. Each run
# starts before the backlog with an empty data folder. --debezium drains the same backlog with Debezium.
set -euo pipefail
cd "$(dirname "$0")/.."

rows=600000 runs=3 debezium=no
while [ $# -gt 0 ]; do
  case "$1" in
    --rows) rows=$2; shift 2 ;;
    --runs) runs=$2; shift 2 ;;
    --debezium) debezium=yes; shift ;;
    *) sed -n '2,9s/^# \{0,1\}//p' "$0"; exit 2 ;;
  esac
done

servers=tests/servers.sh
"$servers" start mysql:bench -- --max-binlog-size=1G >&2
"$servers" start kafka:bench >&2
eval "$("$servers" env mysql:bench kafka:bench)"
mysql_port=${OUTFLOW_TEST_BENCH_MYSQL##*:}
brokers=$OUTFLOW_TEST_BENCH_BOOTSTRAP_SERVERS
cargo build --release --quiet
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

sql() { "$servers" mysql:bench "$@"; }

prepare() {
  sql <<SQL
DROP DATABASE IF EXISTS bench; RESET BINARY LOGS AND GTIDS;
CREATE DATABASE bench; USE bench;
CREATE TABLE outbox (id BIGINT AUTO_INCREMENT PRIMARY KEY, aggregatetype VARCHAR(64) NOT NULL,
  aggregateid VARCHAR(64) NOT NULL, type VARCHAR(64) NOT NULL, payload JSON NOT NULL);
DELIMITER //
CREATE FUNCTION payload(i BIGINT) RETURNS JSON DETERMINISTIC RETURN JSON_OBJECT('order_id', CONCAT('order-', i),
  'user_id', CONCAT('user-', i MOD 1000), 'amount', 19.99, 'currency', 'EUR', 'items', JSON_ARRAY(i, i + 1, i + 2),
  'note', REPEAT('x', 100), 'paid', TRUE)//
CREATE PROCEDURE singles(n BIGINT) BEGIN DECLARE i BIGINT DEFAULT 0; WHILE i < n DO
  INSERT INTO outbox (aggregatetype, aggregateid, type, payload) VALUES ('Order', CONCAT('order-', i MOD 1000), 'OrderCreated', payload(i));
  SET i = i + 1; END WHILE; END//
CREATE PROCEDURE hundreds(n BIGINT) BEGIN DECLARE i BIGINT DEFAULT 0; WHILE i < n DO
  IF i MOD 100 = 0 THEN START TRANSACTION; END IF;
  INSERT INTO outbox (aggregatetype, aggregateid, type, payload) VALUES ('Order', CONCAT('order-', i MOD 1000), 'OrderCreated', payload(i));
  SET i = i + 1; IF i MOD 100 = 0 THEN COMMIT; END IF; END WHILE; COMMIT; END//
DELIMITER ;
SQL
  connector drain drain >"$work/drain.json"
  outflow null "$work/start" # Stores the position before the backlog.
  if [ "$debezium" = yes ]; then start_debezium; fi
  sql bench -e "CALL singles($rows / 2); CALL hundreds($rows / 2)"
}

outflow() { # sink, data folder, topic prefix, more options
  target/release/outflow run "$work/drain.json" --bootstrap-servers "$brokers" --data-dir "$2" --sink "$1" \
    --listen 127.0.0.1:0 --until-caught-up --log warn \
    --set "transforms.outbox.route.topic.replacement=${3:-none}" "${@:4}" >/dev/null
}

# Options of delivery in Kafka transactions, with a topic of positions of its own.
exactly_once() {
  local topic="drain-offsets-$RANDOM-$RANDOM"
  printf '%s\n' "offset.storage.topic=$topic" offset.storage.replication.factor=1 >"$work/worker.properties"
  printf '%s\n' --worker "$work/worker.properties" --set exactly.once.support=required
}

connector() { # name, topic prefix
  cat <<JSON
{"name": "$1", "config": {
  "connector.class": "io.debezium.connector.mysql.MySqlConnector", "tasks.max": "1",
  "database.hostname": "127.0.0.1", "database.port": "$mysql_port", "database.user": "debezium",
  "database.password": "dbz_pass", "database.server.id": "7001", "topic.prefix": "$1",
  "database.include.list": "bench", "table.include.list": "bench.outbox", "snapshot.mode": "no_data", "snapshot.locking.mode": "none",
  "schema.history.internal.kafka.bootstrap.servers": "$brokers", "schema.history.internal.kafka.topic": "schema-$1",
  "include.schema.changes": "false", "extended.headers.enabled": "false",
  "key.converter": "org.apache.kafka.connect.storage.StringConverter",
  "value.converter": "org.apache.kafka.connect.storage.StringConverter",
  "transforms": "outbox", "transforms.outbox.type": "io.debezium.transforms.outbox.EventRouter",
  "transforms.outbox.route.topic.replacement": "$2.\${routedByValue}",
  "transforms.outbox.table.fields.additional.placement": "type:header:eventType"}}
JSON
}

# Runs outflow over the whole backlog into a sink and prints one row of the table.
drain() { # sink, label, more options of outflow
  local topic="drain-$RANDOM-$RANDOM" data="$work/data-$RANDOM" pid start end status peak ticks hz
  cp -r "$work/start" "$data"
  start=$(date +%s%N)
  outflow "$1" "$data" "$topic" "${@:3}" &
  pid=$! peak=0 ticks=0
  # The function runs in a shell of its own, whose child is the process to look at.
  until child=$(pgrep -P "$pid" 2>/dev/null); do sleep 0.005; done
  while [ -r "/proc/$child/stat" ]; do
    status=$(awk '/^VmHWM/ { print $2 }' "/proc/$child/status" 2>/dev/null) && peak=${status:-$peak}
    ticks=$(awk '{ print $14 + $15 }' "/proc/$child/stat" 2>/dev/null) || true
    sleep 0.02
  done
  wait "$pid"
  end=$(date +%s%N)
  hz=$(getconf CLK_TCK)
  awk -v label="$2" -v rows="$rows" -v ns="$((end - start))" -v peak="$peak" -v ticks="${ticks:-0}" -v hz="$hz" 'BEGIN {
    printf "| %s | %.2f | %.0f | %.2f | %.1f |\n", label, ns / 1e9, rows / (ns / 1e9), ticks / hz / rows * 1e6, peak / 1024 }'
}

connect() { # method, path, more
  local method=$1 path=$2
  shift 2
  curl -sf -X "$method" -H 'content-type: application/json' "$OUTFLOW_TEST_BENCH_CONNECT_URL$path" "$@"
}

# Waits for words in Debezium's status, a minute at the most.
wait_for() {
  local tries=120
  until connect GET "/connectors/$debezium/status" | grep -q "$1"; do
    [ $((tries -= 1)) -gt 0 ] || { connect GET "/connectors/$debezium/status" >&2; exit 1; }
    sleep 0.5
  done
}

# Starts Debezium before the backlog, so that its position is stored, and stops it again.
start_debezium() {
  debezium="debezium-$RANDOM"
  "$servers" start connect:bench >&2
  eval "$("$servers" env connect:bench)"
  connector "$debezium" "$debezium" | connect POST /connectors --data @- >/dev/null
  wait_for '"tasks":\[{"id":0,"state":"RUNNING"'
  sql bench -e "INSERT INTO outbox (aggregatetype, aggregateid, type, payload) VALUES ('First', 'k', 't', '{}')"
  until [ "$(messages "$debezium.First")" -ge 1 ]; do wait_for '"tasks":\[{"id":0,"state":"RUNNING"'; done
  connect PUT "/connectors/$debezium/stop"
  wait_for '"state":"STOPPED"'
}

messages() { # topic
  "$servers" kafka GetOffsetShell --bootstrap-server "$brokers" --topic "$1" 2>/dev/null | awk -F: '{ n += $3 } END { print n + 0 }'
}

debezium_drain() {
  local start end
  start=$(date +%s%N)
  connect PUT "/connectors/$debezium/resume"
  until [ "$(messages "$debezium.Order")" -ge "$rows" ]; do wait_for '"tasks":\[{"id":0'; done
  end=$(date +%s%N)
  connect DELETE "/connectors/$debezium"
  awk -v rows="$rows" -v ns="$((end - start))" 'BEGIN { printf "| Debezium, its start included | %.2f | %.0f | | |\n", ns / 1e9, rows / (ns / 1e9) }'
}

echo "making a backlog of $rows rows" >&2
prepare >&2
echo "| run | seconds | rows/s | CPU us/row | peak MB |"
echo "| --- | --- | --- | --- | --- |"
for run in $(seq "$runs"); do
  drain null "null sink, run $run"
  drain kafka "Kafka, run $run"
  mapfile -t options < <(exactly_once)
  drain kafka "Kafka, exactly once, run $run" "${options[@]}"
done
if [ "$debezium" != no ]; then debezium_drain; fi
