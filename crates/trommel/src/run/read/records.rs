//! Opens an input for a program that wants its records, and no documents.

use std::io::{self, Read};

use trommel_archive::{ArchiveError, ReadOptions, Reader, Record};
use trommel_sources::{NetworkOptions, redacted};

use crate::run::inputs::Input;
use crate::run::inputs::network::Network;
use crate::run::inputs::pages::page_record;

/// An object behind a URL. Its bytes come for as long as the network is there.
struct Object<R> {
    bytes: R,
    _network: Network,
}

impl<R: Read> Read for Object<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.bytes.read(buffer)
    }
}

/// The records of an input, from the first on.
pub type Records = Box<dyn Iterator<Item = Result<Record, ArchiveError>>>;

/// Opens an input to read its records.
///
/// # Errors
/// In one line that names the input.
pub fn open_input(input: &Input, network: &NetworkOptions) -> Result<Records, String> {
    let options = ReadOptions::default();
    let opened = match input {
        Input::File(path) => Reader::open(path, options),
        Input::Packed(packed) => packed.open(None, options),
        Input::Stdin => Reader::new(input.name(), io::stdin(), options),
        Input::Url(url) => {
            let network = Network::new(network.clone());
            let bytes = network.open(url).map_err(|error| format!("{}: {error}", redacted(url)))?;
            Reader::new(redacted(url), Object { bytes, _network: network }, options)
        }
        Input::Pages(pages) => {
            let pages = pages.clone();
            let records = (0..pages.files().len()).filter_map(move |at| {
                let path = pages.files().get(at)?;
                let failed = |source| ArchiveError::Io { file: path.to_string_lossy().into(), offset: 0, source };
                Some(page_record(path, options.max_record).map_err(failed))
            });
            return Ok(Box::new(records));
        }
        Input::Selection(selection) => return Err(format!("{}: is an index, no archive", selection.name())),
        Input::Nothing { argument, reason } => return Err(format!("{argument}: {reason}")),
    };
    Ok(Box::new(opened.map_err(|error| error.to_string())?))
}
