//! Woven cloth: kente, panu, tibeb, the raffia of the Kuba, and the silk of Madagascar.

use super::drawing::Drawing;
use super::random::Random;
use super::tile::{Colour, Tile, Weave};

/// Strips of silk and cotton, in which blocks of stripes alternate with blocks of motifs (Ghana, Togo, Côte d'Ivoire).
pub(super) fn kente(random: &mut Random) -> Drawing {
    let [gold, first, second, dark] = random.pick(&[
        ["f4b41a", "1d7a3e", "c8202f", "17130f"],
        ["f4b41a", "1f3f94", "b8212b", "10131f"],
        ["ef9c1b", "17713f", "c23a22", "17130f"],
        ["e8b021", "7a1f3d", "20603b", "160f12"],
    ]);
    let mut tile = Tile::new(40, 30);
    for (x, y) in [(0, 0), (20, 15)] {
        let colours = random.shuffled([gold, first, second]);
        stripes(random, &mut tile, colours, x, y);
    }
    for (x, y) in [(20, 0), (0, 15)] {
        let [ground, thread] = random.pick(&[
            [dark, gold],
            [first, gold],
            [second, gold],
            [gold, dark],
            [gold, second],
        ]);
        tile.rect(ground, x, y, 20, 15);
        let weave = Weave {
            columns: 5,
            rows: 5,
            cell_width: 4,
            cell_height: 3,
        };
        tile.weave(random, thread, x, y, weave);
    }
    for x in [0, 20] {
        tile.rect(dark, x, 0, 1, 30);
    }
    Drawing::filled(dark, tile)
}

/// A block of three wide or five narrow stripes.
fn stripes(random: &mut Random, tile: &mut Tile, colours: [Colour; 3], x: i16, y: i16) {
    let [outer, between, middle] = colours;
    let order = [outer, between, middle, between, outer];
    let (stripes, height) = if random.below(2) == 0 {
        (&order[..3], 5)
    } else {
        (&order[..], 3)
    };
    let mut top = y;
    for colour in stripes.iter().copied() {
        tile.rect(colour, x, top, 20, height);
        top += height;
    }
}

/// Pano d'obra: narrow strips with stepped motifs, dark on light and light on dark (Cabo Verde, Guinea-Bissau, Senegal).
pub(super) fn panu(random: &mut Random) -> Drawing {
    let [dark, light, edge] = random.pick(&[
        ["14161f", "f3efe6", "8a93a8"],
        ["1a2148", "eef0f6", "9c2c3a"],
        ["101820", "f1e9d8", "b5832c"],
        ["241432", "f3ecf5", "7f6aa0"],
    ]);
    let mut tile = Tile::new(64, 45);
    let weave = Weave {
        columns: 7,
        rows: 9,
        cell_width: 4,
        cell_height: 5,
    };
    for (x, ground, thread) in [(0, dark, light), (32, light, dark)] {
        tile.rect(ground, x, 0, 32, 45);
        tile.weave(random, thread, x + 2, 0, weave);
        tile.rect(edge, x, 0, 1, 45);
        tile.rect(edge, x + 31, 0, 1, 45);
    }
    Drawing::filled(light, tile)
}

/// White cotton with a wide coloured border (Ethiopia, Eritrea).
pub(super) fn tibeb(random: &mut Random) -> Drawing {
    let [ground, first, second] = random.pick(&[
        ["1b7a43", "f2b632", "c3272b"],
        ["1f3f94", "f2b632", "b3242f"],
        ["7a1f5c", "e6a23a", "1d6a5b"],
        ["b3242f", "e8b23a", "20201f"],
        ["0f6f86", "f0b73a", "d0532a"],
    ]);
    let [thread, other] = random.shuffled([first, second]);
    let mut cloth = Tile::new(4, 4);
    cloth.rect("efe7d6", 0, 0, 4, 1);
    cloth.rect("f4eee1", 0, 0, 1, 4);
    let mut drawing = Drawing::filled("fbf7ee", cloth);
    let mut band = Tile::new(40, 45);
    band.rect(ground, 0, 0, 40, 45);
    let weave = Weave {
        columns: 9,
        rows: 7,
        cell_width: 4,
        cell_height: 5,
    };
    band.weave(random, thread, 2, 5, weave);
    band.diamond(other, 20, 22, 4, 5);
    for y in [0, 43] {
        band.rect(other, 0, y, 40, 2);
    }
    for y in [3, 41] {
        band.rect(thread, 0, y, 40, 1);
    }
    let top = random.pick(&[18, 24, 30]);
    drawing.fill(0, top, 160, 45, band);
    let (width, kind) = (random.pick(&[8, 10, 16, 20]), random.below(3));
    for y in [top - 10, top + 49] {
        let mut line = Tile::new(width, 6);
        match kind {
            0 => line.diamond(ground, width / 2, 3, width / 2 - 1, 3),
            1 => line.polygon(other, &[(0, 6), (width / 2, 0), (width, 6)]),
            _ => {
                line.rect(ground, 0, 0, width, 2);
                line.rect(thread, 1, 3, width / 2, 2);
            }
        }
        drawing.fill(0, y, 160, 6, line);
    }
    drawing
}

