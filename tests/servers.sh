#!/usr/bin/env bash
# Gets, starts, stops and resets the real servers that tests, quickstart and benches need; no containers.
set -euo pipefail

repository=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
parts=$repository/tests/servers
state=$repository/.servers
downloads=${OUTFLOW_SERVERS_HOME:-$state}
run=$state/run
# shellcheck source=tests/servers/instance.sh
. "$parts/instance.sh"
# shellcheck source=tests/servers/get.sh
. "$parts/get.sh"
# shellcheck source=tests/servers/mysql.sh
. "$parts/mysql.sh"
# shellcheck source=tests/servers/kafka.sh
. "$parts/kafka.sh"
# shellcheck source=tests/servers/connect.sh
. "$parts/connect.sh"

usage() {
    cat <<'TEXT'
Usage: tests/servers.sh COMMAND

  get [mysql] [kafka] [connect]    download what is missing (mysql and kafka when none is named)
  start INSTANCE... [-- OPTION...] get, start and wait until ready; nothing to do when it runs
  stop INSTANCE...|all [--kill]    SIGTERM, or SIGKILL with --kill
  reset INSTANCE...|all            stop and delete its data, ports and options
  status                           one line an instance
  env [INSTANCE...]                export lines of the running instances, for eval
  mysql[:NAME] [ARG...]            the mysql client, as root on that instance
  mysqlbinlog [ARG...]             the mysqlbinlog program
  kafka CLASS [ARG...]             a tool of the broker; CLASS without a dot is in org.apache.kafka.tools
  libraries                        the folder of Connect's jars

INSTANCE is mysql, kafka or connect, or KIND:NAME for a further one, NAME of a-z, 0-9 and -.
OPTION is an option of mysqld (--binlog-row-metadata=FULL), or key=value of broker or Connect worker; in a broker's,
{port} and {controller} stand for its two ports. They are kept: a later start without -- uses them again, a bare --
clears them. Ports are kept too, until reset.

MySQL: root without password on the socket and from 127.0.0.1; debezium / dbz_pass with REPLICATION SLAVE,
REPLICATION CLIENT and SELECT. Connect has Debezium's MySQL connector and runs on the broker of its own name.

Environment:
  OUTFLOW_SERVERS_HOME          where downloads are kept, to share them (default: .servers/ of this clone)
  OUTFLOW_TEST_MYSQL            host:port of a MySQL to use in place of the default instance,
                                with OUTFLOW_TEST_MYSQL_USER (root) and OUTFLOW_TEST_MYSQL_PASSWORD
  OUTFLOW_TEST_BOOTSTRAP_SERVERS  a Kafka to use in place of the default instance
`env` prints these two, and OUTFLOW_TEST_MYSQL_SOCKET, OUTFLOW_TEST_MYSQL_PID, OUTFLOW_TEST_KAFKA_PID and
OUTFLOW_TEST_CONNECT_URL; for KIND:NAME the same with NAME after OUTFLOW_TEST_, as in OUTFLOW_TEST_NAME_MYSQL.
TEXT
}

start() {
    local instances=() options=() given=
    while (($#)); do
        if [[ $1 == -- ]]; then
            shift
            given=yes options=("$@")
            break
        fi
        instances+=("$1")
        shift
    done
    ((${#instances[@]})) || fail "start: name an instance, such as mysql"
    [[ -z $given || ${#instances[@]} == 1 ]] || fail "start: options are for one instance at a time"
    local instance kind launched=()
    for instance in "${instances[@]}"; do
        select_instance "$instance"
        if is_external "$instance"; then
            external_ready "$instance"
            continue
        fi
        if is_running; then
            if [[ $given ]] && ! same_options "${options[@]}"; then
                say "$instance runs with other options; stop it first to change them"
            fi
            continue
        fi
        mkdir -p "$dir"
        [[ -z $given ]] || keep_options "${options[@]}"
        "get_$kind"
        "launch_$kind"
        launched+=("$instance")
    done
    for instance in ${launched[@]+"${launched[@]}"}; do
        select_instance "$instance"
        await_ready "$instance"
    done
}

stop() {
    local signal=TERM instances=() argument
    for argument in "$@"; do
        case $argument in
            --kill) signal=KILL ;;
            all) mapfile -t instances < <(known_instances) ;;
            *) instances+=("$argument") ;;
        esac
    done
    for argument in ${instances[@]+"${instances[@]}"}; do
        select_instance "$argument"
        terminate "$argument" "$signal"
    done
}

reset() {
    local instances=("$@") instance
    [[ ${1:-} != all ]] || mapfile -t instances < <(known_instances)
    for instance in ${instances[@]+"${instances[@]}"}; do
        select_instance "$instance"
        terminate "$instance" KILL
        forget
    done
}

status() {
    local instance
    while read -r instance; do
        select_instance "$instance"
        if is_running; then
            printf '%-18s running  pid %-8s 127.0.0.1:%s  %s\n' "$instance" "$(<"$dir/pid")" "$PORT" "$dir/log"
        else
            printf '%-18s stopped\n' "$instance"
        fi
    done < <(known_instances)
}

environment() {
    local instances=("$@") instance kind
    if ((${#instances[@]} == 0)); then
        mapfile -t instances < <({ external_instances; known_instances; } | sort -u)
    fi
    for instance in ${instances[@]+"${instances[@]}"}; do
        select_instance "$instance"
        if is_external "$instance"; then
            external_environment "$instance"
        elif is_running; then
            "environment_$kind"
        fi
    done
}

main() {
    local command=${1:-}
    shift || true
    case $command in
        get) with_lock "$downloads" get "$@" ;;
        start | stop | reset) with_lock "$run" "$command" "$@" ;;
        status) status ;;
        env) environment "$@" ;;
        mysql | mysql:*) mysql_client "$command" "$@" ;;
        mysqlbinlog) mysql_program mysqlbinlog "$@" ;;
        kafka) kafka_tool "$@" ;;
        libraries) printf "%s\n" "$connect_lib" ;;
        help | -h | --help) usage ;;
        *)
            usage >&2
            exit 2
            ;;
    esac
}

main "$@"
