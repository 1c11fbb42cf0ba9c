//! The plots, as SVG: a square panel for each model, with both axes from 0 to 1.

use std::fmt::Write as _;

use super::calibration::Calibration;
use super::figures::Figures;
use crate::svg::{BLUE, GREY, ORANGE, PALE, Svg, escaped};

/// Pixels: side of a panel, its place in its column, width of a column, height of the whole.
const SIDE: f64 = 320.0;
const LEFT: f64 = 64.0;
const TOP: f64 = 92.0;
const COLUMN: f64 = 410.0;
const HEIGHT: f64 = 470.0;

/// `quality-calibration.svg`: share of content against mean probability of each bin that is not empty.
pub(super) fn calibration_plot(models: &[(&str, &Figures)]) -> String {
    let mut panels = Panels::new("Share of content against probability", models.len());
    panels.key(0.0, BLUE, "by words");
    panels.key(110.0, ORANGE, "by pages");
    for (at, (model, figures)) in models.iter().enumerate() {
        panels.panel(at, model, "probability", "content");
        panels.line(at, &reliability(&figures.by_words), BLUE);
        panels.line(at, &reliability(&figures.by_pages), ORANGE);
    }
    panels.svg.end()
}

fn reliability(calibration: &Calibration) -> Vec<(f64, f64)> {
    let filled = calibration.bins.iter().filter(|bin| bin.weight > 0.0);
    filled.map(|bin| (bin.predicted, bin.observed)).collect()
}

/// `quality-confidence.svg`: F1 against confidence, of every page and of the tenths of the pages by
/// confidence.
pub(super) fn confidence_plot(models: &[(&str, &Figures)]) -> String {
    let mut panels = Panels::new("F1 against confidence", models.len());
    panels.key(0.0, ORANGE, "mean of a decile");
    panels.key(170.0, BLUE, "page");
    for (at, (model, figures)) in models.iter().enumerate() {
        panels.panel(at, model, "confidence", "F1");
        panels.cloud(at, &figures.pages);
        let means: Vec<(f64, f64)> = figures.deciles.iter().map(|decile| (decile.confidence, decile.f1)).collect();
        panels.line(at, &means, ORANGE);
    }
    panels.svg.end()
}

/// A sheet with a panel a model.
struct Panels {
    svg: Svg,
}

impl Panels {
    fn new(title: &str, panels: usize) -> Self {
        Self { svg: Svg::new(title, COLUMN * panels as f64 + 20.0, HEIGHT) }
    }

    fn key(&mut self, from: f64, colour: &str, text: &str) {
        let x = LEFT + from;
        self.svg.add(&format!(
            "<circle cx=\"{x}\" cy=\"52\" r=\"4.5\" fill=\"{colour}\"/>\n\
             <text x=\"{}\" y=\"56.5\">{text}</text>",
            x + 11.0
        ));
    }

    /// Axes, grid, diagonal and name of a panel.
    fn panel(&mut self, at: usize, model: &str, across: &str, up: &str) {
        let (left, bottom) = (x(at, 0.0), y(0.0));
        let (right, middle) = (x(at, 1.0), y(0.5));
        for fifth in 0..=5 {
            let value = f64::from(fifth) / 5.0;
            let (x, y) = (x(at, value), y(value));
            self.svg.add(&format!(
                "<path d=\"M{x:.1} {TOP}V{bottom}M{left} {y:.1}H{right}\" stroke=\"{PALE}\"/>\n\
                 <text x=\"{x:.1}\" y=\"{}\" text-anchor=\"middle\" fill=\"{GREY}\">{value:.1}</text>\n\
                 <text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\" fill=\"{GREY}\">{value:.1}</text>",
                bottom + 18.0,
                left - 7.0,
                y + 4.5
            ));
        }
        let turned = left - 38.0;
        self.svg.add(&format!(
            "<path d=\"M{left} {bottom}L{right} {TOP}\" stroke=\"{GREY}\" stroke-dasharray=\"4 4\"/>\n\
             <text x=\"{left}\" y=\"{}\" font-weight=\"bold\">{}</text>\n\
             <text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{across}</text>\n\
             <text x=\"{turned}\" y=\"{middle}\" text-anchor=\"middle\" \
             transform=\"rotate(-90 {turned} {middle})\">{up}</text>",
            TOP - 10.0,
            escaped(model),
            x(at, 0.5),
            bottom + 38.0
        ));
    }

    fn line(&mut self, at: usize, points: &[(f64, f64)], colour: &str) {
        let placed = points.iter().map(|(across, up)| (x(at, *across), y(*up)));
        self.svg.line(&placed.collect::<Vec<_>>(), colour);
    }

    /// Faint dots, all in one path: there are thousands.
    fn cloud(&mut self, at: usize, points: &[(f64, f64)]) {
        let mut path = String::new();
        for (across, up) in points {
            let _ = write!(path, "M{:.1} {:.1}h0", x(at, *across), y(*up));
        }
        self.svg.add(&format!(
            "<path d=\"{path}\" stroke=\"{BLUE}\" stroke-opacity=\"0.3\" stroke-width=\"3\" \
             stroke-linecap=\"round\"/>"
        ));
    }
}

fn x(panel: usize, value: f64) -> f64 {
    COLUMN * panel as f64 + LEFT + SIDE * value
}

fn y(value: f64) -> f64 {
    TOP + SIDE * (1.0 - value)
}

#[cfg(test)]
mod tests {
    use super::super::samples::{judged, page};
    use super::*;

    fn figures() -> Figures {
        let pages = vec![page("s", "1", "article", 0.5, 0.25), page("s", "2", "article", 1.0, 0.75)];
        Figures::all(&judged("any", pages)).0
    }

    #[test]
    fn bins_stand_at_their_values() {
        let figures = figures();
        let svg = calibration_plot(&[("fast", &figures), ("a<b", &figures)]);
        // (.25, 0) and (.75, 1): both weightings, in both panels.
        assert_eq!(svg.matches("points=\"144.0,412.0 304.0,92.0\"").count(), 2, "{svg}");
        assert_eq!(svg.matches("points=\"554.0,412.0 714.0,92.0\"").count(), 2, "{svg}");
        assert!(svg.contains(">a&lt;b</text>"), "{svg}");
        assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"));
    }

    #[test]
    fn deciles_stand_among_the_pages() {
        let figures = figures();
        let svg = confidence_plot(&[("fast", &figures)]);
        // (.25, .5) and (.75, 1), each a page and a decile.
        assert!(svg.contains("d=\"M144.0 252.0h0M304.0 92.0h0\""), "{svg}");
        assert!(svg.contains("points=\"144.0,252.0 304.0,92.0\""), "{svg}");
    }
}
