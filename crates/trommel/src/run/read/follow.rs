//! Follows inputs: continues to read as they grow and new inputs appear.
//!
//! An argument stands for the inputs that it finds at the time.

use std::cell::Cell;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use std::{fs, mem::take, thread};

use trommel_archive::{
    ArchiveError, Damage, Reader, Record, ResumePoint,
    file_name::{OPEN, is_archive, without_open},
};

use crate::run::inputs::{Input, is_pipe, listing::Identity};
use crate::run::plan::output::{short_digest, stem_of};
use crate::run::read::growing_files::{GrowingFile, Mark};
use crate::run::read::lane_reader::{Disconnected, RecordFeed};
use crate::run::work::task::{ArchiveEnd, Opened, Step};
use crate::run::{plan::Follow, state::checkpoint::ContinuedRun};

/// Time between two scans of the followed inputs.
// By asking: notifications of file systems do not reach network folders and containers.
const POLL: Duration = Duration::from_millis(100);
/// Maximum time that one growing input is read before the other inputs get their turn.
// Without it one busy crawler would keep all other inputs waiting.
const MAX_VISIT: Duration = Duration::from_secs(60);

/// Saved state of a growing input: its name, the place where reading continues, and true if the earlier run was
/// interrupted while it read the input.
pub(crate) type Visit = (String, Option<ResumePoint>, bool);

/// Returns the states of the growing inputs of an earlier run: of those read to their end, and of the one being read.
pub(crate) fn visits(continued: &ContinuedRun) -> Vec<Visit> {
    let done = continued.contents.done.iter().map(|done| (done.identity.name.clone(), done.point, false));
    let current = continued.state.archives.first();
    done.chain(current.map(|archive| (archive.identity.name.clone(), archive.point, true))).collect()
}

/// Input that is read repeatedly while it grows, each time up to its last complete record.
#[derive(Default)]
struct LiveInput {
    name: String,
    /// Path of the input under its final name, which differs from `name` if it is not UTF-8.
    path: PathBuf,
    growing: GrowingFile,
    /// Stem of the input's output names, without the number that is added each time new records are read.
    stem: String,
    visits: u32,
    point: Option<ResumePoint>,
    /// Number of stored bytes from the start of the input that are counted in the progress.
    counted: u64,
    of_visit: u64,
    /// Length in bytes that the input had when it was last read.
    tried: u64,
    /// True for an uncompressed WARC file; none until its first bytes are known.
    is_plain: Option<bool>,
    /// True while new records are read from the input, and the writer knows of it.
    is_open: bool,
    is_begun: bool,
    /// Fingerprint by which a cut or replaced file is noticed.
    mark: Mark,
}

/// Growing inputs found so far, with the index of each by its name.
#[derive(Default)]
struct Inputs {
    all: Vec<LiveInput>,
    known: HashMap<String, usize>,
    stems: HashSet<String>,
}

impl RecordFeed<'_, '_> {
    /// Follows growing inputs: reads existing and new data until none has arrived for long enough, all inputs are ended
    /// pipes, or the run is stopped. Each input is read repeatedly, each time up to its last complete record.
    pub(crate) fn follow(mut self, follow: &Follow, visits: Vec<Visit>) -> Result<(), Disconnected> {
        let mut inputs = Inputs::default();
        // Names of outputs are given in the same order as before.
        for (name, point, is_begun) in visits {
            if let Some(input) = inputs.named(Path::new(&name)) {
                input.visits += u32::from(!is_begun);
                input.is_begun = is_begun;
                input.go_on(point);
            }
        }
        let mut last_news = Instant::now();
        loop {
            for argument in &follow.arguments {
                for path in found(argument) {
                    inputs.named(&path);
                }
            }
            let mut is_new = false;
            for input in &mut inputs.all {
                if self.common.stop.is_set() {
                    return Err(Disconnected);
                }
                is_new |= self.read_new(input, follow, false)?;
            }
            if is_new {
                last_news = Instant::now();
            }
            self.common.metrics.idle(last_news.elapsed());
            let is_over = follow.until_idle.is_some_and(|time| last_news.elapsed() >= time);
            if is_over || is_at_end(follow, &inputs.all) {
                for input in &mut inputs.all {
                    self.read_new(input, follow, true)?;
                }
                return Ok(());
            }
            thread::sleep(POLL);
        }
    }

