//! Checks that the features of hostile pages take work proportional to the bytes of the page.

// Not all that is known of a page is asked for here.
#[allow(dead_code)]
#[path = "../../../../tests/hostile.rs"]
mod hostile;

use trommel_html::{Engine, Limits, ScanEngine, charset};

use crate::features::columns::ColumnSet;
use crate::features::groups::FeatureGroup;
use crate::features::schema::Schema;
use crate::features::scratch::work_of;
use hostile::SHAPES;

/// Maximum number of steps of work that computing features may take per byte of a page; with more, the test fails.
const WORK_PER_BYTE: u64 = 40;

#[test]
fn work_is_proportional_to_the_bytes() {
    let schema = Schema::new(&FeatureGroup::serving(), &[], &[], &[]);
    let width = schema.names().len();
    let all = ColumnSet::new(width, (0..=u16::MAX).take(width));
    for shape in SHAPES {
        for part in [400, 200, 100] {
            let bytes = (shape.page)(shape.size / part + 1);
            let html = charset::decode(&bytes, &charset::CharsetHints::default()).text;
            let page = ScanEngine.read(&html, &Limits::default());
            let work = work_of(|| schema.each_batch(&page, None, &all, |_| {}));
            let bytes = html.len() as u64 + 10_000;
            assert!(work <= WORK_PER_BYTE * bytes, "{}: {work} units, {bytes} bytes", shape.name);
        }
    }
}
