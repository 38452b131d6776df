//! Dropping a request closes its socket at once, and nothing is left over.

use std::net::TcpListener;
use std::time::{Duration, Instant};

use async_io::Timer;
use fdv2_tests::server::{Script, Server};
use futures::StreamExt;

use crate::host::{Host, PATIENCE, eventually, fetch, get, read_until};
use crate::on_every_runtime;

on_every_runtime!(
    nothing_happens_before_the_first_poll,
    dropping_before_the_head_closes_the_socket,
    dropping_within_a_body_closes_the_socket,
    dropping_at_a_body_that_was_not_read_closes_the_socket,
    dropping_a_compressed_stream_closes_the_socket,
    dropping_while_connecting_is_quick,
    a_request_that_is_over_leaves_no_connection,
    error_responses_leave_no_socket_behind,
    the_runtime_can_be_dropped_while_requests_hang,
);

fn nothing_happens_before_the_first_poll(host: Host) {
    let server = Server::always(Script::json("{}"));
    let transport = host.transport();
    host.run(async {
        let outcomes = transport.send(get(&server.url()));
        Timer::after(Duration::from_millis(50)).await;
        drop(outcomes);
    });
    assert_eq!(server.log().opened(), 0);
}

/// Polls a request until the server has it, drops it, and waits for the server to see the end.
fn dropping_closes(host: &Host, script: Script) {
    let server = Server::always(script);
    let transport = host.transport();
    host.run(async {
        let mut outcomes = transport.send(get(&server.url()));
        let sent = eventually("the request", || !server.log().requests().is_empty());
        let polled = async { while outcomes.next().await.is_some() {} };
        futures::future::select(Box::pin(sent), Box::pin(polled)).await;
        assert_eq!(server.log().open(), 1);
        drop(outcomes);
        eventually("the end of the connection", || server.log().open() == 0).await;
    });
}

fn dropping_before_the_head_closes_the_socket(host: Host) {
    dropping_closes(&host, Script::new().hang());
    dropping_closes(&host, Script::new().write("HTTP/1.1 200 O").hang());
}

fn dropping_within_a_body_closes_the_socket(host: Host) {
    let server = Server::always(Script::stream().chunk("data: 1\n\n").hang());
    let transport = host.transport();
    host.run(async {
        let mut outcomes = transport.send(get(&server.url()));
        read_until(&mut outcomes, "\n\n").await;
        assert_eq!(server.log().open(), 1);
        drop(outcomes);
        eventually("the end of the connection", || server.log().open() == 0).await;
    });
}

fn dropping_at_a_body_that_was_not_read_closes_the_socket(host: Host) {
    let large = vec![b'x'; 8 << 20];
    let server = Server::always(Script::response(200, &[], &large).hang());
    let transport = host.transport();
    host.run(async {
        let mut outcomes = transport.send(get(&server.url()));
        outcomes.next().await;
        drop(outcomes);
        eventually("the end of the connection", || server.log().open() == 0).await;
    });
}

fn dropping_a_compressed_stream_closes_the_socket(host: Host) {
    let headers = [("content-encoding", "gzip"), ("transfer-encoding", "chunked")];
    dropping_closes(&host, Script::new().head(200, &headers).hang());
}

fn dropping_while_connecting_is_quick(host: Host) {
    // A backlog that is full: the kernel answers no further connection.
    let full = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = full.local_addr().unwrap();
    let brief = Duration::from_millis(50);
    let _fill: Vec<_> = (0..5000)
        .map_while(|_| std::net::TcpStream::connect_timeout(&address, brief).ok())
        .collect();
    let transport = host.transport();
    let begun = Instant::now();
    host.run(async {
        let mut outcomes = transport.send(get(&format!("http://{address}")));
        let next = outcomes.next();
        futures::future::select(next, Timer::after(brief)).await;
    });
    drop((transport, host));
    assert!(begun.elapsed() < PATIENCE);
}

/// Nothing stays idle, to be closed by the server in the middle of the next request.
fn a_request_that_is_over_leaves_no_connection(host: Host) {
    let server = Server::always(Script::json("{}"));
    let transport = host.transport();
    host.run(async {
        assert_eq!(fetch(&*transport, get(&server.url())).await.end, Ok(()));
        eventually("the end of the connection", || server.log().open() == 0).await;
    });
}

/// F18.
fn error_responses_leave_no_socket_behind(host: Host) {
    let body = vec![b'x'; 100 << 10];
    let server = Server::always(Script::response(500, &[], &body));
    let transport = host.transport();
    host.run(async {
        for _ in 0..100 {
            let mut outcomes = transport.send(get(&server.url()));
            outcomes.next().await;
            drop(outcomes);
            eventually("the end of the connection", || server.log().open() == 0).await;
        }
        for _ in 0..100 {
            assert_eq!(fetch(&*transport, get(&server.url())).await.status(), Some(500));
            eventually("the end of the connection", || server.log().open() == 0).await;
        }
    });
}

/// B 10.5.
fn the_runtime_can_be_dropped_while_requests_hang(host: Host) {
    let server = Server::always(Script::new().hang());
    let transport = host.transport();
    let mut outcomes = transport.send(get(&server.url()));
    host.run(async {
        let sent = eventually("the request", || !server.log().requests().is_empty());
        futures::future::select(Box::pin(sent), outcomes.next()).await;
    });
    let begun = Instant::now();
    drop(host);
    drop((outcomes, transport));
    assert!(begun.elapsed() < PATIENCE);
    smol::block_on(eventually("the end of the connection", || server.log().open() == 0));
}
