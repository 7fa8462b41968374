//! The runbook and the pages to which it sends operators: each setting, staff command and statement in them exists.
#![expect(clippy::disallowed_methods, reason = "the statements of a page")]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use e2e::{Fleet, binaries};
use sqlx::{AssertSqlSafe, Connection as _, PgConnection};
use tokio::process::Command;

use crate::containers::{
    SERVICES, Variables, assert_accepts, assert_knows, deploy, secrets_with_tls, variables,
};

/// Other pages in `deploy` with commands for operators.
const COMMAND_PAGES: [&str; 4] =
    ["CONTAINERS.md", "KUBERNETES.md", "UPGRADES.md", "backup/README.md"];

fn root() -> PathBuf {
    deploy("..")
}

/// The pages in a folder, with their texts.
fn pages(folder: &str) -> Vec<(PathBuf, String)> {
    let files = fs::read_dir(root().join(folder)).unwrap();
    let paths = files.map(|file| file.unwrap().path());
    let pages = paths.filter(|path| path.extension().is_some_and(|it| it == "md"));
    pages
        .map(|path| {
            let text = fs::read_to_string(&path).unwrap();
            (path, text)
        })
        .collect()
}

/// The code of a page: the lines of code blocks, without comments, and the code spans.
fn code(page: &str) -> Vec<String> {
    let (mut code, mut prose, mut is_block) = (Vec::new(), String::new(), false);
    for line in page.lines() {
        if line.trim_start().starts_with("```") {
            is_block = !is_block;
        } else if is_block || line.starts_with("    ") {
            let line = line.trim();
            if !line.starts_with('#') {
                code.push(line.to_owned());
            }
        } else {
            prose.push_str(line);
            prose.push(' ');
        }
    }
    let spans = prose.split('`').skip(1).step_by(2);
    code.extend(spans.map(ToOwned::to_owned));
    code
}

/// The code in the runbook and the other pages with commands.
fn operator_code() -> Vec<String> {
    let runbook = pages("deploy/runbook").into_iter().map(|(_, text)| text);
    let others = COMMAND_PAGES.map(|page| fs::read_to_string(deploy(page)).unwrap());
    runbook.chain(others).flat_map(|text| code(&text)).collect()
}

/// The arguments of each call of `program` in a line. Options of a shell function that calls it come before `--`.
fn arguments(line: &str, program: &str) -> Vec<Vec<String>> {
    let commands = line.split(['|', ';', '&', '(', ')']);
    let calls = commands.filter_map(|command| {
        let mut words = command.split_whitespace().peekable();
        // Arguments of kubectl are names of objects, which may equal names of programs.
        if words.peek() == Some(&"kubectl") {
            return None;
        }
        words.find(|word| word.rsplit('/').next() == Some(program))?;
        let arguments: Vec<String> = words.map(ToOwned::to_owned).collect();
        let options = arguments.iter().position(|word| word == "--");
        Some(arguments[options.map_or(0, |end| end + 1)..].to_vec())
    });
    calls.collect()
}

fn is_subcommand(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_lowercase())
        && word.chars().all(|c| c.is_ascii_lowercase() || c == '-')
}

async fn help(program: &str, subcommand: &[&String]) -> String {
    let mut command = Command::new(binaries().join(program));
    command.args(subcommand).arg("--help").kill_on_drop(true);
    let output = command.output().await.unwrap();
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{program} {subcommand:?}: {complaint}");
    String::from_utf8(output.stdout).unwrap()
}

#[tokio::test]
async fn every_command_of_staff_exists() {
    let code = operator_code();
    let calls: BTreeSet<Vec<String>> = (code.iter())
        .flat_map(|line| arguments(line, "staff"))
        .filter(|call| !call.is_empty())
        .collect();
    assert!(calls.len() > 20, "{calls:?}");
    for call in calls {
        let words = call.iter().take_while(|word| is_subcommand(word));
        // The first two words: a noun and a verb.
        let subcommand: Vec<&String> = words.take(2).collect();
        let help = help("staff", &subcommand).await;
        for flag in call.iter().filter(|word| word.starts_with("--")) {
            assert!(help.contains(flag), "staff {call:?} has no {flag}");
        }
    }
}

/// The variables in the first column of tables. `*` stands for the prefix of each service.
fn listed(tables: &str) -> BTreeSet<String> {
    let rows = tables.lines().filter(|line| line.starts_with("| `"));
    let cells = rows.map(|row| row.split('|').nth(1).unwrap());
    let names = cells.flat_map(|cell| cell.split('`').skip(1).step_by(2));
    names
        .flat_map(|name| match name.strip_prefix("*_") {
            Some(name) => SERVICES.iter().map(|(_, prefix)| format!("{prefix}{name}")).collect(),
            None => vec![name.to_owned()],
        })
        .collect()
}

