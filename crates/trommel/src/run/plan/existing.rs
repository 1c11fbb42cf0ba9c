//! Finds existing outputs where a run would write, and checks that the names of all its files differ.
//!
//! None of them may be the name of another file of the run.

use std::collections::{BTreeSet, HashSet};
use std::path::{Component, Path, PathBuf};
use std::{ffi::OsStr, fs, io};

use trommel_record::{AtomicFile, Disk, replaceable};
use trommel_sources::is_url;

use crate::run::plan::output::{Destination, divided};
use crate::run::{inputs::Input, plan::Plan, write::manifest};
use crate::{Error, Result};

/// Treatment of outputs that exist before the run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Existing {
    /// The run is refused if outputs exist.
    #[default]
    Refuse,
    /// Existing outputs are replaced.
    Overwrite,
    /// The run continues the one that wrote the outputs: finished outputs stay, and all other inputs are read.
    Resume,
}

/// File names that a run's outputs may have, with or without the number of a part (as in `a-00012`).
pub(crate) struct Names<'a> {
    plan: &'a Plan,
    pub(crate) folder: PathBuf,
    stems: HashSet<String>,
    suffixes: Vec<String>,
}

impl<'a> Names<'a> {
    pub(crate) fn new(plan: &'a Plan) -> Option<Self> {
        let encodings = || plan.output.encodings.iter();
        let (folder, stems, suffixes) = match &plan.output.destination {
            Destination::Stdout | Destination::Caller => return None,
            Destination::Folder(folder) => (
                folder.clone(),
                plan.output.output_stems(&plan.inputs).into_iter().collect(),
                encodings().map(|encoding| encoding.suffix()).collect(),
            ),
            Destination::File(path) => {
                let name = path.file_name().unwrap_or_default().to_string_lossy();
                let (stem, suffix) = divided(&name);
                (folder_of(path), HashSet::from([stem.to_owned()]), vec![suffix.to_owned()])
            }
        };
        Some(Self { plan, folder, stems, suffixes })
    }

    /// Returns whether a file name is that of a run's output or, if `parts` is true, of a numbered part of an output.
    pub(crate) fn contains(&self, name: &str, parts: bool) -> bool {
        let is_stem = |stem: &str| self.stems.contains(stem);
        let mut stems = self.suffixes.iter().filter_map(|suffix| name.strip_suffix(suffix.as_str()));
        stems.any(|stem| is_stem(stem) || parts && without_part(stem).is_some_and(is_stem))
    }

    /// Returns whether a path is in the folder of the outputs and has a name that the program itself uses there.
    fn owns(&self, path: &Path) -> bool {
        let is_beside = |_: &&OsStr| path.parent() == Some(&place(&self.folder));
        let Some(name) = path.file_name().filter(is_beside) else { return false };
        let name = name.to_string_lossy();
        let is_kept = match &self.plan.output.destination {
            // State, lock, manifest, mark, and what is not whole yet.
            Destination::Folder(_) => name.starts_with(['.', '_']),
            Destination::File(file) => name.strip_prefix('.').is_some_and(|name| {
                let is_of = |file: &OsStr| name.starts_with(&*file.to_string_lossy());
                file.file_name().is_some_and(is_of) || self.contains(name.strip_suffix(".tmp").unwrap_or(name), true)
            }),
            Destination::Stdout | Destination::Caller => false,
        };
        let mut others = [self.plan.finished_file(), self.plan.output.mapping_path()].into_iter().flatten();
        is_kept || others.any(|other| other.ends_with(&*name)) || self.contains(&name, true)
    }
}

/// Returns the names of the entries in a folder; empty if the folder does not exist.
fn entries(folder: &Path) -> io::Result<Vec<String>> {
    match fs::read_dir(folder) {
        Ok(entries) => entries.map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned())).collect(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(error),
    }
}

/// Removes the part number from the stem of an output name, as in `a` for `a-00012`; none if there is no number.
fn without_part(stem: &str) -> Option<&str> {
    let (before, digits) = stem.rsplit_once('-')?;
    // Parts have five digits at least; `report-2024` is a name and no part.
    (digits.len() >= 5 && digits.bytes().all(|byte| byte.is_ascii_digit())).then_some(before)
}

fn folder_of(path: &Path) -> PathBuf {
    match path.parent() {
        Some(folder) if folder != Path::new("") => folder.to_owned(),
        _ => PathBuf::from("."),
    }
}

