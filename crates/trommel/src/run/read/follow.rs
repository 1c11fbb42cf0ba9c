//! Follows inputs: continues to read as they grow and new ones appear.
//!
//! An argument stands for the inputs that it finds at the time.

use std::collections::{HashMap, HashSet};
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use std::{fs, thread};

use trommel_archive::{ArchiveError, Damage, Reader, Record, ResumePoint, name::is_archive};

use crate::run::inputs::{Input, found::Identity, is_pipe};
use crate::run::plan::output::{short_digest, stem_of};
use crate::run::read::live::{GrowingInput, Mark, OPEN, Pipe, without_open};
use crate::run::read::reader::{Disconnected, RecordFeed};
use crate::run::work::task::{ArchiveEnd, Opened, Step};
use crate::run::{plan::Follow, state::checkpoint::ContinuedRun};

/// Time between two scans of the inputs.
// By asking: notifications of file systems do not reach network folders and containers.
const POLL: Duration = Duration::from_millis(100);
/// Time after which an input that grows all the time makes way for the others.
// Without it one busy crawler would keep all other inputs waiting.
const MAX_VISIT: Duration = Duration::from_secs(60);

/// The state of the followed inputs after an earlier run.
#[derive(Clone, Debug, Default)]
pub(crate) struct FollowState {
    /// For each input, by name, the number of visits and the place where reading continues.
    visits: Vec<(String, u32, Option<ResumePoint>)>,
    /// The input in the middle of a visit.
    current: Option<(String, Option<ResumePoint>)>,
}

impl FollowState {
    /// Restores the state of an interrupted run from its journal and from the input that was being read.
    pub(crate) fn new(continued: &ContinuedRun) -> Self {
        let current = continued.state.archives.first();
        let current = current.map(|archive| (archive.identity.name.clone(), archive.point));
        let mut visits: Vec<(String, u32, Option<ResumePoint>)> = Vec::new();
        let mut known: HashMap<&str, usize> = HashMap::new();
        for done in &continued.contents.done {
            let name = done.identity.name.as_str();
            let at = *known.entry(name).or_insert_with(|| {
                visits.push((name.to_owned(), 0, None));
                visits.len() - 1
            });
            if let Some((_, count, point)) = visits.get_mut(at) {
                *count += 1;
                *point = done.point;
            }
        }
        Self { visits, current }
    }
}

/// An input that is followed.
struct LiveInput {
    name: String,
    growing: GrowingInput,
    /// The name of its outputs, without the number of the visit.
    stem: String,
    visits: u32,
    point: Option<ResumePoint>,
    /// Stored bytes from its beginning on that are counted.
    counted: u64,
    /// Length at which it was last read.
    tried: u64,
    /// True for a WARC file without compression; none until that is known.
    is_plain: Option<bool>,
    /// True if it is in the middle of a visit of an earlier run.
    is_begun: bool,
    /// Fingerprint by which the file is recognised.
    mark: Mark,
}

/// A visit of an input: its new records, up to a pause.
#[derive(Default)]
struct Visit {
    /// True if the writer knows of it.
    is_open: bool,
    /// Stored bytes read.
    bytes: u64,
}

struct Inputs {
    all: Vec<LiveInput>,
    names: HashSet<String>,
    stems: HashSet<String>,
    followed: FollowState,
}

