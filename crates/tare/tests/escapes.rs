//! Whatever a file from elsewhere holds, nothing of it steers a terminal, and no message is long-winded.

mod common;

use common::{Bench, Done, assert_harmless};
use rusqlite::Connection;

/// What steers a terminal or a reader's eye, or hides in a text.
const HOSTILE: &str = "\u{1b}[2J\u{1b}]0;t\u{7}\u{9b}31m\u{202e}\u{200b}\u{feff}\u{2028}";

fn harmless(what: &str, text: &str) {
    assert_harmless(what, text, &['\n', '\t', '\r']);
}

fn both_harmless(what: &str, done: &Done) {
    harmless(what, &done.out);
    harmless(what, &done.err);
    assert!(done.err.len() < 30_000, "{what} is long-winded: {} bytes", done.err.len());
}

/// A campaign `c` with something in every table, and `d` beside it.
fn campaigns(bench: &Bench) {
    for name in ["c", "d"] {
        bench.ok(&format!(
            "run --layer name=base,kind=mock --layer name=bad,kind=mock,fault=fail --layer name=other,kind=mock,value=120 \
             --baseline base --bench lmbench/null_call --bench lmbench/stat --blocks 2 --out {name}"
        ));
    }
    let database = Connection::open(bench.path("c/campaign.db")).expect("a campaign");
    let fill = "
        UPDATE layer SET why = 'no', remedy = 'none' WHERE name = 'bad';
        INSERT OR IGNORE INTO artifact VALUES (1, 'kernel', '/k', '00', '6.1');
        INSERT OR IGNORE INTO counter SELECT id, 'cpu_user', 0.5 FROM series;
        INSERT INTO warning (layer, benchmark, text) VALUES ('base', 'lmbench/stat', 'careful');
        UPDATE boot SET failure = 'it ended', console = 'last words' WHERE id = (SELECT max(id) FROM boot);
        UPDATE series SET why = 'no trap' WHERE state = 'failed';";
    database.execute_batch(fill).expect("filled");
}

fn columns(database: &Connection) -> Vec<(String, String)> {
    let asked = "SELECT m.name, c.name FROM sqlite_schema m, pragma_table_info(m.name) c
                 WHERE m.type = 'table' AND c.type = 'TEXT' ORDER BY 1, 2";
    let mut asked = database.prepare(asked).expect("a schema");
    let found = asked.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).expect("columns");
    found.collect::<Result<_, _>>().expect("names")
}

const VERBS: &[&str] = &[
    "show c",
    "show c --format json",
    "show c --format csv",
    "report c --format md",
    "report c --format svg",
    "report c --out page.html",
    "compare c d",
    "compare d c --format md",
    "explain c",
    "export c",
    "export c --format json",
    "predict --from c",
    "merge a=c -o merged",
    "resume c",
];

#[test]
fn no_text_of_a_database_reaches_a_terminal_raw() {
    let bench = Bench::new();
    campaigns(&bench);
    let file = bench.path("c/campaign.db");
    let good = std::fs::read(&file).expect("a campaign");
    let all = columns(&Connection::open(&file).expect("a campaign"));
    assert!(all.len() > 25, "{all:?}");
    for (at, (table, column)) in all.iter().enumerate() {
        std::fs::write(&file, &good).expect("written");
        let database = Connection::open(&file).expect("a campaign");
        // JSON keeps its form; elsewhere what is hostile follows what was there, so that rows stay different.
        let json = format!("json_quote(?1 || coalesce({column} ->> '$', ''))");
        let new =
            if table == "campaign" && column == "value" { json } else { format!("{column} || ?1") };
        let hostile = format!(
            "UPDATE {table} SET {column} = {new} WHERE {column} IS NOT NULL AND key_of IS NOT NULL"
        );
        let hostile = match (table.as_str(), column.as_str()) {
            ("campaign", "value") => {
                hostile.replace("key_of IS NOT NULL", "json_type(value) = 'text'")
            }
            _ => hostile.replace(" AND key_of IS NOT NULL", ""),
        };
        database.execute(&hostile, [HOSTILE]).expect("hostile");
        drop(database);
        // A few verbs for each column, all of them together for every column.
        for verb in (0..3)
            .map(|next| VERBS[(at * 3 + next) % VERBS.len()])
            .chain(["show c", "report c --out page.html"])
        {
            let what = format!("{table}.{column}: {verb}");
            both_harmless(&what, &bench.tare(verb));
        }
        if let Ok(page) = std::fs::read_to_string(bench.path("page.html")) {
            harmless(&format!("{table}.{column}: page"), &page);
        }
    }
}

