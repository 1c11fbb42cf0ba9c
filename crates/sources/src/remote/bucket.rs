//! Buckets as a whole: lists their objects, and writes objects to them.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use futures_util::TryStreamExt;
use object_store::{MultipartUpload, ObjectStore, ObjectStoreExt, PutPayload, path};

use super::{Remote, hub::Repository, names::Names, object::source_error};
use crate::{Scheme, SourceError, split_container};

/// Bytes of a part of an object that is written. An object has at most 10,000 of them.
const PART: u64 = 16 << 20;
const MAX_PARTS: u64 = 9_000;

impl Remote {
    /// The objects below a prefix such as `s3://BUCKET/PREFIX/`, as URLs in the order of their names.
    ///
    /// # Errors
    /// If the address is none of a scheme that is listed, or the bucket is not listed.
    pub fn list(&self, url: &str) -> Result<Vec<String>, SourceError> {
        let Some((container, prefix)) = split_container(url) else {
            return Err(SourceError::Address("it cannot be listed".to_owned()));
        };
        let stop = &self.options.stop;
        let names = if Scheme::of(url) == Some(Scheme::Hub) {
            let repository = Repository::new(container)?;
            let found = repository.list(prefix, &self.options);
            self.runtime.block_on(stop.unless(found))??
        } else {
            let (_, store, prefix) = self.place(url)?;
            let prefix = Some(prefix).filter(|prefix| !prefix.as_ref().is_empty());
            let found = async {
                let mut names = Names::default();
                let mut objects = store.list(prefix.as_ref());
                while let Some(object) = objects.try_next().await.map_err(|error| source_error(&error))? {
                    names.add(format!("{container}/{}", object.location))?;
                }
                Ok(names)
            };
            self.runtime.block_on(stop.unless(found))??
        };
        Ok(names.in_order())
    }

    /// Writes a file to a URL such as `s3://BUCKET/KEY`, in parts if it is large; the object is there once it is whole.
    ///
    /// # Errors
    /// If the address is none, the file cannot be read, or the bucket does not take it; of an object
    /// that was begun nothing stays.
    pub fn upload(&self, file: &Path, url: &str) -> Result<(), SourceError> {
        check_is_written(url)?;
        let (_, store, path) = self.place(url)?;
        let read = |error: io::Error| SourceError::File(error.to_string());
        let mut file = File::open(file).map_err(read)?;
        let length = file.metadata().map_err(read)?.len();
        let part = PART.max(length.div_ceil(MAX_PARTS));
        let stop = &self.options.stop;
        if length <= part {
            let mut bytes = Vec::new();
            file.read_to_end(&mut bytes).map_err(read)?;
            let put = store.put(&path, PutPayload::from(bytes));
            let put = self.runtime.block_on(stop.unless(put))?;
            return put.map(drop).map_err(|error| source_error(&error));
        }
        let begin = self.runtime.block_on(stop.unless(store.put_multipart(&path)))?;
        let mut upload = begin.map_err(|error| source_error(&error))?;
        let sent = stop.unless(parts(&mut *upload, &mut file, part));
        let sent = self.runtime.block_on(sent).and_then(|sent| sent);
        if sent.is_err() {
            // What was sent takes room, unseen, until it is given up; the first error is the one to tell.
            let _ = self.runtime.block_on(upload.abort());
        }
        sent
    }

    /// Removes the object at a URL such as `s3://BUCKET/KEY`.
    ///
    /// # Errors
    /// If the address is none, or the bucket refuses.
    pub fn remove(&self, url: &str) -> Result<(), SourceError> {
        check_is_written(url)?;
        let (_, store, path) = self.place(url)?;
        self.runtime.block_on(self.options.stop.unless(remove(&*store, &path)))?
    }
}

async fn remove(store: &dyn ObjectStore, path: &path::Path) -> Result<(), SourceError> {
    match store.delete(path).await {
        Ok(()) | Err(object_store::Error::NotFound { .. }) => Ok(()),
        Err(error) => Err(source_error(&error)),
    }
}

async fn parts(upload: &mut dyn MultipartUpload, file: &mut File, part: u64) -> Result<(), SourceError> {
    loop {
        let mut bytes = Vec::new();
        file.take(part).read_to_end(&mut bytes).map_err(|error| SourceError::File(error.to_string()))?;
        if bytes.is_empty() {
            break;
        }
        upload.put_part(PutPayload::from(bytes)).await.map_err(|error| source_error(&error))?;
    }
    upload.complete().await.map(drop).map_err(|error| source_error(&error))
}

fn check_is_written(url: &str) -> Result<(), SourceError> {
    match Scheme::of(url).is_some_and(Scheme::is_written) {
        true => Ok(()),
        false => Err(SourceError::Address(format!("only {} are written", Scheme::WRITTEN))),
    }
}
