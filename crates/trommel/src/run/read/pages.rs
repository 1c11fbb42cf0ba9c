//! Reads pages in files as the records of one input.

use trommel_archive::ResumePoint;

use crate::run::inputs::pages::{PageFiles, page_record};
use crate::run::read::reader::{Disconnected, RecordFeed};
use crate::run::work::task::Step;

impl RecordFeed<'_> {
    /// Sends the pages from `point` on; gives the stored bytes read. A file that cannot be read counts as damage, and
    /// the others are read all the same.
    pub(crate) fn read_pages(&mut self, point: Option<ResumePoint>, pages: &PageFiles) -> Result<u64, Disconnected> {
        let from = point.map_or(0, |point| usize::try_from(point.items()).unwrap_or(usize::MAX));
        let most = self.reading.plan.options.max_record;
        // A run that is continued has written the beginning of its output.
        let mut begun = point.is_some();
        let mut bytes = 0u64;
        for (row, path) in (0u64..).zip(pages.files()).skip(from) {
            if self.reading.stop.is_set() {
                return Err(Disconnected);
            }
            let after = ResumePoint::after(row + 1);
            match page_record(path, most) {
                Ok(record) => {
                    if !begun {
                        begun = true;
                        self.send(0, None, Step::Begin { info: None, date: None })?;
                    }
                    bytes = bytes.saturating_add(record.place.length);
                    self.advance(bytes);
                    self.send_record(record, None, after)?;
                }
                Err(error) => {
                    let file = path.display().to_string();
                    // The line names the input already.
                    let what = if file == pages.name() { error.to_string() } else { format!("{file}: {error}") };
                    self.send(0, begun.then_some(after), Step::Damage { offset: 0, lost: 0, what })?;
                }
            }
        }
        Ok(bytes)
    }
}
