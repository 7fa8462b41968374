# shellcheck shell=sh
# Read by cargo.sh, deploy/test and the launcher: installs the Debian packages of programs that are missing, or says in one sentence how
# to get them. Each argument is PROGRAM=PACKAGE. A program is a name or a path, or `venv`, a module of Python that Debian leaves out by default.
require() {
    missing=$(missing_packages "$@")
    [ -n "$missing" ] || return 0
    sudo=
    [ "$(id -u)" = 0 ] || sudo=sudo
    if ! command -v apt-get >/dev/null || ! command -v "${sudo:-sh}" >/dev/null; then
        echo "fleet: $missing missing: run \`apt-get install $missing\` as root, or install them as this system does, then try again" >&2
        return 1
    fi
    echo "Installing $missing"
    # If the update fails, the installation may still succeed.
    $sudo apt-get update -q
    # shellcheck disable=SC2086 # the names of packages are words
    $sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends $missing &&
        [ -z "$(missing_packages "$@")" ] || {
        echo "fleet: apt-get did not install $missing (its reason is above): install them yourself, then try again" >&2
        return 1
    }
}

missing_packages() (
    # Servers are there, which not every user has in PATH. Debian has a folder for each version of PostgreSQL.
    PATH=$PATH:/usr/local/sbin:/usr/sbin:/sbin$(printf ':%s' /usr/lib/postgresql/*/bin)
    packages=
    for one; do
        case $one in
            venv=*) python3 -c 'import ensurepip, venv' 2>/dev/null ;;
            *) command -v "${one%%=*}" >/dev/null ;;
        esac || packages="$packages ${one#*=}"
    done
    echo "${packages# }"
)
