#!/usr/bin/env python3
"""Writes gateway/web/pages/assets/africa.csv: the outlines of the countries of the directory, for the maps of the site.

Usage: outlines.py countries-50m.json > africa.csv
The input is of npm `world-atlas` 2.0.2 (`npm pack world-atlas@2.0.2`), which is Natural Earth 4.1, 1:50,000,000, in the public domain.
The projection is Lambert's azimuthal equal-area, with its centre at 2° N, 17° E, so that areas on the map can be compared.
"""
import json
import math
import sys

SCALE = 4800  # units of the map for the radius of the Earth
CENTRE = (17.0, 2.0)
# Codes of the directory by the names of Natural Earth. Somaliland is a part of Somalia, as for the United Nations.
CODES = {
    "Algeria": "DZ", "Angola": "AO", "Benin": "BJ", "Botswana": "BW", "Burkina Faso": "BF", "Burundi": "BI", "Cabo Verde": "CV",
    "Cameroon": "CM", "Central African Rep.": "CF", "Chad": "TD", "Comoros": "KM", "Congo": "CG", "Côte d'Ivoire": "CI",
    "Dem. Rep. Congo": "CD", "Djibouti": "DJ", "Egypt": "EG", "Eq. Guinea": "GQ", "Eritrea": "ER", "eSwatini": "SZ", "Ethiopia": "ET",
    "Gabon": "GA", "Gambia": "GM", "Ghana": "GH", "Guinea": "GN", "Guinea-Bissau": "GW", "Kenya": "KE", "Lesotho": "LS",
    "Liberia": "LR", "Libya": "LY", "Madagascar": "MG", "Malawi": "MW", "Mali": "ML", "Mauritania": "MR", "Mauritius": "MU",
    "Morocco": "MA", "Mozambique": "MZ", "Namibia": "NA", "Niger": "NE", "Nigeria": "NG", "Rwanda": "RW", "S. Sudan": "SS",
    "São Tomé and Principe": "ST", "Senegal": "SN", "Seychelles": "SC", "Sierra Leone": "SL", "Somalia": "SO", "Somaliland": "SO",
    "South Africa": "ZA", "Sudan": "SD", "Tanzania": "TZ", "Togo": "TG", "Tunisia": "TN", "Uganda": "UG", "W. Sahara": "EH",
    "Zambia": "ZM", "Zimbabwe": "ZW",
}


def project(lon, lat):
    lon, lat = math.radians(lon - CENTRE[0]), math.radians(lat)
    at = math.radians(CENTRE[1])
    k = math.sqrt(2 / (1 + math.sin(at) * math.sin(lat) + math.cos(at) * math.cos(lat) * math.cos(lon)))
    x = k * math.cos(lat) * math.sin(lon)
    y = k * (math.cos(at) * math.sin(lat) - math.sin(at) * math.cos(lat) * math.cos(lon))
    return x * SCALE, -y * SCALE


def area(ring):
    return abs(sum(a[0] * b[1] - b[0] * a[1] for a, b in zip(ring, ring[1:] + ring[:1]))) / 2


def simplified(line, tolerance):
    """Douglas and Peucker."""
    if len(line) < 3:
        return line
    (ax, ay), (bx, by) = line[0], line[-1]
    length = math.hypot(bx - ax, by - ay)

    def distance(p):
        if length == 0:
            return math.hypot(p[0] - ax, p[1] - ay)
        return abs((bx - ax) * (ay - p[1]) - (ax - p[0]) * (by - ay)) / length

    far = max(range(1, len(line) - 1), key=lambda i: distance(line[i]))
    if distance(line[far]) <= tolerance:
        return [line[0], line[-1]]
    return simplified(line[: far + 1], tolerance)[:-1] + simplified(line[far:], tolerance)


def united(one, other):
    """The outer ring of two neighbours, as arcs: those that both have are inside."""
    arcs = [index for index in one + other if not (index in one and ~index in other) and not (index in other and ~index in one)]
    return arcs


def chained(lines):
    """One ring of lines that meet."""
    ring = list(lines.pop(0))
    while lines:
        at = next(i for i, line in enumerate(lines) if line[0] == ring[-1] or line[-1] == ring[-1])
        line = lines.pop(at)
        ring += (line if line[0] == ring[-1] else line[::-1])[1:]
    return ring[:-1] if ring[0] == ring[-1] else ring


