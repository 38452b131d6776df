//! B 11.2, 11.3, 11.5: what goes out, and C 1.2 to 1.4.

use fdv2_core::ConfigBuilder;
use fdv2_core::config::{Endpoints, Polling, Streaming};
use fdv2_tests::sim::wire::*;
use fdv2_tests::sim::{Asked, Reply, Sim, config, poll, secs, stream};

/// One request of each kind: initializer, stream, poll after fallback, FDv1.
fn one_of_each(configured: ConfigBuilder) -> [Asked; 4] {
    let configured = configured
        .initializer(poll("i"))
        .synchronizer(stream("a"))
        .synchronizer(poll("b"))
        .fdv1(poll("v1"));
    let mut sim = Sim::new(configured);
    sim.serve_always("i", Reply::poll(full("s1", [on("f1")])));
    sim.serve_always("a", Reply::status(401));
    sim.serve_always("b", Reply::status(500).directive());
    sim.start();
    [sim.expect("i"), sim.expect("a"), sim.expect("b"), sim.expect("v1")]
}

/// C 1.2, 1.4.
#[test]
fn each_kind_has_its_path_and_all_have_the_key() {
    let asked = one_of_each(config());
    let paths = asked.each_ref().map(Asked::path);
    assert_eq!(paths, ["/sdk/poll", "/sdk/stream", "/sdk/poll", "/sdk/latest-all"]);
    for asked in &asked {
        assert_eq!(asked.header("authorization"), Some("sdk-key"));
        assert!(asked.headers["authorization"].is_sensitive());
    }
    assert_eq!(asked.each_ref().map(Asked::basis), [None, Some("s1"), Some("s1"), None]);
}

/// C 1.4: the stream says what it wants.
#[test]
fn the_stream_asks_for_events() {
    let [_, stream, ..] = one_of_each(config());
    assert!(stream.header("accept").is_some_and(|accept| accept.contains("text/event-stream")));
}

/// B 11.5, cases H10.
#[test]
fn a_filter_goes_out_with_every_request() {
    for key in ["mobile", "a&b=c", "encoding necessary +! %& ( )", "é😀"] {
        let asked = one_of_each(config().filter(key));
        for asked in &asked {
            assert_eq!(asked.query("filter").as_deref(), Some(key), "{asked:?}");
        }
        assert_eq!(asked.each_ref().map(Asked::basis), [None, Some("s1"), Some("s1"), None]);
    }
    for asked in one_of_each(config()).iter().chain(&one_of_each(config().filter(""))) {
        assert_eq!(asked.query("filter"), None);
    }
}

/// B 11.2: everything is escaped but unreserved characters.
#[test]
fn query_values_are_escaped() {
    let [initializer, ..] = one_of_each(config().filter("aZ0-._~!*'();:@&=+$,/?#[] \"%"));
    assert_eq!(
        initializer.url.unwrap().query(),
        Some("filter=aZ0-._~%21%2A%27%28%29%3B%3A%40%26%3D%2B%24%2C%2F%3F%23%5B%5D%20%22%25")
    );
}

/// B 11.3, cases H02.
#[test]
fn base_urls_may_carry_a_path_and_a_slash() {
    for (base, path) in [
        ("http://a", "/sdk/stream"),
        ("http://a/", "/sdk/stream"),
        ("http://a/relay", "/relay/sdk/stream"),
        ("http://a/relay/", "/relay/sdk/stream"),
        ("http://a/x/y//", "/x/y/sdk/stream"),
        ("http://a/%20x", "/%20x/sdk/stream"),
        ("http://a:8030", "/sdk/stream"),
    ] {
        let mut sim = Sim::new(config().synchronizer(Streaming::new().base_url(base)));
        sim.start();
        assert_eq!(sim.expect("a").path(), path, "{base}");
    }
}

/// B 11.3, cases H02: a query of the base URL stays.
#[test]
fn a_query_of_the_base_url_stays() {
    let mut sim = Sim::new(config().synchronizer(Polling::new().base_url("http://a/p?x=1")));
    sim.serve_always("a", Reply::poll(full("s 1", [])));
    sim.start().advance(secs(30));
    let asked = sim.asked_of("a")[1].clone();
    assert_eq!((asked.path(), asked.query("x").as_deref()), ("/p/sdk/poll", Some("1")));
    assert_eq!(asked.basis(), Some("s 1"));
}

/// Cases V11: each source has its own address, and the endpoints serve those without one.
#[test]
fn each_source_asks_its_own_address() {
    let endpoints =
        Endpoints { streaming: "http://streaming/s".into(), polling: "http://polling/p".into() };
    let configured = config()
        .endpoints(endpoints)
        .initializer(Polling::new())
        .synchronizer(Streaming::new())
        .fdv1(Polling::new());
    let mut sim = Sim::new(configured);
    sim.serve("polling", |asked| match asked.path() {
        "/p/sdk/poll" => Reply::poll(none()),
        path => {
            assert_eq!(path, "/p/sdk/latest-all");
            Reply::fdv1([on("f1")])
        }
    });
    sim.serve_always("streaming", Reply::status(403).directive());
    sim.start();
    assert_eq!(sim.asked()[1].path(), "/s/sdk/stream");
    assert_eq!(sim.is_on("f1"), Some(true));
}

