//! A tile: the shapes that an area of a drawing repeats.

use std::fmt::Write as _;

use super::random::Random;

/// Six hexadecimal digits.
pub(super) type Colour = &'static str;

/// The steps to the four neighbours, and to the four corners.
pub(super) const SIDES: [(i16, i16); 4] = [(1, 0), (0, 1), (-1, 0), (0, -1)];
pub(super) const CORNERS: [(i16, i16); 4] = [(1, 1), (-1, 1), (-1, -1), (1, -1)];

#[derive(Debug)]
enum Shape {
    /// Its corners turn to the right, so that shapes of one colour may overlap in one path.
    Polygon(Vec<(i16, i16)>),
    Disc {
        x: i16,
        y: i16,
        radius: i16,
    },
}

/// What an area repeats.
#[derive(Debug)]
pub(super) struct Tile {
    pub(super) width: i16,
    pub(super) height: i16,
    shapes: Vec<(Colour, Shape)>,
}

/// The cells of a woven motif, in an odd number of columns and rows.
#[derive(Debug, Clone, Copy)]
pub(super) struct Weave {
    pub(super) columns: i16,
    pub(super) rows: i16,
    pub(super) cell_width: i16,
    pub(super) cell_height: i16,
}

impl Tile {
    pub(super) fn new(width: i16, height: i16) -> Self {
        Self {
            width,
            height,
            shapes: Vec::new(),
        }
    }

    pub(super) fn polygon(&mut self, colour: Colour, corners: &[(i16, i16)]) {
        let mut corners = corners.to_vec();
        let next = corners.iter().cycle().skip(1);
        let doubled_area: i32 = corners
            .iter()
            .zip(next)
            .map(|(from, to)| {
                i32::from(from.0) * i32::from(to.1) - i32::from(to.0) * i32::from(from.1)
            })
            .sum();
        if doubled_area < 0 {
            corners.reverse();
        }
        self.shapes.push((colour, Shape::Polygon(corners)));
    }

    /// The polygon, and its mirror image on the other side of the tile.
    pub(super) fn mirrored(&mut self, colour: Colour, corners: &[(i16, i16)]) {
        let width = self.width;
        let image: Vec<(i16, i16)> = corners.iter().map(|(x, y)| (width - x, *y)).collect();
        self.polygon(colour, corners);
        self.polygon(colour, &image);
    }

    pub(super) fn rect(&mut self, colour: Colour, x: i16, y: i16, width: i16, height: i16) {
        let (right, bottom) = (x + width, y + height);
        self.polygon(colour, &[(x, y), (right, y), (right, bottom), (x, bottom)]);
    }

    /// A lozenge that reaches so far to each side, and so far up and down.
    pub(super) fn diamond(&mut self, colour: Colour, x: i16, y: i16, across: i16, down: i16) {
        self.polygon(
            colour,
            &[
                (x, y - down),
                (x + across, y),
                (x, y + down),
                (x - across, y),
            ],
        );
    }

    /// A leaf from a point to one side. Its measures: where it is widest, its length, and half of its width.
    pub(super) fn leaf(
        &mut self,
        colour: Colour,
        x: i16,
        y: i16,
        (across, down): (i16, i16),
        [widest, length, half]: [i16; 3],
    ) {
        let (middle_x, middle_y) = (x + across * widest, y + down * widest);
        let corners = [
            (x, y),
            (middle_x + down * half, middle_y - across * half),
            (x + across * length, y + down * length),
            (middle_x - down * half, middle_y + across * half),
        ];
        self.polygon(colour, &corners);
    }

    pub(super) fn disc(&mut self, colour: Colour, x: i16, y: i16, radius: i16) {
        self.shapes.push((colour, Shape::Disc { x, y, radius }));
    }

    /// A motif that looks the same from its four sides. Its middle is full.
    pub(super) fn weave(
        &mut self,
        random: &mut Random,
        colour: Colour,
        x: i16,
        y: i16,
        weave: Weave,
    ) {
        let half_rows = (weave.rows + 1) / 2;
        for row in 0..half_rows {
            let image = weave.rows - 1 - row;
            let cells = woven_row(random, weave.columns, row == image);
            let rows = [row, image]
                .into_iter()
                .take(if row == image { 1 } else { 2 });
            let places = rows.flat_map(|row| runs(&cells).into_iter().map(move |run| (row, run)));
            for (row, (start, length)) in places {
                let (left, top) = (x + start * weave.cell_width, y + row * weave.cell_height);
                self.rect(
                    colour,
                    left,
                    top,
                    length * weave.cell_width,
                    weave.cell_height,
                );
            }
        }
    }

