# shellcheck shell=bash
# Gets what building and testing need on a Debian machine; sourced by docker/quickstart.sh and tests/run.sh, which
# set `repository`.
# shellcheck disable=SC2034,SC2154 # Names are used there and come from there.

run=$repository/.servers/run
downloads=${OUTFLOW_SERVERS_HOME:-$repository/.servers}
# shellcheck source=tests/servers/instance.sh
. "$repository/tests/servers/instance.sh"
# shellcheck source=tests/servers/get.sh
. "$repository/tests/servers/get.sh"

servers=$repository/tests/servers.sh
rust_root=$downloads/rust-root
say() { printf '\n== %s\n' "$*" >&2; }

# What the Rust crates with C code in them are compiled and linked with.
install_compiler() {
    local package missing=()
    for package in gcc g++ make libc6-dev libssl-dev zlib1g-dev pkg-config ca-certificates; do
        [[ $(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null) == installed ]] || missing+=("$package")
    done
    ((${#missing[@]} == 0)) || install_packages "${missing[@]}"
}

# Puts a cargo that is new enough first in PATH: the machine's own, or Debian sid's, unpacked into a folder of ours.
find_rust() {
    local folder
    needed=$(sed -n 's/^rust-version = "\(.*\)"/\1/p' "$repository/Cargo.toml")
    for folder in "$(dirname "$(command -v cargo || echo /nowhere/cargo)")" \
        "${CARGO_HOME:-${HOME:-/root}/.cargo}/bin" "$rust_root/usr/bin"; do
        if rust_suits "$folder"; then
            PATH=$folder:$PATH
            return
        fi
    done
    say "getting Rust $needed or newer (Debian 12's own is older): 130 MB into ${rust_root#"$repository/"}"
    rm -rf "$rust_root"
    once "$rust_root" unpack_rust
    rust_suits "$rust_root/usr/bin" ||
        fail "Rust $needed or newer could not be had from Debian sid; install it with rustup and run this again"
    PATH=$rust_root/usr/bin:$PATH
}

# Whether this folder has cargo, clippy and rustfmt, and rustc is new enough.
rust_suits() {
    local version
    [[ -x $1/cargo ]] || return 1
    version=$(cd "$repository" && PATH=$1:$PATH && {
        cargo fmt --version && cargo clippy --version
    } >/dev/null 2>&1 && rustc --version 2>/dev/null) || return 1
    version=${version#rustc }
    [[ $(printf '%s\n' "$needed" "${version%% *}" | sort -V | sed -n 1p) == "$needed" ]]
}

# The programs are told to use the C library that they came with, where the system's is too old for them. They
# find the rest of the toolchain from where they lie themselves, so a loader in front of them would not do.
unpack_rust() {
    local target=$1 loader library program
    unpack_packages "$target" cargo rustc rust-clippy rustfmt patchelf -gcc -libc-dev -binutils || return 1
    for loader in "$target"/usr/lib/*-linux-gnu*/ld-linux-*.so.*; do
        library=${loader%/*}
    done
    patch=("$loader" --library-path "$library" "$target/usr/bin/patchelf")
    # The paths are those of the folder's final name.
    for program in cargo cargo-clippy cargo-fmt clippy-driver rustc rustdoc rustfmt; do
        "${patch[@]}" --set-interpreter "$rust_root${loader#"$target"}" \
            --force-rpath --set-rpath "$rust_root${library#"$target"}" "$target/usr/bin/$program" || return 1
    done
    # A library with a path of its own would not look at the program's.
    for program in "$library"/*.so.*; do
        if [[ ! -L $program && $("${patch[@]}" --print-rpath "$program" 2>/dev/null) ]]; then
            "${patch[@]}" --remove-rpath "$program" || return 1
        fi
    done
}

# The C code's own build scripts cannot stand in a folder with a space in its name.
choose_target() {
    if [[ -z ${CARGO_TARGET_DIR:-} && $repository == *[[:space:]]* ]]; then
        CARGO_TARGET_DIR=${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/outflow/target-$(cksum <<<"$repository" | cut -d ' ' -f 1)
        export CARGO_TARGET_DIR
        say "building in $CARGO_TARGET_DIR, because the path of this clone has a space in it"
    fi
    target=${CARGO_TARGET_DIR:-$repository/target}
    profile=${OUTFLOW_PROFILE:-release}
    outflow=$target/${profile/#dev/debug}/outflow
}

# Everything that cargo needs.
prepare_build() {
    install_compiler
    find_rust
    choose_target
}

build() {
    [[ -x $outflow ]] || say "building outflow: some minutes the first time, seconds afterwards"
    local quiet=--quiet
    [[ ! -t 2 ]] || quiet=''
    (cd "$repository" && cargo build --profile "$profile" --locked $quiet) || fail "outflow does not build"
}