def cut(ring, latitude, keep_north):
    """The part of a ring on one side of a parallel."""
    def is_in(p):
        return (p[1] >= latitude) == keep_north
    kept = []
    for a, b in zip(ring, ring[1:] + ring[:1]):
        if is_in(a):
            kept.append(a)
        if is_in(a) != is_in(b):
            t = (latitude - a[1]) / (b[1] - a[1])
            kept.append((a[0] + t * (b[0] - a[0]), latitude))
    return kept


def main():
    atlas = json.load(open(sys.argv[1]))
    (sx, sy), (tx, ty) = atlas["transform"]["scale"], atlas["transform"]["translate"]
    places = []
    for arc in atlas["arcs"]:
        x = y = 0
        points = []
        for dx, dy in arc:
            x, y = x + dx, y + dy
            points.append((x * sx + tx, y * sy + ty))
        places.append(points)
    arcs = [[project(*point) for point in points] for points in places]

    def rings(geometry):
        polygons = [geometry["arcs"]] if geometry["type"] == "Polygon" else geometry["arcs"]
        return [ring for polygon in polygons for ring in polygon]

    def line_of(index, lines):
        return lines[index] if index >= 0 else lines[~index][::-1]

    def points_of(ring, lines):
        points = []
        for index in ring:
            line = line_of(index, lines)
            points += line[1:] if points else line
        return points[:-1]

    shapes = {}
    for geometry in atlas["objects"]["countries"]["geometries"]:
        code = CODES.get(geometry["properties"]["name"])
        if code:
            shapes.setdefault(code, []).extend(rings(geometry))
    assert len(shapes) == 55, sorted(set(CODES.values()) - set(shapes))
    # A border is simplified as the smaller of its countries needs it, and once, so that neighbours fit.
    need = {}
    for ringset in shapes.values():
        size = math.sqrt(sum(area(points_of(ring, arcs)) for ring in ringset))
        for ring in ringset:
            for index in ring:
                arc = index if index >= 0 else ~index
                need[arc] = min(need.get(arc, 1e9), size)

    def tolerance(size):
        return min(9.0, max(0.4, size * 0.012))

    lines = {}
    for arc, size in need.items():
        points = arcs[arc]
        if points[0] == points[-1] and len(points) > 3:
            # A ring: two halves, so that it does not collapse.
            half = len(points) // 2
            lines[arc] = simplified(points[: half + 1], tolerance(size))[:-1] + simplified(points[half:], tolerance(size))
        else:
            lines[arc] = simplified(points, tolerance(size))
    found = {code: [points_of(ring, lines) for ring in ringset] for code, ringset in shapes.items()}
    # Natural Earth draws who administers what. As for the United Nations, Western Sahara begins at 27° 40'.
    [sahara] = shapes["EH"]
    morocco = max(shapes["MA"], key=lambda ring: area(points_of(ring, arcs)))
    both = chained([line_of(index, places) for index in united(morocco, sahara)])
    for code, keep_north in (("MA", True), ("EH", False)):
        ring = [project(*point) for point in cut(both, 27 + 2 / 3, keep_north)]
        half = len(ring) // 2
        found[code] = [simplified(ring[: half + 1], 6)[:-1] + simplified(ring[half:] + ring[:1], 6)[:-1]]
    kept = {}
    for code, ringset in found.items():
        largest = max(area(ring) for ring in ringset)
        # Without islands that nobody would see, and far ones (Prince Edward Islands of ZA).
        kept[code] = [
            ring for ring in ringset
            if len(ring) > 2 and area(ring) >= min(largest * 0.02, 150) and min(y for _, y in ring) < 3400
        ]
    everything = [point for ringset in kept.values() for ring in ringset for point in ring]
    left, top = (min(point[axis] for point in everything) - 20 for axis in (0, 1))
    for code in sorted(kept):
        path, whole = "", []
        for ring in kept[code]:
            ring = [(round(x - left), round(y - top)) for x, y in ring]
            whole += ring
            steps = [(b[0] - a[0], b[1] - a[1]) for a, b in zip(ring, ring[1:]) if a != b]
            path += f"M{ring[0][0]} {ring[0][1]}l" + " ".join(f"{x} {y}" for x, y in steps) + "z"
        path = path.replace(" -", "-")
        (x, y), (right, bottom) = ([side(point[axis] for point in whole) for axis in (0, 1)] for side in (min, max))
        print(f"{code},{x},{y},{right - x},{bottom - y},{path}")


main()
