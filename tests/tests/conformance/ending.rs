//! The end of the service (C 3.2).

use std::time::Duration;

use crate::support::{DefaultSystem, Payload, Service, soon};

fn ends_with_its_clients(runtime: &str) {
    let service = Service::start(runtime);
    let system = DefaultSystem::new(Payload::empty());
    let answer = service.try_create(&system.setup());
    assert!(answer.is_success(), "{answer:?}");
    system.streaming.request(Duration::from_secs(2));
    assert!(service.send("DELETE", "/", "").is_success());
    soon("the end of the service", Duration::from_secs(3), || service.has_ended().then_some(()));
    system.stream.is_closed(Duration::from_secs(3));
}

#[test]
fn the_service_ends_on_demand_on_tokio() {
    ends_with_its_clients("tokio");
}

#[test]
fn the_service_ends_on_demand_on_smol() {
    ends_with_its_clients("smol");
}

#[test]
fn the_service_ends_with_its_input() {
    let service = Service::start("smol");
    service.end_input();
    soon("the end of the service", Duration::from_secs(3), || service.has_ended().then_some(()));
}