/// C 1.4: the user's headers go out with every request, ours stay ours.
#[test]
fn headers_of_the_user_go_out_with_every_request() {
    let configured = config().header("X-LaunchDarkly-Other", "x/y").header("x-a", "1");
    for asked in one_of_each(configured) {
        assert_eq!(asked.header("x-launchdarkly-other"), Some("x/y"));
        assert_eq!(asked.header("x-a"), Some("1"));
    }
}

/// C 1.4, 2.8: initializer, stream, poll after a permanent failure, and FDv1 carry the tags.
#[test]
fn tags_go_out_with_every_request() {
    let longest = "._-aZ09".repeat(9) + "_";
    for (id, version, tags) in [
        ("app", "1.0", Some("application-id/app application-version/1.0")),
        ("app", "", Some("application-id/app")),
        ("", "1.0", Some("application-version/1.0")),
        ("app", "1 0", Some("application-id/app")),
        ("é", "1.0", Some("application-version/1.0")),
        ("", "", None),
        ("a\nb", "\t", None),
        (&longest, "1", Some(&*format!("application-id/{longest} application-version/1"))),
        (&"a".repeat(65), "1", Some("application-version/1")),
    ] {
        let configured = config().application_id(id).application_version(version);
        for asked in one_of_each(configured) {
            assert_eq!(asked.header("x-launchdarkly-tags"), tags, "{asked:?}");
        }
    }
    for asked in one_of_each(config()) {
        assert_eq!(asked.header("x-launchdarkly-tags"), None);
    }
}

/// C 1.4, 2.10: a version alone sends nothing.
#[test]
fn the_wrapper_goes_out_with_every_request() {
    for (name, version, wrapper) in [
        ("TestName", "1.0.0", Some("TestName/1.0.0")),
        ("TestName", "", Some("TestName")),
        ("", "1.0.0", None),
        ("", "", None),
    ] {
        for asked in one_of_each(config().wrapper(name, version)) {
            assert_eq!(asked.header("x-launchdarkly-wrapper"), wrapper, "{asked:?}");
        }
    }
    for asked in one_of_each(config()) {
        assert_eq!(asked.header("x-launchdarkly-wrapper"), None);
    }
}

fn instance_id(asked: &Asked) -> &str {
    asked.header("x-launchdarkly-instance-id").expect("an instance id")
}

/// C 1.4, 2.9.
#[test]
fn all_requests_of_a_client_have_one_instance_id() {
    let asked = one_of_each(config());
    let [first, others @ ..] = asked.each_ref().map(instance_id);
    assert!(!first.is_empty());
    assert_eq!(others, [first; 3]);
}

/// C 1.4, B 8.5: reconnects and redirects are no new client.
#[test]
fn the_instance_id_stays_over_retries_and_redirects() {
    let mut sim = Sim::new(config().synchronizer(stream("a")));
    let away = || Reply::head(307).header("location", "http://b/").end();
    sim.serve_in_turn("a", [Reply::refuse(), Reply::status(500), away()]);
    sim.serve_always("b", Reply::stream(full("s1", [on("f1")])));
    sim.start().advance(secs(60));
    assert_eq!((sim.asked_of("a").len(), sim.asked_of("b").len()), (3, 1));
    let ids: Vec<_> = sim.asked().iter().map(instance_id).collect();
    assert_eq!(ids, [ids[0]; 4]);
}

/// C 2.9, cases H09: of one configuration too.
#[test]
fn two_clients_have_two_instance_ids() {
    let ids = [1, 2].map(|seed| {
        let mut sim = Sim::seeded(config().synchronizer(stream("a")), seed);
        sim.start();
        instance_id(&sim.expect("a")).to_owned()
    });
    assert_ne!(ids[0], ids[1]);
}

/// B 11.1: nothing that is printed shows the key.
#[test]
fn the_key_shows_in_no_debug_text() {
    let key = "sdk-s3cr3t-key";
    let configured = fdv2_core::Config::custom(key)
        .initializer(poll("i"))
        .synchronizer(stream("a"))
        .fdv1(poll("v1"));
    let shown = format!("{configured:?}");
    let mut sim = Sim::new(configured).requests_per_minute(200);
    sim.serve_always("i", Reply::refuse());
    sim.serve_in_turn("a", [Reply::status(500), Reply::head(302).header("location", "/x")]);
    sim.start();
    let system = format!("{:?}", sim.system());
    sim.advance(secs(60));
    let asked = format!("{:?}", sim.asked());
    let updates: Vec<_> = sim.updates().collect();
    for text in [shown, system, asked, format!("{updates:?}"), format!("{:?}", sim.system())] {
        assert!(!text.contains("s3cr3t"), "{text}");
    }
    let request = http::Request::get("http://a").header("authorization", {
        let mut value = http::HeaderValue::from_static("sdk-s3cr3t-key");
        value.set_sensitive(true);
        value
    });
    let effect = fdv2_core::Request(request.body(()).unwrap());
    assert!(!format!("{effect:?}").contains("s3cr3t"));
}
