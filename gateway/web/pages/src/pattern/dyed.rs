//! Dyed and painted cloth: adire and bogolan.

use super::drawing::Drawing;
use super::random::Random;
use super::tile::{CORNERS, Colour, SIDES, Tile};

/// Squares of indigo with motifs that resist the dye (Nigeria, Benin, Cameroon).
pub(super) fn adire(random: &mut Random) -> Drawing {
    let inks = random.pick(&[
        ["1b2a63", "4f74b8", "dfe8f6"],
        ["16224f", "6d8fcb", "e8eefb"],
        ["20307a", "93aede", "f1f4fb"],
        ["123052", "4a86b0", "e3f0f4"],
    ]);
    let [deep, middle, light] = inks;
    let mut tile = Tile::new(60, 60);
    let kinds = random.shuffled([0, 1, 2, 3, 4, 5]);
    for ((x, y), kind) in [(15, 15), (45, 15), (15, 45), (45, 45)]
        .into_iter()
        .zip(kinds)
    {
        let variant = random.below(8);
        match kind {
            0 => rings(&mut tile, inks, variant, x, y),
            1 => tied_dots(&mut tile, inks, variant, x, y),
            2 => nested_squares(&mut tile, inks, variant, x, y),
            3 => leaves(&mut tile, inks, variant, x, y),
            4 => combed_lines(&mut tile, inks, variant, x, y),
            _ => star(&mut tile, inks, variant, x, y),
        }
    }
    let (line, knot) = (random.pick(&[middle, light]), random.below(5));
    for at in [0, 30] {
        tile.rect(line, 0, at, 60, 1);
        tile.rect(line, at, 0, 1, 60);
    }
    tile.diamond(line, 30, 30, knot, knot);
    Drawing::filled(deep, tile)
}

fn rings(tile: &mut Tile, [deep, middle, light]: [Colour; 3], variant: i16, x: i16, y: i16) {
    for (radius, colour) in [(13, light), (10, deep), (7, light)] {
        tile.disc(colour, x, y, radius);
    }
    if variant % 2 == 1 {
        tile.disc(deep, x, y, 4);
    }
    tile.disc(middle, x, y, 1 + variant / 2);
}

fn tied_dots(tile: &mut Tile, [_, middle, light]: [Colour; 3], variant: i16, x: i16, y: i16) {
    for at in (0..25).filter(|at| (at + variant) % 2 == 0) {
        let (column, row) = (at % 5, at / 5);
        let is_light = column * row % 3 != 0 || variant % 4 > 1;
        let colour = if is_light { light } else { middle };
        let radius = 2 - variant / 4;
        tile.diamond(
            colour,
            x - 12 + 6 * column,
            y - 12 + 6 * row,
            radius,
            radius,
        );
    }
}

fn nested_squares(
    tile: &mut Tile,
    [deep, middle, light]: [Colour; 3],
    variant: i16,
    x: i16,
    y: i16,
) {
    let half = 13 - variant % 2;
    let inner = if variant > 3 { light } else { middle };
    for (inset, colour) in [(0, light), (4, deep), (8, inner)] {
        let half = half - inset;
        tile.rect(colour, x - half, y - half, 2 * half, 2 * half);
    }
    if variant % 4 > 1 {
        tile.diamond(deep, x, y, 3, 3);
    }
}

fn leaves(tile: &mut Tile, [_, middle, light]: [Colour; 3], variant: i16, x: i16, y: i16) {
    for side in SIDES {
        tile.leaf(light, x, y, side, [6, 13 - variant % 2, 3 + variant / 2]);
    }
    for (across, down) in CORNERS {
        tile.disc(middle, x + 9 * across, y + 9 * down, 3);
    }
}

fn combed_lines(tile: &mut Tile, [_, middle, light]: [Colour; 3], variant: i16, x: i16, y: i16) {
    for line in 0..5 {
        let is_light = line % 2 == variant % 2;
        let colour = if is_light { light } else { middle };
        tile.rect(colour, x - 12, y - 12 + 5 * line, 24, 1 + variant / 2);
    }
}

fn star(tile: &mut Tile, [deep, middle, light]: [Colour; 3], variant: i16, x: i16, y: i16) {
    tile.diamond(light, x, y, 13, 4 + variant);
    tile.diamond(light, x, y, 4 + variant, 13);
    tile.disc(deep, x, y, 4);
    tile.disc(middle, x, y, 2);
}

