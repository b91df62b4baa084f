"""Ten thousand cases, one percent of which crash and one percent hang."""

import re
import time
import unittest

import test_isolation


class ManyFaults(test_isolation.KillerTest):
    def test_ten_thousand_cases_of_which_two_percent_crash_or_hang(self):
        self.widths(1001, 11000)
        start = time.monotonic()
        lines = self.faulty("verify", "killer.json", "--device", "emu", "--timeout", "0.5s", "--out", "out", code=1)
        self.assertEqual(lines[-1]["counts"], {"error": 200, "passed": 9800})
        reasons = [re.sub(r"[;(].*", "", line["reason"]).strip() for line in lines[1:-1] if line["status"] == "error"]
        self.assertEqual({reason: reasons.count(reason) for reason in reasons}, {
            "the worker process was killed by SIGSEGV": 50,
            "the worker process was killed by SIGABRT": 50,
            "timeout: ran longer than 0.5 s": 100,
        })
        self.assertLess(time.monotonic() - start, 120)


if __name__ == "__main__":
    unittest.main()