/// The settings of a service: from a file with addresses and ports, and from the files of `deploy/secrets`.
fn environment(addresses: &str, secrets: &Path, service: &str, prefix: &str) -> Variables {
    let own = format!("{service}.env");
    let secret = ["site.env", "mail.env", &*own].map(|file| secrets.join(file));
    let files = secret.into_iter().chain([deploy(addresses)]);
    let all = files.flat_map(|file| variables(&file));
    all.filter(|(name, _)| name.starts_with(prefix)).collect()
}

/// The variables without which a service rejects its settings.
async fn required(service: &str, environment: &Variables) -> BTreeSet<String> {
    let mut required = BTreeSet::new();
    for name in environment.keys() {
        let others = environment.iter().filter(|(other, _)| *other != name);
        let mut check = Command::new(binaries().join(service));
        check.arg("check-config").env_clear().envs(others).kill_on_drop(true);
        let output = check.output().await.unwrap();
        if !output.status.success() {
            required.insert(name.clone());
        }
    }
    required
}

#[tokio::test]
async fn the_page_of_settings_has_what_production_requires() {
    let page = fs::read_to_string(deploy("runbook/settings.md")).unwrap();
    let (first, second) = page.split_once("\n## ").unwrap();
    let secrets = secrets_with_tls().await;
    let mut all = BTreeSet::new();
    for (service, prefix) in SERVICES {
        let environment = environment("settings.env", secrets.path(), service, prefix);
        assert_accepts(service, prefix, &environment, secrets.path()).await;
        all.extend(required(service, &environment).await);
    }
    assert_eq!(listed(first), all);

    let others = listed(second);
    assert!(others.is_disjoint(&all) && others.len() > 20, "{others:?}");
    for name in others.union(&all) {
        let is_setting = SERVICES.iter().any(|(_, prefix)| name.starts_with(prefix));
        assert!(is_setting, "{name} belongs to no service");
    }
    let named: Variables = (others.union(&all)).map(|name| (name.clone(), String::new())).collect();
    for (service, prefix) in SERVICES {
        assert_knows(service, prefix, &named).await;
    }
}

#[tokio::test]
async fn services_accept_the_settings_of_hosts() {
    let secrets = secrets_with_tls().await;
    for (service, prefix) in SERVICES {
        let environment = environment("runbook/hosts.env", secrets.path(), service, prefix);
        assert_accepts(service, prefix, &environment, secrets.path()).await;
    }
    let names = |file: &str| -> BTreeSet<String> {
        let names = variables(&deploy(file)).into_keys();
        names.filter(|name| !name.starts_with("STAFF_")).collect()
    };
    assert_eq!(names("runbook/hosts.env"), names("settings.env"));
}

/// The SQL blocks of a page, without the statements that begin and end a transaction.
fn statements(page: &str) -> Vec<String> {
    let blocks = page.split("```sql\n").skip(1);
    blocks
        .map(|block| {
            let lines = block
                .lines()
                .map(str::trim)
                .take_while(|line| *line != "```")
                .filter(|line| !["begin;", "commit;"].contains(line));
            lines.collect::<Vec<_>>().join("\n")
        })
        .collect()
}

#[tokio::test]
async fn statements_of_the_runbook_are_valid() {
    let fleet = Fleet::shared();
    let mut database = PgConnection::connect(&fleet.database_url).await.unwrap();
    let mut found = 0;
    for (path, page) in pages("deploy/runbook") {
        for sql in statements(&page) {
            let sql = sql
                .replace(":'email'", "'nobody@mchezo.test'")
                .replace(":'new'", "'new@mchezo.test'")
                .replace(":'person'", "'00000000-0000-4000-8000-00000000ada1'");
            let mut transaction = database.begin().await.unwrap();
            let executed =
                sqlx::raw_sql(AssertSqlSafe(sql.clone())).execute(&mut *transaction).await;
            assert!(executed.is_ok(), "{}: {sql}: {executed:?}", path.display());
            transaction.rollback().await.unwrap();
            found += 1;
        }
    }
    assert!(found > 4, "{found}");
}