#[test]
fn what_names_things_freely_is_harmless_on_every_verb() {
    let bench = Bench::new();
    campaigns(&bench);
    let database = Connection::open(bench.path("c/campaign.db")).expect("a campaign");
    let free = "
        UPDATE layer SET name = name || ?1, settings = settings || ?1, why = why || ?1, remedy = remedy || ?1;
        UPDATE artifact SET path = ?1, version = ?1, role = ?1, sha256 = ?1;
        UPDATE benchmark SET name = name || ?1, about = ?1, suite = suite || ?1, load = ?1;
        UPDATE boot SET failure = failure || ?1, console = ?1, started = ?1;
        UPDATE series SET why = why || ?1;
        UPDATE counter SET name = name || ?1;
        UPDATE warning SET layer = layer || ?1, benchmark = benchmark || ?1, text = text || ?1;
        UPDATE campaign SET value = json_quote((value ->> '$') || ?1)
            WHERE key IN ('baseline', 'command', 'created', 'tare_version', 'probe_sha256')";
    for one in free.split(';') {
        database.execute(one, [HOSTILE]).expect("hostile");
    }
    drop(database);
    for verb in VERBS {
        both_harmless(verb, &bench.tare(verb));
    }
    assert!(
        bench.ok("show c").out.contains("\\u{1b}[2J"),
        "the name is there, as something to read"
    );
    let json = bench.ok("show c --format json").out;
    let back: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    assert!(
        back["baseline"].as_str().expect("a name").ends_with(HOSTILE),
        "JSON decodes to the same text"
    );
    assert!(json.contains("\\u200b\\ufeff"));
}

#[test]
fn no_other_file_from_elsewhere_gets_through_either() {
    let bench = Bench::new();
    let long = format!("{HOSTILE}{}", "x".repeat(300_000));
    bench.write("tare.toml", &format!("seed = 1\n'{long}' = = 3\n"));
    both_harmless("tare.toml", &bench.tare("run --layers mock"));
    bench.write("tare.toml", &format!("[[layer]]\nname = \"{}\"\n", "\\u001b[2J".repeat(30_000)));
    both_harmless("a layer's name", &bench.tare("run"));
    std::fs::remove_file(bench.path("tare.toml")).expect("removed");
    std::fs::create_dir(bench.path("m")).expect("a folder");
    for text in [
        format!("{{\"format\": \"{long}\"}}"),
        format!(
            "{{\"format\": \"tare-merged\", \"version\": 1, \"plan\": {{\"machine\": \"{long}\"}}}}"
        ),
        long.clone(),
    ] {
        bench.write("m/merged.json", &text);
        both_harmless("merged.json", &bench.tare("show m"));
    }
    bench.write("metrics", &format!("baseline = '{long}'\n"));
    both_harmless("metrics", &bench.tare("explain --from metrics"));
    bench.write("figures", &long);
    both_harmless("figures", &bench.tare("import --auto --layer a figures"));
}

#[test]
fn a_name_of_megabytes_in_an_archive_is_no_message_of_megabytes() {
    let bench = Bench::new();
    let mut archive =
        tar::Builder::new(std::fs::File::create(bench.path("root.tar")).expect("a file"));
    let mut header = tar::Header::new_gnu();
    header.set_size(0);
    header.set_mode(0o644);
    let name = format!("{HOSTILE}{}", "y".repeat(3 << 20));
    header.set_entry_type(tar::EntryType::Link);
    archive.append_link(&mut header, &name, "missing").expect("a long name");
    archive.finish().expect("an archive");
    let done = bench.tare("run --layers mock --blocks 1 --root root.tar -- true");
    assert_ne!(done.code, 0);
    both_harmless("an archive", &done);
}
