//! Gain of dividing objects by one attribute.

use super::{Kind, ObjectTable};

/// Objects that make a division by a number possible without a share of all being asked for.
const MOST_ASKED: f64 = 25.0;
/// Numbers nearer than this are one.
const EQUAL: f32 = 1e-5;

/// A possible division.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Split {
    pub attribute: usize,
    /// `None` for names.
    pub threshold: Option<f32>,
    pub branches: usize,
    /// Bits gained, for a number less what choosing the threshold costs (Quinlan, JAIR 4, 1996).
    pub gain: f64,
    /// Gain a bit of the division itself.
    pub ratio: f64,
}

/// Objects and those of the positive class.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct ClassCounts {
    pub objects: u32,
    pub positive: u32,
}

impl ClassCounts {
    pub fn add(&mut self, label: bool) {
        self.objects += 1;
        self.positive += u32::from(label);
    }

    fn without(self, part: ClassCounts) -> ClassCounts {
        ClassCounts { objects: self.objects - part.objects, positive: self.positive - part.positive }
    }

    /// Bits of all objects' classes together.
    fn bits(self) -> f64 {
        let other = self.objects - self.positive;
        plogp(self.objects) - plogp(self.positive) - plogp(other)
    }
}

/// n log2 n.
fn plogp(n: u32) -> f64 {
    let n = f64::from(n);
    if n > 0.0 { n * n.log2() } else { 0.0 }
}

/// Gain and gain ratio of dividing `all` into `parts`.
fn worth(all: ClassCounts, parts: &[ClassCounts], cost: f64) -> (f64, f64) {
    let total = f64::from(all.objects.max(1));
    let left: f64 = parts.iter().map(|part| part.bits()).sum();
    let gain = (all.bits() - left) / total - cost;
    let information_gain = (plogp(all.objects) - parts.iter().map(|part| plogp(part.objects)).sum::<f64>()) / total;
    (gain, if information_gain > 0.0 { gain / information_gain } else { 0.0 })
}

/// The best division of objects by a number; `sorted` are the objects by its value.
pub(super) fn by_number(
    table: &ObjectTable,
    attribute: usize,
    sorted: &[u32],
    all: ClassCounts,
    least: usize,
) -> Option<Split> {
    // As in J48: a tenth of what a class has on the average, but no more than 25 and not below least.
    let asked = f64::from(all.objects) * 0.1 / 2.0;
    let asked = if asked <= least as f64 { least } else { asked.min(MOST_ASKED).ceil() as usize };
    let mut low = ClassCounts::default();
    let mut candidates = 0u32;
    let mut best: Option<(f64, usize, ClassCounts)> = None;
    for (at, pair) in sorted.windows(2).enumerate() {
        let [object, next] = *pair else { continue };
        low.add(table.label(object));
        if table.value(attribute, object) + EQUAL >= table.value(attribute, next) {
            continue;
        }
        let high = all.without(low);
        if (low.objects as usize) < asked || (high.objects as usize) < asked {
            continue;
        }
        candidates += 1;
        let gain = all.bits() - low.bits() - high.bits();
        if best.is_none_or(|(most, _, _)| gain > most) {
            best = Some((gain, at, low));
        }
    }
    let (_, at, low) = best?;
    let cost = f64::from(candidates).log2() / f64::from(all.objects);
    let (gain, ratio) = worth(all, &[low, all.without(low)], cost);
    let value = |at: usize| sorted.get(at).map(|object| table.value(attribute, *object));
    let (below, above) = (value(at)?, value(at + 1)?);
    let middle = (below + above) / 2.0;
    (gain > 0.0).then_some(Split {
        attribute,
        threshold: Some(if middle < above { middle } else { below }),
        branches: 2,
        gain,
        ratio,
    })
}

/// The division of objects by a name of `names`.
pub(super) fn by_name(
    table: &ObjectTable,
    attribute: usize,
    objects: &[u32],
    all: ClassCounts,
    names: u8,
    least: usize,
) -> Option<Split> {
    let mut parts = vec![ClassCounts::default(); usize::from(names)];
    for object in objects {
        if let Some(part) = parts.get_mut(table.value(attribute, *object) as usize) {
            part.add(table.label(*object));
        }
    }
    let large = parts.iter().filter(|part| part.objects as usize >= least.max(1));
    if large.count() < 2 {
        return None;
    }
    let (gain, ratio) = worth(all, &parts, 0.0);
    Some(Split { attribute, threshold: None, branches: parts.len(), gain, ratio })
}

