//! Matches selectors with the elements of a page. Each element is compared only with selectors that name something the
//! element has. So the time is in proportion to the length of the page and the number of matches.

use std::collections::HashMap;

use rustc_hash::FxHashSet;
use trommel_html::{NONE, Page, StartTag, Tag};

use super::selector::{Compound, Condition};

/// Maximum number of comparisons of selectors with elements of one page: about a second, far more than real pages take.
const MAX_LOOKS: u64 = 1 << 26;

/// All selectors, prepared for matching, each as a sequence of steps from an outer element to the selected one.
#[derive(Clone, Debug)]
pub(super) struct Ways {
    /// Numbers that stand for the conditions (tag name, class, attribute) of selectors.
    conditions: HashMap<Condition<'static>, u32>,
    /// Prepared selectors, keyed by the number of the rarest condition on the selected element, if there is one.
    keyed: HashMap<Option<u32>, Vec<Way>>,
    max_looks: u64,
}

/// Selector as a sequence of steps from an outer element to the selected one, each the conditions on one element.
#[derive(Clone, Debug)]
struct Way {
    /// Numbers of the conditions of each step, the outermost element first.
    steps: Vec<Vec<u32>>,
    /// Index of the selector among all selectors.
    selector: usize,
    /// True if the selector keeps the parts that it selects, and false if it drops them.
    is_kept: bool,
}

/// Set of the numbers of the conditions (tag name, class, attribute) that an element meets.
type Met = FxHashSet<u32>;

/// Choices (keep or drop) that selectors make for the elements of a page.
#[derive(Debug, Default)]
pub(super) struct Choices {
    /// Choice for each element (true to keep): its own, or that of the nearest element around it with a choice.
    pub elements: Vec<Option<bool>>,
    /// Choice for text outside of every element.
    pub outside: Option<bool>,
    /// True if the limit on comparisons was reached; later elements then have the choices of the elements around them.
    pub are_cut: bool,
    looks: u64,
}

