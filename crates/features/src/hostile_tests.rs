//! Hostile pages: rows take steps proportional to the bytes of the page.

// Not all that is known of a page is asked for here.
#[allow(dead_code)]
#[path = "../../../tests/hostile.rs"]
mod hostile;

use trommel_html::{Engine, Limits, ScanEngine, charset};

use crate::schema::{Group, Schema};
use crate::steps::steps_of;
use hostile::SHAPES;

/// Most steps a byte.
const STEPS: u64 = 40;

#[test]
fn steps_are_proportional_to_the_bytes() {
    let schema = Schema::new(&Group::serving(), &[], &[], &[]);
    for shape in SHAPES {
        for part in [400, 200, 100] {
            let bytes = (shape.page)(shape.size / part + 1);
            let html = charset::decode(&bytes, &charset::Hints::default()).text;
            let page = ScanEngine.read(&html, &Limits::default());
            let steps = steps_of(|| schema.each_row(&page, None, |_| {}));
            let bytes = html.len() as u64 + 10_000;
            assert!(
                steps <= STEPS * bytes,
                "{}: {steps} steps, {bytes} bytes",
                shape.name
            );
        }
    }
}