/// Raffia with cut pile: lozenges, hooks and chevrons, each field with another rhythm (Congo, Gabon, Angola).
pub(super) fn kuba(random: &mut Random) -> Drawing {
    let [raffia, dark, rust] = random.pick(&[
        ["d9b97a", "2a1a10", "9a4f24"],
        ["e3c88f", "1d1410", "7d2f1d"],
        ["caa564", "24170f", "efe0bb"],
        ["d2b48a", "3a1d14", "b06a2c"],
        ["dcc59a", "23201c", "8f3b1f"],
        ["c9a878", "1b1512", "6d2018"],
    ]);
    let (seam, thick) = random.pick(&[(raffia, 1), (raffia, 2), (dark, 1), (rust, 1), (rust, 2)]);
    let mut tile = Tile::new(80, 60);
    for (x, y) in [(0, 0), (40, 0), (0, 30), (40, 30)] {
        let (kind, variant) = (random.below(4), random.below(16));
        let colours = [raffia, dark, rust];
        match kind {
            0 | 1 => lozenges(&mut tile, colours, kind == 1, variant, x, y),
            2 => hooks(&mut tile, colours, variant, x, y),
            _ => chevrons(&mut tile, colours, variant, x, y),
        }
        tile.rect(seam, x, y, 40, thick);
        tile.rect(seam, x, y, thick, 30);
    }
    Drawing::filled(raffia, tile)
}

fn lozenges(
    tile: &mut Tile,
    [raffia, dark, rust]: [Colour; 3],
    is_cut: bool,
    variant: i16,
    x: i16,
    y: i16,
) {
    let widths = if variant % 2 == 1 {
        [20, 16, 13, 9, 6, 3]
    } else {
        [20, 17, 12, 9, 5, 2]
    };
    let inner = if variant < 8 { dark } else { rust };
    let order = [dark, raffia, dark, raffia, inner, raffia];
    for (width, colour) in widths.into_iter().zip(order) {
        tile.diamond(colour, x + 20, y + 15, width, width * 3 / 4);
    }
    if is_cut {
        let length = 6 + variant % 4;
        tile.rect(raffia, x + 19, y + 1, 2, length);
        tile.rect(raffia, x + 19, y + 29 - length, 2, length);
    }
}

fn hooks(tile: &mut Tile, [_, dark, rust]: [Colour; 3], variant: i16, x: i16, y: i16) {
    let thick = 2 + variant % 2;
    let mut colours = [dark; 4];
    colours[usize::from(variant.unsigned_abs() / 2 % 4)] = rust;
    for (step, colour) in (0..4).zip(colours) {
        let (left, top) = (x + 2 + 4 * step, y + 2 + 3 * step);
        let (width, height) = (36 - 8 * step, 26 - 6 * step);
        tile.rect(dark, left, top, width, 2);
        tile.rect(dark, left, top, thick, height);
        if variant > 7 {
            tile.rect(colour, left + width - thick, top, thick, height);
        } else {
            tile.rect(dark, left, top + height - 2, width - 2 * thick, 2);
        }
    }
}

fn chevrons(tile: &mut Tile, [_, dark, rust]: [Colour; 3], variant: i16, x: i16, y: i16) {
    for step in 0..5 {
        let colour = if step * variant % 3 == 2 { rust } else { dark };
        let left = x + 8 * step;
        let (top, bottom) = (y + 2 + variant % 3, y + 28 - variant % 3);
        let corners = [
            (left, top),
            (left + 4, top),
            (left + 8, y + 15),
            (left + 4, bottom),
            (left, bottom),
            (left + 4, y + 15),
        ];
        tile.polygon(colour, &corners);
    }
}

/// Stripes of silk, with two bands of motifs across them (Madagascar, and the islands around it).
pub(super) fn lamba(random: &mut Random) -> Drawing {
    let [first, second, third, fourth, light] = random.pick(&[
        ["7a1f3d", "e0a52e", "2f5d3a", "1d2b53", "f2e3c2"],
        ["b0302b", "f0b83c", "15616d", "3a1d4f", "f4e9d2"],
        ["4b1d52", "d98c1f", "1f6f54", "b8293f", "f1dfb8"],
        ["1c3f6e", "c8452b", "e6b23a", "2b7a5b", "f5ead3"],
    ]);
    let colours = random.shuffled([first, second, third, fourth]);
    let mut stripes = Tile::new(80, 90);
    let (mut x, mut last) = (0, colours[3]);
    for width in random.shuffled([2, 3, 4, 5, 6, 8, 12]) {
        let others: Vec<Colour> = colours.into_iter().filter(|it| *it != last).collect();
        last = random.pick(&others);
        stripes.mirrored(last, &[(x, 0), (x + width, 0), (x + width, 90), (x, 90)]);
        x += width;
    }
    let mut drawing = Drawing::filled(light, stripes);
    let mut wide = Tile::new(20, 14);
    wide.rect(colours[0], 0, 0, 20, 14);
    let weave = Weave {
        columns: 9,
        rows: 5,
        cell_width: 2,
        cell_height: 2,
    };
    wide.weave(random, light, 1, 2, weave);
    let mut narrow = Tile::new(16, 9);
    narrow.rect(light, 0, 0, 16, 9);
    let weave = Weave {
        columns: 7,
        rows: 7,
        cell_width: 2,
        cell_height: 1,
    };
    narrow.weave(random, colours[1], 1, 1, weave);
    let (upper, lower) = random.pick(&[(12, 46), (20, 54), (54, 20), (60, 16), (30, 64)]);
    drawing.fill(0, upper, 160, 14, wide);
    drawing.fill(0, lower, 160, 9, narrow);
    drawing
}
