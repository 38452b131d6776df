//! Headers that every request carries: tags, instance id and wrapper (C 2.8 to 2.10).

use std::collections::BTreeSet;
use std::thread;
use std::time::Duration;

use fdv2_tests::server::Received;
use serde_json::{Value, json};

use crate::on_both_runtimes;
use crate::support::{
    DefaultSystem, Endpoint, Mocks, Payload, Service, Setup, Stream, directive, fdv1, poll, status,
};

on_both_runtimes!(
    tags_are_sent_as_they_are_set,
    a_tag_with_a_character_that_is_not_allowed_is_dropped,
    a_tag_that_is_too_long_is_dropped,
    tags_go_with_polls_of_initializers,
    tags_and_instance_id_go_with_a_second_synchronizer,
    tags_and_instance_id_go_with_fdv1,
    an_instance_id_goes_with_every_request_of_one_client,
    clients_have_instance_ids_of_their_own,
    a_wrapper_goes_with_streams_and_polls,
);

const SECOND: Duration = Duration::from_secs(1);
const TAGS: &str = "x-launchdarkly-tags";
const INSTANCE_ID: &str = "x-launchdarkly-instance-id";
const WRAPPER: &str = "x-launchdarkly-wrapper";
const ALLOWED: &str = "._-abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";

fn tagged(id: Option<&str>, version: Option<&str>) -> Value {
    json!({ "applicationId": id, "applicationVersion": version })
}

/// The header that belongs to two tags.
fn header(id: Option<&str>, version: Option<&str>) -> Option<String> {
    let tag = |name: &str, tag: Option<&str>| {
        tag.filter(|tag| !tag.is_empty()).map(|tag| format!("{name}/{tag}"))
    };
    let tags: Vec<_> = [tag("application-id", id), tag("application-version", version)]
        .into_iter()
        .flatten()
        .collect();
    (!tags.is_empty()).then(|| tags.join(" "))
}

/// The synchronizer's request of a client on a stream, and of one that polls.
fn requests(service: &Service, name: &str, value: &Value) -> [Received; 2] {
    let system = DefaultSystem::new(Payload::empty());
    let polling = system.mocks.mount(poll(Payload::empty()));
    let ask = |setup: Setup, endpoint: &Endpoint| {
        let _sdk = service.create(&setup.set(name, value.clone()));
        endpoint.request(SECOND)
    };
    let setup = Setup::new().initializer(&system.initializer).poll(&polling);
    [ask(system.setup(), &system.streaming), ask(setup, &polling)]
}

fn tags_are_sent_as_they_are_set(service: &Service) {
    let long = "_".repeat(64);
    let values = [None, Some(""), Some(&ALLOWED[1..]), Some(&long)];
    for id in values {
        for version in values {
            for request in requests(service, "tags", &tagged(id, version)) {
                assert_eq!(request.header(TAGS), header(id, version).as_deref());
            }
        }
    }
}

/// Asks for a stream with an id, and with a version, that cannot be sent beside one that can.
fn is_dropped(service: &Service, bad: &str) {
    let mocks = Mocks::new();
    let endpoint = mocks.mount(Stream::new(Payload::empty()).handler());
    for (id, version, sent) in
        [(bad, "ok", "application-version/ok"), ("ok", bad, "application-id/ok")]
    {
        let tags = tagged(Some(id), Some(version));
        let _sdk = service.create(&Setup::new().stream(&endpoint).set("tags", tags));
        assert_eq!(endpoint.request(SECOND).header(TAGS), Some(sent), "{bad:?}");
    }
}

fn a_tag_with_a_character_that_is_not_allowed_is_dropped(service: &Service) {
    let printable = (33..=127).map(char::from).filter(|character| !ALLOWED.contains(*character));
    let bad: Vec<char> = ['\t', '\n', '\r', 'é', '😀'].into_iter().chain(printable).collect();
    thread::scope(|scope| {
        for some in bad.chunks(bad.len().div_ceil(4)) {
            scope.spawn(|| some.iter().for_each(|c| is_dropped(service, &format!("bad{c}tag"))));
        }
    });
}

