"""The checks of instantiations.py and cuda_build.py catch what they are for."""

import unittest

import cuda_build
import instantiations

LAUNCH = "000000000003a180 t _ZZN2wm3emu15launch_emulatedIXadL_ZNS_1kIf{}EEEEvPFvDpT0_ENUlPKvE_4_FUNEST_\n"
LOG = """# ninja log v5
0\t12000\t0\tCMakeFiles/cuda_kernel_objects.dir/src/kernels/conv/slow.cu.o\t1
5\t1005\t0\tCMakeFiles/cuda_kernel_objects.dir/src/kernels/conv/quick.cu.o\t2
9\t99999\t0\tCMakeFiles/emu_kernel_objects.dir/kernels/emu/other.cpp.o\t3
12000\t32500\t0\tCMakeFiles/cuda_kernel_objects.dir/src/kernels/conv/slow.cu.o\t1
"""


class Instantiations(unittest.TestCase):
    def test_launches_are_counted_once_each(self):
        text = "".join(LAUNCH.format(i) for i in (1, 2, 2)) + "0000 T _ZN2wm4otherEv\n"
        self.assertEqual(instantiations.count(text), 2)

    def test_one_too_many_is_caught(self):
        self.assertEqual(list(instantiations.problems({"a": 12})), [])
        self.assertIn("13 kernel instantiations, at most 12", list(instantiations.problems({"a": 13}))[0])
        for stem, (allowed, _) in instantiations.EXCEPTIONS.items():
            self.assertEqual(list(instantiations.problems({stem: allowed})), [])
            self.assertIn("at most", list(instantiations.problems({stem: allowed + 1}))[0])
            self.assertIn("no exception", list(instantiations.problems({stem: 12}))[0])


class CudaBuild(unittest.TestCase):
    def test_the_latest_compilation_counts(self):
        seconds = cuda_build.compile_seconds(LOG)
        self.assertEqual(seconds, {"src/kernels/conv/slow.cu": 20.5, "src/kernels/conv/quick.cu": 1.0})
        slow = lambda limit, again: list(cuda_build.slow_files(seconds, limit, lambda name: again))
        self.assertEqual(slow(21, 99), [])
        self.assertEqual(slow(20, 19), [], "the machine was busy")
        self.assertEqual(slow(20, 20.2), ["src/kernels/conv/slow.cu: nvcc takes 20.2 s, limit 20 s"])


if __name__ == "__main__":
    unittest.main()