    pub(super) fn write(&self, svg: &mut String) {
        let same_path = |one: &(Colour, Shape), other: &(Colour, Shape)| {
            let polygons = (&one.1, &other.1);
            one.0 == other.0 && matches!(polygons, (Shape::Polygon(_), Shape::Polygon(_)))
        };
        for group in self.shapes.chunk_by(same_path) {
            write_group(svg, group);
        }
    }
}

/// Which cells of a row are full: the right half is the mirror image of the left one.
fn woven_row(random: &mut Random, columns: i16, has_full_middle: bool) -> Vec<bool> {
    let mut half: Vec<bool> = (0..=columns / 2).map(|_| random.below(5) < 3).collect();
    if has_full_middle {
        half.pop();
        half.push(true);
    }
    let image: Vec<bool> = half.iter().rev().skip(1).copied().collect();
    half.extend(image);
    half
}

/// Where full cells stand side by side: the first one, and their number.
fn runs(cells: &[bool]) -> Vec<(i16, i16)> {
    let mut start = 0;
    let mut found = Vec::new();
    for run in cells.chunk_by(|one, other| one == other) {
        let length = i16::try_from(run.len()).unwrap_or_default();
        if run.contains(&true) {
            found.push((start, length));
        }
        start += length;
    }
    found
}

/// Writes polygons of one colour as one path, or a disc.
fn write_group(svg: &mut String, group: &[(Colour, Shape)]) {
    // Writing to a string does not fail.
    if let Some((colour, Shape::Disc { x, y, radius })) = group.first() {
        write!(
            svg,
            "<circle cx=\"{x}\" cy=\"{y}\" r=\"{radius}\" fill=\"#{colour}\"/>"
        )
        .ok();
        return;
    }
    let Some((colour, _)) = group.first() else {
        return;
    };
    write!(svg, "<path fill=\"#{colour}\" d=\"").ok();
    for (_, shape) in group {
        if let Shape::Polygon(corners) = shape {
            write_corners(svg, corners);
        }
    }
    svg.push_str("\"/>");
}

/// Writes each step to the next corner in its shortest form.
fn write_corners(svg: &mut String, corners: &[(i16, i16)]) {
    let Some((x, y)) = corners.first() else {
        return;
    };
    write!(svg, "M{x} {y}").ok();
    let mut is_line = false;
    for step in corners.windows(2) {
        let (across, down) = (step[1].0 - step[0].0, step[1].1 - step[0].1);
        // A sign separates numbers too.
        let gap = |number: i16| if number < 0 { "" } else { " " };
        let written = match (across, down) {
            (across, 0) => write!(svg, "h{across}"),
            (0, down) => write!(svg, "v{down}"),
            _ if is_line => write!(svg, "{}{across}{}{down}", gap(across), gap(down)),
            _ => write!(svg, "l{across}{}{down}", gap(down)),
        };
        written.ok();
        is_line = across != 0 && down != 0;
    }
    svg.push('z');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_written_in_their_shortest_form() {
        let mut tile = Tile::new(10, 10);
        tile.rect("ffffff", 1, 2, 3, 4);
        tile.diamond("ffffff", 5, 5, 2, 1);
        tile.disc("000000", 5, 5, 1);
        let mut svg = String::new();
        tile.write(&mut svg);
        assert_eq!(
            svg,
            "<path fill=\"#ffffff\" d=\"M1 2h3v4h-3zM5 4l2 1-2 1-2-1z\"/><circle cx=\"5\" cy=\"5\" r=\"1\" fill=\"#000000\"/>"
        );
    }

    #[test]
    fn corners_turn_the_same_way() {
        let mut tile = Tile::new(10, 10);
        tile.polygon("ffffff", &[(0, 0), (0, 4), (4, 4)]);
        let mut svg = String::new();
        tile.write(&mut svg);
        assert_eq!(svg, "<path fill=\"#ffffff\" d=\"M4 4h-4v-4z\"/>");
    }
}
