//! Content extraction via tag ratios.
//!
//! Weninger, Hsu and Han, CETR: content extraction via tag ratios, WWW 2010. The unit in the paper is
//! the line (a page without line breaks is cut every 65 characters); here it is the block, so nothing
//! has to be cut. Ratios, their smoothing and the clustering are those of
//! [`trommel_model::features::tag_ratios`]: the Gaussian of deviation 1 reaches to four deviations there, to
//! one in the paper.

use trommel_html::Page;
use trommel_model::features::tag_ratios;

use crate::methods::method::{About, Method, MethodError};
use crate::methods::ttr::deviation;

/// Factor of the standard deviation. From memory: the usual value in the paper.
const LAMBDA: f64 = 1.0;

/// CETR-TM: content is what has a smoothed ratio of at least the standard deviation of all of them.
#[derive(Clone, Copy, Debug, Default)]
pub struct CetrThreshold;

/// CETR: k-means in the plane of the smoothed ratio and its smoothed derivative, with three centres of
/// which one is held at the origin; content is what does not belong to that one.
#[derive(Clone, Copy, Debug, Default)]
pub struct Cetr;

impl Method for CetrThreshold {
    fn about(&self) -> &About {
        &About {
            name: "cetr-threshold",
            line: "smoothed tag ratio of at least one standard deviation",
            citation: "Weninger, Hsu and Han, CETR: content extraction via tag ratios, WWW 2010 (CETR-TM); stated on \
                       blocks instead of lines; the factor 1 of the deviation is from memory",
            learns: false,
        }
    }

    fn extract(&self, page: &Page) -> Result<Vec<bool>, MethodError> {
        let ratios: Vec<f32> = tag_ratios(page).iter().map(|ratios| ratios[0]).collect();
        let least = LAMBDA * deviation(&ratios);
        Ok(ratios.iter().map(|ratio| f64::from(*ratio) >= least).collect())
    }
}

impl Method for Cetr {
    fn about(&self) -> &About {
        &About {
            name: "cetr",
            line: "clusters of smoothed tag ratios and their derivatives, one held at the origin",
            citation: "Weninger, Hsu and Han, CETR: content extraction via tag ratios, WWW 2010; stated on blocks \
                       instead of lines, centres start farthest first instead of at random",
            learns: false,
        }
    }

    fn extract(&self, page: &Page) -> Result<Vec<bool>, MethodError> {
        Ok(tag_ratios(page).iter().map(|ratios| ratios[2] > 0.0).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use trommel_html::{Engine, Limits, ScanEngine};

    /// Nine blocks of one character, `long` of 200, nine of one.
    fn page(long: usize) -> Page {
        let prose = format!("<p>{}!</p>", "ten chars ".repeat(20).trim_end());
        let menu = "<p>x</p>".repeat(9);
        ScanEngine.read(&format!("{menu}{}{menu}", prose.repeat(long)), &Limits::default())
    }

    #[test]
    fn the_threshold_keeps_the_peak_and_its_slopes() {
        // Ratios .5 and, in the middle, 100. Smoothed: 40.2, 24.6, 5.9, .94, .51 from the peak outwards.
        // Mean 5.8, mean of squares 155: deviation 11.0. The peak and one neighbour on each side pass.
        let kept = CetrThreshold.extract(&page(1)).unwrap();
        let expected: Vec<bool> = (0..19).map(|at| (8..=10).contains(&at)).collect();
        assert_eq!(kept, expected);
    }

    #[test]
    fn the_clusters_keep_the_prose() {
        // Six blocks of ratio 100 stand at 9..15. Far from them ratio and derivative are (.5, 0): the
        // cluster at the origin. Inside, ratios are near 100.
        let kept = Cetr.extract(&page(6)).unwrap();
        assert_eq!(kept[9..15], [true; 6]);
        assert_eq!(kept[..5], [false; 5]);
        assert_eq!(kept[19..], [false; 5]);
    }

    #[test]
    fn edges() {
        for method in [&CetrThreshold as &dyn Method, &Cetr] {
            let keep = |html: &str| method.extract(&ScanEngine.read(html, &Limits::default())).unwrap();
            assert!(keep("").is_empty());
            // One block: the deviation is 0, and a free centre stands on the block.
            assert_eq!(keep("<p>one block"), [true]);
        }
    }
}
