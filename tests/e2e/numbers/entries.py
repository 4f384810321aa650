# SPDX-License-Identifier: MIT
"""The table: expressions of rule bodies, by the kinds of numbers they take, and how near a result must come to that of C++.

Each entry is the text that stands both in a body and in the reference program. `a`, `b`, `c` are any values, `p`, `q` divide
without a remainder of doubt (no division by 0, no smallest number by -1), `s`, `t` add, subtract and multiply without overflow.
"""

import dataclasses

# How a result is compared: by one of these two words, or by a number of ULPs. ULPs count from the value in `long double`; the bounds
# of OpenCL 1.2, chapter 7.4, are those of docs/language.md. NaN always agrees with NaN, whatever its sign and its payload.
BITS = "bits"       # all bits are equal
ZEROS = "zeros"     # all bits are equal, but the sign of a zero may differ: C++ leaves it open


@dataclasses.dataclass(frozen=True)
class Entry:
    text: str
    how: object = BITS
    packs: bool = True      # whether packs carry it; else the CPU runs it in a plain loop alone
    needs: str = ""         # statements before it


def entries(texts, **fields):
    return [Entry(text, **fields) for text in texts]


ROUNDED = entries([
    "a + b", "a - b", "a * b", "a / b", "-a", "+a", "a * b + c", "c - a * b", "a * a - b * b", "a / 2", "a * 2", "1 / a", "a - b * 0.5f",
    "a * 0.1", "a / 3.0 + b", "a < 0.1 ? a : 0.1", "a * M_PI", "a * 3 / 2", "a + 1 / 2", "a + 1 / 2.0", "fmod(a, 3)",
    "sqrt(a)", "std::sqrt(b)", "fabs(a)", "abs(a)", "std::abs(a)", "floor(a)", "ceil(a)", "trunc(a)", "round(a)", "rint(a)", "nearbyint(a)",
    "fmod(a, b)", "std::fmod(b, a)", "remainder(a, b)", "copysign(a, b)", "copysign(2, a)", "fdim(a, b)", "logb(a)", "nextafter(a, b)",
    "min(a, b)", "max(a, b)", "std::min(a, b)", "std::max(a, b)", "std::min(b, a)", "std::max(c, std::min(a, b))",
    "a < b ? a : b", "a > b ? a : b", "b < a ? b : c", "a == a ? 1 : 2",
    "!(a < b) ? a : b", "a < b && b < c ? 1 : 0", "a < b || b < c ? 1 : 0", "a < 0 ? -a : a",
])
COMPARISONS = entries(["a < b", "a <= b", "a > b", "a >= b", "a == b", "a != b"], packs=False)   # packs store no truth values
FLOATING_ZEROS = entries(["fmin(a, b)", "fmax(a, b)", "std::fmin(b, a)"], how=ZEROS)
# Entries for numbers of two types, which `min` and `max` without `std::` take.
MIXED = entries(["min(a, 1)", "max(a, 0)", "min(0.5f, a)", "max(a, -3L)", "min(a, 2u)", "max(a, 16777217)"])
NOT_IN_PACKS = entries([
    "fma(a, b, c)", "std::fma(a, b, -c)", "std::clamp(a, b, b + 2)", "std::clamp(a, M(-0.0), M(0.0))", "a && b", "a || b", "!a", "a ? 1 : 2", "!a || b > 0",
    "(bool)a", "(bool)a + (bool)b", "a < b == b < c", "isnan(a)", "isinf(a)", "isfinite(a)", "signbit(a)", "isnormal(a)", "std::isnan(b)", "std::signbit(b)",
], packs=False)
NOT_IN_PACKS += [Entry("k", packs=False, needs="M k = 3; if (a < b) k = a; else if (!(a >= b)) k = 5;"),
                 Entry("h", packs=False, needs="M h = a; while (h > 8 && h < 1e9f) h /= 2;"),
                 Entry("x", packs=False, needs="M x = 0; if (a) x = 1; if (!(a == b)) x += 2; if (!b) x += 4;")]

TESTS = entries(["!isnan(a) && !isnan(b) ? a - b : 0", "isnan(a) ? 7 : a", "isnan(a) || isinf(b) ? 1 : 2", "isfinite(a) ? a : b", "std::isnormal(a) ? 1 : 2",
                 "signbit(a) ? -1 : 1", "!std::signbit(b) && a < b ? 3 : 4", "isnan(a) == 0 ? 1 : 2"])
TESTS[-1] = dataclasses.replace(TESTS[-1], packs=False)

# Bounds in ULPs.
BOUNDS = {
    "acos": 4, "acosh": 4, "asin": 4, "asinh": 4, "atan": 5, "atanh": 5, "cbrt": 2, "cos": 4, "cosh": 4, "erf": 16, "erfc": 16, "exp": 3, "exp2": 3,
    "expm1": 3, "log": 3, "log10": 3, "log1p": 2, "log2": 3, "sin": 4, "sinh": 4, "tan": 5, "tanh": 5,
}
BOUNDS_OF_TWO = {"atan2": 6, "hypot": 4, "pow": 16}
INEXACT = [Entry(f"{name}(a)", bound) for name, bound in BOUNDS.items()] + [Entry(f"{name}(a, b)", bound) for name, bound in BOUNDS_OF_TWO.items()]
INEXACT += [Entry("pow(a, 2)", 16), Entry("pow(2, a)", 16), Entry("hypot(a, 3)", 4)]    # in double

