"""What kernel files may not say, and what no source may: each rule with planted lines that it must
catch and lines that it must leave alone."""

import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2] / "src"

# The functions of gpu/math.hpp and their relatives: libm's versions give other bits on each platform,
# `fma(float...)` of <cmath> alone is that for double.
FUNCTIONS = (
    "fma fmax fmin exp exp2 exp10 expm1 log log2 log10 log1p tanh sinh cosh sin cos tan erf erfc sqrt rsqrt "
    "cbrt pow hypot abs fabs copysign round rint nearbyint lrint floor ceil trunc sigmoid to_int"
).split()
NAMES = "|".join(FUNCTIONS)
BARE_MATH = re.compile(rf"(?<![\w.>])(?P<qualifier>(?:\w*::)*)(?:{NAMES})[fl]?\s*(?:<[^<>;]*>)?\(")
DEVICE_MATH = re.compile(
    r"\b__(?:exp10|exp|log2|log10|log|pow|sin|cos|tan|saturate|fdivide|fma|fadd|fmul|fsub|fdiv|frcp|fsqrt|frsqrt"
    r"|dadd|dmul|dsub|ddiv|drcp|dsqrt|fmaf)(?:f|_r[nzud]|f_r[nzud])?\s*\("
)
SHARED = re.compile(r"(?<!\w)(?:extern\s+)?__shared__\b")
WIDE_CAST = re.compile(
    r"reinterpret_cast<\s*(?:const\s+|volatile\s+)*"
    r"(?:(?:float|double|u?int|u?short|u?char|u?long|u?longlong)[234]|half2|__half2|__nv_bfloat162|Vec<[^<>]*>)\s*(?:const\s*)?[*&]"
)
X86 = re.compile(r"immintrin|x86intrin|\b_mm\d*_\w+\s*\(")


def code_of(text):
    """The text with comments and string contents blanked, line by line."""
    blank = lambda match: re.sub(r"[^\n]", " ", match.group())
    return re.sub(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', blank, text, flags=re.DOTALL)


def kernel_problems(text):
    for number, line in enumerate(code_of(text).splitlines(), 1):
        for match in BARE_MATH.finditer(line):
            if match.group("qualifier") != "wm::":
                yield number, f"`{match.group().strip()}`: math of kernels is wm::, from gpu/math.hpp"
        if match := DEVICE_MATH.search(line):
            yield number, f"`{match.group()}`: math of kernels is wm::, from gpu/math.hpp"
        if SHARED.search(line):
            yield number, "`__shared__`: shared memory is WM_SHARED or WM_DYN_SHARED"
        if match := WIDE_CAST.search(line):
            yield number, f"`{match.group()}`: wide accesses are load_vec and store_vec of gpu/memory.hpp"


def source_problems(text):
    for number, line in enumerate(text.splitlines(), 1):
        if match := X86.search(line):
            yield number, f"`{match.group()}`: no x86 intrinsics"


def files(folder, *suffixes):
    return [path for path in sorted(folder.rglob("*")) if path.suffix in suffixes]


class Sources(unittest.TestCase):
    maxDiff = None

    def check(self, paths, rule):
        self.assertGreater(len(paths), 10, "no sources found")
        found = [f"{path.relative_to(ROOT.parent)}:{n}: {what}" for path in paths for n, what in rule(path.read_text())]
        self.assertEqual(found, [])

    def test_kernel_files(self):
        self.check(files(ROOT / "kernels", ".cu", ".cuh", ".hpp"), kernel_problems)

    def test_no_x86_intrinsics(self):
        self.check(files(ROOT, ".cu", ".cuh", ".hpp", ".cpp"), source_problems)


class PlantedLines(unittest.TestCase):
    CAUGHT = [
        "y = fma(a, b, c);",
        "y = fmaf(a, b, c);",
        "y = std::fma(a, b, c);",
        "y = ::fma(a, b, c);",
        "y = fmax(a, b);",
        "y = fmaxf (a, b);",
        "y = -fminf(a, b);",
        "y = std::fmin<float>(a, b);",
        "y = expf(x);",
        "y = std::exp(x);",
        "y = __expf(x);",
        "y = __logf(x);",
        "y = logf(x);",
        "y = std::sqrt(x);",
        "y = tanhf(x);",
        "y = __fmaf_rn(a, b, c);",
        "y = __fdividef(a, b);",
        "y = __fadd_rn(a, b);",
        "y = other::wm_exp::exp(x);",
        "__shared__ float tile[32];",
        "extern __shared__ float tile[];",
        "auto* p = reinterpret_cast<float4*>(x);",
        "auto* p = reinterpret_cast<const float4*>(x);",
        "auto v = *reinterpret_cast<const uint4 *>(x);",
        "auto v = *reinterpret_cast<__half2*>(x);",
        "auto v = *reinterpret_cast<const Vec<T, 4>*>(x);",
        "auto& v = reinterpret_cast<double2&>(x);",
        "y = a + /* why */ expf(x);",
    ]
    LEFT_ALONE = [
        "y = wm::fma(a, b, c);",
        "y = wm::exp(x) + wm::fmax<float>(a, b);",
        "// fma(a, b, c) is the double version",
        "/* expf(x)\n   __shared__ float x[2]; */",
        'throw UsageError("exp(x) of __shared__");',
        "y = block_sum(x, scratch);",
        "const auto m = std::max<std::int64_t>(a, b);",
        "y = from_acc<T>(softmax_exp(x));",
        "claims.log(x);",
        "WM_SHARED(float, tile, [32][33]);",
        "auto v = load_vec<4>(x);",
        "auto* bytes = reinterpret_cast<std::byte*>(x);",
        "auto* p = reinterpret_cast<float*>(x);",
        "int exponent = expand(x);",
        "__syncthreads();",
    ]

    def test_each_planted_line_is_caught_with_its_number(self):
        for line in self.CAUGHT:
            with self.subTest(line=line):
                self.assertEqual([n for n, _ in kernel_problems(f"int a;\n{line}\nint b;")][:1], [2])

    def test_what_is_right_is_left_alone(self):
        for line in self.LEFT_ALONE:
            with self.subTest(line=line):
                self.assertEqual(list(kernel_problems(line)), [])

    def test_intrinsics_are_caught(self):
        for line in ("#include <immintrin.h>", "auto v = _mm256_loadu_ps(x);", "y = _mm_add_ss(a, b);"):
            with self.subTest(line=line):
                self.assertEqual([n for n, _ in source_problems("int a;\n" + line)], [2])
        self.assertEqual(list(source_problems("int comm_size(int);")), [])


if __name__ == "__main__":
    unittest.main()