/// Rows about Ada, who had the address `old@ada.test` after Eve and before Carol, then `new@ada.test`. Bob is in her team.
const ROWS: &str = "
    insert into web.activity (id, at, person_id, email, action, subject, address, agent) values
        (gen_random_uuid(), '2020-01-01 00:00Z', '00000000-0000-4000-8000-00000000e0e1', 'old@ada.test', 'left', 'old@ada.test', '192.0.2.3', 'E'),
        (gen_random_uuid(), '2020-01-02 00:00Z', '00000000-0000-4000-8000-00000000ada1', 'old@ada.test', 'joined', 'owner', '192.0.2.1', 'A'),
        (gen_random_uuid(), '2020-01-03 00:00Z', '00000000-0000-4000-8000-00000000b0b1', 'bob@b.test', 'role', 'Old@ada.test, owner', '192.0.2.2', 'B'),
        (gen_random_uuid(), '2020-01-04 00:00Z', '00000000-0000-4000-8000-00000000ada1', 'old@ada.test', 'left', 'old@ada.test', '192.0.2.1', 'A'),
        (gen_random_uuid(), '2020-01-06 00:00Z', '00000000-0000-4000-8000-00000000ada1', 'new@ada.test', 'left', 'new@ada.test', '192.0.2.1', 'A'),
        (gen_random_uuid(), '2020-01-09 00:00Z', '00000000-0000-4000-8000-00000000ca01', 'old@ada.test', 'joined', 'owner', '192.0.2.4', 'C');
    insert into web.audit (id, at, member, role, action, entity, name, refused, details) values
        (gen_random_uuid(), '2020-01-03 00:00Z', 's', 'reviewer', 'look', 'person', 'old@ada.test', true, '{\"needs\": \"admin\"}'),
        (gen_random_uuid(), '2020-01-05 00:00Z', 's', 'admin', 'end_second_factor', 'person', 'new@ada.test', false,
            '{\"person\": \"00000000-0000-4000-8000-00000000ada1\"}'),
        (gen_random_uuid(), '2020-01-10 00:00Z', 's', 'admin', 'end_second_factor', 'person', 'old@ada.test', false,
            '{\"person\": \"00000000-0000-4000-8000-00000000ca01\"}'),
        (gen_random_uuid(), '2020-01-05 00:00Z', 's', 'admin', 'invite_owner', 'account', 'a', false, '{\"email\": \"new@ada.test\"}'),
        (gen_random_uuid(), '2020-01-08 00:00Z', 's', 'admin', 'invite_owner', 'account', 'b', false, '{\"email\": \"old@ada.test\"}');
    insert into gateway.audit (id, at, member, role, action, entity, name, refused, details) values
        (gen_random_uuid(), '2020-01-05 00:00Z', '00000000-0000-4000-8000-00000000ada1', 'person', 'create', 'key', 'k', false,
            '{\"address\": \"192.0.2.1\"}')";

/// The days of the rows with an address of Ada's, or with her network.
const LEFT: &str = "
    select extract(day from moment at time zone 'utc')::integer from (
        select at as moment, to_jsonb(it) as row from web.activity it union all select at, to_jsonb(it) from web.audit it
        union all select at, to_jsonb(it) from gateway.audit it
    ) rows where moment < '2021-01-01' and (row::text ilike '%@ada.test%' or row::text like '%192.0.2.1%') order by moment";

/// Rows of earlier and later owners of her address remain.
#[tokio::test]
async fn a_removed_person_leaves_no_address() {
    let fleet = Fleet::shared();
    let mut database = PgConnection::connect(&fleet.database_url).await.unwrap();
    let page = fs::read_to_string(deploy("runbook/remove-a-person.md")).unwrap();
    let mut blocks = statements(&page).into_iter();
    let block = blocks.find(|it| it.contains("gateway.audit")).unwrap();
    let mut transaction = database.begin().await.unwrap();
    sqlx::raw_sql(ROWS).execute(&mut *transaction).await.unwrap();
    let ada = "'00000000-0000-4000-8000-00000000ada1'";
    let remove = block.replace(":'person'", ada);
    sqlx::raw_sql(AssertSqlSafe(remove)).execute(&mut *transaction).await.unwrap();
    let left: Vec<i32> = sqlx::query_scalar(LEFT).fetch_all(&mut *transaction).await.unwrap();
    assert_eq!(left, [1, 8, 9, 10]);
    let kept = "select count(*) from web.activity where subject = 'removed, owner' and email = 'bob@b.test'";
    let kept: i64 = sqlx::query_scalar(kept).fetch_one(&mut *transaction).await.unwrap();
    assert_eq!(kept, 1);
    transaction.rollback().await.unwrap();
}
