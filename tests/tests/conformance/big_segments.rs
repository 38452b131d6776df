//! Big segments, whose members a store of the suite's own knows (C 3.7).

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use fdv2_tests::server::Script;
use serde_json::{Value, json};

use crate::on_both_runtimes;
use crate::support::{
    DefaultSystem, Endpoint, Mocks, Payload, Sdk, Service, flag, never, segment, soon,
};

on_both_runtimes!(
    members_match_and_others_do_not,
    the_hash_is_of_the_key_alone_whatever_the_kind,
    without_a_key_of_the_segments_kind_there_is_no_query,
    an_evaluation_asks_for_each_key_once,
    an_answer_is_remembered_for_several_evaluations_and_segments,
    an_answer_is_forgotten_when_its_time_is_over,
    no_more_contexts_are_remembered_than_is_said,
    members_of_the_segment_itself_do_not_count_but_its_rules_do,
    a_query_that_fails_matches_nothing,
    without_a_store_nothing_matches,
    a_segment_without_generation_matches_nothing,
    the_store_is_asked_how_it_is_at_once_and_then_at_intervals,
    the_status_follows_the_store,
);

const SECOND: Duration = Duration::from_secs(1);
/// Of `user-key`, as the contract has it.
const USER_HASH: &str = "CEXjZY7cHJG/ydFy7q4+YEFwVrG3/pkJwA4FAjrbfx0=";

type Answers = Arc<Mutex<Answering>>;

/// What the store says.
#[derive(Default)]
struct Answering {
    /// The values of each context, by hash.
    memberships: BTreeMap<String, Value>,
    fails: bool,
    /// How long ago it was brought up to date.
    age: Duration,
}

/// A client with two flags, which are `member` for whom the segment of the same number knows.
struct Segmented<'a> {
    answers: Answers,
    store: Endpoint,
    sdk: Sdk<'a>,
    _mocks: Mocks,
    _system: DefaultSystem,
}

fn now() -> Duration {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap()
}

fn big(key: &str, generation: impl Into<Value>) -> Value {
    let mut segment = segment(key, 1, &[]);
    segment["unbounded"] = true.into();
    segment["generation"] = generation.into();
    segment
}

fn asking(flag_key: &str, segment_key: &str) -> Value {
    let mut flag = flag(flag_key, 1, "other");
    let clause =
        json!({"attribute": "", "op": "segmentMatch", "values": [segment_key], "negate": false});
    flag["on"] = true.into();
    flag["fallthrough"] = json!({ "variation": 0 });
    flag["variations"] = json!(["other", "member"]);
    flag["rules"] =
        json!([{"variation": 1, "id": "rule", "clauses": [clause], "trackEvents": false}]);
    flag
}

impl<'a> Segmented<'a> {
    fn start(service: &'a Service, segments: &[Value], settings: &Value) -> Self {
        let answers = Answers::default();
        let mocks = Mocks::new();
        let given = Arc::clone(&answers);
        let store = mocks.mount(Arc::new(move |asked| {
            let answering = given.lock().unwrap();
            if answering.fails {
                return Script::status(500);
            }
            let body: Value = serde_json::from_slice(&asked.request.body).unwrap();
            match asked.request.path() {
                "/getMetadata" => {
                    let at = now().saturating_sub(answering.age).as_millis() as u64;
                    Script::json(&json!({ "lastUpToDate": at }).to_string())
                }
                _ => {
                    let hash = body["contextHash"].as_str().unwrap();
                    // Absent is as good as null.
                    let answer = match answering.memberships.get(hash) {
                        Some(values) => json!({ "values": values }),
                        None => json!({}),
                    };
                    Script::json(&answer.to_string())
                }
            }
        }));
        let flags = [asking("flag1", "segment1"), asking("flag2", "segment2")];
        let system = DefaultSystem::new(Payload::full(&flags).segments(segments));
        let mut big_segments = json!({
            "callbackUri": store.url(), "userCacheSize": null, "userCacheTimeMs": null,
            "statusPollIntervalMs": null, "staleAfterMs": null,
        });
        for (name, value) in settings.as_object().into_iter().flatten() {
            big_segments[name] = value.clone();
        }
        let sdk = service.create(&system.setup().set("bigSegments", big_segments));
        Self { answers, store, sdk, _mocks: mocks, _system: system }
    }

    fn with_two_segments(service: &'a Service, settings: &Value) -> Self {
        Self::start(service, &[big("segment1", 100), big("segment2", 101)], settings)
    }

    fn knows(&self, hash: &str, values: Value) {
        self.answers.lock().unwrap().memberships.insert(hash.to_owned(), values);
    }

    /// Value, and what is said of the store in the reason.
    #[track_caller]
    fn evaluate(&self, flag: &str, context: &Value) -> (Value, Value) {
        let answer = self.sdk.command(
            "evaluate",
            &json!({
                "flagKey": flag, "context": context, "valueType": "string",
                "defaultValue": "default", "detail": true,
            }),
        );
        (answer["value"].clone(), answer["reason"]["bigSegmentsStatus"].clone())
    }

