//! Rectangles on the page.

/// A rectangle in CSS pixels from the upper left corner of the page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rect {
    /// Left edge.
    pub x: i32,
    /// Upper edge.
    pub y: i32,
    /// Width, 0 or more.
    pub width: i32,
    /// Height, 0 or more.
    pub height: i32,
}

impl Rect {
    /// One past the last column.
    pub fn right(&self) -> i32 {
        self.x.saturating_add(self.width)
    }

    /// One past the last row.
    pub fn bottom(&self) -> i32 {
        self.y.saturating_add(self.height)
    }

    /// Width times height.
    pub fn area(&self) -> i64 {
        i64::from(self.width) * i64::from(self.height)
    }

    /// Returns whether it covers no pixel.
    pub fn is_empty(&self) -> bool {
        self.width <= 0 || self.height <= 0
    }

    /// The smallest rectangle around both; an empty one does not count.
    #[must_use]
    pub fn union(&self, other: &Self) -> Self {
        if self.is_empty() {
            return *other;
        }
        if other.is_empty() {
            return *self;
        }
        let (x, y) = (self.x.min(other.x), self.y.min(other.y));
        Self {
            x,
            y,
            width: self.right().max(other.right()).saturating_sub(x),
            height: self.bottom().max(other.bottom()).saturating_sub(y),
        }
    }

    /// The pixels in both; empty if there are none.
    #[must_use]
    pub fn intersection(&self, other: &Self) -> Self {
        let (x, y) = (self.x.max(other.x), self.y.max(other.y));
        Self {
            x,
            y,
            width: self.right().min(other.right()).saturating_sub(x).max(0),
            height: self.bottom().min(other.bottom()).saturating_sub(y).max(0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rect(x: i32, y: i32, width: i32, height: i32) -> Rect {
        Rect { x, y, width, height }
    }

    #[test]
    fn unions_pass_over_what_is_empty() {
        let one = rect(10, 20, 30, 40);
        assert_eq!(one.union(&rect(0, 0, 0, 9)), one);
        assert_eq!(Rect::default().union(&one), one);
        assert_eq!(one.union(&rect(0, 50, 5, 20)), rect(0, 20, 40, 50));
    }

    #[test]
    fn intersections_are_empty_where_nothing_is_shared() {
        let one = rect(10, 20, 30, 40);
        assert_eq!(one.intersection(&rect(30, 0, 30, 30)), rect(30, 20, 10, 10));
        assert!(one.intersection(&rect(40, 20, 5, 5)).is_empty());
        assert_eq!(one.area(), 1_200);
    }
}