/// Returns the existing outputs of a run, sorted, with all their numbered parts, and the existing files beside them.
pub(crate) fn outputs(plan: &Plan) -> Result<Vec<PathBuf>> {
    let Some(names) = Names::new(plan) else { return Ok(Vec::new()) };
    let entries = entries(&names.folder).map_err(Error::output(&names.folder))?;
    let parts = names.plan.output.split.is_some();
    let mut found: BTreeSet<PathBuf> =
        entries.iter().filter(|name| names.contains(name, parts)).map(|name| names.folder.join(name)).collect();
    if let Destination::Folder(folder) = &plan.output.destination {
        let inputs = plan.inputs.iter().map(Input::name).collect();
        let encodings = plan.output.encodings.iter();
        let formats: Vec<String> = encodings.map(|encoding| encoding.format.to_string()).collect();
        let made = manifest::files_made_of(folder, &inputs, &formats).map_err(Error::output(folder))?;
        // Names may differ from those of this run, as when two inputs had the same name before.
        found.extend(made.iter().map(|name| folder.join(name)));
    }
    found.extend(side_paths(plan)?.into_iter().filter(|path| path.exists()));
    Ok(found.into_iter().collect())
}

/// Path of a side file (failed, dropped, copied records) as the user named it, and the path with symbolic links
/// resolved. The second path is none for a device or pipe, which is written in place.
// `/dev/stderr` and pipes must be written to, and not replaced by a file of that name.
pub(crate) type SideFile = (PathBuf, Option<PathBuf>);

/// Returns the side files (failed, dropped, copied records) of a plan by their numbers; none for absent ones.
pub(crate) fn sides(plan: &Plan) -> Result<Vec<Option<SideFile>>> {
    let file = |path: PathBuf| Ok((path.clone(), replaceable(&path).map_err(Error::output(&path))?));
    plan.sides().into_iter().map(|(_, path)| path.map(file).transpose()).collect()
}

/// Returns the resolved paths of a plan's side files (failed, dropped, copied records), except devices and pipes.
pub(crate) fn side_paths(plan: &Plan) -> Result<Vec<PathBuf>> {
    Ok(sides(plan)?.into_iter().flatten().filter_map(|(_, file)| file).collect())
}

/// Removes the files in `paths` that exist, including links to missing files.
pub(crate) fn remove_files(disk: &dyn Disk, paths: impl IntoIterator<Item = PathBuf>) -> Result<()> {
    let mut there = paths.into_iter().filter(|path| path.symlink_metadata().is_ok());
    there.try_for_each(|path| disk.remove(&path).map_err(Error::output(&path)))
}

/// Removes the hidden unfinished files of interrupted runs. If the run continues, it removes only temporary files that
/// hold one archive's part of a file and are not in `kept`.
pub(crate) fn remove_hidden(plan: &Plan, disk: &dyn Disk, kept: Option<&[PathBuf]>) -> Result<()> {
    let (names, sides) = (Names::new(plan), side_paths(plan)?);
    let kept: Option<HashSet<&OsStr>> = kept.map(|kept| kept.iter().filter_map(|path| path.file_name()).collect());
    let is_kept = |name: &str| kept.as_ref().is_some_and(|kept| kept.contains(OsStr::new(name)));
    let of_outputs = names.iter().map(|names| names.folder.clone());
    let folders: BTreeSet<PathBuf> = sides.iter().map(|path| folder_of(path)).chain(of_outputs).collect();
    for folder in folders {
        // Only names that this plan could have given: other hidden files are somebody else's.
        let is_own = |name: &str| {
            let is_output = names.as_ref().is_some_and(|names| names.folder == folder && names.contains(name, true));
            is_output || sides.iter().any(|side| folder_of(side) == folder && side.ends_with(name))
        };
        for name in entries(&folder).map_err(Error::output(&folder))? {
            let inner = name.strip_prefix('.');
            let inner = inner.and_then(|name| name.strip_suffix(".tmp").or_else(|| name.strip_suffix(".part")));
            let Some(inner) = inner else { continue };
            let share = inner.rsplit_once('.').filter(|(_, number)| number.parse::<u64>().is_ok());
            if kept.is_none() && is_own(inner) || share.is_some_and(|(name, _)| is_own(name)) && !is_kept(inner) {
                let path = folder.join(&name);
                let removed = if path.is_dir() { fs::remove_dir_all(&path) } else { disk.remove(&path) };
                removed.map_err(Error::output(&path))?;
            }
        }
    }
    Ok(())
}

