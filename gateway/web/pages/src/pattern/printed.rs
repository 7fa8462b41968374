//! Printed cloth: shweshwe and kanga.

use super::drawing::Drawing;
use super::random::Random;
use super::tile::{CORNERS, Colour, SIDES, Tile};

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
            tile.leaf(light, x, y, side, [7, radius + 6, 4 + kind]);
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
