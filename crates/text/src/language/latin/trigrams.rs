//! Trigrams of a text, ranked by frequency.

/// Number of trigrams of a text that are compared, the most frequent ones.
const MAX_TRIGRAMS: usize = 600;
/// Values of three signs of five bits: the space and `a` to `z`.
pub(super) const PLAIN: usize = 1 << 15;

/// Sign of five bits of a letter `a` to `z` or of what divides words; none for other letters.
#[inline]
fn plain(c: char) -> Option<usize> {
    match SIGNS.get(c as usize) {
        Some(sign) if *sign < 32 => Some(usize::from(*sign)),
        _ => None,
    }
}

/// The signs of ASCII characters, 32 for those that have none.
const SIGNS: [u8; 128] = {
    let mut signs = [32; 128];
    let mut at = 0;
    while at < 128 {
        let byte = at as u8;
        if byte.is_ascii_lowercase() {
            signs[at] = byte - 0x60;
        } else if divides(byte as char) {
            signs[at] = 0;
        }
        at += 1;
    }
    signs
};

/// The signs of plain characters, capital letters as small ones.
static SIGNS_OF_ANY_CASE: [u8; 0x7F] = {
    let mut signs = [0; 0x7F];
    let mut at = 0;
    while at < 0x7F {
        let byte = at as u8;
        if byte.is_ascii_alphabetic() {
            signs[at] = byte.to_ascii_lowercase() - 0x60;
        }
        at += 1;
    }
    signs
};

/// Signs that say nothing about the language: of ASCII all but letters.
pub(super) const fn divides(c: char) -> bool {
    c < '\x7f' && !c.is_ascii_alphabetic()
}

/// A trigram as a number, in the order of trigrams.
pub(super) fn key(signs: [char; 3]) -> u64 {
    signs.iter().fold(0, |key, c| key << 21 | u64::from(*c))
}

/// The same for a trigram of plain signs.
fn key_of_plain(at: usize) -> u64 {
    let sign = |shift: usize| match at >> shift & 31 {
        0 => u64::from(b' '),
        letter => 0x60 + letter as u64,
    };
    sign(10) << 42 | sign(5) << 21 | sign(0)
}

pub(super) fn plain_of(signs: [char; 3]) -> Option<usize> {
    let [a, b, c] = signs;
    Some(plain(a)? << 10 | plain(b)? << 5 | plain(c)?)
}

/// A trigram of a text and how often it occurs there.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Trigram {
    pub(super) key: u64,
    pub(super) plain: Option<u16>,
    count: u16,
}

/// The frequency of each trigram of plain signs, and a bit for each that occurs. Between texts all are 0,
/// so a text takes time only for its own trigrams.
pub(super) struct Counts {
    counts: Box<[u16; PLAIN]>,
    seen: Box<[u64; PLAIN / 64]>,
}

impl Counts {
    pub(super) fn new() -> Self {
        Self { counts: Box::new([0; PLAIN]), seen: Box::new([0; PLAIN / 64]) }
    }

    #[inline]
    fn add(&mut self, at: usize) {
        // The remainder is the number itself; it tells the compiler that it is in bounds.
        let at = at % PLAIN;
        self.counts[at] = self.counts[at].saturating_add(1);
        self.seen[at / 64] |= 1 << (at % 64);
    }

    /// The trigrams in their order, with keys if others stand beside them; all is 0 again.
    fn take(&mut self, keys: bool) -> Vec<Trigram> {
        // Three spaces are no trigram.
        self.counts[0] = 0;
        self.seen[0] &= !1;
        let mut all = Vec::with_capacity(2048);
        for (word, bits) in self.seen.iter_mut().enumerate() {
            let mut bits = std::mem::take(bits);
            while bits != 0 {
                let at = word * 64 + bits.trailing_zeros() as usize;
                bits &= bits - 1;
                let count = self.counts.get_mut(at);
                all.push(Trigram {
                    key: if keys { key_of_plain(at) } else { 0 },
                    plain: u16::try_from(at).ok(),
                    count: count.map(std::mem::take).unwrap_or_default(),
                });
            }
        }
        all
    }
}

