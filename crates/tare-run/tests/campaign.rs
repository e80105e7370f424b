//! Whole campaigns of scripted layers, some of which die, lie, or do not start: what is measured again, what is given up, and
//! what an interrupted run leaves for the next.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use tare_layers::{Host, KINDS, Keeper, Settings};
use tare_proto::{BenchInfo, Better, Machine, Unit, Untrusted};
use tare_run::{CampaignLayer, Ending, Event, History, Observer, Setup, run};
use tare_store::{Boot, BootState, Campaign, LayerRow, Order, Outcome, Plan, Role, Store, load};

/// What this program is told beside the names of tests when it is to be a keeper.
const KEEP: &str = "and-keep";

/// This program is its own keeper: it runs itself with this test alone. A scripted layer has nothing to keep, but its
/// sessions have a keeper like all others.
#[test]
fn keeper() {
    if std::env::args().any(|arg| arg == KEEP) {
        tare_layers::keep(&std::env::temp_dir()).unwrap();
    }
}

/// A campaign of layers named by their settings; the first is the baseline.
struct Scene {
    folder: tempfile::TempDir,
    layers: Vec<&'static str>,
    benches: usize,
    plan: Plan,
}

/// Notes what is warned of, and lets `heard` see each event.
struct Watch<'a> {
    warnings: Vec<String>,
    heard: &'a mut dyn FnMut(&Event),
}

impl Observer for Watch<'_> {
    fn event(&mut self, event: Event) {
        if let Event::Warning(text) = event {
            self.warnings.push(text.to_owned());
        }
        (self.heard)(&event);
    }
}

fn bench(at: usize) -> BenchInfo {
    BenchInfo {
        name: format!("test/{at}"),
        suite: "test".into(),
        unit: Unit::Nanoseconds,
        better: Better::Lower,
        estimator: "median".into(),
        samples: 5,
        ..BenchInfo::default()
    }
}