    /// Reads the new data of one input, and returns whether there was any. If `last` is set, a record that is cut at
    /// the end counts as damage.
    fn read_new(&mut self, input: &mut LiveInput, follow: &Follow, last: bool) -> Result<bool, Disconnected> {
        self.begun = take(&mut input.is_begun);
        if self.begun {
            self.open_visit(input)?;
        }
        let start = Instant::now();
        let mut news = Instant::now();
        loop {
            // A crawler has renamed it, or it is not there yet.
            if !input.growing.path.exists() {
                input.growing = GrowingFile::new(there(&input.path));
            }
            let length = input.growing.length().unwrap_or(input.tried);
            let read = input.point.map_or(0, |point| point.offset());
            if length != input.tried && input.mark.check(&input.name, &input.growing, length, read) {
                (input.mark, input.tried, input.is_plain) = (Mark::default(), 0, None);
                input.go_on(None);
            }
            if length > input.tried || last {
                input.tried = length;
                if self.pass(input, length, last)? {
                    news = Instant::now();
                }
            }
            let is_quiet = news.elapsed() >= follow.idle || input.growing.is_quiet(follow.idle);
            // A visit ends at a pause, so that its output is complete and has its name.
            let is_done = last || self.common.stop.is_set() || is_quiet || start.elapsed() >= MAX_VISIT;
            if !input.is_open {
                return Ok(false);
            }
            if is_done && (input.growing.length().unwrap_or(0) <= input.tried || !is_quiet) {
                break;
            }
            thread::sleep(POLL);
        }
        self.release(None)?;
        let bytes = take(&mut input.of_visit);
        self.common.metrics.stored(bytes);
        // Nobody can read a pipe again.
        let point = input.point.filter(|_| !input.growing.is_pipe());
        self.end_visit(input, ArchiveEnd { point, ..ArchiveEnd::at(bytes) })?;
        Ok(true)
    }

    /// Reads the complete records within the first `length` bytes of the input; returns whether there was any.
    fn pass(&mut self, input: &mut LiveInput, length: u64, last: bool) -> Result<bool, Disconnected> {
        let options = self.common.plan.options;
        let growing = input.growing.clone();
        let point = input.point.unwrap_or_default();
        // The file that is read: its name may soon stand for another.
        let read = Cell::default();
        // Opened anew for each look: crawlers rename files, and a handle would follow the old one.
        let opened = Reader::reopen_with(input.name.as_str(), || growing.open(length, &read), &point, options);
        let mut reader = match opened {
            Ok(reader) => reader,
            Err(error) => {
                // Not yet, or never: the first bytes of an archive may be few for some time.
                if last && input.point.is_none() && length > 0 {
                    self.open_visit(input)?;
                    self.end_visit(input, ArchiveEnd::failed(error.to_string(), false))?;
                }
                return Ok(false);
            }
        };
        let is_ended = ends_a_record(&growing, length, &mut input.is_plain);
        let mut is_new = false;
        while let Some(item) = reader.next() {
            if self.common.stop.is_set() {
                break;
            }
            let at = Reader::position(&reader);
            // Taken later as a whole: damage at the end may be bytes that have not come yet.
            if !last && is_unfinished(&item, at >= length, is_ended) {
                break;
            }
            if !input.is_open {
                self.open_visit(input)?;
            }
            let after = reader.resume_point();
            if let Some(error) = self.give(item, after)? {
                tracing::error!("{error}");
                break;
            }
            let new = at.saturating_sub(input.counted);
            input.of_visit += new;
            self.common.counts().bytes += new;
            input.counted = input.counted.max(at);
            input.point = Some(after);
            is_new = true;
        }
        if let Some(point) = input.point {
            input.growing.discard_before(point.offset());
            if !growing.is_pipe() {
                input.mark.renew(read.take(), point.offset());
            }
        }
        Ok(is_new)
    }

    fn open_visit(&mut self, input: &mut LiveInput) -> Result<(), Disconnected> {
        input.is_open = true;
        let stem = match input.visits {
            0 => input.stem.clone(),
            visits => format!("{}-{}", input.stem, visits + 1),
        };
        // Its size and time change as it grows, so they cannot identify it.
        let identity = Identity { name: input.name.clone(), ..Identity::default() };
        self.send(0, None, Step::Open(Opened { identity, stem, ..Opened::default() }))
    }

    fn end_visit(&mut self, input: &mut LiveInput, end: ArchiveEnd) -> Result<(), Disconnected> {
        input.is_open = false;
        input.visits += 1;
        self.send(0, None, Step::End(end))
    }
}

impl LiveInput {
    /// Sets the place where reading of the input continues; none for its start.
    fn go_on(&mut self, point: Option<ResumePoint>) {
        self.point = point;
        self.counted = point.map_or(0, |point| point.offset());
    }
}

