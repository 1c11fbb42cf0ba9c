//! CETR on the lines of the source, as published: Weninger, Hsu and Han, CETR: content extraction via tag ratios,
//! WWW 2010.
//!
//! The ratio of a line is its characters outside of tags divided by its tags. Ratios are smoothed by a Gaussian of
//! radius and deviation 1; the derivative of a line is the absolute difference between the mean of the next three
//! smoothed ratios and its own, smoothed again. k-means of three clusters in the plane of the two holds one centre
//! at the origin; content is what does not belong to it.
//!
//! Ours: at the ends of the page what the kernel would reach beyond is left out and its other weights are scaled to
//! a sum of 1, and the mean ahead is over the lines that exist; the other centres start farthest first instead of
//! at random, so that the same page gives the same result. [`CetrLines::started_at_random`] starts as published. A
//! block is content if most of its text stands on lines that are.

use trommel_html::Page;
use trommel_model::features::{farthest_first, kmeans};

use crate::methods::method::{About, Method, MethodError};
use crate::methods::source_line::{SourceLine, blocks_of, source_lines};
use crate::methods::ttr::deviation;

/// Weights of the kernel: exp(-1/2) on both sides of 1, to a sum of 1.
const SIDE: f32 = 0.274_068_62;
const MIDDLE: f32 = 1.0 - 2.0 * SIDE;
/// Lines ahead that the derivative looks at.
const AHEAD: usize = 3;
const CLUSTERS: usize = 3;
/// Factor of the standard deviation. From memory: the usual value in the paper.
const LAMBDA: f64 = 1.0;

/// CETR-TM on lines: content is what has a smoothed ratio of at least the standard deviation of all of them.
#[derive(Clone, Copy, Debug, Default)]
pub struct CetrLinesThreshold;

/// CETR on lines, with clusters.
#[derive(Clone, Copy, Debug, Default)]
pub struct CetrLines {
    /// Seed of the start at random; farthest first without.
    seed: Option<u64>,
}

impl CetrLines {
    /// With centres that start at points picked at random.
    pub fn started_at_random(seed: u64) -> Self {
        Self { seed: Some(seed) }
    }

    fn content(self, lines: &[SourceLine]) -> Vec<bool> {
        let points = plane(lines);
        let mut centres = match self.seed {
            None => farthest_first(&points, [0.0; 2], CLUSTERS),
            Some(seed) => picked(&points, seed),
        };
        let members = kmeans(&points, &mut centres, 1);
        members.into_iter().map(|member| member != 0).collect()
    }

    /// The text of the lines that are content, one a line, as the paper scores it.
    pub fn text(self, html: &str) -> String {
        let lines = source_lines(html);
        let content = self.content(&lines);
        let kept = lines.iter().zip(content).filter(|(_, content)| *content);
        let texts = kept.map(|(line, _)| {
            let runs = line.texts.iter();
            let run = |(from, to): &(u32, u32)| html.get(*from as usize..*to as usize);
            runs.filter_map(run).collect::<Vec<_>>().join(" ")
        });
        texts.collect::<Vec<_>>().join("\n")
    }
}

impl Method for CetrLinesThreshold {
    fn about(&self) -> &About {
        &About {
            name: "cetr-lines-threshold",
            line: "lines with a smoothed tag ratio of at least one standard deviation",
            citation: "Weninger, Hsu and Han, CETR: content extraction via tag ratios, WWW 2010 (CETR-TM); on lines as \
                       published, blocks by most of their text; the factor 1 of the deviation is from memory",
            learns: false,
        }
    }

    fn extract(&self, _: &Page) -> Result<Vec<bool>, MethodError> {
        Err(no_source(self))
    }

    fn extract_from(&self, page: &Page, html: &str) -> Result<Vec<bool>, MethodError> {
        let lines = source_lines(html);
        let ratios = smooth(&ratios(&lines));
        let least = LAMBDA * deviation(&ratios);
        let content: Vec<bool> = ratios.iter().map(|ratio| f64::from(*ratio) >= least).collect();
        Ok(blocks_of(page, &lines, &content))
    }
}

impl Method for CetrLines {
    fn about(&self) -> &About {
        &About {
            name: "cetr-lines",
            line: "clusters of smoothed tag ratios of lines and their derivatives, one held at the origin",
            citation: "Weninger, Hsu and Han, CETR: content extraction via tag ratios, WWW 2010; on lines as published, \
                       blocks by most of their text; centres start farthest first instead of at random",
            learns: false,
        }
    }

    fn extract(&self, _: &Page) -> Result<Vec<bool>, MethodError> {
        Err(no_source(self))
    }

    fn extract_from(&self, page: &Page, html: &str) -> Result<Vec<bool>, MethodError> {
        let lines = source_lines(html);
        Ok(blocks_of(page, &lines, &self.content(&lines)))
    }
}

fn no_source(method: &dyn Method) -> MethodError {
    MethodError::NoSource { method: method.about().name }
}

fn ratios(lines: &[SourceLine]) -> Vec<f32> {
    lines.iter().map(SourceLine::ratio).collect()
}

/// Smoothed ratio and smoothed derivative of each line.
fn plane(lines: &[SourceLine]) -> Vec<[f32; 2]> {
    let x = smooth(&ratios(lines));
    let y = smooth(&derivative(&x));
    x.into_iter().zip(y).map(|(x, y)| [x, y]).collect()
}