impl Ways {
    /// Prepares selectors for matching. Each is given with true if it keeps what it selects, and false if it drops it.
    pub fn new<'s>(selectors: impl Iterator<Item = (&'s [Vec<Compound>], bool)>) -> Self {
        let mut all = Self { conditions: HashMap::new(), keyed: HashMap::new(), max_looks: MAX_LOOKS };
        let mut ways = Vec::new();
        for (selector, (of_selector, is_kept)) in selectors.enumerate() {
            for way in of_selector {
                let steps = way.iter().map(|compound| compound.iter().map(|condition| all.number(condition)).collect());
                ways.push(Way { steps: steps.collect(), selector, is_kept });
            }
        }
        let last = |way: &Way| way.steps.last().cloned().unwrap_or_default();
        let mut uses: HashMap<u32, usize> = HashMap::new();
        for condition in ways.iter().flat_map(last) {
            *uses.entry(condition).or_default() += 1;
        }
        for way in ways {
            let rarest = last(&way).into_iter().min_by_key(|condition| uses.get(condition));
            all.keyed.entry(rarest).or_default().push(way);
        }
        all
    }

    fn number(&mut self, condition: &Condition<'static>) -> u32 {
        let next = self.conditions.len() as u32;
        *self.conditions.entry(condition.clone()).or_insert(next)
    }

    /// Returns the choices (keep or drop) for the elements of a page by the selectors whose flag in `are_ours` is true.
    pub fn choices(&self, page: &Page, html: &str, are_ours: &[bool]) -> Choices {
        let mut choices = Choices::default();
        // Elements around the next one, with what they meet.
        let mut open: Vec<(u32, Met)> = Vec::new();
        // Every page has `html` and `body`, even if it does not write them.
        for tag in [Tag::Html, Tag::Body] {
            if page.elements.iter().all(|element| element.tag != tag) {
                let met = self.met(&StartTag { name: tag.name().to_owned(), ..StartTag::default() });
                choices.outside = self.choice(&met, &open, are_ours, &mut choices.looks).or(choices.outside);
                open.push((NONE, met));
            }
        }
        for (at, element) in (0..).zip(&page.elements) {
            while open.pop_if(|(last, _)| *last != NONE && *last != element.parent).is_some() {}
            let around = choices.elements.get(element.parent as usize).copied().unwrap_or(choices.outside);
            if choices.are_cut {
                choices.elements.push(around);
                continue;
            }
            let unwritten = || StartTag { name: page.name(element).to_owned(), ..StartTag::default() };
            let met = self.met(&element.start_tag(html).unwrap_or_else(unwritten));
            let own = self.choice(&met, &open, are_ours, &mut choices.looks);
            choices.elements.push(own.or(around));
            choices.are_cut = choices.looks > self.max_looks;
            open.push((at, met));
        }
        choices
    }

    /// Returns the numbers of the conditions that an element meets.
    fn met(&self, tag: &StartTag) -> Met {
        let mut met = Met::default();
        of_tag(tag, |condition| met.extend(self.conditions.get(&condition)));
        met
    }

    /// Returns the choice for an element by itself (true to keep); if several selectors select it, dropping wins.
    fn choice(&self, met: &Met, open: &[(u32, Met)], are_ours: &[bool], looks: &mut u64) -> Option<bool> {
        let keys = met.iter().copied().map(Some).chain([None]);
        let ways = keys.filter_map(|key| self.keyed.get(&key)).flatten();
        let ours = ways.filter(|way| are_ours.get(way.selector) == Some(&true));
        let selecting = ours.filter(|way| {
            *looks += 1;
            let holds = |step: &&Vec<u32>, met: &Met| step.iter().all(|condition| met.contains(condition));
            let mut steps = way.steps.iter().rev().peekable();
            if steps.next_if(|step| holds(step, met)).is_none() {
                return false;
            }
            // The nearest element around leaves most for the steps before.
            for (_, around) in open.iter().rev() {
                if steps.peek().is_none() {
                    break;
                }
                *looks += 1;
                steps.next_if(|step| holds(step, around));
            }
            steps.peek().is_none()
        });
        selecting.map(|way| way.is_kept).reduce(|one, other| one && other)
    }
}

/// Passes each condition that an element meets to `take`.
fn of_tag<'t>(tag: &'t StartTag, mut take: impl FnMut(Condition<'t>)) {
    take(Condition::Name(tag.name.as_str().into()));
    for (name, value) in &tag.attributes {
        take(Condition::Attribute(name.as_str().into()));
        take(Condition::Value(name.as_str().into(), value.as_str().into()));
        if name == "class" {
            value.split_ascii_whitespace().for_each(|class| take(Condition::Class(class.into())));
        }
    }
}

#[cfg(test)]
mod tests {
    use trommel_html::{Engine, Limits, ScanEngine};

    use super::super::Selector;
    use super::*;

    fn ways(selectors: &[(Selector, bool)]) -> Ways {
        Ways::new(selectors.iter().map(|(selector, is_kept)| (selector.ways.as_slice(), *is_kept)))
    }

    fn of_texts(texts: &[String]) -> Vec<(Selector, bool)> {
        texts.iter().map(|text| (text.parse().unwrap(), false)).collect()
    }

    /// Returns the choice for each element by itself, found by comparing all steps from the outermost element on.
    fn plainly(selectors: &[(Selector, bool)], page: &Page, html: &str) -> Vec<Option<bool>> {
        let holds = |compound: &Compound, tag: &StartTag| {
            compound.iter().all(|condition| {
                let mut is_met = false;
                of_tag(tag, |other| is_met |= other == *condition);
                is_met
            })
        };
        let tags: Vec<StartTag> = page.elements.iter().map(|element| element.start_tag(html).unwrap()).collect();
        let path = |at: usize| {
            let mut path: Vec<usize> = page.path(at as u32).map(|(at, _)| at as usize).collect();
            path.reverse();
            path
        };
        let selects = |way: &[Compound], at: usize| {
            let (last, before) = way.split_last().unwrap();
            let mut left = before.iter().peekable();
            for around in path(at).into_iter().filter(|around| *around != at) {
                left.next_if(|step| holds(step, &tags[around]));
            }
            left.next().is_none() && holds(last, &tags[at])
        };
        (0..tags.len())
            .map(|at| {
                let ours = selectors.iter().filter(|(selector, _)| selector.ways.iter().any(|way| selects(way, at)));
                ours.map(|(_, is_kept)| *is_kept).reduce(|one, other| one && other)
            })
            .collect()
    }

