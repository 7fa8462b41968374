//! Walls and tents: murals of the Ndebele, zellige tiles, and the appliqué of Cairo.

use super::drawing::Drawing;
use super::random::Random;
use super::tile::{CORNERS, Colour, SIDES, Tile};

const BLACK: Colour = "17130f";

/// Bold shapes in black outlines, the same on both sides (South Africa, Zimbabwe).
pub(super) fn ndebele(random: &mut Random) -> Drawing {
    let white = random.pick(&["fbf7ee", "fdf3dc", "f4efe6"]);
    let colours = random.shuffled([
        "1f5fbf", "1b9a59", "f5c518", "d7263d", "f08bb0", "8a4a22", "16a3b8",
    ]);
    let mut tile = Tile::new(80, 90);
    let kinds = random.shuffled([0, 1, 2, 3, 4, 5]);
    for (row, kind) in (0..3_i16).zip(kinds) {
        let (y, variant) = (30 * row, random.below(4));
        let place = usize::from(row.unsigned_abs()) * 2;
        let inks = [colours[place], colours[place + 1], white];
        match kind {
            0 => steps(&mut tile, inks, y),
            1 => gable(&mut tile, inks, variant, y),
            2 => arrows(&mut tile, inks, variant, y),
            3 => bars(&mut tile, inks, variant, y),
            4 => blades(&mut tile, inks, variant, y),
            _ => zigzag(&mut tile, inks, y),
        }
        tile.rect(BLACK, 0, y, 80, 2);
    }
    Drawing::filled(white, tile)
}

fn steps(tile: &mut Tile, [first, second, _]: [Colour; 3], y: i16) {
    for (inset, colour) in [(0, BLACK), (2, first)] {
        for step in 0..3 {
            let (left, top) = (8 + 10 * step + inset, 22 - 8 * step + inset);
            tile.rect(colour, left, y + top, 80 - 2 * left, 30 - top);
        }
    }
    tile.diamond(BLACK, 40, y + 20, 7, 7);
    tile.diamond(second, 40, y + 20, 5, 5);
}

fn gable(tile: &mut Tile, [first, second, white]: [Colour; 3], variant: i16, y: i16) {
    let inner = if variant % 2 == 1 { second } else { white };
    for (half, bottom, top, colour) in [
        (36, 29, 1, BLACK),
        (30, 27, 4, first),
        (18, 27, 13, BLACK),
        (13, 27, 17, inner),
    ] {
        tile.polygon(
            colour,
            &[
                (40 - half, y + bottom),
                (40, y + top),
                (40 + half, y + bottom),
            ],
        );
    }
}

fn arrows(tile: &mut Tile, [first, second, white]: [Colour; 3], variant: i16, y: i16) {
    tile.mirrored(BLACK, &[(0, y), (24, y + 15), (0, y + 30)]);
    tile.mirrored(first, &[(0, y + 4), (18, y + 15), (0, y + 26)]);
    tile.diamond(BLACK, 40, y + 15, 18 - variant, 15);
    tile.diamond(second, 40, y + 15, 14 - variant, 11);
    tile.diamond(white, 40, y + 15, 6, 5);
}

fn bars(tile: &mut Tile, [first, second, white]: [Colour; 3], variant: i16, y: i16) {
    let width = [20, 16, 13, 10][usize::from(variant.unsigned_abs())];
    tile.rect(BLACK, 0, y + 2, 80, 26);
    let colours = [first, second, white, first];
    for (bar, colour) in (0..4).zip(colours).filter(|(bar, _)| bar * width < 36) {
        let left = bar * width + 2;
        // The bars of both sides meet in the middle.
        let right = if (bar + 1) * width >= 40 {
            40
        } else {
            left + width - 3
        };
        tile.mirrored(
            colour,
            &[
                (left, y + 4),
                (right, y + 4),
                (right, y + 26),
                (left, y + 26),
            ],
        );
    }
}

fn blades(tile: &mut Tile, [first, second, white]: [Colour; 3], variant: i16, y: i16) {
    tile.rect(BLACK, 4, y + 4, 72, 22);
    tile.rect(first, 6, y + 6, 68, 18);
    let point = 20 + 2 * variant;
    tile.mirrored(BLACK, &[(6, y + 6), (point, y + 15), (6, y + 24)]);
    tile.mirrored(second, &[(6, y + 9), (point - 5, y + 15), (6, y + 21)]);
    tile.rect(BLACK, 32, y + 10, 16, 10);
    tile.rect(white, 34, y + 12, 12, 6);
}

fn zigzag(tile: &mut Tile, [first, second, _]: [Colour; 3], y: i16) {
    for (inset, colour) in [(0, BLACK), (3, first)] {
        let height = |at: i16| if at % 2 == 0 { 8 } else { 22 };
        let upper = (0..=8).map(|at| (10 * at, y + height(at) + inset));
        let lower = (0..=8)
            .rev()
            .map(|at| (10 * at, y + height(at) - inset + 8));
        let corners: Vec<(i16, i16)> = upper.chain(lower).collect();
        tile.polygon(colour, &corners);
    }
    for at in 0..4 {
        tile.diamond(second, 10 + 20 * at, y + 8, 3, 4);
    }
}

