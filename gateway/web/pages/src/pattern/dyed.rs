//! Dyed, painted and printed cloth: adire, bogolan, shweshwe and kanga.

use super::drawing::{Colour, Drawing, Tile};
use super::random::Random;

/// The steps to the four neighbours, and to the four corners.
const SIDES: [(i16, i16); 4] = [(1, 0), (0, 1), (-1, 0), (0, -1)];
const CORNERS: [(i16, i16); 4] = [(1, 1), (-1, 1), (-1, -1), (1, -1)];

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
        leaf(
            tile,
            light,
            x,
            y,
            side,
            [6, 13 - variant % 2, 3 + variant / 2],
        );
    }
    for (across, down) in CORNERS {
        tile.disc(middle, x + 9 * across, y + 9 * down, 3);
    }
}

/// A leaf from the middle to one side. Its measures: where it is widest, its length, and half of its width.
fn leaf(
    tile: &mut Tile,
    colour: Colour,
    x: i16,
    y: i16,
    (across, down): (i16, i16),
    [widest, length, half]: [i16; 3],
) {
    let (middle_x, middle_y) = (x + across * widest, y + down * widest);
    let corners = [
        (x, y),
        (middle_x - down * half, middle_y - across * half),
        (x + across * length, y + down * length),
        (middle_x + down * half, middle_y + across * half),
    ];
    tile.polygon(colour, &corners);
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

/// Fine white dots in rosettes on one strong colour (Lesotho, Eswatini, Botswana, Namibia).
pub(super) fn shweshwe(random: &mut Random) -> Drawing {
    let ground = random.pick(&["1d2f6f", "14234f", "6b3a1e", "a4243b", "0f5d63", "2f4f2a"]);
    let accent = random.pick(&["f6f1e4", "a9c3ee", "f2c14e", "e8a27c"]);
    let mut drawing = Drawing::new(ground);
    // The second rosette stands between four of the first.
    for (x, y) in [(-20, -18), (0, 0)] {
        let mut tile = Tile::new(40, 36);
        rosette(random, &mut tile, accent, ground);
        drawing.fill(x, y, 160 - x, 90 - y, tile);
    }
    drawing
}

fn rosette(random: &mut Random, tile: &mut Tile, accent: Colour, ground: Colour) {
    let step = random.pick(&[3, 4]);
    let places = random.shuffled([
        (1, 0),
        (1, 1),
        (2, 0),
        (2, 1),
        (2, 2),
        (3, 0),
        (3, 1),
        (3, 2),
        (3, 3),
        (4, 0),
    ]);
    for (far, near) in places.into_iter().take(4) {
        let mut dots: Vec<(i16, i16)> = [(far, near), (near, far)]
            .into_iter()
            .flat_map(|(x, y)| [(x, y), (-x, y), (x, -y), (-x, -y)])
            .collect();
        dots.sort_unstable();
        dots.dedup();
        for (x, y) in dots {
            tile.diamond("f6f1e4", 20 + x * step, 18 + y * step, 1, 1);
        }
    }
    match random.below(4) {
        0 => {
            for (radius, colour) in [(3, accent), (2, ground), (1, accent)] {
                tile.disc(colour, 20, 18, radius);
            }
        }
        1 => {
            tile.diamond(accent, 20, 18, 4, 4);
            tile.diamond(ground, 20, 18, 2, 2);
        }
        2 => {
            tile.diamond(accent, 20, 18, 5, 2);
            tile.diamond(accent, 20, 18, 2, 5);
        }
        _ => tile.disc(accent, 20, 18, 2),
    }
}

/// A printed cloth with flowers between two borders (Kenya, Tanzania, Uganda and their neighbours).
pub(super) fn kanga(random: &mut Random) -> Drawing {
    let [ground, light, accent, dark] = random.pick(&[
        ["c8202f", "fff4dc", "f4b41a", "17130f"],
        ["f2a516", "6a1b2d", "fff6df", "17130f"],
        ["12675b", "fdf0d2", "f28c28", "0d1f1c"],
        ["5b2a86", "fce9c8", "f4b41a", "1c0f2a"],
        ["1559a6", "fff2da", "f25c3b", "0d1a33"],
        ["d9480f", "fff4e0", "1d3a6b", "2b130a"],
    ]);
    let [light, accent] = random.shuffled([light, accent]);
    let colours = [ground, light, accent, dark];
    let margin = random.pick(&[15, 18]);
    // The border repeats behind the flowers: its height divides that of the drawing.
    let mut border = Tile::new(random.pick(&[10, 16, 20]), margin);
    paint_border(random, &mut border, colours);
    let mut drawing = Drawing::filled(ground, border);
    let height = 90 - 2 * margin;
    let mut field = Tile::new(40, height);
    field.rect(ground, 0, 0, 40, height);
    flower(random, &mut field, colours);
    between_flowers(random, &mut field, colours);
    drawing.fill(0, margin, 160, height, field);
    drawing
}

fn paint_border(random: &mut Random, tile: &mut Tile, [_, light, accent, dark]: [Colour; 4]) {
    let (width, height, half, middle) = (tile.width, tile.height, tile.width / 2, tile.height / 2);
    tile.rect(dark, 0, 0, width, height);
    match random.below(5) {
        0 => {
            tile.polygon(light, &[(0, height - 3), (half, 3), (width, height - 3)]);
            tile.polygon(
                accent,
                &[
                    (half - 3, height - 3),
                    (half, height - 8),
                    (half + 3, height - 3),
                ],
            );
        }
        1 => {
            tile.disc(accent, half, middle, (half - 1).min(middle - 3));
            tile.disc(dark, half, middle, 2);
        }
        2 => {
            tile.diamond(light, half, middle, half - 1, middle - 3);
            tile.diamond(accent, half, middle, half - 3, middle - 5);
        }
        3 => {
            let (low, high) = (height - 3, 3);
            let corners = [
                (0, high),
                (half, low - 3),
                (width, high),
                (width, high + 3),
                (half, low),
                (0, high + 3),
            ];
            tile.polygon(light, &corners);
        }
        _ => {
            for (stripe, colour) in (0..width / 5).zip([light, accent, light, accent]) {
                tile.rect(colour, 1 + 5 * stripe, 4, 3, height - 8);
            }
        }
    }
    let (line, colour) = random.pick(&[(1, accent), (2, light), (1, light)]);
    tile.rect(colour, 0, 0, width, line);
    tile.rect(colour, 0, height - line, width, line);
}

fn flower(random: &mut Random, tile: &mut Tile, [_, light, accent, dark]: [Colour; 4]) {
    let (x, y) = (20, tile.height / 2);
    let (kind, radius) = (random.below(4), random.pick(&[11, 12, 13, 14]));
    for side in SIDES {
        let (across, down) = side;
        if kind < 2 {
            tile.disc(light, x + across * radius, y + down * radius, 6);
        } else {
            leaf(tile, light, x, y, side, [7, radius + 6, 4 + kind]);
        }
    }
    for (across, down) in CORNERS {
        match kind {
            0 => {}
            1 => tile.disc(accent, x + 8 * across, y + 8 * down, 5),
            kind => tile.disc(accent, x + 10 * across, y + 10 * down, 3 + kind % 2),
        }
    }
    for (across, down) in SIDES.into_iter().filter(|_| kind < 2) {
        let colour = if kind == 0 { accent } else { dark };
        tile.disc(colour, x + across * radius, y + down * radius, 3);
    }
    tile.disc(dark, x, y, random.pick(&[6, 7, 8]));
    tile.disc(accent, x, y, random.pick(&[3, 4, 5]));
    tile.disc(light, x, y, random.pick(&[1, 2]));
}

/// Dots and lozenges that stand between the flowers.
fn between_flowers(random: &mut Random, tile: &mut Tile, [_, light, accent, dark]: [Colour; 4]) {
    let (size, variant) = (random.below(4) + 3, random.below(8));
    let (height, above) = (tile.height, size + 2);
    for (x, y) in [
        (0, above),
        (40, above),
        (0, height - above),
        (40, height - above),
    ] {
        if variant % 2 == 1 {
            tile.disc(accent, x, y, size);
        } else {
            tile.diamond(accent, x, y, size, size + 1);
        }
        if variant > 3 {
            tile.disc(dark, x, y, 1 + variant / 2 % 2);
        }
    }
    for x in [0, 40].into_iter().filter(|_| variant % 4 > 1) {
        tile.diamond(light, x, height / 2, 2 + variant / 4 * 2, 4);
    }
}
