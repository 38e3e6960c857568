# shellcheck shell=bash
# Kafka brokers, each its own controller. Part of tests/servers.sh.
# shellcheck disable=SC2154 # Names that are not set here come from instance.sh and get.sh.

# A short session, because a killed broker is let in again only when its old session has ended.
launch_kafka() {
    local options java
    keep_address
    kept_options
    {
        cat <<PROPERTIES
process.roles=broker,controller
node.id=1
listeners=PLAINTEXT://127.0.0.1:$PORT,CONTROLLER://127.0.0.1:$SECOND_PORT
advertised.listeners=PLAINTEXT://127.0.0.1:$PORT
controller.listener.names=CONTROLLER
controller.quorum.bootstrap.servers=127.0.0.1:$SECOND_PORT
log.dirs=$dir/data
num.partitions=3
auto.create.topics.enable=true
default.replication.factor=1
min.insync.replicas=1
offsets.topic.replication.factor=1
offsets.topic.num.partitions=3
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
transaction.state.log.num.partitions=3
share.coordinator.state.topic.replication.factor=1
share.coordinator.state.topic.min.isr=1
share.coordinator.state.topic.num.partitions=3
group.initial.rebalance.delay.ms=0
broker.heartbeat.interval.ms=1000
broker.session.timeout.ms=3000
PROPERTIES
        # Further listeners need the ports of these two.
        options=(${options[@]+"${options[@]//\{port\}/$PORT}"})
        printf '%s\n' ${options[@]+"${options[@]//\{controller\}/$SECOND_PORT}"}
    } >"$dir/server.properties"
    java=(java -Xms512m -Xmx1g "-Dlog4j2.configurationFile=$parts/log4j2.properties" -cp "$kafka_lib/*")
    if [[ ! -d $dir/data ]]; then
        format_kafka
    fi
    spawn "${java[@]}" kafka.Kafka "$dir/server.properties"
}

# Written as data and renamed, so a format that was cut short is done again. A broker that joins another one's
# cluster has that one's id among its options, as cluster.id.
format_kafka() {
    local cluster
    cluster=$(sed -n 's/^cluster\.id=//p' "$dir/server.properties")
    local of=(-t "$cluster")
    [[ $cluster ]] || of=(--standalone -t "$(cluster_id)")
    rm -rf "$dir/data.new"
    sed "s|^log.dirs=.*|log.dirs=$dir/data.new|" "$dir/server.properties" >"$dir/format.properties"
    if ! "${java[@]}" -Xshare:auto -XX:TieredStopAtLevel=1 kafka.tools.StorageTool format \
        "${of[@]}" -c "$dir/format.properties" >"$dir/log" 2>&1 </dev/null; then
        tail -n 20 "$dir/log" >&2
        fail "could not format $dir/data"
    fi
    mv "$dir/data.new" "$dir/data"
}

# Sixteen random bytes in URL-safe base64, as Kafka writes a uuid; never with a leading dash.
cluster_id() { printf 'k%s\n' "$(head -c 16 /dev/urandom | base64 | tr '+/' 'AB' | head -c 20)A"; }

ready_kafka() { grep -qsF 'Kafka Server started' "$dir/log" && port_answers 127.0.0.1 "$PORT"; }

environment_kafka() {
    export_line "${prefix}BOOTSTRAP_SERVERS" "127.0.0.1:$PORT"
    export_line "${prefix}KAFKA_CONTROLLER" "127.0.0.1:$SECOND_PORT"
    export_line "${prefix}KAFKA_PID" "$(<"$dir/pid")"
}

kafka_tool() {
    local class=${1:?name a class, such as TopicCommand}
    shift
    get_kafka
    [[ $class == *.* ]] || class=org.apache.kafka.tools.$class
    exec java -Xshare:auto -XX:TieredStopAtLevel=1 -Doutflow.log.level=warn \
        "-Dlog4j2.configurationFile=$parts/log4j2.properties" -cp "$kafka_lib/*" "$class" "$@"
}