# ---- integers: of each type; the result is a `long`

ANY_INTEGER = entries([
    "a & b", "a | b", "a ^ b", "~a", "a << (b & LAST)", "a >> (b & LAST)", "a >> 1", "7 << (b & 15)", "1L << (b & 63)", "1u << (b & 31)",
    "min(a, b)", "max(a, b)", "std::min(a, b)", "std::max(a, b)", "a < b ? a : b", "a < b ? 1 : 0", "a == b ? 1 : 2",
    "(unsigned)a + (unsigned)b", "(unsigned)a - (unsigned)b", "(unsigned)a * (unsigned)b", "(unsigned)a / ((unsigned)b | 1)",
    "(unsigned)a % ((unsigned)b | 1)", "(unsigned)a >> (b & 31)", "-(unsigned)a", "~(unsigned)a", "(unsigned)a < (unsigned)b ? 1 : 0",
    "a < (unsigned)b ? 1 : 0", "(unsigned)a >= b ? 1 : 0", "(long)a < (unsigned)b ? 1 : 0", "a == 0xFFFFFFFF ? 1 : 0", "a < 3000000000 ? 1 : 0",
    "(unsigned long)a * (unsigned long)b", "(unsigned long)a / ((unsigned long)b | 1)", "(unsigned long)a >> (b & 63)",
    "(unsigned long)a < (unsigned long)b ? 1 : 0", "(unsigned char)a", "(signed char)a", "(short)a", "(unsigned short)a", "(char)a", "(int)(long)a",
    "(unsigned char)a + (unsigned char)b", "(unsigned char)a - (unsigned char)b", "(unsigned char)a * (unsigned char)b",
    "(unsigned short)a >> 3", "~(unsigned char)a", "-(unsigned short)a", "(short)a < (unsigned short)b ? 1 : 0",
    "(a < b ? (short)a : (short)b) + 1", "a < 0 && b < 0 ? 1 : 0", "a < b || a < 0 ? 1 : 0", "(char)200 + (char)a", "'a' + (char)b",
    "n < 0 ? a / (int)(n - n) : 7",     # the same choice for all instances
])
ANY_INTEGER += [Entry("u", needs="unsigned char u = (unsigned char)a; u += 200; u *= 3;"), Entry("v", needs="short v = (short)a; v -= b & 0xFF; v <<= 1;"),
                Entry("w", needs="unsigned w = (unsigned)a; w -= 5u; w ^= (unsigned)b; w >>= 2;")]
ANY_INTEGER_PLAIN = entries([
    "!a", "a && b", "a || b", "a ? b : 7", "(bool)a", "(bool)a + (bool)b", "-(a < b)", "(a < b) + (a > b) * 2", "a < b == b < 0", "true + (a == b)",
    "min(a, (short)b)", "min((unsigned)a, b & 0xFFFF)", "max(a, 5L)", "min((unsigned long)b, 7)", "max((unsigned)a, (unsigned)b)",
    "std::min((unsigned long)a, (unsigned long)b)", "std::max((unsigned char)a, (unsigned char)b)", "std::min((signed char)a, (signed char)b)",
    "std::popcount((unsigned)a)", "std::popcount((unsigned long)a) + 1", "std::popcount((unsigned char)a)", "std::popcount((unsigned short)b) * 2",
    "std::clamp(a, (M)3, (M)100)", "std::clamp((unsigned)a, 7u, 3000000000u)", "std::max((char)a, (char)b)", "min(a < b ? (short)a : (short)b, (short)7)",
], packs=False)
ANY_INTEGER_PLAIN += [Entry("k", packs=False, needs="unsigned char k = (unsigned char)a; k++; ++k; if (b < a) k--;"),
                      Entry("h", packs=False, needs="unsigned short h = 0; for (int j = 0; j < (b & 3); ++j) h = h * 31 + (a & 0xFF);"),
                      Entry("e", packs=False, needs="int e = 0; switch (a & 3) { case 0: e = 5; break; case 1: e = 6; default: e += 9; }")]
