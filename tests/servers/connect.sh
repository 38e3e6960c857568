# shellcheck shell=bash
# Kafka Connect workers with Debezium's MySQL connector, each on the broker of its own name. Part of tests/servers.sh.
# shellcheck disable=SC2154 # Names that are not set here come from instance.sh and get.sh.

launch_connect() {
    local options bootstrap_servers group=connect${name:+-$name}
    bootstrap_servers=$(broker_of_connect)
    keep_address
    kept_options
    {
        cat <<PROPERTIES
bootstrap.servers=$bootstrap_servers
group.id=$group
listeners=http://127.0.0.1:$PORT
rest.advertised.host.name=127.0.0.1
config.storage.topic=$group-configs
offset.storage.topic=$group-offsets
status.storage.topic=$group-status
config.storage.replication.factor=1
offset.storage.replication.factor=1
status.storage.replication.factor=1
offset.storage.partitions=3
status.storage.partitions=3
offset.flush.interval.ms=1000
key.converter=org.apache.kafka.connect.json.JsonConverter
value.converter=org.apache.kafka.connect.json.JsonConverter
plugin.discovery=service_load
PROPERTIES
        printf '%s\n' ${options[@]+"${options[@]}"}
    } >"$dir/worker.properties"
    spawn java -Xms256m -Xmx1g -Duser.timezone=UTC "-Dlog4j2.configurationFile=$parts/log4j2.properties" \
        -cp "$connect_lib/*" org.apache.kafka.connect.cli.ConnectDistributed "$dir/worker.properties"
}

# Starts the broker if need be; a subshell, because it selects another instance.
broker_of_connect() (
    broker=kafka${name:+:$name}
    start "$broker"
    select_instance "$broker"
    if is_external "$broker"; then
        printf '%s\n' "$OUTFLOW_TEST_BOOTSTRAP_SERVERS"
    else
        printf '127.0.0.1:%s\n' "$PORT"
    fi
)

# The worker answers from the start, but with an error until it has read its topics.
ready_connect() {
    local answer=''
    answer=$(
        exec 2>/dev/null
        exec 3<>"/dev/tcp/127.0.0.1/$PORT" || exit 1
        printf 'GET /connectors HTTP/1.0\r\n\r\n' >&3
        read -r -t 5 answer <&3 || exit 1
        printf '%s' "$answer"
    ) || return 1
    [[ $answer == *' 200 '* ]]
}

environment_connect() {
    export_line "${prefix}CONNECT_URL" "http://127.0.0.1:$PORT"
    export_line "${prefix}CONNECT_PID" "$(<"$dir/pid")"
}
