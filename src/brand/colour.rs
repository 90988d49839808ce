//! A colour and its contrast with another, as WCAG 2.2 defines both. All arithmetic is in whole numbers: the front
//! and the desk must not differ by a rounding.

use std::fmt;

/// The brightness of each channel value, in millionths: `c / 12.92` up to 0.04045, and `((c + 0.055) / 1.055)^2.4` above that.
#[rustfmt::skip]
const LINEAR: [u64; 256] = [
    0, 304, 607, 911, 1_214, 1_518, 1_821, 2_125,
    2_428, 2_732, 3_035, 3_347, 3_677, 4_025, 4_391, 4_777,
    5_182, 5_605, 6_049, 6_512, 6_995, 7_499, 8_023, 8_568,
    9_134, 9_721, 10_330, 10_960, 11_612, 12_286, 12_983, 13_702,
    14_444, 15_209, 15_996, 16_807, 17_642, 18_500, 19_382, 20_289,
    21_219, 22_174, 23_153, 24_158, 25_187, 26_241, 27_321, 28_426,
    29_557, 30_713, 31_896, 33_105, 34_340, 35_601, 36_889, 38_204,
    39_546, 40_915, 42_311, 43_735, 45_186, 46_665, 48_172, 49_707,
    51_269, 52_861, 54_480, 56_128, 57_805, 59_511, 61_246, 63_010,
    64_803, 66_626, 68_478, 70_360, 72_272, 74_214, 76_185, 78_187,
    80_220, 82_283, 84_376, 86_500, 88_656, 90_842, 93_059, 95_307,
    97_587, 99_899, 102_242, 104_616, 107_023, 109_462, 111_932, 114_435,
    116_971, 119_538, 122_139, 124_772, 127_438, 130_136, 132_868, 135_633,
    138_432, 141_263, 144_128, 147_027, 149_960, 152_926, 155_926, 158_961,
    162_029, 165_132, 168_269, 171_441, 174_647, 177_888, 181_164, 184_475,
    187_821, 191_202, 194_618, 198_069, 201_556, 205_079, 208_637, 212_231,
    215_861, 219_526, 223_228, 226_966, 230_740, 234_551, 238_398, 242_281,
    246_201, 250_158, 254_152, 258_183, 262_251, 266_356, 270_498, 274_677,
    278_894, 283_149, 287_441, 291_771, 296_138, 300_544, 304_987, 309_469,
    313_989, 318_547, 323_143, 327_778, 332_452, 337_164, 341_914, 346_704,
    351_533, 356_400, 361_307, 366_253, 371_238, 376_262, 381_326, 386_429,
    391_572, 396_755, 401_978, 407_240, 412_543, 417_885, 423_268, 428_690,
    434_154, 439_657, 445_201, 450_786, 456_411, 462_077, 467_784, 473_531,
    479_320, 485_150, 491_021, 496_933, 502_886, 508_881, 514_918, 520_996,
    527_115, 533_276, 539_479, 545_724, 552_011, 558_340, 564_712, 571_125,
    577_580, 584_078, 590_619, 597_202, 603_827, 610_496, 617_207, 623_960,
    630_757, 637_597, 644_480, 651_406, 658_375, 665_387, 672_443, 679_542,
    686_685, 693_872, 701_102, 708_376, 715_694, 723_055, 730_461, 737_910,
    745_404, 752_942, 760_525, 768_151, 775_822, 783_538, 791_298, 799_103,
    806_952, 814_847, 822_786, 830_770, 838_799, 846_873, 854_993, 863_157,
    871_367, 879_622, 887_923, 896_269, 904_661, 913_099, 921_582, 930_111,
    938_686, 947_307, 955_973, 964_686, 973_445, 982_251, 991_102, 1_000_000,
];
/// The ambient light that WCAG adds to a luminance, in the unit of [`Colour::luminance`].
const FLARE: u64 = 500_000_000;
/// The lowest contrast between a text and its background that WCAG 2.2 AA accepts, in thousandths.
pub const CONTRAST_MIN_MILLI: u64 = 4_500;

/// A colour written as `#rrggbb`. Baton accepts no other colour syntax of style sheets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Colour([u8; 3]);

impl Colour {
    /// White.
    pub const WHITE: Self = Self([255; 3]);
    /// Black.
    pub const BLACK: Self = Self([0; 3]);

    /// Makes a colour from red, green and blue.
    #[must_use]
    pub const fn new(red: u8, green: u8, blue: u8) -> Self {
        Self([red, green, blue])
    }

    /// Reads `#rrggbb`, in either case. Returns `None` for any other text.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let digits = text.strip_prefix('#').filter(|digits| digits.len() == 6)?;
        if !digits.bytes().all(|b| b.is_ascii_hexdigit()) {
            return None;
        }
        let channel = |at: usize| u8::from_str_radix(digits.get(at..at + 2)?, 16).ok();
        Some(Self([channel(0)?, channel(2)?, channel(4)?]))
    }

    /// Returns the relative luminance, 0 to 10,000,000,000.
    fn luminance(self) -> u64 {
        let linear = |channel: u8| LINEAR.get(usize::from(channel)).copied().unwrap_or_default();
        let Self([red, green, blue]) = self;
        linear(red) * 2_126 + linear(green) * 7_152 + linear(blue) * 722
    }

    /// Returns the contrast between two colours in thousandths, rounded down: 1,000 to 21,000.
    #[must_use]
    pub fn contrast_milli(self, other: Self) -> u64 {
        let (one, two) = (self.luminance() + FLARE, other.luminance() + FLARE);
        one.max(two) * 1_000 / one.min(two)
    }

    /// Returns whether this colour is the brighter of the two.
    #[must_use]
    pub fn is_brighter_than(self, other: Self) -> bool {
        self.luminance() > other.luminance()
    }

    /// Mixes this colour with `other`, channel by channel: 0 % gives this colour, 100 % the other.
    #[must_use]
    pub fn towards(self, other: Self, percent: u8) -> Self {
        let share = u32::from(percent.min(100));
        let mix = |from: u8, to: u8| {
            let mixed = (u32::from(from) * (100 - share) + u32::from(to) * share + 50) / 100;
            u8::try_from(mixed).unwrap_or(u8::MAX)
        };
        let (Self([r, g, b]), Self([to_r, to_g, to_b])) = (self, other);
        Self([mix(r, to_r), mix(g, to_g), mix(b, to_b)])
    }

    /// Returns the lowest contrast with any of these colours, in thousandths.
    #[must_use]
    pub fn least_contrast_milli(self, others: &[Self]) -> u64 {
        let contrasts = others.iter().map(|other| self.contrast_milli(*other));
        contrasts.min().unwrap_or(u64::MAX)
    }

    /// Returns the first colour on the way to black or to white that is readable on all of these. Returns `None` if there is no such colour.
    #[must_use]
    pub fn readable_on(self, others: &[Self]) -> Option<Self> {
        let steps = (0..=100).flat_map(|percent| [Self::BLACK, Self::WHITE].map(|end| self.towards(end, percent)));
        let mut readable = steps.filter(|colour| colour.least_contrast_milli(others) >= CONTRAST_MIN_MILLI);
        readable.next()
    }
}

impl fmt::Display for Colour {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self([red, green, blue]) = self;
        write!(f, "#{red:02x}{green:02x}{blue:02x}")
    }
}
