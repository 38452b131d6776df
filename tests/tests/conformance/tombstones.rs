//! Tombstones as other SDKs write them (C 4.5).

use serde_json::{Value, json};

use crate::on_both_runtimes;
use crate::support::{Database, Sdk, Service, Setup, flag, rename, segment};

on_both_runtimes!(
    a_tombstone_of_any_shape_is_no_flag,
    a_tombstone_of_any_shape_is_no_segment,
    an_odd_record_harms_no_other,
);

const PREFIX: &str = "launchdarkly";
const KEY: &str = "tombstoned-key";

/// The three shapes, of which the last has all that `item` has.
fn shapes(item: Value) -> [Value; 3] {
    let mut full = rename(item, "$deleted");
    full["deleted"] = true.into();
    full["version"] = 100.into();
    [
        json!({ "version": 100, "deleted": true }),
        json!({ "key": KEY, "version": 100, "deleted": true }),
        full,
    ]
}

fn start<'a>(service: &'a Service, database: &Database) -> Sdk<'a> {
    let cache = json!({ "mode": "off", "ttl": null });
    service.create(&database.setup(Setup::new(), None, 0, cache))
}

fn a_tombstone_of_any_shape_is_no_flag(service: &Service) {
    for shape in shapes(flag(KEY, 100, "tombstoned value")) {
        let database = Database::new();
        database.write(PREFIX, &[flag("flag-key", 100, "value")]);
        database.put(PREFIX, "features", KEY, &shape);
        let sdk = start(service, &database);
        assert_eq!(sdk.value("flag-key"), "value");
        let all = sdk.command("evaluateAll", &json!({ "context": { "kind": "user", "key": "u" } }));
        assert_eq!(all["state"]["flag-key"], "value");
        assert!(all["state"].get(KEY).is_none(), "{all}");
        assert!(all["state"]["$flagsState"].get(KEY).is_none(), "{all}");
        let detail = sdk.detail(KEY);
        assert_eq!(detail["value"], "default");
        assert_eq!(detail["reason"], json!({"kind": "ERROR", "errorKind": "FLAG_NOT_FOUND"}));
    }
}

fn a_tombstone_of_any_shape_is_no_segment(service: &Service) {
    let mut matching = flag("flag-key", 100, "not-matched");
    matching["on"] = true.into();
    matching["fallthrough"] = json!({ "variation": 0 });
    matching["variations"] = json!(["not-matched", "matched"]);
    let clause = json!({"attribute": "", "op": "segmentMatch", "values": [KEY], "negate": false});
    matching["rules"] =
        json!([{"variation": 1, "id": "rule", "clauses": [clause], "trackEvents": false}]);
    for shape in shapes(segment(KEY, 100, &["user-key"])) {
        let database = Database::new();
        database.write(PREFIX, &[matching.clone(), flag("live-flag-key", 100, "value")]);
        database.put(PREFIX, "segments", KEY, &shape);
        let sdk = start(service, &database);
        assert_eq!(sdk.value("flag-key"), "not-matched");
        assert_eq!(sdk.value("live-flag-key"), "value");
        // The same segment, alive.
        database.put(PREFIX, "segments", KEY, &segment(KEY, 100, &["user-key"]));
        assert_eq!(sdk.value("flag-key"), "matched");
    }
}

fn an_odd_record_harms_no_other(service: &Service) {
    let database = Database::new();
    database.write(PREFIX, &[flag("flag-key", 100, "value")]);
    database.put(PREFIX, "features", "odd", &json!("odd"));
    let sdk = start(service, &database);
    let all = sdk.command("evaluateAll", &json!({ "context": { "kind": "user", "key": "u" } }));
    assert_eq!(all["state"]["flag-key"], "value");
    assert_eq!(sdk.value("odd"), "default");
}