fn smooth(series: &[f32]) -> Vec<f32> {
    (0..series.len())
        .map(|at| {
            let around = [(at.checked_sub(1), SIDE), (Some(at), MIDDLE), (at.checked_add(1), SIDE)];
            let (mut sum, mut weights) = (0.0, 0.0);
            for (at, weight) in around {
                if let Some(value) = at.and_then(|at| series.get(at)) {
                    sum += weight * value;
                    weights += weight;
                }
            }
            sum / weights
        })
        .collect()
}

/// |mean of the next three - own|; 0 for the last line.
fn derivative(series: &[f32]) -> Vec<f32> {
    (0..series.len())
        .map(|at| {
            let end = series.len().min(at + 1 + AHEAD);
            let next = series.get(at + 1..end).unwrap_or_default();
            let value = series.get(at).copied().unwrap_or_default();
            match next {
                [] => 0.0,
                next => (next.iter().sum::<f32>() / next.len() as f32 - value).abs(),
            }
        })
        .collect()
}

/// The origin, and two of the points, picked by splitmix64 (Steele, Lea and Flood, OOPSLA 2014).
fn picked(points: &[[f32; 2]], seed: u64) -> Vec<[f32; 2]> {
    let mut state = seed;
    let mut pick = || {
        state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        let at = (z ^ (z >> 31)) % (points.len().max(1) as u64);
        points.get(at as usize).copied().unwrap_or_default()
    };
    vec![[0.0; 2], pick(), pick()]
}

#[cfg(test)]
mod tests {
    use super::*;
    use trommel_html::{Engine, Limits, ScanEngine};

    fn near(found: &[f32], expected: &[f32]) {
        assert_eq!(found.len(), expected.len(), "{found:?}");
        for (found, expected) in found.iter().zip(expected) {
            assert!((found - expected).abs() < 1e-3, "{found} {expected}");
        }
    }

    #[test]
    fn ratios_are_smoothed_and_derived_by_hand() {
        // exp(-1/2) = .6065: weights .6065 / 2.2131 and 1 / 2.2131; at the ends 1 / 1.6065 and .6065 / 1.6065.
        near(&smooth(&[10.0, 0.0, 0.0, 20.0]), &[6.2246, 2.7407, 5.4814, 12.4491]);
        near(&smooth(&[7.0]), &[7.0]);
        near(&derivative(&[1.0, 2.0, 6.0, 4.0, 0.0]), &[3.0, 1.3333, 4.0, 4.0, 0.0]);
    }

    /// Lines of a menu with four tags, of prose without, and of a footer.
    fn source() -> String {
        let menu = "<li><a href=x>go</a></li>\n".repeat(8);
        let prose = "a line of prose that has some sixty characters, as lines have\n".repeat(6);
        format!("{menu}<p>\n{prose}</p>\n{menu}")
    }

    #[test]
    fn clusters_away_from_the_origin_are_content() {
        let html = source();
        let lines = source_lines(&html);
        let ratios = ratios(&lines);
        assert_eq!(ratios[..8], [0.5; 8]);
        assert_eq!(ratios[9..15], [61.0; 6]);
        let points = plane(&lines);
        near(&points[7], &[0.363, 34.285]);
        near(&points[11], &[61.0, 8.078]);
        // The second centre starts at the last line but one of the prose, (61, 34.4); the third at the last of the
        // menu, (.4, 34.3), which takes what rises and falls: the two lines before the prose and the tags around it.
        let content = CetrLines::default().content(&lines);
        let expected: Vec<bool> = (0..24).map(|at| (6..=15).contains(&at)).collect();
        assert_eq!(content, expected);
    }

    #[test]
    fn blocks_and_texts_are_those_of_the_lines() {
        let html = source();
        let page = ScanEngine.read(&html, &Limits::default());
        let methods: [(&dyn Method, std::ops::RangeInclusive<usize>); 2] =
            [(&CetrLines::default(), 6..=8), (&CetrLinesThreshold, 8..=8)];
        for (method, kept) in methods {
            let expected: Vec<bool> = (0..17).map(|at| kept.contains(&at)).collect();
            assert_eq!(method.extract_from(&page, &html).unwrap(), expected);
            let error = method.extract(&page).unwrap_err().to_string();
            assert!(error.contains("reads lines of the source"), "{error}");
            assert!(method.extract_from(&ScanEngine.read("", &Limits::default()), "").unwrap().is_empty());
        }
        let text = CetrLines::default().text(&html);
        assert_eq!(text.lines().filter(|line| line.contains("sixty")).count(), 6);
        assert_eq!(text.lines().filter(|line| *line == "go").count(), 2);
    }

    #[test]
    fn a_start_at_random_is_the_same_for_the_same_seed() {
        let points: Vec<[f32; 2]> = (0..40).map(|at| [at as f32, 0.0]).collect();
        assert_eq!(picked(&points, 3), picked(&points, 3));
        assert_ne!(picked(&points, 3), picked(&points, 4));
        assert_eq!(picked(&points, 3)[0], [0.0; 2]);
        assert_eq!(picked(&[], 3), [[0.0; 2]; 3]);
    }
}