/// Refuses outputs at the path of a device, a pipe, or a folder that is not an earlier output of the same format.
pub(crate) fn check_kinds(plan: &Plan, outputs: &[PathBuf]) -> Result<()> {
    for path in outputs {
        let kind = fs::symlink_metadata(path).map(|found| found.file_type());
        // Renaming over a device would replace it in the file system.
        if kind.is_ok_and(|kind| !kind.is_file() && !kind.is_dir() && !kind.is_symlink()) {
            let remedy = "documents are written to files and folders, or with -o - to standard output";
            return Err(Error::exists(path, &format!("is a device, pipe or socket; {remedy}")));
        } else if !path.is_dir() {
            continue;
        }
        let name = path.to_string_lossy();
        let mut steps = plan.output.encodings.iter().filter_map(|encoding| {
            let is_of = name.ends_with(&encoding.suffix());
            plan.assemble.get(&encoding.format).filter(|_| is_of)
        });
        let foreign = match steps.next() {
            // A folder is replaced as a whole, so everything in it must be the output's.
            Some(step) => step.foreign(path),
            None => Err(io::ErrorKind::IsADirectory.into()),
        };
        if let Some(file) = foreign.map_err(Error::output(path))? {
            let file = file.display();
            let what = format!("holds {file}, which is not part of such an output; the folder is left as it is");
            return Err(Error::exists(path, &what));
        }
    }
    Ok(())
}

/// Refuses to continue a finished run if one of its `files` is gone. Also refuses if the run wrote a single file and
/// there is a new input, whose index is `new`.
pub(crate) fn check_finished<'a>(plan: &Plan, files: impl Iterator<Item = &'a str>, new: Option<usize>) -> Result<()> {
    let folder = plan.output.destination.folder().unwrap_or(Path::new(""));
    if let Some(output) = files.map(|file| folder.join(file)).find(|output| !output.exists()) {
        let what = "written by the run to continue, but gone; start afresh with --overwrite";
        return Err(Error::resume(&output, what));
    }
    if let (Destination::File(path), Some(new)) = (&plan.output.destination, new) {
        let input = plan.inputs.get(new).map_or_else(String::new, Input::name);
        let remedy = "write into a folder to add inputs, or start afresh with --overwrite";
        return Err(Error::resume(path, format!("the run into this file is finished, and {input} is new; {remedy}")));
    }
    Ok(())
}

/// Description of an output in messages about a file name that the run uses twice.
const OUTPUT: &str = "an output";

