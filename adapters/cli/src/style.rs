//! Colours, where they are wanted.

use std::fmt;
use std::io::{self, IsTerminal};

/// Colours for standard output: only on a terminal, and not if `NO_COLOR` is set.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Style {
    is_coloured: bool,
}

/// A text in a colour.
pub(crate) struct Painted<T> {
    text: T,
    code: Option<&'static str>,
}

impl Style {
    /// As standard output and the environment want it.
    pub(crate) fn detect() -> Self {
        let is_set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
        let is_dumb = std::env::var_os("TERM").is_none_or(|term| term == "dumb");
        Self { is_coloured: io::stdout().is_terminal() && !is_set("NO_COLOR") && !is_dumb }
    }

    /// Without colours.
    #[cfg(test)]
    pub(crate) fn plain() -> Self {
        Self { is_coloured: false }
    }

    pub(crate) fn bold<T: fmt::Display>(self, text: T) -> Painted<T> {
        self.paint(text, "1")
    }

    pub(crate) fn dim<T: fmt::Display>(self, text: T) -> Painted<T> {
        self.paint(text, "2")
    }

    pub(crate) fn red<T: fmt::Display>(self, text: T) -> Painted<T> {
        self.paint(text, "31")
    }

    pub(crate) fn green<T: fmt::Display>(self, text: T) -> Painted<T> {
        self.paint(text, "32")
    }

    fn paint<T: fmt::Display>(self, text: T, code: &'static str) -> Painted<T> {
        Painted { text, code: self.is_coloured.then_some(code) }
    }
}

impl<T: fmt::Display> fmt::Display for Painted<T> {
    /// Width and alignment apply to the text, not to the codes around it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.code {
            Some(code) => {
                write!(f, "\u{1b}[{code}m")?;
                self.text.fmt(f)?;
                f.write_str("\u{1b}[0m")
            }
            None => self.text.fmt(f),
        }
    }
}