/// The division to take: of those with at least average gain the one of the highest gain ratio, the
/// first of equals. Names so many that most branches would be nearly empty do not count in the
/// average, unless every attribute is so.
pub(super) fn choose(splits: &[Split], kinds: &[Kind], objects: u32) -> Option<Split> {
    let few = |kind: &Kind| match kind {
        Kind::Number => true,
        Kind::Name(names) => f64::from(*names) < 0.3 * f64::from(objects),
    };
    let any_few = kinds.iter().any(few);
    let (mut sum, mut count) = (0.0, 0u32);
    for split in splits {
        if !any_few || kinds.get(split.attribute).is_some_and(few) {
            sum += split.gain;
            count += 1;
        }
    }
    let average = if count > 0 { sum / f64::from(count) } else { 0.0 };
    let mut best: Option<Split> = None;
    for split in splits {
        if split.gain >= average - 1e-3 && split.ratio > best.map_or(0.0, |best| best.ratio) {
            best = Some(*split);
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(a: f64, b: f64) -> bool {
        (a - b).abs() < 1e-3
    }

    fn table(kinds: Vec<Kind>, columns: Vec<Vec<f32>>, positive: &[usize]) -> ObjectTable {
        let count = columns[0].len();
        ObjectTable { kinds, columns, labels: (0..count).map(|at| positive.contains(&at)).collect() }
    }

    #[test]
    fn names_gain_as_in_the_textbook() {
        // Outlook of the weather data: 5 sunny (2 yes), 4 overcast (4 yes), 5 rainy (3 yes): gain .247,
        // division 1.577 bits, ratio .157 (Quinlan 1986; Witten and Frank, section 4.3).
        let codes: Vec<f32> = [0; 5].into_iter().chain([1; 4]).chain([2; 5]).map(|code| code as f32).collect();
        let table = table(vec![Kind::Name(3)], vec![codes], &[0, 1, 5, 6, 7, 8, 9, 10, 11]);
        let objects: Vec<u32> = (0..14).collect();
        let all = ClassCounts { objects: 14, positive: 9 };
        let split = by_name(&table, 0, &objects, all, 3, 2).unwrap();
        assert!(close(split.gain, 0.247) && close(split.ratio, 0.1564), "{split:?}");
        // Only one branch has six objects or more... none has.
        assert_eq!(by_name(&table, 0, &objects, all, 3, 6), None);
    }

    #[test]
    fn numbers_divide_at_the_middle_and_pay_for_the_choice() {
        // Values 1 2 3 4 with classes no no yes yes: one bit by dividing at 2.5, of three candidates:
        // less log2(3)/4 = .396.
        let table = table(vec![Kind::Number], vec![vec![3.0, 1.0, 4.0, 2.0]], &[0, 2]);
        let all = ClassCounts { objects: 4, positive: 2 };
        let split = by_number(&table, 0, &[1, 3, 0, 2], all, 1).unwrap();
        assert_eq!(split.threshold, Some(2.5));
        assert!(close(split.gain, 1.0 - 0.396) && close(split.ratio, 0.604), "{split:?}");
        // With two objects a side there is one candidate, which costs nothing.
        let split = by_number(&table, 0, &[1, 3, 0, 2], all, 2).unwrap();
        assert!(close(split.gain, 1.0) && close(split.ratio, 1.0));
        assert_eq!(by_number(&table, 0, &[1, 3, 0, 2], all, 3), None);
    }

    #[test]
    fn a_gain_below_average_is_passed_over_whatever_its_ratio() {
        let split = |attribute, gain, ratio| Split { attribute, threshold: None, branches: 2, gain, ratio };
        let kinds = [Kind::Number; 3];
        let splits = [split(0, 0.01, 0.9), split(1, 0.30, 0.2), split(2, 0.29, 0.3)];
        assert_eq!(choose(&splits, &kinds, 100).unwrap().attribute, 2);
        assert_eq!(choose(&splits[..1], &kinds, 100).unwrap().attribute, 0);
        assert_eq!(choose(&[], &kinds, 100), None);
        // Equal ratios: the first.
        let equal = [split(1, 0.3, 0.2), split(2, 0.3, 0.2)];
        assert_eq!(choose(&equal, &kinds, 100).unwrap().attribute, 1);
    }
}
