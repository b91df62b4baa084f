"""scripts/digests.py sees every kind of difference."""

import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "scripts"))
import digests

FOUND = {
    ("id1", "matmul/naive", "d"): ("0123456789abcdef", "matmul m=1 algo=naive"),
    ("id2", "softmax_fwd/online", "y"): ("fedcba9876543210", "softmax_fwd n=1 algo=online"),
}
GOLDEN = {key: digest for key, (digest, _) in FOUND.items()}


class Digests(unittest.TestCase):
    def test_equal_ones_are_equal(self):
        self.assertEqual(list(digests.differences(FOUND, GOLDEN, False)), [])

    def test_other_bits_are_named_with_the_case(self):
        golden = GOLDEN | {("id1", "matmul/naive", "d"): "0123456789abcde0"}
        self.assertEqual(
            list(digests.differences(FOUND, golden, False)),
            ["id1 matmul/naive d: 0123456789abcdef, golden 0123456789abcde0: matmul m=1 algo=naive"],
        )

    def test_a_case_without_golden_digest_is_a_difference(self):
        golden = {key: GOLDEN[key] for key in list(GOLDEN)[:1]}
        self.assertIn("not among the golden digests", list(digests.differences(FOUND, golden, False))[0])

    def test_a_golden_case_that_did_not_run_is_one_unless_only_a_part_ran(self):
        found = {key: FOUND[key] for key in list(FOUND)[:1]}
        self.assertIn("no such case", list(digests.differences(found, GOLDEN, False))[0])
        self.assertEqual(list(digests.differences(found, GOLDEN, True)), [])

    def test_a_file_reads_as_it_was_written(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "x.digests")
            path.write_text("".join(f"{' '.join(key)} {digest}\n" for key, digest in GOLDEN.items()))
            self.assertEqual(digests.read(path), GOLDEN)


if __name__ == "__main__":
    unittest.main()