DIVISIONS = entries(["p / q", "p % q", "p / 2", "p % 3", "p / -7", "p % -7", "p / q * q + p % q"]) + [Entry("d", needs="M d = p; d /= q;"), Entry("m", needs="M m = p; m %= q;")]
SUMS = entries(["s + t", "s - t", "s * t", "-s", "+s", "abs(s)", "std::abs(t)", "s + 1 > t ? 1 : 0", "s - 1 < t ? 1 : 0"])
# What C++ does not compute at all must not be computed: a division by zero ends a program.
GUARDED = entries([
    "b == 0 ? -1 : (b == -1 ? 7 : a / b)", "b > 0 && a / b > 1", "b <= 0 || a % b == 0", "b > 0 ? a % b : 0", "b == 0 || b == 1 ? around.cell(b) : -1",
    "b >= 0 && b < 2 && around.cell(b) > 3",
], packs=False)
GUARDED += [Entry("g", packs=False, needs="long g = 5; if (b != 0 && b != -1) g = a % b;"), Entry("f", packs=False, needs="long f = 5; for (int j = 0; j < 2; ++j) if (b > j) f += a / (b - j);")]
# Entries that make a floating number of integers; the result is a `double`.
TO_REAL = entries([
    "(double)a", "(float)a", "a / 2.0", "a / 2", "a * 0.5f", "a + 0.5", "(double)(unsigned)a", "(float)(unsigned)a", "(float)(unsigned long)a",
    "(double)(unsigned long)a", "(double)(unsigned char)a", "(float)(short)a", "sqrt((unsigned char)a)", "fabs(a)", "floor(a)", "a * 1.0f - b", "fmod(a, 7)",
    "a < 0.5 ? 1 : 0", "a == (float)a ? 1 : 0", "a < b ? a : 0.5f", "a > b ? 0.25 : a",
])

# ---- conversions of floating numbers that lie in the range of what they become; the result is a `long`
CONVERSIONS = [(f"({word}){name}", name) for name, words in {
    "in8": ("unsigned char",), "in7": ("signed char", "char"), "in15": ("short",), "in16": ("unsigned short",), "in31": ("int",), "in32": ("unsigned",),
    "in63": ("long",), "in64": ("unsigned long",)}.items() for word in words]
CONVERSIONS += [(text, "in31") for text in ("lround(in31)", "lrint(in31)", "llround(in31)", "std::lround(in31)", "(int)floor(in31)", "(long)rint(in31)")]

# ---- the bits of floating numbers, and the numbers of such bits; `I` is a whole number of the same size
BITS_OF_REALS = ["std::bit_cast<I>(a)", "std::bit_cast<unsigned I>(a) >> 3", "std::bit_cast<I>(a + b) == std::bit_cast<I>(b + a) || a != a || b != b ? 1 : 0",
                 "std::bit_cast<I>(a) ^ (std::bit_cast<I>(a) >> (8 * sizeof_I - 1) & ~((I)1 << (8 * sizeof_I - 1)))", "std::bit_cast<I>(std::bit_cast<unsigned I>(b)) & 255"]
REALS_OF_BITS = ["std::bit_cast<M>(std::bit_cast<I>(a))", "std::bit_cast<M>(std::bit_cast<unsigned I>(a) ^ (unsigned I)1)", "std::bit_cast<M>(std::bit_cast<M>(b))"]

# ---- constants; of the second list the result is a `long`
REAL_CONSTANTS = [
    "M_E", "M_LOG2E", "M_LOG10E", "M_LN2", "M_LN10", "M_PI", "M_PI_2", "M_PI_4", "M_1_PI", "M_2_PI", "M_2_SQRTPI", "M_SQRT2", "M_SQRT1_2", "INFINITY",
    "NAN", "HUGE_VAL", "HUGE_VALF", "FLT_MAX", "FLT_MIN", "FLT_EPSILON", "FLT_TRUE_MIN", "DBL_MAX", "DBL_MIN", "DBL_EPSILON", "DBL_TRUE_MIN",
] + [f"std::numbers::{name}" for name in ("e", "log2e", "log10e", "pi", "inv_pi", "inv_sqrtpi", "ln2", "ln10", "sqrt2", "sqrt3", "inv_sqrt3", "egamma", "phi")]
REAL_CONSTANTS += [f"std::numeric_limits<{word}>::{name}()" for word in ("double", "float") for name in (
    "max", "min", "lowest", "epsilon", "infinity", "quiet_NaN", "denorm_min")]
INTEGER_CONSTANTS = [
    "CHAR_BIT", "CHAR_MIN", "CHAR_MAX", "SCHAR_MIN", "SCHAR_MAX", "UCHAR_MAX", "SHRT_MIN", "SHRT_MAX", "USHRT_MAX", "INT_MIN", "INT_MAX", "UINT_MAX",
    "LONG_MIN", "LONG_MAX", "ULONG_MAX", "LLONG_MIN", "LLONG_MAX", "ULLONG_MAX", "INT8_MIN", "INT8_MAX", "UINT8_MAX", "INT16_MIN", "INT16_MAX", "UINT16_MAX",
    "INT32_MIN", "INT32_MAX", "UINT32_MAX", "INT64_MIN", "INT64_MAX", "UINT64_MAX", "SIZE_MAX", "RAND_MAX", "FLT_RADIX", "FLT_DIG", "FLT_MANT_DIG", "FLT_MIN_EXP",
    "FLT_MAX_EXP", "FLT_MIN_10_EXP", "FLT_MAX_10_EXP", "DBL_DIG", "DBL_MANT_DIG", "DBL_MIN_EXP", "DBL_MAX_EXP", "DBL_MIN_10_EXP", "DBL_MAX_10_EXP",
] + [f"std::numeric_limits<{word}>::{name}()" for word in ("int", "long", "short", "unsigned char", "unsigned", "unsigned short", "unsigned long", "char")
     for name in ("max", "min", "lowest")]