impl Plan {
    /// Checks that no output would replace an input, and that the name of each side file and of the summary is used
    /// once. Side files are the quarantine, the dropped list and the copies.
    ///
    /// # Errors
    /// Fails for the first file whose name is taken.
    pub fn check_names(&self, summary: Option<&Path>) -> Result<()> {
        let mut sides = self.side_files();
        sides.extend(summary.map(|path| (path.to_owned(), "--summary")));
        let inputs = self.inputs.iter().filter_map(Input::path);
        let mut taken: Vec<(PathBuf, &'static str)> = inputs.map(|path| (place(path), "an input")).collect();
        let outputs: HashSet<PathBuf> = self.outputs().iter().map(|path| place(path)).collect();
        if let Some((path, _)) = taken.iter().find(|(path, _)| outputs.contains(path)) {
            return Err(Error::setting(format!("{}: is both input and output", path.display())));
        }
        let own_names = Names::new(self);
        for (path, option) in sides {
            // By place and not by name: `a/../x` and a link may be the same file.
            let place = place(&path);
            let is_own = own_names.as_ref().is_some_and(|own_names| own_names.owns(&place));
            let what = match taken.iter().find(|(other, _)| *other == place) {
                // What is no file takes whatever is written to it.
                Some((_, OUTPUT)) if place.metadata().is_ok_and(|found| !found.is_file()) => None,
                Some((_, what)) => Some(*what),
                None if is_own => Some(OUTPUT),
                None => None,
            };
            if let Some(what) = what {
                let what = format!("{}: is {what}; name another file with {option}", path.display());
                return Err(Error::setting(what));
            }
            taken.push((place, OUTPUT));
        }
        Ok(())
    }

    /// Creates the folders of a single output file, the summary, and the files for failed, dropped and copied records.
    /// Checks that all these files except the output can be written, before hours of work.
    ///
    /// # Errors
    /// Fails for the first file that cannot be written.
    pub fn prepare_files(&self, summary: Option<&Path>) -> Result<()> {
        let is_here = |path: &Path| !path.to_str().is_some_and(|path| path == "-" || is_url(path));
        if let Destination::File(path) = &self.output.destination
            && let Some(folder) = path.parent().filter(|_| is_here(path))
        {
            fs::create_dir_all(folder).map_err(Error::output(folder))?;
        }
        let sides = self.side_files().into_iter().map(|(path, _)| path);
        for path in sides.chain(summary.map(Path::to_owned)).filter(|path| is_here(path)) {
            AtomicFile::prepare(&path).map_err(Error::output(&path))?;
        }
        Ok(())
    }
}

/// Returns the absolute path of a file with links resolved; neither the file nor its folder need exist.
fn place(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| match path.components().next_back() {
        Some(Component::Normal(name)) => place(&folder_of(path)).join(name),
        // Above a folder that is yet to be made.
        Some(Component::ParentDir) => place(&folder_of(path)).parent().unwrap_or(Path::new("/")).to_owned(),
        _ => path.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::{without_part, *};
    use crate::OutputSettings;
    use crate::run::plan::HardPages;
    use crate::run::plan::output::Output;
    use std::fs;

    #[test]
    fn parts_are_known_by_their_numbers() {
        assert_eq!(without_part("a-00012"), Some("a"));
        assert_eq!(without_part("a-b-123456"), Some("a-b"));
        for stem in ["a-1", "a-0000x", "a"] {
            assert_eq!(without_part(stem), None, "{stem}");
        }
    }

    #[test]
    fn every_name_is_given_once() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("a.warc"), "").unwrap();
        let plan = |output: &str| {
            let choice = OutputSettings::default();
            let output = Output::new(at(output).to_str().unwrap(), &choice, &choice).unwrap();
            let mut plan = Plan::new(vec![Input::File(at("a.warc"))], output);
            plan.quarantine = plan.output.destination.quarantine(None);
            plan
        };
        // The folder of the outputs is not there yet.
        for (output, name, what) in [
            ("out", "out/_MANIFEST", Some("an output")),
            ("out", "out/../out/_SUCCESS", Some("an output")),
            ("out", "out/.run.checkpoint", Some("an output")),
            ("out", "out/.run.journal", Some("an output")),
            ("out", "out/_STATE", Some("an output")),
            ("out", "out/.a.jsonl.zst.tmp", Some("an output")),
            ("out", "out/a.jsonl.zst", Some("an output")),
            ("out", "out/a-00003.jsonl.zst", Some("an output")),
            ("out", "out/quarantine.warc.gz", Some("an output")),
            ("out", "a.warc", Some("an input")),
            ("out", "out/summary.json", None),
            ("out", "summary.json", None),
            ("out", "_MANIFEST", None),
            ("all.jsonl", "all.jsonl", Some("an output")),
            ("all.jsonl", ".all.jsonl.checkpoint", Some("an output")),
            ("all.jsonl", "_all.jsonl.state", Some("an output")),
            ("all.jsonl", "all.jsonl.quarantine.warc.gz", Some("an output")),
            ("all.jsonl", ".all-00002.jsonl.tmp", Some("an output")),
            ("all.jsonl", ".other", None),
        ] {
            let given = at(name);
            let check = |plan: &Plan, summary: Option<&Path>| match (plan.check_names(summary), what) {
                (Ok(()), None) => {}
                (Err(error), Some(what)) if error.to_string().contains(&format!(": is {what};")) => {}
                (checked, _) => panic!("{output} {name}: {checked:?}"),
            };
            let mut plan = plan(output);
            check(&plan, Some(&given));
            plan.dropped = Some(given);
            check(&plan, None);
        }
        let over = plan("x/../a.warc.jsonl");
        let mut over = Plan::new(vec![Input::File(at("a.warc.jsonl"))], over.output);
        fs::write(at("a.warc.jsonl"), "").unwrap();
        fs::create_dir(at("x")).unwrap();
        let error = over.check_names(None).unwrap_err().to_string();
        assert!(error.ends_with("a.warc.jsonl: is both input and output"), "{error}");
        over.inputs = vec![Input::File(at("a.warc"))];
        over.check_names(None).unwrap();
        let mut plan = plan("out");
        plan.set_aside = vec!["pdf=x.warc.gz".parse().unwrap(), "png=./x.warc.gz".parse().unwrap()];
        let error = plan.check_names(None).unwrap_err().to_string();
        assert_eq!(error, "./x.warc.gz: is an output; name another file with --set-aside");
        plan.set_aside.pop();
        plan.hard = Some(HardPages { path: "x.warc.gz.cdxj".into(), below: 0.5 });
        let error = plan.check_names(None).unwrap_err().to_string();
        assert_eq!(error, "x.warc.gz.cdxj: is an output; name another file with --hard-to");
    }
}