    #[track_caller]
    fn gives(&self, flag: &str, context: &Value, value: &str, status: &str) {
        assert_eq!(self.evaluate(flag, context), (value.into(), status.into()));
    }

    /// The hashes that were asked for.
    fn asked(&self) -> Vec<String> {
        let requests = self.store.requests();
        let queries = requests.iter().filter(|request| request.path() == "/getMembership");
        queries
            .map(|request| {
                let body: Value = serde_json::from_slice(&request.body).unwrap();
                body["contextHash"].as_str().unwrap().to_owned()
            })
            .collect()
    }

    fn metadata_queries(&self) -> usize {
        let requests = self.store.requests();
        requests.iter().filter(|request| request.path() == "/getMetadata").count()
    }

    fn status(&self) -> Value {
        self.sdk.command("getBigSegmentStoreStatus", &Value::Null)
    }
}

fn user(key: &str) -> Value {
    json!({ "kind": "user", "key": key })
}

fn members_match_and_others_do_not(service: &Service) {
    for (values, value) in [
        (json!({ "segment1.g100": true }), "member"),
        (json!({ "segment1.g100": false }), "other"),
        (json!({ "segment1.g100": null }), "other"),
        (json!({ "segment1.g99": true }), "other"),
        (json!({ "segment2.g101": true }), "other"),
        (json!({}), "other"),
        (Value::Null, "other"),
    ] {
        let segmented = Segmented::with_two_segments(service, &Value::Null);
        segmented.knows(USER_HASH, values);
        segmented.gives("flag1", &user("user-key"), value, "HEALTHY");
        assert_eq!(segmented.asked(), [USER_HASH]);
        segmented.gives("flag1", &user("unknown-key"), "other", "HEALTHY");
    }
}

fn the_hash_is_of_the_key_alone_whatever_the_kind(service: &Service) {
    let mut other = big("segment1", 100);
    other["unboundedContextKind"] = "other".into();
    let segmented = Segmented::start(service, &[other], &Value::Null);
    segmented.knows(USER_HASH, json!({ "segment1.g100": true }));
    let context = json!({
        "kind": "multi", "user": { "key": "somebody" }, "other": { "key": "user-key" },
    });
    segmented.gives("flag1", &context, "member", "HEALTHY");
    assert_eq!(segmented.asked(), [USER_HASH]);
}

fn without_a_key_of_the_segments_kind_there_is_no_query(service: &Service) {
    let mut other = big("segment1", 100);
    other["unboundedContextKind"] = "other".into();
    let segmented = Segmented::start(service, &[other], &Value::Null);
    assert_eq!(segmented.evaluate("flag1", &user("user-key")).0, "other");
    assert_eq!(segmented.asked(), [""; 0]);
}

/// However many segments it needs, and however short an answer is remembered.
fn an_evaluation_asks_for_each_key_once(service: &Service) {
    let mut segments =
        [big("a", 1), big("b", 2), big("c", 3), big("d", 4), segment("segment1", 1, &[])];
    segments[2]["unboundedContextKind"] = "other".into();
    segments[3]["unboundedContextKind"] = "third".into();
    let clause =
        |key| json!({"attribute": "", "op": "segmentMatch", "values": [key], "negate": false});
    segments[4]["rules"] =
        ["a", "b", "c", "d"].map(|key| json!({ "clauses": [clause(key)] })).into();
    let segmented = Segmented::start(service, &segments, &json!({ "userCacheTimeMs": 1 }));
    let context = json!({
        "kind": "multi", "user": { "key": "user-key" }, "other": { "key": "another" },
        "third": { "key": "user-key" },
    });
    segmented.gives("flag1", &context, "other", "HEALTHY");
    let asked = segmented.asked();
    assert_eq!((asked.len(), &*asked[0]), (2, USER_HASH), "{asked:?}");
    assert_ne!(asked[1], USER_HASH);
}

fn an_answer_is_remembered_for_several_evaluations_and_segments(service: &Service) {
    let segmented = Segmented::with_two_segments(service, &json!({ "userCacheTimeMs": 3_600_000 }));
    segmented.knows(USER_HASH, json!({ "segment1.g100": true }));
    for _ in 0..3 {
        segmented.gives("flag1", &user("user-key"), "member", "HEALTHY");
        segmented.gives("flag2", &user("user-key"), "other", "HEALTHY");
    }
    segmented.gives("flag1", &user("another"), "other", "HEALTHY");
    segmented.gives("flag1", &user("another"), "other", "HEALTHY");
    assert_eq!(segmented.asked().len(), 2);
}

fn an_answer_is_forgotten_when_its_time_is_over(service: &Service) {
    let segmented = Segmented::with_two_segments(service, &json!({ "userCacheTimeMs": 10 }));
    segmented.gives("flag1", &user("user-key"), "other", "HEALTHY");
    segmented.knows(USER_HASH, json!({ "segment1.g100": true }));
    // Not by far as long as without a setting.
    thread::sleep(Duration::from_millis(20));
    segmented.gives("flag1", &user("user-key"), "member", "HEALTHY");
    assert_eq!(segmented.asked().len(), 2);
}

