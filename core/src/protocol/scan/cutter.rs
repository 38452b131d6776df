//! Finds where a value ends that is cut out whole and checked by its later decoder.

/// Where in the value the cutter stands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Cutter {
    /// In an object or a list, this many brackets deep.
    Nested { depth: usize, quoted: Quoted },
    /// In a string, after its opening quote.
    Quoted(Quoted),
    /// In a number, `true`, `false` or `null`: up to the next delimiter.
    Bare,
}

/// Where the cutter stands with regard to strings.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Quoted {
    Outside,
    Inside,
    /// Inside, directly after a backslash.
    Escaped,
}

impl Cutter {
    /// A cutter for the value that begins with `byte`, which has been read.
    pub(super) fn after(byte: u8) -> Self {
        match byte {
            b'{' | b'[' => Self::Nested { depth: 1, quoted: Quoted::Outside },
            b'"' => Self::Quoted(Quoted::Inside),
            _ => Self::Bare,
        }
    }

    /// How many of `bytes` belong to the value if it ends among them.
    pub(super) fn find_end(&mut self, bytes: &[u8]) -> Option<usize> {
        match self {
            Self::Nested { depth, quoted } => end_of_nested(depth, quoted, bytes),
            Self::Quoted(quoted) => quoted.end_of_string(bytes, 0),
            Self::Bare => bytes
                .iter()
                .position(|byte| matches!(byte, b',' | b']' | b'}' | b' ' | b'\t' | b'\n' | b'\r')),
        }
    }
}

fn end_of_nested(depth: &mut usize, quoted: &mut Quoted, bytes: &[u8]) -> Option<usize> {
    let mut at = 0;
    loop {
        if *quoted != Quoted::Outside {
            at = quoted.end_of_string(bytes, at)?;
        }
        let (passed, byte) = next_bracket_or_quote(bytes.get(at..)?)?;
        at += passed + 1;
        match byte {
            b'"' => *quoted = Quoted::Inside,
            b'{' | b'[' => *depth += 1,
            _ if *depth > 1 => *depth -= 1,
            _ => return Some(at),
        }
    }
}

fn next_bracket_or_quote(bytes: &[u8]) -> Option<(usize, u8)> {
    let is_one = |byte: u8| matches!(byte, b'"' | b'{' | b'}' | b'[' | b']');
    bytes.iter().copied().enumerate().find(|(_, byte)| is_one(*byte))
}

impl Quoted {
    /// The place after the closing quote, looking from `at` on.
    fn end_of_string(&mut self, bytes: &[u8], mut at: usize) -> Option<usize> {
        loop {
            if *self == Self::Escaped {
                bytes.get(at)?;
                at += 1;
                *self = Self::Inside;
            }
            let rest = bytes.get(at..)?;
            let passed = memchr::memchr2(b'"', b'\\', rest)?;
            at += passed + 1;
            if rest.get(passed) == Some(&b'"') {
                *self = Self::Outside;
                return Some(at);
            }
            *self = Self::Escaped;
        }
    }
}