impl Scene {
    fn new(layers: &[&'static str], benches: usize, order: Order, blocks: u32) -> Scene {
        let plan = serde_json::json!({
            "seed": 7, "baseline": "0", "budget_s": null, "blocks": blocks, "width": 0.01, "cpus": [], "batch_ns": 1000,
            "series_ms": 100, "boot_s": 10.0, "margin": 0.02, "created": "", "tare_version": "", "probe_sha256": "",
            "command": "",
        });
        let plan = Plan { order, ..serde_json::from_value(plan).unwrap() };
        Scene { folder: tempfile::tempdir().unwrap(), layers: layers.to_vec(), benches, plan }
    }

    fn benches(&self) -> Vec<BenchInfo> {
        (0..self.benches).map(bench).collect()
    }

    fn path(&self) -> std::path::PathBuf {
        self.folder.path().join("campaign")
    }

    /// Begins the campaign, or goes on with it where it has begun.
    fn run(
        &self,
        interrupted: fn() -> bool,
        heard: &mut dyn FnMut(&Event),
    ) -> (Ending, Campaign, Vec<String>) {
        let path = self.path();
        let begun = path.exists();
        let history = if begun { History::of(&load(&path).unwrap()) } else { History::default() };
        let store = if begun { Store::open(&path) } else { self.create(&path) }.unwrap();
        let host = Host::new("/nonexistent".into(), self.folder.path().join("cache"));
        let args = ["keeper", KEEP, "--exact", "--nocapture", "--test-threads=1"];
        let keeper = Keeper {
            program: std::env::current_exe().unwrap(),
            args: args.map(str::to_owned).to_vec(),
            ..Keeper::default()
        };
        let mock = KINDS.iter().find(|kind| kind.name == "mock").unwrap();
        let layer = |(at, settings): (usize, &&str)| CampaignLayer {
            name: at.to_string(),
            layer: (mock.make)(&Settings::parse(settings).unwrap()).unwrap(),
            trial_s: Some(0.01),
        };
        let setup = Setup {
            plan: self.plan.clone(),
            layers: self.layers.iter().enumerate().map(layer).collect(),
            benches: self.benches(),
            host: &host,
            keeper: &keeper,
            interrupted,
        };
        let mut watch = Watch { warnings: Vec::new(), heard };
        let (ending, _) = run(&setup, store, history, &mut watch).unwrap();
        (ending, load(&path).unwrap(), watch.warnings)
    }

    fn create(&self, path: &Path) -> Result<Store, tare_store::StoreError> {
        let row = |(at, settings): (usize, &&str)| LayerRow {
            name: at.to_string().into(),
            kind: "mock".into(),
            settings: (*settings).into(),
            unavailable: None,
            artifacts: Vec::new(),
        };
        let layers: Vec<LayerRow> = self.layers.iter().enumerate().map(row).collect();
        Store::create(path, &self.plan, &layers, &self.benches())
    }

    /// Runs it to its end.
    fn finish(&self) -> (Campaign, Vec<String>) {
        let (ending, campaign, warnings) = self.run(|| false, &mut |_| {});
        assert_eq!(ending, Ending::Finished);
        (campaign, warnings)
    }
}

fn boots(campaign: &Campaign, layer: usize) -> Vec<&Boot> {
    campaign.boots.iter().filter(|boot| boot.layer == layer).collect()
}

/// Blocks and outcomes of a layer's series of a benchmark.
fn outcomes(campaign: &Campaign, layer: usize, role: Role, bench: usize) -> Vec<(u32, Outcome)> {
    let of_row = campaign.series.iter().filter(|row| row.benchmark == bench);
    let boots = of_row.map(|row| (&campaign.boots[row.boot], row.outcome));
    let own = boots.filter(|(boot, _)| boot.layer == layer && boot.role == role);
    own.map(|(boot, outcome)| (boot.block, outcome)).collect()
}

/// Every row of every block is measured once on `layer`.
fn assert_complete(campaign: &Campaign, layer: usize, role: Role, benches: usize, blocks: u32) {
    for bench in 0..benches {
        let expected: Vec<_> = (0..blocks).map(|block| (block, Outcome::Measured)).collect();
        assert_eq!(outcomes(campaign, layer, role, bench), expected, "layer {layer}, row {bench}");
    }
}

#[test]
fn a_row_in_which_a_layer_dies_is_taken_again_by_all_and_the_layer_goes_on() {
    for order in [Order::Rounds, Order::Series] {
        let scene = Scene::new(&["value=100", "fault=die,faulty=first", "value=200"], 3, order, 2);
        let (campaign, _) = scene.finish();
        for (layer, role) in
            [(0, Role::Weigh), (0, Role::Floor), (1, Role::Weigh), (2, Role::Weigh)]
        {
            assert_complete(&campaign, layer, role, 3, 2);
        }
        let died = boots(&campaign, 1);
        let states: Vec<_> = died.iter().map(|b| (b.block, b.attempt, b.state)).collect();
        let (failed, done) = (BootState::Failed, BootState::Done);
        assert_eq!(states, [(0, 1, failed), (0, 2, done), (1, 1, done)], "{order:?}");
        assert_eq!(boots(&campaign, 0).len(), 4, "the others stay alive");
        // The row that it died in came last: no layer has a series of it before another row's.
        let dead = campaign.boots.iter().position(|boot| boot.id == died[0].id).unwrap();
        assert!(campaign.series.iter().all(|row| row.boot != dead), "nothing of that row is kept");
        let of_other = |row: &&tare_store::SeriesRow| campaign.boots[row.boot].layer == 2;
        let order_of_rows: Vec<usize> =
            campaign.series.iter().filter(of_other).take(3).map(|row| row.benchmark).collect();
        let again = campaign.series.iter().find(|row| campaign.boots[row.boot].layer == 1);
        assert_ne!(again.unwrap().benchmark, order_of_rows[2], "{order:?}");
    }
}

#[test]
fn what_ended_a_boot_is_tried_last_and_what_ended_two_is_not_tried_again() {
    let scene = Scene::new(&["value=100", "fault=die,faulty=first"], 3, Order::Boots, 1);
    let (campaign, _) = scene.finish();
    assert_complete(&campaign, 1, Role::Weigh, 3, 1);
    let boots_of_1 = boots(&campaign, 1);
    assert_eq!(boots_of_1.len(), 2);

    let scene = Scene::new(&["value=100", "fault=die"], 1, Order::Boots, 2);
    let (campaign, _) = scene.finish();
    assert_complete(&campaign, 0, Role::Weigh, 1, 2);
    assert_eq!(
        outcomes(&campaign, 1, Role::Weigh, 0),
        [(0, Outcome::Failed), (1, Outcome::Failed)]
    );
    assert_eq!(boots(&campaign, 1).len(), 3, "the second block asks for nothing, and nothing ends");
    let why: Vec<_> =
        campaign.series.iter().filter_map(|row| row.why.as_ref()).map(Untrusted::raw).collect();
    assert!(why[1].contains("ended the layer twice in an earlier block"), "{why:?}");
}

/// By how many boots of layer 1 its rows are, when the first dies after a row that says "unavailable", or before it.
fn boots_of_rows(machine: Machine) -> Vec<usize> {
    let settings = [
        "fault=die,faulty=first,lacks=test/0",
        "fault=die,faulty=first,lacks=test/1",
        "fault=die,faulty=first,lacks=test/2",
    ];
    let of = |settings| {
        let mut scene = Scene::new(&["value=100", settings], 3, Order::Boots, 1);
        scene.plan.machine = machine;
        let (campaign, _) = scene.finish();
        let of_layer = |row: &&tare_store::SeriesRow| campaign.boots[row.boot].layer == 1;
        let rows: Vec<usize> =
            campaign.series.iter().filter(of_layer).map(|row| row.boot).collect();
        assert_eq!((rows.len(), boots(&campaign, 1).len()), (3, 2));
        rows.into_iter().collect::<BTreeSet<_>>().len()
    };
    settings.map(of).to_vec()
}

#[test]
fn rows_of_a_simulated_machine_are_of_one_boot() {
    assert_eq!(boots_of_rows(Machine::Sim), [1, 1, 1]);
    // Whichever comes first is recorded before the boot dies, and kept.
    assert_eq!(boots_of_rows(Machine::Real).iter().sum::<usize>(), 4);
}

#[test]
fn a_layer_that_lies_spoils_nothing_of_the_others() {
    for order in [Order::Rounds, Order::Series, Order::Boots] {
        let scene = Scene::new(&["value=100", "fault=liar", "value=300"], 2, order, 2);
        let (campaign, _) = scene.finish();
        for (layer, role) in [(0, Role::Weigh), (0, Role::Floor), (2, Role::Weigh)] {
            assert_complete(&campaign, layer, role, 2, 2);
        }
        let lied = |row: &&tare_store::SeriesRow| campaign.boots[row.boot].layer == 1;
        let mut lies = campaign.series.iter().filter(lied);
        assert!(lies.all(|row| row.outcome != Outcome::Measured), "{order:?}");
    }
}

#[test]
fn a_layer_that_does_not_start_is_given_up_after_two_blocks() {
    for order in [Order::Rounds, Order::Boots] {
        let scene = Scene::new(&["value=100", "fault=stillborn"], 1, order, 4);
        let (campaign, warnings) = scene.finish();
        assert_complete(&campaign, 0, Role::Floor, 1, 4);
        let tried: Vec<_> = boots(&campaign, 1).iter().map(|b| (b.block, b.attempt)).collect();
        assert_eq!(tried, [(0, 1), (0, 2), (1, 1), (1, 2)], "{order:?}");
        let told = warnings.iter().filter(|text| text.starts_with("1: did not boot in two blocks"));
        assert_eq!(told.count(), 1, "{warnings:?}");
    }
}

static STOP: AtomicBool = AtomicBool::new(false);

#[test]
fn an_interrupted_block_is_not_continued_and_a_later_run_makes_all_that_were_wanted() {
    let scene = Scene::new(&["slow=5", "slow=5"], 3, Order::Rounds, 2);
    let mut stop = |event: &Event| {
        if matches!(event, Event::Turns { number: 2, .. }) {
            STOP.store(true, Ordering::SeqCst);
        }
    };
    let (ending, campaign, _) = scene.run(|| STOP.load(Ordering::SeqCst), &mut stop);
    assert_eq!((ending, campaign.state.as_str()), (Ending::Interrupted, "interrupted"));
    assert_eq!(campaign.open_blocks, [0]);
    assert!(
        campaign.boots.iter().all(Boot::cut_off),
        "a boot that was cut off is no layer's fault"
    );
    let history = History::of(&campaign);
    assert_eq!(history.whole(), 0);

    let (again, _) = scene.finish();
    assert_eq!(History::of(&again).whole(), 2);
    let blocks: Vec<u32> = boots(&again, 1).iter().map(|boot| boot.block).collect();
    assert_eq!(blocks, [0, 1, 2]);
    for bench in 0..3 {
        let of_row = outcomes(&again, 1, Role::Weigh, bench);
        assert_eq!(of_row[of_row.len() - 2..], [(1, Outcome::Measured), (2, Outcome::Measured)]);
    }
}

#[test]
fn a_budget_that_is_used_up_still_buys_one_block_of_one_row() {
    let mut scene = Scene::new(&["value=100", "value=100"], 4, Order::Rounds, 1);
    scene.plan.blocks = None;
    scene.plan.budget_s = Some(0.0);
    let (campaign, warnings) = scene.finish();
    assert_eq!(History::of(&campaign).whole(), 1);
    let rows: BTreeSet<usize> = campaign.series.iter().map(|row| row.benchmark).collect();
    assert_eq!(rows.len(), 1);
    assert!(warnings[0].contains("3 are left out"), "{warnings:?}");
}