/// Stars of eight points from cut tiles (Morocco, Algeria, Tunisia, Libya).
pub(super) fn zellige(random: &mut Random) -> Drawing {
    let light = random.pick(&["f5efe0", "f8f4ea", "efe6d0", "e9eef0"]);
    let [first, second, third, dark] = random.pick(&[
        ["0f5e8c", "14806e", "d99a2b", "17202a"],
        ["0b6b5d", "1f3f94", "b5552b", "1c2320"],
        ["14708a", "8a2f2f", "e0a83c", "16222b"],
        ["1d4f9c", "3a8f5c", "e3b23c", "101a2c"],
    ]);
    let ground = random.pick(&[light, dark]);
    let mut tile = Tile::new(60, 60);
    for (x, y) in [(15, 15), (45, 15), (15, 45), (45, 45)] {
        let [outer, middle, inner] = random.shuffled([first, second, third]);
        let variant = random.below(5);
        eight_points(&mut tile, outer, x, y, 10);
        if variant > 0 {
            eight_points(&mut tile, light, x, y, 7);
        }
        eight_points(&mut tile, middle, x, y, 5);
        if variant % 2 == 1 {
            tile.diamond(inner, x, y, 4, 4);
        } else if variant > 0 {
            eight_points(&mut tile, inner, x, y, 3);
            tile.disc(light, x, y, 1);
        }
    }
    let between = random.shuffled([first, second, third]);
    for (x, y, colour) in [
        (0, 0, between[0]),
        (60, 0, between[0]),
        (30, 30, between[0]),
        (0, 60, between[0]),
        (60, 60, between[0]),
        (30, 0, between[1]),
        (0, 30, between[1]),
        (60, 30, between[1]),
        (30, 60, between[1]),
    ] {
        tile.diamond(colour, x, y, 6, 6);
    }
    Drawing::filled(ground, tile)
}

/// A square and a square on its corner, of half this width.
fn eight_points(tile: &mut Tile, colour: Colour, x: i16, y: i16, half: i16) {
    tile.rect(colour, x - half, y - half, 2 * half, 2 * half);
    let point = half * 7 / 5;
    tile.diamond(colour, x, y, point, point);
}

/// Rosettes that are sewn onto the cloth of tents (Egypt, Sudan).
pub(super) fn khayamiya(random: &mut Random) -> Drawing {
    let [ground, first, second, light] = random.pick(&[
        ["a8252b", "1d3f7f", "e6ad3a", "f8f1e0"],
        ["1d3a73", "b3272c", "e9b44c", "f7f0de"],
        ["17604d", "b3272c", "efbf55", "f9f3e4"],
        ["f3e6c8", "b0262b", "1d4f7f", "2b1b14"],
        ["20242f", "c0392b", "e2a93b", "f6efdf"],
    ]);
    let mut tile = Tile::new(54, 45);
    let colours = [ground, first, second, light];
    let petal_colours = random.shuffled([second, light]);
    petals(random, &mut tile, petal_colours);
    middle(random, &mut tile, colours);
    let (kind, size) = (random.below(4), random.below(3) + 5);
    for (x, y) in [(0, 0), (54, 0), (0, 45), (54, 45)] {
        if kind < 2 {
            tile.diamond(first, x, y, size + 3, size + 3);
            tile.diamond(second, x, y, size - 1, size - 1);
        } else {
            tile.disc(first, x, y, size + 1);
            tile.disc(light, x, y, size - 2);
        }
        if kind % 2 == 1 {
            tile.disc(ground, x, y, 2);
        }
    }
    let (kind, size) = (random.below(3), random.below(3) + 3);
    for (x, y) in [(27, 0), (27, 45), (0, 22), (54, 22)] {
        match kind {
            0 => tile.diamond(light, x, y, size, size),
            1 => tile.disc(second, x, y, size - 1),
            _ => {
                tile.rect(first, x - size, y - 1, 2 * size, 2);
                tile.rect(first, x - 1, y - size, 2, 2 * size);
            }
        }
    }
    Drawing::filled(ground, tile)
}

/// Four long petals to the sides, and four short ones between them.
fn petals(random: &mut Random, tile: &mut Tile, [long, short]: [Colour; 2]) {
    let (length, half) = (random.below(3) + 19, random.below(4) + 5);
    let (shorter, widest) = (random.below(4) + 6, random.below(4) + 5);
    for corner in CORNERS {
        let length = length * shorter / 10;
        let half = (half * 7 / 10).max(3);
        tile.leaf(short, 27, 22, corner, [length * widest / 10, length, half]);
    }
    for side in SIDES {
        tile.leaf(long, 27, 22, side, [length * widest / 10, length, half]);
    }
}

fn middle(random: &mut Random, tile: &mut Tile, [ground, first, second, light]: [Colour; 4]) {
    let variant = random.below(4);
    match random.below(3) {
        0 => {}
        1 => tile.disc(second, 27, 22, 8 + variant),
        _ => tile.disc(light, 27, 22, 8 + variant),
    }
    tile.disc(first, 27, 22, 6 + variant);
    tile.disc(light, 27, 22, 4 + variant / 2);
    match random.below(4) {
        0 => tile.diamond(ground, 27, 22, 4, 4),
        1 => {
            tile.rect(second, 25, 20, 4, 4);
            tile.diamond(second, 27, 22, 3, 3);
        }
        2 => tile.disc(first, 27, 22, 2),
        _ => {
            tile.disc(second, 27, 22, 3);
            tile.disc(ground, 27, 22, 1);
        }
    }
}