fn a_tag_that_is_too_long_is_dropped(service: &Service) {
    is_dropped(service, &"_".repeat(65));
}

/// The first initializer has nothing, which is no failure of the start.
fn tags_go_with_polls_of_initializers(service: &Service) {
    let mocks = Mocks::new();
    let (first, second) = (mocks.mount(poll(Payload::none())), mocks.mount(poll(Payload::empty())));
    let streaming = mocks.mount(Stream::new(Payload::none()).handler());
    let setup = Setup::new().initializer(&first).initializer(&second).stream(&streaming);
    let _sdk = service.create(&setup.set("tags", tagged(Some("id"), Some("1"))));
    let requests = [first.request(SECOND), second.request(SECOND), streaming.request(SECOND)];
    have_the_same_headers(&requests);
}

/// The tags `id` and `1`, and one instance id.
fn have_the_same_headers(requests: &[Received]) {
    for request in requests {
        assert_eq!(request.header(TAGS), Some("application-id/id application-version/1"));
    }
    let ids: BTreeSet<_> = requests.iter().map(|request| request.header(INSTANCE_ID)).collect();
    assert!(ids.len() == 1 && !ids.contains(&None) && !ids.contains(&Some("")), "{ids:?}");
}

fn tags_and_instance_id_go_with_a_second_synchronizer(service: &Service) {
    let mocks = Mocks::new();
    let (first, second) =
        (mocks.mount(status(401)), mocks.mount(Stream::new(Payload::empty()).handler()));
    let setup = Setup::new().stream(&first).stream(&second);
    let _sdk = service.create(&setup.set("tags", tagged(Some("id"), Some("1"))));
    have_the_same_headers(&[first.request(SECOND), second.request(SECOND)]);
    first.is_left_alone(SECOND / 2);
}

/// The old protocol's flags are none, and the start succeeds.
fn tags_and_instance_id_go_with_fdv1(service: &Service) {
    let mocks = Mocks::new();
    let (first, second) = (mocks.mount(directive(403)), mocks.mount(fdv1(&[])));
    let setup = Setup::new().stream(&first).fdv1(&second);
    let _sdk = service.create(&setup.set("tags", tagged(Some("id"), Some("1"))));
    have_the_same_headers(&[first.request(SECOND), second.request(SECOND)]);
    first.is_left_alone(SECOND / 2);
}

fn an_instance_id_goes_with_every_request_of_one_client(service: &Service) {
    let system = DefaultSystem::new(Payload::empty());
    let _sdk = service.create(&system.setup().set("tags", tagged(Some("id"), Some("1"))));
    let first = system.initializer.request(SECOND);
    let second = system.streaming.request(SECOND);
    system.stream.end();
    have_the_same_headers(&[first, second, system.streaming.request(2 * SECOND)]);
    let polls = Mocks::new();
    let (first, second) =
        (polls.mount(poll(Payload::empty())), polls.mount(poll(Payload::empty())));
    let setup = Setup::new().initializer(&first).poll(&second);
    let _sdk = service.create(&setup.set("tags", tagged(Some("id"), Some("1"))));
    have_the_same_headers(&[first.request(SECOND), second.request(SECOND)]);
}

fn clients_have_instance_ids_of_their_own(service: &Service) {
    let system = DefaultSystem::new(Payload::empty());
    let _clients = [service.create(&system.setup()), service.create(&system.setup())];
    let ids = [(); 2]
        .map(|()| system.streaming.request(SECOND).header(INSTANCE_ID).expect("an id").to_owned());
    assert_ne!(ids[0], ids[1]);
}

fn a_wrapper_goes_with_streams_and_polls(service: &Service) {
    for (name, version, sent) in [
        (None, None, None),
        (Some("TestName"), None, Some("TestName")),
        (Some("TestName"), Some(""), Some("TestName")),
        (Some("TestName"), Some("1.0.0"), Some("TestName/1.0.0")),
        (Some(""), Some("1.0.0"), None),
        (None, Some("1.0.0"), None),
    ] {
        let wrapper = json!({ "name": name, "version": version });
        for request in requests(service, "wrapper", &wrapper) {
            assert_eq!(request.header(WRAPPER), sent);
        }
    }
}
