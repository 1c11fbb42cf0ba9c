//! Writes the files of a report from judged pages.

use std::collections::BTreeSet;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use super::error::QualityError;
use super::figures::Figures;
use super::held_out::HeldOut;
use super::plot::{calibration_plot, confidence_plot};
use super::report::{Quality, details, report};
use trommel_learn::{JudgedRow, JudgedSet};

/// The heading of the last part of `quality.md`, which is written by hand and stays.
pub const NOTES: &str = "\n## Notes\n\n";

/// Writes `quality.md` and its two plots into the folder `out`, and the tables behind the plots into `details_file`:
/// the same bytes for the same input. Missing folders are made. Returns the files.
///
/// # Errors
/// If there are no judged pages, two models have none in common, the notes in it cannot be
/// read or a file cannot be written.
pub fn write(
    judged: &[JudgedSet],
    by_set: &[JudgedSet],
    held_out: &[HeldOut],
    out: &Path,
    details_file: Option<&Path>,
) -> Result<Vec<PathBuf>, QualityError> {
    let judged = &common(judged)?[..];
    let io = |path: &Path, source| QualityError::Io { path: path.display().to_string(), source };
    let path = out.join("quality.md");
    let before = match std::fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == ErrorKind::NotFound => String::new(),
        Err(error) => return Err(io(&path, error)),
    };
    let notes = before.split_once(NOTES).map(|(_, notes)| notes);
    // Pages of which only some texts are known have no F1.
    let (judged, partial): (Vec<JudgedSet>, Vec<JudgedSet>) =
        judged.iter().map(|set| set.split(|page| page.required.is_none())).unzip();
    let judged = &judged[..];
    let figures: Vec<(Figures, Vec<(String, Figures)>)> = judged.iter().map(Figures::all).collect();
    let models: Vec<(&str, &Figures)> =
        judged.iter().zip(&figures).map(|(judged, (all, _))| (judged.model.as_str(), all)).collect();
    let quality = Quality { judged, partial: &partial, by_set, held_out, figures: &figures, notes };
    let mut files = vec![
        (path, report(&quality)),
        (out.join("quality-calibration.svg"), calibration_plot(&models)),
        (out.join("quality-confidence.svg"), confidence_plot(&models)),
    ];
    files.extend(details_file.map(|file| (file.to_owned(), details(&quality))));
    let mut written = Vec::new();
    for (path, text) in files {
        let folder = path.parent().unwrap_or(out);
        std::fs::create_dir_all(folder).map_err(|source| io(folder, source))?;
        std::fs::write(&path, text).map_err(|source| io(&path, source))?;
        written.push(path);
    }
    Ok(written)
}

/// The pages that all models have judged: of models trained on other pages, those of both.
fn common(judged: &[JudgedSet]) -> Result<Vec<JudgedSet>, QualityError> {
    let first = judged.first().filter(|first| !first.pages.is_empty());
    let first = first.ok_or(QualityError::Nothing)?;
    let ids: Vec<BTreeSet<(&str, &str)>> = judged.iter().map(|set| set.pages.iter().map(id).collect()).collect();
    judged
        .iter()
        .map(|set| {
            let (common, _) = set.split(|page| ids.iter().all(|ids| ids.contains(&id(page))));
            match common.pages.is_empty() {
                false => Ok(common),
                true => Err(QualityError::Unlike {
                    first: first.model.clone(),
                    other: judged.last().unwrap_or(first).model.clone(),
                }),
            }
        })
        .collect()
}

fn id(page: &JudgedRow) -> (&str, &str) {
    (&page.set, &page.record_id)
}

#[cfg(test)]
mod tests {
    use super::super::samples::{judged, page};
    use super::*;

    #[test]
    fn only_the_same_pages_stand_side_by_side() {
        let dir = tempfile::tempdir().unwrap();
        let one = || page("s", "1", "article", 0.5, 0.5);
        let other = page("s", "2", "article", 0.5, 0.5);
        let (a, b) = (judged("a", vec![one()]), judged("b", vec![other]));
        let error = write(&[a.clone(), b.clone()], &[], &[], dir.path(), None).unwrap_err();
        assert_eq!(error.to_string(), "a and b have judged no page in common");
        let both = judged("c", [a.pages.clone(), b.pages].concat());
        let common = common(&[both, a.clone()]).unwrap();
        let ids: Vec<_> = common.iter().map(|set| set.pages.iter().map(id).collect::<Vec<_>>()).collect();
        assert_eq!(ids, [[("s", "<1>")], [("s", "<1>")]]);
        for none in [&[][..], &[judged("a", Vec::new())]] {
            let error = write(none, &[], &[], dir.path(), None).unwrap_err();
            assert_eq!(error.to_string(), "no judged pages");
        }
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
        let out = dir.path().join("new");
        assert_eq!(write(&[a.clone(), a.clone()], &[], &[], &out, None).unwrap().len(), 3);
        let details = dir.path().join("details").join("tables.md");
        assert_eq!(write(&[a.clone(), a], &[], &[], &out, Some(&details)).unwrap().last(), Some(&details));
    }

    #[test]
    fn notes_are_taken_in() {
        let dir = tempfile::tempdir().unwrap();
        let read = || std::fs::read_to_string(dir.path().join("quality.md")).unwrap();
        let one = [judged("a", vec![page("s", "1", "article", 0.5, 0.5)])];
        write(&one, &[], &[], dir.path(), None).unwrap();
        let before = read();
        std::fs::write(dir.path().join("quality.md"), format!("Old.\n{NOTES}By hand.\n")).unwrap();
        write(&one, &[], &[], dir.path(), None).unwrap();
        assert_eq!(read(), format!("{before}\n## Notes\n\nBy hand.\n"));
    }
}
