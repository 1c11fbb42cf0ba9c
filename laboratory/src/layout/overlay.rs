//! A picture of a page beside itself, with boxes drawn over it: a page that the browser draws.

use std::fmt::Write as _;

use super::rect::Rect;

/// Boxes over one copy of the picture.
#[derive(Clone, Debug, Default)]
pub struct OverlayColumn {
    /// The title of the boxes.
    pub title: String,
    /// Boxes, each with a CSS color and a label.
    pub boxes: Vec<(Rect, &'static str, String)>,
}

/// Height of the line of titles, in CSS pixels.
const TITLE: i32 = 40;
/// Between two copies.
const GAP: i32 = 20;

/// The page that shows `picture` (PNG in base64, of this size) once for each column. Returns it with its own
/// width and height.
pub(super) fn overlay_html(
    picture: &str,
    (width, height): (i32, i32),
    columns: &[OverlayColumn],
) -> (String, (i32, i32)) {
    let mut html = "<!doctype html><meta charset=utf-8><style>body{margin:0;background:#fff;font:12px sans-serif}\
                    div{position:absolute;box-sizing:border-box;overflow:hidden}</style>"
        .to_owned();
    for (at, column) in (0i32..).zip(columns) {
        let left = at * (width + GAP);
        // Writing to a string does not fail.
        let _ = write!(
            html,
            "<div style=\"left:{}px;top:10px;width:{width}px;font-size:20px\">{}</div>\
             <div style=\"left:{left}px;top:{TITLE}px;width:{width}px;height:{height}px\">\
             <img src=\"data:image/png;base64,{picture}\" width={width} height={height}>",
            left + 10,
            escaped(&column.title)
        );
        for (rect, color, label) in &column.boxes {
            let _ = write!(
                html,
                "<div style=\"left:{}px;top:{}px;width:{}px;height:{}px;border:2px solid {color};\
                 background:color-mix(in srgb,{color} 12%,transparent)\">\
                 <span style=\"float:right;font-size:10px;background:{color};color:#fff\">{}</span></div>",
                rect.x,
                rect.y,
                rect.width,
                rect.height,
                escaped(label)
            );
        }
        html.push_str("</div>");
    }
    let count = i32::try_from(columns.len()).unwrap_or(1);
    (html, (count * (width + GAP) - GAP, height + TITLE))
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boxes_lie_over_each_copy() {
        let rect = Rect { x: 1, y: 2, width: 3, height: 4 };
        let column = |title: &str| OverlayColumn { title: title.into(), boxes: vec![(rect, "red", "a < b".into())] };
        let (html, size) = overlay_html("QQ==", (100, 50), &[column("one"), column("two")]);
        assert_eq!(size, (220, 90));
        assert!(html.contains("left:120px;top:40px;width:100px;height:50px"), "{html}");
        assert_eq!(html.matches("left:1px;top:2px;width:3px;height:4px;border:2px solid red").count(), 2);
        assert_eq!(html.matches(">a &lt; b</span>").count(), 2);
    }
}
