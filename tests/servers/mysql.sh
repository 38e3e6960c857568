# shellcheck shell=bash
# MySQL instances. Part of tests/servers.sh.
# shellcheck disable=SC2154 # Names that are not set here come from instance.sh and get.sh.

# The system's C library may be too old for sid's programs, so each runs through the loader it came with.
mysql_command() {
    local library loader
    for loader in "$mysql_root"/usr/lib/*-linux-gnu*/ld-linux-*.so.*; do
        library=${loader%/*}
    done
    mysql_command=("$loader" --library-path "$library:$mysql_root/usr/lib/mysql/private")
}

mysql_program() {
    get_mysql
    mysql_command
    exec "${mysql_command[@]}" "$mysql_root/usr/bin/$1" "${@:2}"
}

# A unix socket's path has at most 107 bytes.
socket_path() {
    local path=$dir/mysql.sock
    if (($(printf %s "$path" | wc -c) > 100)); then
        path=$(mktemp -d "${TMPDIR:-/tmp}/outflow-XXXXXX")/mysql.sock
        chmod 755 "${path%/*}"
    fi
    printf '%s\n' "$path"
}

launch_mysql() {
    local options server=() server_id=1
    keep_address
    kept_options
    mysql_command
    [[ -z $name ]] || server_id=$((10000 + $(cksum <<<"$name" | cut -d ' ' -f 1) % 90000))
    server=("${mysql_command[@]}" "$mysql_root/usr/sbin/mysqld" --no-defaults "--basedir=$mysql_root/usr"
        "--lc-messages-dir=$mysql_root/usr/share/mysql" --secure-file-priv= --mysqlx=OFF
        "--server-id=$server_id" --gtid-mode=ON --enforce-gtid-consistency=ON)
    ((EUID != 0)) || server+=(--user=root)
    [[ -d $dir/data ]] || initialize_mysql
    mkdir -p "${SOCKET%/*}"
    # A killed server leaves its pid in the lock, and mysqld does not start when that pid is a zombie or in use again.
    rm -f "$SOCKET" "$SOCKET.lock"
    spawn "${server[@]}" "--datadir=$dir/data" "--port=$PORT" "--socket=$SOCKET" "--pid-file=$dir/mysqld.pid" \
        --bind-address=127.0.0.1 --skip-name-resolve --default-time-zone=+00:00 --log-bin=binlog \
        --sync-binlog=0 --innodb-flush-log-at-trx-commit=2 --local-infile=ON --max-allowed-packet=1G \
        ${options[@]+"${options[@]}"}
}

# The users are made while the data folder is: there is no moment in which it has none.
initialize_mysql() {
    rm -rf "$dir/data.new"
    cat >"$dir/users.sql" <<'SQL'
CREATE USER 'root'@'127.0.0.1';
GRANT ALL ON *.* TO 'root'@'127.0.0.1' WITH GRANT OPTION;
CREATE USER 'debezium'@'%' IDENTIFIED BY 'dbz_pass';
GRANT REPLICATION SLAVE, REPLICATION CLIENT, SELECT ON *.* TO 'debezium'@'%';
SQL
    if ! "${server[@]}" "--datadir=$dir/data.new" --initialize-insecure "--init-file=$dir/users.sql" \
        >"$dir/log" 2>&1 </dev/null; then
        tail -n 20 "$dir/log" >&2
        fail "mysqld could not make its data folder $dir/data"
    fi
    mv "$dir/data.new" "$dir/data"
}

ready_mysql() {
    mysql_command
    "${mysql_command[@]}" "$mysql_root/usr/bin/mysqladmin" --no-defaults --user=root "--socket=$SOCKET" \
        --connect-timeout=2 ping >/dev/null 2>&1
}

environment_mysql() {
    export_line "${prefix}MYSQL" "127.0.0.1:$PORT"
    export_line "${prefix}MYSQL_USER" root
    export_line "${prefix}MYSQL_PASSWORD" ''
    export_line "${prefix}MYSQL_SOCKET" "$SOCKET"
    export_line "${prefix}MYSQL_PID" "$(<"$dir/pid")"
}

mysql_client() {
    local instance=$1 server
    shift
    select_instance "$instance"
    if is_external "$instance"; then
        server=("--host=${OUTFLOW_TEST_MYSQL%:*}" "--port=${OUTFLOW_TEST_MYSQL##*:}" --protocol=TCP
            "--user=${OUTFLOW_TEST_MYSQL_USER:-root}")
        export MYSQL_PWD=${OUTFLOW_TEST_MYSQL_PASSWORD:-}
    else
        is_running || fail "$instance is not running"
        server=("--socket=$SOCKET" --user=root)
    fi
    mysql_program mysql --no-defaults --default-character-set=utf8mb4 "${server[@]}" "$@"
}