fn no_more_contexts_are_remembered_than_is_said(service: &Service) {
    let settings = json!({ "userCacheSize": 2, "userCacheTimeMs": 3_600_000 });
    let segmented = Segmented::with_two_segments(service, &settings);
    for key in ["a", "b", "c"] {
        segmented.evaluate("flag1", &user(key));
    }
    assert_eq!(segmented.asked().len(), 3);
    segmented.evaluate("flag1", &user("c"));
    segmented.evaluate("flag1", &user("b"));
    assert_eq!(segmented.asked().len(), 3);
    segmented.evaluate("flag1", &user("a"));
    assert_eq!(segmented.asked().len(), 4);
}

/// And who is excluded matches no rule.
fn members_of_the_segment_itself_do_not_count_but_its_rules_do(service: &Service) {
    let mut listing = big("segment1", 100);
    listing["included"] = json!(["user-key"]);
    let mut ruling = big("segment2", 101);
    let clause =
        json!({"attribute": "key", "op": "startsWith", "values": ["user"], "negate": false});
    ruling["rules"] = json!([{ "clauses": [clause] }]);
    let settings = json!({ "userCacheTimeMs": 1 });
    let segmented = Segmented::start(service, &[listing, ruling], &settings);
    segmented.gives("flag1", &user("user-key"), "other", "HEALTHY");
    segmented.gives("flag2", &user("user-key"), "member", "HEALTHY");
    segmented.knows(USER_HASH, json!({ "segment2.g101": false }));
    soon("the exclusion", SECOND, || {
        (segmented.evaluate("flag2", &user("user-key")).0 == "other").then_some(())
    });
}

fn a_query_that_fails_matches_nothing(service: &Service) {
    let segmented = Segmented::with_two_segments(service, &Value::Null);
    segmented.knows(USER_HASH, json!({ "segment1.g100": true }));
    segmented.answers.lock().unwrap().fails = true;
    segmented.gives("flag1", &user("user-key"), "other", "STORE_ERROR");
}

fn without_a_store_nothing_matches(service: &Service) {
    let payload = Payload::full(&[asking("flag1", "segment1")]).segments(&[big("segment1", 100)]);
    let system = DefaultSystem::new(payload);
    let sdk = service.create(&system.setup());
    let detail = sdk.detail("flag1");
    assert_eq!(detail["value"], "other");
    assert_eq!(detail["reason"]["bigSegmentsStatus"], "NOT_CONFIGURED");
    let status = sdk.command("getBigSegmentStoreStatus", &Value::Null);
    assert_eq!(status, json!({ "available": false, "stale": false }));
}

fn a_segment_without_generation_matches_nothing(service: &Service) {
    let segmented = Segmented::start(service, &[big("segment1", Value::Null)], &Value::Null);
    segmented.gives("flag1", &user("user-key"), "other", "NOT_CONFIGURED");
    assert_eq!(segmented.asked(), [""; 0]);
}

/// Evaluations cause no question more.
fn the_store_is_asked_how_it_is_at_once_and_then_at_intervals(service: &Service) {
    let lazy = Segmented::with_two_segments(service, &json!({ "statusPollIntervalMs": 3_600_000 }));
    soon("a question", SECOND / 2, || (lazy.metadata_queries() == 1).then_some(()));
    lazy.evaluate("flag1", &user("user-key"));
    never("a second question", SECOND / 2, || lazy.metadata_queries() > 1);
    let eager = Segmented::with_two_segments(service, &json!({ "statusPollIntervalMs": 20 }));
    soon("many questions", SECOND, || (eager.metadata_queries() >= 5).then_some(()));
}

fn the_status_follows_the_store(service: &Service) {
    let settings = json!({ "statusPollIntervalMs": 20, "staleAfterMs": 60_000 });
    let segmented = Segmented::with_two_segments(service, &settings);
    let becomes = |available: bool, stale: bool| {
        let status = json!({ "available": available, "stale": stale });
        soon(&status.to_string(), SECOND, || (segmented.status() == status).then_some(()));
    };
    assert_eq!(segmented.status(), json!({ "available": true, "stale": false }));
    // Not yet stale without a setting.
    segmented.answers.lock().unwrap().age = 90 * SECOND;
    becomes(true, true);
    let (value, status) = segmented.evaluate("flag1", &user("user-key"));
    assert_eq!((value, status), ("other".into(), "STALE".into()));
    segmented.answers.lock().unwrap().age = Duration::ZERO;
    becomes(true, false);
    segmented.answers.lock().unwrap().fails = true;
    soon("an error", SECOND, || (segmented.status()["available"] == false).then_some(()));
    segmented.answers.lock().unwrap().fails = false;
    becomes(true, false);
}
