//! A plot of the methods' F1 on the sets, as SVG.

use super::measure::Measured;
use crate::methods::About;
use trommel_quality::svg::{BLUE, GREEN, GREY, ORANGE, PALE, PINK, Svg, join};

/// The set that rows are sorted by and that has bars.
const FIRST: &str = "dragnet-test";
/// The sets with marks, each with its colour.
const MARKS: [(&str, &str); 4] = [("cleaneval", GREEN), ("l3s-gn1", BLUE), ("daniel-dev", ORANGE), ("wcxb-dev", PINK)];
const BAR: &str = "#c9d1d9";

/// Pixels: x of F1 = 0, width of F1 = 1, y of the first row, height of a row, width of the whole.
const LEFT: f64 = 200.0;
const SCALE: f64 = 640.0;
const TOP: f64 = 84.0;
const ROW: f64 = 22.0;
const WIDTH: f64 = 890.0;

/// `method-comparison.svg`: a row a method, the best on dragnet-test first; its F1 there as a bar with the number,
/// on the other sets as marks.
pub(super) fn plot(methods: &[About], sets: &[Measured]) -> String {
    let f1 = |set: &str, method: usize| {
        let set = sets.iter().find(|measured| measured.name == set)?;
        Some(set.all.scores.get(method)?.f1)
    };
    let mut order: Vec<(usize, f64)> = (0..methods.len()).map(|at| (at, f1(FIRST, at).unwrap_or_default())).collect();
    order.sort_by(|a, b| b.1.total_cmp(&a.1));
    let bottom = TOP + ROW * methods.len() as f64;
    let height = bottom + 40.0;
    let mut svg = Svg::new("Mean word F1 of the methods, by set", WIDTH, height);
    legend(&mut svg);
    for tenth in (0..=10).step_by(2) {
        let x = x(f64::from(tenth) / 10.0);
        let label = f64::from(tenth) / 10.0;
        svg.add(&format!(
            "<line x1=\"{x}\" y1=\"{TOP}\" x2=\"{x}\" y2=\"{bottom}\" stroke=\"{PALE}\"/>\n\
                 <text x=\"{x}\" y=\"{}\" text-anchor=\"middle\" fill=\"{GREY}\">{label:.1}</text>",
            bottom + 18.0
        ));
    }
    for (row, (method, first)) in order.into_iter().enumerate() {
        let middle = TOP + ROW * (row as f64 + 0.5);
        let name = methods.get(method).map_or("", |about| about.name);
        svg.add(&format!(
            "<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{name}</text>\n\
                 <rect x=\"{LEFT}\" y=\"{}\" width=\"{:.1}\" height=\"14\" fill=\"{BAR}\"/>\n\
                 <text x=\"{}\" y=\"{}\" fill=\"#24292f\">{first:.3}</text>",
            LEFT - 8.0,
            middle + 4.5,
            middle - 7.0,
            SCALE * first,
            LEFT + SCALE + 10.0,
            middle + 4.5,
        ));
        for (at, (set, _)) in MARKS.into_iter().enumerate() {
            if let Some(value) = f1(set, method) {
                mark(&mut svg, at, x(value), middle, set);
            }
        }
    }
    svg.end()
}

fn x(f1: f64) -> f64 {
    LEFT + SCALE * f1
}

fn legend(svg: &mut Svg) {
    let mut left = LEFT;
    let middle = 58.0;
    svg.add(&format!("<rect x=\"{left}\" y=\"51\" width=\"26\" height=\"14\" fill=\"{BAR}\"/>"));
    left += 34.0;
    let name = |svg: &mut Svg, text: &str, left: f64| {
        svg.add(&format!("<text x=\"{left}\" y=\"62.5\">{text}</text>"));
    };
    name(svg, "dragnet-test (number at the right)", left);
    left += 230.0;
    for (at, (set, _)) in MARKS.into_iter().enumerate() {
        mark(svg, at, left, middle, set);
        name(svg, set, left + 12.0);
        left += 106.0;
    }
}

/// The mark of a set: a circle, square, diamond or triangle in the set's colour.
fn mark(svg: &mut Svg, at: usize, x: f64, y: f64, set: &str) {
    let colour = MARKS.get(at).map_or(BAR, |(_, colour)| colour);
    let points = match at {
        0 => None,
        1 => Some([(-4.5, -4.5), (4.5, -4.5), (4.5, 4.5), (-4.5, 4.5)].to_vec()),
        2 => Some([(0.0, -6.0), (6.0, 0.0), (0.0, 6.0), (-6.0, 0.0)].to_vec()),
        _ => Some([(0.0, -5.5), (5.5, 4.5), (-5.5, 4.5)].to_vec()),
    };
    let style = format!("fill=\"{colour}\" stroke=\"#ffffff\" stroke-width=\"1\"");
    svg.add(&match points {
        None => format!("<circle class=\"{set}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"5\" {style}/>"),
        Some(points) => {
            let points: Vec<(f64, f64)> = points.iter().map(|(dx, dy)| (x + dx, y + dy)).collect();
            format!("<polygon class=\"{set}\" points=\"{}\" {style}/>", join(&points))
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::measure::tests::measured;

    #[test]
    fn rows_are_sorted_and_marks_stand_at_their_values() {
        let about = |name| About { name, line: "", citation: "", learns: false };
        let methods = [about("worse"), about("better")];
        let sets = [measured("dragnet-test", &[0.25, 0.75]), measured("cleaneval", &[0.5, 1.0])];
        let svg = plot(&methods, &sets);
        let at = |text: &str| svg.find(text).unwrap_or_else(|| panic!("no {text} in {svg}"));
        assert!(at(">better<") < at(">worse<"));
        assert!(at("width=\"480.0\" height=\"14\"") < at("width=\"160.0\" height=\"14\""));
        // F1 1 and .5 on cleaneval, in the first and in the second row.
        at("<circle class=\"cleaneval\" cx=\"840.0\" cy=\"95.0\"");
        at("<circle class=\"cleaneval\" cx=\"520.0\" cy=\"117.0\"");
        at(">0.750</text>");
        // Beyond the legend there are no marks of sets that were not measured.
        assert_eq!(svg.matches("class=\"wcxb-dev\"").count(), 1);
        assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"));
    }
}
