//! The names of files beside the outputs. None of them may be the name of another file of the run.

use std::ffi::OsStr;
use std::fs;
use std::path::{Component, Path, PathBuf};

use trommel_record::AtomicFile;
use trommel_sources::is_url;

use crate::run::error::{NameError, RunError};
use crate::run::inputs::Input;
use crate::run::plan::Plan;
use crate::run::plan::existing::Names;
use crate::run::plan::output::Destination;

/// The owner of a name that the run uses already.
const OUTPUT: &str = "an output";

impl Plan {
    /// Checks that the files beside the outputs, including the summary, have names of their own. They must not be those
    /// of inputs, of one another, of outputs, or of the program's own files.
    ///
    /// # Errors
    /// The first that has not.
    pub fn check_names(&self, summary: Option<&Path>) -> Result<(), NameError> {
        let mut sides = self.side_files();
        sides.extend(summary.map(|path| (path.to_owned(), "--summary")));
        let inputs = self.inputs.iter().filter_map(Input::path);
        let mut taken: Vec<(PathBuf, &'static str)> = inputs.map(|path| (place(path), "an input")).collect();
        let own_names = OwnNames::of(self);
        for (path, option) in sides {
            // By place and not by name: `a/../x` and a link may be the same file.
            let place = place(&path);
            let is_own = own_names.as_ref().is_some_and(|own_names| own_names.contains(&place));
            let what = match taken.iter().find(|(other, _)| *other == place) {
                // What is no file takes whatever is written to it.
                Some((_, OUTPUT)) if !is_file_or_nothing(&place) => None,
                Some((_, what)) => Some(*what),
                None if is_own => Some(OUTPUT),
                None => None,
            };
            if let Some(what) = what {
                return Err(NameError { path, what, option });
            }
            taken.push((place, OUTPUT));
        }
        Ok(())
    }

    /// Makes the folders of the output and of the files beside it, including the summary. It checks that these can be
    /// written before the work, not after hours of it.
    ///
    /// # Errors
    /// The first that cannot be.
    pub fn prepare_files(&self, summary: Option<&Path>) -> Result<(), RunError> {
        let is_here = |path: &Path| !path.to_str().is_some_and(|path| path == "-" || is_url(path));
        if let Destination::File(path) = &self.output.destination
            && let Some(folder) = path.parent().filter(|_| is_here(path))
        {
            fs::create_dir_all(folder).map_err(|source| RunError::output(folder, source))?;
        }
        let sides = self.side_files().into_iter().map(|(path, _)| path);
        for path in sides.chain(summary.map(Path::to_owned)).filter(|path| is_here(path)) {
            AtomicFile::prepare(&path).map_err(|source| RunError::output(&path, source))?;
        }
        Ok(())
    }
}

/// The names that the program uses in the folder of the outputs.
struct OwnNames<'a> {
    plan: &'a Plan,
    names: Names<'a>,
    folder: PathBuf,
}

impl<'a> OwnNames<'a> {
    fn of(plan: &'a Plan) -> Option<Self> {
        let names = Names::new(plan)?;
        let folder = place(&names.folder);
        Some(Self { plan, names, folder })
    }

    fn contains(&self, path: &Path) -> bool {
        let Some(name) = path.file_name().filter(|_| path.parent() == Some(&self.folder)) else { return false };
        let name = name.to_string_lossy();
        let mapping = self.plan.output.mapping_path();
        let is_mapping = mapping.is_some_and(|mapping| mapping.ends_with(&*name));
        let is_kept = match &self.plan.output.destination {
            // State, lock, manifest, mark, and what is not whole yet.
            Destination::Folder(_) => name.starts_with(['.', '_']),
            Destination::File(file) => name.strip_prefix('.').is_some_and(|name| {
                let is_of = |file: &OsStr| name.starts_with(&*file.to_string_lossy());
                let spool = name.strip_suffix(".tmp").unwrap_or(name);
                file.file_name().is_some_and(is_of) || self.names.contains(spool, true)
            }),
            Destination::Stdout | Destination::Caller => false,
        };
        is_kept || is_mapping || self.names.contains(&name, true)
    }
}

fn is_file_or_nothing(path: &Path) -> bool {
    path.metadata().map_or(true, |found| found.is_file())
}

/// The one path of a file, which need not be there, nor need its folder.
fn place(path: &Path) -> PathBuf {
    if let Ok(found) = path.canonicalize() {
        return found;
    }
    let folder = match path.parent() {
        Some(folder) if folder != Path::new("") => place(folder),
        _ => place(Path::new(".")),
    };
    match path.components().next_back() {
        Some(Component::Normal(name)) => folder.join(name),
        // Above a folder that is yet to be made.
        Some(Component::ParentDir) => folder.parent().unwrap_or(&folder).to_owned(),
        _ => path.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::OutputSettings;
    use crate::run::{plan::output::Output, plan::set_aside::HardPages};
    use std::fs;

    #[test]
    fn every_name_is_given_once() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("a.warc"), "").unwrap();
        let plan = |output: &str| {
            let choice = OutputSettings::default();
            let output = Output::new(at(output).to_str().unwrap(), &choice, &choice).unwrap();
            let mut plan = Plan::new(vec![Input::File(at("a.warc"))], output);
            plan.quarantine = plan.output.destination.quarantine(None, &plan.inputs).unwrap();
            plan
        };
        // The folder of the outputs is not there yet.
        for (output, name, what) in [
            ("out", "out/_MANIFEST", Some("an output")),
            ("out", "out/../out/_SUCCESS", Some("an output")),
            ("out", "out/.run.checkpoint", Some("an output")),
            ("out", "out/.run.journal", Some("an output")),
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
            ("all.jsonl", "all.jsonl.quarantine.warc.gz", Some("an output")),
            ("all.jsonl", ".all-00002.jsonl.tmp", Some("an output")),
            ("all.jsonl", ".other", None),
        ] {
            let given = at(name);
            let what_of = |checked: Result<(), NameError>| checked.err().map(|error| error.what);
            let mut plan = plan(output);
            assert_eq!(what_of(plan.check_names(Some(&given))), what, "{output} {name}");
            plan.dropped = Some(given);
            assert_eq!(what_of(plan.check_names(None)), what, "{output} {name}");
        }
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
