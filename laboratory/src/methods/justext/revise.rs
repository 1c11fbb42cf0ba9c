//! Revises a block's class by its neighbours (`revise_paragraph_classification`), in linear time.

/// Characters between a heading and the good text that it belongs to.
const HEADING_REACH: u32 = 200;

/// Class of a paragraph. Only good ones are content in the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ParagraphClass {
    Good,
    NearGood,
    Short,
    Bad,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Paragraph {
    pub class: ParagraphClass,
    pub chars: u32,
    pub heading: bool,
}

/// Makes every class good or bad.
pub(super) fn revise(paragraphs: &mut [Paragraph]) {
    let alone: Vec<ParagraphClass> = paragraphs.iter().map(|p| p.class).collect();
    for at in 0..paragraphs.len() {
        set(paragraphs, at, |all, paragraph| {
            let near = paragraph.heading && paragraph.class == ParagraphClass::Short && before_good(all, at);
            near.then_some(ParagraphClass::NearGood)
        });
    }
    settle_short(paragraphs);
    settle_near_good(paragraphs);
    for (at, alone) in alone.into_iter().enumerate() {
        set(paragraphs, at, |all, paragraph| {
            let lost = paragraph.heading && paragraph.class == ParagraphClass::Bad && alone != ParagraphClass::Bad;
            (lost && before_good(all, at)).then_some(ParagraphClass::Good)
        });
    }
}

/// Sets the class of a paragraph if there is a new one.
fn set(all: &mut [Paragraph], at: usize, new: impl Fn(&[Paragraph], &Paragraph) -> Option<ParagraphClass>) {
    let class = all.get(at).and_then(|paragraph| new(all, paragraph));
    if let (Some(class), Some(paragraph)) = (class, all.get_mut(at)) {
        paragraph.class = class;
    }
}

/// Returns whether a good paragraph starts within reach after this one. Every paragraph has a character, so no more
/// than the reach are looked at.
fn before_good(paragraphs: &[Paragraph], at: usize) -> bool {
    let mut distance = 0u32;
    for paragraph in paragraphs.iter().skip(at + 1) {
        if distance > HEADING_REACH {
            return false;
        }
        if paragraph.class == ParagraphClass::Good {
            return true;
        }
        distance = distance.saturating_add(paragraph.chars.max(1));
    }
    false
}

/// The nearest class before each paragraph: without short and near-good ones, and without short ones.
fn nearest<'a>(paragraphs: impl Iterator<Item = &'a Paragraph>) -> Vec<[ParagraphClass; 2]> {
    let mut nearest = [ParagraphClass::Bad; 2];
    paragraphs
        .map(|paragraph| {
            let before = nearest;
            match paragraph.class {
                ParagraphClass::Good | ParagraphClass::Bad => nearest = [paragraph.class; 2],
                ParagraphClass::NearGood => nearest[1] = ParagraphClass::NearGood,
                ParagraphClass::Short => {}
            }
            before
        })
        .collect()
}

/// A short paragraph is good between good ones, or beside one if near-good text stands on the other
/// side before the bad.
fn settle_short(paragraphs: &mut [Paragraph]) {
    let before = nearest(paragraphs.iter());
    let mut after = nearest(paragraphs.iter().rev());
    after.reverse();
    for (paragraph, (before, after)) in paragraphs.iter_mut().zip(before.iter().zip(&after)) {
        if paragraph.class != ParagraphClass::Short {
            continue;
        }
        let near = |side: &[ParagraphClass; 2]| *side == [ParagraphClass::Bad, ParagraphClass::NearGood];
        paragraph.class = match (before[0], after[0]) {
            (ParagraphClass::Good, ParagraphClass::Good) => ParagraphClass::Good,
            (ParagraphClass::Bad, ParagraphClass::Bad) => ParagraphClass::Bad,
            _ if near(before) || near(after) => ParagraphClass::Good,
            _ => ParagraphClass::Bad,
        };
    }
}

/// A near-good paragraph is bad between bad ones only; those before it are settled already.
fn settle_near_good(paragraphs: &mut [Paragraph]) {
    let mut after = nearest(paragraphs.iter().rev());
    after.reverse();
    let mut before = ParagraphClass::Bad;
    for (paragraph, after) in paragraphs.iter_mut().zip(&after) {
        if paragraph.class == ParagraphClass::NearGood {
            paragraph.class = if before == ParagraphClass::Bad && after[0] == ParagraphClass::Bad {
                ParagraphClass::Bad
            } else {
                ParagraphClass::Good
            };
        }
        before = paragraph.class;
    }
}

#[cfg(test)]
mod tests {
    use super::ParagraphClass::*;
    use super::*;

    fn revised(classes: &[ParagraphClass]) -> Vec<ParagraphClass> {
        let mut paragraphs: Vec<Paragraph> =
            classes.iter().map(|class| Paragraph { class: *class, chars: 50, heading: false }).collect();
        revise(&mut paragraphs);
        paragraphs.iter().map(|p| p.class).collect()
    }

    #[test]
    fn short_follows_its_neighbours() {
        assert_eq!(revised(&[Good, Short, Short, Good]), [Good; 4]);
        assert_eq!(revised(&[Good, Short, Bad]), [Good, Bad, Bad]);
        assert_eq!(revised(&[Bad, Short, Bad]), [Bad; 3]);
        // Near-good text between the short one and the bad.
        assert_eq!(revised(&[Good, Short, NearGood, Bad]), [Good, Good, Good, Bad]);
        // Bad on both sides, whatever stands between.
        assert_eq!(revised(&[Bad, NearGood, Short, Bad]), [Bad; 4]);
    }

    #[test]
    fn near_good_needs_one_good_side() {
        assert_eq!(revised(&[Bad, NearGood, Bad]), [Bad; 3]);
        assert_eq!(revised(&[NearGood, NearGood, Good]), [Good; 3]);
        assert_eq!(revised(&[Good, NearGood, NearGood, Bad]), [Good, Good, Good, Bad]);
        assert_eq!(revised(&[NearGood]), [Bad]);
    }

    #[test]
    fn headings_join_good_text_within_reach() {
        let paragraph = |class, chars, heading| Paragraph { class, chars, heading };
        let far = |between| {
            let mut all = vec![
                paragraph(Bad, 10, false),
                paragraph(Short, 10, true),
                paragraph(Bad, between, false),
                paragraph(Good, 300, false),
            ];
            revise(&mut all);
            all[1].class
        };
        // Near-good between bad ones falls, and rises again as a heading before good text.
        assert_eq!(far(200), Good);
        assert_eq!(far(201), Bad);
    }
}
