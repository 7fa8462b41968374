//! A drawing: areas that tiles fill. It is written as SVG, and read pixel by pixel.

use std::fmt::Write as _;

use super::tile::{Colour, Tile};

/// The size of a drawing, in units of its coordinates.
const WIDTH: i16 = 160;
const HEIGHT: i16 = 90;

/// A part of a drawing that a tile fills.
#[derive(Debug)]
struct Area {
    x: i16,
    y: i16,
    width: i16,
    height: i16,
    tile: Tile,
}

/// The picture of a listing.
#[derive(Debug)]
pub struct Drawing {
    ground: Colour,
    areas: Vec<Area>,
}

impl Drawing {
    pub(super) fn new(ground: Colour) -> Self {
        let areas = Vec::new();
        Self { ground, areas }
    }

    /// A drawing that a tile fills.
    pub(super) fn filled(ground: Colour, tile: Tile) -> Self {
        let mut drawing = Self::new(ground);
        drawing.fill(0, 0, WIDTH, HEIGHT, tile);
        drawing
    }

    /// Fills an area, from its upper left corner.
    pub(super) fn fill(&mut self, x: i16, y: i16, width: i16, height: i16, tile: Tile) {
        self.areas.push(Area {
            x,
            y,
            width,
            height,
            tile,
        });
    }

    /// The drawing as an SVG file.
    pub fn svg(&self) -> String {
        let ground = self.ground;
        // Writing to a string does not fail.
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" width=\"1200\" height=\"675\" \
             preserveAspectRatio=\"xMidYMid slice\"><path fill=\"#{ground}\" d=\"M0 0h{WIDTH}v{HEIGHT}H0z\"/>"
        );
        for (area, id) in self.areas.iter().zip('a'..='z') {
            let (x, y, width, height) = (area.x, area.y, area.width, area.height);
            let (tile_width, tile_height) = (area.tile.width, area.tile.height);
            write!(
                svg,
                "<pattern id=\"{id}\" x=\"{x}\" y=\"{y}\" width=\"{tile_width}\" height=\"{tile_height}\" \
                 patternUnits=\"userSpaceOnUse\">"
            )
            .ok();
            area.tile.write(&mut svg);
            write!(
                svg,
                "</pattern><path fill=\"url(#{id})\" d=\"M{x} {y}h{width}v{height}h-{width}z\"/>"
            )
            .ok();
        }
        svg.push_str("</svg>");
        svg
    }

    /// The red, green and blue of a point, in shares of the width and of the height.
    pub fn colour_at(&self, across: f32, down: f32) -> [u8; 3] {
        let (x, y) = (across * f32::from(WIDTH), down * f32::from(HEIGHT));
        let mut topmost = self.areas.iter().rev();
        let found = topmost.find_map(|area| {
            let (left, top) = (x - f32::from(area.x), y - f32::from(area.y));
            let is_inside = (0.0..f32::from(area.width)).contains(&left)
                && (0.0..f32::from(area.height)).contains(&top);
            let tile = &area.tile;
            let (left, top) = (left % f32::from(tile.width), top % f32::from(tile.height));
            is_inside.then(|| tile.colour_at(left, top)).flatten()
        });
        bytes_of(found.unwrap_or(self.ground))
    }
}

fn bytes_of(colour: Colour) -> [u8; 3] {
    let mut bytes = [0; 3];
    // Colours are constants of six digits.
    hex::decode_to_slice(colour, &mut bytes).ok();
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_point_has_the_colour_of_the_topmost_shape() {
        let mut tile = Tile::new(40, 45);
        tile.rect("ff0000", 0, 0, 20, 45);
        tile.disc("0000ff", 10, 10, 5);
        let drawing = Drawing::filled("00ff00", tile);
        for (x, y, colour) in [
            (2.0, 30.0, [255, 0, 0]),
            (10.0, 10.0, [0, 0, 255]),
            (30.0, 10.0, [0, 255, 0]),
            // The tile repeats.
            (50.0, 55.0, [0, 0, 255]),
        ] {
            assert_eq!(drawing.colour_at(x / 160.0, y / 90.0), colour, "{x} {y}");
        }
    }
}