    #[test]
    fn ways_lead_where_a_look_at_each_of_them_leads() {
        let mut state = 7_u64;
        let mut below = |most: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            ((state >> 33) % most) as usize
        };
        const STEPS: [&str; 9] = ["div", "p", "*", ".a", ".b", "div.a.b", "[x]", "[x='1']", "#i.a"];
        const TAGS: [&str; 7] = [
            "<div>", "<div class=a>", "<div class='b a'>", "<div x=1 x=2>", "<div x=2>", "<div id=i class=a>", "</div>",
        ];
        let (mut chosen, mut not) = (0, 0);
        for _ in 0..300 {
            let selectors: Vec<(Selector, bool)> = (0..=below(6))
                .map(|_| {
                    let way = (0..=below(3)).map(|_| STEPS[below(9)]).collect::<Vec<_>>().join(" ");
                    (way.parse().unwrap(), below(2) == 0)
                })
                .collect();
            let tags: String = (0..30).map(|_| TAGS[below(7)]).collect();
            let html = format!("<html><body>{tags}<p>t");
            let page = ScanEngine.read(&html, &Limits::default());
            let all = ways(&selectors);
            let found = all.choices(&page, &html, &vec![true; selectors.len()]).elements;
            let mut expected = plainly(&selectors, &page, &html);
            for at in 0..expected.len() {
                let around = expected.get(page.elements[at].parent as usize).copied().flatten();
                expected[at] = expected[at].or(around);
            }
            assert_eq!(found, expected, "{selectors:?} {html}");
            chosen += found.iter().flatten().count();
            not += found.iter().filter(|choice| choice.is_none()).count();
        }
        assert!(chosen > 1000 && not > 1000, "{chosen} {not}");
    }

    fn looks(selectors: &[String], html: &str) -> u64 {
        let selectors = of_texts(selectors);
        let all = ways(&selectors);
        let page = ScanEngine.read(html, &Limits::default());
        let choices = all.choices(&page, html, &vec![true; selectors.len()]);
        assert!(!choices.are_cut);
        choices.looks
    }

    #[test]
    fn elements_are_compared_with_the_selectors_of_what_they_have() {
        let many = |text: fn(usize) -> String| (0..1000).map(text).collect::<Vec<_>>();
        let classes = "a ".repeat(20_000);
        let tag = format!("<body><p class='{classes}'>x");
        assert!(looks(&[".a".repeat(2000) + ".z"], &tag) <= 4);
        assert!(looks(&many(|at| format!(".b{at}")), &tag) <= 4);
        assert!(looks(&many(|at| format!("p.a.b{at}")), &tag) <= 4);
        let page = format!("<body>{}", "<div a b c class='a b c'><p>x</div>".repeat(2000));
        assert!(looks(&many(|at| format!("div p.a[b].c{at}, div #i{at}")), &page) <= 4000);
        // A look at the element and one at the body around it.
        assert!(looks(&many(|at| format!("[x{at}] div.a")), &page) <= 3 * 1000 * 2000);
    }

    #[test]
    fn choices_that_take_too_many_looks_are_cut() {
        let mut all = ways(&of_texts(&["p".to_owned()]));
        all.max_looks = 0;
        let html = "<body><p>a<p>b";
        let page = ScanEngine.read(html, &Limits::default());
        let choices = all.choices(&page, html, &[true]);
        assert_eq!(choices.elements, [None, Some(false), None]);
        assert!(choices.are_cut);
    }
}
