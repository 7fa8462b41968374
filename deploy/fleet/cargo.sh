# shellcheck shell=sh disable=SC2034 # those who read it use its variables
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
. "$root/deploy/fleet/packages.sh"
require cc=gcc cc=libc6-dev || exit 1
launcher=${CARGO_TARGET_DIR:-$root/target}/debug/fleet
quiet=
# Another cargo that compiles holds this lock. With -q, cargo would wait for it in silence. flock ends with 1 only when the lock is held.
if [ -x "$launcher" ] && { flock -sn "${launcher%/*}/.cargo-lock" true 2>/dev/null || [ $? -ne 1 ]; }; then
    quiet=-q
fi
