//! The log of what the core asked for.

use std::fmt;

use fdv2_core::{Effect, EffectId, Instant};
use http::HeaderMap;
use url::Url;

/// One request, or one opening of a custom source.
#[derive(Clone)]
pub struct Asked {
    /// When.
    pub at: Instant,
    /// The effect.
    pub id: EffectId,
    /// Where to: the URL's host, or the custom source's name.
    pub host: String,
    /// The whole URL, if it is a request.
    pub url: Option<Url>,
    /// The request's headers.
    pub headers: HeaderMap,
    basis: Option<String>,
}

impl Asked {
    pub(crate) fn new(at: Instant, id: EffectId, effect: &Effect) -> Self {
        match effect {
            Effect::Request(request) => {
                let url = Url::parse(&request.0.uri().to_string()).expect("an absolute URL");
                let mut asked = Self {
                    at,
                    id,
                    host: url.host_str().expect("a host").to_owned(),
                    url: Some(url),
                    headers: request.0.headers().clone(),
                    basis: None,
                };
                asked.basis = asked.query("basis");
                asked
            }
            Effect::OpenSource(open) => Self {
                at,
                id,
                host: open.name.to_string(),
                url: None,
                headers: HeaderMap::new(),
                basis: open.basis.as_ref().map(|selector| selector.state().to_owned()),
            },
            Effect::WriteStore(_) | Effect::ProbeStore => {
                unreachable!("a store is no source")
            }
        }
    }

    /// The path, empty for a custom source.
    pub fn path(&self) -> &str {
        self.url.as_ref().map_or("", Url::path)
    }

    /// The selector's state that it carries.
    pub fn basis(&self) -> Option<&str> {
        self.basis.as_deref()
    }

    /// The decoded value of a query parameter that occurs at most once.
    pub fn query(&self, name: &str) -> Option<String> {
        let url = self.url.as_ref()?;
        let mut values = url.query_pairs().filter(|(key, _)| key == name);
        let value = values.next().map(|(_, value)| value.into_owned());
        assert!(values.next().is_none(), "{name} occurs twice in {url}");
        value
    }

    /// The value of a header.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(|value| value.to_str().expect("text"))
    }
}

impl fmt::Debug for Asked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} {}{}", self.at, self.host, self.path())?;
        if let Some(basis) = &self.basis {
            write!(f, " basis={basis}")?;
        }
        Ok(())
    }
}