/// Panels of cream signs on mud-dyed cotton (Mali, Burkina Faso, Guinea).
pub(super) fn bogolan(random: &mut Random) -> Drawing {
    let [dark, cream] = random.pick(&[
        ["2b1c12", "e8d6b0"],
        ["1c1714", "efe2c6"],
        ["4a2b17", "f0dcb2"],
        ["33211a", "d9b67f"],
    ]);
    let warm = random.pick(&["b46c30", "a85c2e", "b9812f", cream]);
    let widths = random.pick(&[
        [28, 36, 32, 36, 28],
        [40, 24, 32, 24, 40],
        [20, 40, 40, 40, 20],
        [32, 32, 32, 32, 32],
    ]);
    let mut drawing = Drawing::new(dark);
    let mut seams = Tile::new(160, 90);
    let kinds = random.shuffled([0, 1, 2, 3, 4, 5, 6]);
    let mut x = 0;
    for ((width, kind), colour) in widths
        .into_iter()
        .zip(kinds)
        .zip([cream, warm, cream, warm, cream])
    {
        let variant = random.below(4);
        let height = [18, 15, 10, 9][usize::from(variant.unsigned_abs())];
        let mut tile = Tile::new(width, height);
        match kind {
            0 => zigzag(&mut tile, colour),
            1 => crosses(&mut tile, colour),
            2 => dots(&mut tile, colour, 2 + variant % 2),
            3 => lozenges(&mut tile, colour, dark),
            4 => saltires(&mut tile, colour),
            5 => combs(&mut tile, colour),
            _ => hoops(&mut tile, colour, dark),
        }
        drawing.fill(x, 0, width, 90, tile);
        x += width;
    }
    // One colour after the other, so that each is one path.
    for (colour, start) in [(cream, -1), (warm, 1)] {
        let mut x = start;
        for width in widths {
            x += width;
            seams.rect(colour, x, 0, 1, 90);
        }
    }
    drawing.fill(0, 0, 160, 90, seams);
    drawing
}

fn zigzag(tile: &mut Tile, colour: Colour) {
    let (width, half, middle) = (tile.width, tile.width / 2, tile.height / 2);
    let corners = [
        (0, 0),
        (half, middle),
        (width, 0),
        (width, 3),
        (half, middle + 3),
        (0, 3),
    ];
    tile.polygon(colour, &corners);
}

fn crosses(tile: &mut Tile, colour: Colour) {
    let (width, half, height) = (tile.width, tile.width / 2, tile.height);
    let arm = height / 2 - 2;
    tile.rect(colour, half - 1, 2, 2, height - 4);
    tile.rect(colour, half - arm, height / 2 - 1, 2 * arm, 2);
    for x in [4, width - 4] {
        tile.disc(colour, x, height / 2, 1);
    }
}

fn dots(tile: &mut Tile, colour: Colour, radius: i16) {
    let (width, height) = (tile.width, tile.height);
    for column in 0..(width + 1) / 8 {
        tile.diamond(colour, 4 + 8 * column, height / 2, radius, radius);
    }
}

fn lozenges(tile: &mut Tile, colour: Colour, ground: Colour) {
    let (half, middle) = (tile.width / 2, tile.height / 2);
    tile.diamond(colour, half, middle, half - 3, middle);
    tile.diamond(ground, half, middle, half - 7, middle - 3);
    tile.diamond(colour, half, middle, 3, 1);
}

fn saltires(tile: &mut Tile, colour: Colour) {
    let (width, bottom) = (tile.width, tile.height - 1);
    let stroke = [(4, 1), (7, 1), (width - 4, bottom), (width - 7, bottom)];
    tile.mirrored(colour, &stroke);
}

fn combs(tile: &mut Tile, colour: Colour) {
    let (width, height) = (tile.width, tile.height);
    tile.rect(colour, 4, 0, width - 8, 2);
    for tooth in 0..(width - 5) / 6 {
        tile.rect(colour, 6 + 6 * tooth, 4, 2, (height - 7).max(2));
    }
}

fn hoops(tile: &mut Tile, colour: Colour, ground: Colour) {
    let (width, half, middle) = (tile.width, tile.width / 2, tile.height / 2);
    tile.disc(colour, half, middle, middle - 1);
    tile.disc(ground, half, middle, (middle - 3).max(1));
    for x in [3, width - 6] {
        tile.rect(colour, x, middle - 1, 3, 2);
    }
}
