//! B 8.5: redirects.

use fdv2_core::status::{ErrorKind, SourceState};
use fdv2_tests::sim::wire::*;
use fdv2_tests::sim::{Reply, Sim, config, poll, secs, stream, streaming};

fn redirect(status: u16, to: &str) -> Reply {
    Reply::head(status).header("location", to).end()
}

/// Only the stream `a`, which answers so.
fn one_stream(reply: Reply) -> Sim {
    let mut sim = Sim::new(config().synchronizer(stream("a"))).requests_per_minute(200);
    sim.serve_always("a", reply);
    sim
}

/// B 8.5.
#[test]
fn the_four_redirects_are_followed() {
    for status in [301, 302, 307, 308] {
        let mut sim = one_stream(redirect(status, "http://b/moved?x=1"));
        sim.serve_always("b", Reply::stream(full("s1", [on("f1")])));
        sim.start();
        sim.expect("a");
        let asked = sim.expect("b");
        assert_eq!((asked.path(), asked.query("x").as_deref()), ("/moved", Some("1")));
        assert_eq!(sim.is_on("f1"), Some(true), "{status}");
        assert_eq!(sim.last_error(), None, "{status}");
    }
}

/// B 8.5: for polls as for streams.
#[test]
fn a_redirected_poll_is_followed() {
    let mut sim = Sim::new(config().synchronizer(poll("a")));
    sim.serve_always("a", redirect(307, "http://b/sdk/poll"));
    sim.serve_always("b", Reply::poll(full("s1", [on("f1")])));
    sim.start().advance(secs(31));
    assert_eq!(sim.is_on("f1"), Some(true));
    let hosts: Vec<_> = sim.asked().iter().map(|asked| asked.host.as_str()).collect();
    assert_eq!(hosts, ["a", "b", "a", "b"], "the next poll begins at its own address");
    assert_eq!(sim.asked()[2].at.since_epoch(), secs(30));
}

/// B 8.5: others are not.
#[test]
fn other_redirects_are_errors() {
    for status in [300, 303, 304, 305, 306] {
        let mut sim = one_stream(redirect(status, "http://b/"));
        sim.start();
        assert_eq!(sim.asked_of("b").len(), 0);
        assert_eq!(sim.error_kind(), Some(ErrorKind::ErrorResponse), "{status}");
        assert_eq!(sim.last_error().unwrap().status, Some(status));
    }
}

/// B 8.5, cases H03.
#[test]
fn credentials_do_not_follow_to_another_origin() {
    for (to, kept) in [
        ("http://a/other", true),
        ("/other", true),
        ("http://A:80/other", true),
        ("http://a:8080/other", false),
        ("https://a/other", false),
        ("http://b/other", false),
        ("//b/other", false),
    ] {
        let mut sim = Sim::new(config().synchronizer(stream("a")));
        sim.serve("a", {
            let to = to.to_owned();
            move |asked| match asked.path() {
                "/other" => Reply::hang(),
                _ => redirect(307, &to),
            }
        });
        sim.start();
        assert_eq!(sim.asked().len(), 2, "{to}");
        assert_eq!(sim.asked()[0].header("authorization"), Some("sdk-key"));
        assert_eq!(sim.asked()[1].header("authorization").is_some(), kept, "{to}");
    }
}

/// B 8.5: what the user adds may be a credential, too.
#[test]
fn headers_of_the_user_do_not_follow_to_another_origin() {
    for (to, kept) in [("/other", Some("s3cret")), ("http://b/other", None)] {
        let own = config().header("cookie", "s3cret").header("user-agent", "app/1");
        let mut sim = Sim::new(own.application_id("app").synchronizer(stream("a")));
        sim.serve("a", {
            move |asked| match asked.path() {
                "/other" => Reply::hang(),
                _ => redirect(307, to),
            }
        });
        sim.serve_always("b", Reply::hang());
        sim.start();
        let [first, second] = sim.asked() else { panic!("{:?}", sim.asked()) };
        assert_eq!(first.header("cookie"), Some("s3cret"));
        assert_eq!(second.header("cookie"), kept, "{to}");
        for name in ["user-agent", "accept", "x-launchdarkly-tags", "x-launchdarkly-instance-id"] {
            assert!(first.header(name).is_some(), "{name}");
            assert_eq!(second.header(name), first.header(name), "{name} to {to}");
        }
    }
}

/// B 8.5: once they were left behind they do not come back.
#[test]
fn credentials_do_not_come_back() {
    let mut sim = one_stream(redirect(302, "http://b/"));
    sim.serve_always("b", redirect(302, "http://c/")).serve_always("c", Reply::hang());
    sim.start();
    let sent: Vec<_> = sim.asked().iter().map(|asked| asked.header("authorization")).collect();
    assert_eq!(sent, [Some("sdk-key"), None, None]);
}

