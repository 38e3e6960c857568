# shellcheck shell=bash
# An instance: its folder, ports, options and process. Part of tests/servers.sh.
# shellcheck disable=SC2154 # run and downloads come from there.

say() { printf 'servers: %s\n' "$*" >&2; }

fail() {
    say "$*"
    exit 1
}

# One caller at a time for what changes a folder; the lock ends with the process.
with_lock() {
    mkdir -p "$1"
    local lock
    exec {lock}>"$1/.lock"
    flock "$lock"
    "${@:2}"
    exec {lock}>&-
}

# Sets kind, name, prefix (of its environment names), dir and what an earlier start kept.
select_instance() {
    [[ $1 =~ ^(mysql|kafka|connect)(:([a-z0-9-]+))?$ ]] || fail "no such instance: $1 (see --help)"
    kind=${BASH_REMATCH[1]} name=${BASH_REMATCH[3]:-}
    dir=$run/$kind${name:+-$name}
    prefix=OUTFLOW_TEST_
    if [[ $name ]]; then
        prefix+=${name//-/_}_
        prefix=${prefix^^}
    fi
    PORT='' SECOND_PORT='' SOCKET=''
    # shellcheck disable=SC1091 # Written by keep_address.
    [[ ! -f $dir/address ]] || . "$dir/address"
}

# Connect before the broker it uses: it does not stop well without one.
known_instances() {
    local kind path
    for kind in connect mysql kafka; do
        for path in "$run/$kind" "$run/$kind"-*; do
            [[ -d $path ]] || continue
            path=${path##*/}
            printf '%s\n' "${path/-/:}"
        done
    done
}

# A pid may belong to another program by now, so its command line must name the folder.
is_running() {
    local pid
    [[ -f $dir/pid ]] && pid=$(<"$dir/pid") && [[ $pid ]] || return 1
    tr '\0' '\n' 2>/dev/null <"/proc/$pid/cmdline" | grep -qF -- "$dir/"
}

# Until its last thread is gone a process holds its ports and locks, though its command line is no more.
is_alive() {
    local state tasks=("/proc/$1/task"/*)
    state=$(sed -n 's/^State:[[:space:]]*//p' "/proc/$1/status" 2>/dev/null) || return 1
    [[ $state && ($state != [ZX]* || ${#tasks[@]} -gt 1) ]]
}

port_answers() { (exec 3<>"/dev/tcp/$1/$2") 2>/dev/null; }

# Below the range from which the kernel takes ports for outgoing connections.
free_port() {
    local port
    while :; do
        port=$((20000 + RANDOM % 12000))
        if ! grep -qsF "PORT=$port" "$run"/*/address && ! port_answers 127.0.0.1 "$port"; then
            printf '%s\n' "$port"
            return
        fi
    done
}

keep_address() {
    if [[ -z $PORT ]]; then
        PORT=$(free_port)
        SECOND_PORT=$(free_port)
        [[ $kind != mysql ]] || SOCKET=$(socket_path)
        printf '%s=%q\n' PORT "$PORT" SECOND_PORT "$SECOND_PORT" SOCKET "$SOCKET" >"$dir/address.new"
        mv "$dir/address.new" "$dir/address"
    elif port_answers 127.0.0.1 "$PORT"; then
        fail "port $PORT of an earlier start is taken by another program; 'reset' gives a new one"
    fi
}

keep_options() { printf '%s\n' "$@" >"$dir/options"; }

# Sets options.
# shellcheck disable=SC2034 # The launch functions use them.
kept_options() {
    options=()
    if [[ -s $dir/options ]]; then
        mapfile -t options < <(grep -v '^$' "$dir/options")
    fi
}

same_options() { [[ $(printf '%s\n' "$@") == "$(cat "$dir/options" 2>/dev/null)" ]]; }

# Starts a program that outlives the caller, holding none of the caller's files, and keeps its pid.
spawn() {
    [[ ! -f $dir/log ]] || mv "$dir/log" "$dir/log.1"
    (
        for descriptor in /proc/self/fd/*; do
            descriptor=${descriptor##*/}
            ((descriptor < 3)) || exec {descriptor}>&-
        done
        cd /
        exec setsid nohup "$@" </dev/null >"$dir/log" 2>&1
    ) &
    spawned=$!
    printf '%s\n' "$spawned" >"$dir/pid"
}

await_ready() {
    local pid deadline=$((SECONDS + 120))
    pid=$(<"$dir/pid")
    until "ready_$kind"; do
        if ! kill -0 "$pid" 2>/dev/null || ((SECONDS > deadline)); then
            say "$1 did not become ready; the end of $dir/log:"
            tail -n 20 "$dir/log" >&2
            kill -KILL "$pid" 2>/dev/null || true
            rm -f "$dir/pid"
            exit 1
        fi
        sleep 0.1
    done
    say "$1 is ready on 127.0.0.1:$PORT"
}

terminate() {
    if is_running; then
        local pid deadline=$((SECONDS + 60))
        pid=$(<"$dir/pid")
        kill "-$2" "$pid"
        while is_alive "$pid"; do
            if ((SECONDS > deadline)); then
                say "$1 did not stop in a minute: killed"
                kill -KILL "$pid" 2>/dev/null || true
                deadline=$((SECONDS + 60))
            fi
            sleep 0.05
        done
        say "$1 is stopped"
    fi
    rm -f "$dir/pid"
}

forget() {
    case $SOCKET in
        '' | "$dir"/*) ;;
        *) rm -rf "${SOCKET%/*}" ;;
    esac
    rm -rf "$dir"
}

# The environment names a server, and it is not the very instance that was started here.
is_external() {
    local address=
    case $1 in
        mysql) address=${OUTFLOW_TEST_MYSQL:-} ;;
        kafka) address=${OUTFLOW_TEST_BOOTSTRAP_SERVERS:-} ;;
    esac
    [[ $address && $address != "127.0.0.1:$PORT" ]]
}

external_instances() {
    [[ -z ${OUTFLOW_TEST_MYSQL:-} ]] || echo mysql
    [[ -z ${OUTFLOW_TEST_BOOTSTRAP_SERVERS:-} ]] || echo kafka
}

external_ready() {
    local address=${OUTFLOW_TEST_MYSQL:-}
    [[ $1 == mysql ]] || address=${OUTFLOW_TEST_BOOTSTRAP_SERVERS%%,*}
    port_answers "${address%:*}" "${address##*:}" ||
        fail "$1: nothing answers on $address, which the environment names; unset that to start one here"
    say "$1 is the server on $address, which the environment names"
}

external_environment() {
    if [[ $1 == mysql ]]; then
        export_line OUTFLOW_TEST_MYSQL "$OUTFLOW_TEST_MYSQL"
        export_line OUTFLOW_TEST_MYSQL_USER "${OUTFLOW_TEST_MYSQL_USER:-root}"
        export_line OUTFLOW_TEST_MYSQL_PASSWORD "${OUTFLOW_TEST_MYSQL_PASSWORD:-}"
    else
        export_line OUTFLOW_TEST_BOOTSTRAP_SERVERS "$OUTFLOW_TEST_BOOTSTRAP_SERVERS"
    fi
}

export_line() { printf 'export %s=%q\n' "$1" "$2"; }
