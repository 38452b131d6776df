use fdv2_core::ConfigBuilder;
use proptest::prelude::*;

use super::*;

fn round_trip(config: &Config) -> Config {
    let settings = Settings::of(config).expect("it can be made again");
    let text = serde_json::to_string(&settings).unwrap();
    let read: Settings = serde_json::from_str(&text).unwrap();
    assert_eq!(read, settings);
    read.config().unwrap()
}

fn base_url() -> impl Strategy<Value = String> {
    let host =
        prop::sample::select(vec!["http://h", "https://flags.example.com", "http://[::1]:8"]);
    let path = prop::sample::select(vec!["", "/", "/relay", "/relay//", "/a%20b/", "/sdk/poll"]);
    let query = prop::sample::select(vec!["", "?x=1", "?x=1&y=/sdk/poll"]);
    (host, path, query).prop_map(|(host, path, query)| format!("{host}{path}{query}"))
}

fn duration() -> impl Strategy<Value = Duration> {
    (1_000_000..1_000_000_000_000_000_u64).prop_map(Duration::from_nanos)
}

fn source(may_stream: bool) -> impl Strategy<Value = Source> {
    let address = || prop::option::of(base_url());
    let streaming = (address(), duration()).prop_map(|(url, delay)| {
        let streaming = Streaming::new().initial_retry_delay(delay);
        Source::from(url.into_iter().fold(streaming, Streaming::base_url))
    });
    let custom =
        ("[a-zé\"]{0,5}", any::<bool>(), any::<bool>()).prop_map(|(name, file, persist)| {
            let custom = Custom::new(name);
            Source::from(if file { custom.file() } else { custom }.persist(persist))
        });
    let streams = if may_stream { 1 } else { 0 };
    prop_oneof![streams => streaming, 1 => polling().prop_map(Source::from), 1 => custom]
}

fn polling() -> impl Strategy<Value = Polling> {
    (prop::option::of(base_url()), duration()).prop_map(|(url, interval)| {
        url.into_iter().fold(Polling::new().interval(interval), Polling::base_url)
    })
}

/// One call of the builder.
#[derive(Clone, Debug)]
enum Change {
    Endpoints(String),
    Initializer(Source),
    Synchronizer(Source),
    Fdv1(Polling),
    Header(String, String),
    ApplicationId(String),
    ApplicationVersion(String),
    Wrapper(String, String),
    Filter(String),
    Offline(bool),
    Store(StoreMode),
    Timing(Duration, Duration),
    HeldBytes(usize),
}

impl Change {
    fn apply(self, to: ConfigBuilder) -> ConfigBuilder {
        match self {
            Self::Endpoints(url) => to.endpoints(Endpoints::relay(url)),
            Self::Initializer(source) => to.initializer(source),
            Self::Synchronizer(source) => to.synchronizer(source),
            Self::Fdv1(polling) => to.fdv1(polling),
            Self::Header(name, value) => to.header(name, value),
            Self::ApplicationId(id) => to.application_id(id),
            Self::ApplicationVersion(version) => to.application_version(version),
            Self::Wrapper(name, version) => to.wrapper(name, version),
            Self::Filter(key) => to.filter(key),
            Self::Offline(is_offline) => to.set_offline(is_offline),
            Self::Store(mode) => to.store(mode),
            Self::Timing(head, probe) => {
                to.adjust_timing(|timing| (timing.head, timing.store_probe) = (head, probe))
            }
            Self::HeldBytes(held_bytes) => to.limits(Limits { held_bytes, ..Limits::default() }),
        }
    }
}

fn change() -> impl Strategy<Value = Change> {
    let text = || "[ -~]{0,12}";
    prop_oneof![
        base_url().prop_map(Change::Endpoints),
        source(false).prop_map(Change::Initializer),
        source(true).prop_map(Change::Synchronizer),
        polling().prop_map(Change::Fdv1),
        ("x-[a-c]|user-agent", text()).prop_map(|(name, value)| Change::Header(name, value)),
        "[a-z. ]{0,5}".prop_map(Change::ApplicationId),
        "[a-z.]{0,5}".prop_map(Change::ApplicationVersion),
        (text(), text()).prop_map(|(name, version)| Change::Wrapper(name, version)),
        ".{0,5}".prop_map(Change::Filter),
        any::<bool>().prop_map(Change::Offline),
        prop::sample::select(vec![StoreMode::ReadOnly, StoreMode::ReadWrite])
            .prop_map(Change::Store),
        (duration(), duration()).prop_map(|(head, probe)| Change::Timing(head, probe)),
        (1..usize::MAX).prop_map(Change::HeldBytes),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    /// Whatever can be configured can be written down, and made again exactly but for its secrets.
    #[test]
    fn a_configuration_is_made_again_exactly(
        is_keyless in any::<bool>(),
        changes in prop::collection::vec(change(), 0..12),
    ) {
        let builder = if is_keyless { Config::offline() } else { Config::custom("sdk-s3cret") };
        let builder = changes.into_iter().fold(builder, |builder, change| change.apply(builder));
        // Some contradict each other.
        if let Ok(config) = builder.build() {
            prop_assert_eq!(round_trip(&config), config.without_secrets());
        }
    }
}

#[test]
fn the_presets_are_made_again_exactly() {
    for preset in [
        Config::builder("k"),
        Config::streaming("k"),
        Config::polling("k"),
        Config::persistent_store("k"),
        Config::daemon(),
        Config::offline(),
    ] {
        let config = preset.build().unwrap();
        assert_eq!(round_trip(&config), config.without_secrets());
    }
}

/// B 11.1.
#[test]
fn no_secret_is_written_down() {
    let builder = Config::builder("sdk-s3cret").header("x-token", "s3cret");
    let settings = Settings::of(&builder.build().unwrap()).unwrap();
    let text = serde_json::to_string(&settings).unwrap();
    assert!(!text.contains("s3cret"), "{text}");
    assert!(text.contains("x-token"), "{text}");
}

#[test]
fn settings_that_contradict_each_other_or_that_nobody_knows_are_refused() {
    let settings = Settings::of(&Config::builder("k").build().unwrap()).unwrap();
    let keyless = Settings { has_sdk_key: false, ..settings.clone() };
    assert!(keyless.config().is_err());
    let text = serde_json::to_string(&settings).unwrap().replacen('{', r#"{"more":1,"#, 1);
    assert!(serde_json::from_str::<Settings>(&text).is_err());
}
