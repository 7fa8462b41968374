#!/usr/bin/env bash
# Makes the fonts of share cards from those of Noto, with fonttools 4.68:
#
#     gateway/web/fonts/make.sh <the folder of the fonts in Debian's package fonts-noto-core 20201225>
set -euo pipefail
export SOURCE_DATE_EPOCH=0
noto=$1
out=$(cd "$(dirname "$0")" && pwd)
parts=$(mktemp -d)
latin=0020-007E,00A0-02E9,02EC-02EE,02F3,02F7,0300-034F,0351-0353,0357-0358,035A,035C-0362,0370-0373,0391-03A1,03A3-03C9
latin+=,1E00-1EFB,2010-2027,2030-203A,20A0-20BF,2122,2212
# A font with these characters only: part <font> <characters> [<option>]
part() {
  pyftsubset "$noto/$1.ttf" --unicodes="$2" --output-file="$parts/$1.ttf" --no-hinting --glyph-names --notdef-outline \
    --drop-tables+=DSIG,GlyphOrder "${@:3}"
}
for weight in Regular Bold; do
  part "NotoSans-$weight" "$latin"
  part "NotoSansArabic-$weight" 0600-06FF,0750-077F,08A0-08FF,200C-200F
  # Its kerning would be a third of the file.
  part "NotoSansEthiopic-$weight" 1200-139F,2D80-2DDF,AB00-AB2F --layout-features-=kern
  # There is one weight of these two.
  part NotoSansNKo-Regular 07C0-07FF
  part NotoSansTifinagh-Regular 2D30-2D7F
  (cd "$parts" && pyftmerge --output-file=merged.ttf \
    NotoSans-$weight.ttf NotoSansArabic-$weight.ttf NotoSansEthiopic-$weight.ttf NotoSansNKo-Regular.ttf NotoSansTifinagh-Regular.ttf)
  pyftsubset "$parts/merged.ttf" --unicodes='*' --layout-features='*' --output-file="$out/NotoSans-$weight.ttf"
done