/// The trigrams of a text as its characters come.
pub(super) struct Trigrams<'a> {
    counts: &'a mut Counts,
    other: Vec<u64>,
    /// The two characters before.
    last: (char, char),
    /// Place of both if they are plain signs, and how many plain ones stand before.
    place: usize,
    run: u32,
    is_first: bool,
}

impl<'a> Trigrams<'a> {
    pub(super) fn new(counts: &'a mut Counts) -> Self {
        Self { counts, other: Vec::new(), last: (' ', ' '), place: 0, run: 0, is_first: true }
    }

    /// Adds bytes of plain signs, in capital or small letters, up to the first that is none, if the two characters
    /// before are plain as well; returns their number. `signs` counts them.
    pub(super) fn add_plain(&mut self, bytes: &[u8], signs: &mut [u32; 32]) -> usize {
        if self.run < 2 {
            return 0;
        }
        let mut place = self.place;
        let mut added = 0;
        for byte in bytes {
            let sign = match SIGNS_OF_ANY_CASE.get(usize::from(*byte)) {
                Some(sign) => usize::from(*sign) % 32,
                None => break,
            };
            signs[sign] += 1;
            // Where words end no processor foresees: what stands between them is counted as three spaces,
            // which no text has.
            let is_gap = place & 31 == 0 && (place == 0 || sign == 0);
            self.counts.add(if is_gap { 0 } else { place << 5 | sign });
            place = (place << 5 | sign) & 0x3FF;
            added += 1;
        }
        if added > 0 {
            let char_of = |sign: usize| match sign {
                0 => ' ',
                letter => char::from(0x60 + letter as u8),
            };
            self.place = place;
            self.last = (char_of(place >> 5), char_of(place & 31));
        }
        added
    }

    #[inline]
    pub(super) fn add(&mut self, c: char) {
        let (a, b) = self.last;
        let sign = plain(c);
        if std::mem::take(&mut self.is_first) {
            (self.place, self.run) = sign.map_or((0, 0), |sign| (sign, 2));
        } else {
            if !(b == ' ' && (a == ' ' || c == ' ')) {
                match sign.filter(|_| self.run >= 2) {
                    Some(sign) => self.counts.add(self.place << 5 | sign),
                    None => self.other.push(key([a, b, c])),
                }
            }
            (self.place, self.run) = match sign {
                Some(sign) => ((self.place << 5 | sign) & 0x3FF, self.run + 1),
                None => (0, 0),
            };
        }
        self.last = (b, c);
    }

    /// The most frequent ones; of equally frequent ones the later first.
    pub(super) fn ranked(mut self) -> Vec<Trigram> {
        if self.is_first {
            self.add(' ');
        }
        self.add(' ');
        let mut other = self.other;
        let mut all = self.counts.take(!other.is_empty());
        if !other.is_empty() {
            other.sort_unstable();
            all.extend(other.chunk_by(|a, b| a == b).map(|same| Trigram {
                key: same.first().copied().unwrap_or_default(),
                plain: None,
                count: u16::try_from(same.len()).unwrap_or(u16::MAX),
            }));
            all.sort_by_key(|trigram| trigram.key);
        }
        by_count(&all)
    }
}

/// Sorts trigrams that stand in their order by falling count, then against their order, and keeps the
/// first ones.
fn by_count(all: &[Trigram]) -> Vec<Trigram> {
    let most = all.iter().map(|trigram| trigram.count).max().unwrap_or(0);
    // Place of the first trigram of each count.
    let mut starts = vec![0usize; usize::from(most) + 2];
    for trigram in all {
        if let Some(slot) = starts.get_mut(usize::from(trigram.count)) {
            *slot += 1;
        }
    }
    let mut sum = 0;
    for slot in starts.iter_mut().rev() {
        (*slot, sum) = (sum, sum + *slot);
    }
    let mut sorted = vec![Trigram::default(); all.len()];
    for trigram in all.iter().rev() {
        if let Some(place) = starts.get_mut(usize::from(trigram.count)) {
            if let Some(slot) = sorted.get_mut(*place) {
                *slot = *trigram;
            }
            *place += 1;
        }
    }
    sorted.truncate(MAX_TRIGRAMS);
    sorted
}
