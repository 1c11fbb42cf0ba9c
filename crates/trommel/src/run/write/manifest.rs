//! Writes the manifest of a folder of outputs: `_MANIFEST` and `_SUCCESS`.

use std::fs::{self, File};
use std::{collections::HashSet, io, path::Path};

use data_encoding::HEXLOWER;
use serde::{Deserialize, Serialize};
use sha2::Digest;
use trommel_record::{Disk, digest_of, read_own, replace};

/// Name of the list of output files in a folder. Readers of folders skip names that begin with an underscore.
const MANIFEST: &str = "_MANIFEST";
pub(crate) const SUCCESS: &str = "_SUCCESS";

/// Entry of the list of outputs: one output file, or one folder of documents.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ManifestFile {
    /// Name of the file or folder in the output folder.
    pub(crate) name: String,
    /// Name of the format of the file or folder.
    pub(crate) format: String,
    /// Names of the inputs whose documents the file or folder holds, as the user gave them.
    pub(crate) inputs: Vec<String>,
    /// Number of documents in the file or folder.
    pub(crate) documents: u64,
    /// Size of the file in bytes; of a folder, the sum over all files in it.
    pub(crate) bytes: u64,
    /// SHA-256 of the file in hexadecimal; none for a folder, because the names of its files are random.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) sha256: Option<String>,
}

#[derive(Default, Serialize, Deserialize)]
struct Manifest {
    files: Vec<ManifestFile>,
}

/// Returns the size in bytes of the file or folder at `path`, and the SHA-256 of a file.
pub(crate) fn size_and_digest(path: &Path) -> io::Result<(u64, Option<String>)> {
    if path.is_dir() {
        let mut bytes = 0;
        for entry in fs::read_dir(path)? {
            bytes += entry?.metadata()?.len();
        }
        return Ok((bytes, None));
    }
    let (bytes, digest) = digest_of(File::open(path)?)?;
    Ok((bytes, Some(HEXLOWER.encode(&digest.finalize()))))
}

/// Removes the mark (`_SUCCESS`) that an earlier run completed its outputs in a folder.
pub(crate) fn begin(disk: &dyn Disk, folder: &Path) -> io::Result<()> {
    let mark = folder.join(SUCCESS);
    if mark.exists() { disk.remove(&mark) } else { Ok(()) }
}

/// Returns the names of the files in a folder that earlier runs made in one of `formats` from one of `inputs`.
pub(crate) fn files_made_of(folder: &Path, inputs: &HashSet<String>, formats: &[String]) -> io::Result<Vec<String>> {
    let manifest = earlier_manifest(&folder.join(MANIFEST))?;
    let is_of = |file: &ManifestFile| {
        formats.contains(&file.format)
            && file.inputs.iter().any(|input| inputs.contains(input))
            && folder.join(&file.name).exists()
    };
    Ok(manifest.files.into_iter().filter(is_of).map(|file| file.name).collect())
}

/// Writes the list of output `files` in a folder (manifest), and marks the folder as complete. Entries of earlier runs
/// stay if their files exist and were not written again. Other outputs for the same inputs and formats are removed.
pub(crate) fn complete(disk: &dyn Disk, folder: &Path, files: &[ManifestFile]) -> io::Result<()> {
    let path = folder.join(MANIFEST);
    let mut manifest = earlier_manifest(&path)?;
    let names: HashSet<&str> = files.iter().map(|file| file.name.as_str()).collect();
    let inputs = files.iter().flat_map(|file| &file.inputs).cloned().collect();
    let mut formats: Vec<String> = files.iter().map(|file| file.format.clone()).collect();
    formats.sort();
    formats.dedup();
    for name in files_made_of(folder, &inputs, &formats)? {
        let stale = folder.join(&name);
        // Otherwise a reader of the folder would get the documents of an input twice.
        if !names.contains(name.as_str()) && stale.is_file() {
            disk.remove(&stale)?;
        }
    }
    manifest.files.retain(|file| folder.join(&file.name).exists() && !names.contains(file.name.as_str()));
    manifest.files.extend_from_slice(files);
    manifest.files.sort_by(|a, b| a.name.cmp(&b.name));
    let mut bytes = serde_json::to_vec_pretty(&manifest)?;
    bytes.push(b'\n');
    replace(disk, &path, &bytes)?;
    // After the manifest: whoever sees the mark finds the whole list.
    replace(disk, &folder.join(SUCCESS), b"")
}

fn earlier_manifest(path: &Path) -> io::Result<Manifest> {
    match read_own(path) {
        Ok(bytes) => Ok(serde_json::from_slice(&bytes).unwrap_or_else(|error| {
            tracing::warn!("{}: not a manifest, replaced: {error}", path.display());
            Manifest::default()
        })),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Manifest::default()),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use trommel_record::LocalDisk;

    fn manifest_file(folder: &Path, name: &str, documents: u64) -> ManifestFile {
        let (bytes, sha256) = size_and_digest(&folder.join(name)).unwrap();
        ManifestFile {
            name: name.to_owned(),
            format: "jsonl".to_owned(),
            inputs: vec![format!("{}.warc", name.split('.').next().unwrap())],
            documents,
            bytes,
            sha256,
        }
    }

    #[test]
    fn runs_into_one_folder_are_listed_together() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        for name in ["b.jsonl", "a.jsonl", "gone.jsonl"] {
            fs::write(folder.join(name), "abc").unwrap();
        }
        let first = ["b.jsonl", "a.jsonl", "gone.jsonl"].map(|name| manifest_file(folder, name, 1));
        begin(&LocalDisk, folder).unwrap();
        complete(&LocalDisk, folder, &first).unwrap();
        assert!(folder.join(SUCCESS).exists());
        begin(&LocalDisk, folder).unwrap();
        assert!(!folder.join(SUCCESS).exists());
        fs::remove_file(folder.join("gone.jsonl")).unwrap();
        complete(&LocalDisk, folder, &[manifest_file(folder, "a.jsonl", 2)]).unwrap();
        let files = earlier_manifest(&folder.join(MANIFEST)).unwrap().files;
        let names: Vec<_> = files.iter().map(|file| (&*file.name, file.documents)).collect();
        assert_eq!(names, [("a.jsonl", 2), ("b.jsonl", 1)]);
        // In another shape: what was made of the same input before goes.
        fs::write(folder.join("a-00000.jsonl"), "abc").unwrap();
        fs::write(folder.join("a.wet"), "abc").unwrap();
        let mut parts = manifest_file(folder, "a-00000.jsonl", 2);
        parts.inputs = vec!["a.warc".to_owned()];
        complete(&LocalDisk, folder, &[parts]).unwrap();
        assert!(!folder.join("a.jsonl").exists() && folder.join("a.wet").exists());
        assert!(folder.join("b.jsonl").exists());
        assert_eq!(files[0].bytes, 3);
        assert_eq!(
            files[0].sha256.as_deref(),
            Some("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
        );
    }

    #[test]
    fn folders_have_bytes_and_other_manifests_are_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        fs::create_dir(folder.join("a.tantivy")).unwrap();
        fs::write(folder.join("a.tantivy/x"), "12345").unwrap();
        assert_eq!(size_and_digest(&folder.join("a.tantivy")).unwrap(), (5, None));
        fs::write(folder.join(MANIFEST), "[]").unwrap();
        complete(&LocalDisk, folder, &[manifest_file(folder, "a.tantivy", 1)]).unwrap();
        let text = fs::read_to_string(folder.join(MANIFEST)).unwrap();
        assert!(text.contains("\"a.tantivy\"") && !text.contains("sha256"), "{text}");
    }
}