impl Inputs {
    /// Returns the input at `path`, which is added if it is new; none if it is a pipe that cannot be opened.
    fn named(&mut self, path: &Path) -> Option<&mut LiveInput> {
        let (name, path) = (&*path.to_string_lossy(), path.to_owned());
        if let Some(at) = self.known.get(name) {
            let input = self.all.get_mut(*at)?;
            // The state of a run knows only the text.
            if !input.path.exists() {
                input.path = path;
            }
            return Some(input);
        }
        let (input, growing) = match name {
            "-" => (Input::Stdin, GrowingFile::pipe(|| Ok(std::io::stdin()))),
            _ => {
                let (file, pipe) = (GrowingFile::new(there(&path)), path.clone());
                let is_pipe = is_pipe(&path);
                let growing = if is_pipe { GrowingFile::pipe(move || fs::File::open(pipe)) } else { Ok(file) };
                (Input::File(path.clone()), growing)
            }
        };
        let mut stem = stem_of(&input);
        let growing = growing.inspect_err(|error| tracing::error!("{name}: {error}")).ok()?;
        if !self.stems.insert(stem.clone()) {
            stem = format!("{stem}-{}", short_digest(name));
            self.stems.insert(stem.clone());
        }
        self.known.insert(name.to_owned(), self.all.len());
        self.all.push(LiveInput { name: name.to_owned(), path, growing, stem, ..LiveInput::default() });
        self.all.last_mut()
    }
}

/// Returns whether only pipes are followed, and all have ended and been read.
fn is_at_end(follow: &Follow, inputs: &[LiveInput]) -> bool {
    inputs.len() >= follow.arguments.len()
        && inputs
            .iter()
            .all(|input| input.growing.is_ended() && input.growing.length().is_ok_and(|length| length <= input.tried))
}

/// Returns whether a record or fault that was read may change when more bytes arrive, such as a cut record at the end.
fn is_unfinished(item: &Result<Record, ArchiveError>, at_end: bool, is_ended: bool) -> bool {
    match item {
        Ok(record) => at_end && (!record.notes.is_empty() || !is_ended),
        Err(ArchiveError::Damage { what, .. }) => at_end || matches!(what, Damage::Cut | Damage::Shrunk),
        Err(_) => true,
    }
}

/// Returns whether the first `length` bytes of an uncompressed WARC file end with a whole record and its blank lines.
/// Always true for compressed files, whose members have an end of their own.
fn ends_a_record(growing: &GrowingFile, length: u64, is_plain: &mut Option<bool>) -> bool {
    let mut ends = || -> std::io::Result<bool> {
        let (mut bytes, mut head, mut tail) = (growing.open(length, &Cell::default())?, [0; 5], [0; 4]);
        if is_plain.is_none() {
            bytes.read_exact(&mut head)?;
            *is_plain = Some(head == *b"WARC/");
        }
        bytes.seek(SeekFrom::End(-4))?;
        bytes.read_exact(&mut tail)?;
        Ok(*is_plain == Some(false) || tail == *b"\r\n\r\n")
    };
    ends().unwrap_or(true)
}

/// Returns the paths that an argument matches at present; of files still being written, the later final names.
fn found(argument: &str) -> BTreeSet<PathBuf> {
    let path = Path::new(argument);
    let mut paths = Vec::new();
    if path.is_dir() {
        below(path, &mut paths);
    } else if argument.contains(['*', '?', '[']) && !path.exists() {
        for pattern in [argument.to_owned(), format!("{argument}{OPEN}")] {
            paths.extend(glob::glob(&pattern).into_iter().flatten().flatten());
        }
        paths.retain(|path| path.is_file());
    } else {
        paths.push(path.to_owned());
    }
    // A file and the same file while it is open are one input.
    paths.iter().map(|path| without_open(path)).collect()
}

/// Returns the path under which a file exists: its final name, or the name that it has while a crawler writes it.
fn there(path: &Path) -> PathBuf {
    let mut open = path.as_os_str().to_owned();
    open.push(OPEN);
    match (path.exists(), Path::new(&open).exists()) {
        (false, true) => open.into(),
        _ => path.to_owned(),
    }
}

/// Adds the archives in a folder and its subfolders to `paths`, whether they are finished or being written.
fn below(folder: &Path, paths: &mut Vec<PathBuf>) {
    // What cannot be read now is looked at again.
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        let name = entry.file_name();
        let name = name.to_string_lossy();
        let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        if is_folder {
            below(&path, paths);
        } else if is_archive(name.strip_suffix(OPEN).unwrap_or(&name)) && path.is_file() {
            paths.push(path);
        }
    }
}
