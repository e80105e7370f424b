//! What layers cost that are saved and restored, in words and figures: a part of their sentence, and three tables.

use crate::cells::{NONE, bytes, slow, table, tails, time};
use crate::document::Table;
use crate::words;
use tare_board::{Pays, Restored, Sandbox, Scoreboard};

/// `with 64 MiB of state it answers after 131 ms restored (slowest of 24 starts 172 ms), after 142 ms started afresh: restoring is
/// cheaper from about 40 MiB of state on; ...`.
pub(crate) fn sentence(found: &Restored) -> Option<String> {
    let mut parts = Vec::new();
    if let (Some(ready), Some(started)) = (&found.ready, &found.started) {
        let state = match (&found.command, found.pairs.last().and_then(|pair| pair.state_mib)) {
            (Some(command), _) => format!("with '{}' as its state ", words::name(command)),
            (None, Some(mebibytes)) => format!("with {mebibytes} MiB of state "),
            (None, None) => String::new(),
        };
        let pays = found.pays.map(|pays| format!(": {}", pays_in_words(pays, found)));
        parts.push(format!(
            "{state}it answers after {} restored ({}), after {} started afresh{}",
            time(ready.p50.value),
            slow(ready),
            time(started.p50.value),
            pays.unwrap_or_default()
        ));
    }
    parts.extend(found.clone_memory.map(|clone| {
        let written =
            found.clone_written.map(|size| format!(", {} when it has written", bytes(size)));
        format!("one more clone takes {}{}", bytes(clone), written.unwrap_or_default())
    }));
    (!parts.is_empty()).then(|| parts.join("; "))
}

fn pays_in_words(pays: Pays, found: &Restored) -> String {
    let [small, large] = [found.pairs.first(), found.pairs.last()]
        .map(|pair| pair.and_then(|pair| pair.state_mib).unwrap_or_default());
    let sizes = if found.pairs.len() > 1 { " at either size" } else { "" };
    match pays {
        Pays::Always => format!("restoring is cheaper{sizes}"),
        Pays::Never => format!("starting afresh is cheaper{sizes}"),
        Pays::Larger => {
            format!("restoring is cheaper, with {small} MiB the two are not told apart")
        }
        Pays::Unknown if large == 0 => "the two are not told apart".into(),
        Pays::Unknown => format!("with {large} MiB the two are not told apart"),
        Pays::From(size) => format!("restoring is cheaper from about {size:.0} MiB of state on"),
        Pays::UpTo(size) => format!("restoring is cheaper up to about {size:.0} MiB of state"),
    }
}

/// The tables that have something to show.
pub(crate) fn tables(board: &Scoreboard) -> Vec<Table> {
    let rows = |row: fn(&Restored) -> Option<Vec<String>>| {
        let one = |found: &Sandbox| {
            Some([vec![words::name(&found.layer)], row(found.restored.as_ref()?)?].concat())
        };
        board.sandboxes.iter().filter_map(one).collect::<Vec<_>>()
    };
    vec![
        table(
            "Started afresh to the first answer",
            "A fresh layer, its state prepared, until it has answered a request.",
            &["p50", "p95", "p99", "slowest", "starts"],
            rows(|found| found.started.map(|started| tails(Some(started)))),
        ),
        table(
            "Restored to the first answer",
            "The same layer restored with the same state, until it has answered the same request.",
            &["p50", "p95", "p99", "slowest", "starts"],
            rows(|found| found.ready.map(|ready| tails(Some(ready)))),
        ),
        table(
            "What restoring costs afterwards",
            "disk: restored from an image that is not in the page cache; touch: writing into each page of the state; p99: of 1,000 \
                   requests. Both after a restore, and before the layer was saved.",
            &["disk", "touch", "before", "p99", "before"],
            rows(afterwards),
        ),
        table(
            "Saved and cloned",
            "save: until the image is whole; still: how long the layer stands still for that; size: of the image on the disk; clone: \
                   what one more of it takes of the host's memory, before and after it has written into its state.",
            &["save", "still", "size", "clone", "written"],
            rows(saved),
        ),
    ]
}

fn afterwards(found: &Restored) -> Option<Vec<String>> {
    found.touch.or(found.tail)?;
    let cold = found.cold.map(|cold| cold.p50.value);
    let all = [cold, found.touch, found.touch_before, found.tail, found.tail_before];
    Some(all.map(|cell| cell.map_or(NONE.into(), time)).to_vec())
}

fn saved(found: &Restored) -> Option<Vec<String>> {
    found.save.or(found.size)?;
    let times = [found.save, found.still].map(|cell| cell.map_or(NONE.into(), time));
    let sizes = [found.size, found.clone_memory, found.clone_written];
    Some([&times[..], &sizes.map(|cell| cell.map_or(NONE.into(), bytes))].concat())
}

#[cfg(test)]
mod tests {
    use super::*;
    use tare_board::{AtState, Tails};
    use tare_stats::QuantileInterval;

    fn found(pays: Pays) -> Restored {
        let at = |value| {
            let quantile = |p| QuantileInterval { p, value, low: None, high: None };
            let (p50, p95, p99) = (quantile(0.5), quantile(0.95), quantile(0.99));
            Some(Tails { starts: 9, p50, p95, p99, slowest: value })
        };
        let pair = |mebibytes| {
            let (started, restored) = (2e9, 2e8);
            AtState { state_mib: Some(mebibytes), started, restored, cheaper: Some(true) }
        };
        let (started, ready) = (at(2e9), at(2e8));
        Restored {
            started,
            ready,
            pairs: vec![pair(1), pair(64)],
            pays: Some(pays),
            ..Restored::default()
        }
    }

    #[test]
    fn the_sentence_says_which_is_cheaper_and_from_where_on() {
        assert_eq!(
            sentence(&found(Pays::Always)).unwrap(),
            "with 64 MiB of state it answers after 200 ms restored (slowest of 9 starts 200 ms), after 2.00 s started afresh: \
             restoring is cheaper at either size"
        );
        for (pays, end) in [
            (Pays::From(40.4), "restoring is cheaper from about 40 MiB of state on"),
            (Pays::Larger, "restoring is cheaper, with 1 MiB the two are not told apart"),
            (Pays::Unknown, "with 64 MiB the two are not told apart"),
            (Pays::UpTo(7.0), "restoring is cheaper up to about 7 MiB of state"),
            (Pays::Never, "starting afresh is cheaper at either size"),
        ] {
            assert!(sentence(&found(pays)).unwrap().ends_with(end), "{pays:?}");
        }
        assert_eq!(sentence(&Restored::default()), None);
    }

    #[test]
    fn a_command_has_no_sizes() {
        let mut found = Restored { command: Some("cat".into()), ..found(Pays::Always) };
        found.pairs.truncate(1);
        found.pairs[0].state_mib = None;
        let said = sentence(&found).unwrap();
        assert!(said.starts_with("with 'cat' as its state it answers after 200 ms"), "{said}");
        assert!(said.ends_with("started afresh: restoring is cheaper"), "{said}");
        let said = sentence(&Restored { pays: Some(Pays::Unknown), ..found }).unwrap();
        assert!(said.ends_with(": the two are not told apart"), "{said}");
    }
}
