# shellcheck shell=bash disable=SC2154
# Read by deploy/test: the checks of CI, and the `.sqlx` folders, with which queries compile without a database.

# The folder of each crate with checked SQL, and its schema, which is also the name of its package.
crates() {
    local file
    for file in */sqlx.toml */*/sqlx.toml; do
        echo "${file%/*}" "$(sed -n 's/^create-schemas = \["\(.*\)"\]$/\1/p' "$file")"
    done
}

# Compiles all crates once, against a database with all schemas, by one of two wrappers: around rustc, or around clippy, which then checks
# the lints in the same pass. The wrapper writes the query data of each crate to its own folder, which replaces `.sqlx`.
regenerate() {
    local folder schema changed=()
    rm -rf -- "$state/queries" && mkdir -- "$state/queries" || return
    sql -d postgres -c 'drop database if exists prepare' -c 'create database prepare template template0' || return
    while read -r folder schema; do
        mkdir -- "$state/queries/$schema" && migrations "$folder" "$schema" | sql -d prepare || return
        # Cargo compiles only crates with changed files, and only a compilation writes query data.
        find "$folder"/{src,tests,benches,examples} -name '*.rs' -exec touch {} + 2>/dev/null
    done < <(crates)
    SQLX_OFFLINE=false DATABASE_URL=${database%/*}/prepare with_queries "$1" check --workspace --all-targets || {
        echo 'fleet: a warning of clippy, or a query that does not match the migrations: the errors are above' >&2
        return 1
    }
    while read -r folder schema; do
        diff -rq "$state/queries/$schema" "$folder/.sqlx" >/dev/null && continue
        changed+=("$schema")
        rm -rf -- "$folder/.sqlx" && cp -r -- "$state/queries/$schema" "$folder/.sqlx" || return
    done < <(crates)
    if [ ${#changed[@]} = 0 ]; then
        echo 'All query data is up to date'
    else
        echo "Regenerated the query data of ${changed[*]}: commit the changes"
        [ -n "$prepare" ]
    fi
}

# The service itself does not compile before its query data are right, and therefore cannot migrate. Each migration is in a transaction, as
# in the service.
migrations() {
    local file
    echo "create schema $2;"
    for file in "$1"/migrations/*.sql; do
        printf 'begin;\n%s\n;\ncommit;\n' "$(cat "$file")"
    done
}

# Cargo with a wrapper; commands with the same wrapper share what they compile.
with_queries() {
    RUSTC_WORKSPACE_WRAPPER=$root/deploy/fleet/$1 FLEET_QUERIES=$state/queries run cargo "${@:2}"
}

# The cheapest check comes first. The others run even if one fails.
checks() {
    step formatting run cargo fmt --all --check
    local document=(run cargo)
    step 'lints and checked SQL' regenerate clippy-with-queries && document=(with_queries clippy-with-queries)
    RUSTDOCFLAGS=-Dwarnings step documentation "${document[@]}" doc --workspace --no-deps --document-private-items
}
