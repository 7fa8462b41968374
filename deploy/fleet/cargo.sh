# Read by deploy/up and its siblings: finds a cargo that is new enough and a C compiler (rustc links with it), or says in one
# sentence how to get them. Leaves $manifest, the checkout's Cargo.toml, $launcher, where the launcher is after its build,
# and $quiet, cargo's flag when it has been built before and no other cargo is at work; cargo is first in PATH afterwards.
root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd) || exit 1
manifest=$root/Cargo.toml
needed=$(sed -n 's/^rust-version = "1\.\(.*\)"$/\1/p' "$manifest")
found=
for cargo in "$(command -v cargo)" "${CARGO_HOME:-${HOME:-/root}/.cargo}/bin/cargo"; do
    [ -x "$cargo" ] || continue
    found=$("$cargo" --version 2>/dev/null | sed -n 's/^cargo 1\.\([0-9]*\)\..*/\1/p')
    [ "${found:-0}" -ge "$needed" ] && break
done
get="curl --proto '=https' --tlsv1.2 -sSf https://sh.rustup.rs | sh"
if [ -z "$found" ]; then
    echo "fleet: cargo is missing: get it from https://rustup.rs with \`$get\`, then try again" >&2
    exit 1
elif [ "$found" -lt "$needed" ]; then
    echo "fleet: cargo 1.$found is too old, 1.$needed or newer is needed: get it from https://rustup.rs with \`$get\`" >&2
    exit 1
fi
PATH=$(dirname -- "$cargo"):$PATH
export PATH
if ! command -v cc >/dev/null; then
    sudo=
    [ "$(id -u)" = 0 ] || sudo=sudo
    if ! command -v apt-get >/dev/null || ! command -v "${sudo:-sh}" >/dev/null; then
        echo "fleet: a C compiler is missing: install gcc and the C library's headers (gcc libc6-dev), then try again" >&2
        exit 1
    fi
    echo "Installing gcc libc6-dev"
    $sudo apt-get update -q
    $sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends gcc libc6-dev || {
        echo "fleet: apt-get did not install gcc libc6-dev (its reason is above): install them yourself, then try again" >&2
        exit 1
    }
fi
launcher=${CARGO_TARGET_DIR:-$root/target}/debug/fleet
quiet=
# Another cargo that compiles holds this lock. With -q, cargo would wait for it in silence. flock ends with 1 only when the lock is held.
if [ -x "$launcher" ] && { flock -sn "${launcher%/*}/.cargo-lock" true 2>/dev/null || [ $? -ne 1 ]; }; then
    quiet=-q
fi
