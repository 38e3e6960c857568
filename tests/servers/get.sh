# shellcheck shell=bash
# Downloads, each into a folder of its own that appears whole or not at all. Part of tests/servers.sh.
# shellcheck disable=SC2154 # downloads and parts come from there.

kafka_version=4.4.0
log4j_version=2.24.3
connect_version=4.3.1
debezium_version=3.6.1.Final
mysql_root=$downloads/mysql-root
kafka_lib=$downloads/kafka-$kafka_version
connect_lib=$downloads/connect-$connect_version-debezium-$debezium_version

get() {
    local kind
    (($#)) || set -- mysql kafka
    for kind in "$@"; do
        [[ $kind =~ ^(mysql|kafka|connect)$ ]] || fail "get: no such server: $kind"
        "get_$kind"
    done
}

get_mysql() { once "$mysql_root" unpack_mysql; }

get_kafka() {
    need java default-jre-headless
    once "$kafka_lib" copy_artifacts "org.apache.kafka:kafka_2.13:$kafka_version" \
        "org.apache.kafka:kafka-tools:$kafka_version"
}

get_connect() {
    need java default-jre-headless
    once "$connect_lib" copy_artifacts "org.apache.kafka:connect-runtime:$connect_version" \
        "org.apache.kafka:connect-json:$connect_version" "org.apache.kafka:connect-transforms:$connect_version" \
        "io.debezium:debezium-connector-mysql:$debezium_version" "io.debezium:debezium-api:$debezium_version"
}

# Fills a temporary folder beside the wanted one by a function, then gives it its name.
once() {
    local folder=$1
    [[ ! -d $folder ]] || return 0
    with_lock "$folder.getting" fill "$@"
    rm -rf "$folder.getting"
}

fill() {
    local folder=$1 temporary=$1.getting/new
    [[ ! -d $folder ]] || return 0
    say "getting ${folder##*/}"
    rm -rf "$temporary"
    mkdir -p "$temporary"
    "$2" "$temporary" "${@:3}" || fail "could not get ${folder##*/}"
    mv "$temporary" "$folder"
}

need() {
    command -v "$1" >/dev/null || install_packages "$2"
}

install_packages() {
    local sudo=()
    ((EUID == 0)) || sudo=(sudo)
    say "installing $*"
    "${sudo[@]}" apt-get update -qq >&2
    "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive \
        apt-get install -y -qq --no-install-recommends -o DPkg::Lock::Timeout=300 "$@" >/dev/null
}

# Debian 12 has no MySQL; sid has.
unpack_mysql() { unpack_packages "$1" mysql-server-core mysql-client-core; }

# Packages of sid with all they depend on are unpacked aside and never touch the system. What is given as `-NAME`
# is left out, because the system has it.
unpack_packages() {
    local target=$1 apt=$1.apt mirror package options wanted=()
    shift
    # shellcheck disable=SC2016 # The format is for apt-get.
    mirror=$(apt-get indextargets --format '$(REPO_URI)' | grep '/debian/$' | sort -u | sed -n 1p)
    [[ $mirror ]] || fail "apt knows no Debian mirror: run 'apt-get update' on a Debian system first"
    rm -rf "$apt"
    mkdir -p "$apt/lists/partial" "$apt/archives/partial"
    for package in "$@"; do
        if [[ $package == -* ]]; then
            printf 'Package: system-%s\nProvides: %s (= 99)\nStatus: install ok installed\nVersion: 1\n' \
                "${package#-}" "${package#-}"
            printf 'Architecture: all\nMaintainer: none\nDescription: none\n\n'
        else
            wanted+=("$package")
        fi
    done >"$apt/status"
    printf 'deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] %s sid main\n' "$mirror" >"$apt/sources.list"
    options=(-qq -o "Dir::Etc::sourcelist=$apt/sources.list" -o Dir::Etc::sourceparts=/dev/null
        -o Dir::Etc::preferences=/dev/null -o Dir::Etc::preferencesparts=/dev/null
        -o "Dir::State=$apt" -o "Dir::State::lists=$apt/lists" -o "Dir::State::status=$apt/status"
        -o "Dir::Cache=$apt" -o "Dir::Cache::archives=$apt/archives"
        -o APT::Sandbox::User=root -o Acquire::Languages=none)
    apt-get "${options[@]}" update >&2 || return 1
    apt-get "${options[@]}" --yes --no-install-recommends --download-only install \
        "${wanted[@]}" >&2 || return 1
    for package in "$apt"/archives/*.deb; do
        dpkg -x "$package" "$target" || return 1
    done
    rm -rf "$apt"
}

# Copies Maven artifacts with all they depend on into a folder.
copy_artifacts() {
    local target=$1 pom=$1.pom.xml artifact group version
    need mvn maven
    shift
    {
        echo '<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>'
        echo '<groupId>outflow</groupId><artifactId>servers</artifactId><version>1</version><packaging>pom</packaging>'
        echo '<dependencies>'
        for artifact in "$@" "org.apache.logging.log4j:log4j-slf4j-impl:$log4j_version" \
            "org.apache.logging.log4j:log4j-core:$log4j_version"; do
            IFS=: read -r group artifact version <<<"$artifact"
            printf '<dependency><groupId>%s</groupId><artifactId>%s</artifactId><version>%s</version></dependency>\n' \
                "$group" "$artifact" "$version"
        done
        echo '</dependencies></project>'
    } >"$pom"
    if ! mvn -B -q -f "$pom" dependency:copy-dependencies -DincludeScope=runtime "-DoutputDirectory=$target" \
        >"$pom.log" 2>&1; then
        tail -n 20 "$pom.log" >&2
        return 1
    fi
}
