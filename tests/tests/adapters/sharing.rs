//! What clients of one configuration share: nothing of what they learn.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::time::Duration;

use fdv2_client::Config;
use fdv2_client::config::Polling;
use fdv2_client::http::HttpOptions;
use fdv2_tests::server::{Received, Script, Server};

use crate::host::{Host, eventually};
use crate::on_every_runtime;
use crate::wire::{flag, full, poll, value};

on_every_runtime!(clients_of_one_configuration_share_nothing);

const INTERVAL: Duration = Duration::from_millis(20);

fn instance(request: &Received) -> String {
    request.header("x-launchdarkly-instance-id").unwrap().to_owned()
}

/// H09: neither data nor selector, nor tag, nor instance id.
fn clients_of_one_configuration_share_nothing(host: Host) {
    // Each instance gets data of its own, by the order in which they came.
    let numbers: Mutex<BTreeMap<String, i32>> = Mutex::default();
    let server = Server::new(move |_, request| {
        let mut numbers = numbers.lock().unwrap();
        let next = i32::try_from(numbers.len()).unwrap();
        let number = *numbers.entry(instance(request)).or_insert(next);
        let tag = number.to_string();
        let body = poll(&full(&tag, &[flag("f1", number)]));
        Script::response(200, &[("etag", &tag)], body.as_bytes())
    });
    let config = Config::custom("sdk-key")
        .synchronizer(Polling::new().base_url(server.url()).interval(INTERVAL))
        .adjust_timing(|timing| timing.min_poll_interval = INTERVAL)
        .build()
        .unwrap();
    let options = HttpOptions::builder().build().unwrap();
    let clients = [(); 2].map(|()| host.start_over(config.clone(), options.clone()));
    let of_each = || {
        let mut of_each: BTreeMap<String, Vec<Received>> = BTreeMap::new();
        for request in server.log().requests() {
            of_each.entry(instance(&request)).or_default().push(request);
        }
        of_each
    };
    host.run(eventually("three requests of each", || {
        let of_each = of_each();
        of_each.len() == 2 && of_each.values().all(|requests| requests.len() >= 3)
    }));

    let values = clients.each_ref().map(|client| value(client, "f1").unwrap());
    assert!(values == [0, 1] || values == [1, 0], "{values:?}");
    for requests in of_each().values() {
        let [first, second, third, ..] = requests.as_slice() else { panic!("{requests:?}") };
        assert_eq!(first.parameter("basis"), Vec::<String>::new());
        assert_eq!(first.header("if-none-match"), None);
        let [own] = <[String; 1]>::try_from(second.parameter("basis")).unwrap();
        for request in [second, third] {
            assert_eq!(request.parameter("basis"), [own.as_str()]);
            assert_eq!(request.header("if-none-match"), Some(own.as_str()));
        }
    }
    let mut own: Vec<_> = of_each().values().flat_map(|sent| sent[1].parameter("basis")).collect();
    own.sort_unstable();
    assert_eq!(own, ["0", "1"]);
}