/// B 8.5, 2.2, cases H03: a relative address, and what is held is still said.
#[test]
fn a_relative_location_is_resolved() {
    let mut sim = streaming(full("s1", [on("f1")]));
    sim.serve("a", |asked| match asked.path() {
        "/sdk/stream" => redirect(307, "/new/sdk/stream?basis=s1"),
        _ => Reply::stream(none()),
    });
    sim.break_off();
    sim.until_asked("a");
    let asked = sim.expect("a");
    assert_eq!((asked.path(), asked.basis()), ("/new/sdk/stream", Some("s1")));
    assert_eq!(sim.state(), SourceState::Valid);
}

/// B 8.5, 8.7.
#[test]
fn ten_redirects_are_followed_and_not_eleven() {
    let chain = |length: usize| {
        let mut sim = Sim::new(config().synchronizer(stream("a"))).requests_per_minute(200);
        let mut hops = 0;
        sim.serve("a", move |_| {
            hops += 1;
            match hops <= length {
                true => redirect(302, &format!("/hop{hops}")),
                false => Reply::stream(full("s1", [on("f1")])),
            }
        });
        sim.start();
        sim
    };
    assert_eq!(chain(10).is_on("f1"), Some(true));
    let sim = chain(11);
    assert_eq!(sim.is_on("f1"), None);
    assert_eq!(sim.error_kind(), Some(ErrorKind::Network));
    assert_eq!(sim.asked().len(), 11);
}

/// B 8.5, 8.7, cases H03: a loop ends, and is paced.
#[test]
fn a_loop_is_paced_and_does_not_end_the_source() {
    let mut sim = one_stream(redirect(301, "http://a/sdk/stream"));
    sim.start().advance(secs(100));
    let attempts = sim.asked().len() / 11;
    assert!((6..12).contains(&attempts), "{attempts}");
    sim.serve_always("a", Reply::stream(full("s1", [on("f1")])));
    sim.advance(secs(31));
    assert_eq!(sim.state(), SourceState::Valid);
}

/// B 8.7.
#[test]
fn a_redirect_without_a_usable_location_is_a_network_failure() {
    let bad = ["", "http://", "ftp://b/", "file:///etc/passwd", "javascript:1", "http://b:99999/"];
    let bad = bad.iter().map(|to| redirect(302, to)).chain([Reply::status(302)]);
    for reply in bad {
        let mut sim = one_stream(reply.clone());
        sim.start();
        if sim.asked().len() == 1 {
            assert_eq!(sim.error_kind(), Some(ErrorKind::Network), "{reply:?}");
        } else {
            // An empty reference is a legal one: to the address itself.
            assert_eq!(sim.asked().len(), 11, "{reply:?}");
        }
        assert!(sim.asked().iter().all(|asked| asked.host == "a"));
    }
}

/// B 8.5: the directive is not followed by a redirect, but obeyed.
#[test]
fn a_redirect_with_a_directive_is_not_followed() {
    let mut sim = Sim::new(config().synchronizer(stream("a")).fdv1(poll("v1")));
    sim.serve_always("a", redirect(302, "http://b/").directive());
    sim.start();
    assert_eq!(sim.asked_of("b").len(), 0);
    sim.expect("a");
    sim.expect("v1");
}

/// B 8.6: the ten seconds are from the start of the attempt, redirects included.
#[test]
fn redirects_do_not_extend_the_time_to_the_head() {
    let mut sim = streaming(full("s1", [on("f1")]));
    sim.serve_always("a", redirect(302, "/again").late(secs(3)));
    sim.break_off();
    let began = sim.until_asked("a").at;
    sim.advance(millis_to(&sim, began + secs(10)));
    assert_eq!(sim.error_kind(), Some(ErrorKind::Network));
    assert_eq!(sim.last_error().unwrap().at, began + secs(10));
}

fn millis_to(sim: &Sim, at: fdv2_core::Instant) -> std::time::Duration {
    at.saturating_since(sim.now())
}

/// B 8.5: a redirected stream that breaks begins at its own address again.
#[test]
fn a_reconnect_begins_at_its_own_address() {
    let mut sim = one_stream(redirect(308, "http://b/moved"));
    sim.serve_always("b", Reply::stream(full("s1", [on("f1")])).break_off());
    sim.start().advance(secs(1));
    let paths: Vec<_> = sim.asked().iter().map(|asked| asked.path()).collect();
    assert_eq!(paths, ["/sdk/stream", "/moved", "/sdk/stream", "/moved"]);
}
