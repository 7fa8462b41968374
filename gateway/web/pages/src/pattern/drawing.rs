//! A drawing: areas that tiles fill, written as SVG.

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
}
