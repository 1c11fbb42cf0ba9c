//! Writes plots as SVG.

/// Colours of Okabe and Ito, told apart by the colour-blind.
pub const BLUE: &str = "#0072b2";
/// Green.
pub const GREEN: &str = "#009e73";
/// Orange.
pub const ORANGE: &str = "#d55e00";
/// Pink.
pub const PINK: &str = "#cc79a7";
/// The colour of text beside the data.
pub const GREY: &str = "#57606a";
/// The colour of lines behind the data.
pub const PALE: &str = "#e4e7ea";

/// A plot that is being written, one element a line.
#[derive(Debug)]
pub struct Svg {
    out: String,
}

impl Svg {
    /// A white sheet of `width` by `height` pixels with a title.
    pub fn new(title: &str, width: f64, height: f64) -> Self {
        Self {
            out: format!(
                "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
                 viewBox=\"0 0 {width} {height}\" font-family=\"Helvetica, Arial, sans-serif\" font-size=\"13\">\n\
                 <rect width=\"{width}\" height=\"{height}\" fill=\"#ffffff\"/>\n\
                 <text x=\"16\" y=\"28\" font-size=\"17\" font-weight=\"bold\">{}</text>\n",
                escaped(title)
            ),
        }
    }

    /// Adds elements as they are.
    pub fn add(&mut self, elements: &str) {
        self.out.push_str(elements);
        self.out.push('\n');
    }

    /// Adds a line through points, with a mark at each.
    pub fn line(&mut self, points: &[(f64, f64)], colour: &str) {
        let path = join(points);
        self.add(&format!("<polyline points=\"{path}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.5\"/>"));
        for (x, y) in points {
            self.add(&format!("<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4.5\" fill=\"{colour}\" stroke=\"#ffffff\"/>"));
        }
    }

    /// The finished plot.
    pub fn end(mut self) -> String {
        self.out.push_str("</svg>\n");
        self.out
    }
}

/// Points as the attribute `points` has them.
pub fn join(points: &[(f64, f64)]) -> String {
    let points: Vec<String> = points.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
    points.join(" ")
}

/// Text that cannot end an element.
pub fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sheet_has_its_title_and_its_lines() {
        let mut svg = Svg::new("a < b & c", 30.0, 20.0);
        svg.line(&[(1.0, 2.0), (3.25, 4.0)], BLUE);
        let text = svg.end();
        assert!(text.starts_with("<svg ") && text.ends_with("</svg>\n"));
        assert!(text.contains("viewBox=\"0 0 30 20\""), "{text}");
        assert!(text.contains(">a &lt; b &amp; c</text>"), "{text}");
        assert!(text.contains("points=\"1.0,2.0 3.2,4.0\""), "{text}");
        assert_eq!(text.matches("<circle ").count(), 2);
    }
}
