//! Colours, where they are wanted.

use std::fmt;
use std::io::{self, IsTerminal};

/// Colours for standard output: only on a terminal, and not if `NO_COLOR` is set.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Style {
    is_coloured: bool,
}

/// All that [`Style`] writes around a text.
const CODES: [&str; 5] = ["\u{1b}[1m", "\u{1b}[2m", "\u{1b}[31m", "\u{1b}[32m", "\u{1b}[0m"];

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

    /// Without colours, for standard error, too.
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

    /// The text with what would order the terminal about written out. The colours of this program
    /// stay where there are any.
    pub(crate) fn harmless(self, text: String) -> String {
        if !text.contains(char::is_control) {
            return text;
        }
        let mut harmless = String::with_capacity(text.len());
        let mut rest = text.as_str();
        while let Some(next) = rest.chars().next() {
            let code = CODES.iter().find(|code| self.is_coloured && rest.starts_with(**code));
            let length = match code {
                Some(code) => {
                    harmless.push_str(code);
                    code.len()
                }
                None => {
                    // As in JSON, where it may stand, too.
                    match next.is_control() {
                        true => harmless.push_str(&format!("\\u{:04x}", u32::from(next))),
                        false => harmless.push(next),
                    }
                    next.len_utf8()
                }
            };
            rest = rest.get(length..).unwrap_or_default();
        }
        harmless
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_from_elsewhere_does_not_order_the_terminal_about() {
        let coloured = Style { is_coloured: true };
        for style in [coloured, Style::plain()] {
            let harmless = style.harmless("a\u{1b}[2Jb\nc\u{9b}é".into());
            assert_eq!(harmless, "a\\u001b[2Jb\\u000ac\\u009bé");
            let painted = [style.bold("a"), style.dim("b"), style.red("c"), style.green("d")];
            for text in painted.map(|painted| painted.to_string()) {
                assert_eq!(style.harmless(text.clone()), text);
            }
        }
        assert_eq!(
            Style::plain().harmless(coloured.red("a").to_string()),
            "\\u001b[31ma\\u001b[0m"
        );
    }
}
