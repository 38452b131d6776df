//! Undoing gzip as it arrives.

use std::io::{self, Write};
use std::mem;

use bytes::Bytes;
use flate2::write::MultiGzDecoder;

/// The most that is taken in at once: at a thousand to one, the most that gzip can do, a megabyte
/// comes out.
const STEP: usize = 1 << 10;

/// Bytes in, decompressed bytes out, each as soon as its time has come.
pub(super) struct Gunzip {
    decoder: MultiGzDecoder<Vec<u8>>,
    rest: Bytes,
    is_begun: bool,
}

impl Gunzip {
    pub(super) fn new() -> Self {
        Self { decoder: MultiGzDecoder::new(Vec::new()), rest: Bytes::new(), is_begun: false }
    }

    /// Gives it more of the body. What it was given before has been taken out.
    pub(super) fn push(&mut self, bytes: Bytes) {
        self.is_begun |= !bytes.is_empty();
        self.rest = bytes;
    }

    /// What comes out next; `None` when it needs more. It may be empty.
    pub(super) fn next(&mut self) -> io::Result<Option<Bytes>> {
        if self.rest.is_empty() {
            return Ok(None);
        }
        let step = self.rest.split_to(self.rest.len().min(STEP));
        self.decoder.write_all(&step)?;
        self.decoder.flush()?;
        Ok(Some(mem::take(self.decoder.get_mut()).into()))
    }

    /// Whether the body has ended whole. None at all is whole, too.
    pub(super) fn finish(&mut self) -> io::Result<()> {
        if self.is_begun { self.decoder.try_finish() } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    fn gunzip<'a>(chunks: impl IntoIterator<Item = &'a [u8]>) -> io::Result<Vec<u8>> {
        let mut gunzip = Gunzip::new();
        let mut out = Vec::new();
        for chunk in chunks {
            gunzip.push(Bytes::copy_from_slice(chunk));
            while let Some(bytes) = gunzip.next()? {
                out.extend_from_slice(&bytes);
            }
        }
        gunzip.finish().map(|()| out)
    }

    #[test]
    fn cuts_change_nothing() {
        let whole = gzip(b"{\"events\":[]}");
        for size in 1..=whole.len() {
            assert_eq!(gunzip(whole.chunks(size)).unwrap(), b"{\"events\":[]}");
        }
    }

    #[test]
    fn members_follow_one_another() {
        let whole = [gzip(b"one "), gzip(b"two")].concat();
        for size in [1, 7, whole.len()] {
            assert_eq!(gunzip(whole.chunks(size)).unwrap(), b"one two");
        }
    }

    #[test]
    fn anything_less_or_more_is_an_error() {
        let whole = gzip(b"{\"events\":[]}");
        for cut in 1..whole.len() {
            assert!(gunzip([&whole[..cut]]).is_err(), "{cut} bytes");
        }
        for more in [&b"\0"[..], b"\0\0\0", b"{}", &whole[..5]] {
            assert!(gunzip([&whole[..], more]).is_err(), "{more:?} behind it");
        }
    }

    #[test]
    fn damage_is_an_error() {
        let whole = gzip(b"some text that is long enough to be hurt");
        for at in [0, 1, 2, whole.len() - 1, whole.len() - 5] {
            let mut damaged = whole.clone();
            damaged[at] ^= 0x55;
            assert!(gunzip([&damaged[..]]).is_err(), "at {at}");
        }
    }

    #[test]
    fn an_empty_body_is_whole() {
        assert_eq!(gunzip([]).unwrap(), b"");
    }

    #[test]
    fn what_comes_out_at_once_is_bounded() {
        let bomb = gzip(&vec![b' '; 16 << 20]);
        let mut gunzip = Gunzip::new();
        gunzip.push(bomb.into());
        let mut size = 0;
        while let Some(bytes) = gunzip.next().unwrap() {
            assert!(bytes.len() <= 2 << 20);
            size += bytes.len();
        }
        assert_eq!(size, 16 << 20);
    }
}
