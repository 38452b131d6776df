//! One stream that goes on and on: changes and comments, while what is held stays the same.
//!
//! `FDV2_SOAK_CHANGES` sets how many changes there are, 200,000 if it is not set, with five comments
//! beside each.

use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::thread;

use fdv2_client::config::Streaming;
use fdv2_client::{Client, Config, SourceState};
use fdv2_tests::runtimes::eventually;
use futures::StreamExt;

use crate::counts::{Counts, alone, live_bytes};
use crate::host::Host;

/// So many flags change in turn. Each has been there and been deleted after one round.
const FLAGS: u64 = 50;
const COMMENTS: usize = 5;

/// Less than a word for each change.
const SLACK: usize = 512 << 10;

/// What is on its way while data comes: what listeners have not read, what waits to be freed.
const ON_ITS_WAY: usize = 4 << 20;

#[test]
fn a_stream_without_end_takes_no_memory_on_tokio() {
    soak(&Host::tokio_multi_thread());
}

#[test]
fn a_stream_without_end_takes_no_memory_on_smol() {
    soak(&Host::smol());
}

fn soak(host: &Host) {
    let _alone = alone();
    let changes = std::env::var("FDV2_SOAK_CHANGES").map_or(200_000, |text| text.parse().unwrap());
    let (address, server) = serve(changes);
    let url = format!("http://{address}");
    let config = Config::custom("k").synchronizer(Streaming::new().base_url(url)).build().unwrap();
    let client = host.start(config, None);
    // One who does not read must cost no more than one who does.
    let _stuck = client.flag_changes();
    let mut changed = client.flag_changes();
    let reading = async { while changed.next().await.is_some() {} };
    let watching = async {
        eventually("a tenth", || newest(&client) >= changes / 10).await;
        let before = Counts::now();
        // However many there are, a hundredth of them comes in time.
        for hundredth in 10..=100 {
            eventually("more", || newest(&client) >= changes / 100 * hundredth).await;
        }
        eventually("the end", || newest(&client) == changes).await;
        assert_eq!(client.status().state, SourceState::Valid);
        let grown = live_bytes().saturating_sub(before.bytes);
        assert!(grown < ON_ITS_WAY, "{grown} bytes for {changes} changes");
        Counts::come_back_to(before, SLACK).await;
        client.close(Client::CLOSE_TIMEOUT).await;
    };
    host.run_on(async { futures::join!(reading, watching) });
    server.join().unwrap();
}

/// The highest version of any flag.
fn newest(client: &Client) -> u64 {
    client.snapshot().core().flags().map(|flag| flag.version()).max().unwrap_or(0)
}

/// Serves one stream.
fn serve(changes: u64) -> (SocketAddr, thread::JoinHandle<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let server = thread::spawn(move || {
        let (socket, _) = listener.accept().unwrap();
        tell(socket, changes);
    });
    (address, server)
}

fn tell(mut socket: TcpStream, changes: u64) {
    let mut lines = BufReader::new(socket.try_clone().unwrap()).lines();
    while lines.next().unwrap().unwrap() != "" {}
    // Without a length: the body ends with the connection.
    let mut text = String::from("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n");
    let intent = r#"{"payloads":[{"id":"p","target":1,"intentCode":"xfer-full"}]}"#;
    let _ = write!(text, "event: server-intent\ndata: {intent}\n\n");
    let _ = write!(text, "event: payload-transferred\ndata: {{\"state\":\"s\",\"version\":1}}\n\n");
    for version in 1..=changes {
        change(&mut text, version, version == changes);
        for comment in 0..COMMENTS {
            let _ = writeln!(text, ": {comment}");
        }
        if text.len() > 32 << 10 || version == changes {
            socket.write_all(text.as_bytes()).unwrap();
            text.clear();
        }
    }
    // Until the client leaves.
    while lines.next().is_some_and(|line| line.is_ok()) {}
}

/// A flag is put, and every other time deleted again. The last one stays.
fn change(text: &mut String, version: u64, is_last: bool) {
    let key = version % FLAGS;
    let is_deleted = (version / FLAGS) % 2 == 1 && !is_last;
    let _ = if is_deleted {
        let data = format!(r#"{{"kind":"flag","key":"f{key}","version":{version}}}"#);
        write!(text, "event: delete-object\ndata: {data}\n\n")
    } else {
        let object = format!(r#"{{"key":"f{key}","version":{version},"on":true}}"#);
        let data =
            format!(r#"{{"kind":"flag","key":"f{key}","version":{version},"object":{object}}}"#);
        write!(text, "event: put-object\ndata: {data}\n\n")
    };
    let _ = write!(
        text,
        "event: payload-transferred\ndata: {{\"state\":\"s{version}\",\"version\":1}}\n\n"
    );
}
