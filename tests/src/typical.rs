//! Typical data: flags of about 2 KB, and streams of them.

use bytes::Bytes;

/// A flag of about 2 KB: two rules with four clauses, a rollout, some targets and a prerequisite
/// on the flag before it.
pub fn flag(number: usize, version: u64) -> String {
    let targets: Vec<String> = (0..46).map(|user| format!("\"user-{number}-{user}\"")).collect();
    let emails = r#"["example.com","example.org","example.net"]"#;
    let before = number.saturating_sub(1);
    format!(
        concat!(
            r#"{{"key":"{key}","version":{version},"on":true,"deleted":false,"#,
            r#""prerequisites":[{{"key":"{before}","variation":1}}],"#,
            r#""targets":[{{"values":[{targets}],"variation":0}}],"contextTargets":[],"#,
            r#""rules":[{{"id":"0b0b77bb-4b4e-4c2c-9d4b-{number:012}","variation":1,"clauses":["#,
            r#"{{"attribute":"email","op":"endsWith","values":{emails},"negate":false}},"#,
            r#"{{"attribute":"country","op":"in","values":["de","fr","it","es"],"negate":false}}],"#,
            r#""trackEvents":false}},"#,
            r#"{{"id":"7d7d11aa-1c2c-4c2c-8d4b-{number:012}","clauses":["#,
            r#"{{"attribute":"","op":"segmentMatch","values":["segment-{segment}"],"negate":false}},"#,
            r#"{{"contextKind":"org","attribute":"/plan/name","op":"startsWith","#,
            r#""values":["enterprise","business"],"negate":true}}],"rollout":{{"#,
            r#""contextKind":"user","bucketBy":"key","variations":["#,
            r#"{{"variation":0,"weight":20000}},{{"variation":1,"weight":80000}}]}},"#,
            r#""trackEvents":true}}],"#,
            r#""fallthrough":{{"rollout":{{"contextKind":"user","variations":["#,
            r#"{{"variation":0,"weight":50000}},{{"variation":1,"weight":50000}}]}}}},"#,
            r#""offVariation":0,"variations":["the first of the values","the second of them"],"#,
            r#""clientSideAvailability":{{"usingMobileKey":false,"usingEnvironmentId":false}},"#,
            r#""clientSide":false,"salt":"8f0c1d2e3a4b4c5d9e0f1a2b3c4d5e6f","trackEvents":false,"#,
            r#""trackEventsFallthrough":false,"debugEventsUntilDate":null,"generation":null}}"#
        ),
        key = key(number),
        version = version,
        before = key(before),
        targets = targets.join(","),
        number = number,
        emails = emails,
        segment = number % 50,
    )
}

/// The key of [`flag`].
pub fn key(number: usize) -> String {
    format!("some-project-flag-{number:06}")
}

const TRANSFERRED: &str = "event: payload-transferred\ndata: {\"state\":\"s\",\"version\":1}\n\n";
const ABORTED: &str = "event: error\ndata: {\"payloadId\":\"p\",\"reason\":\"oops\"}\n\n";

/// How [`full_transfer`] ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// Complete.
    Transferred,
    /// Aborted by the server.
    Error,
}

/// What a stream sends for a full transfer of these many flags.
pub fn full_transfer(flags: usize, version: u64, end: End) -> Bytes {
    let mut stream = String::with_capacity(flags * 2_000 + 1_000);
    stream.push_str("event: server-intent\ndata: {\"payloads\":[{\"id\":\"p\",\"target\":1,");
    stream.push_str("\"intentCode\":\"xfer-full\",\"reason\":\"payload-missing\"}]}\n\n");
    for number in 0..flags {
        stream.push_str(&put(number, version));
    }
    stream.push_str(match end {
        End::Transferred => TRANSFERRED,
        End::Error => ABORTED,
    });
    stream.into()
}

/// The event that sends [`flag`].
pub fn put(number: usize, version: u64) -> String {
    let (key, object) = (key(number), flag(number, version));
    format!(
        "event: put-object\ndata: {{\"version\":{version},\"kind\":\"flag\",\"key\":\"{key}\",\
         \"object\":{object}}}\n\n"
    )
}

/// What a stream sends for a change of one flag.
pub fn change(number: usize, version: u64) -> String {
    put(number, version) + TRANSFERRED
}

/// Events that each put a small flag, about 205 bytes long.
pub fn small_puts(count: usize) -> Bytes {
    let puts = (0..count).map(|number| {
        let key = key(number);
        format!(
            "event: put-object\ndata: {{\"version\":1,\"kind\":\"flag\",\"key\":\"{key}\",\"object\":\
             {{\"key\":\"{key}\",\"version\":1,\"on\":false,\"offVariation\":0,\
             \"variations\":[\"{:016}\"]}}}}\n\n",
            0
        )
    });
    puts.collect::<String>().into()
}