impl RecordFeed<'_, '_> {
    /// Reads existing and new data until none has arrived for long enough, all pipes have ended, or the run is stopped.
    /// Each input is visited again and again; a visit ends where nothing complete is left.
    pub(crate) fn follow(mut self, follow: &Follow, followed: FollowState) -> Result<(), Disconnected> {
        let mut inputs = Inputs { all: Vec::new(), names: HashSet::new(), stems: HashSet::new(), followed };
        // Names of outputs are given in the same order as before.
        for (name, ..) in inputs.followed.visits.clone() {
            let growing = GrowingInput::File(PathBuf::from(&name));
            inputs.add(name, growing);
        }
        let mut last_news = Instant::now();
        loop {
            for argument in &follow.arguments {
                for (name, growing) in find_inputs(argument, &inputs.names) {
                    inputs.add(name, growing);
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
            if let Some(metrics) = self.common.metrics {
                metrics.idle(last_news.elapsed());
            }
            let is_over = follow.until_idle.is_some_and(|time| last_news.elapsed() >= time);
            if is_over || is_at_end(follow, &inputs.all) {
                for input in &mut inputs.all {
                    self.read_new(input, follow, true)?;
                }
                return Ok(());
            }
            self.pause();
        }
    }

    fn pause(&self) {
        if !self.common.stop.is_set() {
            thread::sleep(POLL);
        }
    }

    /// Reads the new data of one input; returns whether there was any. The `last` time, a cut end is damage, as in any
    /// run.
    fn read_new(&mut self, input: &mut LiveInput, follow: &Follow, last: bool) -> Result<bool, Disconnected> {
        self.begun = std::mem::take(&mut input.is_begun);
        let mut visit = Visit { is_open: self.begun, bytes: 0 };
        if visit.is_open {
            self.open_visit(input, &mut visit)?;
        }
        let start = Instant::now();
        let mut news = Instant::now();
        loop {
            // A crawler has renamed it, or it is not there yet.
            if let GrowingInput::File(path) = &input.growing
                && !path.exists()
            {
                input.growing = GrowingInput::File(there(Path::new(&input.name)));
            }
            let length = input.growing.length().unwrap_or(input.tried);
            let read = input.point.map_or(0, |point| point.offset());
            if length != input.tried && input.mark.check(&input.name, &input.growing, length, read) {
                (input.mark, input.point, input.counted) = (Mark::default(), None, 0);
                (input.tried, input.is_plain) = (0, None);
            }
            if length > input.tried || last {
                input.tried = length;
                if self.pass(input, &mut visit, length, last)? {
                    news = Instant::now();
                }
            }
            let is_quiet = news.elapsed() >= follow.idle || input.growing.is_quiet(follow.idle);
            // A visit ends at a pause, so that its output is complete and has its name.
            let is_done = last || self.common.stop.is_set() || is_quiet || start.elapsed() >= MAX_VISIT;
            if !visit.is_open {
                return Ok(false);
            }
            if is_done && (input.growing.length().unwrap_or(0) <= input.tried || !is_quiet) {
                break;
            }
            self.pause();
        }
        self.release(None)?;
        if let Some(metrics) = self.common.metrics {
            metrics.stored(visit.bytes);
        }
        input.visits += 1;
        let point = match input.growing {
            GrowingInput::File(_) => input.point,
            // Nobody can read it again.
            GrowingInput::Pipe(_) => None,
        };
        self.send(0, None, Step::End(ArchiveEnd { point, ..ArchiveEnd::at(visit.bytes) }))?;
        Ok(true)
    }

    /// Reads the complete records among the first `length` bytes; returns whether there was one.
    fn pass(
        &mut self,
        input: &mut LiveInput,
        visit: &mut Visit,
        length: u64,
        last: bool,
    ) -> Result<bool, Disconnected> {
        let options = self.common.plan.options;
        let growing = input.growing.clone();
        let point = input.point.unwrap_or_default();
        // Opened anew for each look: crawlers rename files, and a handle would follow the old one.
        let opened = Reader::reopen_with(input.name.as_str(), || growing.open(length), &point, options);
        let mut reader = match opened {
            Ok(reader) => reader,
            Err(error) => {
                // Not yet, or never: the first bytes of an archive may be few for some time.
                if last && input.point.is_none() && length > 0 {
                    self.open_visit(input, &mut Visit::default())?;
                    input.visits += 1;
                    self.send(0, None, Step::End(ArchiveEnd::failed(error.to_string(), false)))?;
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
            if !visit.is_open {
                self.open_visit(input, visit)?;
            }
            let after = reader.resume_point();
            if let Some(error) = self.give(item, after)? {
                tracing::error!("{error}");
                break;
            }
            let new = at.saturating_sub(input.counted);
            visit.bytes += new;
            self.common.counts().bytes += new;
            input.counted = input.counted.max(at);
            input.point = Some(after);
            is_new = true;
        }
        if let Some(point) = input.point {
            input.growing.discard_before(point.offset());
            input.mark.renew(&input.growing, point.offset());
        }
        Ok(is_new)
    }

    fn open_visit(&mut self, input: &LiveInput, visit: &mut Visit) -> Result<(), Disconnected> {
        visit.is_open = true;
        let stem = match input.visits {
            0 => input.stem.clone(),
            visits => format!("{}-{}", input.stem, visits + 1),
        };
        // Its size and time change as it grows, so they cannot identify it.
        let identity = Identity { name: input.name.clone(), stamp: None };
        self.send(0, None, Step::Open(Opened { identity, stem, ..Opened::default() }))
    }
}

impl Inputs {
    fn add(&mut self, name: String, growing: GrowingInput) {
        if !self.names.insert(name.clone()) {
            return;
        }
        let mut stem = match name.as_str() {
            "-" => stem_of(&Input::Stdin),
            name => stem_of(&Input::File(name.into())),
        };
        if !self.stems.insert(stem.clone()) {
            stem = format!("{stem}-{}", short_digest(&name));
            self.stems.insert(stem.clone());
        }
        let of_name = |(known, ..): &&(String, u32, Option<ResumePoint>)| *known == name;
        let (visits, mut point) =
            self.followed.visits.iter().find(of_name).map_or((0, None), |(_, visits, point)| (*visits, *point));
        let mut is_begun = false;
        if let Some((_, current)) = self.followed.current.take_if(|(current, _)| *current == name) {
            (point, is_begun) = (current, true);
        }
        let counted = point.map_or(0, |point| point.offset());
        let (tried, is_plain, mark) = (0, None, Mark::default());
        let input = LiveInput { name, growing, stem, visits, point, counted, tried, is_plain, is_begun, mark };
        self.all.push(input);
    }
}

/// Returns whether only pipes are followed, and all have ended.
fn is_at_end(follow: &Follow, inputs: &[LiveInput]) -> bool {
    inputs.len() >= follow.arguments.len()
        && inputs
            .iter()
            .all(|input| input.growing.is_ended() && input.growing.length().is_ok_and(|length| length <= input.tried))
}

/// Returns whether an item may change when more bytes arrive: a damaged or odd one at the current end.
fn is_unfinished(item: &Result<Record, ArchiveError>, at_end: bool, is_ended: bool) -> bool {
    match item {
        Ok(record) => at_end && (!record.notes.is_empty() || !is_ended),
        Err(ArchiveError::Damage { what, .. }) => at_end || matches!(what, Damage::Cut | Damage::Shrunk),
        Err(_) => true,
    }
}

/// Returns whether the last record of a plain file is whole, with the blank lines after it, which count to its length.
/// Compressed members have an end of their own.
fn ends_a_record(growing: &GrowingInput, length: u64, is_plain: &mut Option<bool>) -> bool {
    let mut ends = || -> std::io::Result<bool> {
        let (mut bytes, mut head, mut tail) = (growing.open(length)?, [0; 5], [0; 4]);
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

/// The inputs that an argument currently stands for, except the known ones. The names are those that they
/// have when they are complete.
pub(super) fn find_inputs(argument: &str, known: &HashSet<String>) -> Vec<(String, GrowingInput)> {
    let path = Path::new(argument);
    if argument == "-" || is_pipe(path) {
        if known.contains(argument) {
            return Vec::new();
        }
        let opened = path.to_owned();
        let pipe = match argument {
            "-" => Pipe::new(|| Ok(std::io::stdin())),
            _ => Pipe::new(move || fs::File::open(opened)),
        };
        let pipe = pipe.inspect_err(|error| tracing::error!("{argument}: {error}"));
        return pipe.into_iter().map(|pipe| (argument.to_owned(), GrowingInput::Pipe(pipe))).collect();
    }
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
    let mut names: Vec<PathBuf> = paths.iter().map(|path| without_open(path)).collect();
    names.sort();
    // A file and the same file while it is open are one input.
    names.dedup();
    let new = names.into_iter().filter_map(|path| {
        let name = path.to_string_lossy().into_owned();
        (!known.contains(&name)).then(|| (name, GrowingInput::File(there(&path))))
    });
    new.collect()
}

/// The file under its own name, or under the one that it has while it is written.
pub(super) fn there(path: &Path) -> PathBuf {
    let mut open = path.as_os_str().to_owned();
    open.push(OPEN);
    match (path.exists(), Path::new(&open).exists()) {
        (false, true) => open.into(),
        _ => path.to_owned(),
    }
}

/// Archives in a folder and below, finished or not.
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
