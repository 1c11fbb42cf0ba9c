//! Sums and distances along the paths of elements.

use trommel_html::{NONE, Page};

use crate::scratch::Scratch;
use crate::work::count_work;

/// Adds to every element what its descendants have. Elements stand before their descendants, so
/// backwards each is complete before it is passed up.
pub(crate) fn sum_up(page: &Page, values: &mut [u32]) {
    count_work(page.elements.len());
    for (at, element) in page.elements.iter().enumerate().rev() {
        let own = values.get(at).copied().unwrap_or_default();
        if let Some(parent) = values.get_mut(element.parent as usize) {
            *parent += own;
        }
    }
}

/// How far every element is from the nearest element around both it and `target`: levels up, and that
/// element's index ([`NONE`] if there is none).
pub(crate) fn meetings(page: &Page, target: u32) -> Scratch<(u16, u32)> {
    count_work(page.elements.len());
    let mut all: Scratch<(u16, u32)> = Scratch::with_capacity(page.elements.len());
    for (at, element) in (0u32..).zip(&page.elements) {
        let around = at <= target && target < element.end && target != NONE;
        let own = if around {
            (0, at)
        } else {
            let (up, meeting) = all
                .get(element.parent as usize)
                .copied()
                .unwrap_or((0, NONE));
            (up.saturating_add(1), meeting)
        };
        all.push(own);
    }
    all
}
