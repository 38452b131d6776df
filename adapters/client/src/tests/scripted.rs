//! A transport whose responses a test writes.

use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};

use bytes::Bytes;
use fdv2_core::{Outcome, Request, ResponseHead};
use futures::stream::BoxStream;
use futures::{Stream, StreamExt};
use http::HeaderMap;

use crate::Transport;

/// Answers requests in order, each with a stream; those beyond the script wait for ever.
#[derive(Clone, Default)]
pub(crate) struct Script(Arc<Mutex<Inner>>);

#[derive(Default)]
struct Inner {
    responses: VecDeque<BoxStream<'static, Outcome>>,
    log: Vec<String>,
}

impl Script {
    pub(crate) fn then(&self, response: impl Stream<Item = Outcome> + Send + 'static) {
        self.0.lock().unwrap().responses.push_back(response.boxed());
    }

    /// What happened on the wire, in order: `send /path`, `drop /path`.
    pub(crate) fn log(&self) -> Vec<String> {
        self.0.lock().unwrap().log.clone()
    }

    fn write(&self, what: &str, path: &str) {
        self.0.lock().unwrap().log.push(format!("{what} {path}"));
    }
}

impl Transport for Script {
    fn send(&self, request: Request) -> BoxStream<'static, Outcome> {
        let path = request.0.uri().path().to_owned();
        let response = self.0.lock().unwrap().responses.pop_front();
        let response = response.unwrap_or_else(|| futures::stream::pending().boxed());
        Response { script: self.clone(), path, response, is_sent: false }.boxed()
    }
}

struct Response {
    script: Script,
    path: String,
    response: BoxStream<'static, Outcome>,
    is_sent: bool,
}

impl Stream for Response {
    type Item = Outcome;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Outcome>> {
        if !std::mem::replace(&mut self.is_sent, true) {
            self.script.write("send", &self.path);
        }
        self.response.poll_next_unpin(cx)
    }
}

impl Drop for Response {
    fn drop(&mut self) {
        if self.is_sent {
            self.script.write("drop", &self.path);
        }
    }
}

/// The head of a stream.
pub(crate) fn event_stream() -> Outcome {
    let mut headers = HeaderMap::new();
    headers.insert("content-type", "text/event-stream".parse().unwrap());
    Outcome::ResponseHead(ResponseHead { status: 200, headers })
}

pub(crate) fn chunk(text: impl Into<String>) -> Outcome {
    Outcome::ResponseChunk(Bytes::from(text.into()))
}

/// A whole full transfer with one flag.
pub(crate) fn full_transfer(key: &str, version: u64) -> String {
    format!(
        "event: server-intent\n\
         data: {{\"payloads\":[{{\"id\":\"p\",\"target\":1,\"intentCode\":\"xfer-full\"}}]}}\n\n\
         event: put-object\n\
         data: {{\"kind\":\"flag\",\"key\":\"{key}\",\"version\":{version},\
         \"object\":{{\"key\":\"{key}\",\"version\":{version},\"on\":true}}}}\n\n\
         event: payload-transferred\n\
         data: {{\"state\":\"s{version}\",\"version\":{version}}}\n\n"
    )
}
